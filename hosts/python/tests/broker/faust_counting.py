# SPDX-License-Identifier: Apache-2.0
"""The counting example of Faust in a process of its own, until its input ends: faust_counting.py SERVER NAME OPTIONS

The application is called NAME, its topic as well. OPTIONS is JSON: `folder` for its state, `segue` with options, or
false for Faust's own assignor, `session_s` for one that is to be killed.

Prints a line of JSON for each assignment, `{"holds": [0], "learns": [1]}`, and for each record that was counted,
`{"done": [[0, 17, 1]]}`: partition, offset, time in nanoseconds. A line on standard input, `{"dump": "file"}`, is
answered by `{"dumped": "file"}` when all counts that it owns have been written there.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, cast

SERVER, NAME, OPTIONS = sys.argv[1:]
os.environ["BROKER_URL"] = f"kafka://{SERVER}"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

# Faust reads the environment when it is imported.
import faust  # noqa: E402
from counting_faust import app, counts, orders  # noqa: E402
from faust.assignor import PartitionAssignor as FaustAssignor  # noqa: E402

from segue.faust import PartitionAssignor, drain_on_sigterm  # noqa: E402


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


class Told(faust.Monitor):
    """Tells of each record that has been counted."""

    def on_stream_event_out(self, tp: Any, offset: int, stream: Any, event: Any, state: Any = None) -> None:
        super().on_stream_event_out(tp, offset, stream, event, state)
        say(done=[[tp.partition, offset, time.time_ns()]])


def configure(name: str, options: dict[str, Any]) -> None:
    ours, conf = options.get("segue", {}), cast(Any, app.conf)
    conf.PartitionAssignor = (
        FaustAssignor if ours is False else PartitionAssignor.configured("scale-down", segue_http_port=0, **ours)
    )
    conf.id = name
    conf.datadir = Path(options["folder"])
    conf.table_standby_replicas = 0
    conf.web_enabled = False
    conf.topic_disable_leader = True
    conf.broker_heartbeat_interval = 0.3
    # Who is not to die is not taken for dead on a busy machine.
    conf.broker_session_timeout = options.get("session_s", 60.0)
    conf.broker_commit_interval = 0.5
    orders.topics = [name]
    app.sensors.add(Told())


async def tell(*_: Any, **__: Any) -> None:
    """What it holds since this assignment; nothing while there is none."""
    topic = orders.get_topic_name()
    watch = getattr(app.assignor, "watch", None)
    say(
        holds=sorted(number for name, number in app.assignor.assigned_actives() if name == topic),
        learns=sorted(number for _, number in watch.heard.learner) if watch else [],
    )


async def listen() -> None:
    """Commands, and the end of them."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str]()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, "null")

    threading.Thread(target=read, daemon=True).start()
    while (command := json.loads(await lines.get())) is not None:
        Path(command["dump"]).write_text(json.dumps({key.decode(): value for key, value in counts.items()}))
        say(dumped=command["dump"])
    root: Any = app.beacon.root
    root.data._on_sigterm()


def main(name: str, options: str) -> None:
    configure(name, json.loads(options))
    app.on_partitions_assigned.connect(tell)
    app.task(listen)
    # Longer than any test waits: who ends sooner has been drained.
    drain_on_sigterm(app, timeout=600)
    faust.Worker(
        app, loglevel="INFO", logfile=sys.stderr, quiet=True, redirect_stdouts=False
    ).execute_from_commandline()


if __name__ == "__main__":
    main(NAME, OPTIONS)
