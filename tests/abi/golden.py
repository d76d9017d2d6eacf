#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The border is what its golden description says.

golden.py DESCRIBE GOLDEN HEADER...: runs DESCRIBE, compares its output with the file GOLDEN, and looks whether each
struct of the headers is in it. Exit status 0: the same; 1: it differs, with the differences on standard output.
"""

import difflib
import pathlib
import re
import subprocess
import sys


def described(program: str) -> list[str]:
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def declared(headers: list[str]) -> set[str]:
    text = "\n".join(pathlib.Path(header).read_text(encoding="utf-8") for header in headers)
    return set(re.findall(r"^typedef struct (segue_\w+) \{", text, re.MULTILINE))


def main(program: str, golden: str, *headers: str) -> int:
    now = described(program)
    unlisted = declared(list(headers)) - {line.split()[1].rstrip(",") for line in now if line.startswith("struct ")}
    if unlisted:
        print(f"tests/abi/describe.c does not describe {', '.join(sorted(unlisted))}: add each of them there")
        return 1
    kept = pathlib.Path(golden).read_text(encoding="utf-8").splitlines()
    if now == kept:
        return 0
    print(*difflib.unified_diff(kept, now, "golden", "headers", lineterm=""), sep="\n")
    print("The border changed. If that was not the aim, put it back. If it was, run packaging/golden and commit the")
    print("new text with the reason; what was released may only be added to: abi/COMPATIBILITY.md.")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
