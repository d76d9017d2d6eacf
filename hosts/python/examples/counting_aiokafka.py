# SPDX-License-Identifier: Apache-2.0
"""Counts orders by customer, and goes on counting while instances come, go and fail: BROKERS FOLDER

Each instance has a folder of its own. Topics: orders, and order-counts with cleanup.policy=compact and as many
partitions. pip install 'segue[aiokafka]'
"""

import asyncio
import contextlib
import sys

from segue import SqliteStore
from segue.aiokafka import StatefulConsumer


async def main(brokers: str, folder: str) -> None:
    async with StatefulConsumer(
        "orders", changelog="order-counts", store=SqliteStore(folder), group_id="counting", bootstrap_servers=brokers
    ) as consumer:
        async for record in consumer:
            counts = consumer.state(record.partition)
            count = int(counts.get(record.key, b"0")) + 1
            counts[record.key] = b"%d" % count
            print(record.key.decode(), count, flush=True)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):  # which closes it on the way
        asyncio.run(main(*sys.argv[1:]))
