"""Kafka's hierarchical timing wheel: a ring of buckets, and a coarser wheel above it.

Level 1 has buckets of ``tick_ms``. Each level's tick is the turn of the one below. An entry goes
into the lowest level whose turn reaches its deadline. When its bucket expires it is added again: it
goes down, or is due. The wheel's clock stands still until a bucket expires. No thread may add while
the clock advances: the timer's read/write lock excludes it.

Labels are those of ``spec/TimingWheel.tla``, and of ``spec/SystemTimer.tla``, in which making a
level and advancing all clocks are no steps of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, runtime_checkable

from impl.arguments import able, whole
from impl.delay_queue import DelayQueue
from impl.overflow_wheel import Overflowing
from impl.runtime import Atomic, Plain
from impl.timer_task_list import TimerTaskEntry, TimerTaskList

NOT_QUEUED = -1
"""The key of a bucket that is not in the queue."""


def trim(time_ms: int, tick_ms: int) -> int:
    """``time_ms``, from 0 on, rounded down to a multiple of ``tick_ms``."""
    return time_ms - time_ms % tick_ms


def expired(deadline_ms: int, current_ms: int, tick_ms: int) -> bool:
    """Whether a deadline is within the clock's own tick, or before it: then it is due."""
    return deadline_ms < current_ms + tick_ms


def fits(deadline_ms: int, current_ms: int, interval_ms: int) -> bool:
    """Whether a deadline is less than one turn from the clock."""
    return deadline_ms < current_ms + interval_ms


def bucket_index(deadline_ms: int, tick_ms: int, wheel_size: int) -> int:
    """The slot, counted from 0, of the tick that has a deadline."""
    return deadline_ms // tick_ms % wheel_size


def bucket_expiration(deadline_ms: int, tick_ms: int) -> int:
    """The key of a deadline's bucket: the beginning of its tick."""
    return trim(deadline_ms, tick_ms)


@runtime_checkable
class Clock(Protocol):
    """Milliseconds that never go back."""

    def hi_res_clock_ms(self) -> int: ...


class Bucket(TimerTaskList):
    """A list of entries with a key: the time at which the bucket expires.

    The key is the beginning of the bucket's tick, at or before the deadlines of its entries. Kafka
    has list and key in ``TimerTaskList``.
    """

    __slots__ = ("clock", "expiration")

    def __init__(self, task_counter: Atomic[int], clock: Clock) -> None:
        super().__init__(task_counter)
        self.clock = clock
        self.expiration = Atomic(NOT_QUEUED)

    def set_expiration(self, expiration_ms: int) -> bool:
        """Set the key. Returns whether it changed, and the bucket has to be queued.

        This is one step: of two adders only one may see the change.
        """
        return self.expiration.get_and_set(expiration_ms) != expiration_ms  # swap W3

    def flush(self, callback: Callable[[TimerTaskEntry], None]) -> None:
        """Hand every entry to ``callback`` and reset the key: the next use is queued again."""
        with self.monitor:  # lock V1, unlock V3
            super().flush(callback)
            self.expiration.set(NOT_QUEUED)  # write V2

    def get_delay(self) -> int:
        return max(self.expiration.get() - self.clock.hi_res_clock_ms(), 0)

    def compare_to(self, other: Bucket) -> int:
        mine, others = self.expiration.get(), other.expiration.get()
        return (mine > others) - (mine < others)


class TimingWheel(Overflowing):
    """One level: ``wheel_size`` buckets of ``tick_ms`` milliseconds each.

    ``current_time`` is a multiple of the tick. The slot that it points at is expired. Kafka:
    ``TimingWheel``.
    """

    __slots__ = (
        "tick_ms",
        "wheel_size",
        "interval",
        "task_counter",
        "queue",
        "clock",
        "buckets",
        "current_time",
    )

    current_time: Plain[int]

    def __init__(
        self,
        tick_ms: int,
        wheel_size: int,
        start_ms: int,
        task_counter: Atomic[int],
        queue: DelayQueue[Bucket],
        clock: Clock,
    ) -> None:
        """Raises ValueError: ``tick_ms`` below 1, ``wheel_size`` below 2, ``start_ms`` below 0.

        Raises TypeError if one of them is no int, or for another queue or clock.
        """
        whole("tick_ms", tick_ms, least=1)
        # With one bucket no level is coarser than the one below.
        whole("wheel_size", wheel_size, least=2)
        # Rounding down to a tick is done for times from 0 on.
        whole("start_ms", start_ms, least=0)
        able("queue", queue, DelayQueue)
        able("clock", clock, Clock)
        super().__init__()
        self.tick_ms, self.wheel_size, self.interval = tick_ms, wheel_size, tick_ms * wheel_size
        self.task_counter, self.queue, self.clock = task_counter, queue, clock
        self.buckets = tuple([Bucket(task_counter, clock) for _ in range(wheel_size)])
        self.current_time = trim(start_ms, tick_ms)

    def add(self, entry: TimerTaskEntry) -> bool:
        """Put an entry into its bucket; False if it is cancelled or due."""
        if entry.cancelled():  # read W1
            return False
        deadline, current = entry.expiration_ms, self.current_time
        if expired(deadline, current, self.tick_ms):
            return False
        if fits(deadline, current, self.interval):
            bucket = self.buckets[bucket_index(deadline, self.tick_ms, self.wheel_size)]
            bucket.add(entry)  # update W2
            # Linked before it is keyed, keyed before it is queued: no flush can miss the entry.
            if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                self.queue.offer(bucket)  # update W4
            return True
        return self.parent().add(entry)  # update W5

    def new_parent(self) -> Self:
        """The next level, which starts at this level's time."""
        return type(self)(
            self.interval,
            self.wheel_size,
            self.current_time,
            self.task_counter,
            self.queue,
            self.clock,
        )

    def levels(self) -> int:
        """How many levels there are, from this one up: an entry is moved that often at most."""
        parent = self.overflow_wheel
        return 1 if parent is None else 1 + parent.levels()

    def advance_clock(self, time_ms: int) -> None:
        """Let this level and those above reach ``time_ms``, each rounded down to its tick."""
        if time_ms >= self.current_time + self.tick_ms:
            self.current_time = trim(time_ms, self.tick_ms)  # write V4
            parent = self.overflow_wheel  # read V5
            if parent is not None:
                parent.advance_clock(self.current_time)
