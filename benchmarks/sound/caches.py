"""Caches of packages. Each operation is one call."""

from __future__ import annotations

import threading
from typing import Any

import cacheout
import cachetools
import expiringdict
from boltons import cacheutils


class Memoized:
    """``cachetools.cached`` with a lock."""

    def __init__(self) -> None:
        self.cache: Any = cachetools.LRUCache(1)
        self.call = cachetools.cached(self.cache, lock=threading.RLock())(self._called)

    @staticmethod
    def _called(number: int) -> int:
        return number + 1

    def get(self, number: int) -> Any:
        return self.call(number)


class Expiring:
    def __init__(self) -> None:
        self.items: Any = expiringdict.ExpiringDict(max_len=2, max_age_seconds=1_000)

    def put(self, key: int) -> None:
        self.items[key] = key

    def get(self, key: int) -> Any:
        return self.items.get(key)

    def pop(self, key: int) -> Any:
        return self.items.pop(key, None)


class Lru(Expiring):
    def __init__(self) -> None:
        self.items = cacheutils.LRU(max_size=2)


class Cacheout:
    def __init__(self) -> None:
        self.cache: Any = cacheout.LRUCache(maxsize=2)

    def put(self, key: int) -> None:
        self.cache.set(key, key)

    def get(self, key: int) -> Any:
        return self.cache.get(key)

    def delete(self, key: int) -> Any:
        return self.cache.delete(key)
