"""Three structures with a planted fault each, and without it. As in Structures.java."""

from __future__ import annotations

import threading
from collections import deque


class Node:
    def __init__(self) -> None:
        self.number = 0
        self.next: Node | None = None


class Reference:
    """As ``java.util.concurrent.atomic.AtomicReference``."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.node: Node | None = None

    def get(self) -> Node | None:
        with self.lock:
            return self.node

    def compare_and_set(self, old: Node | None, new: Node | None) -> bool:
        with self.lock:
            if self.node is not old:
                return False
            self.node = new
            return True


class Stack:
    """R. K. Treiber, 1986. Nodes are used again, the oldest one first: the ABA problem."""

    def __init__(self) -> None:
        self.head = Reference()
        self.free: deque[Node] = deque()
        self.lock = threading.Lock()

    def push(self, number: int) -> None:
        node = self._node()
        node.number = number
        while True:
            node.next = self.head.get()
            if self.head.compare_and_set(node.next, node):
                return

    def pop(self) -> int | None:
        while True:
            first = self.head.get()
            if first is None:
                return None
            number = first.number
            if self.head.compare_and_set(first, first.next):
                with self.lock:
                    self.free.append(first)
                return number

    def _node(self) -> Node:
        with self.lock:
            return self.free.popleft() if self.free else Node()


class SoundStack(Stack):
    """Each push has a node of its own."""

    def _node(self) -> Node:
        return Node()


class Cache:
    """The two keys that were used last. A hit in front is looked up without the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.keys = [0, 0]
        self.values: list[int | None] = [None, None]

    def get(self, key: int) -> int | None:
        if self.keys[0] == key:
            return self.values[0]
        return self._looked(key)

    def _looked(self, key: int) -> int | None:
        with self.lock:
            if self.keys[0] == key:
                return self.values[0]
            if self.keys[1] != key:
                return None
            value = self.values[1]
            self._move_in(key, value)
            return value

    def put(self, key: int, value: int) -> None:
        with self.lock:
            if self.keys[0] == key:
                self.values[0] = value
            else:
                self._move_in(key, value)

    def _move_in(self, key: int, value: int | None) -> None:
        self.keys[1] = self.keys[0]
        self.values[1] = self.values[0]
        self.keys[0] = key
        self.values[0] = value


class SoundCache(Cache):
    """Every look is under the lock."""

    def get(self, key: int) -> int | None:
        return self._looked(key)


class Queue:
    """A queue of one element. It looks whether it is full before it takes the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.items: list[int] = []

    def offer(self, item: int) -> bool:
        return not self._is_full() and self._added(item)

    def _is_full(self) -> bool:
        with self.lock:
            return bool(self.items)

    def _added(self, item: int) -> bool:
        with self.lock:
            self.items.append(item)
            return True

    def poll(self) -> int | None:
        with self.lock:
            return self.items.pop(0) if self.items else None


class SoundQueue(Queue):
    """It looks under the lock."""

    def offer(self, item: int) -> bool:
        with self.lock:
            return super().offer(item)
