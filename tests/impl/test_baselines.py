"""The JDK's Timer and DelayQueue in the articles' examples: by steps, and on a real thread."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.baselines import Delay, JdkTimer, wall_clock_ms
from impl.clock import VirtualClock
from impl.timing_wheel import TimingWheel
from tests.impl.timing import Noting


class Wall:
    """A wall clock that the test sets, and the timer's thread in steps: ``to`` passes time."""

    def __init__(self, timer: type[JdkTimer] = JdkTimer, now_ms: int = 1_000_000) -> None:
        self.start = self.now_ms = now_ms
        self.timer = timer(lambda: self.now_ms)
        self.log: list[tuple[str, int]] = []

    def action(self, name: str, takes_ms: int = 0, raises: type[BaseException] | None = None):
        def run() -> None:
            self.log.append((name, self.now_ms - self.start))
            self.now_ms += takes_ms
            if raises is not None:
                raise raises(name)

        return run

    def to(self, time_ms: int) -> None:
        while self.timer.wait_ms() <= self.start + time_ms - self.now_ms:
            self.now_ms += max(self.timer.wait_ms(), 0)
            self.timer.run_due()
        self.now_ms = max(self.now_ms, self.start + time_ms)


# -- one thread


class Concurrent(JdkTimer):
    """A mutant that starts a thread per action: what an action takes holds no thread up."""

    __slots__ = ()

    def step(self) -> bool:
        before = self.clock.__closure__[0].cell_contents
        now = before.now_ms
        stepped = super().step()
        before.now_ms = now
        return stepped


def a_slow_action(timer: type[JdkTimer]) -> list[tuple[str, int]]:
    wall = Wall(timer)
    wall.timer.schedule(wall.action("task1"), 1000)
    wall.timer.schedule(wall.action("task2", takes_ms=5000), 2000)
    wall.timer.schedule(wall.action("task3"), 3000)
    wall.to(10_000)
    return wall.log


def test_a_slow_action_holds_up_the_rest():
    """The article's program prints 1 s, 2 s, 7 s."""
    assert a_slow_action(JdkTimer) == [("task1", 1000), ("task2", 2000), ("task3", 7000)]


def test_that_check_sees_a_timer_with_more_threads():
    assert a_slow_action(Concurrent) == [("task1", 1000), ("task2", 2000), ("task3", 3000)]


class Forgiving(JdkTimer):
    """A mutant that survives what an action raises."""

    __slots__ = ()

    def step(self) -> bool:
        try:
            return super().step()
        except Exception:
            self.dead = False
            return True


def survives(timer: type[JdkTimer], raises: type[BaseException]) -> tuple[bool, bool, int]:
    """After an action has raised: whether it came out, another runs, and how many wait."""
    wall = Wall(timer)
    wall.timer.schedule(wall.action("raises", raises=raises), 10)
    wall.timer.schedule(wall.action("waits"), 20)
    came_out = False
    try:
        wall.to(30)
    except raises:
        came_out = True
    waiting = len(wall.timer)
    try:
        wall.timer.schedule(wall.action("later"), 10)
    except RuntimeError as refused:
        assert "the timer is dead" in str(refused)
        return came_out, False, waiting
    return came_out, True, waiting


@pytest.mark.parametrize("raises", [ZeroDivisionError, RuntimeError, KeyboardInterrupt])
def test_an_action_that_raises_kills_the_timer(raises):
    assert survives(JdkTimer, raises) == (True, False, 0)


def test_that_check_sees_a_timer_that_goes_on():
    assert survives(Forgiving, ZeroDivisionError)[:2] == (False, True)


def test_a_task_that_raises_does_not_stop_kafkas(caplog):
    timer = Noting(TimingWheel, 1, 20)
    first, second = timer.put(10, 20)
    first.ran_at = None  # so that noting the time raises
    timer.to(30)
    assert second.ran_at == [20]
    assert "the task that was due at 10 ms raised" in caplog.text


# -- the wall clock


def late_by(clock, timer: JdkTimer, passes) -> int:
    """How late, in real ms, an action is that is due in 1 s; the clock goes back by an hour."""
    ran = []
    timer.schedule(lambda: ran.append(1), 1000)
    passed = 0
    while not ran:
        step = 500
        passes(step)
        passed += step
        if passed == 500:
            clock.now_ms -= 3_600_000
        timer.run_due()
    return passed - 1000


