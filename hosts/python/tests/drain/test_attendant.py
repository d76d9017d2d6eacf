# SPDX-License-Identifier: Apache-2.0
"""How one consumer is looked after: marks, wishes, presence and its end."""

import json
import logging
import signal
from collections.abc import Iterator
from typing import Any

import pytest

import segue
from drain.fakes import PATIENCE_S, Brokers, Consumer, wait_for
from segue import DrainError, DrainResult, Instance, Led, Phase
from segue._drain import documents
from segue._drain.channel import ChannelError, NotAllowed
from segue._drain.mark import Mark
from segue._drain.membership import nobody_stays
from segue._drain.offer import Offer
from segue._drain.settings import Settings
from segue._drain.side_groups import SideGroups
from segue._drain.swap import Swap

PLACE = ("orders", 0)


class Looked:
    """A consumer that is looked after, and what its group does with it."""

    def __init__(self, configured: str = "scale-down") -> None:
        self.brokers = Brokers()
        self.groups = SideGroups(self.brokers, "shop")
        self.consumer = Consumer(self.brokers)
        self.member = self.consumer.member
        self.offer = Offer(configured, {one.name: one for one in segue.assignors()})
        self.settings = Settings(marks_poll_ms=50)
        self.kept = 0
        self.consumer.on_rejoin = self.rebalance
        self.leads = False
        self.emptied = True
        self.rest_leaves = False

    def metrics(self) -> segue.Metrics:
        with segue.load() as host:
            return host.metrics()

    def start(self) -> Instance:
        self.rebalance()
        self.instance = Instance(self.consumer, self.member, self)
        return self.instance

    def rebalance(self) -> None:
        """A round that takes what it has from a leaving member, unless nobody is there for it."""
        voice = self.member.say()
        leaving = voice.leaving is not None
        self.consumer.tasks = 0 if leaving and self.emptied else 3
        if self.leads:
            self.member.leads(Led(at_ms=1, assignor=self.instance.assignor))
        self.member.round_ended(nobody_stays([voice]) and self.rest_leaves)

    @property
    def presence(self) -> dict[str, Any]:
        text = self.brokers.text(self.groups.presence(self.member.instance))
        return json.loads(text) if text else {}

    @property
    def mark(self) -> Mark | None:
        return Mark.read(self.brokers.text(self.groups.mark(self.member.instance)))

    def put_mark(self, deadline_ms: int) -> None:
        mark = Mark(self.member.instance, since_ms=1000, deadline_ms=deadline_ms, by="segue drain")
        self.brokers.write(self.groups.mark(self.member.instance), PLACE, mark.text())

    def put_wish(self, name: str) -> None:
        self.brokers.write(self.groups.assignor, PLACE, Swap(name, 5, "segue swap").text())

    def end(self) -> None:
        self.brokers.fault = None
        self.brokers.answering.set()
        self.consumer.is_closed = True
        self.instance.after_close()


@pytest.fixture
def looked() -> Iterator[Looked]:
    made = Looked()
    yield made
    made.end()


@pytest.fixture
def learning() -> Iterator[Looked]:
    """One whose assignor heeds no marks."""
    made = Looked("learner")
    yield made
    made.end()


def test_a_member_tells_of_itself(looked: Looked) -> None:
    """Names by which people know it, and what it would do."""
    looked.start()
    wait_for(lambda: looked.presence)
    found = looked.presence
    assert found["instance"] == looked.member.instance == looked.instance.id
    assert (found["client_id"], found["state"], found["active"]) == ("orders-1", "running", 3)
    assert found["application_server"] == "10.0.0.7:8080"
    assert (found["assignor"], found["leaving_known"]) == ("scale-down", True)
    assert {"balanced", "learner"} < set(found["assignors"])
    assert isinstance(found["pid"], int)


def test_a_drain_empties_the_member_which_leaves_and_cleans_up(looked: Looked) -> None:
    instance = looked.start()
    assert instance.drain(60).result(PATIENCE_S) is DrainResult.EMPTIED
    assert looked.consumer.left
    assert looked.brokers.groups_there == {}
    assert looked.brokers.closed
    assert instance.drain_state.ready_to_stop


