"""The assumptions of the wheel's arithmetic, on real wheels."""

from impl import timing_wheel
from proofs.arith import bounds, clock

# -- what the theorems assume


def wheel(tick: int, size: int, start: int = 0):
    from impl.clock import VirtualClock
    from impl.delay_queue import DelayQueue
    from impl.runtime import Atomic

    return timing_wheel.TimingWheel(tick, size, start, Atomic(0), DelayQueue(), VirtualClock(start))


def with_levels(one, count: int) -> list:
    found = [one]
    while len(found) < count:
        found.append(found[-1].parent())
    return found


def test_a_wheels_interval_is_its_turn():
    """The assumption A-INTERVAL, on a wheel that is made and on those that it makes."""
    for tick in range(1, 5):
        for size in range(2, 5):
            for each in with_levels(wheel(tick, size, 7), 4):
                assert each.interval == each.tick_ms * each.wheel_size


def test_the_induction_over_levels_is_what_a_wheel_of_many_levels_does():
    """A-INDUCTION for T8, on real wheels with six levels.

    After any calls each level's clock is the time rounded to its own tick.
    """
    for tick, size in (1, 2), (3, 2), (2, 3):
        one = wheel(tick, size, 5)
        rows = with_levels(one, 6)
        for time in (5, 6, 9, 13, 13, 40, 41, 63, 64, 200):
            one.advance_clock(time)
            assert [each.current_time for each in rows] == [
                clock.trim(time, tick * size**number) for number in range(6)
            ]


def test_a_tick_beyond_the_bound_leaves_64_bits():
    """A-START: with a tick above M, a turn of the bottom level does not fit into 64 bits."""
    tick = bounds.last(20) + 1
    assert tick * 20 + bounds.last(20) > bounds.LONG and not bounds.fits(tick + tick * 20)
    assert wheel(bounds.last(20), 20).interval + bounds.last(20) <= bounds.LONG


def test_no_level_that_a_real_wheel_makes_leaves_64_bits():
    """A-INDUCTION for T15: the last deadline that the timer takes makes all possible levels.

    A deadline beyond Kafka's threshold makes a level that overflows.
    """
    from tests.impl.bare_wheels import bare, entered
    from tests.impl.timing import levels as levels_of

    for tick, size in (1, 20), (1, 2), (1, 512), (7, 20), (1000, 64):
        one = bare(timing_wheel.TimingWheel, tick, size)
        entered(one, bounds.last(size))
        assert len(levels_of(one)) >= 6
        assert all(
            bounds.fits(
                each.interval, each.current_time + each.interval, each.current_time + each.tick_ms
            )
            for each in levels_of(one)
        )
    beyond = bare(timing_wheel.TimingWheel, 1, 20)
    entered(beyond, 20**14)
    assert (
        len(levels_of(beyond)) == 15
        and not bounds.fits(levels_of(beyond)[14].interval)
        and bounds.fits(levels_of(beyond)[13].interval)
    )


def test_an_entry_is_put_into_buckets_at_most_once_a_level():
    """A-INDUCTION for T12, on real wheels: an entry of level k is put into at most k buckets."""
    from tests.impl.timing import Noting

    for tick, size, delays in (
        (1, 3, range(1, 90)),
        (2, 4, range(1, 140)),
        (1, 20, (19, 20, 399, 400, 7_999, 8_000, 30_000)),
    ):
        timer = Noting(timing_wheel.TimingWheel, tick, size)
        timer.put(*delays)
        first = {due: where for _, due, where in timer.moves if where}
        timer.to(max(delays) + tick * size)
        for due, (level, *_) in first.items():
            visited = [where[0] for _, each, where in timer.moves if each == due and where]
            assert len(visited) <= level and visited == sorted(set(visited), reverse=True)
