#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Headers of a version that is not there yet. Usage: grow.py NAME HEADERS... OUT [--slot] [--drop FOLDER]

Copies the headers of the folders HEADERS into OUT and adds what the conventions allow a further version to add: a row
at the end of each list that grows, a field at the end of each struct, all called after NAME, a version one higher; with
--slot a slot as well. With --drop the versions that the headers in FOLDER speak are spoken no more. So the promises to
older and newer parts are tried before there is a further version to break them. SEGUE_GROWN_NAME is defined.
"""

import argparse
import pathlib
import re
import shutil
import sys

# A list, and the row that a version adds to it.
ROWS = {
    "SEGUE_STATUSES": 'X(E_LATER_{name}, -{code}, "later-{name}")',
    "SEGUE_CONFIG_FIELDS": 'X(later_{name}, int64_t, "x.later.{name}", 7, 0, 100)',
    "SEGUE_GROUP_COLUMNS": "X({id}, task_later_{name}, uint32_t, g->task_count, OPTIONAL)",
    "SEGUE_PLAN_COLUMNS": "X({id}, later_{name}, uint32_t, p->task_count, task_count)",
    "SEGUE_SESSION_SLOTS": "SLOT({version}, later_{name}, SERIAL, i, ARG(p, segue_session *, session))",
}
SLOT = {
    "SEGUE_SLOTS": "SLOT({version}, slot_{name}, ANY, i, ARG(u, uint32_t, number) SEP() ARG(p, segue_error *, error))"
}
# Structs that never grow: those of a file's or message's format have a version of their own, and segue_slot_info is an
# array's element.
FIXED = {"segue_note", "segue_slot_info", "segue_wire_header", "segue_wire_section", "segue_record_head"}
FIELD = "    uint64_t later_{name};\n"
Values = dict[str, str | int]


def version_of(headers: pathlib.Path) -> int:
    found = re.search(r"#define SEGUE_ABI_VERSION (\d+)u", (headers / "segue/base.h").read_text(encoding="utf-8"))
    assert found, f"{headers} has no SEGUE_ABI_VERSION"
    return int(found[1])


def with_rows(text: str, rows: dict[str, str], values: Values) -> str:
    for name, row in rows.items():
        body = re.compile(rf"(#define {name}\((?:.*\\\n)*)(.*[^\\\s])[ \t]*\n")
        last = body.search(text)
        if last:
            kept = re.sub(r"\s*/\*.*?\*/", "", last[2])
            text = f"{text[: last.start()]}{last[1]}{kept} \\\n    {row.format(**values)}\n{text[last.end() :]}"
    return text


def with_fields(text: str, values: Values) -> str:
    def grown(match: re.Match[str]) -> str:
        made_of_rows = "#define" in match[0]
        return match[0] if made_of_rows or match[2] in FIXED else f"{match[1]}{FIELD.format(**values)}}} {match[2]};"

    return re.sub(r"(typedef struct \w+ \{\n(?:[^}]*\n)?)\} (\w+);", grown, text)


def grow(folder: pathlib.Path, name: str, rows: dict[str, str], floor: int | None) -> None:
    version = version_of(folder) + 1
    values: Values = {"name": name, "version": version, "code": 100 + version, "id": 1024 + version}
    for header in sorted((folder / "segue").glob("*.h")):
        text = with_fields(with_rows(header.read_text(encoding="utf-8"), rows, values), values)
        grown = rf"\g<1>{version}u\n#define SEGUE_GROWN_{name} 1"
        text = re.sub(r"(#define SEGUE_ABI_VERSION )\d+u", grown, text)
        if floor is not None:
            text = re.sub(r"(#define SEGUE_ABI_FLOOR )\d+u", rf"\g<1>{floor}u", text)
        header.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("headers", nargs="+", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--slot", action="store_true")
    parser.add_argument("--drop", type=pathlib.Path)
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    for folder in given.headers:
        shutil.copytree(folder / "segue", given.out / "segue", dirs_exist_ok=True)
    floor = version_of(given.drop) + 1 if given.drop else None
    grow(given.out, given.name, ROWS | (SLOT if given.slot else {}), floor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
