#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/abi-guard refuses what breaks a released version, and lets it grow. Usage: released_test.py [-v]"""

import pathlib
import shutil
import sys
import tempfile
import unittest

import released

ABI = pathlib.Path(__file__).parents[2] / "abi"
BORDER = released.structs(ABI / "segue")
VALUES = released.constants(ABI / "segue", ABI.parent / "hosts/c/include/segue")


class Released(unittest.TestCase):
    """Each test changes the description of version 1, which is kept, in one way."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(ABI / "released/1", self.folder / "1")
        self.text = (self.folder / "1/description.txt").read_text(encoding="utf-8")

    def faults(self, *changes: tuple[str, str]) -> list[str]:
        text = self.text
        for old, new in changes:
            self.assertEqual(text.count(old), 1, f"the description has not one '{old}'")
            text = text.replace(old, new)
        return released.faults_of(text, self.folder, BORDER, VALUES)

    def refused(self, said: str, *changes: tuple[str, str]) -> None:
        faults = self.faults(*changes)
        self.assertTrue(any(said in fault for fault in faults), f"'{said}' is not among {faults}")

    def test_the_headers_as_they_are_keep_what_was_released(self) -> None:
        now = (ABI / "golden/segue.txt").read_text(encoding="utf-8")
        self.assertEqual(released.faults_of(now, ABI / "released", BORDER, VALUES), [])

    def test_a_constant_that_is_gone_or_another_is_refused(self) -> None:
        self.assertGreater(len(VALUES), 20)
        for name in released.constants(self.folder / "1/segue"):
            for values in ({**VALUES, name: "12345u"}, {other: VALUES[other] for other in VALUES if other != name}):
                faults = released.faults_of(self.text, self.folder, BORDER, values)
                self.assertEqual([fault.split(": ")[:2] for fault in faults], [["version 1", name]])

    def test_a_slot_that_is_gone_is_refused(self) -> None:
        slot = next(line for line in self.text.splitlines() if line.strip().startswith("56 get_extension"))
        self.refused("slots: is gone", (f"{slot}\n", ""))

    def test_a_slot_with_another_signature_is_refused(self) -> None:
        self.refused("16 create", ("16 create i(ppp)", "16 create i(pp)"))

    def test_a_slot_of_another_thread_class_is_refused(self) -> None:
        self.refused("40 assign", ("40 assign i(ppppp) serial", "40 assign i(ppppp) any-thread"))

    def test_a_field_in_between_is_refused(self) -> None:
        self.refused(
            "struct segue_bound", ("     8  4 decision_rows", "     8  4 other uint32_t\n    12  4 decision_rows")
        )

    def test_a_renamed_field_is_refused(self) -> None:
        self.refused("24  4 text_size", ("    24  4 text_size", "    24  4 text_length"))

    def test_a_field_of_another_type_is_refused(self) -> None:
        self.refused("segue_memory", ("     8  8 held_bytes uint64_t", "     8  8 held_bytes int64_t"))

    def test_a_struct_that_is_gone_is_refused(self) -> None:
        self.refused("struct segue_joiner: is gone", ("struct segue_joiner", "struct segue_comer"))

    def test_a_code_with_another_number_is_refused(self) -> None:
        self.refused("-3 E_NAME", ("  -3 E_NAME", "  -33 E_NAME"))

    def test_a_code_with_another_word_is_refused(self) -> None:
        self.refused("E_DEADLINE", ("E_DEADLINE deadline", "E_DEADLINE too-late"))

    def test_another_default_is_refused(self) -> None:
        self.refused("acceptable.recovery.lag", ("int64_t default 10000", "int64_t default 1000"))

    def test_another_sentinel_is_refused(self) -> None:
        self.refused("constant is gone or another: none", ("none 4294967295", "none 4294967294"))

    def test_another_format_of_messages_is_refused(self) -> None:
        self.refused("wire", ("  version 1, alignment 8", "  version 2, alignment 8"))

    def test_a_slot_that_pretends_to_have_been_there_is_refused(self) -> None:
        late = "\n\nextension segue.session/1"
        self.refused("since a version that was released", (late, f"\n  64 late v() any-thread since 1 (){late}"))

    def test_a_longer_struct_without_a_new_version_is_refused(self) -> None:
        self.refused(
            "the version is still 1",
            ("    12  4 name_bytes uint32_t", "    12  4 name_bytes uint32_t\n    16  8 x uint64_t"),
        )

    def test_a_floor_above_a_released_version_is_refused(self) -> None:
        self.refused("the floor is 2", ("version 1, floor 1", "version 2, floor 2"))

    def test_an_older_version_than_the_released_is_refused(self) -> None:
        self.refused("the headers speak 0", ("version 1, floor 1", "version 0, floor 0"))

    def test_a_changed_frozen_file_is_refused(self) -> None:
        with (self.folder / "1/segue/slots.h").open("a", encoding="utf-8") as header:
            header.write("/* better now */\n")
        self.refused("its files are not those of its SHA256SUMS")

    def test_a_new_version_may_add_slots_fields_rows_and_codes(self) -> None:
        slots, limit = "\n\nextension segue.session/1", "    24  4 text_size uint32_t\n    28  4 reserved uint32_t"
        self.assertEqual(
            self.faults(
                ("version 1, floor 1", "version 2, floor 1"),
                (slots, f"\n  64 more i(p) any-thread since 2 (const char * name){slots}"),
                (limit, f"{limit}\n    32  8 more uint64_t"),
                ("  -14 E_SYSTEM system", "  -14 E_SYSTEM system\n  -15 E_MORE more"),
                ("cold 1, leaving 2, loose 4", "cold 1, leaving 2, loose 4, more 8"),
            ),
            [],
        )

    def test_records_of_libsegue_may_grow_without_a_version_of_the_border(self) -> None:
        last = "    48  4 faults uint32_t\n    52  4 aside uint32_t"
        self.assertEqual(self.faults((last, f"{last}\n    56  8 more uint64_t")), [])


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    unittest.main()
