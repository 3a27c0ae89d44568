"""Kafka's SystemTimer: adders put tasks into a timing wheel, one reaper hands over the due ones.

``SystemTimer`` is the timer to use. ``KafkaTimer`` keeps Kafka's own order of steps, which can make
a timer late (docs/D1.md). There an executor that refuses a task also leaves a flush half done.

Lock order: the timer's read/write lock, a task's monitor, a bucket's monitor (an upper level's
before a lower one's), an entry's. Labels are those of ``spec/SystemTimer.tla``.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor  # production only

from impl.arguments import able, whole
from impl.clock import SystemClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic, ReadWriteLock
from impl.task_executor import TaskExecutor
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import Bucket, Clock, TimingWheel
from impl.unclosed import Closing


class SystemTimer(Closing):
    """A timer for many tasks, of which most are cancelled in time. Kafka: ``SystemTimer``.

    Its time passes in :meth:`advance_clock` alone: unless some thread calls that again and again,
    no task fires that is not due when it is added. A
    :class:`~impl.system_timer_reaper.SystemTimerReaper` is such a thread. A timer is a context
    manager, which closes it at the end of its block. One with its own thread that becomes garbage
    and was not closed warns with a ResourceWarning, and its thread ends.

    A task runs once per ``add``, on the executor, not before its deadline less one tick. A task
    that raises is logged, and no other task is affected. ``max_deadline_ms``: the last deadline
    whose arithmetic fits into 64 bits on every level.
    """

    __slots__ = ("executor", "clock", "lock", "task_counter", "queue", "wheel", "max_deadline_ms")

    def __init__(
        self,
        executor: Executor | TaskExecutor | None = None,
        tick_ms: int = 1,
        wheel_size: int = 20,
        start_ms: int | None = None,
        clock: Clock | None = None,
        queue: DelayQueue[Bucket] | None = None,
    ) -> None:
        """``executor``: None for one thread of the timer's own. ``start_ms``: None for now.

        An executor must not run a task inside ``submit``: the caller holds a bucket's monitor and
        the timer's lock.

        Raises ValueError and TypeError as :class:`~impl.timing_wheel.TimingWheel` and
        :class:`~impl.task_executor.TaskExecutor` do.
        """
        self.clock = SystemClock() if clock is None else clock
        able("clock", self.clock, Clock)
        self.task_counter = Atomic(0)
        self.queue: DelayQueue[Bucket] = DelayQueue() if queue is None else queue
        start_ms = self.clock.hi_res_clock_ms() if start_ms is None else start_ms
        self.wheel = TimingWheel(
            tick_ms, wheel_size, start_ms, self.task_counter, self.queue, self.clock
        )
        self.max_deadline_ms = ((1 << 63) - 1) // (wheel_size + 1)
        self.lock = ReadWriteLock()
        self.executor = executor if isinstance(executor, TaskExecutor) else TaskExecutor(executor)

    def __repr__(self) -> str:
        wheel = self.wheel
        return (
            f"<{type(self).__name__} of {wheel.wheel_size} x {wheel.tick_ms} ms, "
            f"{self.size()} waiting>"
        )

    def add(self, task: TimerTask) -> None:
        """Let ``task`` run in ``task.delay_ms`` milliseconds. A task that waits already waits anew.

        Raises TypeError for a delay that is no int, and ValueError for a deadline before 0 or
        beyond ``max_deadline_ms``: a task that waits already goes on waiting. If the task is due
        already and the executor refuses it, ``add`` raises the executor's exception: after
        :meth:`close` a RuntimeError. As in Kafka's timer, a task that is due later is accepted even
        then.
        """
        done = False
        try:
            with self.lock.read_lock:  # lock A1, unlock A4
                now = self.clock.hi_res_clock_ms()  # read A2
                whole("delay_ms", task.delay_ms)
                deadline = now + task.delay_ms
                whole("the deadline by this clock", deadline)
                if not 0 <= deadline <= self.max_deadline_ms:
                    raise ValueError(
                        f"a delay of {task.delay_ms} ms makes the deadline {deadline} ms; "
                        f"it must be from 0 to {self.max_deadline_ms}"
                    )
                entry = TimerTaskEntry(task, deadline)  # write A3
                self.add_timer_task_entry(entry)
            done = True
        finally:
            if not done:
                try:
                    self.let_go()
                finally:
                    self.let_go()

    def add_timer_task_entry(self, entry: TimerTaskEntry) -> None:
        """Put an entry into the wheel, or hand it over if it is due and not cancelled."""
        if self.wheel.add(entry):
            return
        if not entry.cancelled():  # read K1
            self.executor.submit(entry)  # update K2

    def reinsert(self, entry: TimerTaskEntry) -> None:
        """Put an entry of a flushed bucket into a lower level, or hand it to the executor.

        A refusal is logged: an exception would leave the flush half done.
        """
        try:
            self.add_timer_task_entry(entry)
        except Exception as error:  # an executor that is full or shut down
            self.executor.report(entry, error)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Wait up to ``timeout_ms`` milliseconds for a due bucket, then expire all due buckets.

        Returns False if there was none.
        """
        done = False
        try:
            expired = self.expire_due(timeout_ms)
            done = True
        finally:
            if not done:
                try:
                    self.let_go()
                finally:
                    self.let_go()
        return expired

    def expire_due(self, timeout_ms: int) -> bool:
        """:meth:`advance_clock`, which may leave a lock behind if an interrupt ends it."""
        bucket = self.queue.poll(timeout_ms)  # update R1
        if bucket is None:
            return False
        with self.lock.write_lock:  # lock R2, unlock R6
            # While this thread waited for the lock an adder may have queued an earlier bucket. Put
            # it back and poll again: buckets are flushed strictly in the order of their keys, or
            # one could be given a new key while it is queued.
            self.queue.offer(bucket)  # update R3
            bucket = self.queue.poll_now()  # update R8
            self.expire(bucket, self.reinsert)
        return True

    def expire(self, bucket: Bucket | None, callback: Callable[[TimerTaskEntry], None]) -> None:
        """Advance the clock to ``bucket`` and flush it, and then each bucket that is due."""
        while bucket is not None:
            expiration = bucket.expiration.get()  # read R5
            self.wheel.advance_clock(expiration)  # update R7
            bucket.flush(callback)
            bucket = self.queue.poll_now()  # update R4

    def let_go(self) -> None:
        """Release the locks that an interrupt has let this thread keep.

        To be called twice: a second interrupt can end the first call, even before its first line.
        """
        self.lock.let_go()
        self.queue.let_go()

    def size(self) -> int:
        """The number of linked entries.

        These are the tasks that wait, and cancelled ones that a race has left in their bucket.
        """
        return self.task_counter.get()

    def wake(self) -> None:
        """Let one :meth:`advance_clock` that waits, or the next one, return at once.

        It is handed a bucket without entries, which is due before all others.
        """
        nothing = Bucket(self.task_counter, self.clock)
        nothing.expiration.set(0)
        self.queue.offer(nothing)

    def close(self) -> None:
        """Shut the timer's own executor down, and wait for it unless one of its tasks closes.

        Tasks that were handed over run to their end. Tasks that still wait never run: the executor
        refuses them when they are due. An executor that was given to the timer is left alone, and
        goes on running due tasks. May be called twice.
        """
        self.executor.close()  # write B1


class KafkaTimer(SystemTimer):
    """The timer with Kafka's order of steps, for comparison. Kafka: ``SystemTimer`` up to 4.3.

    The reaper flushes the bucket that it polled without the lock, although an earlier one may be
    queued by then. If the executor refuses an entry, ``advance_clock`` raises: the entry is lost,
    the rest of its bucket stays linked, and the bucket keeps its key and is in no queue.
    """

    __slots__ = ()

    def expire_due(self, timeout_ms: int) -> bool:
        bucket = self.queue.poll(timeout_ms)  # update Q1
        if bucket is None:
            return False
        with self.lock.write_lock:  # lock Q2, unlock Q6
            self.expire(bucket, self.add_timer_task_entry)
        return True
