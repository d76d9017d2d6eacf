# SPDX-License-Identifier: Apache-2.0
"""Groups of members with state, as their leader sees and answers them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from clients import Topics
from frames import frames_of
from hypothesis import given, settings
from hypothesis import strategies as st

from segue._clients.copies import Answer, Copies, decode_copies, encode_answer, encode_copies
from segue._clients.stateful import StatefulAssignor, _not_at_once
from segue._clients.user_data import encode
from segue._drain import documents
from segue._group import Leaving
from segue._plan import Followup

INPUT = "orders"


class Leader:
    """An assignor, and what it gives members."""

    def __init__(self, partitions: int = 8, assignor: str = "learner", **config: Any) -> None:
        self.topics = Topics({INPUT: partitions})
        self.assignor = StatefulAssignor(
            assignor, {key.replace("_", "."): value for key, value in config.items()}, Copies, lambda answer: None
        )

    def assign(self, members: Mapping[str, Copies | bytes | None]) -> dict[str, Answer]:
        return self.assigned(
            [(id, [INPUT], encode_copies(one) if isinstance(one, Copies) else one) for id, one in members.items()]
        )

    def assigned(self, joined: Sequence[tuple[str, Sequence[str], bytes | None]]) -> dict[str, Answer]:
        """Of members with their topics and bytes."""
        return {id: _answer(topics, data) for id, (topics, data) in self.assignor.assign(self.topics, joined).items()}

    def recorded(self) -> tuple[bytes, ...]:
        """What it was asked for the last round."""
        self.assignor.on_assignment((), None)
        return self.assignor.member.recorded


def _answer(topics: list[tuple[str, list[int]]], data: bytes) -> Answer:
    said = json.loads(data)
    return Answer(
        frozenset(number for _, numbers in topics for number in numbers),
        frozenset(said.get("standby", ())),
        frozenset(said.get("learner", ())),
        said["round"],
    )


def owner(*active: int, number: int = 1, **more: Any) -> Copies:
    return Copies(active=frozenset(active), round=number, **more)


def learner(*learner: int, number: int = 1, **more: Any) -> Copies:
    return Copies(learner=frozenset(learner), round=number, **more)


def assert_complete(answers: dict[str, Answer], partitions: int) -> None:
    assert sorted(number for one in answers.values() for number in one.active) == list(range(partitions))


def sizes(answers: dict[str, Answer]) -> list[int]:
    return sorted(len(one.active) for one in answers.values())


def test_members_hear_when_nobody_stays() -> None:
    """From a leader whatever it is itself; the member that is told knows it when its round has ended."""
    leader, leaving = Leader(assignor="scale-down"), Leaving(since_ms=1)
    copies = [owner(0, process="p0", leaving=leaving), owner(1, process="p1")]
    for last, alone in ((copies[1], False), (replace(copies[1], leaving=leaving), True)):
        joined = [("a", [INPUT], encode_copies(copies[0])), ("b", [INPUT], encode_copies(last))]
        answer = leader.assignor.assign(leader.topics, joined)["a"][1]
        leader.assignor.on_assignment([(INPUT, 0)], answer)
        assert leader.assignor.member.rounds.nobody_stays is alone


@pytest.fixture
def leader() -> Leader:
    return Leader()


def test_who_only_knocks_is_given_nothing(leader: Leader) -> None:
    """It subscribes to nothing, and may be gone already."""
    joined = [("a", [INPUT], encode_copies(Copies())), ("stranger", [], None)]
    given = leader.assigned(joined)
    assert list(given) == ["a"]
    assert_complete(given, 8)


def test_a_fresh_group_starts_at_once(leader: Leader) -> None:
    """There is nothing to learn from: every partition has an owner in the first round, evenly."""
    found = leader.assign({"a": Copies(), "b": Copies(), "c": None})
    assert_complete(found, 8)
    assert sizes(found) == [2, 3, 3]


def test_who_joins_learns_first(leader: Leader) -> None:
    """The owner keeps everything, and the newcomer learns its share."""
    found = leader.assign({"a": owner(*range(8)), "b": Copies()})
    assert found["a"].active == set(range(8))
    assert found["b"].active == set()
    assert len(found["b"].learner) == 4
    assert found["a"].round == 2


def test_what_is_ready_is_handed_over_and_the_rest_goes_on(leader: Leader) -> None:
    """In one round, since the clients give up all partitions at a rebalance anyway."""
    found = leader.assign({"a": owner(*range(8)), "b": learner(4, 5, 6, 7, lag={4: 0, 5: 0, 6: 1 << 20, 7: None})})
    assert found["b"].active == {4, 5}
    assert found["b"].learner == {6, 7}
    assert_complete(found, 8)


def test_a_group_at_rest_keeps_its_round(leader: Leader) -> None:
    """Nothing changes, so that joining again with the same bytes starts no rebalance."""
    members = {"a": owner(0, 1, 2, 3, number=7), "b": owner(4, 5, 6, 7, number=7)}
    assert {one.round for one in leader.assign(members).values()} == {7}


def test_the_newer_claim_is_true(leader: Leader) -> None:
    """Who was away for a round has copies of what it owned then, and nobody knows how old they are."""
    found = leader.assign({"a": owner(*range(8), number=3), "b": owner(4, 5, 6, 7, number=4)})
    assert found["a"].active == {0, 1, 2, 3}
    assert found["b"].active == {4, 5, 6, 7}


def test_an_orphan_goes_to_its_nearest_copy(leader: Leader) -> None:
    """A standby that has caught up before one that has not; dormant copies count as well."""
    leader.topics[INPUT] = 2
    found = leader.assign(
        {
            "a": Copies(standby=frozenset({0}), lag={0: 1 << 20}),
            "b": Copies(standby=frozenset({0}), lag={0: 0, 1: 1 << 21}),
            "c": Copies(lag={1: 0}),
        }
    )
    assert found["b"].active == {0}
    assert found["c"].active == {1}


def test_standbys_are_kept_elsewhere(leader: Leader) -> None:
    """As many as num.standby.replicas says."""
    found = Leader(num_standby_replicas=1).assign({"a": owner(0, 1, 2, 3), "b": owner(4, 5, 6, 7)})
    assert found["a"].standby == {4, 5, 6, 7}
    assert found["b"].standby == {0, 1, 2, 3}


def test_nobody_gives_up_what_the_leader_does_not_know_yet(leader: Leader) -> None:
    """A leader that has just started may not know the topic's partitions: owners keep theirs."""
    leader.topics.clear()
    found = leader.assign({"new": Copies(), "a": owner(0, 1, 2, 3), "b": owner(4, 5, 6, 7)})
    assert_complete(found, 8)
    assert found["a"].active == {0, 1, 2, 3}


