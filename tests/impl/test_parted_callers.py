"""PartedTimer: several threads that advance its clock, its queue, and calls that wake it."""

from __future__ import annotations

import contextlib
import threading

import pytest

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.parted_timer import PartedTimer
from impl.system_timer import SystemTimer
from impl.timing_wheel import NOT_QUEUED
from tests.impl.real_threads import (
    HOUR_MS,
    MOMENT_S,
    PATIENCE_S,
    Silent,
    Watched,
    finished,
    started,
    until,
)
from tests.impl.test_D1 import two_callers
from tests.impl.test_parted_timer import Between, Starting, add_another
from tests.impl.timers import Drained, Task, added, build, pass_time

# -- several callers


def test_two_callers_pass_no_key_of_each_others_buckets():
    assert two_callers(PartedTimer) == ([4_450], 4_450)


class Turns:
    """The timer's monitor, which counts the threads that have come to it."""

    def __init__(self):
        self.monitor, self.came = threading.RLock(), 0

    def __enter__(self):
        self.came += 1
        self.monitor.acquire()

    def __exit__(self, *exception):
        self.monitor.release()


class NoTurns(contextlib.nullcontext):
    """A mutant with which each caller goes to the write lock."""

    came = 0


class TwoCallers(Starting):
    """Beside ``body`` another thread advances the clock, and comes to where it has to wait."""

    timer: PartedTimer

    def submit(self, call, /, *arguments, **named):
        if not self.threads:
            timer = self.timer
            self.other = started(lambda: timer.advance_clock(0))[0]
            assert until(lambda: timer.expiring.came == 2 or timer.lock.waiting)
        return super().submit(call, *arguments, **named)


def with_two_callers(expiring):
    """Whether an adder got in before the second and the third of three due tasks."""
    executor = TwoCallers(lambda: add_another(timer), MOMENT_S)
    timer = executor.timer = build(Between, executor=executor)
    timer.threads, timer.expiring = executor.threads, expiring
    tasks = added(timer, 5, 5, 5)
    pass_time(timer, 5)
    assert finished(executor.other) and finished(executor.threads[0])
    executor.drain()
    assert [task.ran for task in tasks] == [[5]] * 3 and timer.size() == 1
    return executor.ended


def test_an_adder_gets_in_between_two_parts_though_another_thread_advances_the_clock_too():
    assert with_two_callers(Turns()) == [True, True]


def test_if_both_wait_for_the_write_lock_the_adder_waits_for_both():
    assert with_two_callers(NoTurns()) == [False, True]


def test_without_the_wait_that_leaves_the_bucket_they_do():
    class Takes(PartedTimer):
        __slots__ = ()
        expire_due = SystemTimer.expire_due

    assert two_callers(Takes)[0] == [12_000]


class Taking(DelayQueue):
    """A mutant whose wait takes what is due."""

    __slots__ = ()

    def due(self, timeout_ms):
        return self.poll(timeout_ms) is not None


def waits_and_leaves(queue):
    """Nothing is due, then one bucket is, and it stays in the queue."""
    timer = PartedTimer(Drained(), 1, 20, 0, VirtualClock(), queue)
    timer.add(Task(5))
    assert not queue.due(0) and not timer.advance_clock(0)
    timer.clock.advance(5)
    assert queue.due(0) and queue.due(0) and len(queue) == 1
    assert timer.advance_clock(0) and timer.size() == len(queue) == 0


def test_the_wait_leaves_a_due_bucket_in_the_queue():
    waits_and_leaves(DelayQueue())


def test_that_check_sees_a_wait_that_takes_it():
    with pytest.raises(AssertionError):
        waits_and_leaves(Taking())


def woken(queue, number, within_s):
    """Whether ``number`` threads that wait for an hour are woken by one call."""
    threads = started(*[lambda: queue.due(HOUR_MS)] * number)
    assert queue.has_a_sleeper()
    PartedTimer(Drained(), queue=queue).wake()
    ended = [finished(thread, within_s) for thread in threads]
    with queue.gate:
        queue.gate.due.notify_all()
    return all(ended)


def test_one_call_wakes_each_thread_that_waits():
    assert woken(Watched(), 2, PATIENCE_S)


def test_without_a_notification_one_sleeps_on():
    assert not woken(Silent(), 1, MOMENT_S)


def woken_in_a_flush(timer_class):
    """The queue after a flush in which another thread has woken the timer: a bucket before all."""
    executor = Starting(lambda: timer.wake(), PATIENCE_S)
    timer = build(timer_class, executor=executor)
    tasks = added(timer, 5, 5)
    pass_time(timer, 5)
    assert executor.ended == [True] and [task.ran for task in tasks] == [[5], [5]]
    return [bucket.expiration.get() for bucket in timer.queue.heap]


def test_a_call_that_wakes_it_in_a_flush_leaves_the_queue_in_order():
    assert woken_in_a_flush(PartedTimer) == []


def test_that_check_sees_a_flush_that_takes_what_is_first():
    class TakesFirst(PartedTimer):
        __slots__ = ()

        def flush_part(self, bucket, left):
            self.wheel.advance_clock(bucket.expiration.get())
            bucket.flush(self.reinsert)
            self.queue.poll_now()
            return 0

        def expire_part(self, linked):
            super().expire_part(linked)

    assert woken_in_a_flush(TakesFirst) == [NOT_QUEUED]


class Waking(Drained):
    """Wakes ``timer``, if it has one, when it is handed a task: once."""

    timer: PartedTimer | None = None

    def submit(self, call, /, *arguments, **named):
        timer, self.timer = self.timer, None
        if timer is not None:
            timer.wake()
        return super().submit(call, *arguments, **named)


def woken_beside(timer_class):
    """When tasks ran, of which two are in buckets with the same key, and what is queued then.

    The timer is woken while the first of these buckets is flushed. The third task is in the other
    one. The fourth one's bucket is due later.
    """
    timer = build(timer_class, executor=Waking())
    tasks = added(timer, 5, 20)
    pass_time(timer, 5)
    tasks += added(timer, 15, 17)
    assert [bucket.expiration.get() for bucket in timer.queue.heap] == [20, 20, 22]
    timer.executor.executor.timer = timer
    pass_time(timer, 15)
    queued = [bucket.expiration.get() for bucket in timer.queue.heap]
    return [task.ran for task in tasks], queued


def test_a_call_that_wakes_it_in_a_flush_drops_no_bucket_with_the_same_key():
    assert woken_beside(PartedTimer) == ([[5], [20], [20], []], [22])


def test_that_check_sees_a_flush_that_drops_what_comes_first():
    class DropsFirst(PartedTimer):
        __slots__ = ()

        def flush_part(self, bucket, left):
            self.wheel.advance_clock(bucket.expiration.get())
            while bucket.root.next is not bucket.root:
                head = bucket.root.next
                bucket.remove(head)
                self.reinsert(head)
            while self.queue.poll_now() not in (bucket, None):
                pass
            bucket.expiration.set(NOT_QUEUED)
            return left

    assert woken_beside(DropsFirst) == ([[5], [20], [], []], [22])


def test_an_element_is_taken_only_where_it_is_the_first():
    timer = PartedTimer(Drained(), 1, 20, 0, VirtualClock())
    added(timer, 5, 7)
    first, second = timer.queue.heap
    timer.clock.advance(7)
    assert not timer.queue.take_first(second) and list(timer.queue.heap) == [first, second]
    assert timer.queue.take_first(first) and list(timer.queue.heap) == [second]
    assert not timer.queue.take_first(first) and timer.queue.take_first(second)
    assert not timer.queue.take_first(second) and len(timer.queue) == 0
