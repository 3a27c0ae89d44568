"""SystemTimer in real time with its own threads: closing, the reaper, and memory that is left."""

import gc
import threading
import weakref

import pytest

from impl import system_timer_reaper
from impl.clock import SystemClock, VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Gate
from impl.system_timer import KafkaTimer, SystemTimer
from impl.system_timer_reaper import SystemTimerReaper
from impl.task_executor import TaskExecutor
from impl.timer_task_list import TimerTaskEntry
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
from tests.impl.timers import Task, added, buckets, build, linked, pass_time

# -- closing


def test_after_close_an_add_that_is_due_raises_and_one_that_is_not_is_linked():
    timer = SystemTimer(clock=VirtualClock())
    (task,) = added(timer, 5)
    timer.close()
    timer.close()
    with pytest.raises(RuntimeError, match="the thread .timer. takes no call after shutdown"):
        timer.add(Task(0))
    assert timer.size() == 1
    (later,) = added(timer, 1)
    timer.clock.advance(5)
    assert timer.advance_clock(0)
    assert timer.size() == 0 and task.ran == later.ran == [], "the executor refuses both"


def test_close_leaves_an_executor_alone_that_was_given_to_the_timer():
    timer = build()
    (task,) = added(timer, 5)
    timer.close()
    timer.add(now := Task(0, timer.clock))
    pass_time(timer, 5)
    assert (now.ran, task.ran) == ([5], [5])


class Deserting(TaskExecutor):
    """A mutant that shuts its threads down and does not wait for them."""

    __slots__ = ()

    def close(self):
        self.executor.shutdown(wait=False)


def close_waits(executor, within_s):
    """Whether ``close`` waits while a task runs, and whether all handed tasks have run at its end.

    The task was handed over before. The time is in seconds, at most.
    """
    clock = VirtualClock()
    timer = SystemTimer(executor, clock=clock)
    closing = threading.Thread(target=timer.close, daemon=True)
    waits = []
    slow = Task(
        0,
        clock,
        then=lambda: waits.append(
            until(lambda: timer.executor.executor.shut) and not finished(closing, within_s)
        ),
    )
    after, waiting = Task(0, clock), Task(60_000, clock)
    for task in (slow, after, waiting):
        timer.add(task)
    closing.start()
    assert finished(closing)
    all_ran = bool(slow.ran and after.ran)
    assert until(lambda: after.ran) and not waiting.ran
    return waits[0], all_ran


def test_close_runs_what_was_handed_over_and_nothing_else():
    assert close_waits(None, MOMENT_S) == (True, True)


def test_that_check_sees_a_close_that_does_not_wait():
    assert not close_waits(Deserting(), PATIENCE_S)[0]


def test_a_task_may_close_its_timer():
    timer = SystemTimer(
        clock=VirtualClock()
    )  # time stands still: the task is due when it is added, no thread need advance
    closed = threading.Event()
    timer.add(Task(0, then=lambda: (timer.close(), closed.set())))
    assert closed.wait(PATIENCE_S)
    timer.close()


def test_a_task_may_close_the_reaper_and_a_waiting_reaper_ends():
    timer = SystemTimer()
    reaper = SystemTimerReaper("reaper", timer)
    closed = threading.Event()
    timer.add(Task(60_000))
    timer.add(Task(5, then=lambda: (reaper.close(), closed.set())))
    assert closed.wait(PATIENCE_S) and finished(reaper.thread)
    reaper.close()


def asleep(poll_ms, monkeypatch, queue=Watched):
    """A timer and its sleeping reaper: an entry due in an hour, a poll each ``poll_ms``."""
    monkeypatch.setattr(system_timer_reaper, "POLL_MS", poll_ms)
    timer = SystemTimer(queue=queue())
    timer.add(Task(HOUR_MS))
    reaper = SystemTimerReaper("reaper", timer)
    assert timer.queue.has_a_sleeper()
    return timer, reaper


def wake_and_close(timer, reaper):
    """End a reaper that would else sleep for an hour."""
    reaper.stopping.set()
    timer.add(Task(1))
    with timer.queue.gate:
        Gate.notify(timer.queue.gate)
    assert finished(reaper.thread)
    reaper.close()


def test_close_does_not_wait_for_what_the_reaper_waits_for(monkeypatch):
    _, reaper = asleep(system_timer_reaper.POLL_MS, monkeypatch)
    (closing,) = started(reaper.close)
    assert finished(closing) and finished(reaper.thread)


def test_close_wakes_a_reaper_that_looks_once_an_hour(monkeypatch):
    timer, reaper = asleep(HOUR_MS, monkeypatch)
    (closing,) = started(reaper.close)
    assert finished(closing) and finished(reaper.thread)
    assert timer.size() == 1 and len(timer.queue) == 1, "what wakes it leaves nothing behind"


def test_without_a_notification_close_waits_for_its_next_look(monkeypatch):
    timer, reaper = asleep(HOUR_MS, monkeypatch, queue=Silent)
    (closing,) = started(reaper.close)
    assert reaper.stopping.wait(PATIENCE_S) and not finished(closing, MOMENT_S)
    wake_and_close(timer, reaper)
    assert finished(closing)


