"""A lock at which threads wait until something is due.

``java.util.concurrent.DelayQueue`` does the same with its lock and its condition.

Labels are those of ``spec/DelayQueue.tla``.
"""

from __future__ import annotations

from collections.abc import Callable

from .threads import TIMEOUT_MAX, Condition, Monitor, Plain, get_ident, monotonic


class Gate:
    """A lock, not re-entrant, at which a thread can wait until something is due.

    One of the threads that wait leads. It alone sleeps for as long as ``wait_ms`` returns; the
    others sleep until they are notified or their own time is up, so that not all of them wake at
    once. ``leader``: get_ident() of that thread, or None.
    """

    __slots__ = ("due", "leader")

    leader: Plain[int | None]

    def __init__(self) -> None:
        self.due = Condition(Monitor())
        self.leader = None

    def __enter__(self) -> None:
        self.due.acquire()  # lock G1

    def __exit__(self, *exception: object) -> None:
        self.due.release()  # unlock G2

    def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
        """Take the lock when ``wait_ms() <= 0``, or when ``timeout_ms`` milliseconds have passed.

        ``wait_ms`` is called with the lock held. It returns for how many milliseconds to sleep at
        most before it is called again (``math.inf``: until notified). If it raises, the lock is
        released.
        """
        me, taken = get_ident(), False
        start = monotonic()  # read A1
        deadline = start + timeout_ms / 1000
        self.due.acquire()  # lock A2
        try:
            while (wait := wait_ms() / 1000) > 0:
                now = monotonic()  # read A3
                left = deadline - now
                if left <= 0:
                    break
                if self.leader is not None or left < wait:
                    self.due.wait(min(left, TIMEOUT_MAX))  # wait A4, wake A5, lock A6
                    continue
                self.leader = me  # write A7
                try:
                    self.due.wait(min(wait, TIMEOUT_MAX))  # wait A8, wake A9, lock A10
                finally:
                    if self.leader == me:  # else a notification has taken the lead away
                        self.leader = None  # write A11
            taken = True
        finally:
            if not taken:
                self.release()

    def release(self) -> None:
        """Release the lock of :meth:`acquire_when`. If no thread leads, wake one to lead."""
        if self.leader is None:
            self.due.notify()  # notify L1
        self.due.release()  # unlock L2

    def let_go(self) -> None:
        """Release the lock if the calling thread holds it: an interrupt has ended its ``with``.

        A thread is woken, because the interrupt may have come before its notification.
        """
        if self.due.owned():
            self.leader = None
            self.due.notify()
            self.due.release()

    def notify(self) -> None:
        """Wake one thread that waits: something is due sooner. Called with the lock held."""
        self.leader = None  # write N1
        self.due.notify()  # notify N2
