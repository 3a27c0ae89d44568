"""The clocks that a timer reads: milliseconds that never go back.

Kafka: ``Time.SYSTEM.hiResClockMs()``. It reads ``System.nanoTime``, because the wall clock can be
set (KAFKA-4051).
"""

from __future__ import annotations

import time  # production only

from impl.arguments import whole
from impl.runtime import Atomic


class SystemClock:
    """The machine's monotonic clock."""

    __slots__ = ()

    def hi_res_clock_ms(self) -> int:
        """Milliseconds since some fixed moment; never negative, never less than before."""
        return time.monotonic_ns() // 1_000_000


class VirtualClock:
    """A clock that only ``advance`` moves: in a test, time is exact and costs nothing."""

    __slots__ = ("time_ms",)

    def __init__(self, start_ms: int = 0) -> None:
        """Raises TypeError and ValueError unless ``start_ms`` is an int from 0 on."""
        whole("start_ms", start_ms, least=0)
        self.time_ms = Atomic(start_ms)

    def hi_res_clock_ms(self) -> int:
        return self.time_ms.get()

    def advance(self, ms: int) -> None:
        """Let ``ms`` >= 0 milliseconds pass. Raises ValueError: time does not go back."""
        whole("the time that passes", ms, least=0)
        self.time_ms.add_and_get(ms)
