"""PartedTimer: adders between two parts, what an exception leaves, and SystemTimer beside it."""

from __future__ import annotations

import itertools
import random
import threading

import pytest

from impl import parted_timer
from impl.clock import VirtualClock
from impl.parted_timer import PartedTimer
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import SystemTimerReaper
from tests.impl.real_threads import (
    MOMENT_S,
    PATIENCE_S,
    finished,
    started,
)
from tests.impl.test_interrupts import interrupted_at
from tests.impl.timers import Drained, Task, added, build, linked, pass_time, rekeyed

# -- between two parts


class ByOnes(PartedTimer):
    """One entry in each part."""

    __slots__ = ()

    def __init__(self, *arguments):
        super().__init__(*arguments, part_size=1)


class Between(ByOnes):
    """In a gap it waits for the threads that are to come between two parts."""

    __slots__ = ("threads",)

    def give_way(self):
        assert all(finished(thread) for thread in self.threads)


class Starting(Drained):
    """Starts ``body`` in a thread when it is handed the first task.

    ``ended``: at each later task, whether that thread has come to its end within ``within_s``.
    """

    def __init__(self, body, within_s):
        super().__init__()
        self.body, self.within_s, self.threads, self.ended = body, within_s, [], []

    def submit(self, call, /, *arguments, **named):
        if not self.threads:
            self.threads += started(self.body)
        else:
            self.ended.append(finished(self.threads[0], self.within_s))
        return super().submit(call, *arguments, **named)


def meanwhile(timer_class, body, within_s):
    """A timer of three tasks that are due together, and whether ``body`` got in at each later one.

    ``body`` runs in a thread of its own, which starts when the first task is moved.
    """
    executor = Starting(lambda: body(timer), within_s)
    timer = build(timer_class, executor=executor)
    if timer_class is Between:
        timer.threads = executor.threads
    tasks = added(timer, 5, 5, 5)
    pass_time(timer, 5)
    assert finished(executor.threads[0])
    return timer, tasks, executor.ended


def add_another(timer):
    timer.add(Task(100, timer.clock))


def test_an_adder_gets_in_between_two_parts():
    timer, tasks, ended = meanwhile(Between, add_another, PATIENCE_S)
    assert ended == [True, True] and timer.size() == 1
    assert [task.ran for task in tasks] == [[5]] * 3


def test_it_waits_until_all_is_moved_where_the_lock_is_not_given_back():
    timer, tasks, ended = meanwhile(SystemTimer, add_another, MOMENT_S)
    assert ended == [False, False] and timer.size() == 1
    assert [task.ran for task in tasks] == [[5]] * 3


def test_an_entry_that_is_not_moved_yet_can_be_cancelled_between_two_parts():
    executor = Starting(lambda: tasks[2].cancel(), PATIENCE_S)
    timer = build(Between, executor=executor)
    timer.threads = executor.threads
    tasks = added(timer, 5, 5, 5)
    pass_time(timer, 5)
    assert executor.ended == [True] and timer.size() == 0
    assert [task.ran for task in tasks] == [[5], [5], []]


def test_what_a_closed_executor_refuses_between_two_parts_is_dropped_and_the_rest_too(caplog):
    class Closing(ByOnes):
        __slots__ = ()

        def give_way(self):
            self.close()

    timer = Closing(None, 1, 20, 0, VirtualClock())
    tasks = added(timer, 5, 5, 5)
    timer.clock.advance(5)
    assert timer.advance_clock(0)
    assert [task.ran for task in tasks] == [[5], [], []] and timer.size() == 0
    assert caplog.text.count("the executor refused the task that was due at 5 ms") == 2


