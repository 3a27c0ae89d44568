"""Spurious wake-ups: only where the harness declares them, and harmless to code that loops."""

import shutil
import threading
from functools import partial

import pytest

from tests.wheelproof.python.runtime.condition_box import HARNESS, load_box, outcomes, scenario
from tests.wheelproof.python.search.composed_timer import HARNESS as HARNESS_OF_TIMER
from tests.wheelproof.python.search.composed_timer import MECHANISM, changed, composed
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    RuleBroken,
    random_schedules,
)
from wheelproof.python.findings import ExploreError
from wheelproof.stress.loading import ProductionImplementation

HEAD = 'SUBJECT = ("impl.box",)\n'
SPURIOUS = HARNESS.replace(HEAD, HEAD + 'SPURIOUS = ("Condition",)\n')
IF = ("            while not self.items:\n", "            if not self.items:\n")
ONE_TAKER = scenario(t=[("take",)], p=[("put",)])


def declared(value):
    return HARNESS.replace(HEAD, f"{HEAD}{value}\n")


@pytest.fixture
def plain(tmp_path):
    return partial(load_box, tmp_path)


@pytest.fixture
def box(tmp_path):
    return partial(load_box, tmp_path, harness=SPURIOUS)


def stepped(implementation, program, *schedule, race=None):
    run = implementation.begin(program, race=race)
    for thread in schedule:
        run.step(thread)
    return run


# -- when a thread wakes


def test_a_sleeper_wakes_without_a_reason_and_takes_its_lock_again(box):
    run = stepped(box(), ONE_TAKER, 0, 0)
    assert run.enabled() == {0: "T3", 1: "P1"}
    run.step(0)
    assert run.enabled() == {0: "T4", 1: "P1"} and run.harness.box.changed.asleep == ()
    run.step(1)
    assert run.enabled() == {1: "P2"}, "it is awake, and another one has the lock"
    run.end()


def test_without_the_declaration_no_thread_wakes_so(plain):
    run = stepped(plain(), ONE_TAKER, 0, 0)
    assert run.enabled() == {1: "P1"}
    with pytest.raises(RuleBroken, match="woken without a notification"):
        run.step(0)


def test_a_wait_under_if_breaks_only_where_wake_ups_may_be_spurious(plain, box):
    def items(implementation):
        return {end[:2] for end in outcomes(implementation, ONE_TAKER)}

    assert items(plain()) == items(plain(IF)) == items(box()) == {(True, 0)}
    early = stepped(box(IF), ONE_TAKER, 0, 0, 0, 0, 0)
    assert early.shared()["items"] == -1, "it took an item that was not there"
    early.end()


def test_an_item_that_is_taken_early_is_seen_in_every_search(plain, box):
    """The property of the test above, in each state of each schedule."""

    def lowest(implementation):
        found, seen, todo, table = 0, set(), [()], {}
        while todo:
            schedule = todo.pop()
            run = implementation.begin(ONE_TAKER, intern=table)
            run.replay(schedule)
            if (state := run.fingerprint()) not in seen:
                seen.add(state)
                found = min(found, run.shared()["items"])
                todo += [(*schedule, thread) for thread in run.enabled()]
            run.end()
        return found

    assert lowest(plain()) == lowest(plain(IF)) == lowest(box()) == 0
    assert lowest(box(IF)) == -1


# -- tickets


def test_a_thread_that_is_offered_no_ticket_leaves_them_all(box):
    """b falls asleep after the notification, wakes, and a can take the ticket still."""
    program = scenario(a=[("once",)], b=[("once",)], p=[("ring", 1)])
    run = stepped(box(), program, 0, 0, 2, 2, 2, 1, 1, 1)
    changed = run.harness.box.changed
    assert [[thread.name for thread in takers] for takers in changed.tickets] == [["a"]]
    run.step(0)
    assert changed.tickets == () and changed.asleep == ()
    run.end()


def test_a_thread_that_is_offered_a_ticket_takes_it(box):
    program = scenario(a=[("once",)], b=[("once",)], p=[("ring", 1)])
    run = stepped(box(), program, 0, 0, 1, 1, 2, 2, 2, 0)
    assert run.harness.box.changed.tickets == ()
    assert run.enabled() == {0: "O4", 1: "O3"}, "the other one may wake without it"
    run.end()


