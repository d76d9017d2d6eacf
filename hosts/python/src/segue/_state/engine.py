# SPDX-License-Identifier: Apache-2.0
"""Which partitions are replayed, started and stopped, and when a rejoin is worth it. Knows no client and no clock.

A partition here is a task: the changelog's partition of that number, and that of every input topic. Its way:

                  assigned as a copy                       assigned to be owned
    nothing  ─────────────────────────▶  copy (learner,  ──────────────────────▶  opening  ──▶  serving
    dormant                              standby)          fence: the changelog's end,    start
       ▲                                    ▲              asked for after the assignment        │
       └────────────────────────────────────┴───────────────────── stop ◀────────────────────────┘

The client's thread tells it assignments; a thread that replays changelogs asks `wanted` and `questions` and tells
what it read. Both may do so at any time. `Store` is called without the lock held, for one partition by one thread
at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from segue._clients.copies import Answer, Copies
from segue._state.copy import Copy, Questions
from segue._state.log import log
from segue._state.sizes import sizes_of
from segue._state.store import Record, Store
from segue._state.trigger import Trigger

# Records. What is read after the hand-over is part of the gap, so learners that are ready go on until they are this
# near.
NEAR = 500


class Engine:
    """The states of a member's partitions.

    version: changes with what has to be read, or from where; the replaying thread then takes `wanted` anew. news: is
    set with it, for a thread that has nothing to do; whoever waits clears it. whole: the same for the client's thread,
    when a partition can be started. quiet: a rebalance is under way, for which the whole group waits, and for the
    slowest member.
    """

    def __init__(self, store: Store, *, acceptable_lag: int, batch_s: float) -> None:
        self.store = store
        self.version = 0
        self.news = threading.Event()
        self.whole = threading.Event()
        self.quiet = False
        self._acceptable = acceptable_lag
        self._trigger = Trigger(batch_s)
        self._epoch = 0
        self._answer = Answer()
        self._serving: set[int] = set()
        self._reading: dict[int, Copy] = {}
        self._changed = threading.Condition()
        self._copies = {partition: Copy(store.position(partition)) for partition in store.partitions()}

    # ---- what the client tells

    def assigned(self, answer: Answer) -> None:
        """Takes over a new assignment: stops what is owned by others now; what stays goes on untouched."""
        with self._changed:
            gone = {p: self._copies[p] for p in sorted(self._serving - answer.active)}
            for copy in gone.values():
                copy.busy = True
            self._serving -= gone.keys()
            left = self._take(answer)
        for partition, copy in gone.items():
            self._tell_store("stop", partition)
            self._release(copy)
        for partition, copy in left.items():
            self._hold(copy)
            self._tell_store("drop", partition)

    def lost(self) -> None:
        """The group has given the partitions away without a hand-over: what was not flushed is forgotten."""
        for partition in sorted(self._serving):
            self.abandon(partition)
        self.assigned(Answer(standby=self._answer.standby, learner=self._answer.learner))

    def abandon(self, partition: int) -> None:
        """The application gave up in the middle of a record: what it wrote since the last flush is forgotten here,
        and is read again from the changelog.
        """
        with self._changed:
            copy = self._copies[partition]
            copy.busy = True
            self._serving.discard(partition)
        self._tell_store("abandon", partition)
        self._replace(partition, copy, self._place(partition))

    def start(self) -> list[int]:
        """Starts the partitions whose state is whole now, and says which they are. Raises what the store raises where
        it can start none.
        """
        with self._changed:
            whole = [partition for partition in sorted(self._opening()) if self._whole(self._copies[partition])]
            if whole:
                self._tell()
            self._serving.update(whole)
        started, fault = [], None
        for partition in whole:
            try:
                self.store.start(partition)
                started.append(partition)
            except Exception as raised:
                self._serving.discard(partition)
                fault = raised
        if fault and not started:
            raise fault
        return started

    def flushed(self, partition: int, position: int, applied: Mapping[str, int]) -> None:
        """All that the owner logged is in the changelog, which ends at `position`."""
        self.store.flush(partition, position, applied)
        copy = self._copies[partition]
        copy.position = copy.end = position

    def claim(self) -> Copies:
        """What this member says when it joins. From now on the leader knows of those that are ready."""
        sizes = sizes_of(self.store, self.serving)
        with self._changed:
            self._trigger.said = self.ready
            lags = {
                partition: self._said(copy)
                for partition, copy in sorted(self._copies.items())
                if partition not in self._serving
            }
            return Copies.of(self._answer, self.store.process_id, lags, sizes)

    def rejoin_due(self, now: float) -> bool:
        """Whether the leader should hear of learners that are ready. `now` is in seconds, by any clock."""
        with self._changed:
            return self._trigger.due(self.ready, self._within(min(NEAR, self._acceptable)), self._answer.learner, now)

    # ---- what the replaying thread asks and tells

    def wanted(self) -> dict[int, int]:
        """The partitions of the changelog to read, each from where. Copies wait while a partition is down."""
        with self._changed:
            replayed = self._replayed()
            first = sorted((replayed & self._opening()) or replayed)
            self._reading = {partition: self._copies[partition] for partition in first}
            return {partition: copy.position for partition, copy in self._reading.items()}

    def questions(self) -> Questions:
        """What has to be asked before it can go on. A fence is asked for after the assignment that opens: the
        former owner has flushed by then.
        """
        with self._changed:
            opening = self._opening()
            return Questions(
                self._epoch,
                frozenset(p for p, copy in self._copies.items() if p not in self._serving and copy.end is None)
                | frozenset(p for p in opening if self._copies[p].fence is None),
                frozenset(p for p, copy in self._copies.items() if p not in self._serving and not copy.checked),
            )

    def answered(self, asked: Questions, ends: Mapping[int, int], beginnings: Mapping[int, int]) -> None:
        """The answers. A copy that the changelog has not got, or has got no more, is of no use and is dropped."""
        with self._changed:
            if asked.epoch != self._epoch:
                return
            opening = self._opening()
            useless = [p for p in sorted(asked.ends) if not self._fits(p, ends[p], beginnings.get(p, 0))]
            for partition in asked.ends.difference(useless):
                copy = self._copies[partition]
                copy.end = max(ends[partition], copy.position)
                copy.fence = ends[partition] if partition in opening else None
                self._tell_whole(copy)
            for partition in asked.beginnings:
                self._copies[partition].checked = True
            if useless:
                self._tell()
        for partition in useless:
            self.renew(partition)

    def restore(self, partition: int, records: Sequence[Record]) -> None:
        """Puts records of the changelog into the store. Those that are not wanted any more are passed over, and so are
        those that were read for a copy that is not there any more.
        """
        with self._changed:
            self._changed.wait_for(lambda: (one := self._copies.get(partition)) is None or not one.busy)
            copy = self._read(partition)
            if copy is None or records[0].offset < copy.position:
                return
            copy.busy = True
        try:
            self.store.restore(partition, records)
        except Exception as fault:
            log.exception("partition %d: the store failed to restore from offset %d", partition, records[0].offset)
            with self._changed:
                copy.fault = fault
                self._tell()
        else:
            copy.position = records[-1].offset + 1
        self._release(copy)
        self._tell_whole(copy)

    def progress(self, partition: int, position: int, end: int | None) -> None:
        """Where the client stands after a poll, and where the changelog ended then. What holds no data is passed
        over so.
        """
        with self._changed:
            if copy := self._read(partition):
                copy.position = max(copy.position, position)
                copy.end = copy.end if end is None else max(end, copy.end or 0)
                self._tell_whole(copy)

    def renew(self, partition: int) -> None:
        """Throws a copy away and starts from nothing."""
        log.warning("partition %d: the copy here is of no use and is dropped; it is restored from the start", partition)
        copy = self._copies[partition]
        self._hold(copy)
        self._tell_store("drop", partition)
        self._replace(partition, copy, 0)

    # ---- what anybody may ask

    @property
    def serving(self) -> frozenset[int]:
        """Owned, and started."""
        return frozenset(self._serving)

    @property
    def opening(self) -> frozenset[int]:
        """Owned, and not started yet."""
        return frozenset(self._opening())

    @property
    def stands_back(self) -> bool:
        """Whether nobody should replay now: there is much to replay, and a rebalance is under way."""
        return self.quiet and any(copy.lag is None or copy.lag > NEAR for copy in self._reading.values())

    @property
    def answer(self) -> Answer:
        """What the leader said last."""
        return self._answer

    @property
    def ready(self) -> frozenset[int]:
        """Learners that are near enough to the end."""
        return self._within(self._acceptable)

    @property
    def acceptable_lag(self) -> int:
        """How far a copy that is ready may be behind, in records."""
        return self._acceptable

    def lags(self) -> dict[int, int | None]:
        """Records still to read of each copy, and of what is opening; None where that is not known yet."""
        with self._changed:
            return {p: self._copies[p].lag for p in sorted(self._replayed())}

    def owns(self, partition: int) -> bool:
        """Whether it is served here."""
        return partition in self._serving

    def position(self, partition: int) -> int:
        """Next offset of the changelog, as far as this member has read or flushed it."""
        return self._copies[partition].position

    def fault(self) -> tuple[int, BaseException] | None:
        """A partition that cannot start because the store failed, once: after that it is restored anew."""
        with self._changed:
            found = next(((p, f) for p in sorted(self._opening()) if (f := self._copies[p].fault)), None)
        if found is not None:
            self.renew(found[0])
        return found

    # ---- inside; with the lock held, but for those that call the store

    def _tell(self) -> None:
        self.version += 1
        self.news.set()

    def _tell_whole(self, copy: Copy) -> None:
        if self._whole(copy):
            self.whole.set()

    def _within(self, lag: int) -> frozenset[int]:
        """The learners that are known to be this near to the end."""
        copies = {p: self._copies[p] for p in self._answer.learner if p in self._copies}
        return frozenset(
            p for p, copy in copies.items() if copy.fault is None and copy.lag is not None and copy.lag <= lag
        )

    def _opening(self) -> frozenset[int]:
        return self._answer.active - self._serving

    def _replayed(self) -> frozenset[int]:
        """Those that are to be read; a copy whose store failed is left alone until the next assignment."""
        roles = (self._answer.active | self._answer.standby | self._answer.learner) - self._serving
        return frozenset(p for p in roles if self._copies[p].fault is None)

    @staticmethod
    def _whole(copy: Copy) -> bool:
        return copy.fence is not None and copy.position >= copy.fence and not copy.busy and copy.fault is None

    def _said(self, copy: Copy) -> int | None:
        """A lag as the leader hears of it: coarse, so that it says the same for as long as nothing of interest
        changes.
        """
        if copy.lag is None or copy.fault is not None:
            return None
        return 0 if copy.lag <= self._acceptable else 1 << (copy.lag - 1).bit_length()

    def _fits(self, partition: int, end: int, beginning: int) -> bool:
        return beginning <= self._copies[partition].position <= end or self._copies[partition].position == 0

    def _place(self, partition: int) -> int:
        """Where the store says that its copy is. One that cannot say has none."""
        try:
            return self.store.position(partition)
        except Exception:
            log.exception("partition %d: the store failed in position(); its copy is dropped", partition)
            self._tell_store("drop", partition)
            return 0

    def _read(self, partition: int) -> Copy | None:
        """The copy that the replaying thread reads for, unless it has become another meanwhile, or needs nothing."""
        copy = self._copies.get(partition)
        return copy if copy is self._reading.get(partition) and partition in self._replayed() else None

    def _take(self, answer: Answer) -> dict[int, Copy]:
        """Makes room for what is assigned; gives the copies that are not wanted, unless the store keeps those."""
        self._epoch += 1
        self._answer = answer
        kept = answer.active | answer.standby | answer.learner
        for partition in sorted(kept - self._copies.keys()):
            self._copies[partition] = Copy(self._place(partition))
        for partition, copy in self._copies.items():
            if copy.fault is not None:
                self._copies[partition] = Copy(copy.position)
            elif partition not in self._serving:
                copy.fence = None
                copy.end = copy.end if partition in kept else None
        self._tell()
        left = () if self.store.persistent else sorted(self._copies.keys() - kept)
        return {partition: self._copies.pop(partition) for partition in left}

    def _replace(self, partition: int, copy: Copy, position: int) -> None:
        """The copy is another from now on: what was read for the old one does not count."""
        with self._changed:
            self._copies[partition] = Copy(position)
            self._tell()
        self._release(copy)

    def _hold(self, copy: Copy) -> None:
        """Nobody else calls the store for it until it is released."""
        with self._changed:
            self._changed.wait_for(lambda: not copy.busy)
            copy.busy = True

    def _release(self, copy: Copy) -> None:
        with self._changed:
            copy.busy = False
            self._changed.notify_all()

    def _tell_store(self, method: str, partition: int) -> None:
        """What the store cannot prevent: its failure changes nothing for anybody else."""
        try:
            getattr(self.store, method)(partition)
        except Exception:
            log.exception("partition %d: the store failed in %s()", partition, method)
