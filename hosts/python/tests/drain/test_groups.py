# SPDX-License-Identifier: Apache-2.0
"""What a leader does with marks and wishes, whichever client leads and whichever leaves."""

import itertools
import json
import logging

import pytest
from clients import CLIENTS, Aiokafka, Fleet, KafkaPython, Partitions, Topics
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription

import segue.aiokafka
import segue.kafka_python
from drain.fakes import Brokers
from segue import AssignorError, ConfigError
from segue._drain.bulletin import Bulletin
from segue._drain.channel import ChannelError
from segue._drain.mark import Mark
from segue._drain.membership import Membership
from segue._drain.side_groups import SideGroups
from segue._drain.swap import Swap
from segue._group import Leaving

Kind = type[KafkaPython] | type[Aiokafka]
PLACE = ("orders", 0)
MARK = Mark("", since_ms=1000)

anyone = pytest.mark.parametrize(
    ("leader", "follower"), list(itertools.product(CLIENTS, CLIENTS)), ids=lambda kind: kind.__name__
)


def member(group: Fleet, id: str) -> Membership:
    return group.members[id].assignor._assignor.member


def attach(group: Fleet, brokers: Brokers, timeout_ms: int = 10_000) -> SideGroups:
    """All members tell their ids from now on, and whoever leads reads marks."""
    groups = SideGroups(brokers, "shop")
    for id in group.members:
        member(group, id).attach(Bulletin(groups), lambda: None, timeout_ms, scale_down_timeout_ms=None)
    return groups


def three(leader: Kind, follower: Kind, assignor: str = "scale-down") -> Fleet:
    group = Fleet(Topics({"orders": 8}))
    for number in range(3):
        group.add(f"m{number}", (follower if number else leader)(assignor))
    return group


def mark(groups: SideGroups, brokers: Brokers, group: Fleet, id: str) -> None:
    brokers.write(groups.mark(member(group, id).instance), PLACE, MARK.text())


def sizes(held: dict[str, Partitions]) -> list[int]:
    return [len(held[id]) for id in sorted(held)]


@anyone
def test_a_marked_member_is_emptied_and_the_others_keep_theirs(leader: Kind, follower: Kind) -> None:
    """The mark that stands in Kafka counts, whoever leads; what the others have stays with them."""
    brokers, group = Brokers(), three(leader, follower)
    groups = attach(group, brokers)
    before = group.rebalance()
    mark(groups, brokers, group, "m1")
    after = group.rebalance()
    assert sizes(after) == [4, 0, 4]
    assert before["m0"] < after["m0"]
    assert before["m2"] < after["m2"]


@anyone
def test_a_leader_that_is_marked_empties_itself(leader: Kind, follower: Kind) -> None:
    brokers, group = Brokers(), three(leader, follower)
    groups = attach(group, brokers)
    mark(groups, brokers, group, "m0")
    assert sizes(group.rebalance()) == [0, 4, 4]


@anyone
def test_a_mark_that_is_gone_gives_the_member_its_share_again(leader: Kind, follower: Kind) -> None:
    brokers, group = Brokers(), three(leader, follower)
    groups = attach(group, brokers)
    mark(groups, brokers, group, "m1")
    group.rebalance()
    brokers.delete(groups.mark(member(group, "m1").instance))
    assert sorted(sizes(group.rebalance())) == [2, 3, 3]


