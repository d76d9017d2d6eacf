# SPDX-License-Identifier: Apache-2.0
"""What holds of consumers with state, whatever the client: each test counts records while members come and go."""

from __future__ import annotations

import time

import pytest

from broker.counters import DYING, CountingFleet

CLIENTS = ("kafka-python", "aiokafka")
EACH_FIRST = pytest.mark.parametrize(("first", "second"), [CLIENTS, CLIENTS[::-1]])


@pytest.mark.parametrize("client", CLIENTS)
def test_members_come_and_go_and_every_record_counts_once(counters: CountingFleet, client: str) -> None:
    """From one member to three and back to one, the leader leaving first: nothing is lost and nothing counts twice."""
    leader = counters.join(client)
    counters.settle(4)
    counters.join(client)
    counters.settle(2, 2)
    counters.join(client)
    counters.settle(1, 1, 2)
    counters.progress()
    counters.leave(leader)
    counters.settle(2, 2)
    counters.leave(counters.there[0])
    counters.settle(4)
    counters.progress()
    counters.check_exact()


@EACH_FIRST
def test_members_that_die_lose_nothing(counters: CountingFleet, first: str, second: str) -> None:
    """First the leader is killed, then a follower: the other restores from the changelog what the dead one had."""
    leader = counters.join(first, consumer=DYING)
    counters.settle(4)
    counters.join(second)
    counters.settle(2, 2)
    counters.progress()
    counters.kill(leader)
    counters.settle(4)
    follower = counters.join(first, consumer=DYING)
    counters.settle(2, 2)
    counters.progress()
    counters.kill(follower)
    counters.settle(4)
    counters.check_states_exact()


@EACH_FIRST
def test_a_learner_that_dies_is_forgotten(counters: CountingFleet, first: str, second: str) -> None:
    """The owner serves on, and another learner takes the place of the dead one."""
    counters.fill(keys=500)
    counters.join(first)
    counters.settle(4)
    # It must not have learnt all that there is by the time that it dies.
    learner = counters.join(second, slow_ms=60_000, segue={"acceptable.recovery.lag": 0}, consumer=DYING)
    counters.wait(lambda: learner.restored().total() > 0)
    counters.kill(learner)
    counters.join(second)
    counters.settle(2, 2)
    counters.check_exact()


@EACH_FIRST
def test_a_standby_takes_over_without_a_restore(counters: CountingFleet, first: str, second: str) -> None:
    """With one standby, who takes over a dead member's partitions reads the end of their changelog and no more."""
    keys = 2_000
    counters.fill(keys)
    standby = {"segue": {"num.standby.replicas": 1}}
    survivor = counters.join(first, **standby)
    counters.settle(4)
    dying = counters.join(second, **standby, consumer=DYING)
    counters.settle(2, 2)
    lost = dying.holds
    counters.wait(lambda: all(survivor.restored()[number] >= keys for number in lost))
    counters.progress()
    at = time.time_ns()
    counters.kill(dying)
    counters.settle(4)
    assert max(survivor.restored(since=at).values(), default=0) < keys / 2
    counters.check_states_exact()


@EACH_FIRST
def test_a_rolling_restart_finds_its_state_again(counters: CountingFleet, first: str, second: str) -> None:
    """Who comes back to its folder gets partitions back and reads only what it has missed."""
    keys = 2_000
    counters.fill(keys)
    for number, client in enumerate((first, second)):
        counters.join(client, store=str(counters.folder / f"store-{number}"))
    counters.settle(2, 2)
    for one in list(counters.there):
        counters.progress(5)
        counters.leave(one)
        counters.settle(4)
        back = counters.join(one.client, **one.options)
        counters.settle(2, 2)
        assert max(back.restored().values(), default=0) < keys / 2
    counters.check_exact()


@EACH_FIRST
def test_an_application_that_fails_leaves_the_rest_to_the_others(
    counters: CountingFleet, first: str, second: str
) -> None:
    """Its exception reaches it; the record that it failed at is counted by the next owner, once."""
    fragile = counters.join(first, fragile=True)
    counters.settle(4)
    counters.join(second)
    counters.settle(2, 2)
    counters.progress()
    counters.producer.send(min(fragile.holds), b"poison")
    assert counters.end(fragile) == 1
    counters.settle(4)
    counters.check_exact()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_busy_application_is_waited_for_and_given_up_in_the_end(counters: CountingFleet, client: str) -> None:
    """A rebalance waits until its records are done. Where the group does not wait, what it wrote goes nowhere."""
    busy = counters.join(client, slow=True, consumer={"max_poll_interval_ms": 3_000})
    counters.settle(4)
    counters.producer.send(0, b"nap 1500")
    other = counters.join(client)
    counters.settle(2, 2)
    counters.progress()
    before = len(other.held)
    due = time.monotonic()

    def given_up() -> bool:
        """It may be over by the time that anybody looks. On a busy machine the sleeper may be back before the other has
        heard that it is alone: then it sleeps once more.
        """
        nonlocal due
        if time.monotonic() >= due:
            due += 20
            counters.producer.send(min(busy.holds, default=0), b"nap 6000")
        return counters.partitions in other.held[before:]

    counters.wait(given_up)
    counters.progress()
    counters.settle(2, 2)
    counters.check_states_exact()


@pytest.mark.parametrize("client", CLIENTS)
def test_fifty_fresh_members_join_and_none_of_them_hangs(counters: CountingFleet, client: str) -> None:
    """Ten at a time, beside one that stays; all are in the group soon, and leave it without a trace."""
    counters.join(client)
    counters.settle(4)
    counters.join_and_leave(client, rounds=5, each=10)
    counters.settle(4)
    counters.check_exact()
