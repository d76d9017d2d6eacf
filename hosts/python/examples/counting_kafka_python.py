# SPDX-License-Identifier: Apache-2.0
"""Counts orders by customer, and goes on counting while instances come, go and fail: BROKERS FOLDER

Each instance has a folder of its own; SIGTERM drains it. Topics: orders, and order-counts with cleanup.policy=compact
and as many partitions. Needs segue and kafka-python: ../README.md
"""

import contextlib
import os
import sys

from segue import SqliteStore, drain_on_sigterm
from segue.kafka_python import StatefulConsumer


def main(brokers: str, folder: str) -> None:
    with StatefulConsumer(
        "orders",
        changelog="order-counts",
        store=SqliteStore(folder),
        assignor="scale-down",
        group_id="counting",
        client_id=f"counting-{os.getpid()}",
        bootstrap_servers=brokers,
    ) as consumer:
        drain_on_sigterm(consumer, timeout=60)
        for record in consumer:
            if consumer.applied(record):
                continue  # counted before a crash that came before its offset was committed
            counts = consumer.state(record.partition)
            count = int(counts.get(record.key, b"0")) + 1
            counts[record.key] = b"%d" % count
            print(record.key.decode(), count, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with contextlib.suppress(KeyboardInterrupt):  # which closes it on the way
        main(*sys.argv[1:])
