"""Times of the production clock as ticks of the model."""

from __future__ import annotations

import pytest

from harness.due import TICK, ticks


@pytest.mark.parametrize("count", [0, 1, 7])
def test_whole_ticks_are_counted(count):
    assert ticks(count * TICK) == count


def test_a_time_between_two_ticks_is_refused_and_not_rounded():
    with pytest.raises(ValueError, match="1.5 ticks"):
        ticks(1.5 * TICK)