def test_it_leaves_the_group_before_its_mark_goes(looked: Looked) -> None:
    """The other way round a rebalance between would give it work again."""
    instance = looked.start()
    there: list[bool] = []
    looked.consumer.on_leave = lambda: there.append(looked.mark is not None)
    instance.drain().result(PATIENCE_S)
    assert there == [True]


def test_a_mark_of_somebody_else_is_heeded(looked: Looked) -> None:
    instance = looked.start()
    looked.emptied = False
    looked.put_mark(deadline_ms=2**50)
    wait_for(lambda: looked.presence.get("drain"))
    assert looked.presence["drain"] == {"since_ms": 1000, "deadline_ms": 2**50, "tasks_left": 3, "stay": False}
    assert instance.drain_state.phase is Phase.DRAINING
    looked.emptied = True
    wait_for(lambda: looked.consumer.left)


def test_a_drain_that_was_told_to_stay_stays_empty(looked: Looked) -> None:
    instance = looked.start()
    assert instance.drain(60, stay=True).result(PATIENCE_S) is DrainResult.EMPTIED
    wait_for(lambda: looked.presence["state"] == "empty")
    assert not looked.consumer.left
    assert instance.drain_state.ready_to_stop
    looked.consumer.is_closed = True
    instance.after_close()
    assert looked.brokers.groups_there == {}


def test_a_drain_can_be_cancelled(looked: Looked) -> None:
    instance = looked.start()
    looked.emptied = False
    drain = instance.drain(60)
    wait_for(lambda: looked.presence["state"] == "draining")
    assert instance.cancel_drain().result(PATIENCE_S) is True
    assert drain.result(PATIENCE_S) is DrainResult.CANCELLED
    wait_for(lambda: looked.presence["state"] == "running")
    assert looked.mark is None
    assert looked.member.say().leaving is None
    assert instance.cancel_drain().result(PATIENCE_S) is False


def test_a_mark_that_somebody_took_away_cancels(looked: Looked) -> None:
    instance = looked.start()
    looked.emptied = False
    drain = instance.drain(60)
    wait_for(lambda: looked.mark)
    looked.brokers.delete(looked.groups.mark(looked.member.instance))
    assert drain.result(PATIENCE_S) is DrainResult.CANCELLED


def test_marked_again_the_deadline_changes(looked: Looked) -> None:
    instance = looked.start()
    looked.emptied = False
    first = instance.mark(600).result(PATIENCE_S)
    again = instance.mark(6).result(PATIENCE_S)
    assert first.since_ms == again.since_ms
    assert first.deadline_ms is not None
    assert again.deadline_ms is not None
    assert again.deadline_ms < first.deadline_ms


def test_a_deadline_that_passes_asks_for_a_rebalance_and_the_end_is_late(looked: Looked) -> None:
    instance = looked.start()
    looked.emptied = False
    drain = instance.drain(0.2)
    wait_for(lambda: instance.drain_state.phase is Phase.DRAINING)
    deadline_ms = instance.drain_state.deadline_ms
    assert deadline_ms is not None

    def force() -> None:
        looked.emptied = documents.now_ms() >= deadline_ms
        looked.rebalance()

    looked.consumer.on_rejoin = force
    assert drain.result(PATIENCE_S) is DrainResult.TIMED_OUT
    assert looked.consumer.left


def test_one_that_is_closed_half_way_keeps_its_mark(looked: Looked) -> None:
    """After a restart with the same state the drain goes on."""
    instance = looked.start()
    looked.emptied = False
    drain = instance.drain(60)
    wait_for(lambda: looked.presence["state"] == "draining")
    looked.consumer.is_closed = True
    instance.after_close()
    assert drain.result(PATIENCE_S) is DrainResult.INTERRUPTED
    assert looked.mark is not None
    assert looked.presence == {}
    with pytest.raises(DrainError, match="closed"):
        instance.drain().result(PATIENCE_S)


