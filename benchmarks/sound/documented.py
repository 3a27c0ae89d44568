"""Classes of packages, checked by their documentation alone. Each operation is one call."""

from __future__ import annotations

from typing import Any

import cachelib
import throttled
import zict


def simple_cache() -> Any:
    """It says that all operations are protected by a lock."""
    return cachelib.SimpleCache(threshold=2)


def lru() -> Any:
    """It says how fast access is from several threads."""
    return zict.LRU(2, {})


class Throttled:
    """It says that its storage is thread-safe. Two hits a minute are let through."""

    def __init__(self) -> None:
        self.limiter = throttled.Throttled(
            key="key",
            using=throttled.RateLimiterType.FIXED_WINDOW.value,
            quota="2/m",
            store=throttled.MemoryStore(),
        )

    def hit(self) -> bool:
        is_limited: bool = self.limiter.limit().limited
        return is_limited

    def remaining(self) -> int:
        remaining: int = self.limiter.peek("key").remaining
        return remaining
