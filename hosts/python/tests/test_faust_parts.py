# SPDX-License-Identifier: Apache-2.0
"""The parts of `segue.faust`, each by itself."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("faust", reason="faust-streaming is not there for this Python")

from faust.tables.recovery import Recovery
from faust.transport.producer import ProducerBuffer
from faust.types import TP
from hypothesis import given
from hypothesis import strategies as st
from mode.utils.queues import FlowControlEvent, FlowControlQueue

from segue._drain.membership import Voice
from segue._faust.copies import Copies
from segue._faust.fetches import Fetches, take_in_order
from segue._faust.flow import keep_changelogs
from segue._faust.flush import flush
from segue._faust.settings import settings, variable
from segue._faust.topics import Tables, copartitioned, topic_groups
from segue._faust.trigger import AGAIN_S, Trigger
from segue._faust.wire import Copy, Said, extend, read
from segue._group import Leaving

CHANGELOG = "app-counts-changelog"
PLACES = st.frozensets(st.tuples(st.text(max_size=5), st.integers(0, 2**31 - 1)), max_size=4)
OFFSETS = st.none() | st.integers(0, 2**53)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(
    st.builds(
        Said,
        round=st.integers(0, 2**53),
        learner=PLACES,
        ready=PLACES,
        copies=st.dictionaries(st.tuples(st.text(max_size=5), st.integers(0, 999)), st.builds(Copy, OFFSETS, OFFSETS)),
        voice=st.builds(
            Voice,
            st.none() | st.uuids().map(str),
            st.none() | st.builds(Leaving, since_ms=st.integers(0, 2**53), deadline_ms=OFFSETS),
            st.integers(0, 2**31 - 1),
        ),
        owned=st.none() | st.integers(0, 99),
    )
)
def test_what_is_said_is_read(said: Said) -> None:
    """And what Faust says stays as it is."""
    whole = extend(b'{"url":"x"}', said)
    assert read(whole) == said
    assert json.loads(whole)["url"] == "x"


@given(
    st.dictionaries(
        st.sampled_from(["round", "learner", "ready", "copies", "leaving", "instance", "asked", "owned"]), JSON
    )
)
def test_garbage_counts_as_not_said(part: dict[str, Any]) -> None:
    """A worker of another make ends nobody."""
    assert read(json.dumps({"segue": {"v": 1, **part}}).encode()) is not None
    assert read(json.dumps({"segue": part}).encode()) is None
    assert read(json.dumps(part.get("copies")).encode()) is None


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def places(*numbers: int) -> frozenset[tuple[str, int]]:
    return frozenset((CHANGELOG, number) for number in numbers)


def test_readiness_is_gathered_and_then_asked_for_once() -> None:
    """Each rebalance stops every worker."""
    clock = Clock()
    trigger = Trigger(0.5, clock)
    assert not trigger.wants(places(1))
    clock.now = 0.4
    assert not trigger.wants(places(1, 2))
    clock.now = 0.5
    assert trigger.wants(places(1, 2))
    assert not trigger.wants(places(1, 2))
    trigger.said(places(1, 2))
    clock.now = 60
    assert not trigger.wants(places(1, 2))
    assert not trigger.wants(places(1))


def test_a_request_that_was_lost_is_made_again() -> None:
    """One that comes while a join is in flight is: nothing was said since."""
    clock = Clock()
    trigger = Trigger(0, clock)
    assert trigger.wants(places(1))
    clock.now = AGAIN_S - 0.1
    assert not trigger.wants(places(1))
    clock.now = AGAIN_S
    assert trigger.wants(places(1))


def test_topics_with_as_many_partitions_and_the_same_subscribers_are_one_task_each() -> None:
    """The changelog says who has it, and Faust's numbers go by the count alone."""
    counts = {"in": 4, "log": 4, "other": 4, "single": 1, "gone": 0}
    both, one = {"in", "log", "single", "gone"}, {"other", "single"}
    tables = Tables(on_disk=frozenset({"log"}))
    sets = copartitioned(counts, {"A": both, "B": both | one}, tables)
    assert [(s.names, s.partitions, s.subscribers, s.stateful, s.claimed) for s in sets] == [
        (("single",), 1, ("A", "B"), False, "single"),
        (("in", "log"), 4, ("A", "B"), True, "log"),
        (("other",), 4, ("B",), False, "other"),
    ]
    assert topic_groups(sets) == {"single": 0, "in": 1, "log": 1, "other": 1}
    (_, kept, _) = copartitioned(counts, {"A": both, "B": both | one}, tables, [("in", 0)])
    assert kept.claimed == "in"


