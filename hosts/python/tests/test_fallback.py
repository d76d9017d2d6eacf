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
        assert sorted(one.name for one in host.assignors()) == ["breaks-r1", "fails", "waits"]
