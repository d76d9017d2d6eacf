# SPDX-License-Identifier: Apache-2.0
"""Figures for Prometheus, by the names of the JVM's instances."""

import re
from pathlib import Path

from segue import DrainState, Led, Metrics, Phase
from segue._drain import metrics
from segue._drain.presence import Copies
from segue._drain.swap import Choice

JVM = "hosts/jvm/segue-kafka-streams/src/main/java/io/segue/kafka/streams/MetricsText.java"


PLANS = Metrics(
    plans=9, fallbacks=6, errors=0, refused=1, late=2, died=3, unstarted=0, passed_over=0, aside=1, started=4,
    processes=1, threads=0,
)  # fmt: skip


def text(led: Led | None = None) -> str:
    state = DrainState(Phase.DRAINING, 5000, 65_000, 3)
    return metrics.text(
        "shop", 'a"b\\c\nd', state, Copies(2, 1, 40), Choice("balanced", "learner", "gone"), led, 7, PLANS
    )


def test_the_names_are_the_jvms() -> None:
    """One dashboard serves both."""
    led = Led(at_ms=9000, assignor="balanced", plugin="segue-assignors", plugin_version="1.0.0", followup_ms=10_000)
    jvm = (Path(__file__).resolve().parents[4] / JVM).read_text(encoding="utf-8")
    assert set(re.findall(r"^(segue_\w+)\{", text(led), re.MULTILINE)) == set(re.findall(r'"(segue_\w+)"', jvm))


def test_each_figure_has_its_labels_and_its_kind() -> None:
    lines = text().splitlines()
    labels = r'application_id="shop",client_id="a\"b\\c\nd"'
    assert f"segue_leaving_tasks_left{{{labels}}} 3" in lines
    assert f"segue_leaving_deadline_timestamp_seconds{{{labels}}} 65" in lines
    assert f"segue_copies_lag_records{{{labels}}} 40" in lines
    assert f'segue_assignor_info{{{labels},assignor="balanced",configured="learner",refused="gone"}} 1' in lines
    assert f"segue_leader{{{labels}}} 0" in lines
    assert f"segue_kept_assignments_total{{{labels}}} 7" in lines
    assert f'segue_fallbacks_total{{{labels},reason="late"}} 2' in lines
    assert f"segue_plans_total{{{labels}}} 9" in lines
    assert lines.count("# TYPE segue_fallbacks_total counter") == 1
    assert "# TYPE segue_kept_assignments_total counter" in lines
    assert not any(line.startswith("segue_led") for line in lines)
