# SPDX-License-Identifier: Apache-2.0
"""One application's side groups: their names, and where a new entry is written."""

from __future__ import annotations

from collections.abc import Iterable

from segue._drain.channel import Channel, ChannelError, Place, UnknownPlace


class SideGroups:
    """`application` is the consumers' group.id. Safe from any thread, as its channel is."""

    def __init__(self, channel: Channel, application: str) -> None:
        self.channel = channel
        self.prefix = f"{application}.segue."
        self.assignor = self.prefix + "assignor"
        self._own_topics = application + "-"

    def mark(self, instance: str) -> str:
        return f"{self.prefix}mark.{instance}"

    def presence(self, instance: str) -> str:
        return f"{self.prefix}presence.{instance}"

    def presences(self) -> list[str]:
        """The presence groups that there are."""
        return [group for group in self.channel.groups() if group.startswith(self.presence(""))]

    def write(self, group: str, text: str, topics: Iterable[str]) -> Place:
        """Writes at partition 0 of the first topic that the broker knows, and returns where that is."""
        unknown: ChannelError = ChannelError("the member reads no topic yet, so there is nowhere to write to")
        for topic in self._in_order(topics):
            try:
                self.channel.write(group, (topic, 0), text)
            except UnknownPlace as fault:
                unknown = fault
            else:
                return topic, 0
        raise unknown

    def _in_order(self, topics: Iterable[str]) -> list[str]:
        """Those from outside first: what the application makes itself may not be there yet."""
        return sorted(topics, key=lambda topic: (topic.startswith(self._own_topics), topic))
