# SPDX-License-Identifier: Apache-2.0
"""Counts orders by customer, and goes on counting while workers come, go and fail: `counting_faust.py worker`

Each worker has a folder of its own, APP_DATADIR; BROKER_URL says where Kafka is. A rebalance takes Faust back to the
last committed offset, so that records come again: each count carries the offset up to which it counts, and a record
that is in it is passed over. Needs segue, Faust (../README.md) and rocksdict.
"""

import faust

app = faust.App(
    "counting-faust",
    store="rocksdb://?driver=rocksdict",
    topic_partitions=8,
    PartitionAssignor="segue.faust:PartitionAssignor",
)
orders = app.topic("orders", key_serializer="raw", value_serializer="raw")
counts = app.Table("counts", key_type=bytes, default=lambda: (0, -1))


@app.agent(orders)
async def count(stream: faust.StreamT[bytes]) -> None:
    async for event in stream.events():
        number, counted_to = counts[event.key]
        if event.message.offset > counted_to:
            counts[event.key] = (number + 1, event.message.offset)


if __name__ == "__main__":
    app.main()
