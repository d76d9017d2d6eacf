# SPDX-License-Identifier: Apache-2.0
"""The connections of a client of kafka-python, and the end of them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from kafka.net.compat import KafkaNetClient


class NetClient(KafkaNetClient):  # type: ignore[misc]  # kafka-python has no types
    """One that leaves no socket behind; the option `kafka_client` of consumers, producers and admin clients.

    kafka-python 3.0.12 forgets those that it has begun to connect, and those that have something left to send: it
    cancels the tasks that would have closed them.
    """

    def close(self, node_id: Any = None) -> None:
        if node_id is not None or self._net._closed:
            super().close(node_id)
            return
        self._manager.close()
        # From here on nothing begins any more, and what could go on has gone on.
        self._net.stop()
        self._net.drain()
        begun = sockets(self._net)
        super().close()
        for one in begun:
            one.close()


def tidy(config: Mapping[str, Any]) -> dict[str, Any]:
    """The same options, with this class in the place of kafka-python's own."""
    own = config.get("kafka_client", KafkaNetClient) is KafkaNetClient
    return {**config, "kafka_client": NetClient} if own else dict(config)


def sockets(net: Any) -> list[Any]:
    """Those that its loop waits for. Its thread may add to them meanwhile."""
    while True:
        with contextlib.suppress(RuntimeError):
            return [key.fileobj for key in list((net._selector.get_map() or {}).values())]
