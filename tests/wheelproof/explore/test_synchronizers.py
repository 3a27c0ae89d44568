"""Semaphores, events and barriers under control are those of ``threading``.

Three ways run the same programs: the controlled classes, CPython's own source of the classes on the
controlled condition, and ``threading`` itself on real threads.
"""

import threading

import pytest

from impl import runtime as production
from tests.wheelproof.explore import synchronizer_box
from tests.wheelproof.explore.synchronizer_box import broken, ends, load, of_cpython, scenario
from wheelproof.explore import (
    RaceDetector,
    RuleBroken,
    random_schedules,
    registry,
    synchronizers,
)

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
}


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    return load(tmp_path_factory.mktemp("steps"))


@pytest.fixture(scope="module")
def cpython(tmp_path_factory):
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


def changed(name, **methods):
    """A builder of the controlled class of this name with other methods."""
    build = registry._REGISTRY[name]
    return lambda scheduler, earlier: type(
        name, (build(scheduler, earlier),), {"__slots__": (), **methods}
    )


def gives_nothing(self, n):
    """A release that no thread gets."""


@pytest.mark.parametrize(
    "name, attribute, program, property",
    [
        ("Semaphore", "give", "two at once", "NoDeadlock"),
        ("Event", "admits", "set", "NoDeadlock"),
        ("Barrier", "_left", "meet", "NoOtherResult"),
    ],
)
def test_a_fault_in_a_controlled_class_is_rejected_by_name(
    name, attribute, program, property, cpython, tmp_path, monkeypatch
):
    faulty = {"give": gives_nothing, "admits": lambda *_: False, "_left": lambda *_: 7}
    monkeypatch.setitem(registry._REGISTRY, name, changed(name, **{attribute: faulty[attribute]}))
    found = ends(load(tmp_path), PROGRAMS[program])
    assert property in broken(found, ends(cpython, PROGRAMS[program]))


def test_a_controlled_barrier_that_reopens_early_is_rejected(cpython, tmp_path, monkeypatch):
    monkeypatch.setattr(synchronizers, "ARRIVES", synchronizers.SETTLED)
    found = ends(load(tmp_path), PROGRAMS["four for two"])
    assert "NoOtherResult" in broken(found, ends(cpython, PROGRAMS["four for two"]))


# -- on real threads


class Real:
    """The box on ``threading`` itself."""

    def __init__(self, program):
        space = {"__name__": "box"}
        exec(compile(synchronizer_box.BOX, "box", "exec"), space)
        self.got = got = []

        class Noted(space["Box"]):
            def note(self, value):
                got.append((threading.current_thread().name, value))

        self.box = Noted(program["value"], program["parties"])
        self.threads = [
            threading.Thread(target=self.run, args=(operations,), name=name, daemon=True)
            for name, operations in program["threads"].items()
        ]

    def run(self, operations):
        for name, *arguments in operations:
            getattr(self.box, name)(*arguments)

    def end(self):
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in self.threads)
        return True, tuple(
            tuple(value for name, value in self.got if name == thread.name)
            for thread in self.threads
        )


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
        assert Real(PROGRAMS[name]).end() in expected


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


# -- what is refused


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("semaphore.acquire()", "semaphore.acquire(True, 1)", "Semaphore: a wait with a time-out"),
        ("event.wait()", "event.wait(1)", "Event: a wait with a time-out"),
        ("barrier.wait()", "barrier.wait(1)", "Barrier: a wait with a time-out"),
    ],
)
def test_a_time_out_is_refused(tmp_path, monkeypatch, old, new, message):
    monkeypatch.setattr(synchronizer_box, "BOX", synchronizer_box.BOX.replace(old, new))
    operation = {"s": "acquire", "e": "wait", "b": "meet"}[old[0]]
    with pytest.raises(RuleBroken, match=message):
        load(tmp_path).begin(scenario(a=operation))
