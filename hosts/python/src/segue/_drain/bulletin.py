# SPDX-License-Identifier: Apache-2.0
"""What the leader has to know of one application at a rebalance: who is leaving, and which assignor is wished for."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from segue._drain.channel import Entry
from segue._drain.complaints import Complaints
from segue._drain.mark import Mark
from segue._drain.side_entry import newest
from segue._drain.side_groups import SideGroups
from segue._drain.swap import Swap

log = logging.getLogger("segue")

_READING = "read who is leaving and which assignor is wished for"


@dataclass(frozen=True, slots=True)
class Posted:
    """marks: by instance. swap: the assignor that is wished for."""

    marks: Mapping[str, Mark] = field(default_factory=dict)
    swap: Swap | None = None
    fresh: bool = True
    """Whether it was read now; else it is what was known last."""


class Bulletin:
    """What was known last counts where the brokers do not answer in time, because whoever reads this holds up a
    rebalance. Never raises. For one thread at a time.
    """

    def __init__(self, groups: SideGroups) -> None:
        self._groups = groups
        self._complaints = Complaints(groups.prefix)
        self._known = Posted()

    def read(self, instances: Collection[str], timeout_s: float) -> Posted:
        """Of these instances; blocks for the timeout at the most."""
        marks = {instance: mark for instance, mark in self._known.marks.items() if instance in instances}
        self._known = Posted(marks, self._known.swap, fresh=False)
        try:
            self._known = self._of(instances, self._ask(instances, timeout_s))
            self._complaints.worked(_READING)
        except Exception as fault:
            self._complaints.failed(_READING, self._consequence(), fault)
        return self._known

    def _of(self, instances: Collection[str], found: Mapping[str, list[Entry]]) -> Posted:
        marks = {name: newest(found.get(self._groups.mark(name), ()), Mark.read)[0] for name in instances}
        swap, _ = newest(found.get(self._groups.assignor, ()), Swap.read)
        return Posted({name: mark for name, mark in marks.items() if mark is not None}, swap)

    def _ask(self, instances: Collection[str], timeout_s: float) -> Mapping[str, list[Entry]]:
        """On a thread of its own: a client that hangs must not hold up the rebalance longer than that."""
        groups = [*map(self._groups.mark, instances), self._groups.assignor]
        answers: queue.SimpleQueue[Mapping[str, list[Entry]] | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._groups.channel.read(groups))
            except Exception as fault:
                answers.put(fault)

        threading.Thread(target=ask, name="segue-marks", daemon=True).start()
        try:
            answer = answers.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _consequence(self) -> str:
        known = self._known
        if not known.marks and known.swap is None:
            return "nobody is taken for leaving, and the configured assignor is asked"
        assignor = known.swap.name if known.swap else "as configured"
        return f"what was known last counts: leaving {sorted(known.marks)}, assignor {assignor}"
