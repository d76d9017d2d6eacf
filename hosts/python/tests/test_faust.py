# SPDX-License-Identifier: Apache-2.0
"""Faust's own workers and ours in one group, over the bytes that they exchange."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
import zlib
from typing import Any

import pytest

pytest.importorskip("faust", reason="faust-streaming is not there for this Python")

from aiokafka.coordinator.protocol import ConsumerProtocol, ConsumerProtocolMemberMetadata
from clients import Topics
from faust.assignor.client_assignment import ClientMetadata
from faust_fleet import CHANGELOG, GLOBAL, INPUT, TOPICS, FaustFleet, Worker
from frames import frames_of

import segue
from segue._drain.membership import Voice
from segue._faust.wire import Copy

DRAINING = segue.faust.PartitionAssignor.configured("scale-down")
KINDS = ("stock", "segue.faust:PartitionAssignor")


@pytest.fixture
def two() -> FaustFleet:
    """Two workers with four tasks each."""
    fleet = FaustFleet()
    fleet.add("A")
    fleet.add("B")
    fleet.rebalance()
    assert sorted(map(len, fleet.hold())) == [4, 4]
    return fleet


def document(data: bytes) -> Any:
    """Faust's document in what a worker joins with."""
    return json.loads(ConsumerProtocol.METADATA.decode(data).user_data)


def test_a_worker_joins_with_what_fausts_own_would_say_and_one_key_more() -> None:
    """Whoever leads reads both."""
    own, ours = Worker("A", "stock"), Worker("A")
    said = document(ours.join([INPUT, CHANGELOG]))
    assert said.pop("segue")["v"] == 1
    assert said == document(own.join([INPUT, CHANGELOG]))
    assert own.assignor.name == ours.assignor.name
    assert own.assignor.version == ours.assignor.version


def test_fausts_own_reads_past_our_key() -> None:
    """Its document of a worker of ours is the one of its own."""
    worker = Worker("A")
    data = ConsumerProtocol.METADATA.decode(worker.join([INPUT, CHANGELOG])).user_data
    assert ClientMetadata.loads(data).dumps() == worker.assignor._metadata.dumps()


def test_a_worker_that_says_nothing_new_says_the_same_bytes(two: FaustFleet) -> None:
    """The broker starts a rebalance for other bytes."""
    assert two.joined() == two.joined()
    before = two.joined()
    two.rebalance()
    assert two.joined() == before


