# SPDX-License-Identifier: Apache-2.0
"""Members are drained and swapped by the program `segue`, by their application, over HTTP and by signals."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ACLResourcePatternType, ResourcePattern, ResourceType

from broker import clients
from broker.counters import CountingFleet
from broker.draining import Application, run
from broker.process import PATIENCE_S, wait_for

CLIENTS = ("kafka-python", "aiokafka")
PARKED = 2**53 - 1

names = itertools.count(1)
each = pytest.mark.parametrize("client", CLIENTS)


@pytest.fixture
def application(broker: Any) -> Iterator[Application]:
    """With a group and a topic of its own."""
    name = f"shop-{next(names)}"
    broker.ask("topic", topic=name, partitions=8)
    with Application(broker.plain, name) as made:
        yield made


def mark(application: Application, id: str, **more: Any) -> tuple[str, str]:
    """Group and text of a mark."""
    document = {"v": 1, "kind": "leaving", "instance": id, "since_ms": time.time_ns() // 10**6, "by": "somebody"}
    return f"{application.name}.segue.mark.{id}", json.dumps(document | more)


def test_a_group_of_both_clients_is_drained_member_by_member(application: Application) -> None:
    """`segue drain --wait` ends when a member has left; the others have all of it, and nobody else gave anything up."""
    first, second, third = application.join("kafka-python", "aiokafka", "kafka-python")
    application.published(first, second, third)
    status = application.status()
    assert {row["client_id"] for row in status["group"]["members"]} == {"orders-1", "orders-2", "orders-3"}
    assert all(row["known"] for row in status["group"]["members"])
    assert application.row(second)["pid"] == second.process.pid
    before = first.holds, third.holds
    done = application.segue("drain", "--wait", "--timeout", "10m", "orders-2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "orders-2: drained, and has left the group" in done.stdout
    application.settle(first, third)
    assert before[0] < first.holds
    assert before[1] < third.holds
    assert second.process.wait(PATIENCE_S) == 0
    done = application.segue("drain", "--wait", str(third.process.pid))
    assert done.returncode == 0, done.stdout + done.stderr
    application.settle(first)
    assert third.process.wait(PATIENCE_S) == 0
    assert application.rows()[0]["client_id"] == "orders-1"


@each
def test_a_drain_that_nobody_can_follow_is_cancelled_or_times_out(application: Application, client: str) -> None:
    """The last member keeps its work; the program says how it ended, and so does the application."""
    (only,) = application.join(client)
    application.published(only)
    with application.waiting("drain", "--wait", "--timeout", "10m", "orders-1") as waiting:
        wait_for(lambda: application.row(only).get("drain", {}).get("tasks_left") == 8)
        assert application.segue("drain", "--cancel", "--wait", "orders-1").returncode == 0
        assert waiting.wait(PATIENCE_S) == 6
    assert application.row(only)["state"] == "running"
    only.tell(do="drain", timeout=1)
    deadline_ms = wait_for(lambda: application.row(only).get("drain", {}).get("deadline_ms"))
    wait_for(lambda: time.time_ns() // 10**6 > deadline_ms)
    with application.waiting("drain", "--wait", "orders-1") as waiting:
        assert waiting.stdout is not None
        assert any("8 tasks left" in line for line in waiting.stdout)
        application.start("kafka-python" if client == "aiokafka" else "aiokafka")
        wait_for(lambda: only.drained)
        assert waiting.wait(PATIENCE_S) == 5
    assert only.drained == "timed-out"
    assert only.process.wait(PATIENCE_S) == 0


@each
def test_marks_are_the_same_whoever_writes_them(application: Application, broker: Any, client: str) -> None:
    """Kafka's own client writes what this one reads, and reads what it writes; HTTP offers the same."""
    one, other = application.join(client, client)
    group, text = mark(application, one.id, stay=True)
    broker.ask("put", group=group, topic=application.name, partition=1, metadata=text)
    application.settle(other)
    wait_for(lambda: one.http("GET", "/drain")["state"] == "empty")
    assert one.http("GET", "/drain")["ready_to_stop"]
    assert re.search(r'^segue_leaving\{.*client_id="orders-1"\} 1$', one.http("GET", "/metrics"), re.MULTILINE)
    assert one.http("DELETE", "/drain")["state"] == "running"
    assert broker.ask("get", group=group)["entries"] == []
    application.settle(one, other)
    said = other.http("POST", "/drain", b'{"timeout_ms":600000,"stay":true}')
    assert said["state"] == "draining"
    (entry,) = broker.ask("get", group=f"{application.name}.segue.mark.{other.id}")["entries"]
    assert (entry["topic"], entry["partition"], entry["offset"]) == (application.name, 0, PARKED)
    written = json.loads(entry["metadata"])
    assert (written["v"], written["kind"], written["stay"]) == (1, "leaving", True)
    assert (written["since_ms"], written["deadline_ms"]) == (said["since_ms"], said["deadline_ms"])
    application.settle(one)


