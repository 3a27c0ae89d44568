"""Contracts of the functions that ``impl/timing_wheel.py`` calls, each of which runs the function.

``expected.toml`` has the verdict of each.

All times are milliseconds from 0. A function here has the preconditions that its callers see to.
"""

from __future__ import annotations

from impl import timing_wheel


def slot_in_range(deadline_ms: int, tick_ms: int, wheel_size: int) -> int:
    """T1.

    pre: deadline_ms >= 0 and tick_ms >= 1 and wheel_size >= 2
    post: 0 <= __return__ < wheel_size
    """
    return timing_wheel.bucket_index(deadline_ms, tick_ms, wheel_size)


def slot_of_the_same_tick(deadline_ms: int, ahead_ms: int, tick_ms: int, wheel_size: int) -> bool:
    """T3: deadlines of one tick share their slot.

    pre: deadline_ms >= 0 and tick_ms >= 1 and wheel_size >= 2
    pre: 0 <= ahead_ms < tick_ms - deadline_ms % tick_ms
    post: __return__
    """
    index = timing_wheel.bucket_index
    return index(deadline_ms, tick_ms, wheel_size) == index(
        deadline_ms + ahead_ms, tick_ms, wheel_size
    )


def key_before_the_deadline(deadline_ms: int, tick_ms: int) -> int:
    """T4.

    pre: deadline_ms >= 0 and tick_ms >= 1
    post: __return__ <= deadline_ms < __return__ + tick_ms
    post: __return__ % tick_ms == 0
    """
    return timing_wheel.bucket_expiration(deadline_ms, tick_ms)


def key_after_the_clock(deadline_ms: int, ticks: int, tick_ms: int, wheel_size: int) -> int:
    """T4: the key of an entry that a level takes is after its clock and within the turn.

    The clock has seen ``ticks`` ticks.

    pre: ticks >= 0 and tick_ms >= 1 and wheel_size >= 2
    pre: not timing_wheel.expired(deadline_ms, ticks * tick_ms, tick_ms)
    pre: timing_wheel.fits(deadline_ms, ticks * tick_ms, tick_ms * wheel_size)
    post: ticks * tick_ms < __return__ < (ticks + wheel_size) * tick_ms
    """
    return timing_wheel.bucket_expiration(deadline_ms, tick_ms)


def never_the_clocks_own_slot(deadline_ms: int, ticks: int, wheel_size: int) -> bool:
    """T2, for a tick of 1: with a symbolic one CrossHair comes to no end.

    pre: ticks >= 0 and wheel_size >= 2
    pre: not timing_wheel.expired(deadline_ms, ticks, 1)
    pre: timing_wheel.fits(deadline_ms, ticks, wheel_size)
    post: __return__
    """
    return timing_wheel.bucket_index(deadline_ms, 1, wheel_size) != timing_wheel.bucket_index(
        ticks, 1, wheel_size
    )


def trimmed(time_ms: int, tick_ms: int) -> int:
    """T5.

    pre: time_ms >= 0 and tick_ms >= 1
    post: __return__ <= time_ms < __return__ + tick_ms
    post: __return__ % tick_ms == 0
    """
    return timing_wheel.trim(time_ms, tick_ms)


def trimmed_twice(time_ms: int, tick_ms: int) -> bool:
    """T5.

    pre: time_ms >= 0 and tick_ms >= 1
    post: __return__
    """
    once = timing_wheel.trim(time_ms, tick_ms)
    return timing_wheel.trim(once, tick_ms) == once


def due_or_taken_or_beyond(
    deadline_ms: int, current_ms: int, tick_ms: int, wheel_size: int
) -> bool:
    """A deadline that fits and is not expired is a tick to a turn ahead; an expired one fits.

    pre: deadline_ms >= 0 and current_ms >= 0 and tick_ms >= 1 and wheel_size >= 2
    post: __return__
    """
    due, near = (
        timing_wheel.expired(deadline_ms, current_ms, tick_ms),
        timing_wheel.fits(deadline_ms, current_ms, tick_ms * wheel_size),
    )
    return near if due else near == (deadline_ms - current_ms < tick_ms * wheel_size)


def taken_by(deadline_ms: int, start_ms: int, tick_ms: int, wheel_size: int) -> tuple[int, int]:
    """(level from 1, its tick) of a deadline that is not due, by ``add`` and ``new_parent``."""
    number, current_ms = 1, timing_wheel.trim(start_ms, tick_ms)
    while not timing_wheel.fits(deadline_ms, current_ms, tick_ms * wheel_size):
        number, tick_ms = number + 1, tick_ms * wheel_size
        current_ms = timing_wheel.trim(current_ms, tick_ms)
    return number, tick_ms


def level(ahead_ms: int, start_ms: int, tick_ms: int, wheel_size: int) -> tuple[int, int]:
    """T13 for any tick and size: the level's tick is at most the delay's turns.

    The deadline is a tick and ``ahead_ms`` from the clock.

    CrossHair finds no counterexample and comes to no end.

    pre: tick_ms >= 1 and wheel_size >= 2 and start_ms >= 0 and ahead_ms >= 0
    post: __return__[1] <= (tick_ms + ahead_ms) * wheel_size
    """
    return taken_by(
        timing_wheel.trim(start_ms, tick_ms) + tick_ms + ahead_ms, start_ms, tick_ms, wheel_size
    )


def level_of_kafkas_wheel(deadline_ms: int, start_ms: int) -> tuple[int, int]:
    """T13 for 20 buckets of 1 ms and delays of less than 8 s: the level is one too high at most.

    pre: 0 <= start_ms and start_ms + 1 <= deadline_ms < start_ms + 8000
    post: __return__[0] <= 4
    post: __return__[0] >= 1 + (deadline_ms - start_ms >= 20) + (deadline_ms - start_ms >= 400)
    """
    return taken_by(deadline_ms, start_ms, 1, 20)