@pytest.mark.parametrize("leader", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_either_side_leads_the_other(leader: str, other: str) -> None:
    """Every partition is held once, with its changelog beside it, and Faust's own checks pass on both sides."""
    fleet = FaustFleet()
    fleet.add("A", leader)
    fleet.add("B", other)
    held = fleet.rebalance("A")
    fleet.rebalance("A")
    assert sorted(map(len, fleet.hold())) == [4, 4]
    for id, worker in fleet.workers.items():
        assert worker.active() == worker.active(CHANGELOG)
        assert {(INPUT, number) for number in worker.active()} <= held[id]


def test_a_fleet_is_rolled_over_worker_by_worker() -> None:
    """Nobody loses a task while a worker of the other kind takes its place under the same id, whoever leads."""
    for old, new in (KINDS, KINDS[::-1]):
        fleet = FaustFleet()
        for id in "ABC":
            fleet.add(id, old)
        fleet.rebalance()
        for id in "ABC":
            fleet.workers.pop(id)
            fleet.rebalance()
            fleet.add(id, new)
            fleet.rebalance(id)
            fleet.rebalance()
            assert set().union(*fleet.hold()) == set(range(8))
            assert sum(map(len, fleet.hold())) == 8


def test_a_new_worker_learns_beside_the_owners(two: FaustFleet) -> None:
    """The owners go on, and the learners are standbys to Faust."""
    before = two.hold()
    new = two.add("C")
    held = two.rebalance()
    assert two.hold()[:2] == before
    assert new.active() == set()
    assert new.learns() == new.standby()
    assert len(new.learns()) == 2
    assert held["C"] == {(CHANGELOG, number) for number in new.learns()}


def test_what_is_ready_is_handed_over_and_nothing_else(two: FaustFleet) -> None:
    """One learner is ready, the other one is not."""
    new = two.add("C")
    two.rebalance()
    first, second = sorted(new.learns())
    new.sees([first], {first: Copy(40, 43), second: Copy(5, 43)})
    two.rebalance()
    assert new.active() == {first}
    assert new.learns() == {second}


def test_a_learner_that_is_near_but_has_not_read_what_there_was_is_not_ready(two: FaustFleet) -> None:
    """A few records behind are less than the acceptable lag, but it is the worker that says ready."""
    new = two.add("C")
    two.rebalance()
    new.sees([], {number: Copy(0, 43) for number in new.learns()})
    two.rebalance()
    assert new.active() == set()


def test_a_worker_of_fausts_own_takes_over_what_it_had_its_time_to_learn() -> None:
    """It does not say how far it is, and must not go without tasks for ever."""
    fleet = FaustFleet()
    leader = fleet.add("A", segue.faust.PartitionAssignor.configured(probing_rebalance_interval_ms=60_000)).assignor
    fleet.rebalance()
    new = fleet.add("B", "stock")
    fleet.rebalance()
    fleet.rebalance()
    assert new.standby() == {4, 5, 6, 7}
    assert new.active() == set()
    leader._probation._since = dict.fromkeys(leader._probation._since, -60.0)
    fleet.rebalance()
    assert new.active() == {4, 5, 6, 7}
    assert leader._probation.ends_at() is None


def test_the_nearest_copy_takes_over_from_an_owner_that_is_gone() -> None:
    """A standby comes before nothing."""
    fleet = FaustFleet()
    for id in "ABC":
        fleet.add(id, standbys=1)
    fleet.rebalance()
    fleet.rebalance()
    lost = fleet.workers.pop("A").active()
    stood = {id: one.standby() for id, one in fleet.workers.items()}
    fleet.rebalance()
    for number in lost:
        (owner,) = (id for id, one in fleet.workers.items() if number in one.active())
        assert number in stood[owner]


def test_a_dormant_copy_is_learnt_before_nothing(two: FaustFleet) -> None:
    """Of two workers that could learn a task, the one that has it on its disk does."""
    lost = sorted(two.workers["B"].active())
    two.workers.pop("B")
    two.rebalance()
    again = two.add("B")
    again.sees([], {number: Copy() for number in lost})
    two.rebalance()
    assert again.learns() == set(lost)


def test_standbys_are_as_many_as_fausts_setting_says() -> None:
    """And none beside its owner."""
    fleet = FaustFleet()
    for id in "ABC":
        fleet.add(id, standbys=2)
    fleet.rebalance()
    for worker in fleet.workers.values():
        assert worker.active() | worker.standby() == set(range(8))
        assert not worker.active() & worker.standby()


def test_state_in_memory_moves_cold_as_with_fausts_own(caplog: pytest.LogCaptureFixture) -> None:
    """A copy that a change of role throws away is not worth learning; the log says so."""
    fleet = FaustFleet()
    with caplog.at_level(logging.WARNING, "segue"):
        fleet.add("A", store="memory://")
    assert "its tasks move cold" in caplog.text
    fleet.rebalance()
    fleet.add("B", store="memory://")
    fleet.rebalance()
    assert sorted(map(len, fleet.hold())) == [4, 4]


def test_global_tables_are_whole_everywhere() -> None:
    """As with Faust's own: all partitions, whoever leads."""
    held = []
    for kind in KINDS:
        fleet = FaustFleet(Topics({**TOPICS, GLOBAL: 8}))
        for id in "AB":
            fleet.add(id, kind).app.GlobalTable("everywhere", partitions=8)
        fleet.rebalance()
        fleet.rebalance()
        held.append([(one.active(GLOBAL), len(one.active())) for one in fleet.workers.values()])
    assert held[0] == held[1] == [(set(range(8)), 4)] * 2


def test_topics_that_only_some_read_go_to_those() -> None:
    """A reply topic of its own, as Faust makes for each worker, stays with its worker."""
    fleet = FaustFleet(Topics({**TOPICS, "reply-A": 1, "reply-B": 1}))
    for id in "AB":
        fleet.add(id)
        fleet.subscribed[id] = {*TOPICS, f"reply-{id}"}
    fleet.rebalance()
    assert [one.active(f"reply-{id}") for id, one in fleet.workers.items()] == [{0}, {0}]


def test_the_leader_keeps_what_it_was_asked(two: FaustFleet) -> None:
    """A frame for each set of workers that read the same topics; members are known by their instance."""
    two.workers["B"].assignor.member._voice = Voice(id_of_b := str(uuid.uuid4()))
    two.rebalance()
    (frame,) = frames_of(b"".join(two.workers["A"].assignor.member.recorded))
    assert frame.members == {"A": "A", "B": id_of_b}
    assert {id: len(tasks) for id, tasks in frame.held.items()} == {"A": 4, "B": 4}
    assert two.workers["B"].assignor.member.recorded == ()
    two.topics = Topics({**TOPICS, "reply-A": 1})
    two.subscribed = {"A": {*TOPICS, "reply-A"}, "B": {*TOPICS}}
    two.rebalance()
    frames = frames_of(b"".join(two.workers["A"].assignor.member.recorded))
    assert sorted((list(one.members), len(one.tasks)) for one in frames) == [(["A"], 1), (["A", "B"], 8)]


def test_a_topic_that_is_not_there_yet_is_left_out() -> None:
    """Faust joins again when it is."""
    fleet = FaustFleet(Topics({INPUT: 8}))
    fleet.add("A")
    fleet.subscribed["A"] = {INPUT, CHANGELOG}
    assert fleet.rebalance()["A"] == {(INPUT, number) for number in range(8)}


def test_a_leaving_worker_is_left_empty() -> None:
    """Its tasks are learnt elsewhere, handed over, and it knows when it is empty."""
    fleet = FaustFleet()
    a, b = fleet.add("A", DRAINING), fleet.add("B", DRAINING)
    fleet.rebalance()
    b.leaves()
    fleet.rebalance()
    assert a.learns() == b.active()
    assert b.assignor.watch.seat.active() == 4
    a.sees(a.learns())
    fleet.rebalance()
    assert a.active() == set(range(8))
    assert b.assignor.watch.seat.active() == 0


def test_a_worker_whose_time_is_up_gives_its_tasks_away() -> None:
    """Learnt or not."""
    fleet = FaustFleet()
    a, b = fleet.add("A", DRAINING), fleet.add("B", DRAINING)
    fleet.rebalance()
    b.leaves(deadline_ms=1)
    fleet.rebalance()
    assert a.active() == set(range(8))
    assert b.assignor.watch.seat.active() == 0


def test_the_last_worker_keeps_its_tasks() -> None:
    """Nobody is there to take them; a drain of it ends at its deadline."""
    fleet = FaustFleet()
    a = fleet.add("A", DRAINING)
    fleet.rebalance()
    a.leaves()
    fleet.rebalance()
    assert a.active() == set(range(8))
    assert a.assignor.watch.seat.active() == 8


def test_workers_hear_when_nobody_stays() -> None:
    """One of Faust's own says nothing, and stays."""
    fleet = FaustFleet()
    a, b = fleet.add("A", DRAINING), fleet.add("B", DRAINING)
    a.leaves()
    b.leaves()
    fleet.rebalance()
    assert [one.assignor.member.rounds.nobody_stays for one in (a, b)] == [True, True]
    fleet.add("C", "stock")
    fleet.rebalance()
    assert [one.assignor.member.rounds.nobody_stays for one in (a, b)] == [False, False]


def test_of_two_claims_the_newer_is_true(two: FaustFleet) -> None:
    """A worker that comes back with what it held long ago gets nothing of it from those who hold it now."""
    old = two.joined()["B"]
    two.workers.pop("B")
    two.rebalance()
    two.add("B")
    two.rebalance(joined={"B": old})
    assert two.workers["A"].active() == set(range(8))


def test_a_fault_is_logged_and_the_owners_keep_their_tasks(
    two: FaustFleet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is raised: it would end the leader."""
    before = two.hold()
    new = two.add("C")
    leader = two.workers["A"].assignor
    monkeypatch.setattr(leader.planner.host, "assign_recorded", lambda *_, **__: 1 / 0)
    two.rebalance()
    assert two.hold() == [*before, set()]
    del two.workers["B"]
    two.rebalance()
    assert two.workers["A"].active() | new.active() == set(range(8))
    assert "the owners keep their tasks" in caplog.text


def test_a_worker_that_joins_with_garbage_counts_as_new(two: FaustFleet) -> None:
    """The others keep what they have."""
    before = two.hold()
    two.add("C")
    garbage = bytes(ConsumerProtocolMemberMetadata(4, list(TOPICS), b"\xff{").encode())
    answers = two.workers["A"].lead(two.topics, two.joined() | {"C": garbage})
    for id in "AB":
        two.workers[id].take(answers[id])
    assert two.hold()[:2] == before


def test_the_answer_is_what_fausts_own_reads(two: FaustFleet) -> None:
    """Compressed, with our part of it beside."""
    answer = two.workers["A"].lead(two.topics, two.joined())["B"]
    said = json.loads(zlib.decompress(ConsumerProtocol.ASSIGNMENT.decode(answer).user_data))
    assert said["segue"] == {"v": 1, "round": 1, "owned": 4}
    assert said["url"] == "http://b:6066"
    assert set(said["changelog_distribution"]) == {"http://a:6066", "http://b:6066"}
    assert said["topic_groups"] == {INPUT: 0, CHANGELOG: 0}


def test_the_key_store_finds_the_owner(two: FaustFleet) -> None:
    """Routed requests go by the distribution, and a learner serves none."""
    two.add("C")
    two.rebalance()
    hosts = {
        host: set(topics.get(CHANGELOG, ()))
        for host, topics in two.workers["B"].assignor.table_metadata(CHANGELOG).items()
    }
    assert hosts == {f"http://{id.lower()}:6066": one.active() for id, one in two.workers.items()}


def test_a_wrong_name_or_option_is_said_at_the_start() -> None:
    """Not at a rebalance."""
    with pytest.raises(segue.AssignorError, match="lerner"):
        Worker("A", segue.faust.PartitionAssignor.configured("lerner"))
    with pytest.raises(segue.ConfigError, match=r"segue\.max\.learners"):
        Worker("A", segue.faust.PartitionAssignor.configured(segue_max_learner=1))
    with pytest.raises(segue.ConfigError, match=r"segue\.ready\.batch\.ms"):
        Worker("A", segue.faust.PartitionAssignor.configured(segue_ready_batch_ms="soon"))
    with pytest.raises(segue.ConfigError, match=r"did you mean scale\.down\.timeout\.ms"):
        Worker("A", segue.faust.PartitionAssignor.configured(scale_down_timeout=1))


def test_the_environment_names_assignor_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the class does not."""
    monkeypatch.setenv("SEGUE_ASSIGNOR", "balanced")
    monkeypatch.setenv("SEGUE_MAX_LEARNERS", "1")
    monkeypatch.setenv("SEGUE_NUM_STANDBY_REPLICAS", "2")
    made = Worker("A", segue.faust.PartitionAssignor.configured(segue_max_learners=3)).assignor
    assert made.planner.assignor == "balanced"
    assert made.planner.config == {"num.standby.replicas": "2", "segue.max.learners": 3}


def test_a_handle_is_there_from_the_first_assignment_on() -> None:
    """Before, and with another assignor, it says what is missing."""
    with pytest.raises(segue.InputError, match="has not joined its group yet"):
        segue.faust.instance(Worker("A").app)
    with pytest.raises(segue.InputError, match=r"segue\.faust:PartitionAssignor"):
        asyncio.run(segue.faust.drain(Worker("A", "stock").app))


@pytest.mark.parametrize(("kind", "warned"), [("segue.faust:PartitionAssignor", True), (DRAINING, False)])
def test_sigterm_that_could_not_drain_is_warned_of_at_the_start(
    kind: Any, warned: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the worker starts, with what is configured."""
    app, tasks = FaustFleet().add("A", kind).app, list[Any]()
    monkeypatch.setattr(app, "task", tasks.append)
    segue.faust.drain_on_sigterm(app)
    asyncio.run(tasks[0]())
    assert ("SIGTERM will close this member at once" in caplog.text) is warned
