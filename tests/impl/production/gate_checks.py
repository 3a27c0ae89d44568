"""Promises of the gate, each a check of one copy of the modules with threads."""

from __future__ import annotations

import math
from contextlib import suppress
from types import SimpleNamespace

from tests.impl.production.loading import Interrupted, Running, Steered, Waits, locked, steered

# -- the gate


class Waiter(Running):
    """A thread at a gate; ``due``: milliseconds until it has something to take, for all waiters."""

    def __init__(self, gate: object, due: list[float], timeout_ms: float) -> None:
        self.inside = False
        self.gate, self.due, self.timeout_ms = gate, due, timeout_ms
        super().__init__(self._wait)

    def _wait(self) -> None:
        self.gate.acquire_when(lambda: self.due[0] - Steered.now * 1000, self.timeout_ms)
        self.inside = True


class AtGate:
    """A gate, when the first thing is due there, and the threads that wait."""

    def __init__(self, impl: SimpleNamespace, waits: Waits, due_ms: float) -> None:
        self.gate, self.waits = steered(impl).runtime.Gate(), waits
        self.condition: Steered = self.gate.due
        self.due = [Steered.now * 1000 + due_ms]

    def waiter(self, timeout_ms: float) -> Waiter:
        before = len(self.condition.sleepers)
        waiter = Waiter(self.gate, self.due, timeout_ms)
        self.waits.until(
            lambda: waiter.inside or waiter.ended or len(self.condition.sleepers) > before,
            "a waiter is neither inside nor asleep",
        )
        return waiter

    def sleep(self, *seconds: float, says: str) -> None:
        """The sleepers sleep for so long at most."""
        self.waits.until(
            lambda: [round(each, 6) for each in self.condition.deadlines()] == list(seconds),
            f"{says}: {self.condition.deadlines()}",
        )


def one_leads_and_the_others_sleep_for_their_own_time(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=5000)
    at.waiter(100_000), at.waiter(200_000)
    at.sleep(5, 200, says="not one leader")


def an_earlier_thing_wakes_one_who_leads(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=50_000)
    at.waiter(100_000), at.waiter(200_000)
    at.sleep(50, 200, says="not one leader")
    with at.gate:
        at.due[0] -= 49_000
        at.gate.notify()
    at.sleep(1, 50, says="the one that was woken does not lead")


def an_earlier_leader_leaves_the_lead_alone(impl: SimpleNamespace, waits: Waits) -> None:
    """A sleeper that lost the lead to a second wakes by its own time while a third leads."""
    at = AtGate(impl, waits, due_ms=50_000)
    _, second = at.waiter(1_000_000), at.waiter(2_000_000)
    with at.gate:
        at.due[0] -= 10_000
        at.gate.notify()
    at.sleep(40, 50, says="the one that was woken does not lead")
    at.waiter(3_000_000)
    at.condition.elapse(40)
    waits.until(lambda: second.inside, "the leader is not let in when its time has come")
    at.due[0] += 100_000
    at.gate.release()
    at.sleep(10, 100, says="the third does not lead")
    at.condition.elapse(10)
    at.sleep(90, 950, says="not one leader")


def who_leaves_has_another_lead(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=5000)
    first, _ = at.waiter(100_000), at.waiter(200_000)
    at.condition.elapse(5)
    waits.until(lambda: first.inside, "the leader is not let in when its time has come")
    at.due[0] += 7000
    at.gate.release()
    at.sleep(7, says="no thread leads")


def a_wait_ends_with_its_time(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=50_000)
    first = at.waiter(3000)
    at.sleep(3, says="a wait is longer than its time")
    second = at.waiter(60_000)
    at.sleep(3, 50, says="one whose time ends sooner leads")
    third = at.waiter(4000)
    at.sleep(3, 4, 50, says="a wait is longer than its time")
    at.condition.elapse(3)
    waits.until(lambda: first.inside, "it sleeps longer than its time")
    at.gate.release()
    at.condition.elapse(1)
    waits.until(lambda: third.inside, "it sleeps longer than its time")
    at.gate.release()
    at.sleep(46, says="the leader does not sleep on")
    at.condition.elapse(46)
    waits.until(lambda: second.inside, "the leader is not let in when its time has come")


def what_is_due_now_is_not_waited_for(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=0)
    at.condition.refuses = True
    waiter = at.waiter(1000)
    waits.until(lambda: waiter.ended, "it does not end")
    assert waiter.inside and locked(at.gate.due.lock), "it sleeps beside what is due now"


def without_end_is_as_long_as_can_be(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=math.inf)
    at.waiter(math.inf), at.waiter(math.inf)
    assert max(at.condition.deadlines()) <= impl.threads.TIMEOUT_MAX, (
        "a wait that the library refuses"
    )


def an_interrupted_leader_gives_the_lead_and_the_lock_away(
    impl: SimpleNamespace, waits: Waits
) -> None:
    at = AtGate(impl, waits, due_ms=5000)
    first, _ = at.waiter(100_000), at.waiter(200_000)
    at.condition.interrupt(0)
    waits.until(lambda: first.ended, "it goes on")
    assert isinstance(first.error, Interrupted)
    at.sleep(5, says="no thread leads")
    assert not locked(at.gate.due.lock), "the lock is held"


def a_wait_that_cannot_be_reported_gives_the_lock_back(impl: SimpleNamespace, waits: Waits) -> None:
    gate = steered(impl).runtime.Gate()

    def raises() -> float:
        raise LookupError

    with suppress(LookupError):
        gate.acquire_when(raises, 1000)
    assert not locked(gate.due.lock), "the lock is held"


def a_gate_excludes(impl: SimpleNamespace, waits: Waits) -> None:
    gate = steered(impl).runtime.Gate()
    with gate:
        assert locked(gate.due.lock), "entered without the lock"
    assert not locked(gate.due.lock), "left with the lock"
    gate.acquire_when(lambda: 0, 0)
    assert locked(gate.due.lock), "acquired without the lock"
    gate.release()
    assert not locked(gate.due.lock), "released and held"
