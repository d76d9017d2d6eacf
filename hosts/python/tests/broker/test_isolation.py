# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from broker.consumers import Fleet


@pytest.mark.parametrize("client", ["kafka-python", "aiokafka"])
def test_a_group_works_on_without_its_plugin(
    fleet: Fleet, client: str, bad_plugin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever leads has a plugin that crashes in a process of its own, and puts it aside after two faults: owners keep
    their partitions, orphans get another one, every record is read, and no consumer ends.
    """
    monkeypatch.setenv("SEGUE_PLUGIN_PATH", str(bad_plugin))
    first = fleet.join(client, "crashing")
    fleet.settle(8)
    second = fleet.join(client, "crashing")
    fleet.wait_for_protocol("segue")
    fleet.settle(0, 8)
    assert first.holds == fleet.partitions
    fleet.send()
    fleet.leave(first)
    fleet.settle(8)
    fleet.send()
    fleet.wait_for_records()
    assert "crashes: the fallback answered in its place: " in second.said()
    assert "its process was ended by signal 6" in second.said()
    assert "is put aside after 2 faults, until it is reinstated" in first.said()
