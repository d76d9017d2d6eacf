# SPDX-License-Identifier: Apache-2.0
"""What stands in one side group, as it was seen last, whoever wrote it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from segue._drain.channel import ChannelError, Entry, Place
from segue._drain.side_groups import SideGroups

log = logging.getLogger("segue")


class Written(Protocol):
    """A document that has its time inside."""

    @property
    def since_ms(self) -> int: ...

    def text(self) -> str: ...


Kind = TypeVar("Kind", bound=Written)


def newest(entries: Iterable[Entry], read: Callable[[str], Kind | None]) -> tuple[Kind | None, list[Place]]:
    """The newest document by the time inside it, and where it and the older ones stand, in that order."""
    found = [(document, entry.place) for entry in entries if (document := read(entry.text)) is not None]
    found.sort(key=lambda each: each[0].since_ms, reverse=True)
    return (found[0][0] if found else None), [place for _, place in found]


class SideEntry(Generic[Kind]):
    """One group. For one thread."""

    def __init__(
        self, groups: SideGroups, group: str, read: Callable[[str], Kind | None], topics: Callable[[], Iterable[str]]
    ) -> None:
        self.group = group
        self.known: Kind | None = None
        self._groups = groups
        self._read = read
        self._topics = topics
        self._places: list[Place] = []

    def see(self, entries: Iterable[Entry]) -> None:
        """Takes what was read of the group."""
        self.known, self._places = newest(entries, self._read)

    def write(self, document: Kind) -> None:
        """In place of what is there. Raises ChannelError."""
        if self._places:
            self._groups.channel.write(self.group, self._places[0], document.text())
        else:
            self._places = [self._groups.write(self.group, document.text(), self._topics())]
        self.known = document

    def clear(self) -> None:
        """Takes it back, an older one at another place too. Raises ChannelError; deleting the emptied group is tidiness
        and may fail.
        """
        for place in self._places:
            self._groups.channel.write(self.group, place, "")
        self.known, self._places = None, []
        try:
            self._groups.channel.delete(self.group)
        except ChannelError as fault:
            log.debug("the empty group %s stays until it expires: %s", self.group, fault)
