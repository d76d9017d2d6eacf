# SPDX-License-Identifier: Apache-2.0
"""What every client's assignor keeps, whichever client leads and whichever follows."""

import asyncio
import itertools
import logging
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import aiokafka.coordinator.assignors.range
import kafka.coordinator.assignors.range
import pytest
from clients import CLIENTS, Aiokafka, Fleet, KafkaPython, Partitions, Topics
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription

import segue

PAIRS = list(itertools.product(CLIENTS, CLIENTS))
Kind = type[KafkaPython] | type[Aiokafka]

anyone = pytest.mark.parametrize(("leader", "follower"), PAIRS, ids=lambda kind: kind.__name__)


def fleet(leader: Kind, follower: Kind, count: int = 3, **topics: int) -> Fleet:
    made = Fleet(Topics(topics or {"orders": 8}))
    for number in range(count):
        made.add(f"m{number}", follower() if number else leader())
    return made


def assert_complete(held: dict[str, Partitions], partitions: Partitions) -> None:
    everything = [one for part in held.values() for one in part]
    assert sorted(everything) == sorted(partitions)


def break_libsegue(group: Fleet) -> None:
    """Whatever the leader asks from now on fails."""
    group.members["m0"].assignor._assignor.planner.host.close()


def sizes(held: dict[str, Partitions]) -> list[int]:
    return sorted(len(part) for part in held.values())


def subscription(topics: Iterable[str], data: bytes | None) -> bytes:
    return bytes(ConsumerProtocolSubscription(version=0, topics=list(topics), user_data=data).encode())


@anyone
def test_every_partition_has_one_owner(leader: Kind, follower: Kind) -> None:
    """A fresh group gets every partition once, evenly."""
    group = fleet(leader, follower, orders=8, payments=3)
    held = group.rebalance()
    assert_complete(held, group.partitions)
    assert sizes(held) == [3, 4, 4]


@anyone
def test_a_group_at_rest_says_the_same_again(leader: Kind, follower: Kind) -> None:
    """Without a change neither partitions nor bytes change, so that joining again starts no rebalance."""
    group = fleet(leader, follower)
    held, joined = group.rebalance(), group.joined()
    assert group.rebalance() == held
    assert group.joined() == joined


@anyone
def test_who_joins_gets_its_share_and_nothing_else_moves(leader: Kind, follower: Kind) -> None:
    """A newcomer takes what is above the others' share; the rest stays."""
    group = fleet(leader, follower, count=2)
    before = group.rebalance()
    group.add("m9", follower())
    after = group.rebalance()
    assert_complete(after, group.partitions)
    assert sizes(after) == [2, 3, 3]
    assert all(after[id] < before[id] for id in before)


@anyone
def test_who_leaves_leaves_its_own_alone_to_be_dealt(leader: Kind, follower: Kind) -> None:
    """The partitions of one that left go to the others, who keep theirs."""
    group = fleet(leader, follower)
    before = group.rebalance()
    group.remove("m2")
    after = group.rebalance()
    assert_complete(after, group.partitions)
    assert sizes(after) == [4, 4]
    assert all(before[id] < after[id] for id in after)


@anyone
def test_a_new_leader_knows_what_the_old_one_did(leader: Kind, follower: Kind) -> None:
    """What members hold travels with them, so that a leader that goes away takes nothing along."""
    group = fleet(leader, follower)
    before = group.rebalance()
    group.remove("m0")
    after = group.rebalance()
    assert all(before[id] < after[id] for id in after)


@anyone
@pytest.mark.parametrize("without_libsegue", [False, True])
@pytest.mark.parametrize(("away", "heir"), [("m1", "m2"), ("m2", "m1")])
def test_a_member_that_missed_a_round_does_not_take_back(
    leader: Kind, follower: Kind, away: str, heir: str, without_libsegue: bool
) -> None:
    """Of two claims to a partition the newer one is true: who was away gets nothing back that others work on."""
    group = fleet(leader, follower, count=1, orders=2)
    group.add(away, back := follower())
    group.rebalance()
    group.remove(away)
    group.add(heir, follower())
    before = group.rebalance()
    group.add(away, back)
    if without_libsegue:
        break_libsegue(group)
    assert group.rebalance() == before | {away: set()}


