"""Locks, conditions and time under control: as Python's, with all choices of the scheduler."""

import itertools
import threading

import pytest

from impl import threads as production
from wheelproof.explore import (
    ControlledImplementation,
    Crashed,
    RaceDetector,
    RuleBroken,
    random_schedules,
)
from wheelproof.explore.findings import ExploreError, StyleError

SOURCE = """
from __future__ import annotations
from impl.threads import Condition, Interrupted, Interrupts, Lock, Plain, Time, get_ident, monotonic

class Box:
    __slots__ = ("changed", "lock", "items", "got", "time", "interrupts")
    items: Plain[int]
    got: Plain[tuple]

    def __init__(self):
        self.lock = Lock()
        self.changed = Condition(Lock())
        self.items, self.got, self.time, self.interrupts = 0, (), Time(), Interrupts()

    def put(self):
        with self.changed:  # lock P1, unlock P4
            self.items = self.items + 1  # write P2
            self.changed.notify()  # notify P3

    def fill(self):
        with self.changed:  # lock F1, unlock F4
            self.items = self.items + 2  # write F2
            self.changed.notify_all()  # notify F3

    def ring(self, n):
        with self.changed:  # lock N1, unlock N3
            self.changed.notify(n)  # notify N2

    def take(self):
        with self.changed:  # lock T1, unlock T6
            while not self.items:
                self.changed.wait()  # wait T2, wake T3, lock T4
            self.items = self.items - 1  # write T5

    def once(self):
        with self.changed:  # lock O1, unlock O6
            self.changed.wait()  # wait O2, wake O3, lock O4
            self.got = self.got + (get_ident(),)  # write O5

    def hold(self):
        with self.changed:  # lock V1, unlock V6
            try:
                self.changed.wait()  # wait V2, wake V3, lock V4
            except Interrupted:
                self.got = self.got + ("raised",)  # write V5

    def disturb(self, thread):
        self.interrupts.interrupt(thread)  # update J1

    def take_for(self, seconds):
        with self.changed:  # lock W1, unlock W6
            value = self.changed.wait_for(self.full, seconds)  # wait W2, wake W3, lock W4
            self.got = self.got + (value,)  # write W5

    def full(self):
        return self.items > 0

    def patient(self, seconds):
        with self.changed:  # lock I1, unlock I6
            value = self.changed.wait(seconds)  # wait I2, wake I3, lock I4
            self.got = self.got + (bool(value),)  # write I5

    def careless(self, seconds):
        with self.changed:  # lock K1, unlock K6
            self.changed.wait(seconds)  # wait K2, wake K3, lock K4
            self.got = self.got + (get_ident(),)  # write K5

    def hour(self):
        self.lock.acquire()  # lock H1
        now = monotonic()  # read H2
        self.got = self.got + (now,)  # write H3
        self.lock.release()  # unlock H4

    def grab(self):
        self.lock.acquire()  # lock G1

    def let_go(self):
        self.lock.release()  # unlock L1

    def outside(self):
        self.changed.wait()  # wait X1, wake X2, lock X3

    def cry(self):
        self.changed.notify()  # notify Y1

    def tick(self, seconds):
        self.time.advance(seconds)  # update C1

    def clock(self):
        more = True
        while more:
            more = self.time.elapse()  # update E1
"""
HARNESS = """
from impl import box
SUBJECT = ("impl.box",)

class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box()
        self.names = {"box": self.box}
%s

def shared(harness):
    return {"items": harness.box.items, "got": harness.box.got}
"""
OPERATIONS = {
    "put": "",
    "fill": "",
    "ring": "n",
    "take": "",
    "once": "",
    "take_for": "s",
    "patient": "s",
    "careless": "s",
    "hour": "",
    "grab": "",
    "let_go": "",
    "outside": "",
    "cry": "",
    "tick": "s",
    "clock": "",
    "hold": "",
    "disturb": "t",
}


@pytest.fixture
def box(tmp_path):
    """Load the implementation, with some of its texts replaced."""

    def make(*changes, lint=True, harness=HARNESS):
        text = SOURCE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        calls = "\n".join(
            f"    def {name}(self{', ' + a if a else ''}): self.box.{name}({a})"
            for name, a in OPERATIONS.items()
        )
        for folder, content in (("impl", text), ("harness", harness % calls)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "box.py").write_text(content, encoding="utf-8")
        return ControlledImplementation.load(tmp_path, "box", lint=lint)

    return make


def scenario(**programs):
    return {
        "threads": {
            name: [[word, *arguments] for word, *arguments in program]
            for name, program in programs.items()
        }
    }


