"""The articles' examples as checks of a wheel's class: what passes on the wheel as it is, and rejects a mutant of it.

Virtual time; slots are counted from 0, levels from 1. A check raises AssertionError; on a mutant that puts an entry nowhere, TypeError.
"""

from __future__ import annotations

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import NOT_QUEUED, TimingWheel
from tests.impl.timing import Noting, clocks, levels, place


def bare(wheel: type[TimingWheel], tick_ms: int, wheel_size: int, start_ms: int = 0) -> TimingWheel:
    return wheel(
        tick_ms, wheel_size, start_ms, Atomic(0), DelayQueue(), VirtualClock(max(start_ms, 0))
    )


def entered(wheel: TimingWheel, deadline: int) -> TimerTaskEntry:
    """An entry that the wheel has been given; whether it took it is for ``place`` to say."""
    entry = TimerTaskEntry(TimerTask(0), deadline)
    wheel.add(entry)
    return entry


def places(wheel: TimingWheel, *deadlines: int) -> list[tuple[int, int, int] | None]:
    return [place(wheel, entered(wheel, deadline)) for deadline in deadlines]


# -- 9, 88, 222, 520, 521, 522 on 10 x 1 ms ---------------------------------------------------------------------------

SIX = (9, 88, 222, 520, 521, 522)


def check_slots_and_keys_of_the_six(wheel):
    timer = Noting(wheel, 1, 10)
    timer.put(*SIX)
    assert [(deadline, where) for _, deadline, where in timer.moves] == [
        (9, (1, 9, 9)),
        (88, (2, 8, 80)),
        (222, (3, 2, 200)),
        (520, (3, 5, 500)),
        (521, (3, 5, 500)),
        (522, (3, 5, 500)),
    ]
    assert sorted(bucket.expiration.get() for bucket in timer.queue.heap) == [9, 80, 200, 500]


def check_demotions_of_the_six(wheel):
    timer = Noting(wheel, 1, 10)
    timer.put(*SIX)
    del timer.moves[:]
    timer.to(1000)
    assert timer.moves == [
        (9, 9, None),
        (80, 88, (1, 8, 88)),
        (88, 88, None),
        (200, 222, (2, 2, 220)),
        (220, 222, (1, 2, 222)),
        (222, 222, None),
        (500, 520, (2, 2, 520)),
        (500, 521, (2, 2, 520)),
        (500, 522, (2, 2, 520)),
        (520, 520, None),
        (520, 521, (1, 1, 521)),
        (520, 522, (1, 2, 522)),
        (521, 521, None),
        (522, 522, None),
    ]


def check_the_six_run_when_they_are_due(wheel):
    timer = Noting(wheel, 1, 10)
    tasks = timer.put(*SIX)
    timer.to(1000)
    assert [task.ran_at for task in tasks] == [[delay] for delay in SIX]
    assert timer.size() == 0


def check_each_level_rounds_the_time_to_its_own_tick(wheel):
    """An article has all levels at 9, then 80, then 88: that is the lowest level alone."""
    timer = Noting(wheel, 1, 10)
    timer.put(*SIX)
    seen = []
    for time in (8, 9, 80, 88, 200, 220, 222, 500, 522):
        timer.to(time)
        seen.append(clocks(timer.wheel))
    assert seen == [
        [0, 0, 0],
        [9, 0, 0],
        [80, 80, 0],
        [88, 80, 0],
        [200, 200, 200],
        [220, 220, 200],
        [222, 220, 200],
        [500, 500, 500],
        [522, 520, 500],
    ]


# -- 20 x 1 ms ----------------------------------------------------------------------------------------------------------


def check_2_8_and_19_ms_and_the_slot_that_is_used_again(wheel):
    timer = Noting(wheel, 1, 20)
    first, second = timer.put(1, 2)
    used = first.timer_task_entry.list
    timer.to(2)
    assert (first.ran_at, second.ran_at, clocks(timer.wheel)) == ([1], [2], [2])
    assert used.expiration.get() == NOT_QUEUED
    eight, nineteen = timer.put(8, 19)
    assert [move[2] for move in timer.moves if move[2]] == [
        (1, 1, 1),
        (1, 2, 2),
        (1, 10, 10),
        (1, 1, 21),
    ]
    assert nineteen.timer_task_entry.list is used
    timer.to(40)
    assert (eight.ran_at, nineteen.ran_at) == ([10], [21])


