"""Pools of packages. Each operation is one call."""

from __future__ import annotations

import threading
from typing import Any

import dbutils.pooled_db
import pymemcache.pool


class Connection:
    """A connection that is not open."""

    def close(self) -> None:
        """Nothing is open."""

    rollback = close


class Database:
    """A database in the form of Python's DB-API 2."""

    threadsafety = 2
    connect = Connection
    OperationalError = InterfaceError = InternalError = RuntimeError


class Pool:
    """``pymemcache``'s pool of two. Each thread gives its last one back."""

    def __init__(self) -> None:
        self.pool = pymemcache.pool.ObjectPool(Connection, max_size=2)
        self.own = threading.local()

    def get(self) -> bool:
        self.own.last = self.pool.get()
        return True

    def release(self) -> bool:
        last, self.own.last = getattr(self.own, "last", None), None
        return last is not None and self.pool.release(last) is None

    def clear(self) -> None:
        self.pool.clear()


class PooledDatabase:
    """The pool of ``DBUtils``, which waits for one of two connections."""

    def __init__(self) -> None:
        self.pool: Any = dbutils.pooled_db.PooledDB(
            Database, maxconnections=2, blocking=True, ping=0
        )
        self.own = threading.local()

    def get(self) -> bool:
        self.own.last = self.pool.connection()
        return True

    def release(self) -> bool:
        last, self.own.last = getattr(self.own, "last", None), None
        return last is not None and last.close() is None
