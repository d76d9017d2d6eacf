# SPDX-License-Identifier: Apache-2.0
"""The last rebalance, as `segue plan` asks the leader for it, whichever client leads."""

import itertools
import logging
from pathlib import Path

import pytest
from clients import CLIENTS, Aiokafka, Fleet, KafkaPython, Topics
from frames import Frame, frames_of
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription
from simulated import SimulatedGroup

from drain.fakes import Brokers, wait_for
from drain.test_attendant import Looked
from segue import Led
from segue._clients.user_data import encode
from segue._drain.bulletin import Bulletin
from segue._drain.membership import Membership
from segue._drain.presence import address
from segue._drain.settings import Settings
from segue._drain.side_groups import SideGroups

Kind = type[KafkaPython] | type[Aiokafka]

anyone = pytest.mark.parametrize(
    ("leader", "follower"), list(itertools.product(CLIENTS, CLIENTS)), ids=lambda kind: kind.__name__
)


def member(group: Fleet, id: str) -> Membership:
    return group.members[id].assignor._assignor.member


def three(leader: Kind, follower: Kind, **topics: int) -> Fleet:
    """Attached, so that all have an id."""
    group = Fleet(Topics(topics or {"orders": 8}))
    groups = SideGroups(Brokers(), "shop")
    for number in range(3):
        group.add(f"m{number}", (follower if number else leader)("scale-down"))
        member(group, f"m{number}").attach(Bulletin(groups), lambda: None, 10_000, scale_down_timeout_ms=None)
    return group


def told(group: Fleet, id: str) -> list[Frame]:
    return frames_of(b"".join(member(group, id).recorded))


@anyone
def test_the_leader_keeps_what_it_was_asked_and_nobody_else_does(leader: Kind, follower: Kind) -> None:
    """Members have their instance as process: by that a tool knows whose presence is whose."""
    group = three(leader, follower)
    held = group.rebalance()
    group.rebalance()
    (frame,) = told(group, "m0")
    assert frame.assignor == "scale-down"
    assert frame.members == {id: member(group, id).instance for id in ("m0", "m1", "m2")}
    assert frame.tasks == [f"orders_{number}" for number in range(8)]
    assert {id: len(tasks) for id, tasks in frame.held.items()} == {id: len(tasks) for id, tasks in held.items()}
    assert told(group, "m1") == told(group, "m2") == []


@anyone
def test_when_the_leader_moves_the_answer_moves_with_it(leader: Kind, follower: Kind) -> None:
    """Who led before has nothing to tell from the end of that rebalance on, and until then what it knows."""
    group = three(leader, follower)
    group.rebalance()
    joined = group.joined()
    assert len(told(group, "m0")) == 1
    answers = group.members["m1"].lead(group.topics, joined)
    assert len(told(group, "m0")) == 1
    for id, one in group.members.items():
        one.take(answers[id])
    assert told(group, "m0") == []
    assert len(told(group, "m1")) == 1


@anyone
def test_nothing_is_told_before_a_plan_and_where_there_was_none(
    leader: Kind, follower: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "segue")
    group = three(leader, follower)
    assert told(group, "m0") == []
    group.rebalance()
    assert len(told(group, "m0")) == 1
    group.members["m0"].assignor._assignor.planner.host.close()
    group.rebalance()
    assert member(group, "m0").led is not None
    assert told(group, "m0") == []


@anyone
def test_members_that_read_different_topics_are_frames_of_their_own(leader: Kind, follower: Kind) -> None:
    group = three(leader, follower, orders=4, payments=2)
    group.subscribed["m2"] = {"payments"}
    group.rebalance()
    frames = told(group, "m0")
    assert sorted((list(frame.members), len(frame.tasks)) for frame in frames) == [
        (["m0", "m1"], 4), (["m0", "m1", "m2"], 2)
    ]  # fmt: skip


@pytest.mark.parametrize("kind", CLIENTS)
def test_it_is_what_the_record_has(kind: Kind, tmp_path: Path) -> None:
    """Byte for byte but for the time, so that `segue replay` reads it as well."""
    path = tmp_path / "plans.rec"
    group = Fleet(Topics({"orders": 4}))
    group.add("m0", kind("balanced", segue_record_path=str(path)))
    group.rebalance()
    (frame,) = told(group, "m0")
    assert frames_of(path.read_bytes())[-1].timeless == frame.timeless


@pytest.mark.parametrize("name", ["", "billing-1", "\0", "\ud800", "x" * 5000])
def test_an_instance_that_is_none_spoils_no_plan(name: str) -> None:
    """Anything may stand in join data."""
    group = three(KafkaPython, KafkaPython)
    data = encode({"active": {}, "round": 0, "instance": name})
    said = ConsumerProtocolSubscription(version=0, topics=["orders"], user_data=data).encode()
    group.rebalance({"m1": bytes(said)})
    led = member(group, "m0").led
    assert led is not None
    assert led.fault is None
    assert told(group, "m0")[0].members["m1"] == "m1"


def test_a_stateful_leader_tells_of_states() -> None:
    group = SimulatedGroup(partitions=4)
    first = group.join()
    group.rebalance()
    group.settle()
    group.join()
    group.rebalance()
    (frame,) = frames_of(b"".join(first.keeper.assignor.member.recorded))
    assert frame.held == {"m0": ["0_0", "0_1", "0_2", "0_3"], "m1": []}
    assert frame.members == {id: one.keeper.assignor.member.instance for id, one in group.members.items()}


@pytest.mark.parametrize(
    ("bound", "told"),
    [("127.0.0.1", "http://127.0.0.1:8080"), ("::1", "http://[::1]:8080"), ("0.0.0.0", "http://pod-7:8080"),
     ("::", "http://pod-7:8080"), ("shop.example", "http://shop.example:8080")],
)  # fmt: skip
def test_one_that_listens_everywhere_is_found_under_its_machines_name(
    bound: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTNAME", "pod-7")
    assert address(bound, 8080) == told


def test_a_member_that_serves_http_says_where_and_tells_what_it_led() -> None:
    looked = Looked()
    looked.settings = Settings(marks_poll_ms=50, http_port=0)
    instance = looked.start()
    wait_for(lambda: looked.presence)
    assert looked.presence["http"] == f"http://127.0.0.1:{instance.http_port}"
    assert instance.last_rebalance() is None
    looked.rebalance()
    looked.member.leads(Led(at_ms=1, assignor="scale-down"), (b"one", b"two"))
    looked.member.round_ended()
    assert instance.last_rebalance() == b"onetwo"
    looked.end()
