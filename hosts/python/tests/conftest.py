# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a host, and a group that a person can read."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import segue

ROOT = Path(__file__).resolve().parents[3]

# A run leaves nothing in the tree; a failing example is printed and can be kept as a test.
settings.register_profile("tree", database=None, print_blob=True)
settings.load_profile("tree")


@pytest.fixture
def host() -> Iterator[segue.Host]:
    with segue.load() as opened:
        yield opened


@pytest.fixture
def group() -> dict[str, Any]:
    """Four tasks on two members, and a third that has just joined."""
    return {
        "segue": "group/1",
        "subtopologies": [{"id": 0, "partitions": 4}],
        "members": [{"id": "S1", "active": ["0_0", "0_1"]}, {"id": "S2", "active": ["0_2", "0_3"]}, {"id": "S3"}],
    }


@pytest.fixture(scope="session")
def bad_plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin whose assignors answer with what no plan may be."""
    compiler = shutil.which("cc")
    assert compiler, "the tests need a C compiler"
    target = tmp_path_factory.mktemp("plugin") / "bad.so"
    source = Path(__file__).parent / "bad_plugin.c"
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{ROOT}/abi", str(source), "-o", str(target)], check=True)
    return target