def check_the_wheel_reaches_one_turn_from_its_clock(wheel):
    """From the clock's slot, which is over, to the one before it, one turn later: not 20 ms, and not 0."""
    for start in (0, 2, 19, 20, 39):
        one = bare(wheel, 1, 20, start)
        assert places(one, start) == [None]
        assert [where[0] for where in places(one, *range(start + 1, start + 20))] == [1] * 19
        assert places(one, start + 20)[0][0] == 2


def check_the_clock_stands_still_until_a_bucket_expires(wheel):
    """Without a task at 2 ms the wheel's clock is still 0 then, and 19 ms more go to level 2."""
    timer = Noting(wheel, 1, 20)
    timer.to(2)
    timer.put(19)
    assert timer.moves == [(0, 21, (2, 1, 20))]


def check_350_ms_go_to_level_2_and_come_down(wheel):
    timer = Noting(wheel, 1, 20)
    (task,) = timer.put(350)
    timer.to(400)
    assert timer.moves == [(0, 350, (2, 17, 340)), (340, 350, (1, 10, 350)), (350, 350, None)]
    assert task.ran_at == [350]


def check_123_becomes_120(wheel):
    assert bare(wheel, 20, 20, 123).current_time == 120


def check_237_is_in_bucket_11_of_level_2_with_key_220(wheel):
    assert places(bare(wheel, 1, 20), 237) == [(2, 11, 220)]


def check_bounds_of_the_slots_of_level_2(wheel):
    """[20, 40) is slot 1, [40, 60) slot 2: an article's first and second."""
    assert [places(bare(wheel, 1, 20), deadline)[0] for deadline in (20, 39, 40, 59)] == [
        (2, 1, 20),
        (2, 1, 20),
        (2, 2, 40),
        (2, 2, 40),
    ]


def check_level_3_slot_2_is_200_to_299(wheel):
    assert [places(bare(wheel, 1, 10), deadline)[0] for deadline in (200, 299, 300)] == [
        (3, 2, 200),
        (3, 2, 200),
        (3, 3, 300),
    ]


# -- 33 s and 39 s on 10 x 1 s --------------------------------------------------------------------------------------------


def at_2_s(wheel) -> Noting:
    timer = Noting(wheel, 1000, 10)
    timer.put(2000)
    timer.to(2000)
    del timer.moves[:]
    return timer


def check_3_s_later_is_slot_5(wheel):
    timer = at_2_s(wheel)
    timer.put(3000)
    assert timer.moves == [(2000, 5000, (1, 5, 5000))]


def check_33_s_and_39_s_are_in_two_slots_and_come_down_one_by_one(wheel):
    """An article: both in slot 3, looked at after 33 s, when 6 s are left of the one. By Kafka's arithmetic: in slots 3 and 4, at 30 s and 40 s."""
    timer = at_2_s(wheel)
    tasks = timer.put(33_000, 39_000)
    timer.to(60_000)
    assert timer.moves == [
        (2000, 35_000, (2, 3, 30_000)),
        (2000, 41_000, (2, 4, 40_000)),
        (30_000, 35_000, (1, 5, 35_000)),
        (35_000, 35_000, None),
        (40_000, 41_000, (1, 1, 41_000)),
        (41_000, 41_000, None),
    ]
    assert [task.ran_at for task in tasks] == [[35_000], [41_000]]


def check_33_s_and_39_s_from_0_share_a_slot_and_leave_it_at_30_s(wheel):
    timer = Noting(wheel, 1000, 10)
    timer.put(33_000, 39_000)
    timer.to(60_000)
    assert timer.moves == [
        (0, 33_000, (2, 3, 30_000)),
        (0, 39_000, (2, 3, 30_000)),
        (30_000, 33_000, (1, 3, 33_000)),
        (30_000, 39_000, (1, 9, 39_000)),
        (33_000, 33_000, None),
        (39_000, 39_000, None),
    ]


# -- levels ---------------------------------------------------------------------------------------------------------------


def check_four_levels_hold_160_s(wheel):
    one = bare(wheel, 1, 20)
    assert places(one, 30_000, 159_999) == [(4, 3, 24_000), (4, 19, 152_000)]
    assert [(level.tick_ms, level.interval) for level in levels(one)] == [
        (1, 20),
        (20, 400),
        (400, 8000),
        (8000, 160_000),
    ]
    assert places(one, 160_000) == [(5, 1, 160_000)]


