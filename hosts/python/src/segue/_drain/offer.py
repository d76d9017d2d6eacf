# SPDX-License-Identifier: Apache-2.0
"""The assignors that this process can ask."""

from __future__ import annotations

from collections.abc import Mapping

from segue._errors import AssignorError
from segue._plan import Assignor


class Offer:
    """configured: the one that is asked where none is wished for."""

    def __init__(self, configured: str, assignors: Mapping[str, Assignor]) -> None:
        self.configured = configured
        self.names = tuple(sorted(assignors))
        self._assignors = assignors

    def heeds_marks(self, name: str) -> bool:
        return name in self._assignors and self._assignors[name].knows_leaving

    def obstacle(self, name: str) -> str | None:
        """Why nobody can be drained under an assignor, None where it heeds marks."""
        if self.heeds_marks(name):
            return None
        heeding = " and ".join(other for other in self.names if self.heeds_marks(other)) or "none here"
        return f"the assignor {name} heeds no marks; {heeding} do (segue.assignor, or a swap)"

    def plugin(self, name: str) -> tuple[str, str]:
        """Name and version of the plugin that has it."""
        found = self._assignors.get(name)
        return (found.plugin_name, found.plugin_version) if found else ("", "")

    def require(self, name: str) -> None:
        """Raises AssignorError, listing those that there are."""
        if name not in self._assignors:
            raise AssignorError(f"no assignor {name}: there are {', '.join(self.names)}", code="no-such-name")
