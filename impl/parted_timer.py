"""A timer that does not keep other threads from adding while very many tasks expire.

Kafka's timer flushes all due buckets in one hold of its write lock, and every ``add`` waits until
they are empty. ``PartedTimer`` gives the lock back each time it has moved some entries.

Labels are those of ``spec/PartedTimer.tla``.
"""

from __future__ import annotations

import time  # production only
from concurrent.futures import Executor  # production only

from impl.arguments import whole
from impl.delay_queue import DelayQueue
from impl.runtime import Monitor
from impl.system_timer import SystemTimer
from impl.task_executor import TaskExecutor
from impl.timing_wheel import NOT_QUEUED, Bucket, Clock

PART_SIZE = 500
"""How many entries are moved in one hold of the lock at least: some milliseconds of work."""

GAP_S = 0.0005
"""For how many seconds other threads have the lock between two parts."""


class PartedTimer(SystemTimer):
    """A :class:`~impl.system_timer.SystemTimer` whose ``advance_clock`` works in parts.

    It holds the write lock for ``part_size`` entries and the moves of those that came in the gap
    before, and then lets other threads have it. So no pace of adds makes what is due ever later. A
    bucket that is not empty by then stays in the queue under its key. No ``add`` waits for more
    than one part, unless the machine is too busy to let its thread run in the gap.

    Any number of threads may call ``advance_clock``. One of them expires what is due, and the
    others wait for their turn.
    """

    __slots__ = ("part_size", "expiring")

    def __init__(
        self,
        executor: Executor | TaskExecutor | None = None,
        tick_ms: int = 1,
        wheel_size: int = 20,
        start_ms: int | None = None,
        clock: Clock | None = None,
        queue: DelayQueue[Bucket] | None = None,
        part_size: int = PART_SIZE,
    ) -> None:
        """As :class:`~impl.system_timer.SystemTimer`. Raises ValueError: ``part_size`` below 1."""
        whole("part_size", part_size, least=1)
        super().__init__(executor, tick_ms, wheel_size, start_ms, clock, queue)
        self.part_size = part_size
        self.expiring = Monitor()

    def expire_due(self, timeout_ms: int) -> bool:
        """:meth:`advance_clock`, which may leave a lock behind if an interrupt ends it."""
        # The wait leaves the bucket in the queue. Another thread that advances the clock would
        # otherwise pass the key of a bucket that it does not see.
        if not self.queue.due(timeout_ms):  # read R1
            return False
        # A thread that waits for the write lock goes before all that want to add. In a gap there is
        # no such thread.
        with self.expiring:  # lock P1, unlock P2
            linked = self.size()  # read P3
            while (rest := self.expire_part(linked)) is not None:
                linked = rest
                self.give_way()
        return True

    def give_way(self) -> None:
        """Let threads that wait for the lock have it.

        A lock of Python's goes to the thread that takes it first, which is the one that runs.
        """
        time.sleep(GAP_S)

    def expire_part(self, linked: int) -> int | None:
        """Move ``part_size`` entries out of due buckets, and what those need that came before.

        ``linked``: how many entries were linked when the last part was over. Each one by which more
        are linked now is moved once on each level at most. With ``part_size`` alone, threads that
        never pause between two adds could add faster than the parts move.

        Returns how many are linked after the part, or None if nothing is due.
        """
        with self.lock.write_lock:  # lock R2, unlock R6
            levels = self.wheel.levels()  # read R9
            growth = max(self.size() - linked, 0)  # read R3
            left = self.part_size + levels * growth
            while left > 0:
                bucket = self.queue.peek_now()  # read R4
                if bucket is None:
                    return None
                left = self.flush_part(bucket, left)
            rest = self.size()  # read P4
        return rest

    def flush_part(self, bucket: Bucket, left: int) -> int:
        """Move up to ``left`` entries out of the first bucket. Returns how many more may be moved.

        The bucket stays in the queue until it is empty, so that no exception can lose it. The clock
        stays at its key meanwhile: no ``add`` can put an entry into it, or queue one before it.
        """
        expiration = bucket.expiration.get()  # read R5
        self.wheel.advance_clock(expiration)  # update R7
        with bucket.monitor:  # lock V1, unlock V3
            while (head := bucket.root.next) is not bucket.root:  # read F2
                if left == 0:
                    return 0
                bucket.remove(head)  # update F4
                left -= 1
                self.reinsert(head)
            # What wake() has queued meanwhile comes first, and another bucket may have this key.
            # Then this one stays, and a later look at the queue meets it again.
            if self.queue.take_first(bucket):  # update R8
                bucket.expiration.set(NOT_QUEUED)  # write V2
        return left
