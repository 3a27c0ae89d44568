"""Classes of packages, checked by their documentation alone. Each operation is one call."""

from __future__ import annotations

from typing import Any

import cachelib
import zict


def simple_cache() -> Any:
    """It says that all operations are protected by a lock."""
    return cachelib.SimpleCache(threshold=2)


def lru() -> Any:
    """It says how fast access is from several threads."""
    return zict.LRU(2, {})