@anyone
def test_when_all_are_marked_the_partitions_stay(
    leader: Kind, follower: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is there to take over, and somebody has to work."""
    brokers, group = Brokers(), three(leader, follower)
    groups = attach(group, brokers)
    before = group.rebalance()
    for id in group.members:
        mark(groups, brokers, group, id)
    assert group.rebalance() == before
    assert "all 3 members are marked as leaving" in caplog.text


@anyone
def test_members_hear_when_nobody_stays(leader: Kind, follower: Kind) -> None:
    """When all say themselves that they leave. A mark that a member does not know of yet makes it nobody who leaves,
    and neither is one leaving that was not attached; who takes it back stays.
    """
    brokers, group = Brokers(), three(leader, follower)
    groups = attach(group, brokers)
    leaving = Leaving(since_ms=1000)
    for id in ("m0", "m1"):
        mark(groups, brokers, group, id)
        member(group, id).ask(leaving, "test")
    mark(groups, brokers, group, "m2")
    assert alone(group) == [False] * 3
    member(group, "m2").ask(leaving, "test")
    assert alone(group) == [True] * 3
    member(group, "m0").ask(None, "test")
    assert alone(group) == [False] * 3
    member(group, "m0").ask(leaving, "test")
    group.add("m3", follower("scale-down"))
    assert alone(group) == [False] * 4


def alone(group: Fleet) -> list[bool]:
    group.rebalance()
    return [member(group, id).rounds.nobody_stays for id in group.members]


@anyone
def test_an_assignor_that_heeds_no_marks_is_not_told_of_them(leader: Kind, follower: Kind) -> None:
    brokers, group = Brokers(), three(leader, follower, "learner")
    groups = attach(group, brokers)
    before = group.rebalance()
    mark(groups, brokers, group, "m1")
    assert group.rebalance() == before


@anyone
def test_a_member_says_that_it_leaves_where_its_mark_cannot_be_read(
    leader: Kind, follower: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    """A leader without the right to read marks, or without a way to the brokers, has the member's own word."""
    group = three(leader, follower)
    attach(group, Brokers())
    member(group, "m0").attach(Bulletin(SideGroups(faulty(), "shop")), lambda: None, 10_000, None)
    group.rebalance()
    member(group, "m1").ask(Leaving(since_ms=1000), "test")
    assert sizes(group.rebalance()) == [4, 0, 4]
    assert caplog.text.count("cannot read who is leaving") == 1


def faulty() -> Brokers:
    brokers = Brokers()
    brokers.fault = ChannelError("down")
    return brokers


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.parametrize("instance", ["", "x", "x" * 10_000, "0b7c6a0e-0000-4000-8000-00000000000\n", 7])
def test_who_has_no_right_name_spoils_nobodys_drain(kind: Kind, instance: object) -> None:
    """The side groups of the others are read all the same."""
    brokers, group = Brokers(), three(kind, kind)
    groups = attach(group, brokers)
    mark(groups, brokers, group, "m1")
    text = json.dumps({"v": 1, "active": {"orders": []}, "round": 0, "instance": instance})
    said = bytes(ConsumerProtocolSubscription(version=0, topics=["orders"], user_data=text.encode()).encode())
    assert sizes(group.rebalance({"m2": said})) == [4, 0, 4]
    assert brokers.read_last == {groups.assignor, *(groups.mark(member(group, id).instance) for id in ("m0", "m1"))}


@anyone
def test_what_was_known_last_counts_while_nobody_answers(leader: Kind, follower: Kind) -> None:
    """A rebalance waits for marks as long as it may and no longer, and a drain goes on meanwhile."""
    brokers, group = Brokers(), three(leader, follower)
    groups = attach(group, brokers, timeout_ms=50)
    mark(groups, brokers, group, "m1")
    group.rebalance()
    brokers.answering.clear()
    try:
        assert sizes(group.rebalance()) == [4, 0, 4]
    finally:
        brokers.answering.set()


@anyone
def test_the_leader_uses_the_assignor_that_is_wished_for(leader: Kind, follower: Kind) -> None:
    brokers, group = Brokers(), three(leader, follower, "learner")
    groups = attach(group, brokers)
    group.rebalance()
    led = member(group, "m0").led
    assert led is not None
    assert (led.assignor, led.plugin, led.tasks, led.members) == ("learner", "segue-assignors", 8, 3)
    brokers.write(groups.assignor, PLACE, Swap("scale-down", 5).text())
    mark(groups, brokers, group, "m1")
    assert sizes(group.rebalance()) == [4, 0, 4]
    led = member(group, "m0").led
    assert led is not None
    assert led.assignor == "scale-down"
    assert member(group, "m1").led is None


@anyone
def test_a_wish_that_nobody_can_fulfil_changes_nothing(leader: Kind, follower: Kind) -> None:
    brokers, group = Brokers(), three(leader, follower, "learner")
    groups = attach(group, brokers)
    before = group.rebalance()
    brokers.write(groups.assignor, PLACE, Swap("nonsense", 5).text())
    assert group.rebalance() == before
    led = member(group, "m0").led
    assert led is not None
    assert led.assignor == "learner"


@anyone
def test_a_leader_that_has_no_plan_says_so(leader: Kind, follower: Kind, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "segue")
    group = three(leader, follower)
    group.members["m0"].assignor._assignor.planner.host.close()
    group.rebalance()
    led = member(group, "m0").led
    assert led is not None
    assert led.fault is not None
    assert "ClosedError" in led.fault


@pytest.mark.parametrize("kind", CLIENTS)
def test_join_data_change_with_what_is_asked_and_with_nothing_else(kind: Kind) -> None:
    """A broker starts a rebalance for other bytes alone, so that whoever asks for one has to say something new."""
    group = three(kind, kind)
    attach(group, Brokers())
    group.rebalance()
    said = group.joined()
    assert group.joined() == said
    for leaving in (Leaving(since_ms=1, deadline_ms=2), Leaving(since_ms=1, deadline_ms=2), None):
        member(group, "m1").ask(leaving, "test")
        assert group.joined()["m1"] not in (said["m1"], group.joined()["m0"])
        said = group.joined()
        assert group.joined() == said


@pytest.mark.parametrize("kind", CLIENTS)
def test_what_was_asked_in_the_midst_of_a_round_is_asked_again_after_it(kind: Kind) -> None:
    """The join under way was sent before, and the request for another is lost with it."""
    group, asked = three(kind, kind), []
    groups = SideGroups(Brokers(), "shop")
    member(group, "m1").attach(Bulletin(groups), lambda: asked.append(1), 10_000, None)
    answers = group.members["m0"].lead(group.topics, group.joined())
    member(group, "m1").ask(Leaving(since_ms=1), "test")
    assert len(asked) == 1
    group.members["m1"].take(answers["m1"])
    assert len(asked) == 2
    group.rebalance()
    assert len(asked) == 2


@pytest.mark.parametrize("kind", CLIENTS)
def test_one_that_is_not_attached_says_nothing_of_it(kind: Kind) -> None:
    group = three(kind, kind)
    group.rebalance()
    assert json.loads(group.joined()["m1"][group.joined()["m1"].index(b"{") :]).keys() == {"active", "round", "v"}


@pytest.mark.parametrize("kind", CLIENTS)
def test_an_assignor_is_chosen_by_name_wherever_that_is_said(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """The argument before the configuration before the environment; a wrong name is refused, whoever says it."""
    monkeypatch.delenv("SEGUE_ASSIGNOR", raising=False)
    assert _make(kind) == "learner"
    monkeypatch.setenv("SEGUE_ASSIGNOR", "balanced")
    assert _make(kind) == "balanced"
    assert _make(kind, segue_assignor="sticky") == "sticky"
    assert _make(kind, "scale-down", segue_assignor="sticky") == "scale-down"
    monkeypatch.setenv("SEGUE_ASSIGNOR", "lerner")
    with pytest.raises(AssignorError, match=r"did you mean learner.*there are .*balanced"):
        _make(kind)


def _make(kind: Kind, *arguments: str, **config: str) -> str:
    module = segue.kafka_python if kind is KafkaPython else segue.aiokafka
    return str(module.SegueAssignor(*arguments, **config)._assignor.planner.assignor)


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.parametrize(
    ("key", "value"), [("segue_marks_poll_ms", 1), ("segue_http_port", 70_000), ("scale_down_timeout_ms", "soon")]
)
def test_a_wrong_setting_is_refused_at_once(kind: Kind, key: str, value: int | str) -> None:
    with pytest.raises(ConfigError, match=key.replace("_", ".")):
        kind("learner", **{key: value})
