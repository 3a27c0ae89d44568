"""Promises of the delay queue on real threads, each a check of one copy of the modules."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

from tests.impl.production.loading import Running, Steered, Waits, locked, steered

# -- the delay queue


class Element:
    """Due at a time of the steered clock, in seconds."""

    def __init__(self, due: float) -> None:
        self.due = due

    def get_delay(self) -> float:
        return (self.due - Steered.now) * 1000

    def compare_to(self, other: Element) -> float:
        return self.due - other.due


class AtQueue:
    def __init__(self, impl: SimpleNamespace, waits: Waits, *due: float) -> None:
        self.queue, self.waits = steered(impl).delay_queue.DelayQueue(), waits
        self.condition: Steered = self.queue.gate.due
        for each in due:
            self.queue.offer(Element(Steered.now + each))

    def poller(self, timeout_s: float) -> Running:
        return self.waiter(lambda: self.queue.poll(timeout_s * 1000))

    def waiter(self, call: Callable[[], object]) -> Running:
        before = len(self.condition.sleepers)
        waiter = Running(call)
        self.waits.until(
            lambda: waiter.ended or len(self.condition.sleepers) > before,
            "a poller is neither through nor asleep",
        )
        return waiter

    def sleep(self, *seconds: float, says: str) -> None:
        self.waits.until(
            lambda: [round(each, 6) for each in self.condition.deadlines()] == list(seconds),
            f"{says}: {self.condition.deadlines()}",
        )


def an_earlier_head_wakes_a_poller(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 50)
    poller = at.poller(1000)
    at.sleep(50, says="it does not sleep until the head is due")
    at.queue.offer(Element(Steered.now + 20))
    at.sleep(20, says="it sleeps on")
    at.queue.offer(Element(Steered.now))
    waits.until(lambda: poller.ended, "it sleeps on beside a due head")
    assert poller.result.due == Steered.now, "it took another element"


def a_later_element_wakes_no_thread(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 50)
    at.poller(1000)
    sleeper = at.condition.sleepers[0]
    at.queue.offer(Element(Steered.now + 60))
    assert at.condition.sleepers == [sleeper], "a poller is woken for nothing"


def pollers_take_each_element_once_and_when_it_is_due(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 10, 20, 30)
    first = Steered.now
    pollers = [at.poller(1000) for _ in range(3)]
    for number in (1, 2, 3):
        waits.until(
            lambda: [round(each, 6) for each in at.condition.deadlines()[:1]] == [10],
            "no thread sleeps until the head is due",
        )
        at.condition.elapse(9)
        assert sum(poller.ended for poller in pollers) == number - 1, "it is taken before it is due"
        at.condition.elapse(1)
        waits.until(
            lambda: sum(poller.ended for poller in pollers) == number, "it is due and not taken"
        )
    assert sorted(poller.result.due - first for poller in pollers) == [10, 20, 30]


def a_poll_ends_with_its_time_and_nothing(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits)
    poller = at.poller(5)
    at.condition.elapse(5)
    waits.until(lambda: poller.ended, "it sleeps longer than its time")
    assert poller.result is None and poller.error is None and not locked(at.condition.lock)
    empty = at.poller(0)
    waits.until(lambda: empty.ended, "it sleeps although it has no time")
    assert empty.result is None


def what_is_due_is_waited_for_and_left(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 10)
    (first,) = at.queue.heap
    early = at.waiter(lambda: at.queue.due(5_000))
    at.condition.elapse(5)
    waits.until(lambda: early.ended, "it sleeps longer than its time")
    assert early.result is False and at.queue.peek_now() is None, "it is not due"
    late = at.waiter(lambda: at.queue.due(1_000_000))
    assert not late.ended, "it gives up at once"
    at.condition.elapse(5)
    waits.until(lambda: late.ended, "it sleeps on beside a due head")
    assert late.result is True and not locked(at.condition.lock)
    assert at.queue.peek_now() is first and at.queue.heap == [first], "it is taken"


def an_empty_queue_is_waited_at(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits)
    poller = at.poller(50)
    assert not poller.ended, "it gives up at once"
    at.sleep(50, says="its time")
    at.queue.offer(Element(Steered.now))
    waits.until(lambda: poller.ended, "it sleeps on beside a due head")


def each_operation_holds_the_gate(impl: SimpleNamespace, waits: Waits) -> None:
    queue, bare = steered(impl).delay_queue.DelayQueue(), []

    class Watched(list):
        def note(self, name: str) -> None:
            if not locked(queue.gate.due.lock):
                bare.append(name)

        def append(self, value) -> None:
            self.note("append")
            super().append(value)

        def pop(self, *index):
            self.note("pop")
            return super().pop(*index)

        def __getitem__(self, index):
            self.note("look")
            return super().__getitem__(index)

        def __setitem__(self, index, value) -> None:
            self.note("put")
            super().__setitem__(index, value)

    queue.heap = Watched()
    for due in (5, 3, 1):
        queue.offer(Element(Steered.now - due))
    assert queue.poll_now().due == Steered.now - 5 and queue.poll(0).due == Steered.now - 3
    queue.poll_now(), queue.poll_now(), queue.poll(0)
    assert not bare, f"{sorted(set(bare))} without the gate"
    assert not locked(queue.gate.due.lock), "the gate is kept"


def an_element_that_raises_gives_the_gate_back(impl: SimpleNamespace, waits: Waits) -> None:
    class Raising(Element):
        calls = 0

        def get_delay(self) -> float:
            Raising.calls += 1
            if Raising.calls > 1:
                raise LookupError
            return 0

    queue = steered(impl).delay_queue.DelayQueue()
    queue.offer(Raising(0))
    with suppress(LookupError):
        queue.poll(0)
    assert Raising.calls == 2 and not locked(queue.gate.due.lock), "the gate is kept"
