# SPDX-License-Identifier: Apache-2.0
"""How much slower a machine is for us because of what else it does."""

from __future__ import annotations

import threading
import time
from types import TracebackType

PAUSE_S = 0.6
# Longer than the scheduler lets anybody have a core while others wait.
WORK_S = 0.03


class Witness:
    """Works a little now and then. `stretch`: how many times longer that took than it had a core; 1 on an idle one."""

    def __init__(self) -> None:
        self.wall_s = self.core_s = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Witness:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    @property
    def stretch(self) -> float:
        return max(1.0, self.wall_s / self.core_s) if self.core_s else 1.0

    def _work(self) -> None:
        while not self._over.wait(PAUSE_S):
            wall_s, core_s = time.perf_counter(), time.thread_time()
            while time.thread_time() - core_s < WORK_S:
                pass
            self.wall_s += time.perf_counter() - wall_s
            self.core_s += time.thread_time() - core_s
