"""The articles' examples on the real TimingWheel and SystemTimer, in virtual time.

Each check is a function of the wheel's class (``wheel_checks``, ``wheel_examples``). It passes on
the wheel as it is, and rejects the mutants that ``CONTROLS`` names for it.
"""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.clock import VirtualClock
from impl.runtime import Atomic
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask
from impl.timing_wheel import NOT_QUEUED, TimingWheel
from tests.impl import timing
from tests.impl.bare_wheels import bare
from tests.impl.real_threads import PATIENCE_S, finished, started
from tests.impl.timing import Hooked, Inline, levels
from tests.impl.wheel_checks import CHECKS, consider_placing, consider_running


class Split(Atomic):
    """A mutant of the key's variable: get, then set, with the other thread in between."""

    __slots__ = ("both",)

    def get_and_set(self, value):
        old = self.get()
        self.both.wait(PATIENCE_S)
        self.set(value)
        return old


def reported_changes(expiration: Atomic) -> list[bool]:
    """What two threads hear that give one bucket the same key."""
    bucket, heard = bare(TimingWheel, 1, 20).buckets[0], []
    bucket.expiration = expiration
    assert all(
        finished(thread)
        for thread in started(*[lambda: heard.append(bucket.set_expiration(20))] * 2)
    )
    return sorted(heard)


def test_of_two_threads_that_set_a_key_one_queues_the_bucket():
    split = Split(NOT_QUEUED)
    split.both = threading.Barrier(2)
    assert reported_changes(Atomic(NOT_QUEUED)) == [False, True]
    assert reported_changes(split) == [True, True], "with two steps both queue it"


class Comparing(Atomic):
    """A mutant of the key's variable: it is set where it has the value that was expected."""

    __slots__ = ()

    def get_and_set(self, value):
        old = self.get()
        self.compare_and_set(NOT_QUEUED, value)
        return old


def keys_set(expiration: Atomic) -> list[int]:
    """The keys that a bucket has after it was given three, one after the other."""
    bucket = bare(TimingWheel, 1, 20).buckets[0]
    bucket.expiration = expiration
    return [bucket.set_expiration(key) and bucket.expiration.get() for key in (20, 40, 60)]


def test_a_key_is_swapped_whatever_it_was():
    assert keys_set(Atomic(NOT_QUEUED)) == [20, 40, 60]
    assert keys_set(Comparing(NOT_QUEUED)) == [20, 20, 20], "a compare-and-set keeps the first"


class Saturating(SystemTimer):
    """A deadline beyond the bounds becomes the bound."""

    __slots__ = ()

    def add(self, task: TimerTask) -> None:
        now = self.clock.hi_res_clock_ms()
        task.delay_ms = min(max(task.delay_ms, -now), self.max_deadline_ms - now)
        super().add(task)


def refused_deadlines(timer: type[SystemTimer], wheel_size: int) -> None:
    one = timer(Inline(), 1, wheel_size, 100, VirtualClock(100))
    bound = ((1 << 63) - 1) // (wheel_size + 1)
    one.add(TimerTask(bound - 100))
    for delay, deadline in ((-101, -1), (bound - 99, bound + 1), (1 << 63, (1 << 63) + 100)):
        with pytest.raises(
            ValueError,
            match=f"a delay of {delay} ms makes the deadline {deadline} ms; "
            f"it must be from 0 to {bound}",
        ):
            one.add(TimerTask(delay))
    assert one.size() == 1


@pytest.mark.parametrize("wheel_size", [2, 10, 20, 512])
def test_deadlines_out_of_range_are_refused_by_value_and_bound(wheel_size):
    refused_deadlines(SystemTimer, wheel_size)


def test_that_check_sees_a_timer_that_refuses_nothing():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        refused_deadlines(Saturating, 20)


