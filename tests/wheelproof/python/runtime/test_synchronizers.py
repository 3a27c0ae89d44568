"""Semaphores, events and barriers under control are those of ``threading``.

Three ways run the same programs: the controlled classes, CPython's own source of the classes on the
controlled condition, and ``threading`` itself on real threads.
"""

import threading

import pytest

from impl import runtime as production
from tests.wheelproof.python.runtime.boxes import broken, ends, plant
from tests.wheelproof.python.runtime.synchronizer_box import BOX, load, of_cpython, scenario
from wheelproof.python import (
    RaceDetector,
    RuleBroken,
    random_schedules,
)
from wheelproof.python.runtime import patience, synchronizers

PROGRAMS = {
    "one place": scenario(value=1, a="acquire; release 1", b="acquire; release 1"),
    "one after the other": scenario(value=0, a="acquire", b="acquire", c="release 1; release 1"),
    "two at once": scenario(value=0, a="acquire", b="acquire", c="release 2"),
    "too few": scenario(value=0, a="acquire", b="acquire", c="release 1"),
    "attempts": scenario(value=0, a="attempt; attempt", b="release 1"),
    "with": scenario(value=1, a="hold", b="hold"),
    "bounded": scenario(a="borrow; give_back", b="give_back"),
    "set": scenario(a="wait", b="wait", s="set"),
    "set and cleared": scenario(a="wait", b="wait", s="set; clear"),
    "looks": scenario(a="look; look", s="set; clear"),
    "never set": scenario(a="wait", s="clear"),
    "meet": scenario(a="meet", b="meet; count"),
    "two rounds": scenario(a="meet; meet", b="meet; meet"),
    "three for two": scenario(a="meet", b="meet", c="meet"),
    "four for two": scenario(a="meet; meet", b="meet", c="meet"),
    "reset": scenario(a="meet", b="reset; meet"),
    "abort": scenario(a="meet", b="abort; ask; reset; ask"),
    "abort at the end": scenario(a="meet", b="meet", c="abort"),
    "acquired in time": scenario(value=0, a="acquire_within 2", b="sleep 1; release 1"),
    "acquired or late": scenario(value=0, a="acquire_within 2", b="sleep 2; release 1"),
    "acquired at once": scenario(value=1, a="acquire_within 1", b="sleep 1"),
    "two are late": scenario(
        value=0, a="acquire_within 1", b="acquire_within 2", c="sleep 1; release 1; sleep 1"
    ),
    "time stands still": scenario(value=0, a="acquire_within 1", b="sleep 0"),
    "no time at all": scenario(value=0, a="acquire_within 0", b="release 1"),
    "set in time": scenario(a="wait_within 2", b="sleep 1; set; clear"),
    "set or late": scenario(a="wait_within 2; wait_within 2", b="sleep 2; set"),
    "late and set": scenario(a="wait_within 1", b="sleep 1; set; clear", c="wait"),
    "late breaks": scenario(a="meet_within 1", b="sleep 1; meet"),
    "late breaks for others": scenario(parties=3, a="meet_within 1", b="meet", c="sleep 1"),
    "late while the action runs": scenario(a="meet_within 1", b="meet", c="sleep 1"),
    "late for the barrier's own time-out": scenario(within=1, a="meet", b="sleep 1; meet"),
    "another time-out than the barrier's": scenario(within=1, a="meet_within 2", b="sleep 1; meet"),
    "reset or late": scenario(a="meet_within 1", b="sleep 1; reset"),
}


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    return load(tmp_path_factory.mktemp("steps"))


@pytest.fixture(scope="module")
def cpython(tmp_path_factory):
    """CPython's source. A wait that was notified when its time was up returns True here.

    The result by chance is False in the schedules in which the thread wakes first.
    """
    with pytest.MonkeyPatch.context() as patched:
        plant(patched, "Condition", by_chance=lambda self: True)
        return load(tmp_path_factory.mktemp("cpython"), of_cpython())


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_schedules_end_as_those_of_cpythons_source(name, steps, cpython):
    program = PROGRAMS[name]
    assert broken(ends(steps, program), ends(cpython, program)) == ()


CPYTHON_FAULTS = {
    "a release wakes no thread": (
        "two at once",
        ("Semaphore", "self._cond.notify", "str"),
        "NoDeadlock",
    ),
    "a set wakes no thread": ("set", ("Event", "self._cond.notify_all()", "pass"), "NoDeadlock"),
    "a barrier reopens early": (
        "four for two",
        ("Barrier", "while self._state in (-1, 1):", "while False:"),
        "NoException",
    ),
    "a late acquire goes on waiting": (
        "acquired or late",
        ("Semaphore", "if timeout <= 0:", "if False:"),
        "EveryResult",
    ),
    "a late wait returns what it waits for": (
        "set in time",
        ("Event", "signaled = self._cond.wait(timeout)", "signaled = not self._cond.wait(timeout)"),
        "NoOtherResult",
    ),
    "a late thread leaves the barrier whole": (
        "late breaks",
        ("Barrier", "if not self._cond.wait_for(lambda", "if None is self._cond.wait_for(lambda"),
        "EveryResult",
    ),
    "a barrier forgets its own time-out": (
        "late for the barrier's own time-out",
        ("Barrier", "timeout = self._timeout", "pass"),
        "EveryResult",
    ),
    "a barrier's own time-out goes before another": (
        "another time-out than the barrier's",
        ("Barrier", "if timeout is None:", "if True:"),
        "NoOtherResult",
    ),
    "a barrier wakes no thread": (
        "meet",
        ("Barrier", "self._state = 1\n            self._cond.notify_all()", "self._state = 1"),
        "NoDeadlock",
    ),
}


