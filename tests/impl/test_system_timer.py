"""SystemTimer on virtual time, with an executor that the test drains; Kafka's D2 to D6."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from impl.clock import VirtualClock
from impl.system_timer import KafkaTimer, SystemTimer
from tests.impl.timers import (
    Drained,
    Task,
    added,
    buckets,
    build,
    levels,
    linked,
    pass_time,
    rekeyed,
)

ARTICLES = [(1, 20), (1, 10), (1, 8), (1, 2), (1, 3), (3, 5), (1000, 10)]


def test_a_timer_is_by_default_one_of_a_millisecond_and_twenty_buckets():
    timer = SystemTimer(Drained(), clock=VirtualClock(7))
    assert (timer.wheel.tick_ms, timer.wheel.wheel_size, timer.wheel.current_time) == (1, 20, 7)
    assert timer.max_deadline_ms == ((1 << 63) - 1) // 21


# -- one task


@pytest.mark.parametrize("delay", [1, 19, 20, 399, 400, 8_000, 160_001])
def test_a_task_runs_at_its_deadline_and_once(delay):
    timer = build(start_ms=7)
    (task,) = added(timer, delay)
    pass_time(timer, delay - 1)
    assert task.ran == [] and timer.size() == 1
    assert pass_time(timer, 1)
    assert task.ran == [7 + delay] and timer.size() == 0
    pass_time(timer, 1_000_000)
    assert task.ran == [7 + delay]


@pytest.mark.parametrize("delay", [0, -5])
def test_a_task_that_is_due_already_runs_at_once(delay):
    timer = build(start_ms=100)
    (task,) = added(timer, delay)
    assert timer.size() == 0
    timer.executor.executor.drain()
    assert task.ran == [100]


def test_nothing_is_due_is_false():
    timer = build()
    assert not timer.advance_clock(0)
    added(timer, 5)
    assert not timer.advance_clock(0)


def test_cancel_wins_and_leaves_at_once():
    timer = build()
    task, other = added(timer, 30, 30)
    task.cancel()
    assert timer.size() == 1 and len(linked(timer)) == 1
    pass_time(timer, 30)
    assert (task.ran, other.ran) == ([], [30])


def test_added_again_waits_anew_and_runs_once():
    timer = build()
    (task,) = added(timer, 30)
    pass_time(timer, 10)
    timer.add(task)
    assert timer.size() == 1
    pass_time(timer, 25)
    assert task.ran == []
    pass_time(timer, 5)
    assert task.ran == [40]
    timer.add(task)
    pass_time(timer, 30)
    assert task.ran == [40, 70]


def test_added_after_cancel_runs():
    timer = build()
    (task,) = added(timer, 30)
    task.cancel()
    task.cancel()
    timer.add(task)
    pass_time(timer, 30)
    assert task.ran == [30]


def test_added_again_while_it_is_being_handed_over_runs_twice():
    timer = build()
    (task,) = added(timer, 3)
    timer.clock.advance(3)
    timer.advance_clock(0)
    timer.add(task)
    timer.executor.executor.drain()
    assert task.ran == [3] and timer.size() == 1, "the first run leaves the second entry alone"
    pass_time(timer, 3)
    assert task.ran == [3, 6]


def test_a_task_may_add_and_cancel():
    timer = build()
    late = Task(50, timer.clock)
    again = Task(5, timer.clock, then=lambda: len(again.ran) < 3 and timer.add(again))
    timer.add(late)
    timer.add(again)
    timer.add(Task(20, timer.clock, then=late.cancel))
    for _ in range(100):
        pass_time(timer, 1)
    assert again.ran == [5, 10, 15] and late.ran == [] and timer.size() == 0


# -- many tasks


@pytest.mark.parametrize("tick, size", ARTICLES)
def test_in_the_order_of_deadlines_never_early_and_less_than_a_tick_late(tick, size):
    timer = build(tick_ms=tick, wheel_size=size, start_ms=11)
    delays = [(7 * i * i + 3 * i) % (tick * 700) for i in range(300)]
    tasks = added(timer, *delays)
    timer.executor.executor.drain()
    for _ in range(701):
        pass_time(timer, tick)
    deadlines = [11 + delay for delay in delays]
    for task, deadline in zip(tasks, deadlines):
        (ran,) = task.ran
        assert deadline - tick < ran < deadline + tick or ran == 11
    handed = [11 + task.delay_ms for task in timer.executor.executor.handed]
    ticks = [max(deadline // tick, 11 // tick) for deadline in handed]
    assert ticks == sorted(ticks)
    assert timer.size() == 0 and not linked(timer) and not rekeyed(timer)


def test_one_leap_hands_over_in_the_order_of_deadlines():
    timer = build(wheel_size=3)
    added(timer, *range(200, 0, -1))
    pass_time(timer, 1000)
    assert [task.delay_ms for task in timer.executor.executor.handed] == list(range(1, 201))


def test_down_all_levels():
    """160,001 ms on 20 x 1 ms: levels of 20, 400, 8,000, 160,000 ms, one more; four demotions."""
    timer = build()
    (task,) = added(timer, 160_001 + 8_000 + 400 + 20)
    places = []
    while not task.ran:
        if (entry := task.timer_task_entry) is not None:
            level = next(i for i, wheel in enumerate(levels(timer)) if entry.list in wheel.buckets)
            places.append((level, entry.list.expiration.get()))
        pass_time(timer, timer.queue.wait_ms())
    assert places == [(4, 160_000), (3, 168_000), (2, 168_400), (1, 168_420), (0, 168_421)]
    assert task.ran == [168_421]


def test_the_counter_is_the_number_of_linked_entries():
    timer = build(wheel_size=5)
    tasks = added(timer, *range(1, 400, 3))
    for task in tasks[::4]:
        task.cancel()
    for _ in range(50):
        assert timer.size() == len(linked(timer))
        pass_time(timer, 9)
    assert timer.size() == 0


# -- tasks that raise, executors that refuse


def test_a_task_that_raises_harms_no_thread(caplog):
    def fails():
        raise LookupError("of the task")

    timer = build()
    timer.add(Task(5, timer.clock, then=fails))
    same, later = added(timer, 5, 9)
    pass_time(timer, 5)
    pass_time(timer, 4)
    assert same.ran == [5] and later.ran == [9]
    assert "the task that was due at 5 ms raised" in caplog.text and "LookupError" in caplog.text


class Full(Exception):
    """An executor's own way of saying no: not a RuntimeError."""


