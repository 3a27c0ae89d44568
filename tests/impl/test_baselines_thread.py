"""The JDK's DelayQueue and the thread of its Timer, in the articles' examples."""

from __future__ import annotations

import ast
import sys
import threading
from pathlib import Path

import pytest

from impl import baselines
from impl.baselines import FOREVER_MS, Delay, JdkDelayQueue, JdkTimer, JdkTimerThread, wall_clock_ms
from impl.clock import VirtualClock
from tests.impl.real_threads import MOMENT_S, PATIENCE_S, Watched, finished, started, until
from tests.impl.test_baselines import LastFirst

# -- DelayQueue


def test_the_articles_three_elements_are_taken_in_the_order_of_their_time():
    clock, queue = VirtualClock(0), JdkDelayQueue()
    for name, delay in (("task1", 5000), ("task2", 2000), ("task3", 4000)):
        queue.offer(Delay(name, delay, clock.hi_res_clock_ms))
    taken = []
    while len(queue):
        clock.advance(max(queue.wait_ms(), 0))
        taken.append((queue.take().name, clock.hi_res_clock_ms()))
    assert taken == [("task2", 2000), ("task3", 4000), ("task1", 5000)]


class WatchedTake(JdkDelayQueue, Watched):
    """The JDK's queue, which tells when its taker sleeps."""

    __slots__ = ()


class Hasty(WatchedTake):
    """A mutant whose ``take`` gives up."""

    __slots__ = ()

    def take(self):
        return self.poll(0)


def waits_for_an_element(queue, within_s):
    """Whether ``take`` of an empty queue waits for an element, and the element that it takes."""
    taken = []
    (thread,) = started(lambda: taken.append(queue.take()))
    assert queue.has_a_sleeper()
    early = finished(thread, within_s)
    queue.offer(Delay("late", 0, lambda: 0))
    assert finished(thread)
    return not early, [element and element.name for element in taken]


def test_take_waits_for_an_element():
    assert waits_for_an_element(WatchedTake(), MOMENT_S) == (True, ["late"])


def test_that_check_sees_a_take_that_gives_up():
    assert waits_for_an_element(Hasty(), PATIENCE_S) == (False, [None])


# -- the thread


def in_order(timer):
    """The order in which the thread runs two actions, and whether it ends when it is closed.

    Time stands still until both are scheduled.
    """
    now_ms, log = [0], []
    one = timer(lambda: now_ms[0])
    thread = JdkTimerThread(one)
    one.schedule(lambda: log.append("second"), 30)
    one.schedule(lambda: log.append("first"), 1)
    now_ms[0] = 100
    assert until(lambda: len(log) == 2)
    thread.close()
    return log, not thread.thread.is_alive()


def test_the_thread_runs_actions_in_order_and_ends_when_it_is_closed():
    assert in_order(JdkTimer) == (["first", "second"], True)


def test_that_check_sees_a_thread_that_runs_them_in_another_order():
    assert in_order(LastFirst)[0] == ["second", "first"]


class Held:
    """A condition's lock that knows whether it is held; it says so of this one object."""

    def __init__(self) -> None:
        self.depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *exception: object) -> None:
        self.depth -= 1

    def notify(self) -> None:
        assert self.depth, "notified without the lock"


class Guarded(JdkDelayQueue):
    """A heap that notes each look at it and whether the timer's lock was held then."""

    __slots__ = ("timer", "looks")

    def __init__(self, timer: JdkTimer) -> None:
        self.timer, self.looks = timer, []
        super().__init__()

    def __getattribute__(self, name: str) -> object:
        if name == "heap":
            self.looks.append(self.timer.changed.depth == 1)
        return super().__getattribute__(name)


def guarded() -> JdkTimer:
    timer = JdkTimer(lambda: 10)
    timer.changed = Held()
    timer.heap = Guarded(timer)
    return timer


