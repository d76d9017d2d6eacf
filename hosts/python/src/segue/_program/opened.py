# SPDX-License-Identifier: Apache-2.0
"""A host with the plugin that was named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from segue._host import Host, load
from segue._program.options import Given


@contextmanager
def opened(given: Given) -> Iterator[Host]:
    with load(isolation=given.values.get("--isolation")) as host:
        if (plugin := given.values.get("--plugin")) is not None:
            host.load(plugin)
        yield host
