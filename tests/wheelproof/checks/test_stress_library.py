"""Real threads at Python's synchronizers and queues: a planted fault shows in how a round ends."""

from types import ModuleType

import pytest

from impl import runtime as production
from wheelproof.stress import faults
from wheelproof.stress.library import CLASSES, recorder
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.stress.rounds import FINAL_STATE, IMPATIENT, Stress

ROUNDS = 400
IMPLEMENTATION = """
from wheelproof_runtime import *


class Box:
    def __init__(self):
        self.mine = {made}
        self.seen = ()
        self.count = 0

    def first(self):
{first}

    def second(self):
{second}
"""
HARNESS = """
from impl import box

SUBJECT = ("impl.box",)


class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box()
        self.names = {{"box": self.box}}

    def first(self):
        self.box.first()

    def second(self):
        self.box.second()


def shared(harness):
    box = harness.box
    return {{"seen": box.seen, "count": (box.count,), "rest": ({rest})}}
"""
COUNTS = ("with self.mine:", "    count = self.count", "    self.count = count + 1")
PROGRAMS = {
    "Semaphore": ("Semaphore(1)", COUNTS, COUNTS, "box.mine.value,", {((), (2,), (1,))}),
    "BoundedSemaphore": (
        "BoundedSemaphore()",
        COUNTS,
        COUNTS,
        "box.mine.value,",
        {((), (2,), (1,))},
    ),
    "Event": (
        "Event()",
        ("self.count = 7", "self.mine.set()"),
        ("self.mine.wait()", "self.seen = (self.count,)"),
        "box.mine.flag, box.mine.asleep",
        {((7,), (7,), (True, ()))},
    ),
    "Barrier": (
        "Barrier(2)",
        ("self.count = 7", "self.mine.wait()"),
        ("self.mine.wait()", "self.seen = (self.count,)"),
        "box.mine.phase, box.mine.inside",
        {((7,), (7,), ("filling", ()))},
    ),
    **{
        name: (
            f"{name}()",
            ("self.mine.put(3)",),
            ("self.seen = (self.mine.get(),)", "self.mine.task_done()"),
            "box.mine.items, box.mine.unfinished",
            {((3,), (0,), ((), 0))},
        )
        for name in ("Queue", "LifoQueue", "PriorityQueue")
    },
    "SimpleQueue": (
        "SimpleQueue()",
        ("self.mine.put(3)", "self.mine.put(4)"),
        ("self.seen = (self.mine.get(),)",),
        "*box.mine.items, box.mine.items",
        {((3,), (0,), (4, (4,)))},
    ),
}
"""Primitive -> how it is made, two threads' lines, how it rests, and the ends of sound rounds: what
is seen, counted and at rest."""
SCENARIO = {"threads": {"a": [("first",)], "b": [("second",)]}}
PLANTED = {fault.primitive: name for name, fault in faults.FAULTS.items() if not fault.operation}


def runs(folder, primitive, fault=""):
    made, first, second, rest, ends = PROGRAMS[primitive]
    for place, text in {
        "impl/box.py": IMPLEMENTATION.format(
            made=made,
            first="\n".join(f"        {line}" for line in first),
            second="\n".join(f"        {line}" for line in second),
        ),
        "harness/box.py": HARNESS.format(rest=rest),
    }.items():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    implementation = ProductionImplementation(folder, "box", fault=fault)
    result = Stress(implementation, SCENARIO, patience=IMPATIENT).run(
        ROUNDS, {(count, rest, seen): set() for seen, count, rest in ends}
    )
    return implementation.observer.used, result.finding


def test_each_class_has_a_program_and_a_fault():
    assert set(PROGRAMS) == set(CLASSES) <= set(PLANTED)


@pytest.mark.daily(2)
@pytest.mark.parametrize("primitive", PROGRAMS)
def test_a_sound_class_is_noted_and_its_fault_breaks_the_end(tmp_path, primitive):
    used, finding = runs(tmp_path, primitive)
    assert {name.partition(".")[0] for name in used} == {primitive} and finding is None
    assert not {name for name in used if name.endswith(".shutdown")}, "no fault needs it"
    _, finding = runs(tmp_path, primitive, PLANTED[primitive])
    assert finding is not None and finding.properties == {FINAL_STATE}


@pytest.mark.parametrize("primitive", ["Semaphore", "Event", "Queue"])
def test_a_fault_that_changes_nothing_is_not_found(tmp_path, primitive, monkeypatch):
    same = faults.Fault(primitive, lambda production: getattr(production, primitive))
    monkeypatch.setitem(faults.FAULTS, PLANTED[primitive], same)
    assert runs(tmp_path, primitive, PLANTED[primitive])[1] is None


def shuts_down(self, immediate=False):
    """What Python 3.13 does to a queue at which no thread waits."""
    self.is_shutdown = True


def test_a_queue_that_is_never_shut_down_is_planted_where_a_thread_shuts_one_down():
    """Before Python 3.13 the queue gets what it lacks."""
    used = set()
    home = ModuleType("home")
    home.Queue = type("Queue", (production.Queue,), {"shutdown": shuts_down})
    sound = recorder("Queue", home.Queue, used)()
    sound.put(1)
    assert sound.get() == 1 and not sound.shut
    fault = faults.FAULTS["Queue is never shut down"]
    assert faults.FAULTS[PLANTED["Queue"]].needs in used and fault.needs not in used
    sound.shutdown()
    assert sound.shut and fault.needs in used
    broken = recorder("Queue", fault.build(home), used)()
    broken.shutdown()
    assert not broken.shut, "the end of a round shows it"