def check_a_million_ms_take_five_levels_of_20_buckets(wheel):
    """100 buckets instead of one wheel of a million; five levels go up to 3200 s."""
    one = bare(wheel, 1, 20)
    assert [where[0] for where in places(one, 1_000_000, 3_199_999)] == [5, 5]
    assert sum(len(level.buckets) for level in levels(one)) == 100


def check_away_from_a_turn_four_levels_hold_less(wheel):
    """160 s from the fourth level's own clock, which may be almost a tick of 8 s behind: of delays, 152 s for certain."""
    one = bare(wheel, 1, 20, 7999)
    assert [where[0] for where in places(one, 7999 + 152_000, 7999 + 152_001)] == [4, 5]


def check_levels_are_made_when_they_are_needed(wheel):
    one = bare(wheel, 1, 20)
    counts = [len(levels(one))]
    for deadline in (19, 20, 399, 400, 30_000):
        entered(one, deadline)
        counts.append(len(levels(one)))
    assert counts == [1, 1, 2, 2, 3, 4]


def check_a_level_starts_at_the_lowest_levels_clock_rounded(wheel):
    timer = Noting(wheel, 1, 20, 1_234_567)
    timer.put(15)
    timer.to(1_234_600)
    timer.put(100_000)
    assert clocks(timer.wheel) == [1_234_582, 1_234_580, 1_234_400, 1_232_000]
    assert clocks(timer.wheel) == [
        1_234_582 // level.tick_ms * level.tick_ms for level in levels(timer.wheel)
    ]


def check_a_turn_of_one_level_is_a_tick_of_the_next(wheel):
    """The watch: 8 buckets a level, as in the article's picture."""
    one = bare(wheel, 1, 8)
    entered(one, 64)
    ticks = []
    for time in range(1, 129):
        one.advance_clock(time)
        ticks.append(tuple(clocks(one)))
    assert ticks == [(time, time - time % 8, time - time % 64) for time in range(1, 129)]


def check_the_clock_goes_to_the_time_rounded_down_not_one_slot_on(wheel):
    one = bare(wheel, 10, 10)
    seen = []
    for time in (9, 10, 19, 57, 60):
        one.advance_clock(time)
        seen.append(one.current_time)
    assert seen == [0, 10, 10, 50, 60]


def check_one_o_clock_and_30_s(wheel):
    """The request times out at 1:00:30: not before, not after."""
    one_o_clock = 3_600_000
    timer = Noting(wheel, 1, 20, one_o_clock)
    (task,) = timer.put(30_000)
    assert task.timer_task_entry.expiration_ms == one_o_clock + 30_000
    timer.to(one_o_clock + 29_999)
    assert task.ran_at == []
    timer.to(one_o_clock + 31_000)
    assert task.ran_at == [one_o_clock + 30_000]


# -- buckets and the queue ------------------------------------------------------------------------------------------------


def check_a_bucket_expires_with_its_slot_not_with_its_earliest_entry(wheel):
    for deadlines in ((237,), (237, 225), (225, 237), (239, 238)):
        one = bare(wheel, 1, 20)
        assert set(places(one, *deadlines)) == {(2, 11, 220)}


def check_a_cancelled_entry_leaves_the_key_as_it_was(wheel):
    one = bare(wheel, 1, 20)
    first, second = entered(one, 225), entered(one, 237)
    first.timer_task.cancel()
    assert place(one, first) is None
    assert place(one, second) == (2, 11, 220)


def check_a_bucket_is_queued_when_its_key_changes_and_only_then(wheel):
    timer = Noting(wheel, 1, 20)
    timer.put(5, 5, 5)
    assert len(timer.queue) == 1
    timer.to(5)
    assert len(timer.queue) == 0
    timer.put(20, 20)
    assert [bucket.expiration.get() for bucket in timer.queue.heap] == [20]


def check_one_counter_for_all_lists_of_all_levels(wheel):
    one = bare(wheel, 1, 20)
    for deadline in (5, 6, 300, 7000):
        entered(one, deadline)
    lists = [bucket for level in levels(one) for bucket in level.buckets]
    assert len(lists) == 60
    assert all(bucket.task_counter is one.task_counter for bucket in lists)
    assert one.task_counter.get() == 4


