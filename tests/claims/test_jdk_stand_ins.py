"""The stand-ins in Python against the JDK's real classes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from impl.baselines import Delay, JdkDelayQueue
from impl.clock import VirtualClock
from tests.claims.jdk import SCRIPT
from tests.claims.test_jdk import FEW, MANY
from tests.impl import test_baselines as baseline
from tests.impl.test_delay_queue_cost import Counted, filled, scattered

# -- the stand-ins in Python against the real classes


def played(queue: JdkDelayQueue, lines: Sequence[str]) -> list[str]:
    """Per line of a script the result and the heap, in the words of the Java program."""
    clock, elements, out = VirtualClock(0), {}, []
    for line in lines:
        kind, *words = line.split()
        result = "-"
        if kind == "offer":
            elements[words[0]] = Delay(words[0], int(words[1]), clock.hi_res_clock_ms)
            queue.offer(elements[words[0]])
        elif kind == "advance":
            clock.advance(int(words[0]))
        elif kind == "poll":
            element = queue.poll_now()
            result = "null" if element is None else element.name
        else:
            result = str(queue.remove(elements[words[0]])).lower()
        out.append(f"{result}: {' '.join(element.name for element in queue.heap)}")
    return out


def on_the_real_class(probe) -> list[str]:
    return [probe(f"script.{number}") for number in range(len(SCRIPT))]


def test_the_stand_in_for_a_delay_queue_does_what_the_real_one_does(probe):
    mine, real = played(JdkDelayQueue(), SCRIPT), on_the_real_class(probe)
    assert [line for line in zip(SCRIPT, mine, real, strict=True) if line[1] != line[2]] == []


class LazyRemoval(JdkDelayQueue):
    """A queue that fills the gap of a removed element and leaves it there."""

    __slots__ = ()

    def remove(self, element) -> bool:
        if element not in self.heap:
            return False
        last = self.heap.pop()
        if last is not element:
            self.heap[self.heap.index(element)] = last
        return True


class OtherTies(JdkDelayQueue):
    """A queue in which a new element goes before those that are due at the same time."""

    __slots__ = ()

    def _up(self, index, element) -> None:
        heap = self.heap
        while index > 0 and element.compare_to(heap[(index - 1) // 2]) <= 0:
            heap[index] = heap[(index - 1) // 2]
            index = (index - 1) // 2
        heap[index] = element


@pytest.mark.parametrize("wrong", [LazyRemoval, OtherTies])
def test_that_comparison_rejects_another_heap(probe, wrong):
    assert played(wrong(), SCRIPT) != on_the_real_class(probe)


def test_the_stand_in_compares_as_often_as_the_real_one(probe):
    for pending in (FEW, MANY):
        queue = filled(pending)
        Counted.compared = 0
        for number in range(1000):
            queue.offer(Counted("more", scattered(pending + number), lambda: 0))
        thousand, Counted.compared = Counted.compared, 0
        queue.offer(Counted("first", 1, lambda: 0))
        assert [str(thousand), str(Counted.compared)] == [
            probe(f"cost.{pending}.thousand_offers"),
            probe(f"cost.{pending}.earliest_offer"),
        ]


def test_the_stand_in_for_a_timer_does_what_the_real_one_does(probe):
    """One thread; dead after a task that throws; a cancelled task stays until a purge; periods; due
    times of the wall clock.
    """
    _, second, third = baseline.a_slow_action(baseline.JdkTimer)
    assert (third[1] >= second[1] + 5000) == (probe("timer.besides") == "false")
    came_out, taken, waiting = baseline.survives(baseline.JdkTimer, ZeroDivisionError)
    refused = probe("timer.throwing") == "second false, then IllegalStateException"
    assert (came_out, not taken, waiting) == (True, refused, 0) and refused
    assert purged(baseline.JdkTimer) == int(probe("timer.purged"))
    assert runs(cancels=True) == probe("timer.runs")
    assert runs(cancels=False) == probe("wrong.timer.runs")


def purged(timer) -> int:
    one = timer(lambda: 0)
    tasks = [one.schedule(lambda: None, 3_600_000 + number) for number in range(1000)]
    for task in tasks[1::2]:
        task.cancel()
    return one.purge()


def runs(cancels: bool) -> str:
    """How often a task without a period runs, and one with a period of 2 ms that cancels itself, or
    not, in its fifth run.
    """
    wall, often = baseline.Wall(), []

    def tick():
        often.append(1)
        if cancels and len(often) == 5:
            task.cancel()

    wall.timer.schedule(wall.action("once"), 1)
    task = wall.timer.schedule(tick, 1, period_ms=2)
    wall.to(40)
    return f"{len(wall.log)} {'5' if len(often) == 5 else 'more than 5'}"


class RemovesAtOnce(baseline.JdkTimer):
    """A timer that takes a cancelled task out of its heap before it looks for cancelled tasks."""

    __slots__ = ()

    def purge(self) -> int:
        super().purge()
        return super().purge()


def test_that_comparison_rejects_another_timer(probe):
    assert baseline.a_slow_action(baseline.Concurrent)[2][1] == 3000
    assert baseline.survives(baseline.Forgiving, ZeroDivisionError)[1]
    assert purged(RemovesAtOnce) != int(probe("timer.purged"))