def test_a_wall_clock_set_back_makes_actions_late():
    wall = Wall()

    def passes(ms: int) -> None:
        wall.now_ms += ms

    assert late_by(wall, wall.timer, passes) == 3_600_000


def test_a_monotonic_clock_in_its_place_does_not():
    wall, steady = Wall(), VirtualClock(0)

    def passes(ms: int) -> None:
        wall.now_ms += ms
        steady.advance(ms)

    assert late_by(wall, JdkTimer(steady.hi_res_clock_ms), passes) == 0


def test_a_wall_clock_set_forward_makes_actions_early():
    wall = Wall()
    wall.timer.schedule(wall.action("early"), 3_600_000)
    wall.now_ms += 3_600_000
    assert wall.timer.run_due() == 1


# -- the rest of java.util.Timer


def test_a_periodic_action_runs_until_it_is_cancelled():
    wall = Wall()
    task = wall.timer.schedule(wall.action("tick", takes_ms=30), 100, period_ms=50)
    wall.to(260)
    assert wall.log == [("tick", 100), ("tick", 150), ("tick", 200), ("tick", 250)]
    task.cancel()
    wall.to(1000)
    assert len(wall.log) == 4


def test_a_cancelled_action_does_not_run_and_stays_in_the_heap_until_a_purge():
    wall = Wall()
    tasks = [wall.timer.schedule(wall.action(str(number)), 100 + number) for number in range(5)]
    tasks[0].cancel()
    tasks[3].cancel()
    assert len(wall.timer) == 5
    assert wall.timer.purge() == 2
    assert len(wall.timer) == 3
    wall.to(200)
    assert [name for name, _ in wall.log] == ["1", "2", "4"]


def test_a_cancelled_timer_takes_nothing():
    wall = Wall()
    wall.timer.schedule(wall.action("never"), 1)
    wall.timer.cancel()
    wall.timer.cancel()
    wall.to(10)
    assert wall.log == []
    with pytest.raises(RuntimeError, match="the timer is dead"):
        wall.timer.schedule(wall.action("never"), 1)


def test_a_periodic_action_takes_its_place_behind_what_is_due_before_it():
    now_ms, ran = [0], []
    timer = JdkTimer(lambda: now_ms[0])
    timer.schedule(lambda: ran.append("periodic"), 10, 20)
    timer.schedule(lambda: ran.append("once"), 15)
    for now_ms[0] in (10, 15, 29, 30):
        timer.run_due()
    assert ran == ["periodic", "once", "periodic"]


@pytest.mark.parametrize("one, two, order", [(4, 5, -1), (5, 5, 0), (6, 5, 1)])
def test_delays_are_ordered_by_the_time_when_they_are_due(one, two, order):
    first, second = Delay("first", one, lambda: 10), Delay("second", two, lambda: 10)
    assert (
        first.compare_to(second) == order and repr(first) == f"Delay('first', due at {10 + one} ms)"
    )


def test_the_wall_clock_is_in_whole_milliseconds(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_123_999_999)
    assert wall_clock_ms() == 1_700_000_000_123


def test_negative_times_are_refused():
    wall = Wall()
    for delay_ms, period_ms in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="(delay|period)_ms is -1, and must be at least 0"):
            wall.timer.schedule(wall.action("never"), delay_ms, period_ms)


class LastFirst(JdkTimer):
    """A mutant whose heap is turned round."""

    __slots__ = ()

    def schedule(self, action, delay_ms, period_ms=0):
        task = super().schedule(action, delay_ms, period_ms)
        self.heap.heap.sort(key=lambda queued: -queued.due_ms)
        return task


def consider_order(timer: type[JdkTimer], delays: list[int]) -> None:
    wall = Wall(timer)
    for delay in delays:
        wall.timer.schedule(wall.action(str(delay)), delay)
    wall.to(200)
    assert wall.log == [(str(delay), delay) for delay in sorted(delays)]


@given(st.lists(st.integers(0, 100), max_size=20))
def test_actions_run_in_the_order_of_their_time(delays):
    consider_order(JdkTimer, delays)


def test_that_check_sees_another_order():
    with pytest.raises(AssertionError):
        consider_order(LastFirst, [5, 30, 10])