def test_a_task_with_a_table_in_memory_is_not_learnt() -> None:
    """Who takes over would read that changelog from its start all the same."""
    tables = Tables(on_disk=frozenset({"log"}), in_memory=frozenset({"memory"}))
    (one,) = copartitioned({"in": 4, "log": 4, "memory": 4}, {"A": ["in", "log", "memory"]}, tables)
    assert not one.stateful


def test_options_have_names_in_the_environment() -> None:
    """Kafka's with SEGUE_ in front."""
    assert variable("acceptable.recovery.lag") == "SEGUE_ACCEPTABLE_RECOVERY_LAG"
    assert variable("segue.ready.batch.ms") == "SEGUE_READY_BATCH_MS"
    made = settings({"segue.fetch.max.wait.ms": 5}, 1, {"SEGUE_READY_BATCH_MS": "7"})
    assert made.own["segue.fetch.max.wait.ms"] == 5
    assert made.own["segue.ready.batch.ms"] == 7
    assert made.group == {"num.standby.replicas": 1, "segue.ready.batch.ms": "7"}


class FakeApp:
    """An application with one table on RocksDB whose recovery is Faust's own, without a consumer."""

    def __init__(self, folder: Path, live_end: int = 0) -> None:
        self.conf = SimpleNamespace(store="rocksdb://", stream_recovery_delay=0)
        self.rebalancing = self.in_transaction = self.in_recovery = False
        store = SimpleNamespace(partition_path=lambda number: folder / f"counts-{number}.db")
        self.persisted = {0: 9}
        table = SimpleNamespace(
            is_global=False, _store=None, _data=store, persisted_offset=lambda tp: self.persisted.get(tp.partition)
        )
        self.tables = SimpleNamespace(_changelogs={CHANGELOG: table})
        self.recovery: Any = Recovery.__new__(Recovery)
        self.recovery.__dict__.update(
            active_tps=set(), standby_tps=set(), in_recovery=False, tp_to_table={self.at(n): table for n in range(4)},
            active_offsets=Counter(), active_highwaters=Counter(),
            standby_offsets=Counter(), standby_highwaters=Counter(),
        )  # fmt: skip
        self.tables.recovery = self.recovery
        self.consumer = SimpleNamespace(highwater=lambda tp: live_end)
        self.assignor = SimpleNamespace(
            assigned_actives=lambda: self.recovery.active_tps, assigned_standbys=lambda: self.recovery.standby_tps
        )

    @staticmethod
    def at(number: int) -> TP:
        return TP(CHANGELOG, number)

    def stand(self, number: int, offset: int | None, last: int) -> None:
        """Offsets as Faust counts them: of the last record read, and of the last one that was there."""
        self.recovery.standby_tps.add(self.at(number))
        self.recovery.standby_offsets[self.at(number)] = offset
        self.recovery.standby_highwaters[self.at(number)] = last


@pytest.mark.parametrize(
    ("offset", "last", "live", "ready"),
    [(9, 9, 10, True), (12, 9, 13, True), (8, 9, 10, False), (9, 9, 60, True), (9, 9, 61, False), (-1, -1, 0, True)],
)
def test_a_copy_is_ready_when_it_has_read_what_there_was_and_is_near(
    tmp_path: Path, offset: int, last: int, live: int, ready: bool
) -> None:
    """Beyond the end as it was at the start Faust's own difference is negative; an empty changelog is read at once."""
    app = FakeApp(tmp_path, live)
    app.stand(1, offset, last)
    assert Copies(app, 50).look().ready == (places(1) if ready else frozenset())


