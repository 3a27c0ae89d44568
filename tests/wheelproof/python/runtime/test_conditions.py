"""Locks, conditions and time under control: as Python's, with all choices of the scheduler."""

import itertools
import threading
from functools import partial

import pytest

from impl import threads as production
from tests.wheelproof.python.runtime.condition_box import load_box, outcomes, scenario
from wheelproof.python import (
    Crashed,
    RaceDetector,
    RuleBroken,
    random_schedules,
)
from wheelproof.python.findings import StyleError


@pytest.fixture
def box(tmp_path):
    return partial(load_box, tmp_path)


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
    with pytest.raises((RuleBroken, StyleError), match=message):
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
    assert issubclass(production.Condition, threading.Condition)
    assert production.get_ident is threading.get_ident
