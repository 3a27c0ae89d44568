"""Pairs for `crosshair diffbehavior`: a formula of the theorems, and the implementation's code.

That command ignores preconditions, hence the early returns.
"""

from __future__ import annotations

from impl import timing_wheel


def slot(deadline_ms: int, tick_ms: int, wheel_size: int) -> int | None:
    """T1 as a formula."""
    if deadline_ms < 0 or tick_ms < 1 or wheel_size < 2:
        return None
    return (deadline_ms // tick_ms) % wheel_size


def slot_of_the_code(deadline_ms: int, tick_ms: int, wheel_size: int) -> int | None:
    if deadline_ms < 0 or tick_ms < 1 or wheel_size < 2:
        return None
    return timing_wheel.bucket_index(deadline_ms, tick_ms, wheel_size)


def slot_modulus_one_more(deadline_ms: int, tick_ms: int, wheel_size: int) -> int | None:
    """The mutant."""
    if deadline_ms < 0 or tick_ms < 1 or wheel_size < 2:
        return None
    return timing_wheel.bucket_index(deadline_ms, tick_ms, wheel_size + 1)


def key(deadline_ms: int, tick_ms: int) -> int | None:
    """T4 as a formula."""
    if deadline_ms < 0 or tick_ms < 1:
        return None
    return (deadline_ms // tick_ms) * tick_ms


def key_of_the_code(deadline_ms: int, tick_ms: int) -> int | None:
    if deadline_ms < 0 or tick_ms < 1:
        return None
    return timing_wheel.bucket_expiration(deadline_ms, tick_ms)


def key_rounded_up(deadline_ms: int, tick_ms: int) -> int | None:
    """The mutant."""
    if deadline_ms < 0 or tick_ms < 1:
        return None
    return timing_wheel.trim(deadline_ms + tick_ms - 1, tick_ms)


def trim_of_the_code(time_ms: int, tick_ms: int) -> int | None:
    """Of any time, negative ones too."""
    if tick_ms < 1:
        return None
    return timing_wheel.trim(time_ms, tick_ms)


def trim_of_java(time_ms: int, tick_ms: int) -> int | None:
    """As Java computes it: the remainder has the time's sign. The same from 0 on, not below: D5."""
    if tick_ms < 1:
        return None
    remainder = abs(time_ms) % tick_ms
    return time_ms - (remainder if time_ms >= 0 else -remainder)


SAME = (("slot", "slot_of_the_code"), ("key", "key_of_the_code"))
DIFFERENT = (
    ("slot", "slot_modulus_one_more"),
    ("key", "key_rounded_up"),
    ("trim_of_the_code", "trim_of_java"),
)