def test_a_standby_that_has_not_begun_is_not_ready(tmp_path: Path) -> None:
    """Faust has no offset of it yet."""
    app = FakeApp(tmp_path)
    app.stand(1, None, 9)
    assert Copies(app, 50).look().ready == frozenset()


def test_a_copy_that_is_given_up_stays_where_it_was(tmp_path: Path) -> None:
    """It is dormant then: nobody reads, so that its end is not known."""
    app = FakeApp(tmp_path)
    copies = Copies(app, 50)
    app.recovery.active_tps.add(app.at(0))
    assert copies.look().copies == {(CHANGELOG, 0): Copy(10, 10)}
    app.recovery.active_tps.clear()
    assert copies.look().copies == {(CHANGELOG, 0): Copy(10, None)}


def test_directories_are_dormant_copies(tmp_path: Path) -> None:
    """Before the first assignment they are all there is; no database is opened for it."""
    for name in ("counts-2.db", "counts-x.db", "other-1.db"):
        (tmp_path / name).mkdir()
    assert Copies(FakeApp(tmp_path), 50).on_disk().copies == {(CHANGELOG, 2): Copy()}


def test_an_owner_that_is_being_restored_says_how_far_it_is(tmp_path: Path) -> None:
    """A caught-up copy elsewhere would end the outage."""
    app = FakeApp(tmp_path)
    app.rebalancing = app.recovery.in_recovery = True
    app.recovery.active_tps.add(app.at(0))
    app.recovery.active_offsets[app.at(0)] = 4
    app.recovery.active_highwaters[app.at(0)] = 9
    assert Copies(app, 50).look().copies == {(CHANGELOG, 0): Copy(5, 10)}


class SlowProducer:
    """Faust's own buffer, whose records take their time."""

    def __init__(self, count: int) -> None:
        buffer: Any = ProducerBuffer.__new__(ProducerBuffer)
        buffer.pending = asyncio.Queue()
        buffer.message_sent = asyncio.Event()
        buffer.app = SimpleNamespace(conf=SimpleNamespace(producer_threaded=False))
        self.buffer = buffer
        self.sent = 0
        for number in range(count):
            self.buffer.pending.put_nowait(number)

    async def send(self) -> None:
        """The first one takes longer than Faust is ready to wait."""
        await asyncio.sleep(0.2)
        while not self.buffer.pending.empty():
            self.buffer.pending.get_nowait()
            self.sent += 1

    async def flush(self) -> None:
        pass


def test_changelogs_are_whole_before_an_owner_lets_go() -> None:
    """Faust's own flush gives up on a busy machine."""

    async def run() -> int:
        producer = SlowProducer(3)
        app = SimpleNamespace(_producer=producer, conf=SimpleNamespace(broker_session_timeout=60.0))
        sending = asyncio.create_task(producer.send())
        await flush(app)
        await sending
        return producer.sent

    assert asyncio.run(run()) == 3


def test_an_owner_lets_go_at_last(caplog: pytest.LogCaptureFixture) -> None:
    """A broker that takes nothing any more must not hold up the whole fleet."""

    async def run() -> None:
        app = SimpleNamespace(_producer=SlowProducer(3), conf=SimpleNamespace(broker_session_timeout=0.1))
        await flush(app)

    asyncio.run(run())
    assert "3 records have not reached the changelogs" in caplog.text


def fetching(wait: int = 1500, size: int = 1_048_576, **fetcher: Any) -> Any:
    """An application whose consumer's fetcher has these."""
    fetcher = fetcher or {"_fetch_max_wait_ms": wait, "_max_partition_fetch_bytes": size}
    thread = SimpleNamespace(_consumer=SimpleNamespace(_fetcher=SimpleNamespace(**fetcher)))
    return SimpleNamespace(_consumer=SimpleNamespace(_thread=thread), fetcher=thread._consumer._fetcher)


