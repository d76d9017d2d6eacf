# SPDX-License-Identifier: Apache-2.0
"""What a changelog topic should be like."""

from __future__ import annotations

from collections.abc import Mapping

from segue._errors import ChangelogError, InputError
from segue._state.log import log


def check_partitions(changelog: str, counts: Mapping[str, int]) -> None:
    """counts: partitions of the changelog and of all input topics; 0 for one that is missing. Raises ChangelogError and
    InputError unless they are as many everywhere.
    """
    if not counts[changelog]:
        raise ChangelogError(
            f"{changelog} is missing: the changelog is a compacted topic with as many partitions as the input",
            code="no-topic",
        )
    for topic, count in counts.items():
        if not count:
            raise InputError(f"topic {topic} is missing", code="no-topic")
        if count != counts[changelog]:
            raise ChangelogError(
                f"{topic} has {count} partitions and {changelog} {counts[changelog]}: they need as many, since "
                "partition 3 of the input belongs to partition 3 of the changelog",
                code="bad-changelog",
            )


def warn_unless_compacted(changelog: str, policy: str) -> None:
    """policy: the topic's cleanup.policy."""
    if "compact" not in policy.split(",") or "delete" in policy.split(","):
        log.warning(
            "%s has cleanup.policy=%s: a changelog should have compact alone, else it grows without end, or state is "
            "lost",
            changelog,
            policy,
        )