class Refusing(Drained):
    """Refuses the first so many tasks."""

    def __init__(self, times, error):
        super().__init__()
        self.times, self.error = times, error

    def submit(self, call, /, *arguments, **named):
        if self.times:
            self.times -= 1
            raise self.error
        return super().submit(call, *arguments, **named)


@pytest.mark.parametrize(
    "error", [RuntimeError("shut down"), Full("no room")], ids=["RuntimeError", "another exception"]
)
def test_D6_an_executor_that_refuses_does_not_leave_a_flush_half_done(error, caplog):
    timer = build(executor=Refusing(1, error))
    refused, same, later = added(timer, 5, 5, 9)
    assert pass_time(timer, 5)
    assert (refused.ran, same.ran) == ([], [5]), "the rest of the bucket is handed over"
    assert timer.size() == 1
    pass_time(timer, 4)
    assert later.ran == [9] and timer.size() == 0
    assert f"the executor refused the task that was due at 5 ms: {error}" in caplog.text
    timer.add(
        refused
    )  # it kept its entry: parting the two would take the task's monitor under the bucket's (D2)
    pass_time(timer, 5)
    assert refused.ran == [14]


def test_D6_in_Kafkas_timer_the_refusal_goes_out_through_the_flush_and_the_bucket_is_stuck():
    timer = build(KafkaTimer, executor=Refusing(1, RuntimeError("shut down")))
    _, same = added(timer, 5, 5)
    with pytest.raises(RuntimeError, match="shut down"):
        pass_time(timer, 5)
    pass_time(timer, 1000)
    assert same.ran == [] and timer.size() == 1
    (stuck,) = [bucket for bucket in buckets(timer) if bucket.root.next is not bucket.root]
    assert stuck.expiration.get() == 5 and stuck not in timer.queue.heap


def test_D6_an_executor_that_was_shut_down_behind_the_timers_back():
    executor = ThreadPoolExecutor(1)
    timer = build(executor=executor)
    added(timer, 5, 5, 9)
    executor.shutdown()
    for _ in range(9):
        timer.clock.advance(1)
        timer.advance_clock(0)
    assert timer.size() == 0
