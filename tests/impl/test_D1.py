"""Defect D1 of Kafka's SystemTimer on virtual time: an add that stalls makes a timer late.

It stalls across a bucket's boundary. The recipe needs no hook in the code: an add takes the task's
monitor between reading the clock and linking, so a holder of that monitor stalls it. Threads are
real, time is not, hence every lateness is exact.
"""

import threading
from typing import NamedTuple

import pytest

from impl.system_timer import SystemTimer
from tests.impl.real_threads import PATIENCE_S, finished
from tests.impl.timers import (
    Interposed,
    KafkasOrder,
    Peek,
    Recheck,
    Task,
    buckets,
    build,
    link,
    pass_time,
    rekeyed,
)

CORRECTED = [SystemTimer, Peek, Recheck]


class Pair(NamedTuple):
    """A far task and a short one on an idle wheel, around ``boundary``. Times in milliseconds.

    ``boundary`` is the key of the far task's bucket.
    """

    start: int
    boundary: int
    far: int
    """The far task's deadline."""
    begun: int
    """When the short task's add reads the clock."""
    delay: int
    """The short task's."""
    resumed: int
    """When that add goes on, the reaper having polled."""

    @property
    def short(self):
        return self.begun + self.delay


RECIPE = Pair(start=3_900, boundary=4_000, far=4_399, begun=3_992, delay=5, resumed=4_010)
"""What was run on the released 4.3.0, with K = 4,000."""
EIGHT_SECONDS = Pair(start=7_500, boundary=8_000, far=15_999, begun=7_975, delay=20, resumed=8_013)


def extremal(level, size=20):
    """The latest that a short task on this level (1, 2, ...) can be.

    It is due at the start of the last slot before the boundary.
    """
    tick = size ** (level - 1)
    boundary = 2 * size * tick
    return Pair(
        boundary - 2 * tick,
        boundary,
        boundary + size * tick - 1,
        boundary - 2 * tick,
        tick,
        boundary + 1,
    )


def stalled(order, pair, size=20, stall=True):
    """When the short task ran, and the timer.

    One thread adds, another reaps. This one passes the time and holds the monitor.
    """
    polled = threading.Event()
    timer = build(order, wheel_size=size, start_ms=pair.start, queue=Interposed())
    timer.add(Task(pair.far - pair.start, timer.clock))
    timer.clock.advance(pair.begun - pair.start)
    short = Task(pair.delay, timer.clock)
    if not stall:
        timer.add(short)
        pass_time(timer, pair.short - pair.begun)
        return short.ran, timer
    constructing = threading.Event()
    monitor, short.monitor = short.monitor, Knocked(short.monitor, constructing)
    adder = threading.Thread(target=timer.add, args=(short,), daemon=True)
    reaper = threading.Thread(target=timer.advance_clock, args=(0,), daemon=True)
    with monitor:
        adder.start()
        assert constructing.wait(PATIENCE_S), "the add has read the clock and wants the monitor"
        timer.clock.advance(pair.resumed - pair.begun)
        timer.queue.then = polled.set
        reaper.start()
        assert polled.wait(PATIENCE_S), (
            "the reaper has looked without the lock, and the adder has the read lock"
        )
    assert finished(adder) and finished(reaper)
    timer.executor.executor.drain()
    until(timer, pair.far)
    return short.ran, timer


class Knocked:
    """A monitor that says when a thread wants it."""

    def __init__(self, monitor, wanted):
        self.monitor, self.wanted = monitor, wanted

    def __enter__(self):
        self.wanted.set()
        self.monitor.acquire()

    def __exit__(self, *exception):
        self.monitor.release()


def until(timer, deadline):
    """An idle timer with a prompt reaper: from one due bucket to the next."""
    while timer.clock.hi_res_clock_ms() < deadline:
        left = deadline - timer.clock.hi_res_clock_ms()
        pass_time(timer, min(timer.queue.wait_ms(), left) or 1)


# -- the recipe


def test_in_kafkas_order_the_short_task_is_hundreds_of_milliseconds_late():
    ran, _ = stalled(KafkasOrder, RECIPE)
    assert ran == [4_380]
    assert ran[0] - RECIPE.short == 383 and ran[0] - RECIPE.resumed == 370


@pytest.mark.parametrize("order", CORRECTED)
@pytest.mark.parametrize("pair", [RECIPE, EIGHT_SECONDS], ids=["400 ms", "8000 ms"])
def test_in_a_corrected_order_it_is_late_by_the_stall_alone(order, pair):
    ran, timer = stalled(order, pair)
    assert ran == [pair.resumed] and not rekeyed(timer) and timer.size() == 0


def test_at_a_boundary_of_8000_ms_it_is_seconds_late():
    ran, _ = stalled(KafkasOrder, EIGHT_SECONDS)
    assert (
        ran == [15_600]
        and ran[0] - EIGHT_SECONDS.short == 7_605
        and ran[0] - EIGHT_SECONDS.resumed == 7_587
    )


@pytest.mark.parametrize("pair", [RECIPE, EIGHT_SECONDS], ids=["400 ms", "8000 ms"])
def test_without_the_stall_kafkas_order_is_in_time(pair):
    ran, timer = stalled(KafkasOrder, pair, stall=False)
    until(timer, pair.far)
    assert ran == [pair.short] and not rekeyed(timer)


# -- the bound, level by level


