# SPDX-License-Identifier: Apache-2.0
"""How the leader asks for another round, from what both clients give an assignor: the cluster, to which the consumer's
coordinator listens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def rejoin_of(cluster: Any) -> Callable[[], None] | None:
    """The coordinator's request, to be called where the client calls the assignor; None where there is none."""
    for listener in tuple(getattr(cluster, "_listeners", ())):
        request = getattr(_owner(listener), "request_rejoin", None)
        if callable(request):
            return request  # type: ignore[no-any-return]  # neither client has types for this
    return None


def _owner(listener: Any) -> Any:
    """Of a bound method, aiokafka's way, or of kafka-python's weak one."""
    weak = getattr(listener, "target", None)
    return weak() if callable(weak) else getattr(listener, "__self__", None)
