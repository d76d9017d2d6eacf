#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What abi/COMPATIBILITY.md promises, pair by pair. Usage: matrix_test.py [-v] SIDES BUILD

SIDES is the folder in which CMake built hosts, plugins and applications of each version, BUILD the product's own.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from grow import version_of

ROOT = pathlib.Path(__file__).parents[3]
GROUP = ROOT / "packaging/examples/scale-out.json"
SIDES = BUILD = pathlib.Path()
# Versions that have what grow.py adds to `next`.
GROWN = {"next", "after", "far"}
Table = dict[str, dict[str, str]]


def table(title: str) -> Table:
    """Row to column to cell, of the table under that heading."""
    text = (ROOT / "abi/COMPATIBILITY.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"COMPATIBILITY.md has no section {title}"
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section[1].splitlines() if line[:1] == "|"
    ]
    head, _, *body = rows
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}


def plugin_of(name: str) -> pathlib.Path:
    product = {"segue": BUILD / "segue-assignors.so", "segue next": SIDES / "sides/product_next.so"}
    return product.get(name, SIDES / f"sides/plugin_{name}.so")


def run(program: str, *arguments: object, library: str = "now") -> tuple[int, list[str]]:
    folder = BUILD if library == "now" else SIDES / f"libsegue_{library}"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    command = [str(SIDES / "sides" / program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert done.returncode in (0, 3), f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.returncode, done.stdout.splitlines()


def agreed(status: int, lines: list[str]) -> str:
    return "refused" if status == 3 else lines[0].removeprefix("version ")


def starting(lines: list[str], *words: str) -> list[str]:
    return [line for line in lines if line.startswith(words)]


def built(column: str) -> bool:
    """With sanitizers only the small sides are there."""
    return plugin_of(column).exists() or not column.startswith("segue next")


class HostAndPlugin(unittest.TestCase):
    """Hosts that know headers alone call every slot of every plugin."""

    promised = table("A host and a plugin")

    def pairs(self) -> list[tuple[str, str, str]]:
        return [(h, p, cell) for h, row in self.promised.items() for p, cell in row.items() if built(p)]

    def test_every_version_that_was_released_is_in_the_tables(self) -> None:
        released = {path.name for path in (ROOT / "abi/released").iterdir()}
        self.assertEqual(set(self.promised), released | {"now"} | GROWN)
        self.assertEqual(set(next(iter(self.promised.values()))), set(self.promised) | {"segue", "segue next"})

    def test_each_pair_speaks_the_newest_that_both_know_or_says_so(self) -> None:
        for host, plugin, cell in self.pairs():
            with self.subTest(host=host, plugin=plugin):
                status, lines = run(f"host_{host}", plugin_of(plugin))
                self.assertEqual(agreed(status, lines), cell)
                if status == 3:
                    self.assertRegex(lines[-1], r"^refused, speaks \d+ to \d+$")

    def test_the_plan_is_the_same_for_hosts_of_all_versions(self) -> None:
        plans: dict[str, list[str]] = {}
        for host, plugin, cell in self.pairs():
            if cell != "refused":
                with self.subTest(host=host, plugin=plugin):
                    found = starting(run(f"host_{host}", plugin_of(plugin))[1], "plan of")
                    self.assertTrue(found)
                    self.assertEqual(found, plans.setdefault(plugin, found))
        if "segue next" in plans:
            self.assertEqual(plans["segue"], plans["segue next"])

    def test_fields_that_the_plugin_does_not_know_are_zeroed_and_others_are_filled(self) -> None:
        for host, plugin, cell in self.pairs():
            if cell != "refused" and host in GROWN and plugin != "segue next":
                with self.subTest(host=host, plugin=plugin):
                    lines = run(f"host_{host}", plugin_of(plugin))[1]
                    said = starting(lines, "later entry", "later info", "later bound", "later error", "later memory")
                    self.assertGreaterEqual(len(said), 5)
                    self.assertEqual({line.split()[-1] for line in said}, {"2" if plugin in GROWN else "0"})

    def test_what_the_host_does_not_have_is_as_if_it_was_not_set(self) -> None:
        for host, plugin, cell in self.pairs():
            if cell != "refused" and plugin in GROWN:
                with self.subTest(host=host, plugin=plugin):
                    lines = run(f"host_{host}", plugin_of(plugin))[1]
                    told = (
                        ["later configuration 9, column 60"] if host in GROWN else ["later configuration 7, column 0"]
                    )
                    self.assertEqual(starting(lines, "later configuration"), told)
                    rows = ["later rows 2 2 2"] if host in GROWN else ["later rows 0 0 0"]
                    self.assertEqual(starting(lines, "later rows"), rows)

    def test_a_slot_is_called_only_where_its_version_is_spoken(self) -> None:
        with_slot = {"after", "far"}
        for host, plugin, cell in self.pairs():
            if cell != "refused":
                with self.subTest(host=host, plugin=plugin):
                    lines = run(f"host_{host}", plugin_of(plugin))[1]
                    self.assertEqual("late slot" in lines, host in with_slot and plugin in with_slot)
                    self.assertEqual(starting(lines, "session"), ["session yes" if "segue" in plugin else "session no"])


class Sides(unittest.TestCase):
    """What is built with libsegue, which sanitized builds leave out."""

    def setUp(self) -> None:
        if not (SIDES / "libsegue_next").exists():
            self.skipTest("built with sanitizers")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def planned(self, application: str, library: str, plugin: str, *other: pathlib.Path) -> tuple[int, list[str]]:
        message = self.folder / f"{application}-{library}"
        return run(f"application_{application}", plugin_of(plugin), GROUP, message, *other, library=library)


class LibraryAndPlugin(Sides):
    def test_each_pair_speaks_the_newest_that_both_know_or_says_so(self) -> None:
        for library, row in table("libsegue and a plugin").items():
            for plugin, cell in row.items():
                with self.subTest(libsegue=library, plugin=plugin):
                    status, lines = self.planned("now", library, plugin)
                    self.assertEqual(agreed(status, lines), cell)
                    if status == 3:
                        self.assertRegex(lines[-1], "refused: .* too new: it speaks versions|too few|is empty")


class ApplicationAndLibrary(Sides):
    def test_each_pair_runs_and_has_the_same_plan(self) -> None:
        plans: set[str] = set()
        for application, row in table("An application and libsegue").items():
            for library in row:
                with self.subTest(application=application, libsegue=library):
                    plans.add("\n".join(starting(self.planned(application, library, "segue")[1], "{")))
        self.assertEqual(len(plans), 1)

    def test_a_message_of_one_version_is_read_by_all(self) -> None:
        answers: set[str] = set()
        self.planned("next", "next", "segue")
        self.planned("now", "now", "segue")
        for application, library, wrote in (
            ("1", "now", "next-next"),
            ("next", "next", "now-now"),
            ("1", "next", "next-next"),
        ):
            with self.subTest(application=application, libsegue=library, message=wrote):
                kept = self.folder / "other"
                shutil.copy(self.folder / wrote, kept)
                lines = starting(self.planned(application, library, "segue", kept)[1], "by message")
                self.assertTrue(lines)
                answers.add("\n".join(lines))
        self.assertEqual(len(answers), 1)


class Abidiff(Sides):
    """The second net: types and functions as the compiler's debug symbols have them."""

    def changes(self, old: pathlib.Path, new: pathlib.Path, *, grown: bool) -> str:
        """What abidiff says. Where records may have grown it is told so, and then sees less."""
        growth = ["--suppressions", str(pathlib.Path(__file__).with_name("growth.abignore"))] if grown else []
        command = ["abidiff", *growth, "--no-added-syms", str(old), str(new)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode & 3, 0, done.stderr)
        return done.stdout if done.returncode else ""

    def types(self, version: str) -> pathlib.Path:
        return SIDES / f"sides/types_{version}.so"

    def test_headers_of_today_and_tomorrow_keep_every_released_version(self) -> None:
        for version in sorted(path.name for path in (ROOT / "abi/released").iterdir()):
            for later in ("now", "next"):
                with self.subTest(released=version, later=later):
                    grown = later == "next" or version_of(ROOT / "abi") != int(version)
                    self.assertEqual(self.changes(self.types(version), self.types(later), grown=grown), "")

    def test_a_field_in_between_a_changed_type_and_a_lost_function_are_found(self) -> None:
        bound = ("plan.h", "    uint32_t decision_rows;", "    uint32_t other;\n    uint32_t decision_rows;")
        number = ("session.h", "ARG(u, uint32_t, member)", "ARG(l, int64_t, member)")
        free = ("host.h", "SEGUE_API void segue_free(void *memory);", "")
        for name, old, new in (bound, number, free):
            with self.subTest(header=name):
                grown = (name, old, new) != number
                self.assertNotEqual(self.changes(self.types("1"), self.broken(name, old, new), grown=grown), "")

    def broken(self, name: str, old: str, new: str) -> pathlib.Path:
        shutil.copytree(ROOT / "abi/released/1/segue", self.folder / "segue", dirs_exist_ok=True)
        header = self.folder / "segue" / name
        text = header.read_text(encoding="utf-8")
        self.assertIn(old, text)
        header.write_text(text.replace(old, new), encoding="utf-8")
        source, out = self.folder / "stubs.c", self.folder / "types.so"
        stubs = pathlib.Path(__file__).with_name("stubs.py")
        subprocess.run([sys.executable, "-B", stubs, self.folder, source], check=True)
        flags = ["-std=c11", "-g", "-w", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{self.folder}"]
        subprocess.run([os.environ.get("CC", "gcc"), *flags, source, "-o", out], check=True)
        return out


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop())
    SIDES = pathlib.Path(sys.argv.pop())
    unittest.main()