def test_a_part_has_some_entries_of_one_bucket_or_of_several(monkeypatch):
    gaps = []
    monkeypatch.setattr(parted_timer.time, "sleep", gaps.append)
    timer = PartedTimer(Drained(), 1, 20, 0, VirtualClock(), part_size=3)
    tasks = added(timer, *(1 + i // 2 for i in range(8)))
    pass_time(timer, 4)
    assert [task.ran for task in tasks] == [[4]] * 8
    assert gaps == [parted_timer.GAP_S] * 2


@pytest.mark.parametrize(("size", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_a_part_has_one_entry_at_least(size, error):
    with pytest.raises(error, match="part_size is"):
        PartedTimer(Drained(), part_size=size)


# -- adders that never pause


class Outpacing(ByOnes):
    """In each of ``gaps`` gaps a millisecond passes, and three tasks are added that are due."""

    __slots__ = ("gaps",)

    def give_way(self):
        self.gaps -= 1
        assert self.gaps, "adders outpace it"
        self.clock.advance(1)
        added(self, 0, 0, 0)


class FixedParts(Outpacing):
    """A mutant: each part moves one entry, whatever was added in the gap."""

    __slots__ = ()

    def expire_part(self, linked):
        return super().expire_part(2**62)


class CountedOnce(Outpacing):
    """A mutant: a part grows by one move for each entry, on however many levels it is moved."""

    __slots__ = ()

    def expire_part(self, linked):
        self.part_size = 1 + max(self.size() - linked, 0)
        return super().expire_part(2**62)


def turn(timer_class, gaps, wheel_size=20):
    """The gaps of a call that expires three tasks, while more and more are added."""
    timer = build(timer_class, wheel_size=wheel_size)
    timer.gaps = gaps
    tasks = added(timer, 5, 5, 5)
    timer.clock.advance(5)
    assert timer.advance_clock(0) and timer.size() == 0
    timer.executor.executor.drain()
    assert all(task.ran for task in tasks)
    return gaps - timer.gaps


def test_a_call_ends_although_more_is_added_in_each_gap_than_a_part_moves():
    assert turn(Outpacing, 100) == 3


def test_it_ends_too_where_each_of_them_is_moved_on_several_levels():
    assert [turn(Outpacing, 100, size) for size in (2, 3)] == [1, 2]


@pytest.mark.parametrize(
    ("mutant", "wheel_size"), [(FixedParts, 20), (FixedParts, 2), (CountedOnce, 2)]
)
def test_that_check_sees_parts_that_take_too_little_account_of_it(mutant, wheel_size):
    with pytest.raises(AssertionError, match="adders outpace it"):
        turn(mutant, 100, wheel_size)


# -- beside SystemTimer


class Hasty(ByOnes):
    """Without gaps, since no other thread is there."""

    __slots__ = ()

    def give_way(self):
        pass


class OnePart(Hasty):
    """A mutant whose call ends after one part, and leaves what is due."""

    __slots__ = ()

    def expire_part(self, linked):
        super().expire_part(linked)


def ran(timer_class, seed):
    """When each task of a drawn program ran: adds, cancels and time."""
    draw, timer, tasks = random.Random(seed), build(timer_class, wheel_size=3), []
    for _ in range(60):
        if draw.random() < 0.6:
            tasks += added(timer, draw.choice((1, 2, 5, 9, 30)))
        elif tasks and draw.random() < 0.4:
            draw.choice(tasks).cancel()
        else:
            pass_time(timer, draw.choice((1, 3, 10)))
        assert len(linked(timer)) == timer.size() and not rekeyed(timer)
    pass_time(timer, 40)
    return [task.ran for task in tasks], timer.size()


def test_it_runs_what_SystemTimer_runs_at_the_same_time():
    assert all(ran(Hasty, seed) == ran(SystemTimer, seed) for seed in range(8))


def test_that_check_sees_a_call_that_leaves_what_is_due():
    assert not any(ran(OnePart, seed) == ran(SystemTimer, seed) for seed in range(3))


# -- an exception


class Interrupt(BaseException):
    """What a signal or another thread raises."""


def lost(kind):
    """How many of three due tasks an interrupt loses at most, over all of its places."""
    most = 0
    for place in itertools.count():
        timer = kind(Drained(), 1, 20, 0, VirtualClock())
        tasks = added(timer, 5, 5, 5)
        timer.clock.advance(5)
        if not interrupted_at(place, lambda timer=timer: timer.advance_clock(0)):
            return most
        pass_time(timer, 0)
        assert all(len(task.ran) <= 1 for task in tasks)
        most = max(most, sum(not task.ran for task in tasks))


def test_an_interrupt_loses_the_entry_in_the_hand_alone():
    assert lost(ByOnes) == 1


def test_and_without_parts_the_rest_of_the_bucket():
    assert lost(SystemTimer) == 3


class Deserting(Drained):
    """Ends the call that hands over the second task, by what is no ``Exception``."""

    def submit(self, call, /, *arguments, **named):
        if len(self.handed) == 1:
            self.handed.append(None)
            raise Interrupt
        return super().submit(call, *arguments, **named)


@pytest.mark.parametrize(("kind", "left"), [(ByOnes, 0), (SystemTimer, 1)])
def test_after_an_exception_the_next_call_goes_on_with_the_bucket(kind, left):
    timer = build(kind, executor=Deserting())
    tasks = added(timer, 5, 5, 5)
    with pytest.raises(Interrupt):
        pass_time(timer, 5)
    pass_time(timer, 0)
    assert len(linked(timer)) == timer.size() == left
    assert [bool(task.ran) for task in tasks] == [True, False, not left]


# -- a reaper


def test_a_reaper_drives_it_and_closes():
    timer, done = PartedTimer(part_size=1), threading.Event()
    with SystemTimerReaper("reaper", timer) as reaper:
        for _ in range(3):
            reaper.add(Task(2))
        reaper.add(Task(10, then=done.set))
        assert done.wait(PATIENCE_S)
    assert finished(reaper.thread) and timer.size() == 0