@anyone
def test_a_member_gets_only_what_it_subscribes_to(leader: Kind, follower: Kind) -> None:
    """While subscriptions differ, as when a topic is added member by member, nobody gets a topic it did not ask for."""
    group = fleet(leader, follower, count=2, orders=6, payments=4)
    group.add("new", follower(), ["orders", "payments"])
    group.subscribed["m0"] = group.subscribed["m1"] = {"orders"}
    held = group.rebalance()
    assert_complete(held, group.partitions)
    assert {topic for topic, _ in held["m0"] | held["m1"]} == {"orders"}
    assert {("payments", number) for number in range(4)} <= held["new"]


@anyone
def test_a_topic_that_nobody_knows_yet_is_left_out(leader: Kind, follower: Kind) -> None:
    """Members without metadata get an empty assignment and no exception; they join again when the client has it."""
    group = fleet(leader, follower)
    group.topics.clear()
    assert group.rebalance() == {"m0": set(), "m1": set(), "m2": set()}
    group.topics["orders"] = 8
    assert_complete(group.rebalance(), group.partitions)


@anyone
def test_more_partitions_go_to_those_with_the_least(leader: Kind, follower: Kind) -> None:
    """Added partitions are dealt; those that are owned stay."""
    group = fleet(leader, follower)
    before = group.rebalance()
    group.topics["orders"] = 12
    after = group.rebalance()
    assert_complete(after, group.partitions)
    assert sizes(after) == [4, 4, 4]
    assert all(before[id] <= after[id] for id in before)


@anyone
def test_partitions_may_have_gaps(leader: Kind, follower: Kind) -> None:
    """A client that knows only some partitions of a topic, not those from 0 on, deals those that it knows."""
    group = fleet(leader, follower, orders=4, payments=3)
    known = {"orders": {1, 2, 5}, "payments": {0, 1, 2}}
    group.topics.partitions_for_topic = lambda topic: known[topic]  # type: ignore[method-assign]
    assert_complete(group.rebalance(), {(topic, number) for topic in known for number in known[topic]})


@anyone
def test_names_with_underscores_stay_apart(leader: Kind, follower: Kind) -> None:
    """Topics whose names look like tasks are not mixed up."""
    group = fleet(leader, follower, a=2, a_1=2, a_1_0=2)
    assert_complete(group.rebalance(), group.partitions)


garbage = (
    st.none()
    | st.binary(max_size=40)
    | st.sampled_from(
        [
            b"[" * 100_000,
            b'{"v":2,"active":{"orders":[0]},"round":9}',
            b'{"v":1,"active":{"orders":[0,1,2,3,-1,true,"x",1e9]},"round":1e99}',
            b'{"v":1,"active":{"orders":7,"gone":[0]},"round":-1,"later":{}}',
            b'{"v":1,"active":[["orders",0]],"round":[]}',
            b'{"v":1,"active":{"orders":[0,1,2,3,4,5,6,7]},"round":2147483647}',
            b'{"v":1,"round":1' + b"0" * 5000 + b"}",
        ]
    )
)


@pytest.mark.parametrize("leader", CLIENTS)
@settings(max_examples=30)
@given(said=st.lists(garbage, min_size=1, max_size=3))
def test_whatever_members_say_the_leader_answers(leader: Kind, said: list[bytes | None]) -> None:
    """Bytes of anybody are a member without state at worst: every partition still has one owner, evenly."""
    group = fleet(leader, leader)
    group.rebalance()
    held = group.rebalance({f"m{n}": subscription(["orders"], data) for n, data in enumerate(said)})
    assert_complete(held, group.partitions)
    assert sizes(held) == [2, 3, 3]


