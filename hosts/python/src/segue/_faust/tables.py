# SPDX-License-Identifier: Apache-2.0
"""Which tables an application has, and where their state is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from yarl import URL

from segue._clients.user_data import Partition
from segue._faust.topics import Tables

# Stores that keep nothing on this worker's disk: who takes over reads the changelog from its start, or reads none.
_NOT_ON_DISK = frozenset({"memory", "aerospike"})


def tables_of(app: Any) -> Tables:
    """The changelogs of its tables, by where the state is."""
    on_disk, in_memory, everywhere = set[str](), set[str](), set[str]()
    for topic, table in app.tables._changelogs.items():
        if table.is_global:
            everywhere.add(topic)
        elif URL(str(table._store or app.conf.store)).scheme in _NOT_ON_DISK:
            in_memory.add(topic)
        else:
            on_disk.add(topic)
    return Tables(frozenset(on_disk), frozenset(in_memory), frozenset(everywhere))


def dormant(app: Any) -> Iterator[Partition]:
    """Partitions of which there is a directory on this worker's disk. None is opened: a database has one user."""
    changelogs = tables_of(app).on_disk
    for topic, table in app.tables._changelogs.items():
        if topic in changelogs:
            for number in _numbers(table._data):
                yield topic, number


def _numbers(store: Any) -> Iterator[int]:
    """Of a store that has a path for each partition, as RocksDB's has: …/counts-0.db."""
    path_of = getattr(store, "partition_path", None)
    if path_of is None:
        return
    first = Path(path_of(0))
    head, found, tail = first.name.rpartition("0")
    name = re.compile(f"{re.escape(head)}([0-9]{{1,9}}){re.escape(tail)}")
    for one in first.parent.iterdir() if found and first.parent.is_dir() else ():
        if match := name.fullmatch(one.name):
            yield int(match[1])
