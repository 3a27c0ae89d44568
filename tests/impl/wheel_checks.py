"""The articles' examples as checks of a wheel's class, which reject its mutants.

Virtual time; slots are counted from 0, levels from 1. A check raises AssertionError, or TypeError
on a mutant that puts an entry nowhere.
"""

from __future__ import annotations

from itertools import pairwise

from tests.impl import wheel_examples
from tests.impl.bare_wheels import bare, entered, places
from tests.impl.timing import Noting, clocks, levels, place

# -- levels


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
    """160 s from the fourth level's clock, which may lag almost 8 s: 152 s for certain."""
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


# -- buckets and the queue


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
    """On Kafka's 20 x 1 ms the second list is polled at 800 and, a level lower, at 840.

    The first goes from level 2 straight to the executor.
    """
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


# -- preconditions

REFUSED = [
    (1, 1, 0, "wheel_size is 1, and must be at least 2"),
    (1, 0, 0, "wheel_size is 0, and must be at least 2"),
    (0, 20, 0, "tick_ms is 0, and must be at least 1"),
    (1, 20, -7, "start_ms is -7, and must be at least 0"),
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
    """A slot in range, a key within the tick before the deadline, the lowest level that fits."""
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
    """Demotion goes down, and every task runs once, by its deadline, less than a tick early."""
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
            assert all(high > low for high, low in pairwise(visited)), (
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


# -- the checks, and what they reject

CHECKS = {
    name.removeprefix("check_"): value
    for name, value in [*vars(wheel_examples).items(), *globals().items()]
    if name.startswith("check_")
}
