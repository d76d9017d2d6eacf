#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All that crosses, as one empty library for abidiff. Usage: stubs.py HEADERS OUT.c

A function that does nothing for each that segue/host.h declares, the plugin's entry, and a pointer to each type that is
reached by an extension alone. What a compiler makes of it with debug symbols says which types a caller sees.
"""

import pathlib
import re
import sys

RESULT = {"void": "", "size_t": "return 0;", "int32_t": "return 0;"}


def prototypes(header: str) -> list[tuple[str, str]]:
    """Result type, and the rest of each prototype without its semicolon."""
    found = re.findall(r"^SEGUE_API ((?:const )?\w+ \**)(segue_\w+\([^;]*\));", header, re.MULTILINE)
    assert len(found) > 20, "segue/host.h declares less than it did"
    return found


def body(result: str) -> str:
    return RESULT.get(result.strip(), "return NULL;")


def main(headers: str, out: str) -> int:
    header = (pathlib.Path(headers) / "segue/host.h").read_text(encoding="utf-8")
    lines = ['#include "segue/host.h"', '#include "segue/record.h"']
    lines += [f"SEGUE_API {result}{rest} {{ {body(result)} }}" for result, rest in prototypes(header)]
    lines += ["int32_t segue_plugin_entry(segue_entry *entry) { return entry == NULL; }"]
    lines += [
        f"SEGUE_API segue_{name} *segue_type_{name};" for name in ("session_slots", "slot_info", "note", "record_head")
    ]
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
