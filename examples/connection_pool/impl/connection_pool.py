"""Connections that threads share. A thread borrows any one that is free."""

from __future__ import annotations

from collections.abc import Iterable

from wheelproof_runtime import Lock, Plain, choose


class Pool:
    """``free``: connections that no thread has borrowed; ``closed``: those that none will."""

    __slots__ = ("closed", "free", "lock")

    free: Plain[frozenset[str]]
    closed: Plain[frozenset[str]]

    def __init__(self, connections: Iterable[str]) -> None:
        self.lock = Lock()
        self.free = frozenset(connections)
        self.closed = frozenset()

    def borrow(self) -> str | None:
        """Any free connection, None if there is none."""
        got = None
        with self.lock:  # lock B1, unlock B5
            known = self.free  # read B2
            if known:
                got = choose(known)  # choose B3
                self.free = self.free - {got}  # write B4
        return got

    def give_back(self, connection: str) -> None:
        """The connection is free again."""
        with self.lock:  # lock G1, unlock G3
            self.free = self.free | {connection}  # write G2

    def close(self, connection: str) -> None:
        """Close a connection that is free, so that no thread borrows it any more."""
        with self.lock:  # lock C1, unlock C5
            if connection in self.free:  # read C2
                self.free = self.free - {connection}  # write C3
                self.closed = self.closed | {connection}  # write C4