def reaper_survives(timer_class):
    """Whether the reaper of a closed timer survives a due task, which must not run."""
    clock = VirtualClock()
    timer = timer_class(clock=clock, queue=Watched())
    reaper = SystemTimerReaper("reaper", timer)
    task = Task(30, clock)
    timer.add(task)
    timer.close()
    clock.advance(30)
    assert until(lambda: timer.size() == 0)
    before = timer.queue.polls
    assert until(lambda: timer.queue.polls > before or not reaper.thread.is_alive())
    alive = reaper.thread.is_alive()
    reaper.close()
    assert finished(reaper.thread) and not task.ran
    return alive


def test_closing_the_timer_alone_does_not_end_its_reaper_in_an_error(caplog):
    assert reaper_survives(SystemTimer)
    assert "the executor refused the task that was due at 30 ms" in caplog.text


def test_in_Kafkas_timer_the_refusal_ends_the_reaper(monkeypatch):
    raised = []
    monkeypatch.setattr(threading, "excepthook", lambda what: raised.append(str(what.exc_value)))
    assert not reaper_survives(KafkaTimer)
    assert raised == ["the thread 'timer' takes no call after shutdown"]


# -- in time and in order


def consider_running(clock, queue):
    """Tasks run in the order of their deadlines and none before, each once.

    The deadlines are those that ``add`` has read off the clock.
    """
    timer, order = SystemTimer(clock=clock, queue=queue()), []
    tasks = [Task(delay, clock) for delay in (90, 25, 60, 1, 120)]
    cancelled = Task(50, clock)
    for task in (*tasks, cancelled):
        task.then = lambda task=task: order.append(task)
        timer.add(task)
    deadlines = {
        task: task.timer_task_entry.expiration_ms for task in tasks
    }  # time may pass between two adds
    cancelled.cancel()
    reaper = SystemTimerReaper("reaper", timer)
    assert until(lambda: len(order) == len(tasks))
    reaper.close()
    assert not cancelled.ran and timer.size() == 0 and set(order) == set(tasks)
    assert all(len(task.ran) == 1 and deadlines[task] <= task.ran[0] for task in tasks), (
        "before its deadline"
    )
    assert [deadlines[task] for task in order] == sorted(deadlines.values()), "out of order"


class Eager(DelayQueue):
    """A mutant that hands out its first element whether it is due or not."""

    __slots__ = ()

    def wait_ms(self):
        return 0 if self.heap else super().wait_ms()

    def _take(self):
        return self.heap.pop(0) if self.heap else None


class LastFirst(DelayQueue):
    """A mutant that keeps its elements the other way round."""

    __slots__ = ()

    def _up(self, index, element):
        self.heap[index] = element
        self.heap.sort(key=lambda each: -each.expiration.get())

    _down = _up


def test_the_reaper_runs_tasks_in_time_and_in_order():
    consider_running(SystemClock(), DelayQueue)


def test_that_check_sees_a_task_that_runs_before_its_deadline():
    with pytest.raises(AssertionError, match="before its deadline"):
        consider_running(VirtualClock(), Eager)


def test_that_check_sees_tasks_that_run_out_of_order():
    with pytest.raises(AssertionError, match="out of order"):
        consider_running(SystemClock(), LastFirst)


def test_an_earlier_task_wakes_the_reaper(monkeypatch):
    timer, reaper = asleep(HOUR_MS, monkeypatch)
    done = threading.Event()
    timer.add(Task(1, then=done.set))
    assert done.wait(PATIENCE_S), "nothing else would have woken it within an hour"
    wake_and_close(timer, reaper)


def test_without_a_notification_it_sleeps_on(monkeypatch):
    timer, reaper = asleep(HOUR_MS, monkeypatch, queue=Silent)
    done = threading.Event()
    timer.add(Task(1, then=done.set))
    assert not done.wait(MOMENT_S)
    wake_and_close(timer, reaper)


def test_threads_that_add_and_cancel_lose_nothing():
    timer = SystemTimer(wheel_size=3)
    reaper = SystemTimerReaper("reaper", timer)
    kept = []

    def work(seed):
        for i in range(150):
            task = Task((i * seed) % 40)
            timer.add(task)
            if i % 3:
                task.cancel()
            else:
                kept.append(task)

    assert all(
        finished(thread) for thread in started(*(lambda seed=seed: work(seed) for seed in (7, 11)))
    )
    assert until(lambda: timer.size() == 0)
    reaper.close()
    assert timer.size() == 0 and len(kept) == 100 and all(len(task.ran) == 1 for task in kept)


# -- what is held, and what the garbage collector is left with


def entries():
    """The entries of tasks that the process holds, reachable or not."""
    return [
        thing
        for thing in gc.get_objects()
        if type(thing) is TimerTaskEntry and thing.timer_task is not None
    ]


@pytest.fixture
def uncollected():
    """No automatic collection. What is there is out of the garbage collector's sight."""
    gc.freeze()
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


def test_a_cancelled_task_is_no_cyclic_garbage(uncollected):
    timer = build()
    gone = used(timer, cancel=True)
    assert uncollected() == 0 and not any(reference() for reference in gone)


def test_an_expired_task_and_its_entry_are(uncollected):
    """As in Kafka nothing parts them: the garbage collector does."""
    gone = used(build(), cancel=False)
    assert uncollected() == len(gone) and all(reference() for reference in gone)
