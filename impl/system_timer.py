"""Kafka's SystemTimer: adders put tasks into a timing wheel, one reaper lets time pass and hands due tasks to an executor.

``SystemTimer`` is the timer to use. ``KafkaTimer`` keeps Kafka's own order of steps, which can make a timer late (docs/D1.md), and lets the refusal of an
executor that was shut down leave a flush half done.

Lock order: the timer's read/write lock, a task's monitor, a bucket's monitor (an upper level's before a lower one's), an
entry's. Labels are those of ``spec/SystemTimer.tla``.
"""

from __future__ import annotations

from concurrent.futures import Executor  # production only

from impl.clock import SystemClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic, ReadWriteLock
from impl.task_executor import TaskExecutor
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import Clock, TimingWheel


class SystemTimer:
    """A timer for many tasks, most of which are cancelled before they are due. Kafka: ``SystemTimer``.

    A task runs once per ``add``, on the executor, not before its deadline less one tick. A task that raises is logged, and
    harms nobody else. ``max_deadline_ms``: the last deadline whose arithmetic fits into 64 bits on every level.
    """

    __slots__ = ("executor", "clock", "lock", "task_counter", "queue", "wheel", "max_deadline_ms")

    def __init__(
        self,
        executor: Executor | TaskExecutor | None = None,
        tick_ms: int = 1,
        wheel_size: int = 20,
        start_ms: int | None = None,
        clock: Clock | None = None,
        queue: DelayQueue | None = None,
    ) -> None:
        """``executor``: None for one thread of the timer's own; one that runs a task inside ``submit`` will not do, since that is
        done under a bucket's monitor, with the timer's lock held. ``start_ms``: None for the clock's present time.

        Raises ValueError as :class:`~impl.timing_wheel.TimingWheel` does.
        """
        self.clock = SystemClock() if clock is None else clock
        self.task_counter = Atomic(0)
        self.queue = DelayQueue() if queue is None else queue
        start_ms = self.clock.hi_res_clock_ms() if start_ms is None else start_ms
        self.wheel = TimingWheel(
            tick_ms, wheel_size, start_ms, self.task_counter, self.queue, self.clock
        )
        self.max_deadline_ms = ((1 << 63) - 1) // (wheel_size + 1)
        self.lock = ReadWriteLock()
        self.executor = executor if isinstance(executor, TaskExecutor) else TaskExecutor(executor)

    def add(self, task: TimerTask) -> None:
        """Let ``task`` run in ``task.delay_ms`` milliseconds. A task that is waiting already waits anew.

        Raises ValueError for a deadline before 0 or beyond ``max_deadline_ms``, and what the executor raises if it refuses a task that is due already: RuntimeError
        after :meth:`close`. A task that is not due yet is taken even then, as by Kafka's timer.
        """
        with self.lock.read_lock:  # lock A1, unlock A4
            now = self.clock.hi_res_clock_ms()  # read A2
            deadline = now + task.delay_ms
            if not 0 <= deadline <= self.max_deadline_ms:
                raise ValueError(
                    f"a delay of {task.delay_ms} ms makes the deadline {deadline} ms; it must be from 0 to {self.max_deadline_ms}"
                )
            entry = TimerTaskEntry(task, deadline)  # write A3
            self.add_timer_task_entry(entry)

    def add_timer_task_entry(self, entry: TimerTaskEntry) -> None:
        """Into the wheel, or to the executor if the entry is due and not cancelled."""
        if self.wheel.add(entry):
            return
        if not entry.cancelled():  # read K1
            self.executor.submit(entry)  # update K2

    def reinsert(self, entry: TimerTaskEntry) -> None:
        """An entry of a flushed bucket: down a level, or to the executor. A refusal is logged: an exception would leave the flush half done."""
        try:
            self.add_timer_task_entry(entry)
        except Exception as error:  # whatever an executor raises when it is full or shut down
            self.executor.report(entry, error)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Wait up to ``timeout_ms`` milliseconds for a bucket to be due, then expire all that are; False if none was."""
        bucket = self.queue.poll(timeout_ms)  # update R1
        if bucket is None:
            return False
        with self.lock.write_lock:  # lock R2, unlock R6
            # While this thread waited for the lock an adder may have queued an earlier bucket. Put
            # it back and poll again: buckets are flushed strictly in the order of their keys, or
            # one could be given a new key while it is queued.
            self.queue.offer(bucket)  # update R3
            while (bucket := self.queue.poll_now()) is not None:  # update R4
                expiration = bucket.expiration.get()  # read R5
                self.wheel.advance_clock(expiration)  # update R7
                bucket.flush(self.reinsert)
        return True

    def size(self) -> int:
        """How many entries are linked: tasks that wait, and cancelled ones that a race has left until their bucket expires."""
        return self.task_counter.get()

    def close(self) -> None:
        """Shut the timer's own executor down, and wait for it unless one of its tasks closes. May be called twice.

        What was handed over runs to its end. What still waits in the timer never runs: the executor refuses it when it is due. An executor that was given to the
        timer is left alone, and goes on running what is due.
        """
        self.executor.close()  # write B1


class KafkaTimer(SystemTimer):
    """The timer with Kafka's order of steps, for comparison. Kafka: ``SystemTimer`` up to 4.3.

    The reaper flushes the bucket that it polled without the lock, although an earlier one may be queued by then. A refusal of the executor leaves
    ``advance_clock``: the entry is lost, the rest of its bucket stays linked, and the bucket keeps its key and is in no queue.
    """

    __slots__ = ()

    def advance_clock(self, timeout_ms: int) -> bool:
        bucket = self.queue.poll(timeout_ms)  # update R1
        if bucket is None:
            return False
        with self.lock.write_lock:  # lock R2, unlock R6
            while bucket is not None:
                expiration = bucket.expiration.get()  # read R5
                self.wheel.advance_clock(expiration)  # update R7
                bucket.flush(self.add_timer_task_entry)
                bucket = self.queue.poll_now()  # update R4
        return True
