"""A lock at which threads wait until something is due: what ``java.util.concurrent.DelayQueue`` does with its lock and condition.

Labels are those of ``spec/DelayQueue.tla``.
"""

from __future__ import annotations

from collections.abc import Callable

from impl.threads import TIMEOUT_MAX, Condition, Lock, Plain, get_ident, monotonic


class Gate:
    """A lock, not re-entrant, at which a thread can wait until something is due.

    Of the threads that wait, one leads: it alone sleeps for as long as ``wait_ms`` says, the others until they are notified
    or their own time is up, so that not all of them wake for one thing. ``leader``: get_ident() of that thread, or None.
    """

    __slots__ = ("due", "leader")

    leader: Plain[int | None]

    def __init__(self) -> None:
        self.due = Condition(Lock())
        self.leader = None

    def __enter__(self) -> None:
        self.due.acquire()  # lock G1

    def __exit__(self, *exception: object) -> None:
        self.due.release()  # unlock G2

    def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
        """Take the lock once ``wait_ms() <= 0``, or ``timeout_ms`` milliseconds have passed; the caller finds out which it was.

        ``wait_ms``: called with the lock held; for how many milliseconds to sleep at most before it is called again
        (``math.inf``: until notified). If it raises, the lock is not held afterwards.
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
        """Give back what :meth:`acquire_when` took. If no thread leads, one of those that wait is woken to do so."""
        if self.leader is None:
            self.due.notify()  # notify L1
        self.due.release()  # unlock L2

    def notify(self) -> None:
        """Something is due sooner than before: let one of those that wait look. Called with the lock held."""
        self.leader = None  # write N1
        self.due.notify()  # notify N2