@pytest.mark.parametrize("leader", CLIENTS)
def test_84_members_that_claim_the_same_are_balanced_in_one_round(leader: Kind) -> None:
    """Contradictory claims, as after a restart of all, end in a complete and even assignment at once."""
    group = fleet(leader, leader, count=84, orders=100)
    same = b'{"v":1,"active":{"orders":[%s]},"round":5}' % b",".join(b"%d" % n for n in range(100))
    held = group.rebalance({f"m{n}": subscription(["orders"], same) for n in range(84)})
    assert_complete(held, group.partitions)
    assert (min(sizes(held)), max(sizes(held))) == (1, 2)


@pytest.mark.parametrize("leader", CLIENTS)
def test_84_members_of_rounds_that_nobody_knows_are_balanced_in_one_round(leader: Kind) -> None:
    """Claims of rounds from nowhere, of none and of another format contradict each other, and the answer is even."""
    group = fleet(leader, leader, count=84, orders=100)
    rounds = [b"0", b"-1", b"7", b"2147483647", b"1e99", b"null", b'"3"']
    claims = {}
    for member in range(84):
        numbers = b",".join(b"%d" % (member * step % 100) for step in range(1, 12))
        said = b'{"v":1,"active":{"orders":[%s]},"round":%s}' % (numbers, rounds[member % len(rounds)])
        claims[f"m{member}"] = subscription(["orders"], said if member % 5 else b"\0\0\0\1foreign")
    held = group.rebalance(claims)
    assert_complete(held, group.partitions)
    assert (min(sizes(held)), max(sizes(held))) == (1, 2)
    assert group.rebalance() == held


@anyone
def test_without_libsegue_the_owners_keep_their_partitions(
    leader: Kind, follower: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault during a rebalance is logged and never raised: nothing moves but what has no owner."""
    group = fleet(leader, follower)
    before = group.rebalance()
    break_libsegue(group)
    group.remove("m2")
    group.add("m3", follower())
    after = group.rebalance()
    assert_complete(after, group.partitions)
    assert (after["m0"], after["m1"]) == (before["m0"], before["m1"])
    assert [row.levelno for row in caplog.records if row.name == "segue"] == [logging.ERROR]
    assert "closed before" in caplog.text


@anyone
def test_the_fallback_deals_to_those_with_the_fewest(leader: Kind, follower: Kind) -> None:
    """Without libsegue a fresh group is served as well, and two that claim one partition are settled."""
    group = fleet(leader, follower, orders=8, payments=3)
    break_libsegue(group)
    same = b'{"v":1,"active":{"orders":[0,1]},"round":1}'
    held = group.rebalance({f"m{n}": subscription(["orders", "payments"], same) for n in range(2)})
    assert_complete(held, group.partitions)
    assert sizes(held) == [3, 4, 4]


@anyone
def test_the_fallback_heeds_subscriptions(leader: Kind, follower: Kind) -> None:
    """Who has unsubscribed keeps nothing of the topic, without libsegue as well."""
    group = fleet(leader, follower, count=2, orders=4, payments=4)
    group.rebalance()
    group.subscribed["m1"] = {"orders"}
    break_libsegue(group)
    held = group.rebalance()
    assert_complete(held, group.partitions)
    assert {topic for topic, _ in held["m1"]} == {"orders"}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_plan_that_breaks_a_rule_is_logged(
    client: Kind, bad_plugin: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When libsegue answers by its own fallback, the log says which rule was broken; no warning can end the loop."""
    monkeypatch.setenv("SEGUE_PLUGIN_PATH", str(bad_plugin))
    group = Fleet(Topics({"orders": 4}))
    group.add("m0", client("breaks-r1"))
    assert_complete(group.rebalance(), group.partitions)
    assert "the fallback answered in its place" in caplog.text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_wrong_name_or_option_is_an_error_at_once(client: Kind) -> None:
    """Nothing waits for the first rebalance to be found wrong."""
    with pytest.raises(segue.AssignorError, match="learner"):
        client("lerner")
    with pytest.raises(segue.InputError, match=r"segue\.max\.learners"):
        client(segue_max_lerners=1)
    client(segue_max_learners=1, num_standby_replicas=0)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("configuration", {"segue.isolation": "process"}, "configuration is no option of segue's$"),
        ("isolation", "process", r"did you mean segue\.isolation\?"),
        ("segue", {"max.learners": 1}, "segue is no option"),
        ("rack_aware_assignment_strateg", "min_traffic", r"did you mean rack\.aware\.assignment\.strategy\?"),
        ("bootstrap_servers", "localhost:9092", r"bootstrap\.servers is no option of segue's$"),
    ],
)
def test_an_option_that_nobody_reads_is_none(client: Kind, option: str, value: Any, says: str) -> None:
    """It would be passed over in silence."""
    with pytest.raises(segue.ConfigError, match=says):
        client(**{option: value})


