# SPDX-License-Identifier: Apache-2.0
"""The figures of one member in Prometheus' text format, by the names that the JVM's instances have."""

from __future__ import annotations

from collections.abc import Iterator

from segue._drain.led import Led
from segue._drain.presence import Copies
from segue._drain.state import DrainState
from segue._drain.swap import Choice
from segue._plan import Metrics

Row = tuple[str, str, dict[str, str], int]


def text(
    application: str,
    client_id: str,
    state: DrainState,
    copies: Copies,
    choice: Choice,
    led: Led | None,
    kept: int,
    plans: Metrics,
) -> str:
    labels = {"application_id": application, "client_id": client_id}
    rows = [*_drain(state), *_copies(copies), *_choice(choice, led)]
    lines = [_line(name, "gauge", help, labels | more, value) for name, help, more, value in rows]
    lines += _plans(plans, labels)
    lines.append(_line("segue_kept_assignments_total", "counter",
                       "Rebalances in this process for which there was no plan.", labels, kept))  # fmt: skip
    return "".join(lines)


def _drain(state: DrainState) -> Iterator[Row]:
    marked = state.since_ms is not None
    yield "segue_leaving", "Whether the instance is marked as leaving.", {}, int(marked)
    left = state.tasks_left if marked else 0
    yield "segue_leaving_tasks_left", "Tasks that a leaving instance still owns.", {}, left
    if state.since_ms is not None:
        yield "segue_leaving_since_timestamp_seconds", "When it was marked.", {}, state.since_ms // 1000
    if state.deadline_ms is not None:
        at = state.deadline_ms // 1000
        yield "segue_leaving_deadline_timestamp_seconds", "When its tasks are forced away.", {}, at
    ready = int(state.ready_to_stop)
    yield "segue_ready_to_stop", "Whether it can be ended without anybody's waiting for its tasks.", {}, ready


def _copies(copies: Copies) -> Iterator[Row]:
    yield "segue_copies", "Standbys and learners beside owners elsewhere.", {}, copies.count
    yield "segue_copies_ready", "How many of them are caught up.", {}, copies.ready
    yield "segue_copies_lag_records", "Records that those with a known lag have to replay.", {}, copies.lag or 0


def _choice(choice: Choice, led: Led | None) -> Iterator[Row]:
    names = {"assignor": choice.assignor, "configured": choice.configured, "refused": choice.refused or ""}
    yield "segue_assignor_info", "The assignor that it would ask if it led now, and what is configured.", names, 1
    yield "segue_leader", "Whether it led the last rebalance in which it took part.", {}, int(led is not None)
    if led is None:
        return
    plugin = {"assignor": led.assignor, "plugin": led.plugin, "plugin_version": led.plugin_version}
    yield "segue_led_info", "What computed the rebalance that it led.", plugin, 1
    yield "segue_led_timestamp_seconds", "When it led.", {}, led.at_ms // 1000
    yield "segue_led_fallback", "Whether the safe plan had to answer.", {}, int(led.fault is not None)
    if led.followup_ms is not None:
        yield "segue_led_followup_timestamp_seconds", "When another rebalance is due.", {}, led.followup_ms // 1000


def _plans(plans: Metrics, labels: dict[str, str]) -> Iterator[str]:
    yield _line("segue_plans_total", "counter", "Plans that assignors in this process were asked for.", labels,
                plans.plans)  # fmt: skip
    reasons = {
        "error": plans.errors, "refused": plans.refused, "late": plans.late, "died": plans.died,
        "unstarted": plans.unstarted, "aside": plans.passed_over,
    }  # fmt: skip
    name = "segue_fallbacks_total"
    yield _head(name, "counter", "Of them, those that the safe plan answered, by reason.")
    yield from (_row(name, labels | {"reason": reason}, count) for reason, count in reasons.items())
    yield _line("segue_assignors_aside", "gauge", "Assignors in this process that are put aside.", labels, plans.aside)
    yield _line("segue_plugin_processes", "gauge", "Processes of isolated plugins.", labels, plans.processes)
    yield _line("segue_plugin_threads_given_up", "gauge", "Threads that a plugin has not given back.", labels,
                plans.threads)  # fmt: skip


def _line(name: str, kind: str, help: str, labels: dict[str, str], value: int) -> str:
    return _head(name, kind, help) + _row(name, labels, value)


def _head(name: str, kind: str, help: str) -> str:
    return f"# HELP {name} {help}\n# TYPE {name} {kind}\n"


def _row(name: str, labels: dict[str, str], value: int) -> str:
    inside = ",".join(f'{label}="{_escaped(value)}"' for label, value in labels.items())
    return f"{name}{{{inside}}} {value}\n"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
