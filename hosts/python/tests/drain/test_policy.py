# SPDX-License-Identifier: Apache-2.0
"""When a marked member asks for a rebalance, and when it leaves."""

from dataclasses import replace

from segue._drain.drain_policy import DrainPolicy, Seen, Step
from segue._drain.mark import Mark
from segue._drain.membership import Rounds

HEARTBEAT = 3.0
MARK = Mark("i", since_ms=1000, deadline_ms=100_000)
RUNNING = Seen(None, active=2, running=True, rounds=Rounds(5, 0.0))
MARKED = replace(RUNNING, mark=MARK)
EMPTY = replace(MARKED, active=0, rounds=Rounds(6, 10.0))


def marked() -> DrainPolicy:
    """One that has asked at once, at 10 s."""
    policy = DrainPolicy(HEARTBEAT)
    assert policy.next(RUNNING, 0, 9.0) is Step.WAIT
    assert policy.next(MARKED, 0, 10.0) is Step.ASK
    return policy


def test_it_leaves_when_a_round_has_left_it_empty_and_nothing_follows() -> None:
    policy = marked()
    assert policy.next(EMPTY, 0, 10.5) is Step.WAIT
    assert policy.next(EMPTY, 0, 11.0) is Step.LEAVE


def test_one_that_was_empty_before_leaves_only_after_a_round() -> None:
    """The leader may be about to give it work."""
    policy = marked()
    assert policy.next(replace(EMPTY, rounds=Rounds(5, 0.0)), 0, 20.0) is Step.WAIT
    assert policy.next(EMPTY, 0, 20.0) is Step.LEAVE


def test_it_does_not_leave_in_the_midst_of_a_rebalance() -> None:
    assert marked().next(replace(EMPTY, running=False), 0, 20.0) is Step.WAIT


def test_told_to_stay_it_waits_for_ever() -> None:
    policy = DrainPolicy(HEARTBEAT)
    staying = replace(EMPTY, mark=replace(MARK, stay=True), rounds=Rounds(5, 0.0))
    assert policy.next(staying, 0, 10.0) is Step.ASK
    assert policy.next(replace(staying, rounds=Rounds(6, 10.0)), 0, 60.0) is Step.WAIT


def test_it_asks_again_more_and_more_seldom_while_it_has_tasks() -> None:
    """The round that was asked for may have been the one under way, whose leader knew nothing."""
    policy, now, asked = marked(), 10.0, [10.0]
    while len(asked) < 5:
        now += 0.5
        if policy.next(MARKED, 0, now) is Step.ASK:
            asked.append(now)
    assert asked == [10.0, 16.0, 28.0, 52.0, 100.0]


def test_who_was_heard_leaves_the_asking_to_those_that_take_over() -> None:
    """They ask when they are ready; each round makes all members pause."""
    policy, heard = marked(), replace(MARKED, rounds=Rounds(6, 11.0, heard=True))
    assert policy.next(heard, 0, 100.0) is Step.WAIT
    assert policy.next(heard, 0, 106.0) is Step.ASK
    assert policy.next(replace(heard, rounds=Rounds(7, 107.0)), 0, 120.0) is Step.ASK


def test_it_does_not_ask_while_a_round_has_just_ended() -> None:
    policy = marked()
    assert policy.next(replace(MARKED, rounds=Rounds(6, 15.0)), 0, 20.0) is Step.WAIT
    assert policy.next(replace(MARKED, rounds=Rounds(6, 15.0)), 0, 21.0) is Step.ASK


def test_it_does_not_ask_again_in_the_midst_of_a_rebalance() -> None:
    """What was asked for is under way; asking again would only make another."""
    policy = marked()
    assert policy.next(replace(MARKED, running=False), 0, 60.0) is Step.WAIT
    assert policy.next(MARKED, 0, 60.0) is Step.ASK


def test_it_asks_when_its_deadline_passes() -> None:
    policy = marked()
    assert policy.next(MARKED, 99_999, 11.0) is Step.WAIT
    assert policy.next(MARKED, 100_000, 11.0) is Step.ASK
    assert policy.next(MARKED, 100_001, 11.1) is Step.WAIT


def test_it_asks_when_the_mark_changes_or_goes() -> None:
    policy = marked()
    assert policy.next(replace(MARKED, mark=replace(MARK, deadline_ms=5)), 0, 11.0) is Step.ASK
    assert policy.next(RUNNING, 0, 12.0) is Step.ASK


def test_a_cancel_is_told_until_a_round_has_ended() -> None:
    policy = marked()
    assert policy.next(RUNNING, 0, 12.0) is Step.ASK
    assert policy.next(RUNNING, 0, 17.9) is Step.WAIT
    assert policy.next(RUNNING, 0, 18.0) is Step.ASK
    assert policy.next(replace(RUNNING, rounds=Rounds(6, 18.5)), 0, 100.0) is Step.WAIT