@pytest.mark.parametrize("client", CLIENTS)
def test_every_assignor_serves_consumers(client: Kind) -> None:
    """Whatever strategy is named, the group is complete."""
    for one in segue.assignors():
        group = Fleet(Topics({"orders": 5}))
        group.add("a", client(one.name))
        group.add("b", client(one.name))
        assert_complete(group.rebalance(), group.partitions)


@pytest.mark.parametrize("client", CLIENTS)
def test_two_assignors_of_a_process_share_nothing(client: Kind) -> None:
    """What one consumer holds is not what the other says."""
    one, other = client(), client()
    group = Fleet(Topics({"orders": 2}))
    group.add("one", one)
    group.rebalance()
    assert one.join(["orders"]) != other.join(["orders"])


def test_two_consumers_that_are_alive_cannot_share_an_assignor() -> None:
    """The second one is told; after the end of the first it may have it."""
    one, asked, ended = KafkaPython(), threading.Event(), threading.Event()

    def run() -> None:
        one.join(["orders"])
        asked.set()
        ended.wait()

    first = threading.Thread(target=run)
    first.start()
    asked.wait()
    with pytest.raises(segue.InputError, match="another consumer's") as failed:
        one.join(["orders"])
    assert failed.value.code == "bad-argument"
    ended.set()
    first.join()
    assert one.join(["orders"])


def test_two_consumers_of_one_loop_cannot_share_an_assignor() -> None:
    """aiokafka's consumers ask on the same thread, each in its own task."""
    one = Aiokafka()

    async def run() -> None:
        ended = asyncio.Event()

        async def first() -> None:
            one.join(["orders"])
            await ended.wait()
            one.join(["orders"])

        task = asyncio.create_task(first())
        await asyncio.sleep(0)
        with pytest.raises(segue.InputError, match="another consumer's"):
            one.join(["orders"])
        ended.set()
        await task
        one.join(["orders"])

    asyncio.run(run())


def test_the_bytes_of_both_clients_are_the_same() -> None:
    """A member says the same whichever client it runs on, in a form that the oldest Kafka reads."""
    assert KafkaPython().join(["b", "a"]) == Aiokafka().join(["a", "b"])
    assert KafkaPython().join(["a"]) == subscription(["a"], b'{"active":{},"round":0,"v":1}')


def test_all_members_have_one_protocol_name() -> None:
    """Clients and strategies are mixed under one name, which is none of the clients' own."""
    names = {KafkaPython("learner").assignor.name, KafkaPython("sticky").assignor.name, Aiokafka().assignor.name}
    assert names == {"segue"}
    assert names.isdisjoint(
        {
            kafka.coordinator.assignors.range.RangePartitionAssignor.name,
            aiokafka.coordinator.assignors.range.RangePartitionAssignor.name,
        }
    )


@pytest.mark.parametrize(
    ("module", "client", "package"),
    [
        ("kafka_python", "kafka", "kafka-python>=3.0.12"),
        ("aiokafka", "aiokafka", "aiokafka>=0.14"),
        ("faust", "faust", "faust-streaming>=0.15.3"),
    ],
)
def test_a_missing_client_names_what_installs_it(module: str, client: str, package: str) -> None:
    """Which works wherever segue itself has come from."""
    script = f"import sys; sys.modules[{client!r}] = None; import segue.{module}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(f"pip install '{package}'")
