"""Claims of the articles about the wheel's clock, levels and tasks, as checks of a wheel's class.

A check raises AssertionError. ``CONTROLS`` names for each check the wrong wheels that it must
reject; many of them are those of :mod:`tests.impl.timing`. Slots are counted from 0, levels from 1,
times are milliseconds.
"""

from __future__ import annotations

from impl.timer_task_list import TimerTask, TimerTaskEntry
from tests.claims import buckets, wrong_wheels
from tests.impl import timing
from tests.impl.bare_wheels import bare, entered, places
from tests.impl.timing import Note, Noting, clocks, levels
from tests.impl.wheel_examples import at_2_s

# -- clocks


def check_after_idling_5_ms_go_to_level_3(wheel):
    """After 1.5 s without a task the clock stands at 0: a task in 5 ms needs two new levels, and
    comes down at once.
    """
    timer = Noting(wheel, 1, 20)
    timer.to(1500)
    assert len(levels(timer.wheel)) == 1
    (task,) = timer.put(5)
    assert len(levels(timer.wheel)) == 3
    timer.to(1600)
    assert timer.moves == [
        (0, 1505, (3, 3, 1200)),
        (1200, 1505, (2, 15, 1500)),
        (1500, 1505, (1, 5, 1505)),
        (1505, 1505, None),
    ]
    assert task.ran_at == [1505]


def check_an_idle_clock_is_not_the_time_rounded_down(wheel):
    """At 1,500 all clocks are 0, not 1,500, 1,500, 1,200 and 0."""
    timer = Noting(wheel, 1, 20)
    timer.put(30_000)
    timer.to(1500)
    timer.put(100)
    assert clocks(timer.wheel) == [0, 0, 0, 0]


def check_each_advance_rounds_a_time_down_for_each_level(wheel):
    timer = Noting(wheel, 1, 20, 7)
    timer.put(30_000, 1493)
    timer.to(1500)
    assert clocks(timer.wheel) == [1500, 1500, 1200, 0]


def check_a_clock_that_is_a_multiple_of_the_tick_is_kept(wheel):
    """The largest multiple of 20 at or below 120 is 120, not 100."""
    assert [bare(wheel, 20, 20, start).current_time for start in (119, 120, 121)] == [100, 120, 120]


def check_the_slot_of_the_start_is_not_slot_0(wheel):
    """A wheel of 20 x 1 ms that starts at 1,234,567 begins at slot 7."""
    assert places(bare(wheel, 1, 20, 1_234_567), 1_234_568) == [(1, 8, 1_234_568)]


def check_each_level_is_20_times_the_one_below(wheel):
    one = bare(wheel, 1, 20)
    entered(one, 1_000_000)
    assert [(level.tick_ms, level.interval, len(level.buckets)) for level in levels(one)] == [
        (1, 20, 20),
        (20, 400, 20),
        (400, 8000, 20),
        (8000, 160_000, 20),
        (160_000, 3_200_000, 20),
    ]


def check_on_10_x_1_ms_222_makes_levels_of_10_100_and_1000_ms(wheel):
    one = bare(wheel, 1, 10)
    entered(one, 222)
    assert [(level.tick_ms, level.interval) for level in levels(one)] == [
        (1, 10),
        (10, 100),
        (100, 1000),
    ]


def check_a_watch_has_ticks_of_a_second_a_minute_and_an_hour(wheel):
    one = bare(wheel, 1000, 60)
    entered(one, 3_600_000)
    assert [level.tick_ms for level in levels(one)] == [1000, 60_000, 3_600_000]


def check_levels_for_the_longest_timeouts(wheel):
    """How many levels a delay takes on 20 x 1 ms from 0: 4 for 30 s, 8 for 2^31 - 1 ms."""
    counts = []
    for delay in (19, 30_000, 1_279_999_999, (1 << 31) - 1):
        one = bare(wheel, 1, 20)
        entered(one, delay)
        counts.append(len(levels(one)))
    assert counts == [1, 4, 7, 8]


def check_the_highest_level_has_no_level_above(wheel):
    one = bare(wheel, 1, 20)
    entered(one, 30_000)
    assert [level.overflow_wheel is None for level in levels(one)] == [False, False, False, True]


