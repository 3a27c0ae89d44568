"""Pools of packages. Each operation is one call."""

from __future__ import annotations

import os
import threading
from typing import Any

import dbutils.pooled_db
import pymemcache.pool
import redis


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


class RedisConnection:
    """A connection of ``redis`` that is not open."""

    def __init__(self, **options: object) -> None:
        self.pid = os.getpid()

    def can_read(self) -> bool:
        return False

    def connect(self) -> None:
        """Nothing is opened."""

    disconnect = connect


class Redis:
    """``redis``' pool of two. Each thread gives its last one back."""

    def __init__(self) -> None:
        self.pool = redis.ConnectionPool(connection_class=RedisConnection, max_connections=2)
        self.own = threading.local()

    def get(self) -> bool:
        self.own.last = self.pool.get_connection("GET")
        return True

    def release(self) -> bool:
        last, self.own.last = getattr(self.own, "last", None), None
        return last is not None and self.pool.release(last) is None

    def disconnect(self) -> None:
        self.pool.disconnect()
