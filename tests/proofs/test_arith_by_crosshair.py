"""The wheel's arithmetic as properties of Hypothesis, with numbers that CrossHair chooses.

CrossHair starts from symbols, then solves for them.

That it passes is no proof; the two planted faults show that it looks.
"""

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from impl.timing_wheel import bucket_expiration, bucket_index, expired, fits, trim

TIMES = st.integers(min_value=0, max_value=2**40)
TICKS = st.integers(min_value=1, max_value=2**20)
SIZES = st.integers(min_value=2, max_value=2**12)

by_crosshair = settings(
    backend="crosshair",
    deadline=None,
    max_examples=40,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@by_crosshair
@given(TIMES, TICKS, SIZES)
def test_the_slot_is_a_bucket(deadline, tick, size):
    assert 0 <= bucket_index(deadline, tick, size) < size


@by_crosshair
@given(TIMES, TICKS)
def test_the_key_is_the_beginning_of_the_deadlines_tick(deadline, tick):
    key = bucket_expiration(deadline, tick)
    assert key <= deadline < key + tick and key == trim(key, tick)


@by_crosshair
@given(TIMES, TIMES, TICKS, SIZES)
def test_what_a_level_takes_has_a_key_after_its_clock(deadline, time, tick, size):
    clock = trim(time, tick)
    assume(not expired(deadline, clock, tick) and fits(deadline, clock, tick * size))
    assert clock < bucket_expiration(deadline, tick) < clock + tick * size


@by_crosshair
@given(TIMES, TICKS, SIZES)
def test_two_roundings_are_the_coarser_one(time, tick, size):
    assert trim(trim(time, tick), tick * size) == trim(time, tick * size)


def one_bucket_more(deadline, tick, size):
    return bucket_index(deadline, tick, size + 1) < size


def never_early(deadline, time, tick):
    return deadline <= time or not expired(deadline, trim(time, tick), tick)


@pytest.mark.parametrize(
    ("wrong", "numbers"),
    [
        (one_bucket_more, st.tuples(TIMES, TICKS, SIZES)),
        (never_early, st.tuples(TIMES, TIMES, TICKS)),
    ],
)
def test_a_planted_fault_is_found(wrong, numbers):
    @settings(by_crosshair, phases=[Phase.generate])
    @given(numbers)
    def holds(values):
        assert wrong(*values)

    with pytest.raises(AssertionError):
        holds()