def test_eighty_four_members_of_one_process_share_in_one_round() -> None:
    """All claim everything, in rounds that nobody else has heard of."""
    members = {f"m{n:02}": owner(*range(500), number=n % 3 * 1000, process=f"p{n // 84}") for n in range(84)}
    found = Leader(500).assign(members)
    assert_complete(found, 500)
    assert set(sizes(found)) <= {5, 6}


def test_without_libsegue_owners_keep_and_orphans_go_to_their_best_copy(leader: Leader) -> None:
    """A fault during a rebalance is nobody's end."""
    leader.assignor.planner.host.close()
    found = leader.assign({"a": owner(0, 1, 2, 3), "b": learner(4, 5, lag={4: 0, 5: 8}), "c": Copies(lag={6: 64})})
    assert_complete(found, 8)
    assert found["a"].active >= {0, 1, 2, 3}
    assert found["b"].active >= {4, 5}
    assert 6 in found["c"].active


numbers = st.frozensets(st.integers(-1, 12), max_size=8)
claims = st.builds(
    Copies,
    process=st.sampled_from(["", "p", "q"]),
    active=numbers,
    standby=numbers,
    learner=numbers,
    round=st.integers(0, 2**31 - 1),
    lag=st.dictionaries(st.integers(0, 12), st.none() | st.integers(0, 2**40), max_size=6),
)
garbage = st.binary(max_size=60) | st.recursive(
    st.none() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
).map(lambda value: json.dumps({"v": 1, "active": value, "lag": value, "learner": value}).encode())


