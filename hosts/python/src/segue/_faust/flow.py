# SPDX-License-Identifier: Apache-2.0
"""A copy without holes.

Whenever Faust resumes its flow it drops what waits in its queues, and at the end of a recovery it resumes twice:
before and after it has gone back to committed offsets. For streams that is right, since they read those records again.
Standbys do not: what they have read in between is lost, they go on behind it, and whoever is promoted later lacks it.
So where the flow is on already the queue of the changelogs is left alone.
"""

from __future__ import annotations

from typing import Any


def keep_changelogs(app: Any) -> None:
    """Changes how this application's flow is resumed."""
    flow_control = app.flow_control
    theirs = flow_control.resume

    def ours() -> None:
        if not flow_control.is_active():
            theirs()
            return
        for queue in flow_control._queues:
            if queue is not app.tables.changelog_queue:
                queue.clear()

    flow_control.resume = ours
