"""Kafka's DelayedOperation and five generations of the protocol by which threads complete it.

=============  ================  ==============================================================
class          releases          after an event
=============  ================  ==============================================================
`TryOnce`      0.11.0.2 to 1.0   a thread that does not get the lock returns
`TryPending`   1.1 to 2.6        such a thread sets a flag, and the lock's holder tries again
`LockedTry`    2.7 to 3.9        every thread waits for the lock
`CheckedTry`   4.0               the same, and skips an operation that is completed
`Blocking`     4.1 on            the same, and force_complete holds the lock too
=============  ================  ==============================================================

A comment ``# kind LABEL`` marks the line with the one shared operation of a step. The labels are
those of ``spec/DelayedOperation.tla``.
"""

from __future__ import annotations

from typing import Protocol

from impl.runtime import Atomic, Monitor


class Cancellable(Protocol):
    """A timer task that can be cancelled. Kafka: ``TimerTask.cancel``."""

    def cancel(self) -> None: ...


class DelayedOperation:
    """Work that completes exactly once: when its conditions hold, or when its timer task is due.

    ``lock`` may be one that the callers hold too, such as a group's. By default it is the
    operation's own. Subclasses define ``try_complete``, ``on_complete`` and ``on_expiration``.
    Kafka: ``DelayedOperation``.
    """

    __slots__ = ("timer_task", "lock", "completed")

    def __init__(self, timer_task: Cancellable, lock: Monitor | None = None) -> None:
        self.timer_task = timer_task
        self.lock = Monitor() if lock is None else lock
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

    def force_complete(self) -> bool:
        """Complete the operation; False if it was completed already."""
        if not self.completed.compare_and_set(False, True):  # cas X1
            return False
        self.timer_task.cancel()
        self.on_complete()
        return True

    def run(self) -> None:
        """Expire the operation: the timer calls this when the operation is due."""
        if self.force_complete():
            self.on_expiration()


class TryOnce(DelayedOperation):
    """A thread that does not get the lock returns.

    So it may be that no thread sees the condition that it has brought (KAFKA-6653).
    """

    __slots__ = ()

    def maybe_try_complete(self) -> bool:
        """Try to complete the operation after an event."""
        if not self.lock.acquire(blocking=False):  # try O1
            return False
        try:
            done = self.try_complete()
        finally:
            self.lock.release()  # unlock O2
        return done


class TryPending(DelayedOperation):
    """A thread that does not get the lock sets a flag. The lock's holder reads it after its unlock.

    Every holder of the lock must be in ``maybe_try_complete``: any other does not read the flag
    (KAFKA-8334).
    """

    __slots__ = ("try_complete_pending",)

    def __init__(self, timer_task: Cancellable, lock: Monitor | None = None) -> None:
        super().__init__(timer_task, lock)
        self.try_complete_pending = Atomic(False)

    def maybe_try_complete(self) -> bool:
        """Try to complete the operation after an event.

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


class LockedTry(DelayedOperation):
    """A thread that does not get the lock waits for it. Completion needs no lock.

    ``force_complete`` compares and sets. So ``try_complete`` may run beside ``on_complete``, and on
    an operation that is completed.
    """

    __slots__ = ()

    def maybe_try_complete(self) -> bool:
        """Kafka's safeTryComplete, from 2.7 to 3.9."""
        with self.lock:  # lock S1, unlock S2
            done = self.try_complete()
        return done


class CheckedTry(DelayedOperation):
    """As ``LockedTry``, but ``try_complete`` is not called on an operation that is completed.

    ``try_complete`` may still run beside ``on_complete``, if the timer completes the operation
    meanwhile (KAFKA-19312).
    """

    __slots__ = ()

    def maybe_try_complete(self) -> bool:
        """Kafka's safeTryComplete, since 4.0."""
        with self.lock:  # lock B1, unlock B3
            if self.completed.get():  # read B2
                return False
            done = self.try_complete()
        return done


class Blocking(CheckedTry):
    """Completion holds the lock too: ``try_complete`` never runs beside or after ``on_complete``.

    A caller must not hold a lock that ``on_complete`` takes as well (KAFKA-5970).
    """

    __slots__ = ()

    def force_complete(self) -> bool:
        if self.completed.get():  # read L1
            return False
        with self.lock:  # lock L2, unlock L7
            if self.completed.get():  # read L3
                return False
            self.completed.set(True)  # write L4
            self.timer_task.cancel()
            self.on_complete()
            return True
