"""What a delay queue costs: comparisons and lines that run."""

from __future__ import annotations

import sys
from collections.abc import Callable

from impl.baselines import Delay, JdkDelayQueue
from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import TimingWheel

# -- how many steps

FEW, MANY = 1_000, 10_000


class Counted(Delay):
    """An element that counts how often it is compared, all of them together."""

    __slots__ = ()

    compared = 0

    def compare_to(self, other: Delay) -> int:
        Counted.compared += 1
        return super().compare_to(other)


def scattered(number: int) -> int:
    """Delays from 60 to 660 s without any order, always the same."""
    return 60_000 + number * 2_654_435_761 % 600_000


def filled(pending: int) -> JdkDelayQueue:
    queue = JdkDelayQueue()
    for number in range(pending):
        queue.offer(Counted(str(number), scattered(number), lambda: 0))
    return queue


def comparisons(pending: int) -> tuple[float, int]:
    """Comparisons per offer with that many pending: the mean of scattered delays, the earliest."""
    queue = filled(pending)
    Counted.compared = 0
    for number in range(1000):
        queue.offer(Counted("more", scattered(pending + number), lambda: 0))
    average = Counted.compared / 1000
    Counted.compared = 0
    queue.offer(Counted("first", 1, lambda: 0))
    return average, Counted.compared


def lines(function: Callable[[], object]) -> int:
    """Lines of the implementation that a call runs: no clock or other process blurs them."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_code.co_filename.endswith(
            ("delay_queue.py", "baselines.py", "timing_wheel.py", "timer_task_list.py")
        ):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def wheel_steps(pending: int) -> tuple[int, int]:
    """Lines for an add and a cancel with that many pending in a wheel of 20 x 1 ms."""
    wheel = TimingWheel(1, 20, 0, Atomic(0), DelayQueue(), VirtualClock(0))
    for number in range(pending):
        wheel.add(TimerTaskEntry(TimerTask(0), scattered(number)))
    assert len(wheel.queue) <= 4 * 20 < FEW, "the queue has buckets, not entries"
    task = TimerTask(0)
    return lines(lambda: wheel.add(TimerTaskEntry(task, scattered(7)))), lines(task.cancel)


def heap_steps(pending: int) -> tuple[int, int]:
    """Lines for one offer of the earliest element and one removal of the last, in a heap."""
    queue = filled(pending)
    last = queue.heap[-1]
    return lines(lambda: queue.offer(Counted("first", 1, lambda: 0))), lines(
        lambda: queue.remove(last)
    )


def test_steps_of_the_wheel_do_not_depend_on_how_many_are_pending():
    assert wheel_steps(FEW) == wheel_steps(MANY)


def test_steps_of_the_heap_do_and_a_removal_looks_at_everything():
    (offer_few, remove_few), (offer_many, remove_many) = heap_steps(FEW), heap_steps(MANY)
    assert offer_many > offer_few
    assert remove_few >= FEW and remove_many >= MANY


def test_looking_at_the_first_element_costs_the_same_and_taking_it_does_not():
    def steps(pending: int) -> tuple[int, int]:
        queue = filled(pending)
        look = lines(queue.wait_ms)
        for element in queue.heap:
            element.due_ms -= 1 << 40
        return look, lines(queue.poll_now)

    (look_few, take_few), (look_many, take_many) = steps(FEW), steps(MANY)
    assert look_few == look_many and take_few < take_many


def test_a_heap_compares_log_n_times_at_worst_and_two_or_three_times_on_average():
    """At worst the earliest element goes up the whole height; on average it stays low for any N."""
    (average_few, worst_few), (average_many, worst_many) = comparisons(FEW), comparisons(MANY)
    assert (worst_few, worst_many) == (
        (FEW + 1000 + 1).bit_length() - 1,
        (MANY + 1000 + 1).bit_length() - 1,
    )
    assert 1 <= average_few < 3 and 1 <= average_many < 3