def test_there_are_never_more_tickets_than_sleepers(box):
    implementation, table = box(), {}
    program = scenario(a=[("once",)], b=[("once",)], p=[("ring", 2), ("ring", 1)])
    seen, todo = set(), [()]
    while todo:
        schedule = todo.pop()
        run = implementation.begin(program, intern=table)
        run.replay(schedule)
        changed = run.harness.box.changed
        assert len(changed.tickets) <= len(changed.asleep)
        assert all(set(takers) <= set(changed.asleep) for takers in changed.tickets)
        if (state := run.fingerprint()) not in seen:
            seen.add(state)
            todo += [(*schedule, thread) for thread in run.enabled()]
        run.end()
    assert len(seen) > 100


def test_a_lost_notification_is_no_deadlock_any_more(plain, box):
    silent = ("            self.changed.notify()  # notify P3\n", "")
    assert (False, 1, ()) in outcomes(plain(silent), ONE_TAKER)
    assert set(outcomes(box(silent), ONE_TAKER)) == {(True, 0, ())}


def test_a_wait_for_nothing_goes_round_for_ever(plain, box):
    alone = scenario(t=[("take",)])
    assert set(outcomes(plain(), alone)) == {(False, 0, ())}
    assert outcomes(box(), alone) == {}, "no state is an end"


# -- what a wait returns


def test_a_wait_whose_time_is_not_up_is_true_after_any_wake_up(box):
    ends = outcomes(box(), scenario(i=[("patient", 2.0)], c=[("tick", 1.0)]))
    assert set(ends) == {(True, 0, (True,))}
    late = outcomes(box(), scenario(i=[("patient", 2.0)], c=[("tick", 3.0)]))
    assert set(late) == {(True, 0, (True,)), (True, 0, (False,))}


def test_the_value_of_a_wait_without_a_time_out_is_not_to_be_tested(plain, box):
    tested = (
        "            self.changed.wait()  # wait O2, wake O3, lock O4\n"
        "            self.got = self.got + (get_ident(),)  # write O5",
        "            value = self.changed.wait()  # wait O2, wake O3, lock O4\n"
        "            self.got = self.got + (bool(value),)  # write O5",
    )
    program = scenario(o=[("once",)], p=[("ring", 1)])
    assert (True, 0, (True,)) in outcomes(plain(tested), program)
    for schedule in (0, 0, 0), (0, 0, 1, 1, 1, 0):
        run = stepped(box(tested), program, *schedule)
        with pytest.raises(RuleBroken, match="without a time-out is tested.*look at the state"):
            for _ in range(2):
                run.step(0)


def test_wait_for_looks_again(box):
    ends = outcomes(box(), scenario(t=[("take_for", 2.0)], p=[("put",)], c=[("clock",)]))
    assert {end[0] for end in ends} == {True} and {end[2] for end in ends} == {(True,), (False,)}
    run = stepped(box(), scenario(t=[("take_for", 2.0)], p=[("put",)]), 0, 0, 0, 0)
    assert run.threads[0].label == "W2" and run.enabled()[0] == "W2", "it sleeps once more"
    run.end()


def test_an_interrupt_still_raises(box):
    ends = outcomes(box(), scenario(h=[("hold",)], i=[("disturb", "h")]))
    assert set(ends) == {(True, 0, ("raised",)), (True, 0, ())}, "it may wake before"


# -- order


@pytest.mark.parametrize("locked", [True, False])
def test_a_wake_up_orders_nothing_without_the_lock(box, locked):
    """A write after the wait races with a write under the lock unless the lock is held again."""
    early = (
        "            self.changed.wait()  # wait O2, wake O3, lock O4\n"
        "            self.got = self.got + (get_ident(),)  # write O5",
        "            self.changed.wait()  # wait O2, wake O3, lock O4\n"
        "            self.changed.release()  # unlock O7\n"
        "            self.got = self.got + (get_ident(),)  # write O5\n"
        "            self.changed.acquire()  # lock O8",
    )
    race = RaceDetector()
    program = scenario(a=[("once",)], b=[("once",)])
    random_schedules(box() if locked else box(early), program, schedules=100, race=race)
    assert {found.field for found in race.found} == (set() if locked else {"Box.got"})


