"""The articles' examples of one wheel each, as checks of a wheel's class.

Virtual time; slots are counted from 0, levels from 1.
"""

from __future__ import annotations

from impl.timing_wheel import NOT_QUEUED
from tests.impl.bare_wheels import bare, places
from tests.impl.timing import Noting, clocks

# -- 9, 88, 222, 520, 521, 522 on 10 x 1 ms

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


# -- 20 x 1 ms


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
    """From the clock's slot, which is over, to the one before it a turn later: not 20 ms, not 0."""
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


# -- 33 s and 39 s on 10 x 1 s


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
    """An article: both in slot 3, looked at after 33 s, when one has 6 s left.

    By Kafka's arithmetic they are in slots 3 and 4, at 30 s and 40 s.
    """
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
