"""Wheels with one thing wrong, which the checks of :mod:`tests.claims.wheel` must reject."""

from __future__ import annotations

from impl.delay_queue import DelayQueue
from impl.timer_task_list import TimerTaskEntry
from tests.impl.timing import Hooked


class ClockFollowsTime(Hooked):
    """A wheel whose clock has come to the present time whenever an entry is added."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        self.advance_clock(self.clock.hi_res_clock_ms())
        return super().add(entry)


class OffersFirst(Hooked):
    """A wheel that queues a bucket when its list was empty before."""

    __slots__ = ()

    def offers(self, bucket, key: int) -> bool:
        bucket.set_expiration(key)
        return bucket.root.next is bucket.root.prev


class KeysFirst(Hooked):
    """A wheel that gives a bucket its key before it links the entry."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        bucket = self.buckets[self.slot(entry.expiration_ms)]
        changed = self.offers(bucket, self.key(entry.expiration_ms))
        bucket.add(entry)
        if changed:
            self.queue.offer(bucket)
        return True


class QueuesFirst(Hooked):
    """A wheel that queues a bucket before it gives it its key."""

    __slots__ = ()

    def offers(self, bucket, key: int) -> bool:
        self.queue.offer(bucket)
        bucket.set_expiration(key)
        return False


class StartsAtSlotZero(Hooked):
    """A wheel whose slot 0 is the slot of its start."""

    __slots__ = ("origin",)

    def __init__(self, tick_ms, wheel_size, start_ms, *others) -> None:
        super().__init__(tick_ms, wheel_size, start_ms, *others)
        self.origin = self.current_time

    def slot(self, deadline: int) -> int:
        return (deadline - self.origin) // self.tick_ms % self.wheel_size


class Tidy(Hooked):
    """A wheel whose queue drops a bucket that has become empty."""

    __slots__ = ()

    class Queue(DelayQueue):
        __slots__ = ()

        def poll_now(self):
            while (bucket := super().poll_now()) is not None and bucket.root.next is bucket.root:
                pass
            return bucket

    def __init__(self, tick_ms, wheel_size, start_ms, task_counter, queue, clock) -> None:
        super().__init__(tick_ms, wheel_size, start_ms, task_counter, self.Queue(), clock)


class QueuesApart(Hooked):
    """A wheel each of whose levels has a queue of its own."""

    __slots__ = ()

    def __init__(self, tick_ms, wheel_size, start_ms, task_counter, queue, clock) -> None:
        super().__init__(
            tick_ms,
            wheel_size,
            start_ms,
            task_counter,
            queue if tick_ms == 1 else DelayQueue(),
            clock,
        )


class Wrapped:
    """A bucket as the queue's element."""

    __slots__ = ("bucket",)

    def __init__(self, bucket) -> None:
        self.bucket = bucket

    def get_delay(self) -> int:
        return self.bucket.get_delay()

    def compare_to(self, other) -> int:
        return self.bucket.compare_to(other.bucket)


class WrapsLists(Hooked):
    """A wheel that wraps each list into an element of the queue."""

    __slots__ = ()

    def offers(self, bucket, key: int) -> bool:
        if super().offers(bucket, key):
            self.queue.offer(Wrapped(bucket))
        return False


class DueOnce(Hooked):
    """A wheel whose upper levels do not look whether a task is due."""

    __slots__ = ()

    def due(self, deadline: int) -> bool:
        return self.tick_ms == 1 and super().due(deadline)


class TakesAllAbove(Hooked):
    """A wheel whose upper levels take whatever comes."""

    __slots__ = ()

    def fits(self, deadline: int) -> bool:
        return self.tick_ms > 1 or super().fits(deadline)


class DueFirst(Hooked):
    """A wheel that looks whether an entry is due before it looks whether it is cancelled."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        return not self.due(entry.expiration_ms) and super().add(entry)


class Keen(Hooked):
    """A wheel that lets a cancelled entry in."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        if self.due(entry.expiration_ms):
            return False
        if self.fits(entry.expiration_ms):
            bucket = self.buckets[self.slot(entry.expiration_ms)]
            bucket.add(entry)
            if self.offers(bucket, self.key(entry.expiration_ms)):
                self.queue.offer(bucket)
            return True
        return self.parent().add(entry)


class ChecksOnce(Hooked):
    """A wheel whose upper levels do not look whether a task is cancelled."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        if self.tick_ms > 1:
            return Keen.add(self, entry)
        return super().add(entry)


class TopDown(Hooked):
    """A wheel that tries the highest level first."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        above = self.overflow_wheel
        return (above is not None and above.add(entry)) or super().add(entry)


class TwiceTheTick(Hooked):
    """A wheel whose next level has twice the tick, whatever the number of buckets."""

    __slots__ = ()

    def new_parent(self):
        return type(self)(
            2 * self.tick_ms,
            self.wheel_size,
            self.current_time,
            self.task_counter,
            self.queue,
            self.clock,
        )


class QueuesAll(Hooked):
    """A wheel that queues all its buckets when it queues one."""

    __slots__ = ()

    def offers(self, bucket, key: int) -> bool:
        changed = super().offers(bucket, key)
        for other in self.buckets if changed else ():
            if other is not bucket:
                self.queue.offer(other)
        return changed


class StartsBefore(Hooked):
    """A wheel that starts strictly before its start."""

    __slots__ = ()

    def __init__(self, tick_ms, wheel_size, start_ms, *others) -> None:
        super().__init__(tick_ms, wheel_size, start_ms, *others)
        self.current_time = max(start_ms - 1, 0) // tick_ms * tick_ms


class FreshBuckets(Hooked):
    """A wheel that replaces a bucket by a new one when its time is over."""

    __slots__ = ()

    def advance_clock(self, time_ms: int) -> None:
        over = time_ms // self.tick_ms % self.wheel_size
        fresh = type(self.buckets[0])(self.task_counter, self.clock)
        super().advance_clock(time_ms)
        self.buckets = (*self.buckets[:over], fresh, *self.buckets[over + 1 :])


class HalvesUpwards(Hooked):
    """A wheel whose next level has half as many buckets, of twice the span."""

    __slots__ = ()

    def new_parent(self):
        size = max(self.wheel_size // 2, 2)
        return type(self)(
            self.interval, size, self.current_time, self.task_counter, self.queue, self.clock
        )


class MakesOneLevel(Hooked):
    """A wheel that makes one level for an entry and puts it there whether it fits or not."""

    __slots__ = ()

    def fits(self, deadline: int) -> bool:
        return self.tick_ms > 1 or super().fits(deadline)
