"""Kafka's DelayedOperation and five generations of the protocol by which threads complete it.

==================  ================  =========================================================
class               releases          after an event
==================  ================  =========================================================
`TryOnce`           0.11.0.2 to 1.0   a thread that does not get the lock returns
`TryPending`        1.1 to 2.6        such a thread sets a flag, and the lock's holder tries again
`LockedTry`         2.7 to 3.9        every thread waits for the lock
`CheckedTry`        4.0               the same, and skips an operation that is completed
`DelayedOperation`  4.1 on            the same, and force_complete holds the lock too
==================  ================  =========================================================

The specification calls the last one ``Blocking``. A comment ``# kind LABEL`` marks the line with
the one shared operation of a step. The labels are those of ``spec/DelayedOperation.tla``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impl.runtime import Atomic, Monitor
from impl.watched_operation import WatchedOperation


class DelayedOperation(WatchedOperation):
    """Work that completes exactly once: when its conditions hold, or ``delay_ms`` after its entry.

    It is the timer's task: the timer runs it when it is due, and ``cancel`` takes it out of the
    timer. Completion holds the lock, as every try does: ``try_complete`` never runs beside or after
    ``on_complete``. A caller must not hold a lock that ``on_complete`` takes as well (KAFKA-5970).

    Subclasses define ``try_complete``, ``on_complete`` and ``on_expiration``. Kafka:
    ``DelayedOperation``.
    """

    __slots__ = ("completed",)

    def __init__(self, delay_ms: int, lock: Monitor | None = None) -> None:
        """As :class:`~impl.watched_operation.WatchedOperation`."""
        super().__init__(delay_ms, lock)
        self.completed = Atomic(False)

    def try_complete(self) -> bool:
        """Call ``force_complete`` if the conditions hold. Returns whether this completed it."""
        raise NotImplementedError

    def on_complete(self) -> None:
        """Called once, by the thread that completed the operation."""
        raise NotImplementedError

    def on_expiration(self) -> None:
        """Called once, and only if the operation ended by its timeout."""
        raise NotImplementedError

    def is_completed(self) -> bool:
        """Whether a thread has completed it. ``on_complete`` may still run. Takes no lock."""
        return self.completed.get()

    def force_complete(self) -> bool:
        """Complete the operation; False if it was completed already."""
        if self.completed.get():  # read L1
            return False
        with self.lock:  # lock L2, unlock L7
            if self.completed.get():  # read L3
                return False
            self.completed.set(True)  # write L4
            self.cancel()
            self.on_complete()
            return True

    def safe_try_complete(self) -> bool:
        """Try the operation under its lock, unless it is completed. Whether this completed it."""
        with self.lock:  # lock B1, unlock B3
            if self.completed.get():  # read B2
                return False
            done = self.try_complete()
        return done

    def run(self) -> None:
        """Expire the operation: the timer calls this when the operation is due."""
        if self.force_complete():
            self.on_expiration()


Blocking = DelayedOperation
"""The specification's name of the generation."""


class UnlockedCompletion(DelayedOperation):
    """Completion compares and sets, and needs no lock: up to 4.0.

    So ``try_complete`` may run beside ``on_complete``.
    """

    __slots__ = ()

    def force_complete(self) -> bool:
        if not self.completed.compare_and_set(False, True):  # cas X1
            return False
        self.cancel()
        self.on_complete()
        return True


class UnlockedEntry(UnlockedCompletion):
    """A thread never waits for the lock: up to 2.6. Who enters the operation holds none."""

    __slots__ = ()

    def safe_try_complete_or_else(self, action: Callable[..., None], *arguments: Any) -> bool:
        """Try the operation, which no other thread has yet; if that fails, act and try again."""
        if self.try_complete():
            return True
        action(self, *arguments)
        done = self.safe_try_complete()
        return done


class TryOnce(UnlockedEntry):
    """A thread that does not get the lock returns.

    So it may be that no thread sees the condition that it has brought (KAFKA-6653).
    """

    __slots__ = ()

    def safe_try_complete(self) -> bool:
        """Kafka: ``maybeTryComplete``."""
        if not self.lock.acquire(blocking=False):  # try O1
            return False
        try:
            done = self.try_complete()
        finally:
            self.lock.release()  # unlock O2
        return done


class TryPending(UnlockedEntry):
    """A thread that does not get the lock sets a flag. The lock's holder reads it after its unlock.

    Every holder of the lock must be in ``safe_try_complete``: any other does not read the flag
    (KAFKA-8334).
    """

    __slots__ = ("try_complete_pending",)

    def __init__(self, delay_ms: int, lock: Monitor | None = None) -> None:
        super().__init__(delay_ms, lock)
        self.try_complete_pending = Atomic(False)

    def safe_try_complete(self) -> bool:
        """Kafka: ``maybeTryComplete``.

        When it returns, some thread has checked the conditions as they were when it was called.
        """
        done = False
        while True:
            if self.lock.acquire(blocking=False):  # try P1
                try:
                    self.try_complete_pending.set(False)  # write P2
                    done = self.try_complete()
                finally:
                    self.lock.release()  # unlock P3
                retry = self.try_complete_pending.get()  # read P4
            else:
                retry = not self.try_complete_pending.get_and_set(True)  # swap P5
            completed = self.completed.get()  # read P6
            if completed or not retry:
                return done


class LockedTry(UnlockedCompletion):
    """A thread that does not get the lock waits for it, and tries what is completed too."""

    __slots__ = ()

    def safe_try_complete(self) -> bool:
        """Try the operation under its lock. Whether this completed it."""
        with self.lock:  # lock S1, unlock S2
            done = self.try_complete()
        return done


class CheckedTry(UnlockedCompletion):
    """As ``DelayedOperation``, but for its completion.

    ``try_complete`` may run beside ``on_complete``, if the timer completes the operation meanwhile
    (KAFKA-19312).
    """

    __slots__ = ()
