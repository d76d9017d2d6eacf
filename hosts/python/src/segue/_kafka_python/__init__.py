# SPDX-License-Identifier: Apache-2.0
"""What segue.kafka_python is made of.

consumer    StatefulConsumer
listener    what happens when partitions are revoked, assigned and lost
mapping     our assignors in kafka-python's types
assignor    what kafka-python calls at a rebalance of stateful consumers
door        how a stranger asks for a rebalance in its place
join        joins that end while nobody polls, and those that are needed then
beat        heartbeats at the moments of the group
changelog   the producer that writes it
replayer    the thread that reads it
net_client  connections that are all closed in the end
topics      what the cluster knows of topics and of the changelog's ends
"""
