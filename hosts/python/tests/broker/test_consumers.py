# SPDX-License-Identifier: Apache-2.0
import pytest

from broker.consumers import Fleet

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
