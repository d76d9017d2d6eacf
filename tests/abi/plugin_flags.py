#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the built plugin looks like from outside. Usage: plugin_flags.py [-v] PLUGIN. Reads it with binutils."""

import pathlib
import re
import struct
import subprocess
import sys
import unittest

ENTRY_HEADER = pathlib.Path(__file__).parents[2] / "abi/segue/entry.h"
VERSION_SCRIPT = pathlib.Path(__file__).parents[2] / "plugin/segue.map"
PLUGIN = ""


def printed(*command: str) -> str:
    return subprocess.run([*command, PLUGIN], check=True, capture_output=True, text=True).stdout


def entry_symbol() -> str:
    match = re.search(r'#define SEGUE_ENTRY_SYMBOL "(\w+)"', ENTRY_HEADER.read_text(encoding="utf-8"))
    assert match, "entry.h names no symbol"
    return match[1]


def dynamic(tag: str) -> list[str]:
    return re.findall(rf"\({tag}\)\s+(.*)", printed("readelf", "-dW"))


def section(name: str) -> bytes | None:
    found = re.search(rf"\s{re.escape(name)}\s+\w+\s+\w+\s+(\w+)\s+(\w+)\s", printed("readelf", "-SW"))
    if not found:
        return None
    offset, size = int(found[1], 16), int(found[2], 16)
    return pathlib.Path(PLUGIN).read_bytes()[offset : offset + size]


class PluginFile(unittest.TestCase):
    def test_exports_the_entry_and_nothing_else(self) -> None:
        rows = [line.split() for line in printed("nm", "-D", "--defined-only").splitlines()]
        symbols = [row[2].split("@")[0] for row in rows if row[1] != "A"]
        self.assertEqual(symbols, [entry_symbol()])

    def test_version_script_names_the_entry_of_the_header(self) -> None:
        script = VERSION_SCRIPT.read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"global:\s*([^}]*?;)\s*local:\s*\*;", script), [f"{entry_symbol()};"])

    def test_binds_at_load_and_is_never_unloaded(self) -> None:
        flags = " ".join(dynamic("FLAGS") + dynamic("FLAGS_1")).split()
        self.assertIn("NOW", flags)
        self.assertIn("NODELETE", flags)

    def test_takes_no_static_thread_local_storage(self) -> None:
        self.assertNotIn("STATIC_TLS", " ".join(dynamic("FLAGS")).split())

    def test_carries_no_search_path(self) -> None:
        self.assertEqual(dynamic("RPATH") + dynamic("RUNPATH"), [])

    def test_needs_the_c_library_alone(self) -> None:
        needed = re.findall(r"\[(.*?)\]", " ".join(dynamic("NEEDED")))
        self.assertIn("libc.so.6", needed)
        # The loader itself comes along where thread-local storage is looked up at run time; it is part of libc.
        self.assertEqual([name for name in needed if name != "libc.so.6" and not name.startswith("ld-linux")], [])

    def test_runs_nothing_when_it_is_loaded(self) -> None:
        array = section(".init_array") or b""
        starts = [hex(value)[2:] for (value,) in struct.iter_unpack("<Q", array)]
        # frame_dummy is the compiler's own and does nothing in C. Its address stands in a relocation or in the file.
        relocated = re.findall(r"^\w+\s+\w+\s+R_\w+_RELATIVE\s+(\w+)$", printed("readelf", "-rW"), re.MULTILINE)
        where = {
            row.split()[2]: row.split()[0].lstrip("0") for row in printed("nm").splitlines() if len(row.split()) == 3
        }
        self.assertLessEqual(len(starts), 1, "a constructor has crept in")
        if starts and "frame_dummy" in where:
            self.assertIn(where["frame_dummy"], starts + relocated)

    def test_has_no_executable_stack_and_no_writable_code(self) -> None:
        segments = re.findall(
            r"^\s+(LOAD|GNU_STACK)\s.*?\s([R ][W ][E ])\s+0x", printed("readelf", "-lW"), re.MULTILINE
        )
        self.assertTrue(segments)
        self.assertEqual([kind for kind, rights in segments if "W" in rights and "E" in rights], [])


class Note(unittest.TestCase):
    """The registry lists a plugin from this note without running it."""

    def setUp(self) -> None:
        found = section(".note.segue")
        self.assertIsNotNone(found, "no section .note.segue")
        self.note = found or b""

    def test_is_owned_by_segue(self) -> None:
        owner_size, _, kind = struct.unpack_from("<III", self.note)
        self.assertEqual((owner_size, kind, self.note[12:18]), (6, 1, b"segue\0"))

    def test_lies_in_a_segment_of_notes(self) -> None:
        self.assertRegex(printed("readelf", "-lW"), r"(?s)Section to Segment.*\.note\.segue")

    def test_names_the_range_and_the_assignors(self) -> None:
        floor, newest, _, name_bytes = struct.unpack_from("<IIII", self.note, 20)
        names = self.note[36 : 36 + name_bytes]
        self.assertEqual((floor, newest), (1, 1))
        self.assertEqual(names[-2:], b"\0\0")
        self.assertIn(b"learner", names.split(b"\0"))


if __name__ == "__main__":
    PLUGIN = sys.argv.pop()
    unittest.main()
