# SPDX-License-Identifier: Apache-2.0
"""State by partition, for consumers that have no framework: ../STATE.md says how it works and what is guaranteed.

store     what keeps the state of partitions: what an application may write itself
memory    in dicts
sqlite    in files, one a partition
marks     which input records the changelog has
engine    which partitions are replayed, started and stopped, and when a rejoin is worth it; knows no client
work      what the owner writes, on its way into the changelog
policy    what the changelog topic should be like
state     a partition's state as the application sees it

The modules of the clients (segue.kafka_python, segue.aiokafka) tell the engine what happens and do what it says.
"""
