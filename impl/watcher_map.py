"""The watcher lists of one shard by their keys.

Each method has its effect at one moment, under the map's own lock, which is held for no longer. A
thread that changes a shard's lists also holds the shard's lock. One that goes through all of them
does not. It asks for one list at a time, first with ``after(None)`` and then with ``after`` of the
place that it has. As in a stream of the values of ``java.util.concurrent``'s
``ConcurrentHashMap``, the lists come in the order of their keys' hashes, and what is put behind the
place is met, and before it is not.

A change makes no call once it has begun: CPython looks for interrupts at calls, and one that came
there would leave a place without its list.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable
from typing import Generic, TypeVar

from impl.runtime import Lock, Plain

T = TypeVar("T")


class WatcherMap(Generic[T]):
    """Lists by key. ``places`` has the place of each key's list, and ``order`` all in order.

    A place is the key's hash, and a number among the keys of this hash. ``used``: whether there has
    ever been a list.
    """

    __slots__ = ("lock", "lists", "places", "order", "used")

    lists: Plain[dict[tuple[int, int], T]]
    places: Plain[dict[Hashable, tuple[int, int]]]
    order: Plain[list[tuple[int, int]]]
    used: Plain[bool]

    def __init__(self) -> None:
        self.lock = Lock()
        self.lists, self.places = {}, {}
        self.order = []
        self.used = False

    def get(self, key: Hashable) -> T | None:
        """The key's list, or None."""
        with self.lock:
            place = self.places.get(key)
            return None if place is None else self.lists[place]

    def put(self, key: Hashable, watchers: T) -> None:
        """Give a key this list, instead of the one that it may have."""
        with self.lock:
            if key in self.places:
                self.lists[self.places[key]] = watchers
            else:
                self._add(key, watchers)
            self.used = True

    def pop(self, key: Hashable) -> T | None:
        """Take the key's list out, and return it; None if it has none."""
        with self.lock:
            return self._without(key) if key in self.places else None

    def discard(self, key: Hashable) -> None:
        """Take the list out that the key has."""
        with self.lock:
            self._without(key)

    def _add(self, key: Hashable, watchers: T) -> None:
        of, number = hash(key), 0
        while (of, number) in self.lists:
            number += 1
        place = of, number
        index = bisect_left(self.order, place)
        self.places[key] = place
        self.order[index:index] = [place]
        self.lists[place] = watchers

    def _without(self, key: Hashable) -> T:
        place = self.places[key]
        index, watchers = bisect_left(self.order, place), self.lists[place]
        del self.places[key], self.order[index], self.lists[place]
        return watchers

    def after(self, place: tuple[int, int] | None) -> tuple[tuple[int, int], T] | None:
        """The first list behind a place, None for the first of all, with its own place."""
        with self.lock:
            index = 0 if place is None else bisect_right(self.order, place)
            if index == len(self.order):
                return None
            return self.order[index], self.lists[self.order[index]]

    def was_used(self) -> bool:
        """Whether the map has ever had a list."""
        with self.lock:
            return self.used
