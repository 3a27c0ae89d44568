"""The controlled locks: Python's plain lock, the monitor, and a monitor that does not lock."""

from __future__ import annotations

from typing import Any

from wheelproof.explore.controlled import Scheduler
from wheelproof.explore.registry import primitive
from wheelproof.explore.threads import Site, Thread


@primitive("Lock")
def _lock(scheduler: Scheduler, earlier: dict[str, Any]) -> type:
    point, order = scheduler.point, scheduler.order

    class Lock:
        """Python's lock, which any thread may release.

        ``owner``: the :class:`Thread` that took it, or None; ``depth``: how often.
        """

        __slots__ = ("depth", "owner")
        reentrant = False

        def __init__(self) -> None:
            self.owner: Thread | None = None
            self.depth = 0
            order.made(self)

        def admits(self, thread: Thread) -> bool:
            """Whether the thread could take the lock now."""
            return self.owner is None or (self.owner is thread and self.reentrant)

        def acquire(self, blocking: bool = True) -> bool:
            thread = scheduler.running
            if thread is None:
                return True
            return self.take(
                thread, point("lock", True, self) if blocking else point("try", True), blocking
            )

        def release(self) -> None:
            if scheduler.running is not None:
                self.leave(scheduler.running, point("unlock", True))

        # Neither is made of acquire and release: the implementation must be the caller of the
        # method that calls point.
        def __enter__(self) -> bool:
            thread = scheduler.running
            return True if thread is None else self.take(thread, point("lock", True, self))

        def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
            if scheduler.running is not None:
                if error is not None:
                    scheduler.note_unwinding(error)
                self.leave(scheduler.running, point("unlock", True))

        def take(self, thread: Thread, site: Site | None, blocking: bool = True) -> bool:
            """Acquire the lock in its step. ``site``: the result of its point."""
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
                order.inside(thread, self, blocking)
            else:
                thread.held.append((self, site))
            return True

        def take_over(self, thread: Thread) -> None:
            """Make the thread the owner, once more if it is."""
            self.owner = thread
            self.depth += 1

        def leave(self, thread: Thread, site: Site | None) -> None:
            """Release the lock in its step. Raises RuntimeError if no thread holds it."""
            if site is not None:
                self.refuse(thread)
            held = (self.owner or thread).held
            if held and held[-1][0] is self:
                held.pop()
            else:
                order.left(held, self)
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

    return Lock


@primitive("Monitor")
def _monitor(scheduler: Scheduler, earlier: dict[str, Any]) -> type:
    lock: Any = earlier["Lock"]

    class Monitor(lock):  # type: ignore[misc]  # its base is built for the scheduler
        """A re-entrant lock, which only the thread that holds it may release."""

        __slots__ = ()
        reentrant = True

        def refuse(self, thread: Thread) -> None:
            if self.owner is not thread:
                scheduler.fail(
                    f"{thread.name} releases a monitor that "
                    f"{self.owner.name if self.owner else 'no thread'} holds; "
                    "release what the thread has acquired, once"
                )

    return Monitor


@primitive("NoMonitor")
def _no_monitor(scheduler: Scheduler, earlier: dict[str, Any]) -> type:
    point = scheduler.point

    class NoMonitor:
        """Excludes no thread and orders nothing, but keeps the labels of the lock that it replaces.

        ``owner`` and ``depth`` stay None and 0, so that a harness can read it like a lock.
        """

        __slots__ = ()
        owner = None
        depth = 0

        def acquire(self, blocking: bool = True) -> bool:
            if scheduler.running is not None:
                point("lock" if blocking else "try", True)
            return True

        def release(self) -> None:
            if scheduler.running is not None:
                point("unlock", True)

        def __enter__(self) -> None:
            if scheduler.running is not None:
                point("lock", True)

        def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
            if scheduler.running is not None:
                if error is not None:
                    scheduler.note_unwinding(error)
                point("unlock", True)

    return NoMonitor
