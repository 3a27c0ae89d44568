"""The delay queue: a real heap, its contract with the elements, and keys that change in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.baselines import Delay, JdkDelayQueue
from impl.clock import VirtualClock
from impl.delay_queue import FOREVER_MS, DelayQueue
from impl.runtime import Atomic
from impl.timing_wheel import TimingWheel
from tests.impl.real_threads import HOUR_MS, MOMENT_S, PATIENCE_S, finished, started


class Unsifted(JdkDelayQueue):
    """A mutant whose new elements stay at the end of the heap."""

    __slots__ = ()

    def _up(self, index, element) -> None:
        self.heap[index] = element


class LeftOnly(JdkDelayQueue):
    """A mutant that goes down on the left without a look at the right."""

    __slots__ = ()

    def _down(self, index, element) -> None:
        heap = self.heap
        while (below := 2 * index + 1) < len(heap) and element.compare_to(heap[below]) > 0:
            heap[index] = heap[below]
            index = below
        heap[index] = element


class Eager(JdkDelayQueue):
    """A mutant that hands out its first element whether it is due or not."""

    __slots__ = ()

    def _take(self):
        if not self.heap:
            return None
        clock, now = self.heap[0].clock.__self__, self.heap[0].clock()
        clock.advance(1 << 40)
        try:
            return super()._take()
        finally:
            clock.time_ms.set(now)


def consider_order(queue: type[DelayQueue], delays: list[int]) -> None:
    """As ``sorted``: nothing is due before its time, all is at it, and the heap stays a heap."""
    clock, one = VirtualClock(0), queue()
    for number, delay in enumerate(delays):
        one.offer(Delay(str(number), delay, clock.hi_res_clock_ms))
        is_a_heap(one)
    taken = []
    for now in sorted({0, *delays}):
        if now:
            clock.advance(now - 1 - clock.hi_res_clock_ms())
            assert one.poll_now() is None, f"something at {now - 1} ms"
            clock.advance(1)
        while (element := one.poll(0)) is not None:
            assert element.due_ms == now
            taken.append(element.due_ms)
            is_a_heap(one)
    assert taken == sorted(delays)
    assert one.wait_ms() == FOREVER_MS and len(one) == 0


def is_a_heap(queue: DelayQueue) -> None:
    for index in range(1, len(queue.heap)):
        assert queue.heap[(index - 1) // 2].compare_to(queue.heap[index]) <= 0, [
            element.due_ms for element in queue.heap
        ]


DELAYS = [5, 3, 8, 1, 9, 2, 7, 7, 4, 0, 6]


@given(st.lists(st.integers(0, 60), max_size=40))
def test_elements_come_in_the_order_of_their_time_when_it_has_come(delays):
    consider_order(DelayQueue, delays)


@pytest.mark.parametrize("mutant", [Unsifted, LeftOnly, Eager])
def test_that_check_rejects_a_mutant(mutant):
    with pytest.raises(AssertionError):
        consider_order(mutant, DELAYS)


def consider_removal(queue: type[JdkDelayQueue], delays: list[int], which: int) -> None:
    clock, one = VirtualClock(0), queue()
    elements = [
        Delay(str(number), delay, clock.hi_res_clock_ms) for number, delay in enumerate(delays)
    ]
    for element in elements:
        one.offer(element)
    gone = elements[which % len(elements)]
    assert one.remove(gone) and not one.remove(gone)
    is_a_heap(one)
    assert sorted(map(id, one.heap)) == sorted(
        id(element) for element in elements if element is not gone
    )


@given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.integers(0, 39))
def test_an_element_can_be_removed_from_the_middle(delays, which):
    consider_removal(JdkDelayQueue, delays, which)


class RemovesLazily(JdkDelayQueue):
    """A mutant that puts the last element into the gap and leaves it there."""

    __slots__ = ()

    def remove(self, element) -> bool:
        if element not in self.heap:
            return False
        last = self.heap.pop()
        if last is not element:
            self.heap[self.heap.index(element)] = last
        return True


def test_that_check_rejects_a_gap_filled_at_random():
    with pytest.raises(AssertionError):
        for which in range(len(DELAYS)):
            consider_removal(RemovesLazily, DELAYS, which)


# -- the contract


class Elsewhere(Delay):
    """Ordered by name, due by time: the two disagree."""

    __slots__ = ()

    def compare_to(self, other: Delay) -> int:
        return (self.name > other.name) - (self.name < other.name)


def hidden(element: type[Delay]) -> list[str]:
    """Which of three elements are due and not handed out."""
    clock, queue = VirtualClock(0), DelayQueue()
    elements = [
        element(name, delay, clock.hi_res_clock_ms)
        for name, delay in (("a", 500), ("b", 20), ("c", 40))
    ]
    for one in elements:
        queue.offer(one)
    clock.advance(100)
    while (taken := queue.poll_now()) is not None:
        elements.remove(taken)
    return [one.name for one in elements if one.get_delay() <= 0]


def test_order_and_delay_have_to_agree():
    assert hidden(Delay) == []
    assert hidden(Elsewhere) == ["b", "c"]


def consider_comparing(
    compare: Callable[[Delay, Delay], int], a: Delay, b: Delay, c: Delay
) -> None:
    assert compare(a, a) == 0
    assert compare(a, b) == -compare(b, a)
    if compare(a, b) <= 0 and compare(b, c) <= 0:
        assert compare(a, c) <= 0
    assert (compare(a, b) < 0) == (a.get_delay() < b.get_delay())


def buckets(keys: list[int]) -> list:
    wheel = TimingWheel(1, max(len(keys), 2), 0, Atomic(0), DelayQueue(), VirtualClock(0))
    for bucket, key in zip(wheel.buckets, keys):
        bucket.set_expiration(key)
    return list(wheel.buckets[: len(keys)])


@given(
    st.lists(st.integers(0, 1 << 62), min_size=3, max_size=3)
    | st.lists(st.integers(0, 3), min_size=3, max_size=3)
)
def test_buckets_are_ordered_by_their_keys(keys):
    consider_comparing(lambda a, b: a.compare_to(b), *buckets(keys))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda a, b: (
            (a.expiration.get() - b.expiration.get() + (1 << 31)) % (1 << 32) - (1 << 31)
        ),  # the difference, as an int of 32 bits
        lambda a, b: 1 if a.expiration.get() >= b.expiration.get() else -1,
    ],
)
def test_that_check_rejects_another_order(wrong):
    with pytest.raises(AssertionError):
        for keys in ([0, 1, 2], [2, 2, 1], [0, 1 << 31, 1 << 32], [0, (1 << 31) + 5, 3]):
            consider_comparing(wrong, *buckets(keys))


def test_a_buckets_delay_is_what_is_left_and_never_negative():
    (bucket,) = buckets([30])
    left = []
    for _ in range(4):
        left.append(bucket.get_delay())
        bucket.clock.advance(15)
    assert left == [30, 15, 0, 0]


def test_a_key_that_changes_under_the_heap_hides_what_is_due():
    """The first of three buckets gets a later key while it is queued. Those under it are missed."""
    first, second, third = buckets([10, 20, 30])
    queue = DelayQueue()
    for bucket in (first, second, third):
        queue.offer(bucket)
    first.set_expiration(400)
    first.clock.advance(100)
    assert queue.poll_now() is None and queue.wait_ms() == 300
    assert (second.get_delay(), third.get_delay()) == (0, 0)
    first.clock.advance(300)
    assert queue.poll_now() is first, "and 380 ms late the others follow"
    assert [queue.poll_now(), queue.poll_now()] == [second, third]


def test_putting_it_in_anew_hides_nothing():
    first, second, third = buckets([10, 20, 30])
    queue = JdkDelayQueue()
    for bucket in (first, second, third):
        queue.offer(bucket)
    queue.remove(first)
    first.set_expiration(400)
    queue.offer(first)
    first.clock.advance(100)
    assert [queue.poll_now(), queue.poll_now(), queue.poll_now()] == [second, third, None]


# -- threads


class Unlocked(JdkDelayQueue):
    """A mutant in which looking at the first element and taking it are two things."""

    __slots__ = ("met",)

    def poll(self, timeout_ms):
        seen = self.heap[0] if self.heap else None
        self.met.wait(PATIENCE_S)
        if seen in self.heap:
            self.heap.remove(seen)
        return seen


def takers(queue: JdkDelayQueue, threads: int, elements: int) -> list[str]:
    """The elements that each of ``threads`` threads gets; they wait before the first offer."""
    clock, got = VirtualClock(0), []

    def take():
        for _ in range(elements // threads):
            element = queue.poll(HOUR_MS)
            got.append(None if element is None else element.name)

    running = started(*[take] * threads)
    for number in range(elements):
        queue.offer(Delay(str(number), 0, clock.hi_res_clock_ms))
    assert all(finished(thread) for thread in running), (
        "one sleeps on beside a queue with something due"
    )
    return got


def test_each_element_goes_to_one_of_the_threads_that_wait():
    """One sleeps for the first element's time, the others until they are woken.

    None sleeps on beside a queue with something due.
    """
    got = takers(JdkDelayQueue(), 3, 60)
    assert sorted(got, key=int) == [str(number) for number in range(60)]


def test_that_check_sees_one_element_handed_out_twice():
    queue = Unlocked()
    queue.met = threading.Barrier(2)
    clock = VirtualClock(0)
    for number in range(2):
        queue.offer(Delay(str(number), 0, clock.hi_res_clock_ms))
    got = []
    assert all(
        finished(thread) for thread in started(*[lambda: got.append(queue.poll(0).name)] * 2)
    )
    assert got == ["0", "0"]


class Hooked(Delay):
    """An element at whose next comparison, or look at its delay, something happens once."""

    __slots__ = ()

    hooks: dict[str, Callable[[], object]] = {}

    def compare_to(self, other: Delay) -> int:
        Hooked.hooks.pop("offer", lambda: None)()
        return super().compare_to(other)

    def get_delay(self) -> int:
        Hooked.hooks.pop("poll", lambda: None)()
        return super().get_delay()


class NoGate:
    """A gate that anybody may enter at any time."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass

    notify = __enter__


