# SPDX-License-Identifier: Apache-2.0
"""Assignors in Python: registered by name, asked by C, judged like any other."""

from __future__ import annotations

import gc
import importlib
import json
import logging
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from forking import forks, in_a_child
from hypothesis import given, settings
from hypothesis import strategies as st
from test_random import groups

import segue
from segue import Group, MemberPlan, _strategy

PROJECT = Path(__file__).resolve().parents[1]


class Keeper:
    """Everybody keeps what is owned; the last member learns the first task of the first one."""

    def assign(self, group: Group) -> list[MemberPlan]:
        rows = {member.id: MemberPlan(member.id, member.active, (), ()) for member in group.members}
        first, last = group.members[0], group.members[-1]
        rows[last.id] = MemberPlan(last.id, last.active, (), first.active[:1])
        return list(rows.values())


def keeping(group: Group) -> dict[str, Any]:
    return {"members": [{"id": member.id, "active": list(member.active)} for member in group.members]}


def test_an_object_is_registered_and_asked_by_its_name(host: segue.Host, group: dict[str, Any]) -> None:
    """A registered strategy's plan comes back with its figures counted and its follow-up asked for."""
    host.register("keeper", Keeper(), version="2", summary="keeps")
    plan = host.assign("keeper", group)
    assert not plan.report.fallback, plan.report.text
    assert plan.members["S3"].learner == ("0_0",)
    assert (plan.stats.learners, plan.stats.moves, plan.followup.needed) == (1, 0, True)
    first = host.assignors()[0]
    assert (first.name, first.version, first.summary, first.plugin) == ("keeper", "2", "keeps", "(registered)")


def test_a_function_answers_with_a_document(host: segue.Host, group: dict[str, Any]) -> None:
    """A plain function of the group will do, and a dict for its answer."""
    host.register("keeping", keeping)
    assert host.assign("keeping", group).members["S1"].active == ("0_0", "0_1")


def test_the_strategy_sees_what_was_asked(host: segue.Host, group: dict[str, Any]) -> None:
    """What a document says of members, tasks and configuration reaches the strategy."""
    seen: list[Group] = []
    group["config"] = {"num.standby.replicas": 1}
    group["members"][0].update(lag={"0_0": 7}, rack="r", threads=3)
    group["members"][1]["leaving"] = {"since_ms": 5}
    group["now_ms"] = 9

    def look(asked: Group) -> dict[str, Any]:
        seen.append(asked)
        return keeping(asked)

    host.register("keeping", look, knows_leaving=True)
    host.assign("keeping", group, warn=False)
    asked = seen[0]
    assert asked.config["num.standby.replicas"] == 1
    assert asked.now_ms == 9
    assert (asked.members[0].rack, asked.members[0].threads, asked.members[0].lag["0_0"]) == ("r", 3, 7)
    assert asked.members[1].leaving == segue.Leaving(since_ms=5)
    assert [task.id for task in asked.tasks] == ["0_0", "0_1", "0_2", "0_3"]


def test_a_strategy_may_ask_another_assignor(host: segue.Host, group: dict[str, Any]) -> None:
    """The answer of host.assign is an answer."""
    host.register("mine", lambda asked: host.assign("learner", asked))
    assert host.assign("mine", group).members == host.assign("learner", group).members


def test_a_wrong_plan_is_judged_like_any_other(host: segue.Host, group: dict[str, Any]) -> None:
    """Cold moves are rule 4 and answered by the fallback, unless the strategy says that it moves cold."""
    everything = [MemberPlan("S3", ("0_0", "0_1", "0_2", "0_3"), (), ())]
    host.register("cold", lambda _: everything)
    with pytest.warns(segue.FallbackWarning, match="R4: task 0_0 moves cold"):
        plan = host.assign("cold", group)
    assert (plan.report.rule, plan.members["S1"].active) == (4, ("0_0", "0_1"))
    host.register("cold", lambda _: everything, cold=True)
    assert host.assign("cold", group).stats.moves == 4


class Unspeakable(Exception):
    """One that has no text."""

    def __str__(self) -> str:
        raise self


