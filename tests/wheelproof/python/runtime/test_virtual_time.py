"""Time and interrupts under control, beside those of Python."""

import threading
from functools import partial

import pytest

from tests.wheelproof.python.runtime.condition_box import HARNESS, load_box, outcomes, scenario
from wheelproof.python import (
    ControlledImplementation,
    Crashed,
    RuleBroken,
)
from wheelproof.python.findings import ExploreError


@pytest.fixture
def box(tmp_path):
    return partial(load_box, tmp_path)


# -- time


def test_a_time_out_is_a_choice_of_the_scheduler(box):
    ends = outcomes(
        box(), scenario(t=[("take_for", 2.0)], p=[("put",)], c=[("tick", 1.0), ("clock",)])
    )
    assert {end[0] for end in ends} == {True} and {end[2] for end in ends} == {(True,), (False,)}
    assert set(outcomes(box(), scenario(t=[("take_for", 2.0)], c=[("clock",)]))) == {
        (True, 0, (False,))
    }
    assert {end[0] for end in outcomes(box(), scenario(t=[("take",)], c=[("clock",)]))} == {
        False
    }, "a clock does not wake who has no deadline"


def test_time_stands_still_unless_a_thread_lets_it_pass(box):
    assert set(outcomes(box(), scenario(t=[("take_for", 2.0)], c=[("tick", 1.5)]))) == {
        (False, 0, ())
    }


def test_the_clock_is_read_in_a_step(box):
    ends = outcomes(box(), scenario(h=[("hour",)], c=[("tick", 1.0), ("tick", 0.5)]))
    assert {end[2] for end in ends} == {(0.0,), (1.0,), (1.5,)}


def test_a_late_notification_may_be_spent_on_a_thread_whose_time_is_up(box):
    """As in CPython: a notifier may wake the late thread alone, and the other one sleeps on."""
    ends = outcomes(
        box(), scenario(k=[("careless", 1.0)], o=[("once",)], p=[("ring", 1)], c=[("tick", 1.0)])
    )
    assert {(False, 0, (1,)), (True, 0, (1, 2)), (True, 0, (2, 1))} <= set(ends)


def test_the_value_of_a_wait_that_may_be_either_is_not_to_be_tested(box):
    run = box().begin(scenario(i=[("patient", 1.0)], p=[("ring", 1)], c=[("tick", 1.0)]))
    for thread in (0, 0, 2, 1, 1, 1, 0):
        run.step(thread)
    with pytest.raises(RuleBroken, match="True or False"):
        for _ in range(2):
            run.step(0)
    sure = scenario(i=[("patient", 1.0)], p=[("ring", 1)])
    assert {end[2] for end in outcomes(box(), sure) if end[0]} == {(True,)}
    assert set(outcomes(box(), scenario(i=[("patient", 1.0)], c=[("clock",)]))) == {
        (True, 0, (False,))
    }


@pytest.mark.parametrize("kind", ["Time", "Interrupts"])
def test_clock_and_interrupts_must_be_part_of_the_state(box, kind):
    hidden = HARNESS.replace(
        "from impl import box\n", f"from impl import box\nfrom impl.threads import {kind}\n"
    ).replace(
        'self.names = {"box": self.box}',
        f'self.names = {{"box": self.box}}\n        self.other = {kind}()',
    )
    with pytest.raises(ExploreError, match=f"does not reach the scenario's {kind}"):
        box(harness=hidden, lint=False).begin(scenario(a=[("put",)]))


# -- interrupts


def test_an_interrupted_wait_raises_with_its_lock_held(box):
    ends = outcomes(box(), scenario(h=[("hold",)], i=[("disturb", "h")]))
    assert set(ends) == {(True, 0, ("raised",)), (False, 0, ())}, (
        "an interrupt before the wait is none"
    )
    run = box().begin(scenario(h=[("hold",)], i=[("disturb", "h"), ("disturb", "h")], p=[("put",)]))
    for thread in (0, 0, 1, 1, 0, 2):
        run.step(thread)
    assert 0 not in run.enabled(), "it is awake, and another one has the lock"
    for thread in (2, 2, 2, 0):
        run.step(thread)
    assert run.threads[0].label == "V5" and run.harness.box.changed.lock.owner is run.threads[0]
    assert run.harness.box.interrupts.pending == ()
    run.end()


def test_an_uncaught_interrupt_is_a_finding(box):
    run = box().begin(scenario(o=[("once",)], i=[("disturb", "o")]))
    for thread in (0, 0, 1, 0, 0):
        run.step(thread)
    assert run.threads[0].label == "O6", "the with gives the lock back first"
    with pytest.raises(Crashed, match="Interrupted"):
        run.step(0)


