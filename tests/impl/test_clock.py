"""The clocks: milliseconds, never back, and for tests exact."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.baselines import Delay, wall_clock_ms
from impl.clock import SystemClock, VirtualClock


class WallClock:
    """A mutant of the system clock that reads the wall clock, as ``currentTimeMillis`` does."""

    def hi_res_clock_ms(self) -> int:
        return wall_clock_ms()


def read_while_the_wall_clock_is_set_back(clock, monkeypatch) -> list[int]:
    """The clock every 5 ms; the wall clock goes back by an hour after the second reading."""
    read = []
    for passed_ms, wall_ms in ((0, 0), (5, 5), (10, 10 - 3_600_000), (15, 15 - 3_600_000)):
        monkeypatch.setattr(
            time, "monotonic_ns", lambda ms=passed_ms: (7000 + ms) * 1_000_000 + 999_999
        )
        monkeypatch.setattr(
            time, "time_ns", lambda ms=wall_ms: (1_700_000_000_000 + ms) * 1_000_000
        )
        read.append(clock.hi_res_clock_ms())
    return read


def test_the_system_clock_is_in_whole_milliseconds_and_not_set_with_the_wall_clock(monkeypatch):
    assert read_while_the_wall_clock_is_set_back(SystemClock(), monkeypatch) == [
        7000,
        7005,
        7010,
        7015,
    ]


def test_that_check_sees_the_wall_clock(monkeypatch):
    read = read_while_the_wall_clock_is_set_back(WallClock(), monkeypatch)
    assert read[2] < read[1]


def test_the_system_clock_is_that_of_the_machine():
    before = time.monotonic_ns()
    read = SystemClock().hi_res_clock_ms()
    assert before // 1_000_000 <= read <= time.monotonic_ns() // 1_000_000


@given(st.integers(0, 1 << 62), st.lists(st.integers(0, 1 << 40), max_size=5))
def test_virtual_time_is_the_sum_of_what_passed(start, passed):
    clock = VirtualClock(start)
    for ms in passed:
        clock.advance(ms)
    assert clock.hi_res_clock_ms() == start + sum(passed)


def refuses_to_go_back(clock) -> None:
    with pytest.raises(ValueError, match="the time that passes is -1, and must be at least 0"):
        clock.advance(-1)
    assert clock.hi_res_clock_ms() == 5


class Backwards(VirtualClock):
    __slots__ = ()

    def advance(self, ms: int) -> None:
        self.time_ms.add_and_get(ms)


def test_virtual_time_does_not_go_back():
    refuses_to_go_back(VirtualClock(5))


def test_that_check_sees_a_clock_that_does():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        refuses_to_go_back(Backwards(5))


class Settable:
    """A wall clock for tests."""

    def __init__(self, now_ms: int = 0) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms


def test_whether_a_delay_depends_on_the_system_clock_is_up_to_the_element():
    """The article's element reads the wall clock; Kafka's bucket reads one that is not set."""
    wall, steady = Settable(1000), VirtualClock(1000)
    articles, kafkas = Delay("task", 2000, wall), Delay("task", 2000, steady.hi_res_clock_ms)
    wall.now_ms += 1500 - 3_600_000
    steady.advance(1500)
    assert (articles.get_delay(), kafkas.get_delay()) == (3_600_500, 500)
