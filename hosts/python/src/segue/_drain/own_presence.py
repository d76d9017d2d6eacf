# SPDX-License-Identifier: Apache-2.0
"""What a member publishes of itself, written when there is news and every minute."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace

from segue._drain.channel import ChannelError
from segue._drain.complaints import Complaints
from segue._drain.presence import Now, Presence
from segue._drain.side_groups import SideGroups

log = logging.getLogger("segue")

_PUBLISHING = "publish this member's presence"
_RENEWAL_MS = 60_000


class OwnPresence:
    """For one thread."""

    def __init__(self, groups: SideGroups, who: Presence, topics: Callable[[], Iterable[str]]) -> None:
        self._groups = groups
        self._group = groups.presence(who.instance)
        self._who = who
        self._topics = topics
        self._complaints = Complaints(groups.prefix)
        self._written: Now | None = None
        self._written_ms = 0

    def served_at(self, http: str) -> None:
        """From now on it tells where HTTP is served."""
        self._who = replace(self._who, http=http)

    def publish(self, now: Now, wall_ms: int) -> None:
        """Until the consumer has subscribed there is nowhere to write to, and nothing to tell."""
        topics = list(self._topics())
        if not topics or not self._is_due(now, wall_ms):
            return
        try:
            self._groups.write(self._group, self._who.text(now, wall_ms), topics)
        except ChannelError as fault:
            self._complaints.failed(_PUBLISHING, "tools do not see it", fault)
        else:
            self._written, self._written_ms = now, wall_ms
            self._complaints.worked(_PUBLISHING)

    def delete(self) -> None:
        if self._written is None:
            return
        try:
            self._groups.channel.delete(self._group)
        except ChannelError as fault:
            log.debug("the presence of %s stays until it expires: %s", self._who.instance, fault)

    def _is_due(self, now: Now, wall_ms: int) -> bool:
        return self._written is None or wall_ms - self._written_ms >= _RENEWAL_MS or now.is_news(self._written)
