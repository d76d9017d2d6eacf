# SPDX-License-Identifier: Apache-2.0
"""Where the package and libsegue may lie: a wheel, a source tree, the system's libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import segue

SOURCE = ROOT / "hosts/python/src"
BUILD = ROOT / "build/release"
SCRIPT = """
import segue
with segue.load() as host:
    plan = host.assign("learner", {"segue": "group/1", "members": [{"id": "a"}]})
    print(host.library)
    print(host.assignors()[0].plugin)
"""


def plan(place: Path, **environment: str) -> list[str]:
    """Where a fresh interpreter with the package at this place finds libsegue and its plugin."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("SEGUE_", "LD_"))}
    done = subprocess.run(
        # Without site: what is installed beside the tests is out of the way.
        [sys.executable, "-S", "-c", SCRIPT],
        env={**plain, "PYTHONPATH": str(place), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def bare_package(tmp_path: Path) -> Path:
    """The package's Python alone, far from any source tree."""
    shutil.copytree(SOURCE / "segue", tmp_path / "site/segue", ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    return tmp_path / "site"


def libraries(target: Path) -> Path:
    """libsegue and its plugin as the running tests have them, copied to a folder."""
    with segue.load() as host:
        found = [Path(host.library).resolve(), Path(host.assignors()[0].plugin)]
    target.mkdir(parents=True)
    shutil.copy(found[0], target / "libsegue.so.1")
    shutil.copy(found[1], target)
    for bundled in found[0].parent.glob("libjansson.so*"):
        shutil.copy(bundled, target)
    return target


def test_a_source_tree_finds_its_own_build() -> None:
    """From a source tree libsegue is the one of build/release."""
    if not (BUILD / "libsegue.so.1").exists():
        pytest.skip("packaging/build has built nothing here")
    assert plan(SOURCE) == [str(BUILD / "libsegue.so.1"), str(BUILD / "segue-assignors.so")]


def test_a_wheel_carries_libsegue_and_its_plugin(bare_package: Path) -> None:
    """What lies in the package's folder is taken before anything else, plugin included."""
    package = bare_package / "segue"
    for file in libraries(bare_package.parent / "built").iterdir():
        shutil.copy(file, package)
    assert plan(bare_package) == [str(package / "libsegue.so.1"), str(package / "segue-assignors.so")]


def test_the_systems_library_is_found_by_its_name(bare_package: Path) -> None:
    """A libsegue that the system's linker finds serves a package without one; its plugins come by the search path."""
    system = libraries(bare_package.parent / "lib")
    found = plan(bare_package, LD_LIBRARY_PATH=str(system), SEGUE_PLUGIN_PATH=str(system))
    assert Path(found[0]).name == "libsegue.so.1"
    assert found[1] == str(system / "segue-assignors.so")


def test_the_environment_names_a_library(bare_package: Path) -> None:
    """SEGUE_LIBRARY names a file, and the plugin beside it is found."""
    other = libraries(bare_package.parent / "opt")
    found = plan(bare_package, SEGUE_LIBRARY=str(other / "libsegue.so.1"))
    assert found == [str(other / "libsegue.so.1"), str(other / "segue-assignors.so")]
