"""Mutants of the contracts with one thing wrong: CrossHair refutes each, and Python confirms it.

The last two must end in another way: one that no number can meet, and one that is true and never
confirmed. Both let CrossHair exit with 0.
"""

from __future__ import annotations

from impl import timing_wheel
from proofs.crosshair import contracts


def slot_modulus_one_more(deadline_ms: int, tick_ms: int, wheel_size: int) -> int:
    """The slot is counted modulo one bucket more.

    pre: deadline_ms >= 0 and tick_ms >= 1 and wheel_size >= 2
    post: 0 <= __return__ < wheel_size
    """
    return timing_wheel.bucket_index(deadline_ms, tick_ms, wheel_size + 1)


def key_rounded_up(deadline_ms: int, tick_ms: int) -> int:
    """The key is the end of the tick.

    pre: deadline_ms >= 0 and tick_ms >= 1
    post: __return__ <= deadline_ms < __return__ + tick_ms
    """
    return timing_wheel.bucket_expiration(deadline_ms, tick_ms) + tick_ms


def a_whole_turn_fits(deadline_ms: int, ticks: int, wheel_size: int) -> bool:
    """An entry that is exactly one turn ahead is taken too: then it may get the clock's own slot.

    pre: ticks >= 0 and wheel_size >= 2
    pre: not timing_wheel.expired(deadline_ms, ticks, 1) and deadline_ms <= ticks + wheel_size
    post: __return__
    """
    return timing_wheel.bucket_index(deadline_ms, 1, wheel_size) != timing_wheel.bucket_index(
        ticks, 1, wheel_size
    )


def trim_of_negative_times(time_ms: int, tick_ms: int) -> int:
    """Java rounds towards zero: for a time below 0 that is up. D5.

    pre: tick_ms >= 1
    post: __return__ <= time_ms
    """
    return (
        -timing_wheel.trim(-time_ms, tick_ms)
        if time_ms < 0
        else timing_wheel.trim(time_ms, tick_ms)
    )


def never_early(deadline_ms: int, time_ms: int, tick_ms: int) -> bool:
    """An entry that has expired has reached its deadline: false for a tick above 1.

    pre: deadline_ms >= 0 and time_ms >= 0 and tick_ms >= 1
    post: __return__
    """
    return time_ms >= deadline_ms or not timing_wheel.expired(
        deadline_ms, timing_wheel.trim(time_ms, tick_ms), tick_ms
    )


def one_level_less(deadline_ms: int, start_ms: int) -> bool:
    """The level whose tick is at most the delay always reaches the deadline.

    pre: 0 <= start_ms < 400 and start_ms + 20 <= deadline_ms < start_ms + 400
    post: __return__
    """
    return timing_wheel.fits(deadline_ms, timing_wheel.trim(start_ms, 20), 400)


def level_no_coarser_than_the_delay(
    ahead_ms: int, start_ms: int, tick_ms: int, wheel_size: int
) -> tuple[int, int]:
    """The level that takes a deadline has a tick of at most the delay.

    That is false where the clock of the level below is about to move.

    pre: tick_ms >= 1 and wheel_size >= 2 and start_ms >= 0 and ahead_ms >= 0
    post: __return__[1] <= tick_ms + ahead_ms
    """
    return contracts.level(ahead_ms, start_ms, tick_ms, wheel_size)


def nothing_meets_it(tick_ms: int) -> int:
    """A precondition that contradicts itself.

    pre: tick_ms >= 1 and tick_ms < 1
    post: False
    """
    return timing_wheel.trim(0, tick_ms)


def no_end(deadline_ms: int, tick_ms: int) -> int:
    """True, and with more paths than there is time for.

    pre: deadline_ms >= 0 and tick_ms >= 1
    post: __return__ >= 0
    """
    while deadline_ms >= tick_ms:
        deadline_ms -= tick_ms
    return timing_wheel.trim(deadline_ms, 1)
