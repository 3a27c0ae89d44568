"""The thread that lets a timer's time pass.

Kafka: ``SystemTimerReaper``, and the purgatory's ``ExpiredOperationReaper``. The specification is
``spec/SystemTimerReaper.tla``. Its steps are those of the event and the thread.
"""

from __future__ import annotations

import threading  # production only
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from impl.system_timer import SystemTimer

POLL_MS = 200
"""How long the reaper waits at a time, in milliseconds."""


class SystemTimerReaper:
    """A daemon thread that advances a timer's clock until it is closed."""

    __slots__ = ("timer", "stopping", "thread")

    def __init__(self, timer: SystemTimer, name: str = "reaper") -> None:
        self.timer = timer
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._reap, name=name, daemon=True)
        self.thread.start()

    def _reap(self) -> None:
        while not self.stopping.is_set():
            self.timer.advance_clock(POLL_MS)

    def close(self) -> None:
        """Stop the thread, at the latest after ``POLL_MS`` milliseconds, then close the timer."""
        self.stopping.set()
        if threading.get_ident() != self.thread.ident:
            self.thread.join()
        self.timer.close()
