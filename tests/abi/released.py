#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What was released stays. Usage: released.py NOW RELEASED HEADERS MORE_HEADERS

NOW is the border's description as it is (tests/abi/describe.c), RELEASED the folder with a folder for each released
version, HEADERS the folder of the border's own headers, MORE_HEADERS that of libsegue's. Refused is whatever an older
part could trip over: a row that is gone, moved or means something else, a constant of another value, a field that is
not at the end, a slot or a field without a new version, a released folder that differs from its own sums. Exit status
1, with a line for each, if anything is.

A version is given up by removing its folder, and only then may the floor rise above it.
"""

import hashlib
import pathlib
import re
import sys

SUMS = "SHA256SUMS"
DESCRIPTION = "description.txt"
# Lists of codes: what counts is that each keeps its number, wherever a further one stands.
UNORDERED = {"statuses", "kinds", "reasons", "follow-ups", "enums"}
Sections = dict[str, list[str]]
# What every version states anew, and what is no value but a way to write code.
NO_CONSTANTS = {"SEGUE_ABI_VERSION", "SEGUE_ABI_FLOOR", "SEGUE_API", "SEGUE_EXPORT", "SEGUE_SLOT_TABLE"}


def sections(text: str) -> Sections:
    """Title to rows. A struct's title is its name: its size follows from its rows."""
    found: Sections = {}
    for block in text.strip().split("\n\n"):
        title, *rows = block.splitlines()
        found[re.sub(r"(struct \w+), \d+ bytes", r"\1", title)] = rows
    return found


def versions(now: Sections) -> tuple[int, int]:
    """The newest version that is spoken, and the oldest."""
    found = re.fullmatch(r"version (\d+), floor (\d+)", preface(now)[0])
    assert found, "the description's second line is no longer 'version N, floor N'"
    return int(found[1]), int(found[2])


def preface(described: Sections) -> list[str]:
    return next(iter(described.values()))


def lost(old: list[str], new: list[str], ordered: bool) -> list[str]:
    """Rows of `old` that are not in `new`, or not at their place."""
    if not ordered:
        return [row for row in old if row not in new]
    padded = [*new, *[""] * len(old)]
    return [row for row, other in zip(old, padded, strict=False) if row != other]


def changed_constants(old: Sections, new: Sections) -> list[str]:
    """Of the lines at the top; a line may be continued behind a comma."""
    present = preface(new)[1:]
    return [
        f"constant is gone or another: {row}"
        for row in preface(old)[1:]
        if not any(line == row or line.startswith(f"{row}, ") for line in present)
    ]


def changed_sections(old: Sections, new: Sections) -> list[str]:
    faults = []
    for title, rows in list(old.items())[1:]:
        if title not in new:
            faults.append(f"{title}: is gone")
            continue
        faults += [
            f"{title}: is gone, moved or another: {row.strip()}"
            for row in lost(rows, new[title], title not in UNORDERED)
        ]
    return faults


def unannounced(old: Sections, new: Sections, released: int, border: set[str]) -> list[str]:
    """What was added to the border's structs and lists of slots without a version of its own."""
    faults = []
    for title, rows in old.items():
        added = new.get(title, [])[len(rows) :]
        if title.startswith("struct ") and title.split()[1] in border and added and versions(new)[0] <= released:
            faults.append(f"{title}: is longer, but the version is still {released}: {added[0].strip()}")
        if title == "slots" or title.startswith("extension "):
            late = [row for row in added if int(re.findall(r" since (\d+) ", row)[0]) <= released]
            faults += [
                f"{title}: is said to be since a version that was released without it: {row.strip()}" for row in late
            ]
    return faults


def sums(folder: pathlib.Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files]
    return "".join(lines)


def changed_files(folder: pathlib.Path) -> list[str]:
    kept = (folder / SUMS).read_text(encoding="utf-8") if (folder / SUMS).exists() else ""
    return [] if kept == sums(folder) else [f"{folder.name}: its files are not those of its {SUMS}"]


def structs(headers: pathlib.Path) -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for path in headers.glob("*.h"))
    return set(re.findall(r"^typedef struct (segue_\w+) \{", text, re.MULTILINE))


def constants(*folders: pathlib.Path) -> dict[str, str]:
    """Macros without arguments, of one line, as they are written."""
    files = [path for folder in folders for path in sorted(folder.glob("*.h"))]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    rows = re.findall(r"^#define (SEGUE_[A-Z0-9_]+) +(\S[^\n]*)$", text, re.MULTILINE)
    return {name: value.partition("/*")[0].strip() for name, value in rows if name not in NO_CONSTANTS}


def changed_values(folder: pathlib.Path, values: dict[str, str]) -> list[str]:
    old = constants(folder / "segue")
    return [
        f"{name}: is {values.get(name, 'gone')}, and was {value}"
        for name, value in old.items()
        if values.get(name) != value
    ]


def faults_of(now: str, released: pathlib.Path, border: set[str], values: dict[str, str]) -> list[str]:
    """One sentence for each change of what was released."""
    new, faults = sections(now), []
    folders = sorted((path for path in released.iterdir() if path.is_dir()), key=lambda path: int(path.name))
    if not folders:
        return ["no version is there: packaging/abi-guard --release makes the first"]
    for folder in folders:
        old = sections((folder / DESCRIPTION).read_text(encoding="utf-8"))
        rows = (
            changed_constants(old, new)
            + changed_sections(old, new)
            + unannounced(old, new, int(folder.name), border)
            + changed_values(folder, values)
        )
        faults += changed_files(folder) + [f"version {folder.name}: {row}" for row in rows]
    newest, floor = versions(new)
    if newest < int(folders[-1].name):
        faults.append(f"version {folders[-1].name} was released, the headers speak {newest}")
    if floor > int(folders[0].name):
        faults.append(f"the floor is {floor}, but version {folders[0].name} was released and its folder is still there")
    return faults


def main(now: str, released: str, headers: str, more_headers: str) -> int:
    text = pathlib.Path(now).read_text(encoding="utf-8")
    border = pathlib.Path(headers)
    faults = faults_of(text, pathlib.Path(released), structs(border), constants(border, pathlib.Path(more_headers)))
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
