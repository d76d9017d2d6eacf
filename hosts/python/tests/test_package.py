# SPDX-License-Identifier: Apache-2.0
import ctypes
import inspect
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import segue
from segue import _abi
from segue._library import find_library

PROJECT = Path(__file__).resolve().parents[1]


def test_all_is_what_is_visible() -> None:
    """__all__ holds every public name and no other."""
    visible = {name for name, value in vars(segue).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert set(segue.__all__) == visible


def test_the_version_is_the_packages() -> None:
    """__version__ agrees with the installed package and the native library's major version."""
    assert version("segue") == segue.__version__
    assert find_library().version.split(".")[0] == segue.__version__.split(".")[0]


def test_prototypes_are_the_headers() -> None:
    """Making _abi.py again from the C headers gives the same file."""
    script = PROJECT / "tools/make_abi.py"
    made = subprocess.run([sys.executable, script, "--print"], check=True, capture_output=True, text=True).stdout
    kept = (PROJECT / "src/segue/_abi.py").read_text(encoding="utf-8")
    assert made == kept, "the headers have changed: run tools/make_abi.py"


def test_structs_have_the_sizes_of_the_golden_description() -> None:
    """ctypes lays every struct out as the C compiler does."""
    golden = (PROJECT.parents[1] / "abi/golden/segue.txt").read_text(encoding="utf-8")
    sizes = {name: int(size) for name, size in re.findall(r"^struct (\w+), (\d+) bytes", golden, re.MULTILINE)}
    structs = [kind for kind in vars(_abi).values() if inspect.isclass(kind) and issubclass(kind, ctypes.Structure)]
    assert len(structs) >= 8
    assert {kind.__name__: ctypes.sizeof(kind) for kind in structs} == {
        kind.__name__: sizes[kind.__name__] for kind in structs
    }


def test_every_function_has_its_types() -> None:
    """No function of libsegue is called with guessed types."""
    dll = find_library().api._dll
    names = [name for name in vars(_abi.Library) if name.startswith("segue_")]
    assert len(names) > 20
    assert all(getattr(dll, name).argtypes is not None for name in names)


def test_the_typed_marker_is_installed() -> None:
    """Type checkers read the package's own annotations."""
    assert (Path(segue.__file__).parent / "py.typed").exists()
