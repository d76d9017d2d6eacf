# SPDX-License-Identifier: Apache-2.0
"""An answer that comes later, for threads and for event loops."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class Pending(Future[Result]):
    """A future of `concurrent.futures` that can be awaited as well: `.result(timeout)` blocks, `await` does not."""

    def __await__(self) -> Generator[Any, None, Result]:
        import asyncio  # an application without an event loop does not pay for it

        return (yield from asyncio.wrap_future(self).__await__())