def throw(fault: Exception) -> Any:
    raise fault


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda _: {"members": [{"id": "S9"}]}, 'its plan: members[0].id: the group has no member "S9"'),
        (lambda _: None, "TypeError: 'NoneType' object is not iterable"),
        (lambda _: throw(Unspeakable()), "Unspeakable"),
        (lambda _: ["S1"], "TypeError: a plan document or MemberPlans are wanted, not 'S1'"),
        (lambda asked: {**keeping(asked), "stats": {"spread": float("nan")}}, "ValueError: "),
    ],
)
def test_what_goes_wrong_in_it_is_the_reports_text(
    host: segue.Host, group: dict[str, Any], strategy: Any, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception, or an answer that is none, becomes a fault in words, and the fallback answers."""
    host.register("odd", strategy)
    with caplog.at_level(logging.CRITICAL, "segue"):
        report = host.assign("odd", group, warn=False).report
    assert (report.fallback, report.status) == (True, "internal")
    assert said in report.text


def test_a_long_text_is_cut_between_characters(host: segue.Host, group: dict[str, Any]) -> None:
    """A message longer than the record is cut to fit, as UTF-8."""

    def fail(_: Group) -> list[MemberPlan]:
        raise segue.InputError("ü" * 5000)

    host.register("long", fail)
    text = host.assign("long", group, warn=False).report.text
    assert text.startswith("üüü")
    assert set(text) == {"ü"}


def test_ctrl_c_is_raised_where_the_plan_was_asked_for(host: segue.Host, group: dict[str, Any]) -> None:
    """A KeyboardInterrupt inside of a strategy does not get lost in C."""

    def interrupt(_: Group) -> list[MemberPlan]:
        raise KeyboardInterrupt

    host.register("interrupted", interrupt)
    host.register("outer", lambda asked: host.assign("interrupted", asked))
    with pytest.raises(KeyboardInterrupt):
        host.assign("interrupted", group)
    with pytest.raises(KeyboardInterrupt):
        host.assign("outer", group)
    assert not host.assign("learner", group).report.fallback


def test_names_and_strategies_that_are_none_are_refused(host: segue.Host) -> None:
    """A name of other letters, and what cannot be called, are input errors; nothing is kept of them."""
    kept = len(_strategy._held)
    with pytest.raises(segue.InputError, match=r'up to 64 lower-case letters.*"My Own" is given'):
        host.register("My Own", keeping)
    strategy: Any = 7
    with pytest.raises(segue.InputError, match=r"an object with assign\(group\), is wanted, not 7"):
        host.register("seven", strategy)
    with pytest.raises(segue.AssignorError, match="no assignor nobody is registered"):
        host.unregister("nobody")
    assert len(_strategy._held) == kept


def test_it_stands_before_a_plugins_of_its_name_until_it_goes(host: segue.Host, group: dict[str, Any]) -> None:
    """A registered learner is asked instead of the plugin's, which is back when that was unregistered."""
    host.register("learner", keeping)
    assert host.assign("learner", group).stats.learners == 0
    host.unregister("learner")
    assert host.assign("learner", group).stats.learners == 1


def test_nothing_is_held_once_it_is_gone(group: dict[str, Any]) -> None:
    """Unregistering, replacing and closing let the strategy go."""
    gone: list[weakref.ref[Keeper]] = []
    kept = len(_strategy._held)
    with segue.load() as host:
        for _ in range(3):
            strategy = Keeper()
            gone.append(weakref.ref(strategy))
            host.register("keeper", strategy)
        host.assign("keeper", group)
        assert len(_strategy._held) == kept + 1
        del strategy
    del host
    gc.collect()
    assert len(_strategy._held) == kept
    assert [one() for one in gone] == [None] * 3


def test_threads_ask_while_it_is_swapped(host: segue.Host, group: dict[str, Any]) -> None:
    """Eight threads lose no plan while strategies replace each other 300 times."""
    host.register("swapped", Keeper())
    over = threading.Event()

    def ask() -> int:
        faults = 0
        while not over.is_set():
            faults += host.assign("swapped", group, warn=False).report.fallback
        return faults

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask) for _ in range(8)]
        for turn in range(300):
            host.register("swapped", Keeper() if turn % 2 else keeping)
        over.set()
        assert [one.result() for one in asking] == [0] * 8


@forks
def test_a_child_after_fork_has_it_too(host: segue.Host, group: dict[str, Any]) -> None:
    """A strategy that was registered before a fork answers in the child, and in the parent afterwards."""
    host.register("keeper", Keeper())
    wanted = dict(host.assign("keeper", group).members)

    def ask() -> None:
        assert dict(host.assign("keeper", group).members) == wanted

    assert in_a_child(ask) == 0
    ask()


@forks
def test_a_strategy_may_fork(host: segue.Host, group: dict[str, Any]) -> None:
    """A strategy that runs something in a child disturbs neither."""

    def forking(asked: Group) -> dict[str, Any]:
        assert in_a_child(lambda: None) == 0
        return keeping(asked)

    host.register("forking", forking)
    assert not host.assign("forking", group).report.fallback


def test_every_host_opened_later_has_what_was_registered_for_all(group: dict[str, Any]) -> None:
    """segue.register holds for hosts that others open, such as consumers do."""
    try:
        segue.register("keeper", Keeper(), summary="for all")
        with segue.load() as host:
            assert host.assign("keeper", group).stats.learners == 1
            assert host.assignors()[0].summary == "for all"
    finally:
        segue.unregister("keeper")
    with segue.load() as host, pytest.raises(segue.AssignorError, match="no assignor keeper"):
        host.assign("keeper", group)


