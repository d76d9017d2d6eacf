# SPDX-License-Identifier: Apache-2.0
"""Members and partitions in racks, with what the clients themselves know of a cluster."""

from __future__ import annotations

import json
from typing import Any

import aiokafka.cluster
import kafka.cluster
import pytest
from aiokafka.protocol.metadata import MetadataResponse_v1
from clients import CLIENTS, Aiokafka, Fleet, KafkaPython

from segue._clients.copies import Copies, decode_copies, encode_copies
from segue._clients.racks import inputs_of
from segue._clients.stateful import StatefulAssignor
from segue._clients.user_data import Claim, decode_claim, encode_claim
from segue._group import InputPartition

# By partition, the brokers of its replicas; and the brokers' racks.
REPLICAS = {0: [1], 1: [1], 2: [2], 3: [2]}
RACKS = {1: "a", 2: "b"}


def kafka_python_cluster() -> Any:
    response = kafka.cluster.MetadataResponse
    topic = response.MetadataResponseTopic
    partitions = [
        topic.MetadataResponsePartition(
            version=7, error_code=0, partition_index=number, leader_id=nodes[0], leader_epoch=0,
            replica_nodes=nodes, isr_nodes=nodes, offline_replicas=[],
        )
        for number, nodes in REPLICAS.items()
    ]  # fmt: skip
    made = kafka.cluster.ClusterMetadata()
    made.update_metadata(
        response(
            version=7, throttle_time_ms=0, cluster_id="c", controller_id=1,
            brokers=[
                response.MetadataResponseBroker(version=7, node_id=node, host="h", port=1, rack=rack)
                for node, rack in RACKS.items()
            ],
            topics=[topic(version=7, error_code=0, name="orders", is_internal=False, partitions=partitions)],
        )
    )  # fmt: skip
    return made


def aiokafka_cluster() -> Any:
    partitions = [(0, number, nodes[0], nodes, nodes) for number, nodes in REPLICAS.items()]
    made = aiokafka.cluster.ClusterMetadata()
    brokers = [(node, "h", 1, rack) for node, rack in RACKS.items()]
    made.update_metadata(MetadataResponse_v1(brokers, 1, [(0, "orders", False, partitions)]))
    return made


@pytest.fixture(params=[kafka_python_cluster, aiokafka_cluster])
def cluster(request: pytest.FixtureRequest) -> Any:
    return request.param()


def test_the_racks_of_replicas_are_those_of_their_brokers(cluster: Any) -> None:
    """What is not known is left out, and an object that knows nothing at all is no fault."""
    places = [("orders", 1), ("orders", 2), ("orders", 9), ("absent", 0)]
    assert inputs_of(cluster, places) == {
        ("orders", 1): InputPartition("orders", 1, ("a",)),
        ("orders", 2): InputPartition("orders", 2, ("b",)),
    }
    assert inputs_of(object(), places) == {}


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.parametrize("strategy", ["min_traffic", "none"])
def test_partitions_go_to_members_of_their_rack(
    cluster: Any, kind: type[KafkaPython] | type[Aiokafka], strategy: str
) -> None:
    """Where a strategy is set: `client.rack` travels in the join data, and the leader knows the brokers' racks."""
    group = Fleet(cluster)
    for id, rack in (("m0", "b"), ("m1", "a")):
        group.add(id, kind("balanced", client_rack=rack, rack_aware_assignment_strategy=strategy), ["orders"])
    held = group.rebalance()
    in_racks = {"m0": {("orders", 2), ("orders", 3)}, "m1": {("orders", 0), ("orders", 1)}}
    assert (held == in_racks) is (strategy == "min_traffic")


@pytest.mark.parametrize("strategy", ["min_traffic", "none"])
def test_partitions_with_state_go_to_members_of_their_rack(cluster: Any, strategy: str) -> None:
    config = {"client.rack": "b", "rack.aware.assignment.strategy": strategy}
    leader = StatefulAssignor("balanced", config, lambda: Copies("p0"), lambda answer: None)
    other = encode_copies(Copies("p1", rack="a"))
    answers = leader.assign(cluster, [("m0", ["orders"], leader.user_data()), ("m1", ["orders"], other)])
    held = {id: topics for id, (topics, _) in answers.items()}
    assert (held == {"m0": [("orders", [2, 3])], "m1": [("orders", [0, 1])]}) is (strategy == "min_traffic")


@pytest.mark.parametrize("rack", [7, "", "a\0b", "\ud800", "x" * 256, ["a"]])
def test_a_rack_that_is_none_spoils_nobodys_plan(rack: Any) -> None:
    """A member that sends one has none."""
    text = json.dumps({"v": 1, "round": 3, "active": {}, "rack": rack}).encode()
    assert decode_claim(text).rack is None
    assert decode_copies(text).rack is None


def test_a_rack_crosses_and_who_has_none_says_nothing_of_it() -> None:
    assert decode_claim(encode_claim(Claim(rack="a"))).rack == "a"
    assert decode_copies(encode_copies(Copies(rack="a"))).rack == "a"
    assert b"rack" not in encode_claim(Claim()) + encode_copies(Copies())