def test_an_interrupted_sleeper_may_keep_a_notification_to_itself(box):
    """As in CPython: see the tests of CPython below."""
    run = box().begin(scenario(h=[("hold",)], o=[("once",)], p=[("ring", 1)], i=[("disturb", "h")]))
    for thread in (0, 0, 1, 1, 3, 2, 2, 2, 0):
        run.step(thread)
    assert run.enabled() == {0: "V4"}, "the other one sleeps on"
    run.end()
    ends = outcomes(
        box(), scenario(h=[("hold",)], o=[("once",)], p=[("ring", 1)], i=[("disturb", "h")])
    )
    assert {(False, 0, ("raised",)), (True, 0, ("raised", 2)), (True, 0, (2, "raised"))} <= set(
        ends
    )


def test_an_interrupt_needs_a_thread(box):
    run = box().begin(scenario(i=[("disturb", "x")]))
    with pytest.raises(RuleBroken, match="no thread x"):
        run.step(0)


OTHERS = """from __future__ import annotations
from impl.runtime import Gate, Lock, Queue, ReadWriteLock, Semaphore

class Others:
    __slots__ = ("lock", "door", "gate", "places", "queue")

    def __init__(self):
        self.lock, self.door, self.gate = Lock(), ReadWriteLock(), Gate()
        self.places, self.queue = Semaphore(0), Queue()

    def enter(self):
        with self.lock:  # lock A1, unlock A2
            pass

    def read(self):
        with self.door.read_lock:  # lock B1, unlock B2
            pass

    def write(self):
        with self.door.write_lock:  # lock C1, unlock C2
            pass

    def wait(self):
        self.gate.acquire_when(self.never, 5)  # lock D1
        self.gate.release()  # unlock D2

    def never(self):
        return 1

    def acquire(self):
        self.places.acquire()  # lock E1

    def get(self):
        return self.queue.get()  # wait F1
"""
OTHERS_HARNESS = """from impl import others
from impl.runtime import Interrupts

SUBJECT = ("impl.others",)

class Harness:
    def __init__(self, scenario, impl=others):
        self.others, self.interrupts = impl.Others(), Interrupts()
        self.names = {"others": self.others, "interrupts": self.interrupts}

    def interrupt(self, thread):
        self.interrupts.interrupt(thread)  # update I1

    def __getattr__(self, operation):
        return getattr(self.others, operation)

def shared(harness):
    return {}
"""


@pytest.mark.parametrize(
    ("first", "then", "label"),
    [
        ("write", "read", "B1"),
        ("read", "write", "C1"),
        (None, "wait", "D1"),
        (None, "acquire", "E1"),
        (None, "get", "F1"),
        ("enter", "enter", ""),
        (None, "enter", ""),
        (None, "read", ""),
    ],
)
def test_an_interrupt_of_another_wait_than_a_conditions_is_refused(first, then, label, tmp_path):
    """``label``: the wait that is refused; "" where the thread waits for a lock, or not at all."""
    texts = {"impl.others": OTHERS, "harness.others": OTHERS_HARNESS}
    for part in "impl", "harness":
        (tmp_path / part).mkdir()
    implementation = ControlledImplementation.load(tmp_path, "others", texts=texts, lint=False)
    holder = [(first,)] if first else []
    run = implementation.begin(scenario(a=holder, b=[(then,)], i=[("interrupt", "b")]))
    if first:
        run.step(0)
    if label:
        with pytest.raises(RuleBroken, match=f"b is interrupted while it waits at {label}"):
            run.step(2)
    else:
        run.step(2)
        assert run.harness.interrupts.pending == ()
    run.end()


class Waiter:
    """The object at which a thread sleeps in CPython's condition; called as the sleep begins."""

    def __init__(self, sleeps):
        self.sleeps, self.made = sleeps, False

    def acquire(self, *_):
        if self.made:
            self.sleeps()
        self.made = True
        return True

    def release(self):
        pass


def test_cpython_loses_the_notification_of_a_sleeper_that_is_interrupted(monkeypatch):
    changed, other = threading.Condition(threading.Lock()), threading.Lock()
    other.acquire()

    def notified_then_interrupted():
        with changed:
            changed._waiters.append(other)
            changed.notify()
        raise KeyboardInterrupt

    with changed:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(threading, "_allocate_lock", lambda: Waiter(notified_then_interrupted))
            changed.wait()
        assert changed._is_owned()
        assert list(changed._waiters) == [other] and other.locked(), "the other one is not woken"


def test_cpython_leaves_a_wait_without_its_lock_where_taking_it_is_interrupted():
    """Such an interrupt is left out: no code can find that it does not hold a plain lock."""

    class Lock:
        def __init__(self):
            self.inner, self.taken = threading.Lock(), 0

        def acquire(self, *arguments):
            self.taken += 1
            if self.taken == 2:
                raise KeyboardInterrupt
            return self.inner.acquire(*arguments)

        def release(self):
            self.inner.release()

    lock = Lock()
    changed = threading.Condition(lock)
    changed.acquire()
    with pytest.raises(KeyboardInterrupt):
        changed._is_owned = lambda: True  # it would try to take the lock
        changed.wait(0)
    assert not lock.inner.locked()
