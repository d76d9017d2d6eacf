# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a host, and a group that a person can read."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

import segue

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
