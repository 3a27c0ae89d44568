"""Other classes of packages. Each operation is one call."""

from __future__ import annotations

import time
from typing import Any

import pykka
import ratelimit.decorators
import watchdog.utils.bricks


def skipping() -> Any:
    return watchdog.utils.bricks.SkipRepeatsQueue()


def pykka_future() -> Any:
    return pykka.ThreadingFuture()


class Limited:
    """One call of ``ratelimit`` in a thousand seconds."""

    def __init__(self) -> None:
        limit = ratelimit.decorators.RateLimitDecorator(1, 1_000, clock=time.monotonic)
        self.limited: Any = limit(lambda: 1)

    def call(self) -> Any:
        return self.limited()