def advances(wheel, tick_by_tick: bool) -> list[tuple[int, int]]:
    """Per bucket: its key, and how many advances went by before it without finding anything."""
    one = bare(wheel, 1, 1000)
    for deadline in (200, 840):
        entered(one, deadline)
    found, empty = [], 0
    while len(one.queue):
        one.clock.advance(1 if tick_by_tick else max(one.queue.wait_ms(), 0))
        bucket = one.queue.poll_now()
        if bucket is None:
            empty += 1
            continue
        key = bucket.expiration.get()
        one.advance_clock(key)
        bucket.flush(lambda entry: None)
        found.append((key, empty))
        empty = 0
    return found


def check_199_and_639_empty_advances_that_the_queue_avoids(wheel):
    assert advances(wheel, tick_by_tick=True) == [(200, 199), (840, 639)]
    assert advances(wheel, tick_by_tick=False) == [(200, 0), (840, 0)]


def check_with_levels_840_ms_take_two_advances(wheel):
    """On Kafka's 20 x 1 ms the second list is polled at 800 and, a level lower, at 840; the first goes from level 2 straight to the executor."""
    timer = Noting(wheel, 1, 20)
    timer.put(200, 840)
    timer.to(1000)
    assert timer.moves == [
        (0, 200, (2, 10, 200)),
        (0, 840, (3, 2, 800)),
        (200, 200, None),
        (800, 840, (2, 2, 840)),
        (840, 840, None),
    ]


# -- preconditions ----------------------------------------------------------------------------------------------------------

REFUSED = [
    (1, 1, 0, "wheel_size is 1, and must be at least 2"),
    (1, 0, 0, "wheel_size is 0, and must be at least 2"),
    (0, 20, 0, "tick_ms is 0, and must be at least 1"),
    (1, 20, -7, "start_ms is -7, and must not be negative"),
]


def check_bad_arguments_are_refused_by_value_and_bound(wheel):
    for tick_ms, wheel_size, start_ms, says in REFUSED:
        try:
            bare(wheel, tick_ms, wheel_size, start_ms)
        except ValueError as refused:
            assert says in str(refused)
        else:
            raise AssertionError(f"{tick_ms}, {wheel_size}, {start_ms} passed")


EXAMPLES = [
    (1, 20, 0, [9, 19, 20, 21, 237, 399, 400, 30_000]),
    (1, 10, 2, [9, 11, 12, 88, 101, 102, 222, 520]),
    (3, 5, 7, [6, 8, 9, 20, 21, 22, 80, 81]),
]


def consider_placing(wheel, situation):
    """A slot in range, a key at most the deadline and less than a tick before it, the lowest level that fits, and due what is due."""
    tick, size, start, deadlines = situation
    one = bare(wheel, tick, size, start)
    for deadline in deadlines:
        where = place(one, entered(one, deadline))
        if where is None:
            assert deadline < start - start % tick + tick
            continue
        level, slot, key = where
        level_tick = tick * size ** (level - 1)
        assert 0 <= slot < size
        assert key <= deadline < key + level_tick
        assert slot == key // level_tick % size
        assert key > start // level_tick * level_tick, "the bucket of the clock's own slot is over"
        assert deadline < start // level_tick * level_tick + level_tick * size
        if level > 1:
            below = level_tick // size
            assert deadline >= start // below * below + level_tick, "a lower level reaches it"


def consider_running(wheel, situation):
    """Demotion goes down, and every task runs once: with its slot of the lowest level, never after its deadline, less than a tick early."""
    tick, size, start, deadlines = situation
    timer = Noting(wheel, tick, size, start)
    tasks = [(deadline, timer.put(deadline - start)[0]) for deadline in deadlines]
    timer.to(max([start, *deadlines]) + tick)
    for deadline, task in tasks:
        assert task.ran_at == [max(start, deadline - deadline % tick)], (
            f"the task that was due at {deadline}"
        )
        visited = [where[0] if where else 0 for _, due, where in timer.moves if due == deadline]
        if deadlines.count(deadline) == 1:
            assert all(high > low for high, low in zip(visited, visited[1:])), (
                f"levels of the task that was due at {deadline}: {visited}"
            )
            assert visited[-1] == 0
    assert timer.size() == 0 and len(timer.queue) == 0


def check_places_of_the_examples(wheel):
    for situation in EXAMPLES:
        consider_placing(wheel, situation)


def check_runs_of_the_examples(wheel):
    for situation in EXAMPLES:
        consider_running(wheel, situation)


# -- the checks, and what they reject -----------------------------------------------------------------------------------------

CHECKS = {
    name.removeprefix("check_"): value
    for name, value in list(globals().items())
    if name.startswith("check_")
}
