#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libsegue exports what its header declares, and nothing else. Usage: host_exports.py LIBRARY HEADER"""

import pathlib
import re
import subprocess
import sys


def main(library: str, header: str) -> int:
    text = pathlib.Path(header).read_text(encoding="utf-8")
    declared = set(re.findall(r"^SEGUE_API [^;(]*?\**(segue_\w+)\(", text, re.MULTILINE))
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    exported = {line.split()[2].split("@")[0] for line in listed.stdout.splitlines()}
    for name in sorted(declared - exported):
        print(f"{name} is declared in segue/host.h and not exported")
    for name in sorted(exported - declared):
        print(f"{name} is exported and not declared in segue/host.h: make it static, or leave SEGUE_API away")
    return 0 if declared and declared == exported else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