def test_fetches_wait_less_and_take_less_beside_the_workers_own_records() -> None:
    """And as much as Faust says otherwise."""
    app = fetching()
    fetches = Fetches(app, 100, 32_768)
    fetches.begin()
    assert app.fetcher._fetch_max_wait_ms == 100
    fetches.learning(True)
    assert app.fetcher._max_partition_fetch_bytes == 32_768
    fetches.learning(False)
    assert app.fetcher._max_partition_fetch_bytes == 1_048_576


def test_fetches_stay_as_they_are_where_they_are_not_known_or_not_wished_for() -> None:
    """0 leaves Faust's own; an aiokafka of another make is not touched."""
    for app, limit in ((fetching(), 0), (fetching(other=1), 100)):
        before = dict(vars(app.fetcher))
        fetches = Fetches(app, limit, limit)
        fetches.begin()
        fetches.learning(True)
        assert vars(app.fetcher) == before


class Consumer:
    """What the way to the next records asks of Faust's consumer. It gets what it asks for."""

    flow_active = True
    should_stop = False

    def __init__(self, *active: TP) -> None:
        self._active_partitions = set(active)
        self._wait_next_records: Any = None

    def _get_active_partitions(self) -> set[TP]:
        return self._active_partitions

    async def _getmany(self, places: Any, timeout: float) -> set[TP]:
        """What aiokafka has, and looks for in `places`."""
        return {place for place in (LOG, STREAM) if place in places}


LOG, STREAM = TP(CHANGELOG, 0), TP("orders", 0)


def asked(consumer: Consumer, *, rebalancing: bool, change: Callable[[Any], None] = lambda _: None) -> Any:
    """What is fetched next. `change` happens to the application a moment later."""

    async def run() -> Any:
        app = SimpleNamespace(rebalancing=rebalancing, tables=SimpleNamespace(_changelogs={CHANGELOG: None}))
        take_in_order(app, consumer)
        asyncio.get_running_loop().call_later(0.03, change, app)
        return (await consumer._wait_next_records(1.0))[0]

    return asyncio.run(run())


def test_nothing_of_a_stream_comes_in_before_a_rebalance_has_ended() -> None:
    """Faust goes back to committed offsets at the end of it."""
    assert asked(Consumer(LOG, STREAM), rebalancing=True) == {LOG}
    assert asked(Consumer(LOG, STREAM), rebalancing=False) == {LOG, STREAM}
    ends = asked(Consumer(STREAM), rebalancing=True, change=lambda app: setattr(app, "rebalancing", False))
    assert ends == {STREAM}


def test_the_next_records_are_asked_for_as_soon_as_something_is_resumed() -> None:
    """Faust would look again after a second."""
    consumer = Consumer()
    assert asked(consumer, rebalancing=False, change=lambda _: consumer._active_partitions.add(LOG)) == {LOG}


def flowing() -> Any:
    """An application with two queues of Faust's own: the changelogs' and a stream's."""
    flow = FlowControlEvent()
    queues: list[Any] = [FlowControlQueue(flow_control=flow, clear_on_resume=True) for _ in range(2)]
    app = SimpleNamespace(flow_control=flow, tables=SimpleNamespace(changelog_queue=queues[0]), stream=queues[1])
    keep_changelogs(app)
    return app


def fill(app: Any) -> None:
    for queue in (app.tables.changelog_queue, app.stream):
        queue.force_put_nowait(1)


def test_what_standbys_have_read_is_not_dropped_by_a_second_resume() -> None:
    """They would go on behind it; a stream reads again."""

    async def run() -> list[int]:
        app = flowing()
        app.flow_control.resume()
        fill(app)
        app.flow_control.resume()
        return [app.tables.changelog_queue.qsize(), app.stream.qsize()]

    assert asyncio.run(run()) == [1, 0]


def test_what_was_read_before_a_rebalance_is_dropped() -> None:
    """Everything is read again from where it stood."""

    async def run() -> list[int]:
        app = flowing()
        fill(app)
        app.flow_control.resume()
        return [app.tables.changelog_queue.qsize(), app.stream.qsize()]

    assert asyncio.run(run()) == [0, 0]
