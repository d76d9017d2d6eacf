# SPDX-License-Identifier: Apache-2.0
"""What is written of a member that is to leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from segue._drain import documents
from segue._group import Leaving

_KIND = "leaving"


@dataclass(frozen=True, slots=True)
class Mark:
    """since_ms: when it was marked. deadline_ms: when its tasks are forced away, None where only the configuration can
    say. stay: whether it stays in the group when it is empty. by: who marked it, for people.
    """

    instance: str
    since_ms: int
    deadline_ms: int | None = None
    stay: bool = False
    by: str = ""

    @classmethod
    def now(cls, instance: str, now_ms: int, timeout_ms: int | None, stay: bool, by: str) -> Mark:
        return cls(instance, now_ms, _deadline(now_ms, timeout_ms), stay, by)

    def again(self, now_ms: int, timeout_ms: int | None, stay: bool) -> Mark:
        """Since then as before, but the newer deadline counts."""
        deadline_ms = self.deadline_ms if timeout_ms is None else _deadline(now_ms, timeout_ms)
        return replace(self, deadline_ms=deadline_ms, stay=stay)

    def within(self, timeout_ms: int | None) -> Mark:
        """With the deadline that counts where the application has a timeout for all."""
        if self.deadline_ms is not None or timeout_ms is None:
            return self
        return replace(self, deadline_ms=documents.plus(self.since_ms, timeout_ms))

    def is_overdue(self, now_ms: int) -> bool:
        return self.deadline_ms is not None and self.deadline_ms <= now_ms

    def leaving(self) -> Leaving:
        """As a group document has it."""
        return Leaving(since_ms=self.since_ms, deadline_ms=self.deadline_ms)

    def text(self) -> str:
        fields = {"instance": self.instance, "since_ms": self.since_ms, "deadline_ms": self.deadline_ms}
        return documents.write(documents.start(_KIND, **fields, stay=self.stay, by=self.by), "by")

    @classmethod
    def read(cls, text: str) -> Mark | None:
        document = documents.read(text, _KIND)
        return None if document is None else cls._of(document)

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Mark | None:
        since_ms = documents.number(document, "since_ms")
        if since_ms is None:
            return None
        return cls(
            documents.word(document, "instance"),
            since_ms,
            documents.number(document, "deadline_ms"),
            document.get("stay") is True,
            documents.word(document, "by"),
        )


def _deadline(now_ms: int, timeout_ms: int | None) -> int | None:
    return None if timeout_ms is None else documents.plus(now_ms, timeout_ms)
