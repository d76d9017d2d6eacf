#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Another build of the plugin, of a copy of the sources in another folder, has the same bytes.

Usage: reproducible.py PLUGIN BUILD    PLUGIN is what was built, BUILD the folder that it was configured in
"""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the plugin is made from.
SOURCES = ["abi", "plugin", "CMakeLists.txt"]
# What may have been chosen when the first was configured.
CHOSEN = ["CMAKE_BUILD_TYPE", "CMAKE_C_COMPILER", "CMAKE_C_FLAGS", "SEGUE_JEMALLOC", "SEGUE_JEMALLOC_DIR"]


def options(build: pathlib.Path) -> list[str]:
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(\w+):\w+=(.*)$", cache, re.MULTILINE)
    return [f"-D{key}={value}" for key, value in found if key in CHOSEN]


def copy(folder: pathlib.Path) -> None:
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)


def sum_of(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(plugin: str, build: str) -> int:
    with tempfile.TemporaryDirectory(prefix="segue-a-folder-of-another-length-") as name:
        folder = pathlib.Path(name)
        copy(folder)
        made = folder / "build"
        place = ["-S", str(folder), "-B", str(made), "-G", "Ninja"]
        configure = ["cmake", *place, "-DSEGUE_TESTS=OFF", *options(pathlib.Path(build))]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", made, "--quiet", "segue_plugin"], check=True)
        first, second = sum_of(pathlib.Path(plugin)), sum_of(made / pathlib.Path(plugin).name)
    print(f"{first}  as built\n{second}  in another folder")
    return 0 if first == second else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
