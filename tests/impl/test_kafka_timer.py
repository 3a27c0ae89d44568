"""What Kafka's own tests of its timer demand, of these classes: SystemTimer, TimingWheel,
TimerTaskList.

Kafka: ``SystemTimerTest``, ``TimerTaskListTest``, and ``TimerTest`` of its earlier releases.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask, TimerTaskEntry, TimerTaskList
from impl.timing_wheel import TimingWheel
from tests.impl.real_threads import PATIENCE_S
from tests.impl.timing import Inline


class Task(TimerTask):
    """Notes its number in ``output`` when it runs."""

    __slots__ = ("number", "output", "ran")

    def __init__(self, delay_ms, number=0, output=None):
        super().__init__(delay_ms)
        self.number, self.output, self.ran = number, [] if output is None else output, 0

    def run(self):
        self.ran += 1
        self.output.append(self.number)


def length(of):
    count, entry = 0, of.root.next
    while entry is not of.root:
        count, entry = count + 1, entry.next
    return count


# -- TimerTaskList


def test_tasks_that_change_lists_are_counted_once_in_all_of_them():
    counter = Atomic(0)
    first, second, third = (TimerTaskList(counter) for _ in range(3))
    tasks = [Task(0) for _ in range(10)]
    for number, task in enumerate(tasks, 1):
        first.add(TimerTaskEntry(task, 10))
        assert counter.get() == number
    for task in tasks[:4]:
        # A second entry of a task takes its first one out.
        second.add(TimerTaskEntry(task, 20))
        assert counter.get() == 10
    assert [length(each) for each in (first, second, third)] == [6, 4, 0]
    for task in tasks[4:]:
        third.add(TimerTaskEntry(task, 30))
        assert counter.get() == 10
    assert [length(each) for each in (first, second, third)] == [0, 4, 6]
    for task in tasks:
        task.cancel()
    assert [length(each) for each in (first, second, third)] == [0, 0, 0] and counter.get() == 0


def test_a_flush_hands_every_entry_over_once_and_leaves_an_empty_list():
    counter = Atomic(0)
    of, seen = TimerTaskList(counter), []
    entries = [TimerTaskEntry(Task(0), 5) for _ in range(5)]
    for entry in entries:
        of.add(entry)
    of.flush(seen.append)
    assert seen == entries and length(of) == counter.get() == 0
    of.flush(seen.append)
    assert seen == entries


# -- TimingWheel


def wheel(tick_ms=1, size=3, start=0):
    queue, counter = DelayQueue(), Atomic(0)
    return TimingWheel(tick_ms, size, start, counter, queue, VirtualClock()), queue, counter


def test_a_wheel_takes_what_is_due_later_and_refuses_what_is_due():
    of, _, counter = wheel()
    assert [of.add(TimerTaskEntry(Task(0), due)) for due in (0, 1, 2, 3, 100)] == [False] + [
        True
    ] * 4
    assert counter.get() == 4
    of.advance_clock(2)
    assert not of.add(TimerTaskEntry(Task(0), 2)) and of.add(TimerTaskEntry(Task(0), 3))


def test_a_far_deadline_goes_into_wheels_that_are_made_on_demand():
    of, _, _ = wheel()
    assert of.overflow_wheel is None
    of.add(TimerTaskEntry(Task(0), 26))
    levels, each = [], of
    while each is not None:
        levels.append(each.tick_ms)
        each = each.overflow_wheel
    assert levels == [1, 3, 9]


def test_a_cancelled_entry_goes_into_no_bucket():
    of, _, counter = wheel()
    entry = TimerTaskEntry(task := Task(0), 2)
    task.cancel()
    assert not of.add(entry) and counter.get() == 0


# -- SystemTimer


@pytest.fixture
def clock():
    return VirtualClock(1000)


def test_tasks_that_are_due_already_run_at_once(clock):
    output = []
    with SystemTimer(Inline(), 1, 3, clock=clock) as timer:
        for delay in range(-5, 1):
            timer.add(Task(delay, delay, output))
        assert output == list(range(-5, 1)) and timer.size() == 0


DELAYS = [*range(5), *range(10, 100, 3), *range(100, 500, 7)]


def test_tasks_run_in_the_order_of_their_deadlines(clock):
    output = []
    with SystemTimer(Inline(), 1, 3, clock=clock) as timer:
        for delay in sorted(DELAYS, key=lambda each: each * 7919 % 503):
            timer.add(Task(delay, delay, output))
        for now in range(501):
            while timer.advance_clock(0):
                pass
            assert output == [each for each in DELAYS if each <= now]
            clock.advance(1)
        assert timer.size() == 0


def test_a_task_that_is_cancelled_does_not_run_and_one_added_again_runs_once(clock):
    with SystemTimer(Inline(), 1, 3, clock=clock) as timer:
        cancelled, again = Task(5), Task(5)
        for task in (cancelled, again):
            timer.add(task)
        cancelled.cancel()
        assert timer.size() == 1
        clock.advance(3)
        timer.add(again)
        assert timer.size() == 1
        for _ in range(10):
            clock.advance(1)
            while timer.advance_clock(0):
                pass
    assert (cancelled.ran, again.ran) == (0, 1)


def test_an_own_thread_runs_what_is_due_in_real_time():
    output, over = [], threading.Event()

    class Last(Task):
        __slots__ = ()

        def run(self):
            super().run()
            over.set()

    with SystemTimer() as timer, ThreadPoolExecutor(1) as pool:
        for delay in (4, 2, 0):
            timer.add(Task(delay, delay, output))
        timer.add(Last(8, 8, output))
        stopping = threading.Event()
        reaping = pool.submit(
            lambda: [timer.advance_clock(10) for _ in iter(stopping.is_set, True)]
        )
        assert over.wait(PATIENCE_S)
        stopping.set()
        reaping.result(PATIENCE_S)
    assert output == [0, 2, 4, 8]
