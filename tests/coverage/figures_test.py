#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What packaging/coverage says of summaries, and which command lines it refuses. figures_test.py"""

import contextlib
import io
import json
import pathlib
import subprocess
import tempfile
import unittest

import figures

COMMAND = pathlib.Path(__file__).resolve().parents[2] / "packaging/coverage"


def summary(*rows: tuple[str, int, int]) -> dict[str, object]:
    files = [{"filename": name, "branch_covered": covered, "branch_total": total} for name, covered, total in rows]
    covered, total = sum(row[1] for row in rows), sum(row[2] for row in rows)
    lines = {"line_covered": 9, "line_total": 10}
    return {"files": files, "branch_covered": covered, "branch_total": total, **lines}


def said(floor: str, files: str, **parts: dict[str, object]) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        words = []
        for name, report in parts.items():
            path = pathlib.Path(folder, name)
            path.write_text(json.dumps(report), encoding="utf-8")
            words.append(f"{name}={path}")
        return figures.main(["--floor", floor, "--files", files, *words]), out.getvalue().splitlines()


class Figures(unittest.TestCase):
    def test_a_part_at_the_floor_is_enough(self) -> None:
        status, lines = said("90", "5", plugin=summary(("plugin/a.c", 9, 10)))
        self.assertEqual(status, 0)
        self.assertEqual(lines[0], "plugin     branches  90.0 % (9 of 10)   lines  90.0 % (9 of 10)")
        self.assertEqual(lines[-1], "at or above the floor of 90 %")

    def test_no_part_makes_up_for_another(self) -> None:
        status, lines = said("90", "5", plugin=summary(("a.c", 100, 100)), libsegue=summary(("b.c", 8, 10)))
        self.assertEqual((status, lines[-1]), (1, "below the floor of 90 %"))

    def test_a_floor_is_not_met_by_rounding(self) -> None:
        status, lines = said("95", "0", plugin=summary(("a.c", 94999, 100000)))
        self.assertEqual((status, lines[0][:27]), (1, "plugin     branches  94.9 %"))

    def test_nothing_measured_is_below_every_floor(self) -> None:
        self.assertEqual(said("1", "5", plugin=summary())[0], 1)

    def test_the_largest_gaps_come_first_and_full_files_not_at_all(self) -> None:
        lines = said("0", "2", plugin=summary(("a.c", 9, 10), ("b.c", 10, 10), ("c.c", 1, 9), ("d.c", 5, 7)))[1]
        self.assertEqual(
            lines[1:-1],
            ["     8 of    9 branches are not reached in c.c", "     2 of    7 branches are not reached in d.c"],
        )


class CommandLine(unittest.TestCase):
    def test_what_is_wrong_is_said_in_one_line_before_anything_is_built(self) -> None:
        for words, part in (
            (["--flor", "95"], "no option --flor; there are: --floor"),
            (["--floor"], "--floor is ''; it must be a number from 0 to 100"),
            (["--floor", "101"], "--floor is '101'"),
            (["--floor", "-1"], "--floor is '-1'"),
            (["--floor", "9,5"], "--floor is '9,5'"),
            (["--files", "many"], "--files is 'many'; it must be a whole number"),
            (["--files", "5", "95"], "no option 95"),
        ):
            with self.subTest(words=words):
                done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^coverage: [^\n]+\n$")
                self.assertIn(part, done.stderr)

    def test_help_tells_the_options(self) -> None:
        done = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("--floor PERCENT", done.stdout)


if __name__ == "__main__":
    unittest.main()