LEFT_OPEN = """
import segue
host = segue.load()
host.register("mine", lambda group: host.assign("learner", group))
host.assign("mine", {"segue": "group/1", "members": [{"id": "a"}], "subtopologies": [{"id": 0, "partitions": 2}]})
"""


def test_an_interpreter_ends_quietly_with_a_host_left_open() -> None:
    """Nobody closes the host: the interpreter ends with status 0 and without a word."""
    done = subprocess.run([sys.executable, "-c", LEFT_OPEN], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


WITHOUT_EXECUTABLE_MEMORY = """
import ctypes, segue
PR_SET_MDWE, REFUSE_EXEC_GAIN = 65, 1
if ctypes.CDLL(None).prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0:
    print("no such kernel")
else:
    with segue.load() as host:
        try:
            host.register("mine", lambda group: host.assign("learner", group))
            print(host.assign("mine", {"segue": "group/1", "members": [{"id": "a"}]}).report.status)
        except segue.InternalError as fault:
            print(fault.text)
"""


def test_where_executable_memory_is_forbidden_it_works_or_says_so() -> None:
    """Under the kernel's memory-deny-write-execute a strategy is asked, or refused with the reason."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXECUTABLE_MEMORY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("ok", "no such kernel") or "memory that may be executed" in done.stdout


def test_the_reason_is_told_where_no_closure_can_be_made(host: segue.Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ctypes gets no executable memory, registering is refused in words that say why."""

    def refuse(_: object) -> None:
        raise MemoryError("ffi_prep_closure failed")

    _strategy._closures.cache_clear()
    monkeypatch.setattr(_strategy, "_ASSIGN", refuse)
    with pytest.raises(segue.InternalError, match="the system gives none"):
        host.register("mine", keeping)


@settings(max_examples=60)
@given(group=groups, name=st.sampled_from(["learner", "balanced", "high-availability"]))
def test_what_passes_through_python_stays_the_same(group: dict[str, Any], name: str) -> None:
    """A strategy that hands on another assignor's plan changes no member of it, for any group."""
    with segue.load() as host:
        traits = next(one for one in host.assignors() if one.name == name)
        host.register(
            "through",
            lambda asked: host.assign(name, asked, warn=False),
            cold=traits.cold,
            knows_leaving=traits.knows_leaving,
            loose=traits.loose,
        )
        through, plain = host.assign("through", group, warn=False), host.assign(name, group, warn=False)
    assert not through.report.fallback, through.report.text
    assert (through.members, through.followup) == (plain.members, plain.followup)


# ---- the example -----------------------------------------------------------------------------------------------------

HOUR = 3_600_000
MIDNIGHT = 20_000 * 24 * HOUR


@pytest.mark.parametrize(
    ("hour", "learners", "opens"),
    [(3, 1, MIDNIGHT + 3 * HOUR + 600_000), (0, 0, MIDNIGHT + HOUR), (12, 0, MIDNIGHT + 25 * HOUR)],
)
def test_the_example_begins_to_learn_at_night_alone(
    host: segue.Host,
    group: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    hour: int,
    learners: int,
    opens: int,
) -> None:
    """examples/nightly.py learns at night; by day it asks to be asked again when the night begins."""
    monkeypatch.syspath_prepend(str(PROJECT / "examples"))
    host.register("nightly", importlib.import_module("nightly").Nightly())
    plan = host.assign("nightly", {**group, "now_ms": MIDNIGHT + hour * HOUR})
    assert (plan.report.text, plan.stats.learners) == ("", learners)
    assert plan.followup.needed
    assert plan.followup.at_ms == opens


def test_the_example_goes_on_with_what_learns_already(
    host: segue.Host, group: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy that was begun at night is finished by day."""
    monkeypatch.syspath_prepend(str(PROJECT / "examples"))
    host.register("nightly", importlib.import_module("nightly").Nightly())
    group["members"][2].update(learner=["0_3"], lag={"0_3": 10**6})
    plan = host.assign("nightly", {**group, "now_ms": MIDNIGHT + 12 * HOUR})
    assert (plan.report.text, plan.members["S3"].learner) == ("", ("0_3",))


def test_the_example_runs(group: dict[str, Any], tmp_path: Path) -> None:
    """python examples/nightly.py prints the plan."""
    document = tmp_path / "group.json"
    document.write_text(json.dumps({**group, "now_ms": MIDNIGHT + 2 * HOUR}), encoding="utf-8")
    command = [sys.executable, str(PROJECT / "examples/nightly.py"), str(document)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    plan = json.loads(done.stdout)
    assert (plan["assignor"], plan["stats"]["learners"]) == ("nightly", 1)