def intruders(gate: type | None, patience_s: float) -> set[str]:
    """Another thread's operations that end while one thread is inside an offer or a poll."""
    inside = set()
    for holding in ("offer", "poll"):
        for intruding in ("offer", "poll", "remove"):
            queue = JdkDelayQueue()
            queue.gate = queue.gate if gate is None else gate()
            first, second, third, fourth = [Hooked(name, 0, lambda: 0) for name in "abcd"]
            queue.offer(first)
            queue.offer(second)
            operations = {
                "offer": lambda: queue.offer(fourth),
                "poll": queue.poll_now,
                "remove": lambda: queue.remove(first),
            }
            threads = []

            def happens():
                threads.extend(started(operations[intruding]))
                if finished(threads[0], patience_s):
                    inside.add(f"{holding}/{intruding}")

            Hooked.hooks[holding] = happens
            with suppress(IndexError):  # where the intruder has changed the heap
                queue.offer(third) if holding == "offer" else queue.poll_now()
            assert finished(threads[0])
    return inside


def test_while_one_thread_is_inside_the_queue_no_other_gets_in():
    assert intruders(None, MOMENT_S) == set()


def test_that_check_sees_a_queue_without_a_lock():
    assert intruders(NoGate, PATIENCE_S) == {
        f"{holding}/{intruding}"
        for holding in ("offer", "poll")
        for intruding in ("offer", "poll", "remove")
    }
