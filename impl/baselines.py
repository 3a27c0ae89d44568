"""Stand-ins for the JDK's ``Timer`` and ``DelayQueue``, as the JDK documents them.

They are stand-ins for comparisons, not for use. A :class:`JdkTimer` has one thread, which a slow
action holds up and an action that raises ends, and it reads a clock that can be set.
:class:`JdkDelayQueue` looks through its heap for what it removes. The heap under both is that of
:mod:`impl.delay_queue`. Where a Java compiler is found, ``tests/claims/test_jdk.py`` compares them
with the real classes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from impl.arguments import able, function, text, whole
from impl.delay_queue import FOREVER_MS, Delayed, DelayQueue

Clock = Callable[[], int]
"""Milliseconds by some clock, which may go back."""

A_WHILE_MS = 3_600_000

_LOG = logging.getLogger(__name__)


def wall_clock_ms() -> int:
    """Milliseconds since 1970 by the wall clock. Java: ``System.currentTimeMillis``."""
    return time.time_ns() // 1_000_000


class Delay:
    """An element of a delay queue that is due at ``due_ms`` by ``clock``."""

    __slots__ = ("name", "due_ms", "clock")

    def __init__(self, name: str, delay_ms: int, clock: Clock) -> None:
        self.name, self.due_ms, self.clock = name, clock() + delay_ms, clock

    def get_delay(self) -> int:
        return self.due_ms - self.clock()

    def compare_to(self, other: Delay) -> int:
        return (self.due_ms > other.due_ms) - (self.due_ms < other.due_ms)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, due at {self.due_ms} ms)"


class JdkDelayQueue(DelayQueue[Any]):
    """The two operations of ``java.util.concurrent.DelayQueue`` that a Kafka timer does without."""

    __slots__ = ()

    def take(self) -> Any:
        """Take the first element, waiting until it is due, without end if there is none."""
        while (element := self.poll(A_WHILE_MS)) is None:
            pass  # the length of one wait has a bound on every platform
        return element

    def remove(self, element: Delayed) -> bool:
        """Take out ``element``, due or not, in linear time; False if it is not queued."""
        with self.gate:
            for index, queued in enumerate(self.heap):
                if queued is element:
                    break
            else:
                return False
            last = self.heap.pop()
            if last is not element:
                self._down(index, last)
                if self.heap[index] is last:
                    self._up(index, last)
            return True


class JdkTimerTask(Delay):
    """A scheduled action that can be cancelled. It stays in the heap until its time or a purge."""

    __slots__ = ("action", "period_ms", "cancelled")

    def __init__(
        self, action: Callable[[], None], delay_ms: int, period_ms: int, clock: Clock
    ) -> None:
        super().__init__(getattr(action, "__name__", "action"), delay_ms, clock)
        self.action, self.period_ms, self.cancelled = action, period_ms, False

    def cancel(self) -> None:
        self.cancelled = True


class JdkTimer:
    """``java.util.Timer`` without its thread, which is the caller of the methods.

    Due times are wall clock times, fixed when an action is scheduled: if that clock is set back,
    what waits is late.
    """

    __slots__ = ("clock", "heap", "changed", "dead")

    def __init__(self, clock: Clock = wall_clock_ms) -> None:
        function("clock", clock)
        self.clock = clock
        self.heap = JdkDelayQueue()
        self.changed = threading.Condition()
        self.dead = False

    def schedule(
        self, action: Callable[[], None], delay_ms: int, period_ms: int = 0
    ) -> JdkTimerTask:
        """Let ``action`` run in ``delay_ms``, then ``period_ms`` after each start if that is not 0.

        Raises ValueError for a negative time, RuntimeError if the timer was cancelled or an action
        has raised.
        """
        function("action", action)
        whole("delay_ms", delay_ms, least=0)
        whole("period_ms", period_ms, least=0)
        with self.changed:
            if self.dead:
                raise RuntimeError(
                    "the timer is dead: it was cancelled, or an action raised; make a new one"
                )
            task = JdkTimerTask(action, delay_ms, period_ms, self.clock)
            self.heap.offer(task)
            self.changed.notify()
        return task

    def __len__(self) -> int:
        """How many actions are in the heap, cancelled ones included."""
        return len(self.heap)

    def wait_ms(self) -> int:
        """Milliseconds until the first action is due; at most 0 if it is."""
        return self.heap.wait_ms()

    def step(self) -> bool:
        """Take the first action if it is due, and run it unless cancelled; False if none is due.

        What an action raises kills the timer, which drops all that waits, and comes out here.
        """
        with self.changed:
            task = None if self.dead else self.heap.poll_now()
            if task is None:
                return False
            if task.cancelled:
                return True
            if task.period_ms:
                task.due_ms = self.clock() + task.period_ms
                self.heap.offer(task)
        try:
            task.action()
        except BaseException:
            self.cancel()
            raise
        return True

    def run_due(self) -> int:
        """Run all that is due, one after the other; how many steps that took."""
        steps = 0
        while self.step():
            steps += 1
        return steps

    def cancel(self) -> None:
        """Drop all that waits and take nothing more. May be called twice."""
        with self.changed:
            self.dead = True
            self.heap.heap.clear()
            self.changed.notify()

    def purge(self) -> int:
        """Drop the cancelled actions from the heap, in linear time. Returns their number."""
        with self.changed:
            kept = [task for task in self.heap.heap if not task.cancelled]
            dropped = len(self.heap) - len(kept)
            self.heap.heap.clear()
            for task in kept:
                self.heap.offer(task)
            return dropped


class JdkTimerThread:
    """The one thread of a :class:`JdkTimer`. It ends with the timer, or if an action raises."""

    __slots__ = ("timer", "thread")

    def __init__(self, timer: JdkTimer, name: str = "Timer-0") -> None:
        able("timer", timer, JdkTimer)
        text("name", name)
        self.timer = timer
        self.thread = threading.Thread(target=self._main, name=name, daemon=True)
        self.thread.start()

    def _main(self) -> None:
        timer = self.timer
        while not timer.dead:
            try:
                if timer.step():
                    continue
            except BaseException:
                _LOG.exception(
                    "an action raised: the timer's thread ends, and what waits never runs"
                )
                return
            with timer.changed:
                # the wait is measured, not read off the wall clock: a clock set back is noticed
                # only at its end
                if not timer.dead and (wait := timer.wait_ms()) > 0:
                    timer.changed.wait(
                        None if wait >= FOREVER_MS else min(wait / 1000, threading.TIMEOUT_MAX)
                    )

    def close(self) -> None:
        """Cancel the timer and wait for the running action, unless that is the caller."""
        self.timer.cancel()
        if threading.current_thread() is not self.thread:
            self.thread.join()
