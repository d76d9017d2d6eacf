# SPDX-License-Identifier: Apache-2.0
"""Members that keep their partitions while they join: nobody gets what another is still at, and nothing is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import aiokafka.cluster
import kafka.cluster
import pytest
from clients import CLIENTS, Aiokafka, Client, KafkaPython, Partitions, Topics
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.coordinator.assignors.abstract import RebalanceProtocol
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.consumer import ConsumerCoordinator
from kafka.errors import KafkaConfigurationError
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment
from kafka.util import WeakMethod

import segue
import segue.aiokafka
import segue.kafka_python
from segue._clients.granted import granted
from segue._clients.members import Joined
from segue._clients.rejoin import rejoin_of
from segue._clients.user_data import Claim, decode_claim, encode_claim

ORDERS = frozenset({"orders"})


@dataclass(eq=False)
class Coordinator:
    """A client's coordinator, as far as the assignor of the leader reaches it."""

    rejoins: int = 0

    def request_rejoin(self) -> None:
        self.rejoins += 1

    def on_metadata(self, cluster: Topics) -> None:
        """What the cluster knows it by."""


@dataclass
class Member:
    """A consumer: what it is at, as the client does it, whatever it says."""

    client: Client
    cooperative: bool
    at: Partitions = field(default_factory=set)
    revoked: Partitions = field(default_factory=set)

    @classmethod
    def eager(cls, client: type[Client] = KafkaPython, assignor: str = "learner") -> Member:
        return cls(client(assignor), cooperative=False)

    @classmethod
    def that_keeps(cls, assignor: str = "learner") -> Member:
        return cls(KafkaPython(assignor, cooperative=True), cooperative=True)

    @property
    def claimed(self) -> Partitions:
        """What it says it is at."""
        return set(self.client.assignor._assignor.active)

    def lose(self) -> None:
        """Its session ends: it lets go of everything, and its assignor does not hear of that."""
        self.at = set()


class Group:
    """Rounds as a broker runs them, until nobody asks for another. The first member leads."""

    def __init__(self, partitions: int = 8) -> None:
        self.topics = Topics({"orders": partitions})
        self.coordinator = Coordinator()
        self.topics._listeners = {WeakMethod(self.coordinator.on_metadata)}  # type: ignore[attr-defined]
        self.members: dict[str, Member] = {}

    def settle(self) -> int:
        """How many rounds it took."""
        rounds = 1
        while self._round():
            rounds += 1
            assert rounds < 10
        held = sorted(one for member in self.members.values() for one in member.at)
        assert held == [("orders", number) for number in range(self.topics["orders"])]
        return rounds

    def _round(self) -> bool:
        """Whether somebody asks for another."""
        for one in self.members.values():
            one.at = one.at if one.cooperative else set()
        joined = {id: one.client.join(ORDERS) for id, one in self.members.items()}
        before, asked = {id: set(one.at) for id, one in self.members.items()}, self.coordinator.rejoins
        leader = next(iter(self.members.values()))
        answers = leader.client.lead(self.topics, joined)
        given = {id: self.members[id].client.take(data) for id, data in answers.items()}
        for id, at in given.items():
            # Whoever is quick starts before the slow ones have stopped.
            self._nobody_else(id, at, before)
            self._nobody_else(id, at, given)
            self.members[id].at = at
        lost = [id for id, at in given.items() if before[id] - at]
        for id in lost:
            self.members[id].revoked |= before[id] - given[id]
        return bool(lost) or self.coordinator.rejoins > asked

    @staticmethod
    def _nobody_else(id: str, at: Partitions, others: dict[str, Partitions]) -> None:
        assert not any(at & other for name, other in others.items() if name != id)


def group(*members: Member, partitions: int = 8) -> Group:
    made = Group(partitions)
    made.members = {f"m{number}": one for number, one in enumerate(members)}
    return made


def test_who_joins_gets_its_share_in_the_second_round() -> None:
    """The owners give up the newcomer's share, and nothing else, before it gets it."""
    made = group(Member.that_keeps(), Member.that_keeps())
    assert made.settle() == 1
    before = {id: set(one.at) for id, one in made.members.items()}
    made.members["m2"] = Member.that_keeps()
    assert made.settle() == 2
    assert sorted(len(one.at) for one in made.members.values()) == [2, 3, 3]
    assert all(made.members[id].at < at for id, at in before.items())
    assert sum(len(one.revoked) for one in made.members.values()) == 2


def test_who_leaves_is_followed_in_one_round() -> None:
    """What has no owner any more may be given at once."""
    made = group(Member.that_keeps(), Member.that_keeps(), Member.that_keeps())
    made.settle()
    del made.members["m0"]
    assert made.settle() == 1
    assert not any(one.revoked for one in made.members.values())