@pytest.mark.parametrize("wheel_size", [2, 10, 20, 512])
def test_up_to_the_bound_every_number_fits_into_64_bits(wheel_size):
    """Kafka's long overflows beyond. This measures the largest number that add computes.

    The deadline is the last one that add takes.
    """
    clock = VirtualClock(0)
    timer = SystemTimer(Inline(), 1, wheel_size, 0, clock)
    timer.add(TimerTask(timer.max_deadline_ms))
    top = levels(timer.wheel)[-1]
    assert timer.max_deadline_ms + top.interval < 1 << 63, (
        "the top level's clock never passes the deadline"
    )
    assert timer.size() == 1


# -- SystemTimer


def test_defaults_are_kafkas():
    timer = SystemTimer(Inline(), clock=VirtualClock(5))
    assert (timer.wheel.tick_ms, timer.wheel.wheel_size, timer.wheel.current_time) == (1, 20, 5)


class Handing(SystemTimer):
    """Tasks are put into the wheel by a thread of the timer's own, as an article has it."""

    __slots__ = ()

    def add_timer_task_entry(self, entry):
        thread = threading.Thread(target=super().add_timer_task_entry, args=(entry,))
        thread.start()
        thread.join()


def adds_on_the_callers_thread(timer: type[SystemTimer]) -> bool:
    seen = []

    class Wheel(TimingWheel):
        __slots__ = ()

        def add(self, entry):
            seen.append(threading.get_ident())
            return super().add(entry)

    one = timer(Inline(), clock=VirtualClock(0))
    one.wheel = bare(Wheel, 1, 20)
    one.add(TimerTask(5))
    return seen == [threading.get_ident()]


def test_a_task_is_put_into_the_wheel_by_the_thread_that_adds_it():
    assert adds_on_the_callers_thread(SystemTimer)
    assert not adds_on_the_callers_thread(Handing)


def test_due_tasks_run_on_one_thread_of_the_timers_own():
    names = []

    class Named(TimerTask):
        __slots__ = ()

        def run(self):
            names.append(threading.current_thread())

    timer = SystemTimer(clock=VirtualClock(0))
    for delay in range(20):
        timer.add(Named(delay))
    assert timer.size() == 19, "all but the first one wait until they expire"
    timer.clock.advance(20)
    assert timer.advance_clock(0) and timer.size() == 0
    timer.close()
    assert len(names) == 20
    assert len(set(names)) == 1 and names[0] is not threading.current_thread()


# -- every deadline


@st.composite
def situations(draw) -> tuple[int, int, int, list[int]]:
    """Tick, size, start, and deadlines; every other one is near a slot's or a turn's edge."""
    tick, size = (
        draw(st.sampled_from([1, 1, 2, 3, 10, 20])),
        draw(st.sampled_from([2, 3, 5, 10, 20])),
    )
    start = draw(st.integers(0, 5 * tick * size**2))
    edges = st.builds(
        lambda level, turns, off: tick * size**level * turns + off,
        st.integers(0, 3),
        st.integers(0, 2 * size),
        st.integers(-2, 2),
    )
    near = edges.map(lambda off: max(start + off, 0)) | edges.map(lambda edge: max(edge, 0))
    return (
        tick,
        size,
        start,
        draw(st.lists(near | st.integers(0, start + 2 * tick * size**3), min_size=1, max_size=8)),
    )


@given(situations())
def test_every_deadline_has_its_place(situation):
    consider_placing(TimingWheel, situation)


@given(situations())
def test_every_task_comes_down_and_runs_once(situation):
    consider_running(TimingWheel, situation)


