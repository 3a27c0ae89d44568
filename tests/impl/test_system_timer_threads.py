"""SystemTimer in real time and with its own threads: closing, the reaper, and what is left in memory."""
import gc
import threading
import time
import weakref

import pytest

from impl import system_timer_reaper, task_executor
from impl.clock import SystemClock, VirtualClock
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import SystemTimerReaper
from impl.timer_task_list import TimerTaskEntry
from tests.impl.timers import Task, added, build, buckets, linked, pass_time

# -- closing

def test_after_close_add_raises_and_close_does_nothing():
    timer = build()
    task, = added(timer, 5)
    timer.close()
    timer.close()
    with pytest.raises(RuntimeError, match="the timer is closed"):
        timer.add(Task(1))
    assert timer.size() == 1 and task.ran == []


def finished(thread):
    thread.join(5)
    return not thread.is_alive()


def test_close_runs_what_was_handed_over_and_nothing_else():
    clock = VirtualClock()
    timer = SystemTimer(clock=clock)
    slow = Task(0, clock, then=lambda: time.sleep(0.05))
    after, waiting = Task(0, clock), Task(60_000, clock)
    for task in (slow, after, waiting):
        timer.add(task)
    timer.close()
    assert slow.ran and after.ran and not waiting.ran


def test_a_task_may_close_its_timer():
    timer = SystemTimer(clock=VirtualClock())  # time stands still: the task is due when it is added, nobody need advance
    closed = threading.Event()
    timer.add(Task(0, then=lambda: (timer.close(), closed.set())))
    assert closed.wait(5)
    timer.close()


def test_a_task_may_close_the_reaper_and_a_waiting_reaper_ends():
    timer = SystemTimer()
    reaper = SystemTimerReaper(timer)
    closed = threading.Event()
    timer.add(Task(5, then=lambda: (reaper.close(), closed.set())))
    timer.add(Task(60_000))
    assert closed.wait(5) and finished(reaper.thread)
    reaper.close()


def test_close_with_a_reaper_that_waits_returns_soon():
    timer = SystemTimer()
    reaper = SystemTimerReaper(timer)
    timer.add(Task(60_000))
    closing = threading.Thread(target=reaper.close)
    started = time.monotonic()
    closing.start()
    assert finished(closing) and time.monotonic() - started < 2


def test_closing_the_timer_alone_does_not_end_its_reaper_in_an_error():
    timer = SystemTimer()
    reaper = SystemTimerReaper(timer)
    timer.add(Task(30))
    timer.close()
    time.sleep(0.05)
    assert reaper.thread.is_alive()
    reaper.close()
    assert finished(reaper.thread)


# -- in real time

def test_the_reaper_runs_tasks_in_time_and_in_order():
    clock, done = SystemClock(), threading.Event()
    timer = SystemTimer(clock=clock)
    reaper = SystemTimerReaper(timer)
    begun = clock.hi_res_clock_ms()
    tasks = [Task(delay, clock) for delay in (90, 25, 60, 1)]
    cancelled = Task(50, clock)
    for task in (*tasks, cancelled):
        timer.add(task)
    cancelled.cancel()
    timer.add(Task(120, clock, then=done.set))
    assert done.wait(5)
    reaper.close()
    assert all(begun + task.delay_ms <= task.ran[0] for task in tasks) and all(len(task.ran) == 1 for task in tasks)
    assert sorted(tasks, key=lambda task: task.ran[0]) == sorted(tasks, key=lambda task: task.delay_ms)
    assert not cancelled.ran and timer.size() == 0


def test_an_earlier_task_wakes_the_reaper():
    clock, done = SystemClock(), threading.Event()
    timer = SystemTimer(clock=clock)
    reaper = SystemTimerReaper(timer)
    timer.add(Task(60_000, clock))
    time.sleep(0.02)
    started = time.monotonic()
    timer.add(Task(1, clock, then=done.set))
    assert done.wait(5) and time.monotonic() - started < system_timer_reaper.POLL_MS / 1000
    reaper.close()


def test_threads_that_add_and_cancel_lose_nothing():
    timer = SystemTimer(wheel_size=3)
    reaper = SystemTimerReaper(timer)
    kept = []

    def work(seed):
        for i in range(150):
            task = Task((i * seed) % 40)
            timer.add(task)
            if i % 3:
                task.cancel()
            else:
                kept.append(task)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in (7, 11)]
    for thread in threads:
        thread.start()
    assert all(finished(thread) for thread in threads)
    until = time.monotonic() + 5
    while timer.size() and time.monotonic() < until:
        time.sleep(0.01)
    reaper.close()
    assert timer.size() == 0 and all(len(task.ran) == 1 for task in kept)


# -- what is held, and what the garbage collector is left with

def entries():
    """The entries of tasks that the process holds, reachable or not."""
    return [thing for thing in gc.get_objects() if type(thing) is TimerTaskEntry and thing.timer_task is not None]


@pytest.fixture
def uncollected():
    """No automatic collection, and nothing left over from before."""
    gc.collect()
    before = {id(entry) for entry in entries()}
    gc.disable()
    yield lambda: sum(id(entry) not in before for entry in entries())
    gc.enable()


def test_entries_held_are_entries_live(uncollected):
    timer = build()
    live = added(timer, *range(1, 101))
    for i in range(20_000):
        task = Task(i % 9000, timer.clock)
        timer.add(task)
        if i % 500 == 0:
            timer.add(task)
        task.cancel()
    del task
    timer.executor.executor.waiting.clear()
    timer.executor.executor.handed.clear()
    assert timer.size() == len(linked(timer)) == len(live)
    assert uncollected() / len(live) == 1.0
    assert len(timer.queue) <= len(buckets(timer))


def used(timer, cancel):
    """Tasks that come and go, and of which the test keeps weak references alone."""
    tasks = added(timer, *range(1, 60))
    timer.add(tasks[5])
    if cancel:
        for task in tasks:
            task.cancel()
    for _ in range(60):
        pass_time(timer, 1)
    timer.executor.executor.handed.clear()
    assert [bool(task.ran) for task in tasks] == [not cancel] * len(tasks)
    return [weakref.ref(task) for task in tasks]


@pytest.mark.parametrize("cancel", [False, True], ids=["expiry", "cancel"])
def test_no_cyclic_garbage_is_left(cancel, uncollected):
    timer = build()
    gone = used(timer, cancel)
    assert uncollected() == 0 and not any(reference() for reference in gone)


def test_without_forget_it_would_be(uncollected, monkeypatch):
    monkeypatch.setattr(task_executor, "run", lambda entry: entry.timer_task.run())
    gone = used(build(), cancel=False)
    assert uncollected() == len(gone) and all(reference() for reference in gone)
