# SPDX-License-Identifier: Apache-2.0
"""In which racks partitions are, as far as a client's cluster knows that. Neither client says so in public."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from segue._clients.user_data import Partition
from segue._group import InputPartition


def inputs_of(cluster: Any, partitions: Iterable[Partition]) -> dict[Partition, InputPartition]:
    """Those whose replicas' racks are known. Never raises: a plan without them is better than none."""
    found = {one: _racks(cluster, one) for one in partitions}
    return {one: InputPartition(*one, racks) for one, racks in found.items() if racks}


def _racks(cluster: Any, partition: Partition) -> tuple[str, ...]:
    topic, number = partition
    try:
        known = cluster._partitions[topic][number]
        # kafka-python's name, then aiokafka's.
        nodes = known.replica_nodes if hasattr(known, "replica_nodes") else known.replicas
        brokers = [cluster.broker_metadata(node) for node in nodes]
        return tuple(sorted({broker.rack for broker in brokers if broker is not None and broker.rack}))
    except (AttributeError, LookupError, TypeError):
        return ()
