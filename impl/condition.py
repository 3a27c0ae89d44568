"""Python's condition, which keeps its promise when an interrupt comes at any place.

An interrupt is an exception that another thread or a signal raises: ``KeyboardInterrupt``, or what
``PyThreadState_SetAsyncExc`` sends. CPython 3.11 raises it where a Python function begins, after a
call, or where a loop goes back. It never raises it between a ``with`` and its block, nor before the
end of a block and the call of ``__exit__``, so that a block whose lock is written in C keeps or
releases it whatever comes. ``threading.Condition`` is written in Python and gives that up: an
interrupt can leave its lock held, or let ``wait`` return without it.
"""

from __future__ import annotations

import threading  # production only
from typing import Any


class Condition(threading.Condition):
    """``threading.Condition``. ``with`` calls the lock's own methods.

    On an ``RLock``, which the caller of ``wait`` holds once, an interrupted ``wait`` raises with
    the lock held. A plain lock does not know its holder: there ``wait`` is the library's.
    """

    __slots__ = ("__enter__", "__exit__")

    def __init__(self, lock: Any = None) -> None:
        super().__init__(lock)
        lock = self._lock  # type: ignore[attr-defined]
        self._monitor: Any = lock if hasattr(lock, "_is_owned") else None
        # `with` finds a slot's descriptor on the class, and calls what the slot holds
        self.__enter__ = lock.__enter__  # type: ignore[method-assign]
        self.__exit__ = lock.__exit__  # type: ignore[method-assign]

    def owned(self) -> bool:
        """Whether the calling thread holds the lock, an ``RLock``."""
        return bool(self._monitor._is_owned())

    def wait(self, timeout: float | None = None) -> bool:
        """As the library's. Raises RuntimeError if the lock is not held."""
        lock = self._monitor
        if lock is None:
            return super().wait(timeout)
        if not lock._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        waiters: Any = self._waiters  # type: ignore[attr-defined]
        waiter = threading.Lock()
        waiter.acquire()
        notified = False
        try:
            waiters.append(waiter)
            try:
                lock.release()
                notified = waiter.acquire(timeout=-1 if timeout is None else max(timeout, 0))
            finally:
                interrupt: BaseException | None = None
                while True:
                    try:
                        lock.acquire()
                        break
                    except BaseException as error:
                        interrupt = error
                        if lock._is_owned():
                            break
                if interrupt is not None:
                    raise interrupt
        finally:
            if not notified and waiter in waiters:
                waiters.remove(waiter)
        return notified