CONTROLS = {
    "slots_and_keys_of_the_six": (timing.NextSlot, timing.KeyIsDeadline, timing.OffersAlways),
    "demotions_of_the_six": (timing.NextSlot, timing.NarrowTurn, timing.NoCascade),
    "the_six_run_when_they_are_due": (timing.DueEarly, timing.KeyIsEnd, timing.OneTickOnly),
    "each_level_rounds_the_time_to_its_own_tick": (timing.NoCascade, timing.OneTickOnly),
    "2_8_and_19_ms_and_the_slot_that_is_used_again": (timing.SlotOfDelay, timing.NextSlot),
    "the_wheel_reaches_one_turn_from_its_clock": (
        timing.WideTurn,
        timing.NarrowTurn,
        timing.DueEarly,
    ),
    "the_clock_stands_still_until_a_bucket_expires": (timing.NextSlot,),
    "350_ms_go_to_level_2_and_come_down": (timing.NextSlot, timing.KeyIsDeadline),
    "123_becomes_120": (timing.Unrounded,),
    "237_is_in_bucket_11_of_level_2_with_key_220": (timing.NextSlot, timing.KeyIsDeadline),
    "bounds_of_the_slots_of_level_2": (timing.WideTurn, timing.NextSlot),
    "level_3_slot_2_is_200_to_299": (timing.NextSlot, timing.KeyIsEnd),
    "3_s_later_is_slot_5": (timing.NextSlot, timing.SlotOfDelay),
    "33_s_and_39_s_are_in_two_slots_and_come_down_one_by_one": (
        timing.NextSlot,
        timing.KeyIsDeadline,
    ),
    "33_s_and_39_s_from_0_share_a_slot_and_leave_it_at_30_s": (
        timing.KeyIsDeadline,
        timing.KeyIsEnd,
    ),
    "four_levels_hold_160_s": (timing.WideTurn, timing.NarrowTurn),
    "a_million_ms_take_five_levels_of_20_buckets": (timing.NarrowTurn,),
    "away_from_a_turn_four_levels_hold_less": (timing.WideTurn, timing.Unrounded),
    "levels_are_made_when_they_are_needed": (timing.AllLevelsAtOnce, timing.NarrowTurn),
    "a_level_starts_at_the_lowest_levels_clock_rounded": (timing.Unrounded,),
    "a_turn_of_one_level_is_a_tick_of_the_next": (timing.NoCascade,),
    "the_clock_goes_to_the_time_rounded_down_not_one_slot_on": (
        timing.Unrounded,
        timing.OneTickOnly,
    ),
    "one_o_clock_and_30_s": (timing.KeyIsEnd, timing.NoCascade),
    "a_bucket_expires_with_its_slot_not_with_its_earliest_entry": (timing.KeyIsDeadline,),
    "a_cancelled_entry_leaves_the_key_as_it_was": (timing.KeyIsDeadline,),
    "a_bucket_is_queued_when_its_key_changes_and_only_then": (timing.OffersAlways,),
    "one_counter_for_all_lists_of_all_levels": (timing.CountsApart,),
    "199_and_639_empty_advances_that_the_queue_avoids": (timing.KeyIsEnd,),
    "with_levels_840_ms_take_two_advances": (timing.KeyIsDeadline, timing.NoCascade),
    "bad_arguments_are_refused_by_value_and_bound": (timing.Clamping,),
    "places_of_the_examples": (
        timing.WideTurn,
        timing.NarrowTurn,
        timing.NextSlot,
        timing.SlotOfDelay,
        timing.KeyIsEnd,
        timing.DueEarly,
        timing.Unrounded,
    ),
    "runs_of_the_examples": (
        timing.KeyIsDeadline,
        timing.DueEarly,
        timing.OneTickOnly,
        timing.NoCascade,
    ),
}


@pytest.mark.parametrize("name", CHECKS)
def test_wheel(name):
    CHECKS[name](TimingWheel)


@pytest.mark.parametrize("name", CHECKS)
def test_taking_add_apart_changes_nothing(name):
    CHECKS[name](Hooked)


PAIRS = [
    pytest.param(name, mutant, id=f"{name}-{mutant.__name__}")
    for name, mutants in CONTROLS.items()
    for mutant in mutants
]


@pytest.mark.parametrize(("name", "mutant"), PAIRS)
def test_a_mutant_is_rejected(name, mutant):
    with pytest.raises(
        (AssertionError, TypeError, AttributeError)
    ):  # a place that is None has no level
        CHECKS[name](mutant)


def test_every_check_has_a_mutant_and_every_mutant_a_check():
    assert CONTROLS.keys() == CHECKS.keys()
    mutants = {
        value
        for value in vars(timing).values()
        if isinstance(value, type) and issubclass(value, Hooked)
    } - {Hooked}
    assert mutants == {mutant for mutants in CONTROLS.values() for mutant in mutants}