@pytest.mark.parametrize(
    "level, past_the_deadline, past_the_boundary",
    [
        (1, 20, 19),
        (2, 400, 380),
        (3, 8_000, 7_600),
        (4, 160_000, 152_000),
    ],
)
def test_the_bound_on_lateness_is_reached_on_every_level(
    level, past_the_deadline, past_the_boundary
):
    pair = extremal(level)
    ran, _ = stalled(KafkasOrder, pair)
    assert (ran[0] - pair.short, ran[0] - pair.boundary) == (past_the_deadline, past_the_boundary)
    tick = 20 ** (level - 1)
    assert (past_the_deadline, past_the_boundary) == (20 * tick, 19 * tick)
    assert stalled(SystemTimer, pair)[0] == [pair.resumed]


def test_any_pair_of_deadlines_stays_within_the_bound():
    """Every far and short deadline on 4 slots, the add stalled until the boundary, 4."""
    worst = {KafkasOrder: 0, SystemTimer: 0}
    for order in worst:
        for far in range(4, 16):
            for short in range(1, 4):
                timer = build(order, wheel_size=4, queue=Interposed())
                timer.add(Task(far, timer.clock))
                task = Task(short, timer.clock)
                timer.clock.advance(4)
                timer.queue.then = lambda: link(timer, task, short)
                pass_time(timer, 0)
                if timer.queue.then:
                    timer.queue.then()
                    pass_time(timer, 0)
                until(timer, 20)
                worst[order] = max(worst[order], task.ran[0] - max(short, 4))
    assert worst == {KafkasOrder: 3, SystemTimer: 0}, "past the boundary: wheel_size - 1 ticks"


# -- the signature that needs no clock


def test_kafkas_order_gives_a_queued_bucket_a_new_key():
    _, timer = stalled(KafkasOrder, RECIPE)
    assert rekeyed(timer) == [(3_980, 4_380)]


def test_and_has_it_in_the_queue_twice():
    timer = build(KafkasOrder, start_ms=RECIPE.start, queue=Interposed())
    timer.add(Task(RECIPE.far - RECIPE.start, timer.clock))
    timer.clock.advance(RECIPE.resumed - RECIPE.start)
    short = Task(RECIPE.delay, timer.clock)
    timer.queue.then = lambda: link(timer, short, RECIPE.short)
    pass_time(timer, 0)
    bucket = short.timer_task_entry.list
    assert timer.queue.heap == [bucket, bucket] and bucket.expiration.get() == 4_380
    pass_time(timer, 4_380 - RECIPE.resumed)
    assert short.ran == [4_380]
    assert len(timer.queue) == 1 and timer.size() == 1, (
        "the second copy is gone; the far entry is on level 1 by now"
    )


@pytest.mark.parametrize("order", CORRECTED)
def test_a_corrected_order_never_does(order):
    for pair in (RECIPE, EIGHT_SECONDS, *map(extremal, (1, 2, 3, 4))):
        _, timer = stalled(order, pair)
        assert not rekeyed(timer)
        queued = timer.queue.heap
        assert len(set(map(id, queued))) == len(queued)
        assert all(
            (bucket in queued) == (bucket.expiration.get() != -1) for bucket in buckets(timer)
        )


# -- an entry that was in no thread's way


def innocent(order):
    """Wheel of 4, current time 2, due at 7, 5 and 3; the last add stalls until a poll at 4."""
    timer = build(order, wheel_size=4, start_ms=2, queue=Interposed())
    far, bystander, short = (Task(deadline - 2, timer.clock) for deadline in (7, 5, 3))
    timer.add(far)
    timer.add(bystander)
    timer.clock.advance(2)
    timer.queue.then = lambda: link(timer, short, 3)
    pass_time(timer, 0)
    until(timer, 10)
    return far.ran, bystander.ran, short.ran


def test_a_new_key_at_the_root_hides_smaller_ones_so_an_innocent_entry_is_late():
    assert innocent(KafkasOrder) == ([7], [7], [7])


@pytest.mark.parametrize("order", CORRECTED)
def test_in_a_corrected_order_the_innocent_entry_is_in_time(order):
    assert innocent(order) == ([7], [5], [4])


# -- two callers of advance_clock


def two_callers(order):
    """When the task due at 4,399 ran, and the wheel's clock then.

    One caller has polled at 4,000 and is stalled to 4,450. The other expires a later bucket, and an
    add follows.
    """
    timer = build(order, start_ms=3_900, queue=Interposed())
    polled, later = (Task(deadline - 3_900, timer.clock) for deadline in (4_399, 4_450))
    timer.add(polled)
    timer.add(later)
    timer.clock.advance(100)

    def another():
        timer.clock.advance(450)
        timer.advance_clock(0)
        link(timer, Task(0, timer.clock), 12_100)

    timer.queue.then = another
    pass_time(timer, 0)
    clock = timer.wheel.current_time
    until(timer, 12_100)
    return polled.ran, clock


def test_with_two_callers_the_bucket_that_one_of_them_has_can_get_a_new_key():
    assert two_callers(SystemTimer)[0] == [12_000]


def test_and_kafkas_order_then_moves_the_clock_into_the_future():
    assert two_callers(KafkasOrder) == ([4_450], 12_000)


def test_a_bucket_that_is_polled_under_the_lock_alone_serves_two_callers():
    assert two_callers(Peek) == ([4_450], 4_450)
