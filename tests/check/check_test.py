#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`segue check`: a sound plugin holds every rule, and each broken one is caught under the rule that it is named after.

check_test.py SEGUE FOLDER_OF_PLUGINS OWN_PLUGIN
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

SEGUE = pathlib.Path()
PLUGINS = pathlib.Path()
OWN = pathlib.Path()
PAGE = pathlib.Path(__file__).parents[2] / "abi/CONFORMANCE.md"

# Who answers otherwise each time does so after a fault and for other names too; what lies on a stack is another thing
# at each call; who moves a task cold moves it on.
ALSO_BROKEN = {"C26": {"C29", "R11"}, "C27_3": {"C26", "C28", "C29", "R11"}, "R4": {"R5", "R10"}, "R5": {"R10"}}
# Without these nothing else can be called.
ENDS_THE_ROUND = {"C07", "C08"}


def run(*arguments: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SEGUE, "check", *arguments], capture_output=True, text=True, timeout=900, check=False, stdin=subprocess.DEVNULL
    )


def report(plugin: pathlib.Path, *arguments: str) -> dict[str, Any]:
    """What the program says of the plugin. The time that a rule may take is for busy machines and sanitizers."""
    done = run("--json", "--timeout", "300", *arguments, plugin)
    document: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if document["conforms"] else 1), done
    assert done.stderr == "", done.stderr
    return document


def with_outcome(document: dict[str, Any], outcome: str) -> dict[str, dict[str, Any]]:
    return {rule["rule"]: rule for rule in document["rules"] if rule["outcome"] == outcome}


def numbers() -> list[str]:
    return re.findall(r"^\| ([CR]\d+) \|", run("--rules").stdout, re.MULTILINE)


class Rules(unittest.TestCase):
    def test_a_sound_plugin_holds_all_but_those_that_it_gives_nothing_to_look_at(self) -> None:
        document = report(PLUGINS / "sound.so", "--seed", os.environ.get("SEGUE_SEED", "1"))
        self.assertEqual(with_outcome(document, "broken"), {})
        self.assertEqual(set(with_outcome(document, "not-run")), {"C09", "C40"})

    def test_our_plugin_holds_all(self) -> None:
        document = report(OWN, "--seed", os.environ.get("SEGUE_SEED", "1"))
        self.assertEqual(with_outcome(document, "broken"), {})
        self.assertEqual(set(with_outcome(document, "not-run")), {"C09"})

    def test_each_broken_plugin_is_caught_under_its_own_rule(self) -> None:
        names = numbers()
        self.assertEqual(
            {f"{name}.so" for name in names} - set(os.listdir(PLUGINS)), set(), "a rule that nothing breaks"
        )
        names += sorted(file[:-3] for file in os.listdir(PLUGINS) if re.fullmatch(r"[CR]\d+_\d\.so", file))
        if not os.path.exists("/proc/self/timers"):
            names.remove("C36_3")  # some kernels do not say what timers there are
        if os.nice(0) == 19:
            names.remove("C38_3")  # there is no lower priority
        if len(os.sched_getaffinity(0)) == 1:
            names.remove("C38_4")  # there is no processor to give up
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda name: report(PLUGINS / f"{name}.so", "--groups", "60"), names)
            documents = dict(zip(names, found, strict=True))
        for name, document in documents.items():
            with self.subTest(plugin=name):
                rule = name.partition("_")[0]
                broken = with_outcome(document, "broken")
                self.assertIn(rule, broken)
                self.assertLessEqual(set(broken), {rule} | ALSO_BROKEN.get(name, set()), broken)
                if name not in ENDS_THE_ROUND:
                    self.assertLessEqual(set(with_outcome(document, "not-run")), {"C09", "C40"})

    def test_a_rule_that_no_plan_could_be_held_to_is_not_said_to_hold(self) -> None:
        document = json.loads(run("--json", "--groups", "60", PLUGINS / "fails.so").stdout)
        self.assertFalse(document["conforms"])
        self.assertIn("C24", with_outcome(document, "broken"))
        of_plans = {"C20", "C25", "C26", "C29", *(f"R{number}" for number in range(1, 13))}
        self.assertLessEqual(of_plans, set(with_outcome(document, "not-run")))
        alone = run("--only", "R1", PLUGINS / "fails.so")
        self.assertEqual(alone.returncode, 1)
        self.assertRegex(alone.stdout, r"R1 +members +not run: none of \d+ groups gets a plan \(C24\)")

    def test_what_an_assignor_does_not_promise_is_not_said_to_hold(self) -> None:
        document = report(PLUGINS / "cold.so", "--groups", "60")
        self.assertEqual(with_outcome(document, "broken"), {})
        self.assertEqual(set(with_outcome(document, "not-run")), {"C09", "C40", "R10", "R12"})
        self.assertIn("traits", with_outcome(document, "not-run")["R10"]["not_run"])

    def test_a_slot_of_a_later_version_is_called_by_its_description_alone(self) -> None:
        document = report(PLUGINS / "later.so")
        self.assertEqual(with_outcome(document, "broken"), {})
        self.assertEqual(set(with_outcome(document, "not-run")), {"C40"})
        self.assertEqual(document["abi"], {"floor": 1, "newest": 2})
        unknown = [slot for slot in document["slots"] if not slot["known"]]
        self.assertEqual(
            unknown, [{"name": "later", "signature": "i(pp)", "since": 2, "offset": 64, "thread": 1, "known": False}]
        )

    def test_a_plugin_that_hangs_is_a_finding_and_not_the_end(self) -> None:
        document = json.loads(
            run("--json", "--timeout", "1", "--only", "C24", "--only", "C10", PLUGINS / "hangs.so").stdout
        )
        self.assertEqual(set(with_outcome(document, "holds")), {"C10"})
        finding = with_outcome(document, "broken")["C24"]["findings"][0]
        self.assertIn("does not come back within 1 s", finding)
        self.assertIn("asking steady for a plan of group 0", finding)

    def test_a_plugin_that_hangs_everywhere_is_not_waited_for_again_and_again(self) -> None:
        document = json.loads(run("--json", "--timeout", "1", PLUGINS / "hangs.so").stdout)
        self.assertEqual(len(with_outcome(document, "broken")), 3)
        self.assertIn("R12", with_outcome(document, "not-run"))