def test_a_mark_whose_deadline_was_over_before_the_start_is_removed(looked: Looked) -> None:
    looked.put_mark(deadline_ms=2000)
    looked.start()
    wait_for(lambda: looked.mark is None)
    wait_for(lambda: looked.presence)
    assert looked.presence["state"] == "running"


def test_an_assignor_that_heeds_no_marks_cannot_be_drained(learning: Looked) -> None:
    instance = learning.start()
    with pytest.raises(DrainError, match="learner heeds no marks; balanced and scale-down do"):
        instance.drain()
    with pytest.raises(DrainError, match="heeds no marks"):
        instance.cancel_drain()
    wait_for(lambda: learning.presence)
    assert learning.presence["leaving_known"] is False


def test_a_swap_to_one_that_heeds_marks_makes_it_drainable(learning: Looked) -> None:
    instance = learning.start()
    instance.swap("scale-down").result(PATIENCE_S)
    assert instance.assignor == "scale-down"
    assert instance.drain().result(PATIENCE_S) is DrainResult.EMPTIED


def test_who_led_asks_for_a_rebalance_when_another_assignor_is_wished_for(looked: Looked) -> None:
    """And tells who computes from then on."""
    instance = looked.start()
    looked.leads = True
    looked.rebalance()
    before = looked.consumer.rejoins
    looked.put_wish("balanced")
    wait_for(lambda: looked.presence.get("led", {}).get("assignor") == "balanced")
    assert looked.consumer.rejoins > before
    assert (looked.presence["assignor"], looked.presence["configured"]) == ("balanced", "scale-down")
    instance.swap_back().result(PATIENCE_S)
    wait_for(lambda: looked.presence.get("led", {}).get("assignor") == "scale-down")
    assert "configured" not in looked.presence


def test_who_did_not_lead_asks_for_nothing(looked: Looked) -> None:
    instance = looked.start()
    wait_for(lambda: looked.presence)
    before = looked.consumer.rejoins
    looked.put_wish("balanced")
    wait_for(lambda: instance.assignor == "balanced")
    wait_for(lambda: looked.presence["assignor"] == "balanced")
    assert looked.consumer.rejoins == before


def test_a_wish_that_cannot_be_fulfilled_is_told(looked: Looked, caplog: pytest.LogCaptureFixture) -> None:
    instance = looked.start()
    looked.put_wish("nonsense")
    wait_for(lambda: looked.presence.get("swap_refused") == "nonsense")
    assert instance.assignor == "scale-down"
    assert "there is no assignor nonsense here, which segue swap wishes for" in caplog.text
    with pytest.raises(segue.AssignorError, match=r"nonsense: there are balanced, .*sticky"):
        instance.swap("nonsense")


def test_a_missing_right_is_told_once(looked: Looked, caplog: pytest.LogCaptureFixture) -> None:
    """It works on without drains; what is asked for says what is missing."""
    looked.brokers.fault = NotAllowed("denied")
    instance = looked.start()
    with pytest.raises(DrainError, match="Kafka did not answer"):
        instance.drain().result(PATIENCE_S)
    with pytest.raises(DrainError, match="Kafka did not answer"):
        instance.cancel_drain().result(PATIENCE_S)
    assert caplog.text.count("cannot look for a mark") == 1
    assert "Read and Delete on groups with the prefix 'shop.segue.'" in caplog.text


def test_brokers_that_come_back_are_told_of(looked: Looked, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "segue")
    looked.brokers.fault = ChannelError("down")
    looked.start()
    wait_for(lambda: "cannot look for a mark" in caplog.text)
    looked.brokers.fault = None
    wait_for(lambda: "can look for a mark on this member and for the assignor that is wished for again" in caplog.text)


def test_a_presence_stands_at_a_topic_that_is_there(looked: Looked) -> None:
    """Topics from outside before those that the application makes itself; one that is not there is passed over."""
    looked.consumer.subscribed = ("shop-internal", "absent", "orders", "shop-a")
    looked.brokers.topics = ("orders", "shop-internal")
    looked.start()
    wait_for(lambda: looked.presence)
    assert looked.brokers.groups_there[looked.groups.presence(looked.member.instance)].keys() == {PLACE}


