"""The model of TimingWheel: its arithmetic of one level."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl import timing_wheel as impl
from model.timing_wheel import Model
from tests.model.timing_wheel import MECHANISM, scenario

# -- the wheel's arithmetic


class Absolute(Model):
    """A model that keeps an entry's slot by the milliseconds of its deadline."""

    def slot_of(self, time, level):
        return (level - 1) * self.wheel_size + time % self.wheel_size + 1


def disagreement(model, deadline, current, level):
    """The places where the model's arithmetic of one level differs from the implementation's."""
    model.current[level], model.deadline["e"] = current, deadline
    tick, size = model.wheel_size ** (level - 1), model.wheel_size
    bucket = (level - 1) * size + impl.bucket_index(deadline, tick, size) + 1
    says = {
        "trim": (model.trim(deadline, level), impl.trim(deadline, tick)),
        "expired": (model.expired("e", level), impl.expired(deadline, current, tick)),
        "fits": (model.fits("e", level), impl.fits(deadline, current, tick * size)),
        "slot": (model.slot("e", level), bucket),
        "level": (model.level_of(bucket), level),
        "key": (model.key_for("e", level), impl.bucket_expiration(deadline, tick)),
    }
    return {name for name, (mine, others) in says.items() if mine != others}


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_models_arithmetic_is_the_implementations(size, level, deadline, ticks):
    of = scenario(size, deadline={"e": deadline}, levels=5, a=[])
    current = ticks * size ** (level - 1)
    assert not disagreement(Model(of), deadline, current, level)
    # at the borders, too
    for near in (
        current - 1,
        current,
        current + size ** (level - 1) - 1,
        current + size ** (level - 1),
        current + size**level - 1,
        current + size**level,
    ):
        assert not disagreement(Model(of), max(near, 0), current, level)


@pytest.mark.parametrize(
    "decision, where, differs",
    [
        ("WrongSlot", (6, 0, 2), {"slot"}),
        ("M17_late", (5, 3, 2), {"expired"}),
        ("M17_turn", (9, 0, 2), {"fits"}),
    ],
)
def test_that_comparison_sees_another_arithmetic(decision, where, differs):
    of = scenario(3, deadline={"e": 0}, levels=2, a=[])
    assert disagreement(
        MECHANISM.without(decision).model_of(of), *where
    ) == differs and not disagreement(Model(of), *where)


def test_that_comparison_sees_slots_that_are_counted_otherwise():
    of = scenario(3, deadline={"e": 0}, levels=2, a=[])
    assert disagreement(Absolute(of), 6, 0, 2) == {"slot"}
