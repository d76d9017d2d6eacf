# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

import segue
from segue._clients.planner import Planner


def test_a_newcomer_learns_while_the_owners_serve_on(host: segue.Host, group: dict[str, Any]) -> None:
    """The learner gives a new member a learner, and moves no active task."""
    plan = host.assign("learner", group)
    assert [member["active"] for member in plan["members"]] == [["0_0", "0_1"], ["0_2", "0_3"], []]
    assert len(plan["members"][2]["learner"]) == 1
    assert plan["followup"]["needed"] is True


def test_a_caught_up_learner_takes_over(host: segue.Host, group: dict[str, Any]) -> None:
    """The rebalance that sees a learner caught up hands the task over to it."""
    learned = host.assign("learner", group)["members"][2]["learner"]
    group["members"][2].update(learner=learned, lag={learned[0]: 0})
    assert host.assign("learner", group)["members"][2]["active"] == learned


def test_a_plan_carries_its_report(host: segue.Host, group: dict[str, Any]) -> None:
    """A valid plan says that no fallback was needed, and how long the plugin took."""
    report = host.assign("learner", group).report
    assert (report.fallback, report.status, report.rule) == (False, "ok", None)
    assert report.elapsed_ns > 0


def test_the_group_is_left_as_it_was(host: segue.Host, group: dict[str, Any]) -> None:
    """Asking for a plan changes nothing in the dict that was given."""
    before = json.dumps(group)
    host.assign("learner", group)
    assert json.dumps(group) == before


def test_names_of_any_script_come_back(host: segue.Host, group: dict[str, Any]) -> None:
    """Member ids are UTF-8 and come back as they were given."""
    group["members"][0]["id"] = "größe-\U0001f680"
    assert host.assign("learner", group)["members"][0]["id"] == "größe-\U0001f680"


def test_json_in_json_out(host: segue.Host, group: dict[str, Any]) -> None:
    """assign_json takes and gives the documents as text."""
    text, report = host.assign_json("learner", json.dumps(group).encode())
    assert json.loads(text)["segue"] == "plan/1"
    assert not report.fallback


def test_assignors_are_listed() -> None:
    """segue.assignors() lists the plugin's strategies with version and summary."""
    found = {one.name: one for one in segue.assignors()}
    assert {"eager", "sticky", "learner"} <= found.keys()
    assert found["eager"].cold
    assert not found["learner"].cold
    assert found["learner"].version == "1.0"
    assert found["learner"].plugin.endswith("segue-assignors.so")


def test_a_plugin_loads_by_its_path(host: segue.Host) -> None:
    """Loading a plugin that is loaded already changes nothing."""
    before = host.assignors()
    host.load(before[0].plugin)
    assert host.assignors() == before


def test_one_host_serves_many_threads(host: segue.Host, group: dict[str, Any]) -> None:
    """Calls from several threads at once give the same plan."""
    plans: list[Any] = []
    threads = [threading.Thread(target=lambda: plans.append(host.assign("learner", group))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(plans) == 8
    assert all(plan["members"] == plans[0]["members"] for plan in plans)


def test_many_hosts_live_beside_each_other(group: dict[str, Any]) -> None:
    """Each host is closed for itself."""
    with segue.load() as one, segue.load() as other:
        one.close()
        assert other.assign("sticky", group)["assignor"] == "sticky"


def test_a_closed_host_says_so(host: segue.Host, group: dict[str, Any]) -> None:
    """close() may come twice; a later call raises ClosedError."""
    host.close()
    host.close()
    assert host.closed
    with pytest.raises(segue.ClosedError, match="closed before"):
        host.assign("learner", group)


def test_a_close_during_a_call_waits_for_it(host: segue.Host) -> None:
    """The last running call frees the host, so that closing never pulls it away."""
    with host._use():
        host.close()
        assert host._address is not None
    assert host._address is None


def test_a_host_has_no_copies(host: segue.Host, group: dict[str, Any]) -> None:
    """A copy would free the native object twice, so copying and pickling are refused."""
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            attempt(host)
    assert host.assign("learner", group)["assignor"] == "learner"


def test_json_may_be_any_bytes(host: segue.Host, group: dict[str, Any]) -> None:
    """assign_json takes whatever holds bytes."""
    text = json.dumps(group).encode()
    for kind in (bytearray, memoryview):
        assert json.loads(host.assign_json("learner", kind(text))[0])["segue"] == "plan/1"


def test_a_record_is_written_where_it_is_said(tmp_path: Path, group: dict[str, Any]) -> None:
    """By the call, or by `segue.record.path` of a member; a place that cannot be written is refused at the start."""
    path = tmp_path / "plans.rec"
    with segue.load(record_path=path) as host:
        host.assign("learner", group)
        one = path.stat().st_size
        host.assign("learner", group)
    assert path.read_bytes().startswith(b"SEGUEREC")
    assert path.stat().st_size == 2 * one
    planner = Planner("learner", {"segue.record.path": str(tmp_path / "members.rec")})
    probed = (tmp_path / "members.rec").stat().st_size
    planner.host.assign("learner", group)
    assert (tmp_path / "members.rec").stat().st_size == probed + one
    with pytest.raises(segue.SegueError, match="cannot be opened"):
        Planner("learner", {"segue.record.path": str(tmp_path / "absent" / "x.rec")})
