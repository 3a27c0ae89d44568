"""Kafka's D2 to D6 on virtual time: monitors in the wrong order, late cancels, preconditions."""

import inspect
import threading
from concurrent.futures import Executor

import pytest

from impl import system_timer, timer_task_list, timing_wheel
from impl.clock import SystemClock, VirtualClock
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask
from tests.impl.timers import (
    Drained,
    Recording,
    RecordingWheel,
    Task,
    added,
    buckets,
    build,
    linked,
    pass_time,
)

# -- D2: a callback that takes tasks' monitors under a bucket's


class Watching:
    """A task's monitor that notes the wrong order: its thread has a bucket's monitor already."""

    def __init__(self, monitor, timer, inversions):
        self.monitor, self.timer, self.inversions = monitor, timer, inversions

    def __enter__(self):
        if any(bucket.monitor._is_owned() for bucket in buckets(self.timer)):
            self.inversions.append(threading.current_thread().name)
        self.monitor.acquire()

    def __exit__(self, *exception):
        self.monitor.release()


class WithForeach(Recording):
    """Kafka's foreach, which only its tests call."""

    def foreach(self, callback):
        with self.monitor:
            entry = self.root.next
            while entry is not self.root:
                following = entry.next
                if not entry.cancelled():
                    callback(entry.timer_task)
                entry = following


class ForeachWheel(RecordingWheel):
    bucket = WithForeach


class Inline(Executor):
    """Runs a task inside ``submit``."""

    def submit(self, call, /, *arguments, **named):
        call(*arguments)


def watched(timer, *delays):
    inversions = []
    tasks = [Task(delay, timer.clock) for delay in delays]
    for task in tasks:
        task.monitor = Watching(task.monitor, timer, inversions)
        timer.add(task)
    return tasks, inversions


def test_D2_nothing_takes_a_tasks_monitor_under_a_buckets():
    timer = build(wheel_size=3)
    tasks, inversions = watched(timer, 1, 5, 5, 40, 41, 100)
    timer.add(tasks[1])
    tasks[3].cancel()
    for _ in range(101):
        pass_time(timer, 1)
    assert not inversions and [bool(task.ran) for task in tasks] == [
        True,
        True,
        True,
        False,
        True,
        True,
    ]


def test_D2_no_list_is_flushed_with_a_callback_but_flush():
    """``SystemTimer.expire`` is no method of a list: it hands its callback to flush."""
    flushes = ("TimerTaskList.flush", "Bucket.flush", "SystemTimer.expire", "KafkaTimer.expire")
    for module in (timer_task_list, timing_wheel, system_timer):
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if cls.__module__ == module.__name__:
                for name, method in inspect.getmembers(cls, inspect.isfunction):
                    takes = "callback" in inspect.signature(method).parameters
                    assert not takes or f"{cls.__name__}.{name}" in flushes


def test_D2_foreach_with_cancel_would():
    timer = build(wheel=ForeachWheel)
    tasks, inversions = watched(timer, 5, 5)
    tasks[0].timer_task_entry.list.foreach(TimerTask.cancel)
    assert len(inversions) == 2 and timer.size() == 0


def test_D2_an_executor_that_runs_inside_submit_would():
    timer = build(executor=Inline())
    tasks, inversions = watched(timer, 5, 9)
    tasks[0].then = tasks[1].cancel
    timer.clock.advance(5)
    timer.advance_clock(0)
    assert tasks[0].ran == [5] and inversions


# -- D3: a cancel between the check and the link


class CancelledBeforeTheLink(Recording):
    """Between the check of ``cancelled`` and the link a thread cancels."""

    def add(self, entry):
        entry.timer_task.cancel()
        super().add(entry)


class CancellingWheel(RecordingWheel):
    bucket = CancelledBeforeTheLink


@pytest.mark.parametrize(
    "wheel, kept",
    [(CancellingWheel, 1), (RecordingWheel, 0)],
    ids=["cancel before the link", "cancel after it"],
)
def test_D3_a_cancelled_entry_may_stay_linked_until_its_bucket_expires_and_is_dropped_then(
    wheel, kept
):
    timer = build(wheel=wheel)
    (task,) = added(timer, 30)
    task.cancel()
    task.cancel()
    assert timer.size() == len(linked(timer)) == kept
    pass_time(timer, 29)
    pass_time(timer, 1)
    assert task.ran == [] and timer.size() == 0 and not linked(timer)


# -- preconditions


@pytest.mark.parametrize("delay", [-8, 1 << 62, (1 << 63) - 1])
def test_D4_D5_a_deadline_outside_the_bounds_is_refused(delay):
    timer = build(start_ms=7)
    with pytest.raises(ValueError, match="must be from 0 to"):
        timer.add(Task(delay))
    assert timer.size() == 0


def test_the_last_deadline_is_kept():
    timer = build()
    (task,) = added(timer, timer.max_deadline_ms)
    pass_time(timer, 1000)
    assert task.ran == [] and timer.size() == 1
    pass_time(timer, timer.max_deadline_ms)
    assert task.ran


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"tick_ms": 0}, "tick_ms is 0"),
        ({"wheel_size": 1}, "wheel_size is 1"),
        ({"start_ms": -1}, "start_ms is -1"),
    ],
)
def test_the_wheels_bounds(arguments, says):
    with pytest.raises(ValueError, match=says):
        SystemTimer(Drained(), **arguments)


@pytest.mark.parametrize("delay", [5.0, 5.5, "5", None, True, float("nan")])
def test_a_delay_that_is_no_int_is_refused_before_the_task_leaves_its_place(delay):
    timer = build()
    (task,) = added(timer, 30)
    entry, task.delay_ms = task.timer_task_entry, delay
    with pytest.raises(TypeError, match="delay_ms is .*, and must be an int"):
        timer.add(task)
    assert task.timer_task_entry is entry and linked(timer) == [entry]
    pass_time(timer, 30)
    assert task.ran == [30]


def test_a_clock_that_shows_no_int_is_refused_before_the_task_leaves_its_place():
    timer = build()
    (task,) = added(timer, 30)
    timer.clock.time_ms.set(0.5)
    with pytest.raises(TypeError, match="the deadline by this clock is 30.5"):
        timer.add(task)
    assert timer.size() == 1


class Halves:
    """A clock that shows no int."""

    def hi_res_clock_ms(self):
        return 0.5


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"tick_ms": True}, "tick_ms is True"),
        ({"tick_ms": 1.5}, "tick_ms is 1.5"),
        ({"wheel_size": 20.0}, "wheel_size is 20.0"),
        ({"wheel_size": "20"}, "wheel_size is '20'"),
        ({"start_ms": 0.5}, "start_ms is 0.5"),
        ({"clock": Halves()}, "start_ms is 0.5"),
    ],
)
def test_what_must_be_an_int(arguments, says):
    with pytest.raises(TypeError, match=f"{says}, and must be an int"):
        SystemTimer(Drained(), **arguments)


@pytest.mark.parametrize("executor", ["reaper", 20, object(), Drained])
def test_an_executor_without_submit_is_refused(executor):
    with pytest.raises(
        TypeError,
        match="executor is .*, and must be an object with the methods",
    ):
        SystemTimer(executor)


def test_time_does_not_go_back():
    with pytest.raises(ValueError, match="the time that passes is -1, and must be at least 0"):
        VirtualClock().advance(-1)
    clock = SystemClock()
    assert 0 <= clock.hi_res_clock_ms() <= clock.hi_res_clock_ms()
