# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, subinterpreters, event loops: what else goes on in a process that asks for plans."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from forking import PATIENCE, forks, in_a_child
from test_columns import columns_of

import segue


def test_many_threads_share_one_host(host: segue.Host, group: dict[str, Any]) -> None:
    """Thirty-two threads that ask one host by documents and columns at once get one and the same plan."""
    columns = columns_of(host, group)
    plan = host.assign_columns("balanced", columns).learner.tolist()
    members = host.assign("balanced", group)["members"]

    def ask(_: int) -> bool:
        return (
            host.assign("balanced", group)["members"] == members
            and host.assign_columns("balanced", columns).learner.tolist() == plan
        )

    with ThreadPoolExecutor(32) as pool:
        assert all(pool.map(ask, range(640)))


def test_hosts_open_and_close_in_many_threads(group: dict[str, Any]) -> None:
    """Opening, asking and closing at once in many threads disturbs nobody."""

    def ask(_: int) -> str:
        with segue.load() as host:
            return str(host.assign("learner", group)["assignor"])

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(ask, range(160))) == {"learner"}


@forks
def test_a_child_after_fork_has_a_host_of_its_own(host: segue.Host, group: dict[str, Any]) -> None:
    """A host that was open before a fork answers in the child too, and the parent's is left as it was."""
    expected = host.assign("learner", group)["members"]

    def work() -> None:
        assert host.assign("learner", group)["members"] == expected
        host.close()

    assert in_a_child(work) == 0
    assert host.assign("learner", group)["members"] == expected


@forks
def test_a_fork_amid_calls_of_other_threads_hangs_nobody(host: segue.Host, group: dict[str, Any]) -> None:
    """Children that are forked while other threads are inside libsegue get their plans, and so does the parent."""
    stop = threading.Event()

    def hammer() -> None:
        while not stop.is_set():
            host.assign("balanced", group)

    def work() -> None:
        for _ in range(3):
            host.assign("balanced", group)
        with segue.load() as other:
            other.assign("learner", group)

    with ThreadPoolExecutor(4) as pool:
        hammers = [pool.submit(hammer) for _ in range(4)]
        try:
            # Few forks meet a lock that is held: many are needed to be sure. The first that hangs says it all.
            status = next(filter(None, (in_a_child(work) for _ in range(60))), 0)
        finally:
            stop.set()
        assert [one.result() for one in hammers] == [None] * 4
    assert status == 0
    assert host.assign("learner", group)["assignor"] == "learner"


@forks
def test_a_fork_amid_a_call_leaves_the_parents_host_alone(host: segue.Host, group: dict[str, Any]) -> None:
    """A child that was forked just when another thread had the host's lock has a lock and a native host of its own."""
    with host._use() as parents:

        def work() -> None:
            assert host.assign("learner", group)["assignor"] == "learner"
            with host._use() as own:
                # Of two that live at once; that it lies elsewhere shows that the parent's is not used.
                assert own != parents

        with host._guard:
            assert in_a_child(work) == 0


@forks
def test_a_child_has_the_plugins_that_the_parent_had_loaded(
    bad_plugin: Path, group: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was loaded by hand before a fork is loaded in the child as well, wherever that stands."""
    monkeypatch.chdir(bad_plugin.parent)
    with segue.load() as host:
        host.load(f"./{bad_plugin.name}")

        def work() -> None:
            os.chdir("/")
            assert host.assign("fails", group, warn=False).report.fallback

        assert in_a_child(work) == 0


@forks
def test_a_host_that_was_closed_stays_closed_in_a_child(host: segue.Host, group: dict[str, Any]) -> None:
    """A fork opens nothing that was closed."""
    host.close()

    def work() -> None:
        with pytest.raises(segue.ClosedError):
            host.assign("learner", group)

    assert in_a_child(work) == 0


def learners(group: dict[str, Any]) -> int:
    with segue.load() as host:
        return host.assign("learner", group).stats.learners


@forks
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_every_way_of_multiprocessing_works(host: segue.Host, group: dict[str, Any], method: str) -> None:
    """Workers of each start method open libsegue for themselves, whatever their parent has open."""
    assert host.assign("learner", group).stats.learners == 1
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(learners, [group] * 4) == [1] * 4


SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import segue
script = '''
try:
    import segue
    with segue.load() as host:
        plan = host.assign("learner", {"segue": "group/1", "members": [{"id": "a"}],
                                       "subtopologies": [{"id": 0, "partitions": 2}]})
        assert plan["members"][0]["active"] == ["0_0", "0_1"]
    print("planned", flush=True)
except ImportError as fault:
    print("refused:", fault, flush=True)
'''
with segue.load() as host:
    host.assign("learner", {"segue": "group/1", "members": [{"id": "a"}]})
    for _ in range(3):
        other = interpreters.create()
        fault = interpreters.run_string(other, script)
        assert fault is None, fault
        interpreters.destroy(other)
    assert host.assign("learner", {"segue": "group/1", "members": [{"id": "a"}]})["segue"] == "plan/1"
"""


def test_a_subinterpreter_plans_or_is_refused_in_words() -> None:
    """In a subinterpreter segue works, or its import is refused where ctypes is; the main one goes on either way."""
    done = subprocess.run([sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == 3
    assert all(line == "planned" or line.startswith("refused: ") for line in said), said


def test_an_event_loop_in_debug_mode_has_no_complaint(
    host: segue.Host, group: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Plans asked for from a loop's executor, many at once, leave asyncio's debug mode without a word."""

    async def ask() -> list[segue.Plan]:
        # How long a step takes on a busy machine is no fault.
        asyncio.get_running_loop().slow_callback_duration = PATIENCE
        return await asyncio.gather(*(asyncio.to_thread(host.assign, "learner", group) for _ in range(20)))

    plans = asyncio.run(ask(), debug=True)
    assert {plan.stats.learners for plan in plans} == {1}
    assert not [row for row in caplog.records if row.levelname != "DEBUG"]


def test_development_mode_has_no_complaint(group: dict[str, Any]) -> None:
    """python -X dev -W error: no unclosed file, no wrong warning, no fault at the end."""
    script = (
        "import segue\n"
        f"group = {group!r}\n"
        "host = segue.load()\n"
        "print(host.assign('learner', group).stats.learners)\n"
        "try: host.assign('lerner', group)\n"
        "except segue.AssignorError: pass\n"
    )
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