class Program(unittest.TestCase):
    def test_the_page_is_what_the_program_prints(self) -> None:
        self.assertEqual(
            PAGE.read_text(encoding="utf-8"), run("--rules").stdout, "segue check --rules > abi/CONFORMANCE.md"
        )

    def test_people_read_the_finding_the_rule_and_what_happens_otherwise(self) -> None:
        done = run("--only", "C34", PLUGINS / "C34.so")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(
            done.stdout, r"C34 descriptors +BROKEN\n +descriptor \d+ \(/dev/null\) was opened and left open\n"
        )
        self.assertRegex(done.stdout, r"enforced: +nobody\n +otherwise: the host runs out of them")
        self.assertRegex(done.stdout, r"\n0 rules hold, 1 broken, 0 not run\n\Z")

    def test_a_seed_gives_the_same_report_again(self) -> None:
        twice = [
            run("--json", "--seed", "7", "--only", "R10", "--only", "stable", PLUGINS / "R10.so").stdout for _ in "ab"
        ]
        self.assertEqual(twice[0], twice[1])
        self.assertNotEqual(twice[0], run("--json", "--seed", "8", "--only", "R10", PLUGINS / "R10.so").stdout)

    def test_who_cannot_be_asked_does_not_conform(self) -> None:
        done = run("--json", "--only", "R1", PLUGINS / "C08.so")
        document = json.loads(done.stdout)
        self.assertEqual((done.returncode, document["conforms"]), (1, False))
        self.assertIn("the slot", with_outcome(document, "not-run")["R1"]["not_run"])
        nothing = run("--json", "--only", "C09", OWN)
        self.assertEqual((nothing.returncode, json.loads(nothing.stdout)["conforms"]), (0, True))

    def test_what_hosts_refuse_is_said_where_only_some_rules_are_looked_at(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "open.so")
            path.write_bytes((PLUGINS / "sound.so").read_bytes())
            path.chmod(0o666)
            done = run("--only", "C10", path)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stderr, r"\Asegue: warning: check: [^\n]+chmod o-w; hosts do not load it \(C01\)\n\Z")

    def test_what_is_no_plugin_is_refused_with_three(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "text.so")
            text.write_text("no library", encoding="utf-8")
            for path in (text, pathlib.Path(folder, "none.so"), pathlib.Path(folder), pathlib.Path("/dev/null")):
                done = run(path)
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertRegex(done.stderr, r"\Asegue: check: [^\n]+\n\Z")

    def test_a_wrong_word_is_refused_with_two_and_the_nearest(self) -> None:
        for arguments, word in (
            ((), "the path of a plugin"),
            (("--only", "C99", OWN), "there is no rule C99"),
            (("--only", "memroy", OWN), "memory"),
        ):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    OWN, PLUGINS, SEGUE = (pathlib.Path(sys.argv.pop()) for _ in range(3))
    unittest.main()