def test_sigterm_closes_at_once_what_cannot_be_drained(learning: Looked, caplog: pytest.LogCaptureFixture) -> None:
    instance = learning.start()
    instance.drain_and_close(60)
    wait_for(lambda: learning.consumer.left)
    assert "closing at once, without a drain: cannot be drained" in caplog.text


def test_sigterm_that_could_not_drain_is_warned_of_at_the_start(
    learning: Looked, looked: Looked, caplog: pytest.LogCaptureFixture
) -> None:
    """Not only when it comes, which is when nothing can be done about it any more."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        segue.drain_on_sigterm(looked.start())
        assert caplog.text == ""
        segue.drain_on_sigterm(learning.start())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "SIGTERM will close this member at once, without a drain: the assignor learner heeds no marks" in caplog.text
    assert looked.instance.drain_obstacle is None


def test_sigterm_closes_after_the_timeout_what_nobody_takes(looked: Looked) -> None:
    """Its mark goes with it: that drain is over, and who starts again with this state works as any other."""
    instance = looked.start()
    looked.emptied = False
    instance.drain_and_close(0.1)
    wait_for(lambda: looked.consumer.left)
    instance.after_close()
    assert looked.mark is None


def test_sigterm_of_all_members_waits_for_nobody(looked: Looked) -> None:
    """Whatever the timeout; what was waited for is told, and the mark goes as at the timeout."""
    instance = looked.start()
    looked.emptied = False
    looked.rest_leaves = True
    drain = instance.drain(600)
    wait_for(lambda: looked.presence["state"] == "draining")
    instance.drain_and_close(600)
    assert drain.result(PATIENCE_S) is DrainResult.INTERRUPTED
    assert looked.consumer.left
    assert looked.mark is None


def test_a_drain_of_all_members_waits_for_new_ones(looked: Looked) -> None:
    """A whole fleet may be marked before the next one starts: only a process that is to end ends without them."""
    instance = looked.start()
    looked.emptied = False
    looked.rest_leaves = True
    drain = instance.drain(600)
    wait_for(lambda: instance.drain_state.phase is Phase.DRAINING)
    ticks = looked.brokers.reads
    wait_for(lambda: looked.brokers.reads > ticks + 3)
    assert not looked.consumer.left
    looked.emptied = True
    assert drain.result(PATIENCE_S) is DrainResult.EMPTIED


def test_a_mark_ends_with_a_member_that_is_closed_after_its_deadline(looked: Looked) -> None:
    """Half way is before the deadline: afterwards there is nothing to go on with."""
    instance = looked.start()
    looked.emptied = False
    instance.drain(0.1)
    wait_for(lambda: documents.now_ms() > (instance.drain_state.deadline_ms or 2**60))
    looked.consumer.is_closed = True
    instance.after_close()
    assert looked.mark is None


def test_one_step_of_the_end_that_fails_skips_no_other(looked: Looked, caplog: pytest.LogCaptureFixture) -> None:
    """Its mark cannot be removed, and its server does not close: the connection is given back all the same."""
    instance = looked.start()
    instance._server = Failing()  # type: ignore[assignment]
    looked.brokers.fault = ChannelError("down")
    looked.consumer.is_closed = True
    instance.after_close()
    assert looked.brokers.closed
    assert "could not stop serving HTTP: it hangs" in caplog.text


class Failing:
    """A server."""

    port = 1

    def close(self) -> None:
        raise RuntimeError("it hangs")


def test_a_timeout_is_seconds() -> None:
    looked = Looked()
    instance = looked.start()
    for wrong in (-1, float("nan")):
        with pytest.raises(segue.InputError, match="seconds from 0 on are wanted"):
            instance.drain(wrong)
    looked.end()


def test_a_consumer_that_was_not_attached_has_no_instance() -> None:
    with pytest.raises(segue.InputError, match="attach gives it one"):
        segue.asgi(object())
