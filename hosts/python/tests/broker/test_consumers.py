# SPDX-License-Identifier: Apache-2.0
import pytest

from broker.consumers import Consumer, Fleet
from broker.process import wait_for

CLIENTS = ("kafka-python", "aiokafka")


@pytest.mark.parametrize("client", CLIENTS)
def test_members_join_and_leave_with_the_fewest_moves(fleet: Fleet, client: str) -> None:
    """Who joins takes only its share, who leaves gives up only its own, and every record is read."""
    fleet.join(client)
    fleet.join(client)
    two = fleet.settle(4, 4)
    fleet.send()
    third = fleet.join(client)
    three = fleet.settle(2, 3, 3)
    assert three[0] < two[0]
    assert three[1] < two[1]
    fleet.send()
    fleet.leave(third)
    again = fleet.settle(4, 4)
    assert three[0] < again[0]
    assert three[1] < again[1]
    fleet.send()
    fleet.wait_for_records()


@pytest.mark.parametrize(("first", "second"), [CLIENTS, CLIENTS[::-1]])
def test_both_clients_share_a_group_and_take_over_the_lead(fleet: Fleet, first: str, second: str) -> None:
    """The other client joins, leads when the first one leaves, and nobody loses what it has."""
    leader = fleet.join(first)
    fleet.settle(8)
    fleet.join(second)
    fleet.settle(4, 4)
    fleet.join(first)
    _, *before = fleet.settle(2, 3, 3)
    fleet.send()
    fleet.leave(leader)
    after = fleet.settle(4, 4)
    assert before[0] < after[0]
    assert before[1] < after[1]
    fleet.send()
    fleet.wait_for_records()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_running_group_is_rolled_over_member_by_member(fleet: Fleet, client: str) -> None:
    """`[segue, range]` works beside `[range]`; the broker takes segue once all know it; then range may be left out."""
    old = [fleet.join(client, "range"), fleet.join(client, "range")]
    fleet.settle(4, 4)
    fleet.wait_for_protocol("range")
    for one, protocol in zip(old, ("range", "segue"), strict=True):
        fleet.send()
        fleet.leave(one)
        fleet.join(client, "segue", "range")
        fleet.settle(4, 4)
        fleet.wait_for_protocol(protocol)
    for one in list(fleet.there):
        fleet.leave(one)
        fleet.join(client, "segue")
        fleet.settle(4, 4)
        fleet.wait_for_protocol("segue")
    fleet.send()
    fleet.wait_for_records()


@pytest.mark.parametrize("client", CLIENTS)
def test_cooperative_members_keep_what_stays(fleet: Fleet, client: str) -> None:
    """Beside an eager member of either client, which leads, and then among themselves: only what moves is revoked, only
    what comes is assigned.
    """
    eager = fleet.join(client)
    fleet.settle(8)
    fleet.join("kafka-python", "cooperative")
    fleet.settle(4, 4)
    for newcomer in (True, False, True):
        before = {one: (one.holds, len(one.told)) for one in fleet.there if one is not eager}
        fleet.send()
        if newcomer:
            fleet.join("kafka-python", "cooperative")
        else:
            fleet.leave(eager)
        fleet.settle(*([2, 3, 3] if newcomer else [4, 4]))
        for one, (held, mark) in before.items():
            wait_until_told(one, mark, held)
    fleet.wait_for_records()
    assert_never_two(fleet)


def test_a_group_is_rolled_over_from_cooperative_sticky(fleet: Fleet) -> None:
    """When the group changes from the old protocol to segue's, everybody keeps what the old one gave."""
    old = fleet.join("kafka-python", "cooperative-sticky")
    fleet.settle(8)
    new = [fleet.join("kafka-python", "cooperative", "beside") for _ in range(2)]
    fleet.settle(2, 3, 3)
    fleet.wait_for_protocol("cooperative-sticky")
    fleet.send()
    before = [(one, one.holds, len(one.told)) for one in new]
    fleet.leave(old)
    fleet.settle(4, 4)
    fleet.wait_for_protocol("segue")
    for one, held, mark in before:
        wait_until_told(one, mark, held)
        assert told(one, mark, "revoked") == set()
    fleet.send()
    fleet.wait_for_records()
    assert_never_two(fleet)


def wait_until_told(one: Consumer, mark: int, held: frozenset[int]) -> None:
    """Its listener hears of the difference, and of nothing else. It is called by another thread than the one that tells
    what the consumer holds.
    """
    wait_for(
        lambda: told(one, mark, "revoked") == held - one.holds and told(one, mark, "assigned") == one.holds - held,
        lambda: f"held {sorted(held)} before and {sorted(one.holds)} now; told: {one.told[mark:]}",
    )


def told(one: Consumer, mark: int, what: str) -> set[int]:
    """What its listener has been told since then, each partition once."""
    found = [partition for name, partition, _ in one.told[mark:] if name == what]
    assert len(found) == len(set(found))
    return set(found)


def assert_never_two(fleet: Fleet) -> None:
    """By what the listeners were told and when, every partition was revoked before another was given it."""
    owner: dict[int, Consumer | None] = {}
    rows = [(at, what, partition, one) for one in fleet.gone + fleet.there for what, partition, at in one.told]
    for _, what, partition, one in sorted(rows, key=lambda row: row[0]):
        assert owner.get(partition) in (None, one), f"{what} {partition}"
        owner[partition] = one if what == "assigned" else None