def outcomes(implementation, program):
    """Every end of some schedule, (whether all ended, the variables), each with a schedule."""
    table, seen, ends, todo = {}, set(), {}, [()]
    while todo:
        schedule = todo.pop()
        run = implementation.begin(program, intern=table)
        for thread in schedule:
            run.step(thread)
        state = run.fingerprint()
        if state not in seen:
            seen.add(state)
            able = list(run.enabled())
            if not able:
                ends.setdefault((run.done, *run.shared().values()), schedule)
            todo += [(*schedule, thread) for thread in able]
        run.end()
    return ends


# -- the lock


def test_any_thread_may_release_the_lock(box):
    run = box().begin(scenario(a=[("grab",), ("grab",)], b=[("let_go",)]))
    run.step(0)
    assert run.enabled() == {1: "L1"}
    run.step(1)
    assert run.enabled() == {0: "G1"}
    run.step(0)
    assert run.done


def test_an_unlocked_lock_is_not_released(box):
    run = box().begin(scenario(b=[("let_go",)]))
    with pytest.raises(Crashed, match="RuntimeError: release unlocked lock"):
        run.step(0)
    with pytest.raises(RuntimeError, match="release unlocked lock"):
        production.Lock().release()


@pytest.mark.parametrize("operation, verb", [("outside", "wait"), ("cry", "notify")])
def test_wait_and_notify_need_the_lock(box, operation, verb):
    run = box().begin(scenario(a=[(operation,)]))
    with pytest.raises(Crashed, match=f"RuntimeError: cannot {verb} on un-acquired lock"):
        run.step(0)
    with pytest.raises(RuntimeError, match=f"cannot {verb} on un-acquired lock"):
        getattr(production.Condition(production.Lock()), verb)()


# -- waiting


def test_a_wait_is_three_steps_and_gives_the_lock_back(box):
    run = box().begin(scenario(t=[("take",)], p=[("put",)]))
    for label in ("T1", "T2"):
        assert run.threads[0].label == label
        run.step(0)
    assert run.harness.box.changed.lock.owner is None and run.enabled() == {1: "P1"}
    for label in ("P1", "P2", "P3"):
        assert run.threads[1].label == label
        run.step(1)
    assert run.enabled() == {0: "T3", 1: "P4"}
    run.step(0)
    assert run.enabled() == {1: "P4"}, "it is awake, and the lock is not free"
    run.step(1)
    assert run.enabled() == {0: "T4"}
    run.end()


def test_a_notification_wakes_any_of_those_that_sleep(box):
    ends = outcomes(box(), scenario(a=[("once",)], b=[("once",)], p=[("ring", 2)]))
    assert {(True, 0, (1, 2)), (True, 0, (2, 1))} <= set(ends)
    alone = outcomes(box(), scenario(a=[("once",)], b=[("once",)], p=[("ring", 1)]))
    assert set(alone) == {(False, 0, (1,)), (False, 0, (2,)), (False, 0, ())}, (
        "either sleeper, or none that slept in time"
    )


def test_a_thread_that_falls_asleep_later_does_not_take_the_ticket(box):
    run = box().begin(scenario(a=[("once",)], b=[("once",)], p=[("ring", 1)]))
    for thread in (0, 0, 2, 2, 2, 1, 1):
        run.step(thread)
    assert run.enabled() == {0: "O3"}
    run.end()


def eager(arrivals, after):
    """Python's promise, directly: each notification chooses any sleeper.

    ``arrivals``: threads and "notify", in order.
    """
    ends = set()

    def go(place, asleep, woken):
        if place == len(arrivals):
            ends.add(frozenset(woken))
            return None
        if arrivals[place] != "notify":
            return go(place + 1, asleep | {arrivals[place]}, woken)
        for chosen in asleep or {None}:
            go(place + 1, asleep - {chosen}, woken | ({chosen} - {None}))
        return None

    go(0, frozenset(), frozenset())
    return ends


@pytest.mark.parametrize(
    "arrivals",
    [
        [0, 1, "notify", 2, "notify"],
        [0, "notify", 1, 2, "notify", "notify"],
        ["notify", 0, 1, 2, "notify"],
        [0, 1, "notify", "notify", "notify", 2, "notify"],
        [0, 1, 2, "notify", "notify"],
    ],
)
def test_tickets_are_the_choice_at_each_notification(box, arrivals):
    """The sets of threads that can have woken in the end are those of an immediate choice."""
    found = set()
    rings = arrivals.count("notify")
    program = scenario(a=[("once",)], b=[("once",)], c=[("once",)], p=[("ring", 1)] * rings)
    for order in itertools.permutations(range(3)):
        run = box().begin(program)
        for arrival in arrivals:
            for _ in range(3 if arrival == "notify" else 2):
                run.step(3 if arrival == "notify" else arrival)
        while able := [thread for thread in order if thread in run.enabled()]:
            run.step(able[0])
        found.add(frozenset(thread - 1 for thread in run.shared()["got"]))
        run.end()
    assert found == eager(arrivals, 3)