def check_33_s_after_2_s_the_clocks_are_in_slots_5_and_3(wheel):
    timer = at_2_s(wheel)
    timer.put(33_000, 39_000)
    timer.to(35_000)
    assert clocks(timer.wheel) == [35_000, 30_000]
    assert [level.current_time // level.tick_ms % 10 for level in levels(timer.wheel)] == [5, 3]


# -- places


def check_levels_are_tried_from_the_lowest_up(wheel):
    """222 ms on 10 x 1 ms: three levels at first, at 200 two, and then the lowest alone."""
    tried = []

    class Tried(wheel):
        __slots__ = ()

        def add(self, entry) -> bool:
            tried.append(self.tick_ms)
            return super().add(entry)

    timer = Noting(Tried, 1, 10)
    timer.put(222)
    timer.to(222)
    assert tried == [1, 10, 100, 1, 10, 1, 1]


def check_after_idling_a_task_that_is_due_goes_into_the_wheel(wheel):
    """At 1,500 the clock stands at 0: a task in 0 ms goes to level 3, and comes down at once."""
    timer = Noting(wheel, 1, 20)
    timer.to(1500)
    (task,) = timer.put(0)
    assert timer.moves == [(0, 1500, (3, 3, 1200))] and task.ran_at == []
    timer.to(1500)
    assert task.ran_at == [1500]


def check_slot_0_of_level_2_is_400_to_419_a_turn_later(wheel):
    """On 20 x 1 ms, with the clock at 20, slot 19 is before it and slot 1 of level 3 after it."""
    assert [places(bare(wheel, 1, 20, 20), deadline)[0] for deadline in (399, 400, 419, 420)] == [
        (2, 19, 380),
        (2, 0, 400),
        (2, 0, 400),
        (3, 1, 400),
    ]


def check_237_is_on_level_2_up_to_a_clock_of_217(wheel):
    assert [places(bare(wheel, 1, 20, start), 237)[0] for start in (0, 217, 218)] == [
        (2, 11, 220),
        (2, 11, 220),
        (1, 17, 237),
    ]


class Counting(TimerTaskEntry):
    """An entry that counts the calls of its ``cancelled``."""

    __slots__ = ("counted",)

    def cancelled(self) -> bool:
        self.counted = getattr(self, "counted", 0) + 1
        return super().cancelled()


def check_a_task_that_is_due_or_cancelled_is_refused(wheel):
    """Not to be taken by the wheel does not mean to be due: a cancelled task is refused too."""
    one = bare(wheel, 1, 20, 100)
    due, cancelled = Counting(TimerTask(0), 100), TimerTaskEntry(TimerTask(0), 105)
    cancelled.timer_task.cancel()
    taken = [one.add(entry) for entry in (due, cancelled, TimerTaskEntry(TimerTask(0), 101))]
    assert (taken, one.task_counter.get()) == ([False, False, True], 1)
    assert due.counted == 1, "whether it is cancelled comes before whether it is due"


def check_each_level_looks_whether_the_task_is_cancelled(wheel):
    entry = Counting(TimerTask(0), 7000)
    assert bare(wheel, 1, 20).add(entry) and entry.counted == 3


def check_the_level_above_goes_through_all_the_steps(wheel):
    """It refuses what is cancelled or due by its own tick, takes what it reaches, or asks again."""
    above = bare(wheel, 1, 20).parent()
    cancelled = TimerTaskEntry(TimerTask(0), 300)
    cancelled.timer_task.cancel()
    assert not above.add(cancelled)
    assert not above.add(TimerTaskEntry(TimerTask(0), 19))
    assert places(above, 300) == [(1, 15, 300)] and above.overflow_wheel is None
    assert places(above, 7000) == [(2, 17, 6800)]


def check_with_20_buckets_the_six_are_elsewhere(wheel):
    """Deadlines of 9, 88, 222, 520, 521 and 522 ms on 20 x 1 ms, the constructor's default."""
    assert places(bare(wheel, 1, 20), 9, 88, 222, 520, 521, 522) == [
        (1, 9, 9),
        (2, 4, 80),
        (2, 11, 220),
        *[(3, 1, 400)] * 3,
    ]


def check_the_key_comes_nearer_to_the_deadline_with_each_level(wheel):
    """30,123 ms on 20 x 1 ms: the keys are 24,000, then 30,000, 30,120 and 30,123."""
    timer = Noting(wheel, 1, 20)
    timer.put(30_123)
    timer.to(40_000)
    assert [place and place[2] for _, _, place in timer.moves] == [
        24_000,
        30_000,
        30_120,
        30_123,
        None,
    ]


def check_with_a_longer_tick_a_task_runs_early(wheel):
    """With a tick of 10 ms a task that is due at 19 runs at 10."""
    timer = Noting(wheel, 10, 20)
    (task,) = timer.put(19)
    timer.to(19)
    assert task.ran_at == [10]


def check_a_task_may_skip_levels_on_its_way_down(wheel):
    """520 ms on 10 x 1 ms: from level 3 to level 2, and from there to the executor."""
    timer = Noting(wheel, 1, 10)
    (task,) = timer.put(520)
    timer.to(600)
    assert timer.moves == [
        (0, 520, (3, 5, 500)),
        (500, 520, (2, 2, 520)),
        (520, 520, None),
    ] and task.ran_at == [520]


# -- deadlines


def check_the_deadline_is_counted_from_the_add(wheel):
    """A task of 30 s that is made at 1:00:00 and added at 1:00:07 is due at 1:00:37."""
    one_o_clock = 3_600_000
    timer = Noting(wheel, 1, 20, one_o_clock)
    task = Note(30_000, timer.clock)
    timer.to(one_o_clock + 7000)
    timer.add(task)
    assert task.timer_task_entry.expiration_ms == one_o_clock + 37_000
    timer.to(one_o_clock + 60_000)
    assert task.ran_at == [one_o_clock + 37_000]


CHECKS = {
    name.removeprefix("check_"): value
    for name, value in [*globals().items(), *vars(buckets).items()]
    if name.startswith("check_")
}

CONTROLS = {
    "after_idling_5_ms_go_to_level_3": (wrong_wheels.ClockFollowsTime, timing.NextSlot),
    "an_idle_clock_is_not_the_time_rounded_down": (wrong_wheels.ClockFollowsTime,),
    "each_advance_rounds_a_time_down_for_each_level": (
        timing.NoCascade,
        timing.OneTickOnly,
        timing.Unrounded,
    ),
    "a_clock_that_is_a_multiple_of_the_tick_is_kept": (wrong_wheels.StartsBefore, timing.Unrounded),
    "the_slot_of_the_start_is_not_slot_0": (wrong_wheels.StartsAtSlotZero,),
    "each_level_is_20_times_the_one_below": (
        wrong_wheels.HalvesUpwards,
        wrong_wheels.MakesOneLevel,
    ),
    "a_watch_has_ticks_of_a_second_a_minute_and_an_hour": (
        wrong_wheels.TwiceTheTick,
        wrong_wheels.HalvesUpwards,
    ),
    "each_level_looks_whether_the_task_is_cancelled": (wrong_wheels.ChecksOnce,),
    "the_level_above_goes_through_all_the_steps": (
        wrong_wheels.ChecksOnce,
        wrong_wheels.DueOnce,
        wrong_wheels.TakesAllAbove,
    ),
    "with_20_buckets_the_six_are_elsewhere": (timing.NextSlot, wrong_wheels.MakesOneLevel),
    "the_key_comes_nearer_to_the_deadline_with_each_level": (timing.KeyIsDeadline, timing.KeyIsEnd),
    "levels_for_the_longest_timeouts": (wrong_wheels.MakesOneLevel, timing.AllLevelsAtOnce),
    "the_highest_level_has_no_level_above": (wrong_wheels.MakesOneLevel,),
    "a_bucket_whose_first_task_comes_again_is_not_queued_again": (
        wrong_wheels.OffersFirst,
        timing.OffersAlways,
    ),
    "8_and_19_ms_at_2_ms": (timing.SlotOfDelay, timing.NextSlot),
    "a_slot_is_used_again_with_another_key": (timing.NextSlot, wrong_wheels.FreshBuckets),
    "an_emptied_bucket_is_polled_all_the_same": (wrong_wheels.Tidy, timing.KeyIsEnd),
    "no_bucket_has_key_840_while_one_has_key_200": (
        timing.KeyIsDeadline,
        wrong_wheels.MakesOneLevel,
    ),
    "one_queue_for_all_levels": (wrong_wheels.QueuesApart, wrong_wheels.WrapsLists),
    "buckets_without_a_task_are_not_queued": (wrong_wheels.QueuesAll, wrong_wheels.QueuesApart),
    "a_bucket_expires_at_its_start_itself": (timing.KeyIsEnd, timing.KeyIsDeadline),
    "a_task_that_is_due_or_cancelled_is_refused": (
        wrong_wheels.Keen,
        wrong_wheels.DueFirst,
        timing.DueEarly,
    ),
    "on_10_x_1_ms_222_makes_levels_of_10_100_and_1000_ms": (
        wrong_wheels.HalvesUpwards,
        wrong_wheels.MakesOneLevel,
    ),
    "levels_are_tried_from_the_lowest_up": (wrong_wheels.TopDown, wrong_wheels.MakesOneLevel),
    "after_idling_a_task_that_is_due_goes_into_the_wheel": (
        wrong_wheels.ClockFollowsTime,
        timing.NoCascade,
    ),
    "33_s_after_2_s_the_clocks_are_in_slots_5_and_3": (timing.NoCascade, timing.OneTickOnly),
    "slot_0_of_level_2_is_400_to_419_a_turn_later": (timing.NextSlot, timing.WideTurn),
    "237_is_on_level_2_up_to_a_clock_of_217": (timing.NarrowTurn, timing.WideTurn),
    "a_task_is_linked_then_its_bucket_keyed_then_queued": (
        wrong_wheels.KeysFirst,
        wrong_wheels.QueuesFirst,
    ),
    "with_a_longer_tick_a_task_runs_early": (timing.KeyIsDeadline, timing.KeyIsEnd),
    "a_task_may_skip_levels_on_its_way_down": (timing.KeyIsEnd, timing.NextSlot),
    "the_deadline_is_counted_from_the_add": (timing.KeyIsEnd, timing.NoCascade),
}
