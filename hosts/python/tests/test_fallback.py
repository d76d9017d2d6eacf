# SPDX-License-Identifier: Apache-2.0
"""A plugin that answers with invalid plans, made here, shows what the host does with them."""

from pathlib import Path
from typing import Any

import pytest

import segue


def test_a_plan_that_breaks_a_rule_is_replaced_and_reported(bad_plugin: Path, group: dict[str, Any]) -> None:
    """The owners keep their tasks, a warning says which rule was broken, and the plan's report has it as a number."""
    warned = pytest.warns(segue.FallbackWarning, match="breaks-r1")
    with segue.load(plugins=[bad_plugin], only_plugins=True) as host, warned:
        plan = host.assign("breaks-r1", group)
    assert [member["active"] for member in plan["members"]] == [["0_0", "0_1"], ["0_2", "0_3"], []]
    assert plan.report.fallback
    assert plan.report.status == "bad-plan"
    assert plan.report.rule == 1
    assert plan.report.text


def test_an_assignor_that_fails_is_replaced_and_reported(bad_plugin: Path, group: dict[str, Any]) -> None:
    """A fault of the assignor itself is named by its status."""
    with segue.load(plugins=[bad_plugin], only_plugins=True) as host, pytest.warns(segue.FallbackWarning):
        plan = host.assign("fails", group)
    assert (plan.report.fallback, plan.report.status) == (True, "internal")


def test_only_the_given_plugins_are_searched(bad_plugin: Path) -> None:
    """only_plugins leaves out the plugin beside libsegue."""
    with segue.load(plugins=[bad_plugin], only_plugins=True) as host:
        assert sorted(one.name for one in host.assignors()) == ["breaks-r1", "crashes", "fails", "waits"]


def test_a_plugin_that_crashes_takes_only_its_process(bad_plugin: Path, group: dict[str, Any]) -> None:
    """The fallback answers, the next call has a new process, and after two faults the assignor is put aside."""
    with segue.load(plugins=[bad_plugin], only_plugins=True, isolation="process", max_faults=2) as host:
        for fault in (1, 2):
            with pytest.warns(segue.FallbackWarning, match=r"its process was ended by signal 6 \(Aborted\)"):
                report = host.assign("crashes", group).report
            assert (report.fallback, report.status, report.plugin) == (True, "internal", str(bad_plugin))
            assert (report.faults, report.aside) == (fault, fault == 2)
        with pytest.warns(segue.FallbackWarning, match="put aside after 2 faults, until it is reinstated"):
            host.assign("crashes", group)
        metrics = host.metrics()
        assert (metrics.plans, metrics.fallbacks, metrics.died, metrics.passed_over) == (3, 3, 2, 1)
        assert (metrics.aside, metrics.processes) == (1, 0)
        host.reinstate("crashes")
        assert host.metrics().aside == 0
        with pytest.raises(segue.AssignorError):
            host.reinstate("nobody")


def test_isolated_plans_are_the_same(group: dict[str, Any]) -> None:
    """A plugin in a process of its own answers as it does here, by documents and by columns."""
    with segue.load() as here, segue.load(isolation="process") as there:
        assert there.assignors() == here.assignors()
        plans = [host.assign("learner", group) for host in (here, there)]
        assert plans[0]["members"] == plans[1]["members"]
        assert plans[0].decisions == plans[1].decisions
        assert (there.metrics().started, there.metrics().fallbacks) == (1, 0)


def test_settings_of_isolation_are_judged_at_once() -> None:
    """A misspelt word and a number that is none are refused when the host is opened."""
    with pytest.raises(segue.SegueError, match=r"segue\.isolation is 'jail': it must be none, thread or process"):
        segue.load(isolation="jail")
    with pytest.raises(segue.InputError, match="max_faults"):
        segue.load(max_faults=-1)
