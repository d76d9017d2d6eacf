# SPDX-License-Identifier: Apache-2.0
"""The wish that the whole application be assigned by another assignor than the configured one, and what follows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from segue._drain import documents

_KIND = "assignor"
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Swap:
    """name: the assignor. by: who wished, for people."""

    name: str
    since_ms: int
    by: str = ""

    @classmethod
    def after(cls, before: Swap | None, name: str, by: str) -> Swap:
        """Newer than the one before, even where that one's clock is ahead, unless no time is newer."""
        now_ms = documents.now_ms()
        after_ms = max(now_ms, before.since_ms + 1 if before else 0)
        return cls(name, after_ms if after_ms <= documents.GREATEST else now_ms, by)

    def text(self) -> str:
        return documents.write(documents.start(_KIND, name=self.name, since_ms=self.since_ms, by=self.by), "by")

    @classmethod
    def read(cls, text: str) -> Swap | None:
        """None as well for what cannot be a name: it would be logged and published."""
        document = documents.read(text, _KIND)
        if document is None:
            return None
        name, since_ms = documents.word(document, "name"), documents.number(document, "since_ms")
        if since_ms is None or not _is_name(name):
            return None
        return cls(name, since_ms, documents.word(document, "by"))


@dataclass(frozen=True, slots=True)
class Choice:
    """Which assignor counts. refused: the one wished for, where it is not offered here."""

    assignor: str
    configured: str
    refused: str | None = None

    @classmethod
    def of(cls, configured: str, offered: Collection[str], wish: Swap | None) -> Choice:
        """The one wished for where it is offered here, else the configured one."""
        if wish is None:
            return cls(configured, configured)
        return cls(wish.name, configured) if wish.name in offered else cls(configured, configured, wish.name)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and all(" " < letter < "\x7f" for letter in text)