# -- what is refused


@pytest.mark.parametrize(
    "value, message",
    [
        ("SPURIOUS = True", "harness/box.py: SPURIOUS is no literal list of primitives"),
        ("SPURIOUS = 'Condition'", "SPURIOUS is no literal list of primitives"),
        ("SPURIOUS = tuple(['Condition'])", "SPURIOUS is no literal list of primitives"),
        ("SPURIOUS = ('Event',)", "SPURIOUS names Event, which has no spurious wake-ups"),
        ("SPURIOUS = ('Conditions',)", "names Conditions, which is no primitive of the runtime"),
        (
            "if True:\n    SPURIOUS = ('Condition',)",
            r"SPURIOUS is \('Condition',\) when the harness is loaded, and its text says \(\)",
        ),
        (
            "SPURIOUS = ('Condition',)\nif True:\n    SPURIOUS = True",
            "SPURIOUS is True when the harness is loaded",
        ),
    ],
)
def test_another_declaration_is_refused_by_name(plain, value, message):
    with pytest.raises(ExploreError, match=message) as refused:
        plain(harness=declared(value))
    assert "SPURIOUS" in str(refused.value).partition("Write ")[2] or "Write SPURIOUS once" in str(
        refused.value
    )


@pytest.mark.parametrize("value", ["SPURIOUS: tuple = ('Condition',)", "SPURIOUS = ()"])
def test_other_ways_to_write_it(plain, value):
    run = stepped(plain(harness=declared(value)), ONE_TAKER, 0, 0)
    assert (0 in run.enabled()) is ("Condition" in value)
    run.end()


# -- modules on top of each other


UPPER = """
from __future__ import annotations
from impl.box import Box
from impl.threads import Plain

class Upper:
    __slots__ = ("box",)

    def __init__(self):
        self.box = Box()

    def take(self):
        self.box.take()  # update A1
"""
ABOVE = """
from impl import upper
SUBJECT = ("impl.upper",)
ATOMIC = {"impl.box": ()}
SPURIOUS = ("Condition",)

class Harness:
    def __init__(self, scenario, impl=upper):
        self.upper = impl.Upper()
        self.names = {"upper": self.upper}

    def take(self):
        self.upper.take()

def shared(harness):
    return {"items": harness.upper.box.items}
"""


def test_a_wait_within_an_atomic_operation_is_refused_as_before(plain, tmp_path):
    plain()
    (tmp_path / "impl/upper.py").write_text(UPPER, encoding="utf-8")
    (tmp_path / "harness/upper.py").write_text(ABOVE, encoding="utf-8")
    run = ControlledImplementation.load(tmp_path, "upper").begin(scenario(t=[("take",)]))
    with pytest.raises(RuleBroken, match="a wait within an atomic operation"):
        run.step(0)


@pytest.mark.nightly
def test_a_composed_run_without_waits_is_the_same():
    harness = changed(HARNESS_OF_TIMER, "\nATOMIC = ", '\nSPURIOUS = ("Condition",)\nATOMIC = ')
    found, before = composed(texts={"harness.system_timer": harness}), composed()
    assert found.outcome == before.outcome == "included"
    assert found.figures | {"cpu": 0} == before.figures | {"cpu": 0}


# -- real threads


def test_real_threads_run_such_a_harness_as_any_other(plain, tmp_path):
    """Python's condition has no spurious wake-up: a wait under ``if`` is right there."""
    plain(IF, harness=SPURIOUS)
    for name in "threads.py", "condition.py":
        shutil.copy(MECHANISM.root / "impl" / name, tmp_path / "impl" / name)
    production = ProductionImplementation(tmp_path, "box")
    for _ in range(20):
        harness = production.set_up(ONE_TAKER)
        threads = [
            threading.Thread(target=getattr(harness, name), daemon=True) for name in ("take", "put")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert harness.box.items == 0
