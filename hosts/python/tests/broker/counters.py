# SPDX-License-Identifier: Apache-2.0
"""A fleet of counting applications on one topic, and what becomes of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from broker import verdict
from broker.counting_process import CountingProcess
from broker.done import Done
from broker.process import PATIENCE_S, Result, wait_for
from broker.steady import Steady
from broker.topics import fill, make_topics, replay

# Of who is to be killed: the others soon notice. Nobody else may be taken for dead on a busy machine.
DYING = {"session_timeout_ms": 3_000}

FORGOTTEN = re.compile("ResourceWarning|was never awaited|never retrieved|destroyed but it is pending|Unclosed AIO")


class CountingFleet:
    """The instances of one application, and a producer that feeds them without a pause.

    flags: of their interpreters. As a rule they run with Python's checks of development, and what they forget to close
    or to await is a fault.
    """

    flags: tuple[str, ...] = ("-X", "dev")
    prints_logs = True

    def __init__(
        self, server: str, topic: str, folder: Path, *, partitions: int = 4, rate: int = 20, keys: int = 50
    ) -> None:
        self.server = server
        self.topic = topic
        self.folder = folder
        self.partitions = frozenset(range(partitions))
        self.there: list[CountingProcess] = []
        self.gone: list[CountingProcess] = []
        self.before: Counter[tuple[int, bytes]] = Counter()
        make_topics(server, topic, partitions)
        self.producer = Steady(server, topic, self.partitions, rate=rate, keys=keys)

    def __enter__(self) -> CountingFleet:
        self.producer.__enter__()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """What they logged is printed, for a test that fails."""
        self.producer.stop()
        statuses = [one.leave() for one in self.there]
        forgotten = [
            line for one in self.gone + self.there for line in one.said().splitlines() if FORGOTTEN.search(line)
        ]
        for one in self.gone + self.there:
            if self.prints_logs:
                print(one.label, one.process.args, one.said()[-6000:], sep="\n")
            one.log.close()
        assert not any(statuses)
        assert not forgotten, f"neither closed nor awaited: {forgotten[:5]}"

    # ---- what happens ----

    def fill(self, keys: int) -> None:
        """State that is there before the first member."""
        self.before += fill(self.server, self.topic, self.partitions, keys)

    def join(self, client: str, **options: Any) -> CountingProcess:
        return self._run(client, options, "counting.py")

    def join_and_leave(self, client: str, *, rounds: int, each: int) -> None:
        """So many times, so many fresh members at once."""
        options = {"rounds": rounds, "each": each, "beside": len(self.there)}
        one = self._run(client, options, "joining.py")
        status = self._take_out(one).end(rounds * PATIENCE_S)
        assert status == 0, one.said()[-4000:]

    def _run(self, client: str, options: dict[str, Any], script: str) -> CountingProcess:
        label = f"{client} {len(self.there) + len(self.gone) + 1}"
        one = CountingProcess(client, self.server, self.topic, label, options, script=script, flags=self.flags)
        self.there.append(one)
        return one

    def leave(self, one: CountingProcess) -> None:
        """As an application closes."""
        status = self._take_out(one).leave()
        assert status == 0, one.said()[-4000:]

    def kill(self, one: CountingProcess) -> None:
        self._take_out(one).kill()

    def drain(self, one: CountingProcess) -> None:
        """Waits until it has handed over all that it had, and has ended."""
        one.tell(drain=True)
        status = self.end(one)
        assert status == 0, one.said()[-4000:]

    def end(self, one: CountingProcess) -> int:
        """Waits until it has ended by itself; its exit status."""
        return self._take_out(one).end()

    def _take_out(self, one: CountingProcess) -> CountingProcess:
        self.there.remove(one)
        self.gone.append(one)
        return one

    # ---- what it waits for ----

    def wait(self, condition: Callable[[], Result | None]) -> Result:
        """What the condition gives once that is something, unless an instance ends meanwhile."""

        def met() -> Result | None:
            ended = [one.label for one in self.there if one.process.poll() is not None]
            assert not ended, f"ended by themselves: {ended}"
            return condition()

        return wait_for(met, lambda: f"held: {[sorted(one.holds) for one in self.there]}")

    def settle(self, *sizes: int) -> list[frozenset[int]]:
        """Waits until every partition is held once, so many by each; what they hold, in the order of joining."""
        return self.wait(lambda: self._settled(sizes))

    def _settled(self, sizes: tuple[int, ...]) -> list[frozenset[int]] | None:
        held = [one.holds for one in self.there]
        complete = frozenset().union(*held) == self.partitions and sum(map(len, held)) == len(self.partitions)
        return held if complete and sorted(map(len, held)) == sorted(sizes) else None

    def progress(self, records: int = 20) -> None:
        """Waits until so many more records of every partition have been counted."""
        before = Counter(one.partition for one in self.done())
        goal = Counter({number: before[number] + records for number in self.partitions})
        self.wait(lambda: Counter(one.partition for one in self.done()) >= goal)

    def done(self) -> list[Done]:
        """All that anybody has counted so far."""
        return [one for process in self.gone + self.there for one in process.done]

    # ---- how it ends ----

    def check_exact(self) -> None:
        """Nothing lost, nothing twice: the records, the owners' states and the changelog."""
        sent = self._finish()
        verdict.check_once(self.done(), sent)
        self._check_states()

    def check_states_exact(self) -> None:
        """The same after a crash: the dead member may have counted records that nobody else has heard of; the states
        count each once all the same.
        """
        sent = self._finish()
        verdict.check_all(self._seen(), sent)
        self._check_states()

    def _finish(self) -> set[tuple[int, int]]:
        """All that was sent, once somebody has seen it."""
        self.producer.stop()
        sent = self.producer.offsets()
        self.wait(lambda: sent <= self._seen())
        return sent

    def _seen(self) -> set[tuple[int, int]]:
        again = [one.again for one in self.gone + self.there]
        return {(one.partition, one.offset) for one in self.done()}.union(*again)

    def _check_states(self) -> None:
        right = self.before + self.producer.counts()
        verdict.check_state(self._states(), right, "state of the owners")
        for one in list(self.there):
            self.leave(one)
        verdict.check_state(self._changelog(), right, "changelog")

    def _states(self) -> dict[tuple[int, bytes], int]:
        """What the owners have, key by key."""
        found: dict[tuple[int, bytes], int] = {}
        for one in self.there:
            for number, state in self._dump(one).items():
                found.update({(int(number), key.encode()): int(value) for key, value in state.items()})
        return found

    def _dump(self, one: CountingProcess) -> dict[str, dict[str, str]]:
        file = self.folder / f"{one.label}-{len(one.dumped)}.json"
        one.tell(dump=str(file))
        wait_for(lambda: str(file) in one.dumped, lambda: f"{one.label} does not answer")
        states: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
        return states

    def _changelog(self) -> dict[tuple[int, bytes], int]:
        return {place: int(value) for place, value in replay(self.server, self.topic, self.partitions).items()}
