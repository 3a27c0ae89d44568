"""The controlled locks: Python's plain lock, the monitor, and a monitor that does not lock.

To acquire one is a step for which the thread waits (``# lock L1``), without blocking a try
(``# try L1``), and for a limited time a wait (``# wait L1, wake L2``), see
:mod:`wheelproof.python.runtime.patience`. A time-out of ``TIMEOUT_MAX`` is none, as -1 is.
``locked`` is a ``read``, which orders nothing.
"""

from __future__ import annotations

import threading

from wheelproof.python.runtime.patience import Patience, is_limited, sleeps, wakes
from wheelproof.python.runtime.registry import Primitive, primitive
from wheelproof.python.runtime.threads import Site, Thread

MONITORS_SHOW = hasattr(threading.RLock(), "locked")
"""Whether a monitor has ``locked``: Python's has it from 3.14 on."""


@primitive
class Lock(Primitive):
    """Python's lock, which any thread may release."""

    __slots__ = ("depth", "owner")
    reentrant = False

    def __init__(self) -> None:
        self.owner: Thread | None = None
        """The thread that took it, or None."""
        self.depth = 0
        """How often the owner has taken it."""
        self.scheduler.order.add(self)

    def admits(self, thread: Thread) -> bool:
        """Whether the thread could take the lock now."""
        return self.owner is None or (self.owner is thread and self.reentrant)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        scheduler = self.scheduler
        limit, thread = is_limited(blocking, timeout), scheduler.running
        if thread is None:
            return True
        if not limit:
            return self.take(
                thread,
                scheduler.point("lock", True, self) if blocking else scheduler.point("try", True),
                blocking,
            )
        site = scheduler.point("wait", True)
        if self.falls_asleep(thread, site, timeout):
            site = scheduler.point("wake", True, Patience(scheduler, self))
            if self.gives_up(thread):
                return False
        return self.take(thread, site, False)

    def release(self) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.leave(scheduler.running, scheduler.point("unlock", True))

    def locked(self) -> bool:
        scheduler = self.scheduler
        thread = scheduler.running
        if thread is not None and scheduler.point("read", True) is None:
            scheduler.fail(
                "locked() within an atomic operation, where locks have no state; let the "
                "operation that uses it have its steps"
            )
        return self.owner is not None

    # Neither is made of acquire and release: the implementation must be the caller of the
    # method that calls point.
    def __enter__(self) -> bool:
        scheduler = self.scheduler
        thread = scheduler.running
        return True if thread is None else self.take(thread, scheduler.point("lock", True, self))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            if error is not None:
                scheduler.note_unwinding(error)
            self.leave(scheduler.running, scheduler.point("unlock", True))

    def take(self, thread: Thread, site: Site | None, blocking: bool = True) -> bool:
        """Acquire the lock in its step. ``site``: the result of its point."""
        scheduler = self.scheduler
        if site is not None:
            if self.owner is not None and not self.admits(thread):
                if blocking:
                    scheduler.fail(
                        f"{thread.name} was let into a lock that {self.owner.name} holds: the "
                        "run is not the one that was planned"
                    )
                return False
            self.take_over(thread)
        elif self.owner is not None and self.owner is not thread:
            scheduler.fail(
                f"an operation that is one step needs a lock that {self.owner.name} holds "
                "over several steps; "
                "name its label in the harness's WAITS, and the lock in waits()"
            )
        if scheduler.race is not None:
            scheduler.race.acquire(thread, self)
        if site is None or site.label is None or not blocking:
            scheduler.order.inside(thread, self, blocking)
        else:
            thread.held.append((self, site))
        return True

    def falls_asleep(self, thread: Thread, site: Site | None, timeout: float) -> bool:
        """Begin a wait for a limited time, in its step; False if the lock is free."""
        scheduler = self.scheduler
        if site is None:
            scheduler.fail(
                "a lock is taken with a time-out within an atomic operation, where no time "
                "passes; let the operation that uses it have its steps"
            )
        if self.admits(thread):
            return False
        sleeps(scheduler, thread, timeout)
        return True

    def gives_up(self, thread: Thread) -> bool:
        """End the wait, in its step; whether the time is up and the lock is not free."""
        scheduler = self.scheduler
        late, free = wakes(scheduler, thread), self.admits(thread)
        if not late and not free:
            scheduler.fail(
                f"{thread.name} was woken before its time was up, and the lock is not free: "
                "the run is not the one that was planned"
            )
        return not free

    def take_over(self, thread: Thread) -> None:
        """Make the thread the owner, once more if it is."""
        self.owner = thread
        self.depth += 1

    def leave(self, thread: Thread, site: Site | None) -> None:
        """Release the lock in its step. Raises RuntimeError if no thread holds it."""
        scheduler = self.scheduler
        if site is not None:
            self.refuse(thread)
        locks = (self.owner or thread).held
        if locks and locks[-1][0] is self:
            locks.pop()
        else:
            scheduler.order.leave(locks, self)
        if scheduler.race is not None:
            scheduler.race.release(thread, self)
        if site is not None:
            self.depth -= 1
            if not self.depth:
                self.owner = None

    def refuse(self, thread: Thread) -> None:
        """Raise RuntimeError where ``thread`` may not release the lock."""
        if self.owner is None:
            raise RuntimeError("release unlocked lock")


@primitive
class Monitor(Lock):
    """A re-entrant lock, which only the thread that holds it may release."""

    __slots__ = ()
    reentrant = True
    if not MONITORS_SHOW:
        locked = property()  # an AttributeError, as of Python's

    def refuse(self, thread: Thread) -> None:
        if self.owner is not thread:
            self.scheduler.fail(
                f"{thread.name} releases a monitor that "
                f"{self.owner.name if self.owner else 'no thread'} holds; "
                "release what the thread has acquired, once"
            )


@primitive
class NoMonitor(Primitive):
    """Excludes no thread and orders nothing, but keeps the labels of the lock that it replaces.

    ``owner`` and ``depth`` stay None and 0, so that a harness can read it like a lock.
    """

    __slots__ = ()
    owner = None
    depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        scheduler = self.scheduler
        limit = is_limited(blocking, timeout)
        if scheduler.running is not None:
            scheduler.point("wait" if limit else "lock" if blocking else "try", True)
        return True

    def release(self) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            scheduler.point("unlock", True)

    def __enter__(self) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            scheduler.point("lock", True)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            if error is not None:
                scheduler.note_unwinding(error)
            scheduler.point("unlock", True)