@pytest.mark.parametrize("without_libsegue", [False, True])
@settings(max_examples=50)
@given(said=st.lists(claims | garbage, min_size=1, max_size=6))
def test_every_partition_has_one_owner_whatever_members_say(without_libsegue: bool, said: list[Copies | bytes]) -> None:
    """Contradictions, partitions that are not there, unknown rounds, bytes of others: complete in one round."""
    leader = Leader()
    if without_libsegue:
        leader.assignor.planner.host.close()
    found = leader.assign({f"m{number}": one for number, one in enumerate(said)})
    assert_complete(found, 8)
    for one in found.values():
        assert not one.active & one.learner
        assert not one.active & one.standby
        assert one.round < 2**31


@settings(max_examples=60)
@given(said=claims)
def test_claims_survive_the_wire(said: Copies) -> None:
    """What can be is read as it was written, and the same is always the same bytes."""
    read = decode_copies(encode_copies(said))
    assert read.active == {number for number in said.active if number >= 0}
    assert (read.process, read.round, read.lag) == (said.process, said.round, said.lag)
    assert decode_copies(encode_copies(read)) == read


def test_unknown_fields_are_passed_over() -> None:
    """A later version may say more."""
    data = json.dumps({"v": 1, "active": [1], "round": 2, "colour": "red"}).encode()
    assert decode_copies(data) == owner(1, number=2)
    assert json.loads(encode_answer(Answer(frozenset({1}), round=3))) == {"round": 3, "v": 1}


def test_a_time_that_has_passed_is_no_reason_for_one_rebalance_after_the_other() -> None:
    """The next one is a second later at the earliest; one that is due later is due then."""
    later = documents.now_ms() + 60_000
    assert _not_at_once(Followup(True, 1, "members-leaving")) > documents.now_ms()  # type: ignore[operator]
    assert _not_at_once(Followup(True, later, "probing")) == later
    assert _not_at_once(Followup(True, None, "learners-restoring")) is None


def test_sizes_of_states_are_the_owners_words() -> None:
    """What is none of its partitions does not count, and nothing depends on who is heard first."""
    for said in ({0: 4096, 1: 9}, {0: 4096, 1: 9, 99: 7}):
        first, second = owner(0, 1, size=said), owner(2, size={1: 5, 2: 6})
        for members in ({"a": first, "b": second}, {"b": second, "a": first}):
            leader = Leader(partitions=4)
            leader.assign(members)
            (frame,) = frames_of(b"".join(leader.recorded()))
            assert frame.sizes == {"0_0": 4096, "0_1": 9, "0_2": 6, "0_3": -1}


def test_learners_are_bounded_by_the_sizes_that_owners_tell() -> None:
    sizes = dict.fromkeys(range(8), 100)
    leader = Leader(partitions=8, segue_max_learning_bytes=200)
    found = leader.assign({"a": owner(*range(8), size=sizes), "b": Copies("b")})
    assert len(found["b"].learner) == 2


def test_sizes_in_join_data_are_numbers_or_nothing() -> None:
    assert decode_copies(encode_copies(owner(0, size={0: 7}))).size == {0: 7}
    odd: list[Any] = [None, 5, [], {"0": -1, "1": True, "x": 5, "2": 1 << 63, "3": None, "4": "7"}]
    for said in odd:
        assert decode_copies(encode({"active": [0], "size": said})).size == {}
