#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds segue_plan_check and the fallback against the independent referee, over random groups and damaged plans.

    differential.py JUDGE_LINES REFEREE_FOLDER SEED COUNT

Both must agree on each plan whether it holds, and the rule that libsegue names must be one that the referee names.
The fallback's own plan must hold R1-R8. The last line is 'N passed, N failed'; exit status 1 if something failed.
"""
import copy
import json
import random
import subprocess
import sys

COLD, LEAVING, LOOSE = 1, 2, 4
TRAITS = {"balanced": LEAVING, "learner": 0, "eager": COLD, "high-availability": LOOSE}
ROLES = ("active", "learner", "standby")


def wider_group(referee, rng):
    """A random group of the referee's, with the corners that its own generator leaves out."""
    doc = referee.random_group(rng)
    members = doc["members"]
    if rng.random() < 0.25:
        for m in rng.sample(members, rng.randint(1, len(members))):
            m["threads"] = 0
    if rng.random() < 0.25:
        for m in members:
            m["leaving"] = {"since_ms": 0, "deadline_ms": rng.choice([500, 60000])}
    if rng.random() < 0.4:
        claim_twice(rng, members)
    for m in members:
        for t in m["active"]:
            if rng.random() < 0.2:
                m["lag"][t] = rng.choice([0, 10000, 10001, 500000, 500000, None])
    if rng.random() < 0.3:
        doc["config"]["segue.max.learners.per.member"] = rng.randint(0, 2)
    rng.shuffle(members)
    return doc


def claim_twice(rng, members):
    for m in rng.sample(members, rng.randint(1, len(members))):
        other = rng.choice(members)
        held = {t for o in (m, ) for role in ROLES for t in o[role]} | set(m["lag"])
        for t in other["active"]:
            if t not in held and rng.random() < 0.3:
                m["active"].append(t)
                held.add(t)


def fill_standbys(referee, doc, plan, rng):
    """Adds and drops standbys until R9 mostly holds: the fallback starts none, and damage should be the exception."""
    g = referee.Group(doc)
    by_id = {m["id"]: m for m in plan["members"]}
    want = int(g.config.get("num.standby.replicas", 0))
    for t, info in g.tasks.items():
        holders = [m["id"] for m in plan["members"] for role in ROLES if t in m[role]]
        taken = {g.process(m) for m in holders}
        have = sum(t in m["standby"] for m in plan["members"])
        for mid in rng.sample(g.staying(), len(g.staying())):
            if info["stateful"] and have < want and g.process(mid) not in taken:
                by_id[mid]["standby"].append(t)
                taken.add(g.process(mid))
                have += 1


def give(rng, plan, tasks, role):
    by_role = rng.choice(plan["members"])
    task = rng.choice(tasks)
    if role == "active" or (role == "learner" and any(task in m["learner"] for m in plan["members"])):
        for m in plan["members"]:
            if task in m[role]:
                m[role].remove(task)
    if task not in by_role[role]:
        by_role[role].append(task)


def promote(rng, plan):
    """A standby learns: the one case in which a task may have a standby less than it should."""
    standbys = [(m, t) for m in plan["members"] for t in m["standby"]]
    if standbys:
        member, task = rng.choice(standbys)
        if not any(task in m["learner"] for m in plan["members"]):
            member["standby"].remove(task)
            member["learner"].append(task)


def follow_copy(rng, doc, plan):
    """An active goes to some copy of it, near or not."""
    copies = [(m["id"], t) for m in doc["members"] for t in m["lag"]]
    if copies:
        mid, task = rng.choice(copies)
        for m in plan["members"]:
            m["active"] = [t for t in m["active"] if t != task] + [task] * (m["id"] == mid)
            m["standby"] = [t for t in m["standby"] if t != task or m["id"] != mid]


def damage(rng, doc, plan, tasks):
    """One random change: an active elsewhere, one learner more, one standby more or less, a swap of two roles."""
    kind = rng.choice(["active", "learner", "standby", "drop", "swap", "promote", "follow"])
    if kind in ROLES:
        give(rng, plan, tasks, kind)
    elif kind == "promote":
        promote(rng, plan)
    elif kind == "follow":
        follow_copy(rng, doc, plan)
    elif kind == "drop":
        m = rng.choice(plan["members"])
        for role in ("learner", "standby"):
            if m[role]:
                m[role].remove(rng.choice(m[role]))
    else:
        a, b = rng.choice(plan["members"]), rng.choice(plan["members"])
        task = rng.choice(tasks)
        if task in a["active"] and a is not b and task not in b["active"]:
            a["active"].remove(task)
            b["active"].append(task)
            if task in b["standby"]:
                b["standby"].remove(task)
                if task not in a["standby"]:
                    a["standby"].append(task)


def rules(lines):
    return {int(line.split()[0][1:]) for line in lines if line.startswith("R") and not line.startswith("R12 ")}


class Tool:
    """One running judge_lines; each question is one line, each answer too."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, group, plan, traits):
        self.process.stdin.write(json.dumps({"group": group, "plan": plan, "traits": traits}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"judge_lines ended with {self.process.wait()} on {json.dumps(group)}")
        return json.loads(line)


def compare(referee, tool, doc, plan, assignor):
    """None, or how the two verdicts differ."""
    wanted = rules(referee.judge(referee.Group(doc), plan, assignor))
    verdict = tool.ask(doc, plan, TRAITS[assignor])
    if verdict["status"] == 0 and not wanted:
        return None
    if verdict["status"] != 0 and verdict["rule"] in wanted:
        return None
    return f"libsegue says rule {verdict['rule']} '{verdict['text']}', the referee {sorted(wanted)}"


def run(referee, tool, seed, count):
    passed = held = 0
    failures = []
    for number in range(count):
        rng = random.Random(seed * 1000003 + number)
        doc = wider_group(referee, rng)
        plan = tool.ask(doc, None, 0)
        broken = rules(referee.judge(referee.Group(doc), plan, "balanced")) - {9}
        checks = [("fallback", f"breaks {sorted(broken)}" if broken else None, plan)]
        tasks = list(referee.Group(doc).tasks)
        for assignor in TRAITS:
            changed = copy.deepcopy(plan)
            if rng.random() < 0.8:
                fill_standbys(referee, doc, changed, rng)
            for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
                damage(rng, doc, changed, tasks)
            checks.append((assignor, compare(referee, tool, doc, changed, assignor), changed))
            held += not rules(referee.judge(referee.Group(doc), changed, assignor))
        for name, fault, judged in checks:
            passed += fault is None
            if fault is not None:
                failures.append(f"FAIL seed {seed} number {number} [{name}]: {fault}\n  {json.dumps(doc)}\n"
                                f"  {json.dumps(judged)}")
    return passed, held, failures


def main():
    tool_path, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    sys.path.insert(0, folder)
    import referee
    passed, held, failures = run(referee, Tool(tool_path), seed, count)
    print(*failures[:10], sep="\n", end="\n" if failures else "")
    if count >= 100 and not count * len(TRAITS) * 0.2 < held < count * len(TRAITS) * 0.8:
        failures.append("lopsided")
        print(f"FAIL {held} of {count * len(TRAITS)} plans hold every rule: the comparison needs good and bad ones")
    print(f"{held} of {count * len(TRAITS)} compared plans hold every rule")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
