"""What the articles say of the wheel beyond their worked examples, on the real wheel; and wrong
wheels, each of which a check rejects.
"""

from __future__ import annotations

import pytest

from impl.timing_wheel import TimingWheel
from tests.claims import wrong_wheels
from tests.claims.wheel import CHECKS, CONTROLS
from tests.impl.timing import Hooked

PAIRS = [
    pytest.param(name, wrong, id=f"{name}-{wrong.__name__}")
    for name, rejected in CONTROLS.items()
    for wrong in rejected
]


@pytest.mark.parametrize("name", CHECKS)
def test_wheel(name):
    CHECKS[name](TimingWheel)


@pytest.mark.parametrize(("name", "wrong"), PAIRS)
def test_a_wrong_wheel_is_rejected(name, wrong):
    with pytest.raises(
        (AssertionError, TypeError, AttributeError)
    ):  # an entry that is nowhere has no level
        CHECKS[name](wrong)


def test_every_check_rejects_a_wheel_and_every_wrong_wheel_is_rejected():
    assert CONTROLS.keys() == CHECKS.keys()
    wrong = {
        value
        for value in vars(wrong_wheels).values()
        if isinstance(value, type) and issubclass(value, Hooked)
    } - {Hooked}
    assert wrong <= {each for rejected in CONTROLS.values() for each in rejected}
