# SPDX-License-Identifier: Apache-2.0
"""How packaging/test counts its stages: with tests that pass, fail, are skipped, or fail at first.

stages_test.py [TEST...]; the tests of pytest are skipped where it is not there.
"""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# As a live test that a slow moment fells: its first run leaves a mark, and fails.
AT_FIRST = 'if [ ! -e "$0.mark" ]; then : >"$0.mark"; echo the group was not stable; exit 1; fi\n'
SCRIPTS = {"passes": "exit 0\n", "absent": "exit 77\n", "at_first": AT_FIRST, "fails": "echo always; exit 1\n"}
PYTESTS = """
import pathlib, pytest
mark = pathlib.Path(__file__).with_suffix(".mark")
def fresh():
    return not mark.exists() and mark.touch() is None
@pytest.fixture
def broker():
    yield
    assert not fresh(), "the broker did not end"
def test_passes(): pass
@pytest.mark.skip(reason="for now")
def test_absent(): pass
"""
AT_FIRST_PYTEST = 'def test_at_first(): assert not fresh(), "the group was not stable"\n'
AT_THE_END_PYTEST = "def test_at_the_end(broker): pass\n"
FAILS_PYTEST = 'def test_fails(): assert False, "always"\n'


class StagesTest(unittest.TestCase):
    """With a folder for the logs of each test."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def run_stages(self, *stages: str) -> tuple[int, str]:
        """Status and output of a round of these."""
        script = f". {ROOT}/packaging/lib.sh; logs={self.logs}; python={sys.executable}; . {ROOT}/packaging/stages.sh\n"
        lines = "\n".join([script, *stages, "totals"])
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", lines], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def assert_stage(self, said: str, counts: str) -> None:
        self.assertRegex(said, rf"(?m)\Alive +{counts} +\d+ s$")


class SecondTryOfCtest(StagesTest):
    def run_live(self, *names: str) -> tuple[int, str]:
        rows = []
        for name in names:
            file = self.folder / f"{name}.sh"
            file.write_text(SCRIPTS[name], encoding="utf-8")
            rows.append(
                f'add_test({name} "sh" "{file}")\nset_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n'
            )
        (self.folder / "CTestTestfile.cmake").write_text("".join(rows), encoding="utf-8")
        report = self.logs / "live.xml"
        return self.run_stages(f"stage live junit {report} live_units {self.folder} . {report}")

    def test_what_passes_then_counts_as_passed_and_is_told(self) -> None:
        status, said = self.run_live("passes", "absent", "at_first")
        self.assertEqual(status, 0)
        self.assert_stage(said, "2 passed, 0 failed, 1 skipped, 1 at the second try")
        self.assertIn("\nat_first\n    the group was not stable\n---\n", said)
        self.assertTrue(said.endswith("\n1 skipped\n1 passed at the second try only\n2 passed, 0 failed\n"), said)

    def test_what_fails_twice_has_failed(self) -> None:
        status, said = self.run_live("passes", "at_first", "fails")
        self.assertEqual(status, 1)
        self.assert_stage(said, "2 passed, 1 failed, 1 at the second try")
        self.assertTrue(said.endswith("\n1 passed at the second try only\n2 passed, 1 failed\n"), said)

    def test_where_all_pass_nothing_is_said_of_it(self) -> None:
        status, said = self.run_live("passes")
        self.assertEqual(status, 0)
        self.assert_stage(said, "1 passed, 0 failed")
        self.assertEqual(said.splitlines()[1:], ["1 passed, 0 failed"])
        self.assertFalse((self.logs / "live.second.xml").exists())


@unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not there")
class SecondTryOfPytest(StagesTest):
    def run_live(self, *tests: str) -> tuple[int, str]:
        (self.folder / "test_live.py").write_text(PYTESTS + "".join(tests), encoding="utf-8")
        (self.folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        report = self.logs / "live.xml"
        return self.run_stages(f"stage live junit {report} live_pytest {self.folder} test_live.py {report}")

    def test_what_passes_then_counts_as_passed_and_is_told(self) -> None:
        status, said = self.run_live(AT_FIRST_PYTEST)
        self.assertEqual(status, 0, said)
        self.assert_stage(said, "2 passed, 0 failed, 1 skipped, 1 at the second try")
        self.assertIn("\ntest_live::test_at_first\n    AssertionError: the group was not stable\n", said)

    def test_an_end_that_fails_is_tried_again_as_well(self) -> None:
        status, said = self.run_live(AT_THE_END_PYTEST)
        self.assertEqual(status, 0, said)
        self.assert_stage(said, "2 passed, 0 failed, 1 skipped, 1 at the second try")
        self.assertIn("\ntest_live::test_at_the_end\n", said)

    def test_what_fails_twice_has_failed(self) -> None:
        status, said = self.run_live(AT_FIRST_PYTEST, FAILS_PYTEST)
        self.assertEqual(status, 1)
        self.assert_stage(said, "2 passed, 1 failed, 1 skipped, 1 at the second try")
        self.assertTrue(said.endswith("\n2 passed, 1 failed\n"), said)

    def test_what_no_test_says_is_not_forgiven(self) -> None:
        """A run that ends otherwise than by failing tests."""
        status, said = self.run_live("raise SystemError\n")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"(?m)^live +0 passed, 1 failed +\d+ s$")


class SecondTryOfMaven(StagesTest):
    """Its report tells of both tries; this one is of failsafe 3.5.4 with JUnit 5.13, without its stack traces."""

    def test_what_passes_then_counts_as_passed_and_is_told(self) -> None:
        status, said = self.run_stages(f"stage live junit '{HERE}/maven-*.xml' true")
        self.assertEqual(status, 1)
        self.assert_stage(said, "5 passed, 1 failed, 1 skipped, 3 at the second try")
        for line in (
            "x.LiveIT::each(int)[2]\n    two at first ==> ",
            "x.LiveIT::failsAtFirst\n    the group was not stable ==> ",
            "x.LiveIT::throwsAtFirst\n    the broker was away\n",
        ):
            self.assertIn(line, said)
        self.assertNotIn("x.LiveIT::fails\n", said)


class OneTry(StagesTest):
    """All other stages."""

    def test_what_fails_has_failed_whether_it_would_pass_then_or_not(self) -> None:
        (self.folder / "at_first.sh").write_text(AT_FIRST, encoding="utf-8")
        (self.folder / "CTestTestfile.cmake").write_text(f'add_test(at_first "sh" "{self.folder}/at_first.sh")\n')
        report = self.logs / "units.xml"
        status, said = self.run_stages(f"stage units junit {report} units {self.folder} {report}")
        self.assertEqual(status, 1)
        self.assertTrue(said.endswith("\n0 passed, 1 failed\n"), said)

    def test_counts_of_lanes_and_lines_add_up(self) -> None:
        status, said = self.run_stages(
            "one() { echo '3 passed, 0 failed'; }; stages() { stage lined lines - one; second=2; }",
            "lane behind stages & stage before lines - one; join_lane behind",
        )
        self.assertEqual(status, 0)
        self.assertTrue(said.endswith("\n2 passed at the second try only\n6 passed, 0 failed\n"), said)


if __name__ == "__main__":
    unittest.main()