@pytest.mark.parametrize(
    "operation",
    [
        lambda timer: timer.schedule(print, 5),
        lambda timer: timer.step(),
        lambda timer: timer.cancel(),
        lambda timer: timer.purge(),
    ],
    ids=["schedule", "step", "cancel", "purge"],
)
def test_the_heap_is_used_under_the_timers_own_lock(operation):
    timer = guarded()
    timer.schedule(print, 3)
    timer.heap.looks.clear()
    operation(timer)
    assert timer.heap.looks and all(timer.heap.looks)


def test_an_action_runs_without_the_timers_lock():
    timer, held = guarded(), []
    timer.schedule(lambda: held.append(timer.changed.depth), 0)
    assert timer.step() and held == [0]


class Still(JdkTimer):
    """A timer with nothing due. Its thread ends with its first wait, or after a hundred looks."""

    __slots__ = ("left_ms", "waits", "looks")

    def __init__(self, left_ms: float, cancelled: bool = False) -> None:
        super().__init__()
        self.left_ms, self.waits, self.looks = left_ms, [], 0
        self.changed = Noted(self, cancelled)

    def step(self) -> bool:
        return False

    def wait_ms(self) -> float:
        self.looks += 1
        self.dead = self.dead or self.looks == 100
        return self.left_ms


class Noted:
    """In place of the condition.

    ``cancelled``: the timer is cancelled just before the thread gets the lock.
    """

    def __init__(self, timer: Still, cancelled: bool) -> None:
        self.timer, self.cancelled = timer, cancelled

    def __enter__(self) -> None:
        self.timer.dead = self.timer.dead or self.cancelled

    def __exit__(self, *exception: object) -> None:
        pass

    def wait(self, seconds: float | None) -> None:
        self.timer.waits.append(seconds)
        self.timer.dead = True

    def notify(self) -> None:
        pass


@pytest.mark.parametrize(
    "left_ms, waits",
    [
        (1, [0.001]),
        (5_000, [5.0]),
        (FOREVER_MS, [None]),
        (FOREVER_MS - 1, [threading.TIMEOUT_MAX]),
        (0, []),
        (-3, []),
    ],
)
def test_the_thread_sleeps_until_the_first_action_is_due(left_ms, waits):
    timer = Still(left_ms)
    thread = JdkTimerThread(timer)
    assert finished(thread.thread) and timer.waits == waits


@pytest.mark.parametrize("left_ms", [1, FOREVER_MS])
def test_the_thread_does_not_sleep_where_a_cancel_came_first(left_ms):
    timer = Still(left_ms, cancelled=True)
    thread = JdkTimerThread(timer)
    assert finished(thread.thread) and timer.waits == []


def test_the_thread_waits_by_the_wall_clock():
    timer, ran_ms = JdkTimer(), []
    thread = JdkTimerThread(timer)
    due_ms = wall_clock_ms() + 30
    timer.schedule(lambda: ran_ms.append(wall_clock_ms()), 30)
    assert until(lambda: ran_ms) and ran_ms[0] >= due_ms
    thread.close()


def test_the_thread_ends_with_an_action_that_raises(caplog):
    timer = JdkTimer()
    thread = JdkTimerThread(timer)
    timer.schedule(lambda: 1 // 0, 0)
    assert finished(thread.thread)
    assert "the timer's thread ends" in caplog.text
    with pytest.raises(RuntimeError, match="the timer is dead"):
        timer.schedule(print, 0)


def test_an_action_may_close_its_own_timer():
    timer = JdkTimer()
    thread = JdkTimerThread(timer)
    timer.schedule(thread.close, 0)
    assert finished(thread.thread)


def test_the_standard_library_is_enough():
    imported = {
        node.module
        for node in ast.walk(ast.parse(Path(baselines.__file__).read_text()))
        if isinstance(node, ast.ImportFrom)
    }
    assert {
        module for module in imported if module.split(".")[0] not in sys.stdlib_module_names
    } == {"impl.arguments", "impl.delay_queue"}
