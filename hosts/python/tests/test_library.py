# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

import pytest

import segue
from segue import _find
from segue._library import find_library


def test_importing_loads_nothing_native() -> None:
    """Importing segue opens no library; the first use does."""
    script = "import segue, sys; maps = open('/proc/self/maps').read(); sys.exit('libsegue' in maps)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_path_that_is_given_is_final(tmp_path: Path) -> None:
    """A wrong path raises LibraryError; nothing else is tried in its place."""
    with pytest.raises(segue.LibraryError, match=r"the path given .*nowhere\.so\): no such file") as caught:
        segue.load(tmp_path / "nowhere.so")
    assert "bundled" not in caught.value.text


def test_the_environment_is_final(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """SEGUE_LIBRARY names the only file that is tried."""
    monkeypatch.setenv("SEGUE_LIBRARY", str(tmp_path / "other.so"))
    with pytest.raises(segue.LibraryError, match=r"SEGUE_LIBRARY .*other\.so"):
        segue.load()


def test_a_file_that_is_no_library_is_named(tmp_path: Path) -> None:
    """The linker's own words are part of the error."""
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(segue.LibraryError, match=r"text\.so.*(ELF|short|invalid)"):
        segue.load(tmp_path / "text.so")


def test_a_foreign_library_is_refused() -> None:
    """A library without libsegue's functions is not taken for it."""
    libc = next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libc.so" in line)
    with pytest.raises(segue.LibraryError, match="not a libsegue"):
        segue.load(libc)


def test_every_place_is_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """When libsegue is nowhere, the error lists each place and what would help."""
    monkeypatch.delenv("SEGUE_LIBRARY", raising=False)
    monkeypatch.setattr(_find, "PACKAGE", tmp_path / "segue")
    monkeypatch.setattr(_find, "FILE", "libsegue-not-here.so.1")
    with pytest.raises(segue.LibraryError, match=r"bundled.*system's libraries.*packaging/build"):
        find_library()


def test_the_explicit_path_of_the_found_library_loads_too(host: segue.Host) -> None:
    """What load() found can be named by hand."""
    if not os.path.isabs(host.library):
        pytest.skip("the system's linker found it by name")
    with segue.load(host.library) as other:
        assert other.version == host.version
