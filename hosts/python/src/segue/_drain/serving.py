# SPDX-License-Identifier: Apache-2.0
"""HTTP for an application that serves it already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue._drain.instance import instance_of

if TYPE_CHECKING:
    from segue._drain.asgi_app import App


def asgi(consumer: Any) -> App:
    """`/drain`, `/ready`, `/rebalance` and `/metrics` of a consumer that was attached, as an ASGI application.

    It runs on asyncio, and may be mounted below a path. `segue.http.token` counts here too; `segue.http.port` is not
    needed.
    """
    from segue._drain.asgi_app import app_of  # who does not serve pays for no event loop

    return app_of(instance_of(consumer))
