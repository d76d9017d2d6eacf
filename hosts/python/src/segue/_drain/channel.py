# SPDX-License-Identifier: Apache-2.0
"""What a client has to offer to read and write side groups, and the channels that members of a process share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

# Nobody's lag: a monitor that looks at every group must not see one here.
PARKED_OFFSET = 2**53 - 1

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a group, and at which topic and partition."""

    place: Place
    text: str


class ChannelError(Exception):
    """The brokers refused, or did not answer."""


class NotAllowed(ChannelError):
    """A right is missing."""


class UnknownPlace(ChannelError):
    """The broker does not know the topic or partition."""


class Channel(Protocol):
    """A client's way to the brokers, with the security settings of the consumer. Any thread; every call blocks, for
    some seconds at the most, and raises ChannelError.
    """

    def read(self, groups: Iterable[str]) -> Mapping[str, list[Entry]]:
        """What stands in each group; nothing where there is no such group."""

    def write(self, group: str, place: Place, text: str) -> None:
        """Commits a text as the metadata of PARKED_OFFSET."""

    def delete(self, group: str) -> None:
        """Takes a group away; one that is not there is no fault."""

    def groups(self) -> list[str]:
        """The names of all groups that one may see."""

    def close(self) -> None:
        """Ends the connections. Nothing is called after it."""


class SharedChannels:
    """The channels of this process: members of one application share one, and the last of them closes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[object, tuple[Channel, int]] = {}

    def take(self, key: object, make: Callable[[], Channel]) -> Channel:
        with self._lock:
            channel, users = self._open[key] if key in self._open else (make(), 0)
            self._open[key] = (channel, users + 1)
            return channel

    def give_back(self, key: object) -> None:
        with self._lock:
            channel, users = self._open.pop(key)
            if users > 1:
                self._open[key] = (channel, users - 1)
                return
        channel.close()


CHANNELS = SharedChannels()
