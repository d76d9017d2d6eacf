# SPDX-License-Identifier: Apache-2.0
"""An assignor of one's own: `learner`, but copies are begun at night alone, when the brokers have bandwidth to spare.

    python nightly.py GROUP.json

In a consumer it is registered once, before that is made: segue.register("nightly", Nightly()), then
SegueAssignor("nightly"). Hosts in other languages take it as a program: nightly.assignor, beside this file.
"""

import dataclasses
import json
import sys
from pathlib import Path

import segue

HOUR = 3_600_000
BEGIN, END = 1 * HOUR, 5 * HOUR  # of the day, in UTC


class Nightly:
    """All that it goes by is in the group, the leader's clock as well: any leader plans the same."""

    def __init__(self) -> None:
        self.host = segue.load()

    def assign(self, group: segue.Group) -> segue.Plan:
        midnight = group.now_ms - group.now_ms % (24 * HOUR)
        if midnight + BEGIN <= group.now_ms < midnight + END:
            return self.host.assign("learner", group)
        # Those that learn already go on; nobody begins.
        learning = sum(len(member.learner) for member in group.members)
        plan = self.host.assign(
            "learner", dataclasses.replace(group, config={**group.config, "segue.max.learners": learning})
        )
        if plan.stats.held_back and not plan.stats.learners:
            opens = midnight + BEGIN + (0 if group.now_ms < midnight + BEGIN else 24 * HOUR)
            plan["followup"] = {"needed": True, "at_ms": opens, "reason": "learners-restoring"}
        return plan


VERSION, SUMMARY = "1.0", "learner, and copies begin at night alone"


def main(document: str) -> None:
    with segue.load() as host:
        host.register("nightly", Nightly(), version=VERSION, summary=SUMMARY)
        plan = host.assign("nightly", json.loads(Path(document).read_text(encoding="utf-8")))
        print(json.dumps(plan, indent=1))


if __name__ == "__main__":
    match sys.argv[1:]:
        case [document]:
            main(document)
        case []:
            segue.serve("nightly", Nightly(), version=VERSION, summary=SUMMARY)
        case _:
            sys.exit(__doc__)