@pytest.mark.parametrize("fault", CPYTHON_FAULTS)
def test_a_fault_in_the_source_is_rejected_by_name(fault, steps, tmp_path):
    name, change, property = CPYTHON_FAULTS[fault]
    faulty = load(tmp_path, of_cpython([change]))
    assert property in broken(ends(faulty, PROGRAMS[name]), ends(steps, PROGRAMS[name]))


def gives_nothing(self, n):
    """A release that no thread gets."""


def has_no_time_out(self, parties, action=None, timeout=None):
    """A barrier that forgets the time-out of its constructor."""
    synchronizers.Barrier.__init__(self, parties, action)


@pytest.mark.parametrize(
    "name, attribute, program, property",
    [
        ("Semaphore", "give", "two at once", "NoDeadlock"),
        ("Event", "admits", "set", "NoDeadlock"),
        ("Barrier", "_leave", "meet", "NoOtherResult"),
        ("Barrier", "__init__", "late for the barrier's own time-out", "EveryResult"),
    ],
)
def test_a_fault_in_a_controlled_class_is_rejected_by_name(
    name, attribute, program, property, cpython, tmp_path, monkeypatch
):
    faulty = {
        "give": gives_nothing,
        "admits": lambda *_: False,
        "_leave": lambda *_: 7,
        "__init__": has_no_time_out,
    }
    plant(monkeypatch, name, **{attribute: faulty[attribute]})
    found = ends(load(tmp_path), PROGRAMS[program])
    assert property in broken(found, ends(cpython, PROGRAMS[program]))


@pytest.mark.parametrize("program", ["acquired or late", "set or late", "late breaks"])
def test_time_outs_that_never_come_are_rejected(program, cpython, tmp_path, monkeypatch):
    for module in (patience, synchronizers):
        monkeypatch.setattr(module, "late", lambda scheduler, thread: False)
    found = broken(ends(load(tmp_path), PROGRAMS[program]), ends(cpython, PROGRAMS[program]))
    assert "EveryResult" in found


def test_a_time_out_while_the_action_runs_is_rejected(cpython, tmp_path, monkeypatch):
    def admits(self, thread):
        return self._barrier.phase != "filling" or patience.late(self._scheduler, thread)

    monkeypatch.setattr(synchronizers.Leaving, "admits", admits)
    program = PROGRAMS["late while the action runs"]
    with pytest.raises(RuleBroken, match="was let in although it has to wait"):
        ends(load(tmp_path), program)


def test_a_controlled_barrier_that_reopens_early_is_rejected(cpython, tmp_path, monkeypatch):
    monkeypatch.setattr(synchronizers, "ARRIVES", synchronizers.SETTLED)
    found = ends(load(tmp_path), PROGRAMS["four for two"])
    assert "NoOtherResult" in broken(found, ends(cpython, PROGRAMS["four for two"]))


# -- on real threads


def test_the_production_classes_are_those_of_threading():
    for name in ("Semaphore", "BoundedSemaphore", "Event", "Barrier", "BrokenBarrierError"):
        assert getattr(production, name) is getattr(threading, name)


ENDING = (
    "one place",
    "one after the other",
    "two at once",
    "attempts",
    "with",
    "bounded",
    "set",
    "looks",
    "meet",
    "two rounds",
)
"""Programs that end whatever the schedule."""


@pytest.mark.parametrize("name", ENDING)
def test_threading_itself_ends_as_some_schedule(name, steps):
    expected = ends(steps, PROGRAMS[name])
    assert all(done for done, _ in expected)
    for _ in range(5):
        assert BOX.on_threads(PROGRAMS[name]) in expected


# -- the race detector


@pytest.mark.parametrize(
    "sound, racing",
    [
        (scenario(value=1, a="hold", b="hold"), scenario(value=2, a="hold", b="hold")),
        (
            scenario(value=0, a="fill; release 1", b="acquire; peek"),
            scenario(value=0, a="release 1; fill", b="acquire; peek"),
        ),
        (scenario(a="fill; set", b="wait; peek"), scenario(a="set; fill", b="wait; peek")),
        (scenario(a="fill; meet", b="meet; peek"), scenario(a="fill; meet", b="peek; meet")),
    ],
    ids=["exclusion", "semaphore", "event", "barrier"],
)
def test_what_one_thread_does_before_is_seen_by_those_behind(steps, sound, racing):
    for program, reported in ((sound, False), (racing, True)):
        race = RaceDetector()
        result = random_schedules(steps, program, schedules=60, race=race)
        assert result.outcome == "passed" and bool(race.found) is reported
