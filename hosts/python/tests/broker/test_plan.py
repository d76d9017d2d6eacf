# SPDX-License-Identifier: Apache-2.0
"""What `segue plan` says of a running group before anybody scales is what is there afterwards."""

from __future__ import annotations

import http.server
import itertools
import json
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from broker.counters import CountingFleet
from broker.draining import PROGRAM, Application, ended, run
from broker.process import PATIENCE_S, wait_for

names = itertools.count(1)
CLIENTS = ("kafka-python", "aiokafka")
TOKEN = "s3cret"


@pytest.fixture
def application(broker: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    """With a group and a topic of its own."""
    monkeypatch.setenv("SEGUE_HTTP_TOKEN", TOKEN)
    name = f"plan-{next(names)}"
    broker.ask("topic", topic=name, partitions=8)
    with Application(broker.plain, name) as made:
        yield made


def plan(application: Application, *arguments: str) -> Any:
    """Once the leader has told where it is."""
    refusals = [""]

    def ask() -> Any:
        done = application.segue("plan", "--json", *arguments)
        refusals.append(done.stderr)
        return json.loads(done.stdout) if done.returncode == 0 else None

    return wait_for(ask, lambda: refusals[-1])


def then(said: Any) -> dict[str, int]:
    """Tasks at the end, by client id; newcomers have none."""
    return {row.get("client_id", row["id"]): row["active_then"] for row in said["members"]}


@pytest.mark.parametrize("leader", CLIENTS)
def test_drains_and_scale_outs_come_to_what_was_planned(application: Application, leader: str) -> None:
    """With the leader of either client among those who go, so that another one leads from then on."""
    first, second, third = application.join(leader, *CLIENTS)
    application.published(first, second, third)
    wait_for(lambda: application.status()["leader"])
    now = plan(application)
    assert (now["assignor"], now["groups"], now["rounds"]) == ("scale-down", 1, [])
    assert then(now) == {one.name: len(one.holds) for one in (first, second, third)}
    led = next(one for one in (first, second, third) if one.id == application.status()["leader"]["instance"])
    rest = [one for one in (first, second, third) if one is not led]
    without = plan(application, "--remove", led.name)
    assert application.segue("drain", "--wait", led.name).returncode == 0
    application.settle(*rest)
    assert {**{one.name: len(one.holds) for one in rest}, led.name: 0} == then(without)
    application.published(*rest)
    more = plan(application, "--add", "1")
    before = {one.name: one.holds for one in rest}
    fourth = application.start("aiokafka")
    application.settle(*rest, fourth)
    held = {one.name: len(one.holds) for one in rest} | {"new-1": len(fourth.holds)}
    assert held == then(more)
    assert sum(len(before[one.name] - one.holds) for one in rest) == more["total"]["moves"] == more["min_moves"]


def forged(application: Application, broker: Any, **more: Any) -> str:
    """The presence of somebody that says it has led just now; the name of its group."""
    id, now_ms = str(uuid.uuid4()), time.time_ns() // 10**6
    led = {"at_ms": now_ms + 60_000, "assignor": "learner", "tasks": 8, "members": 2}
    document = {"v": 1, "kind": "presence", "instance": id, "client_id": "forged", "at_ms": now_ms, "led": led, **more}
    group = f"{application.name}.segue.presence.{id}"
    broker.ask("put", group=group, topic=application.name, partition=0, metadata=json.dumps(document))
    return group


def test_who_cannot_be_asked_is_named(application: Application, broker: Any) -> None:
    """Members from before this, those without a port, and those that have nothing to tell."""
    one, other = application.join(*CLIENTS)
    application.published(one, other)
    led = wait_for(lambda: application.status()["leader"])["instance"]
    follower = other if led == one.id else one
    refused = ended([str(PROGRAM), "plan", "--url", f"http://127.0.0.1:{follower.port}"])
    assert (refused.returncode, "another instance led the last rebalance" in refused.stderr) == (7, True)
    refused = application.segue("plan", "--remove", "nobody")
    assert (refused.returncode, "orders-1, orders-2" in refused.stderr) == (4, True)
    forged(application, broker)
    refused = application.segue("plan")
    assert refused.returncode == 4
    assert "forged, which led the last rebalance, tells no address" in refused.stderr


class Former(http.server.BaseHTTPRequestHandler):
    """An instance that leads no more. asked: it has said so."""

    asked: threading.Event

    def do_GET(self) -> None:
        self.send_error(404)
        self.asked.set()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def former() -> Iterator[http.server.HTTPServer]:
    Former.asked = threading.Event()
    with http.server.HTTPServer(("127.0.0.1", 0), Former) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_plan_follows_a_leader_that_moves(
    application: Application, broker: Any, former: http.server.HTTPServer
) -> None:
    """Who is asked has led nothing any more, and a moment later another one says that it has."""
    one, other = application.join(*CLIENTS)
    application.published(one, other)
    wait_for(lambda: application.status()["leader"])
    group = forged(application, broker, http=f"http://127.0.0.1:{former.server_port}")
    with application.waiting("plan", "--json") as waiting:
        assert Former.asked.wait(PATIENCE_S)
        broker.ask("delete", group=group)
        said = json.loads(waiting.communicate(timeout=PATIENCE_S)[0])
        assert waiting.returncode == 0
    assert then(said) == {one.name: len(one.holds) for one in (one, other)}


def test_state_and_its_bytes_are_planned(counters: CountingFleet, tmp_path: Path) -> None:
    """What a newcomer learns, how much that is, and where all is after a drain."""
    settings = {"acceptable.recovery.lag": 0, "segue.marks.poll.ms": 200, "segue.http.port": 0}

    def join(client: str, name: str) -> Any:
        consumer = {"client_id": name}
        store = str(tmp_path / name)
        return counters.join(client, assignor="scale-down", segue=settings, store=store, consumer=consumer)

    def asked(*arguments: str) -> Any:
        done = run(counters.server, counters.topic, "plan", "--json", "--restore-rate", "1MiB", *arguments)
        return json.loads(done.stdout) if done.returncode == 0 else None

    counters.fill(keys=2_000)
    join("kafka-python", "counts-1")
    counters.settle(4)
    leaver = join("aiokafka", "counts-2")
    counters.settle(2, 2)
    without = counters.wait(lambda: (found := asked("--remove", "counts-2")) and found["settled"] and found)
    assert then(without) == {"counts-1": 4, "counts-2": 0}
    assert (without["total"]["moves"], without["total"]["cold"]) == (2, 0)
    more = counters.wait(lambda: asked("--add", "1"))
    assert (more["total"]["copies"], more["total"]["moves"]) == (1, 1)
    assert more["total"]["bytes"] > 4096
    assert more["total"]["ms"] == more["total"]["bytes"] * 1000 // (1 << 20)
    join("kafka-python", "counts-3")
    assert sorted(map(len, counters.settle(2, 1, 1))) == sorted(then(more).values())
    assert run(counters.server, counters.topic, "drain", "--wait", "--timeout", "10m", "counts-2").returncode == 0
    assert counters.end(leaver) == 0, leaver.said()[-4000:]
    counters.settle(2, 2)
