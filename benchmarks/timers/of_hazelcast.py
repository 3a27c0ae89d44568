"""The timers of hazelcast-python-client 3.12.3, which needs Python 3.11: asyncore ends there."""

from __future__ import annotations

import collections
import collections.abc
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

for name in collections.abc.__all__:  # the client takes them from where they stood until 3.9
    setattr(collections, name, getattr(collections.abc, name))

from hazelcast import reactor  # noqa: E402

reactor.queue = queue  # its copy of six finds modules in a way that an exploration does not follow


class OfHazelcast:
    """A reactor that looks at its timers each 10 ms, as with an idle connection."""

    def __init__(self) -> None:
        self.reactor: Any = reactor.AsyncoreReactor()
        threading.Thread(target=self._poll, name="reactor", daemon=True).start()

    def _poll(self) -> None:
        while True:
            time.sleep(0.01)
            self.reactor._check_timers()

    def add(self, delay_ms: int, action: Callable[[], object]) -> Any:
        return self.reactor.add_timer(delay_ms / 1000, action)

    def cancel(self, timer: Any) -> None:
        timer.cancel()