def test_a_group_at_rest_says_the_same_again() -> None:
    """Without a change neither partitions nor bytes change."""
    made = group(Member.that_keeps(), Member.that_keeps())
    made.settle()
    said = [one.client.join(ORDERS) for one in made.members.values()]
    assert made.settle() == 1
    assert [one.client.join(ORDERS) for one in made.members.values()] == said


@pytest.mark.parametrize("leader", [KafkaPython, Aiokafka])
def test_an_eager_leader_heeds_cooperative_members(leader: type[Client]) -> None:
    """While a group is rolled over, what an eager member gave up goes on at once, and the others' in two rounds."""
    made = group(Member.eager(leader), Member.eager(leader))
    made.settle()
    made.members["m2"] = Member.that_keeps()
    assert made.settle() == 1
    made.members["m3"] = Member.eager(leader)
    del made.members["m1"]
    assert made.settle() == 1
    made.members["m4"] = Member.eager(leader)
    made.members["m5"] = Member.eager(leader)
    made.members["m6"] = Member.eager(leader)
    assert made.settle() == 2


def test_what_a_member_lost_without_knowing_is_given_again() -> None:
    """A member whose session ended says what it had; it revokes nothing, so that the leader asks for the next round."""
    made = group(Member.that_keeps(), Member.that_keeps())
    made.settle()
    made.members["m1"].lose()
    for name in ("m2", "m3"):
        made.members[name] = Member.that_keeps()
    assert made.settle() == 2
    assert made.coordinator.rejoins > 0


def test_without_a_coordinator_the_answer_is_the_same() -> None:
    """The request is the leader's own; where it cannot be made the members' have to do."""
    made = group(Member.that_keeps(), Member.that_keeps())
    made.settle()
    made.topics._listeners = {object(), print}  # type: ignore[attr-defined]
    made.members["m2"] = Member.that_keeps()
    assert made.settle() == 2


def claims(*, cooperative: bool, **active: Iterable[int]) -> list[Joined]:
    """Members of one round that hold these."""
    return [
        Joined(id, ORDERS, Claim(frozenset(("orders", one) for one in held), 1, cooperative=cooperative))
        for id, held in active.items()
    ]


def test_an_eager_member_is_at_nothing() -> None:
    """Only what a cooperative member holds is withheld from others."""
    plan = {"a": set(), "b": {("orders", 0)}}
    assert granted(claims(cooperative=False, a=[0], b=[]), plan) == plan
    assert granted(claims(cooperative=True, a=[0], b=[]), plan) == {"a": set(), "b": set()}


def test_an_eager_claim_does_not_excuse() -> None:
    """An eager member that says the same as a cooperative one has given it up, and waits."""
    both = claims(cooperative=True, a=[0]) + claims(cooperative=False, b=[0])
    assert granted(both, {"a": set(), "b": {("orders", 0)}}) == {"a": set(), "b": set()}


any_claims = st.lists(
    st.builds(
        Claim,
        active=st.frozensets(st.tuples(st.just("orders"), st.integers(0, 9))),
        round=st.integers(0, 2),
        cooperative=st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=200)
@given(said=any_claims, seed=st.integers(0, 2**16))
def test_whatever_is_claimed_nobody_gets_what_another_is_at(said: list[Claim], seed: int) -> None:
    """What one member claims only that one may go on with, what two claim neither, and what nobody is at is given."""
    members = [Joined(f"m{number}", ORDERS, claim) for number, claim in enumerate(said)]
    dice = random.Random(seed)
    plan: dict[str, Partitions] = {one.id: set() for one in members}
    for number in range(8):
        plan[dice.choice(members).id].add(("orders", number))
    given = granted(members, plan)
    for id, planned in plan.items():
        for partition in planned:
            at = {one.id for one in members if one.claim.cooperative and partition in one.claim.active}
            assert (partition in given[id]) == (at <= {id})
    assert given.keys() == plan.keys()
    assert all(given[id] <= plan[id] for id in plan)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    assignor=st.sampled_from(["learner", "sticky", "balanced", "scale-down"]),
    mixed=st.booleans(),
)
def test_random_lives(seed: int, assignor: str, mixed: bool) -> None:
    """Members come, go, lose what they have and come back with old claims: no partition has two owners, none is lost,
    it takes two rounds, and as long as all claims are true what stays is never taken away.
    """
    dice = random.Random(seed)
    made, away, number = Group(dice.randrange(1, 12)), list[Member](), 0
    for _ in range(12):
        for _ in range(dice.randrange(1, 4)):
            event = dice.choice(["join", "join", "leave", "lose", "away", "back"])
            if event == "join" or not made.members:
                number += 1
                eager = mixed and dice.random() < 0.5
                one = Member.eager(dice.choice(CLIENTS), assignor) if eager else Member.that_keeps(assignor)
                made.members[f"m{number}"] = one
            elif event == "back" and away:
                number += 1
                made.members[f"m{number}"] = away.pop()
            elif event == "lose":
                dice.choice(list(made.members.values())).lose()
            elif event in ("leave", "away") and len(made.members) > 1:
                one = made.members.pop(dice.choice(list(made.members)))
                one.lose()
                away += [one] if event == "away" else []
        true = all(one.claimed == one.at for one in made.members.values())
        keeping = [(one, set(one.at)) for one in made.members.values() if one.cooperative]
        for one, _ in keeping:
            one.revoked = set()
        assert made.settle() <= 2
        assert not true or all(one.revoked == at - one.at for one, at in keeping)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_no_more_moves_than_an_eager_group(seed: int) -> None:
    """The same joins and leaves move as many partitions in a group that keeps them as in one that gives them up."""
    moved = []
    makers: list[Callable[[], Member]] = [Member.that_keeps, Member.eager]
    for make in makers:
        dice, made, count = random.Random(seed), Group(12), 0
        for number in range(8):
            if len(made.members) > 1 and dice.random() < 0.4:
                del made.members[dice.choice(list(made.members))]
            else:
                made.members[f"m{number}"] = make()
            before = {id: set(one.at) for id, one in made.members.items()}
            made.settle()
            count += sum(len(at - made.members[id].at) for id, at in before.items())
        moved.append(count)
    assert moved[0] == moved[1]


