"""What adding to the wheel and removing from it cost, in lines of code that run: no clock and no
other process can blur them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry, TimerTaskList
from impl.timing_wheel import TimingWheel
from tests.impl.test_delay_queue_cost import comparisons, filled

IMPL = Path(sys.modules[TimingWheel.__module__].__file__).parent
LEVELS = (1, 20, 400, 8000, 160_000)
"""A deadline of each of the first five levels of 20 x 1 ms."""
FEW, MANY = 1_000, 20_000


def lines(function: Callable[[], object]) -> int:
    """How many lines of the implementation, and of this file, a call runs."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        file = Path(frame.f_code.co_filename)
        if file.parent != IMPL and file != Path(__file__):
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


class Skipping(TimingWheel):
    """A wheel that goes to an entry's level at once: what adding costs does not depend on the
    level.
    """

    __slots__ = ("all",)

    def add(self, entry: TimerTaskEntry) -> bool:
        deadline = entry.expiration_ms
        level = self.all[sum(deadline >= edge for edge in LEVELS[1:])]
        bucket = level.buckets[deadline // level.tick_ms % level.wheel_size]
        bucket.add(entry)
        if bucket.set_expiration(deadline - deadline % level.tick_ms):
            self.queue.offer(bucket)
        return True


def five_levels(wheel: type[TimingWheel]) -> TimingWheel:
    """A wheel of 20 x 1 ms whose levels are made, with a task in each bucket that is going to be
    used.
    """
    one = wheel(1, 20, 0, Atomic(0), DelayQueue(), VirtualClock(0))
    every = [one]
    while len(every) < len(LEVELS):
        every.append(every[-1].parent())
    for level in every if wheel is Skipping else ():
        level.all = every
    for deadline in LEVELS:
        one.add(TimerTaskEntry(TimerTask(0), deadline))
    return one


def cost_by_level(wheel: type[TimingWheel]) -> tuple[list[int], list[int]]:
    """Lines of an add, and of the cancel after it, on each of five levels."""
    one, adds, cancels = five_levels(wheel), [], []
    for deadline in LEVELS:
        entry = TimerTaskEntry(TimerTask(0), deadline)
        adds.append(lines(lambda: one.add(entry)))
        cancels.append(lines(entry.timer_task.cancel))
    return adds, cancels


def grows_by_the_same_per_level(costs: list[int]) -> bool:
    steps = {after - before for before, after in pairwise(costs)}
    return len(steps) == 1 and steps.pop() > 0


def test_an_add_costs_the_same_more_per_level_and_a_cancel_does_not():
    adds, cancels = cost_by_level(TimingWheel)
    assert grows_by_the_same_per_level(adds) and len(set(cancels)) == 1


def test_that_check_rejects_a_wheel_that_goes_to_the_level_at_once():
    adds, _ = cost_by_level(Skipping)
    assert not grows_by_the_same_per_level(adds)


class Ordered(TimingWheel):
    """A wheel that looks at all entries of a bucket, to keep them in order."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> bool:
        taken = super().add(entry)
        node = entry.list.root.next if taken else None
        while node is not None and node is not entry:
            node = node.next
        return taken


def cost_in_a_full_bucket(wheel: type[TimingWheel], entries: int) -> tuple[int, int]:
    """Lines of an add to, and a cancel in the middle of, one bucket of level 5 that has so many
    entries.
    """
    one = five_levels(wheel)
    inside = [TimerTaskEntry(TimerTask(0), 160_000 + number) for number in range(entries)]
    for entry in inside:
        TimingWheel.add(one, entry)
    another = TimerTaskEntry(TimerTask(0), 160_000)
    return lines(lambda: one.add(another)), lines(inside[entries // 2].timer_task.cancel)


def test_an_add_and_a_cancel_cost_the_same_in_a_full_bucket():
    assert cost_in_a_full_bucket(TimingWheel, 10) == cost_in_a_full_bucket(TimingWheel, 10_000)


def test_that_check_rejects_a_wheel_that_traverses_the_bucket():
    assert cost_in_a_full_bucket(Ordered, 10) < cost_in_a_full_bucket(Ordered, 1000)


def costs_at_the_ends(lists: type[TimerTaskList]) -> tuple[set[int], set[int]]:
    """Lines of the adds to a list that has no entry, one and two; and of the removal of its only
    entry, and of the first, the second and the last of three.
    """
    adds, removals = set(), set()
    for entries, index in ((1, 0), (3, 0), (3, 1), (3, 2)):
        bucket = lists(Atomic(0))
        inside = [TimerTaskEntry(TimerTask(0), number) for number in range(entries)]
        for entry in inside:
            adds.add(lines(lambda bucket=bucket, entry=entry: bucket.add(entry)))
        removals.add(lines(inside[index].remove))
    return adds, removals


class Ended(TimerTaskList):
    """A list for which its ends are cases of their own, as for one without a sentinel."""

    __slots__ = ()

    def add(self, entry: TimerTaskEntry) -> None:
        if self.root.next is self.root:
            assert self.root.prev is self.root
        super().add(entry)

    def remove(self, entry: TimerTaskEntry) -> None:
        if entry.prev is self.root:
            assert self.root.next is entry
        super().remove(entry)


def test_the_ends_of_a_list_are_no_cases_of_their_own():
    adds, removals = costs_at_the_ends(TimerTaskList)
    assert (len(adds), len(removals)) == (1, 1)


def test_that_check_rejects_a_list_whose_ends_are():
    adds, removals = costs_at_the_ends(Ended)
    assert (len(adds), len(removals)) == (2, 2)


# -- a heap, against n log n


def removal(pending: int) -> int:
    queue = filled(pending)
    last = queue.heap[-1]
    return lines(lambda: queue.remove(last))


def ratio(cost: Callable[[int], float]) -> float:
    """How much more something costs with twenty times as many pending: 1 is O(1), 20 O(n), 29 O(n
    log n).
    """
    return cost(MANY) / cost(FEW)


def test_a_heap_adds_in_log_n_at_worst_and_removes_in_n():
    assert ratio(lambda pending: comparisons(pending)[1]) < 2
    assert ratio(lambda pending: comparisons(pending)[0]) < 1.5
    assert 19 < ratio(removal) < 21


@pytest.mark.parametrize(
    "wrong", [lambda n: n.bit_length(), lambda n: n * n.bit_length(), lambda n: 1]
)
def test_that_check_tells_n_from_log_n_and_n_log_n(wrong):
    assert not 19 < ratio(wrong) < 21


def buckets_queued(pending: int) -> int:
    """How many elements the queue has when that many tasks of up to 160 s wait."""
    one = TimingWheel(1, 20, 0, Atomic(0), DelayQueue(), VirtualClock(0))
    for number in range(pending):
        one.add(TimerTaskEntry(TimerTask(0), 1 + number * 2_654_435_761 % 159_999))
    return len(one.queue)


def test_the_queue_has_at_most_as_many_elements_as_there_are_buckets():
    assert buckets_queued(5_000) <= 80


def test_that_check_sees_a_queue_of_tasks():
    assert len(filled(5_000)) > 80


# -- one level of many buckets


def one_level_and_four(size: int = 10_000, tasks: int = 2_000) -> list[tuple[int, int]]:
    """For one level of so many buckets of 1 ms, and for 20 x 1 ms: lines of an add of 9,999 ms, and
    how many buckets are queued.
    """
    found = []
    for wheel_size in (size, 20):
        one = TimingWheel(1, wheel_size, 0, Atomic(0), DelayQueue(), VirtualClock(0))
        for number in range(tasks):
            one.add(TimerTaskEntry(TimerTask(0), 1 + number * 2_654_435_761 % (size - 1)))
        one.add(TimerTaskEntry(TimerTask(0), size - 1))
        entry = TimerTaskEntry(TimerTask(0), size - 1)
        found.append((lines(lambda: one.add(entry)), len(one.queue)))
    return found


def cheaper_with_a_longer_queue(one_level: tuple[int, int], levels: tuple[int, int]) -> bool:
    return one_level[0] < levels[0] and one_level[1] > 20 * levels[1]


def test_one_level_of_many_buckets_takes_fewer_steps_and_a_longer_queue():
    assert cheaper_with_a_longer_queue(*one_level_and_four())


def test_that_check_rejects_two_wheels_that_are_alike():
    one_level, levels = one_level_and_four(20, 10)
    assert not cheaper_with_a_longer_queue(one_level, levels) and not cheaper_with_a_longer_queue(
        levels, one_level
    )
