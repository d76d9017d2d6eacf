# SPDX-License-Identifier: Apache-2.0
"""Workers of the counting example of Faust, each a process, and what becomes of its counts."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

from broker import verdict
from broker.done import Done, longest_silence_ms
from broker.process import Process, wait_for
from broker.steady import Steady

PARTITIONS = 8


class FaustWorker(Process):
    """`holds`, `learns`, `learnt`, `done` and `dumped` grow as it says so. ours: it has segue's assignor."""

    def __init__(self, server: str, name: str, label: str, folder: Path, options: dict[str, Any]) -> None:
        self.label = label
        self.ours = options.get("segue") is not False
        self.holds: frozenset[int] = frozenset()
        self.learns: frozenset[int] = frozenset()
        self.learnt: frozenset[int] = frozenset()
        self.done: list[Done] = []
        self.dumped: set[str] = set()
        super().__init__("faust_counting.py", server, name, json.dumps({"folder": str(folder), **options}))

    def hear(self, said: dict[str, Any]) -> None:
        self.learns = frozenset(said.get("learns", self.learns))
        self.learnt |= self.learns
        self.holds = frozenset(said.get("holds", self.holds))
        self.done += [Done(at, partition, offset, self.label) for partition, offset, at in said.get("done", ())]
        if "dumped" in said:
            self.dumped.add(said["dumped"])


class FaustWorkers:
    """One application. A producer feeds it without a pause."""

    def __init__(self, server: str, name: str, folder: Path) -> None:
        self.server = server
        self.name = name
        self.folder = folder
        self.there: dict[str, FaustWorker] = {}
        self.gone: list[FaustWorker] = []
        # Faust takes a millisecond or two for a record, and has to go on where it gets a tenth of a processor.
        self.producer = Steady(server, name, range(PARTITIONS), rate=5, keys=1_000)

    def __enter__(self) -> FaustWorkers:
        self.producer.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        self.producer.stop()
        statuses = [one.leave() for one in self.there.values()]
        for one in [*self.gone, *self.there.values()]:
            if kind is not None:
                print(one.label, one.said()[-8000:], sep="\n")
            one.log.close()
        assert not any(statuses)

    # ---- what happens ----

    def join(self, label: str, **options: Any) -> FaustWorker:
        """A worker of that label has the folder of the one before. segue: options, or False: Faust's own assignor."""
        worker = FaustWorker(self.server, self.name, label, self.folder / label, options)
        self.there[label] = worker
        return worker

    def leave(self, label: str) -> None:
        """As Faust's own SIGTERM lets it: it stops at once, and leaves its group."""
        worker = self._take_out(label)
        assert worker.leave() == 0, worker.said()[-4000:]

    def kill(self, label: str) -> None:
        self._take_out(label).kill()

    def terminate(self, label: str) -> None:
        """SIGTERM as the example heeds it: it drains first."""
        worker = self._take_out(label)
        worker.process.send_signal(signal.SIGTERM)
        assert worker.end() == 0, worker.said()[-4000:]

    def _take_out(self, label: str) -> FaustWorker:
        self.gone.append(self.there.pop(label))
        return self.gone[-1]

    # ---- what it waits for ----

    def settle(self, **sizes: int) -> None:
        """Waits until every partition is held once, so many by each, and each that is with one of ours has gone on:
        on a busy machine Faust's own may stand still for minutes after a rebalance.
        """
        self._wait(lambda: self._settled(sizes))
        before = self._counted()
        wanted = frozenset[int]().union(*(one.holds for one in self.there.values() if one.ours))
        self._wait(lambda: all(self._counted()[number] > before[number] for number in wanted), before)

    def done(self) -> list[Done]:
        return [one for worker in [*self.gone, *self.there.values()] for one in worker.done]

    def longest_silence_ms(self, since: int) -> float:
        done = self.done()
        return longest_silence_ms(done, since, max(one.at for one in done))

    def _counted(self) -> Counter[int]:
        return Counter(one.partition for one in self.done())

    def _settled(self, sizes: dict[str, int]) -> bool:
        held = {label: one.holds for label, one in self.there.items()}
        complete = frozenset[int]().union(*held.values()) == frozenset(range(PARTITIONS))
        return complete and {label: len(one) for label, one in held.items()} == sizes

    def _wait(self, condition: Any, before: Counter[int] | None = None) -> None:
        def described() -> str:
            held = {label: sorted(one.holds) for label, one in self.there.items()}
            return f"held: {held}" + (f"; counted since: {self._counted() - before}" if before is not None else "")

        wait_for(condition, described)

    # ---- how it ends ----

    def check(self) -> None:
        """Every record has been counted, and the owners' counts are right, key by key."""
        self.producer.stop()
        sent = self.producer.offsets()
        wait_for(lambda: not sent - self._seen(), lambda: self._around(sorted(sent - self._seen())))
        right = Counter((0, key) for _, key, _ in self.producer.sent)
        verdict.check_state(self._counts(), right, "counts of the owners")

    def _around(self, missing: list[tuple[int, int]]) -> str:
        """What was never counted, and who counted the records beside."""
        partition, offset = missing[0]
        beside = sorted(one for one in self.done() if one.partition == partition and abs(one.offset - offset) < 3)
        return f"never counted: {missing[:10]}; beside the first: {beside}"

    def _seen(self) -> set[tuple[int, int]]:
        return {(one.partition, one.offset) for one in self.done()}

    def _counts(self) -> dict[tuple[int, bytes], int]:
        """A key is in one partition here, and Faust's table does not say in which."""
        found: dict[tuple[int, bytes], int] = {}
        for worker in self.there.values():
            found |= {(0, key.encode()): number for key, (number, _) in self._dump(worker).items()}
        return found

    def _dump(self, worker: FaustWorker) -> dict[str, list[int]]:
        file = self.folder / f"{worker.label}.json"
        worker.tell(dump=str(file))
        wait_for(lambda: str(file) in worker.dumped, lambda: f"{worker.label} does not answer")
        rows: dict[str, list[int]] = json.loads(file.read_text(encoding="utf-8"))
        return rows