def test_a_lost_wake_up_is_found(box):
    two = scenario(t=[("take",)], u=[("take",)], p=[("put",)], q=[("put",)])
    assert {end[0] for end in outcomes(box(), two)} == {True}
    silent = box(("            self.changed.notify()  # notify P3\n", ""))
    assert (False, 1, ()) in outcomes(silent, scenario(t=[("take",)], p=[("put",)]))
    early = box(
        (
            "            while not self.items:\n",
            "            while not self.items:\n"
            "                self.changed.release()  # unlock T7\n"
            "                self.changed.acquire()  # lock T8\n",
        )
    )
    assert (False, 1, ()) in outcomes(early, scenario(t=[("take",)], p=[("put",)])), (
        "between the test and the wait the lock is free"
    )


def test_one_notification_for_two_kinds_of_waiters_is_found(box):
    """With two items and one notification a taker sleeps on: the wrong thread may be woken."""
    program = scenario(t=[("take",)], u=[("take",)], f=[("fill",)])
    assert {end[0] for end in outcomes(box(), program)} == {True}
    one = box(("notify_all()  # notify F3", "notify()  # notify F3"))
    assert {end[0] for end in outcomes(one, program)} == {True, False}
    wrong = scenario(o=[("once",)], t=[("take",)], p=[("put",)])
    assert (False, 1, (1,)) in outcomes(box(), wrong), (
        "the wrong waiter took it, and the taker sleeps beside an item"
    )


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

    monkeypatch.setattr(threading, "_allocate_lock", lambda: Waiter(notified_then_interrupted))
    with changed:
        with pytest.raises(KeyboardInterrupt):
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


# -- the state, races, style


def test_the_set_of_sleepers_is_part_of_the_state(box):
    implementation, table = box(), {}
    program = scenario(a=[("once",)], b=[("once",)], p=[("ring", 1), ("ring", 1)])

    def after(*schedule):
        run = implementation.begin(program, intern=table)
        for thread in schedule:
            run.step(thread)
        return run.fingerprint()

    assert after(0, 0, 1, 1) == after(1, 1, 0, 0)
    assert after(0, 0, 2, 2, 2, 1, 1)[0] != after(0, 0, 1, 1, 2, 2, 2)[0], (
        "who may take the ticket differs"
    )


def test_the_lock_of_a_wait_orders_accesses(box):
    quiet = RaceDetector()
    random_schedules(
        box(), scenario(t=[("take",)], u=[("take",)], p=[("fill",)]), schedules=200, race=quiet
    )
    assert not quiet.found
    loud = RaceDetector()
    leaky = box(
        (
            "                self.changed.wait()  # wait T2, wake T3, lock T4\n"
            "            self.items = self.items - 1  # write T5",
            "                self.changed.wait()  # wait T2, wake T3, lock T4\n"
            "            self.changed.release()  # unlock T7\n"
            "            self.items = self.items - 1  # write T5\n"
            "            self.changed.acquire()  # lock T8",
        )
    )
    random_schedules(
        leaky, scenario(t=[("take",)], u=[("take",)], p=[("fill",)]), schedules=200, race=loud
    )
    assert loud.found


@pytest.mark.parametrize(
    "label, message",
    [
        ("# wait T2, wake T3", "lock without a label"),
        ("# wait T2, lock T4", "3 operations|wake without a label|2 operations"),
    ],
)
def test_all_three_steps_of_a_wait_have_labels(box, label, message):
    with pytest.raises(
        (RuleBroken, StyleError), match=message if "lock T4" in label else "2 operations"
    ):
        run = box(("# wait T2, wake T3, lock T4", label)).begin(
            scenario(t=[("take",)], p=[("put",)])
        )
        for thread in (0, 0, 1, 1, 1, 1, 0, 0):
            run.step(thread)


def test_a_monitor_held_twice_is_not_waited_in(box):
    twice = box(
        (" Lock, Plain,", " Lock, Monitor, Plain,"),
        ("self.changed = Condition(Lock())", "self.changed = Condition(Monitor())"),
        (
            "        with self.changed:  # lock O1, unlock O6\n            self.changed.wait()",
            "        with self.changed:  # lock O1, unlock O6\n"
            "            self.changed.acquire()  # lock O7\n"
            "            self.changed.wait()",
        ),
    )
    run = twice.begin(scenario(o=[("once",)]))
    run.step(0)
    run.step(0)
    with pytest.raises(RuleBroken, match="holds its monitor 2 times"):
        run.step(0)


def test_production_has_the_standard_library_s(box):
    assert (
        production.Condition is threading.Condition and production.get_ident is threading.get_ident
    )
