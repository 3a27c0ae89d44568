"""Timers on virtual time: tasks that record their runs, a drained executor, Kafka's order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import NOT_QUEUED, Bucket, TimingWheel


class Task(TimerTask):
    """Notes the time of each run in ``ran``, then does ``then`` if there is something to do."""

    def __init__(self, delay_ms, clock=None, then=None, name=None):
        super().__init__(delay_ms)
        self.clock, self.then, self.name, self.ran = clock, then, name, []

    def run(self):
        self.ran.append(self.clock.hi_res_clock_ms() if self.clock else None)
        if self.then:
            self.then()


class Drained(Executor):
    """Keeps tasks until ``drain``, which runs them in the caller's thread.

    A timer's executor must not run a task inside ``submit``: that would be under a bucket's
    monitor.
    """

    def __init__(self):
        self.waiting = deque()
        self.handed = []

    def submit(self, call, /, *arguments, **named):
        future = Future()
        self.handed.append(arguments[0].timer_task)
        self.waiting.append((future, call, arguments))
        return future

    def drain(self):
        while self.waiting:
            future, call, arguments = self.waiting.popleft()
            future.set_result(call(*arguments))


class Recording(Bucket):
    """Notes a new key while it has one: it is queued, and the heap does not learn of the change."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.rekeyed = []

    def set_expiration(self, expiration_ms):
        old = self.expiration.get()
        if old not in (NOT_QUEUED, expiration_ms):
            self.rekeyed.append((old, expiration_ms))
        return super().set_expiration(expiration_ms)


class RecordingWheel(TimingWheel):
    bucket = Recording

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.buckets = tuple([self.bucket(self.task_counter, self.clock) for _ in self.buckets])


def build(
    timer=SystemTimer,
    wheel=RecordingWheel,
    *,
    tick_ms=1,
    wheel_size=20,
    start_ms=0,
    queue=None,
    executor=None,
):
    """A timer of these classes on a virtual clock at ``start_ms``, with a drained executor."""
    clock = VirtualClock(start_ms)
    built = timer(executor or Drained(), tick_ms, wheel_size, None, clock, queue)
    built.wheel = wheel(tick_ms, wheel_size, start_ms, built.task_counter, built.queue, clock)
    return built


def added(timer, *delays):
    """One new task per delay, in the timer."""
    tasks = [Task(delay, timer.clock) for delay in delays]
    for task in tasks:
        timer.add(task)
    return tasks


def pass_time(timer, ms):
    """Time passes in one leap, the timer sees it once, and the tasks that are due run."""
    timer.clock.advance(ms)
    expired = timer.advance_clock(0)
    timer.executor.executor.drain()
    return expired


def levels(timer):
    wheel = timer.wheel
    while wheel is not None:
        yield wheel
        wheel = wheel.overflow_wheel


def buckets(timer):
    return [bucket for wheel in levels(timer) for bucket in wheel.buckets]


def rekeyed(timer):
    """(old key, new key) of every bucket that was given a new key while it was queued."""
    return [change for bucket in buckets(timer) for change in bucket.rekeyed]


def linked(timer):
    """Every entry in the timer."""
    found = []
    for bucket in buckets(timer):
        entry = bucket.root.next
        while entry is not bucket.root:
            found.append(entry)
            entry = entry.next
    return found


# -- the reaper's order of steps


class KafkasOrder(SystemTimer):
    """The bucket that was polled without the lock is flushed first, in spite of others: D1."""

    def advance_clock(self, timeout_ms):
        bucket = self.queue.poll(timeout_ms)
        if bucket is None:
            return False
        with self.lock.write_lock:
            while bucket is not None:
                self.expire(bucket)
                bucket = self.queue.poll_now()
        return True

    def expire(self, bucket):
        self.wheel.advance_clock(bucket.expiration.get())
        bucket.flush(self.add_timer_task_entry)


class Peek(KafkasOrder):
    """Another correction: without the lock, wait only; what to flush is decided under it."""

    def advance_clock(self, timeout_ms):
        if not self.queue.due(timeout_ms):
            return False
        with self.lock.write_lock:
            while (bucket := self.queue.poll_now()) is not None:
                self.expire(bucket)
        return True


class Recheck(KafkasOrder):
    """Another correction: under the lock, take the head if it is before the polled bucket."""

    def advance_clock(self, timeout_ms):
        bucket = self.queue.poll(timeout_ms)
        if bucket is None:
            return False
        with self.lock.write_lock:
            while bucket is not None:
                if (head := self.queue.poll_now()) is not None:
                    first, second = (
                        (head, bucket) if head.compare_to(bucket) < 0 else (bucket, head)
                    )
                    self.queue.offer(second)
                    bucket = first
                self.expire(bucket)
                bucket = self.queue.poll_now()
        return True


class Interposed(DelayQueue):
    """Calls a hook after the poll without the lock, before the request for the write lock."""

    __slots__ = ("then",)

    def __init__(self):
        super().__init__()
        self.then = None

    def poll(self, timeout_ms):
        bucket = super().poll(timeout_ms)
        self.looked(bucket is not None)
        return bucket

    def due(self, timeout_ms):
        """Wait for a due head, and leave it there."""
        self.gate.acquire_when(self.wait_ms, timeout_ms)
        due = self.wait_ms() <= 0
        self.gate.release()
        self.looked(due)
        return due

    def looked(self, due):
        if due and self.then is not None:
            then, self.then = self.then, None
            then()


def link(timer, task, deadline):
    """The rest of an ``add`` that has read the clock long ago."""
    with timer.lock.read_lock:
        timer.add_timer_task_entry(TimerTaskEntry(task, deadline))