def test_sigterm_drains_and_ends_a_process(application: Application, broker: Any) -> None:
    """What it had is with the others before it goes, and it goes with status 0."""
    first, second, third = application.join("kafka-python", "aiokafka", "aiokafka")
    for one, rest in ((first, (second, third)), (second, (third,))):
        one.terminate()
        application.settle(*rest)
        assert one.process.wait(PATIENCE_S) == 0
    left = [group for group in broker.ask("groups")["groups"] if group.startswith(f"{application.name}.segue.")]
    assert left == [f"{application.name}.segue.presence.{third.id}"]


def test_sigterm_of_a_whole_group_waits_for_nobody(application: Application, broker: Any) -> None:
    """Nothing can be learned elsewhere where all leave: they end at once, without a trace."""
    members = application.join("kafka-python", "aiokafka", "kafka-python")
    for one in members:
        one.terminate()
    assert [one.process.wait(PATIENCE_S) for one in members] == [0, 0, 0]
    assert [group for group in broker.ask("groups")["groups"] if group.startswith(f"{application.name}.segue.")] == []


def test_a_swap_reaches_all_and_a_refused_one_is_told(application: Application, broker: Any) -> None:
    """Status says who led, by which assignor of which plugin, and who was asked for what it does not have."""
    one, other = application.join("kafka-python", "aiokafka", assignor="learner")
    application.published(one, other)
    assert application.segue("drain", "orders-1").returncode == 4
    done = application.segue("swap", "--assignor", "nonsense")
    assert (done.returncode, "there are: balanced" in done.stderr) == (3, True)
    done = application.segue("swap", "--assignor", "balanced", "--wait")
    assert done.returncode == 0, done.stdout + done.stderr
    status = application.status()
    assert status["leader"]["led"]["assignor"] == "balanced"
    assert (status["leader"]["led"]["plugin"], status["leader"]["led"]["tasks"]) == ("segue-assignors", 8)
    wait_for(lambda: all(row["assignor"] == "balanced" for row in application.rows()))
    assert {row["configured"] for row in application.rows()} == {"learner"}
    assert application.segue("swap", "--configured", "--wait").returncode == 0
    assert application.status()["leader"]["led"]["assignor"] == "learner"
    text = json.dumps({"v": 1, "kind": "assignor", "name": "nonsense", "since_ms": 5, "by": "somebody"})
    broker.ask("put", group=f"{application.name}.segue.assignor", topic=application.name, partition=0, metadata=text)
    wait_for(lambda: {row.get("swap_refused") for row in application.rows()} == {"nonsense"})


@each
def test_a_missing_right_is_told_and_costs_drains_alone(application: Application, broker: Any, client: str) -> None:
    """By SASL over TLS, as the consumer itself comes in; with the rights that are documented it can be drained."""
    for kind in (ResourceType.TOPIC, ResourceType.GROUP):
        allow(broker, kind, application.name, ACLResourcePatternType.LITERAL, ACLOperation.READ)
    secure = {
        "bootstrap_servers": broker.secure, "security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "nobody", "sasl_plain_password": "nothing", "ssl_cafile": str(broker.authority),
    }  # fmt: skip
    (one,) = application.join(client, **secure)
    prefix = f"{application.name}.segue."
    wait_for(lambda: f"Read and Delete on groups with the prefix '{prefix}'" in one.said())
    for operation in (ACLOperation.READ, ACLOperation.DELETE):
        allow(broker, ResourceType.GROUP, prefix, ACLResourcePatternType.PREFIXED, operation)
    (other,) = application.join("kafka-python")
    application.published(one, other)
    assert application.segue("drain", "--wait", "orders-1").returncode == 0
    application.settle(other)


def allow(broker: Any, kind: Any, name: str, pattern: Any, operation: Any) -> None:
    allowed = ACL("User:nobody", "*", operation, ACLPermissionType.ALLOW, ResourcePattern(kind, name, pattern))
    with clients.administrating(broker.plain) as admin:
        admin.create_acls([allowed])


@pytest.mark.parametrize(("first", "second"), [CLIENTS, CLIENTS[::-1]])
def test_state_moves_before_the_work_of_a_member_that_is_drained(
    counters: CountingFleet, first: str, second: str
) -> None:
    """The others learn what it has while it serves on; nothing is lost, and nothing counts twice."""
    counters.fill(keys=2_000)
    options = {"assignor": "scale-down", "segue": {"acceptable.recovery.lag": 0, "segue.marks.poll.ms": 200}}
    counters.join(first, **options, consumer={"client_id": "counts-1"})
    counters.settle(4)
    leaver = counters.join(second, **options, consumer={"client_id": "counts-2"})
    counters.settle(2, 2)
    counters.progress()
    done = run(counters.server, counters.topic, "drain", "--wait", "--timeout", "10m", "counts-2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert counters.end(leaver) == 0, leaver.said()[-4000:]
    counters.settle(4)
    counters.progress()
    counters.check_exact()
