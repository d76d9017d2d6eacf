# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a host, and a group that a person can read."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import segue

ROOT = Path(__file__).resolve().parents[3]

# A run leaves nothing in the tree; a failing example is printed and can be kept as a test. How long one takes, or its
# making, tells of the machine alone.
settings.register_profile(
    "tree", database=None, print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
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


@pytest.fixture
def crowded() -> Iterator[str]:
    """An address of loopback where so many wait to be let in that a further connection never comes about."""
    with ExitStack() as opened:
        door = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(door.getsockname())
        yield f"127.0.0.1:{door.getsockname()[1]}"
