"""What a purgatory watches: a timer's task that is tried under a lock.

The labels are those of ``spec/Purgatory.tla``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from impl.arguments import able
from impl.runtime import Monitor
from impl.timer_task_list import TimerTask


@runtime_checkable
class Held(Protocol):
    """A lock, with which a block begins."""

    def acquire(self) -> bool: ...

    def release(self) -> None: ...


class WatchedOperation(TimerTask):
    """A task with a lock, under which it is entered into a purgatory."""

    __slots__ = ("lock",)

    def __init__(self, delay_ms: int, lock: Monitor | None = None) -> None:
        """``lock``: one that the callers hold too, such as a group's; None: the operation's own."""
        super().__init__(delay_ms)
        self.lock = Monitor() if lock is None else lock
        able("lock", self.lock, Held)

    def try_complete(self) -> bool:
        """Complete the operation if its conditions hold. Returns whether this completed it."""
        raise NotImplementedError

    def safe_try_complete_or_else(self, action: Callable[..., None], *arguments: Any) -> bool:
        """Try the operation; if that fails, act and try it again. All under its lock."""
        with self.lock:  # lock A1, unlock A4
            if self.try_complete():
                return True
            action(self, *arguments)
            done = self.try_complete()
            return done
