"""Claims of the articles about buckets and the delay queue, as checks of a wheel's class.

:mod:`tests.claims.wheel` names what each must reject. Slots are counted from 0, levels from 1,
times are milliseconds.
"""

from __future__ import annotations

from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry, TimerTaskList
from tests.impl.bare_wheels import bare, entered, places
from tests.impl.timing import Noting, clocks, levels


class Looked(Atomic):
    """A key at whose swap something is looked at."""

    __slots__ = ("look",)

    def get_and_set(self, value):
        self.look()
        return super().get_and_set(value)


class LookedQueue(DelayQueue):
    """A queue at whose offer something is looked at."""

    __slots__ = ("look",)

    def offer(self, element) -> None:
        self.look()
        super().offer(element)


def check_a_task_is_linked_then_its_bucket_keyed_then_queued(wheel):
    """At the swap of the key the task is in its bucket, and at the offer the key is set."""
    one, entry, seen = bare(wheel, 1, 20), TimerTaskEntry(TimerTask(0), 5), []
    bucket = one.buckets[5]

    def look() -> None:
        seen.append((entry.list is bucket, bucket.expiration.get()))

    bucket.expiration, one.queue = Looked(-1), LookedQueue()
    bucket.expiration.look = one.queue.look = look
    assert one.add(entry) and seen == [(True, -1), (True, 5)]


def check_a_bucket_whose_first_task_comes_again_is_not_queued_again(wheel):
    """The one task of a queued bucket is cancelled; the next task is the first in the list, and the
    bucket stays queued once.
    """
    one = bare(wheel, 1, 20)
    first = entered(one, 5)
    first.timer_task.cancel()
    entered(one, 5)
    assert len(one.queue) == 1


def check_8_and_19_ms_at_2_ms(wheel):
    """The article's own example: 2 ms at 0, then at 2 ms 8 ms and 19 ms. Slot 1 has not been used
    before.
    """
    timer = Noting(wheel, 1, 20)
    (first,) = timer.put(2)
    buckets = timer.wheel.buckets
    timer.to(2)
    eight, nineteen = timer.put(8, 19)
    assert timer.moves == [
        (0, 2, (1, 2, 2)),
        (2, 2, None),
        (2, 10, (1, 10, 10)),
        (2, 21, (1, 1, 21)),
    ]
    assert nineteen.timer_task_entry.list is buckets[1]
    timer.to(10)
    assert clocks(timer.wheel) == [10]
    timer.to(40)
    assert (first.ran_at, eight.ran_at, nineteen.ran_at) == ([2], [10], [21])


def check_a_slot_is_used_again_with_another_key(wheel):
    """The bucket of 1 ms expires and is, as the same object, the bucket of 21 ms, queued anew."""
    timer = Noting(wheel, 1, 20)
    timer.put(1, 2)
    used = timer.wheel.buckets[1]
    timer.to(2)
    assert (used.expiration.get(), len(timer.queue)) == (-1, 0)
    (late,) = timer.put(19)
    assert late.timer_task_entry.list is used
    assert (used.expiration.get(), len(timer.queue)) == (21, 1)


def check_an_emptied_bucket_is_polled_all_the_same(wheel):
    """Of three buckets one has lost its only task to a cancel: three advances, of which that one is
    empty.
    """
    one = bare(wheel, 1, 20)
    entries = [entered(one, deadline) for deadline in (5, 6, 7)]
    entries[1].timer_task.cancel()
    found = []
    for _ in range(20):
        one.clock.advance(1)
        while (bucket := one.queue.poll_now()) is not None:
            one.advance_clock(bucket.expiration.get())
            handed: list[TimerTaskEntry] = []
            bucket.flush(handed.append)
            found.append((one.current_time, len(handed)))
    assert found == [(5, 1), (6, 0), (7, 1)]


def check_no_bucket_has_key_840_while_one_has_key_200(wheel):
    """On 20 x 1 ms a deadline from 840 to 859 has key 800 as long as no level-1 clock is beyond
    200.
    """
    keys = {
        place[2] for start in range(201) for place in places(bare(wheel, 1, 20, start), 840, 859)
    }
    assert keys == {800}


def check_one_queue_for_all_levels(wheel):
    one = bare(wheel, 1, 20)
    for deadline in (5, 300, 7000):
        entered(one, deadline)
    assert len(one.queue) == 3 and all(level.queue is one.queue for level in levels(one))
    lists = [bucket for level in levels(one) for bucket in level.buckets]
    assert all(any(queued is each for each in lists) for queued in one.queue.heap)
    assert all(isinstance(each, TimerTaskList) for each in lists)


def check_buckets_without_a_task_are_not_queued(wheel):
    one = bare(wheel, 1, 20)
    entered(one, 5)
    entered(one, 300)
    queued = [
        bucket for level in levels(one) for bucket in level.buckets if bucket in one.queue.heap
    ]
    assert len(queued) == 2 and all(bucket.root.next is not bucket.root for bucket in queued)


def check_a_bucket_expires_at_its_start_itself(wheel):
    """At 219 nothing is due, at 220 the bucket [220, 240) is; the time need not have gone past its
    start.
    """
    one = bare(wheel, 1, 20)
    entered(one, 237)
    one.clock.advance(219)
    before = one.queue.poll_now()
    one.clock.advance(1)
    assert before is None and one.queue.poll_now() is levels(one)[1].buckets[11]
