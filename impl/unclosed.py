"""Timers and reapers as context managers, and ResourceWarnings for those that were not closed.

The garbage collector calls ``__del__`` in any thread, at any place: it takes no lock that a user of
another timer takes.
"""

from __future__ import annotations

import warnings  # production only
from typing import Any, Self


class Closing:
    """A context manager that closes at the end of its block, and warns if it becomes garbage open.

    Its threads end all the same.
    """

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        reaper_left(self)
        timer_left(self)

    def close(self) -> None:
        """End the threads. A subclass defines it."""
        raise NotImplementedError


def reaper_left(owner: Any) -> None:
    """Warn of a reaper that was not closed, and let its thread end at its next look."""
    reaper: Any = getattr(owner, "reaper", None)  # None: the constructor has raised
    if reaper is not None and not reaper.stopping.is_set():
        reaper.stopping.set()
        _warn(f"the reaper {reaper.thread.name!r} was not closed: call close(), or use with", owner)


def timer_left(owner: Any) -> None:
    """Warn of a timer that was not closed and whose own executor has a thread, and let it end."""
    executor = getattr(owner, "executor", None)
    pool: Any = getattr(executor, "executor", None)
    if getattr(executor, "own", False) and getattr(pool, "thread", None) and not pool.shut:
        pool.shutdown(wait=False)  # its lock is taken by users of this pool alone: there are none
        _warn(f"{owner!r} was not closed: call close(), or use with", owner)


def _warn(text: str, owner: object) -> None:
    warnings.warn(text, ResourceWarning, 3, owner)
