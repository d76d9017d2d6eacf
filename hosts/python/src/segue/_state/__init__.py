# SPDX-License-Identifier: Apache-2.0
"""State by partition, for consumers that have no framework: ../STATE.md says how it works and what is guaranteed.

store     what keeps the state of partitions: what an application may write itself
memory    in dicts
sqlite    in files, one a partition; folder: where they lie, and whose they are
marks     which input records the changelog has
engine    which partitions are replayed, started and stopped, and when a rejoin is worth it (copy, trigger); knows no
          client
work      what the owner writes, on its way into the changelog
options   the client's options, for each of the clients that a consumer has
policy    what the changelog topic should be like
state     a partition's state as the application sees it
keeper    all of these together, as the clients' consumers use them

The modules of the clients (segue.kafka_python, segue.aiokafka) tell it what happens and do what it says.
"""