def test_the_bytes_of_an_eager_member_are_as_before() -> None:
    """Only a cooperative member says so, and a reader that does not know the word takes the rest."""
    assert encode_claim(Claim()) == b'{"active":{},"round":0,"v":1}'
    kept = Claim(frozenset({("orders", 1)}), 3, cooperative=True)
    assert encode_claim(kept) == b'{"active":{"orders":[1]},"cooperative":true,"round":3,"v":1}'
    assert decode_claim(encode_claim(kept)) == kept
    assert not decode_claim(b'{"active":{},"cooperative":1,"round":0,"v":1}').cooperative


def test_kafka_python_is_told_the_kind() -> None:
    """The client rebalances as the assignor says, and refuses a list of both kinds at once."""
    assert segue.kafka_python.SegueAssignor().supported_protocols() == [RebalanceProtocol.EAGER]
    keeps = segue.kafka_python.SegueAssignor(cooperative=True)
    assert keeps.supported_protocols() == [RebalanceProtocol.COOPERATIVE]
    both = SimpleNamespace(_assignors={"segue": keeps, "range": RangePartitionAssignor()})
    with pytest.raises(KafkaConfigurationError, match="COOPERATIVE"):
        ConsumerCoordinator._validate_rebalance_protocol(both)


@pytest.mark.parametrize("listening", [WeakMethod, lambda method: method], ids=["kafka-python", "aiokafka"])
@pytest.mark.parametrize("cluster", [kafka.cluster.ClusterMetadata, aiokafka.cluster.ClusterMetadata])
def test_the_leader_reaches_its_coordinator(cluster: Any, listening: Callable[[Any], Any]) -> None:
    """From the cluster that the clients give an assignor, each with its own way to listen."""
    known, coordinator = cluster(), Coordinator()
    assert rejoin_of(known) is None
    known.add_listener(print)
    known.add_listener(listening(coordinator.on_metadata))
    assert rejoin_of(known) == coordinator.request_rejoin


def test_aiokafka_says_why_not() -> None:
    """Who asks aiokafka for what it cannot do is told so at once."""
    with pytest.raises(segue.InputError, match="takes all partitions from a consumer before each join"):
        segue.aiokafka.SegueAssignor(cooperative=True)


def test_either_assignor_of_a_consumer_knows_what_the_other_gave_it() -> None:
    """When a group changes from cooperative-sticky to segue or back, nobody is taken for empty."""
    new = segue.kafka_python.SegueAssignor(cooperative=True)
    old = new.beside(CooperativeStickyAssignor())
    assert (old.name, old.supported_protocols()) == ("cooperative-sticky", new.supported_protocols())
    old.on_assignment(ConsumerProtocolAssignment(1, [("orders", [0, 1])], b""), 1)
    assert decode_claim(new.metadata(ORDERS).user_data).active == {("orders", 0), ("orders", 1)}
    new.on_assignment(ConsumerProtocolAssignment(0, [("orders", [2])], b""), 2)
    (owned,) = old.metadata(ORDERS).owned_partitions
    assert owned.partitions == [2]
