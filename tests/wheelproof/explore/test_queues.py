"""Queues under control are those of ``queue``: compared with CPython's own source of them.

The source runs on the controlled condition; all ends of all schedules are compared.
"""

import queue
import threading

import pytest

from impl import runtime as production
from tests.wheelproof.explore import queue_box
from tests.wheelproof.explore.queue_box import load, of_cpython, scenario
from tests.wheelproof.explore.synchronizer_box import broken, ends
from wheelproof.explore import RaceDetector, patience, random_schedules, registry

FIFO, LIFO, PRIORITY = range(3)
PROGRAMS = {
    "one after the other": scenario(a="put 1; put 2", b="get; get"),
    "room for one": scenario(room=1, a="put 1; put 2", b="get; get"),
    "no room": scenario(room=1, items=(5,), a="put 1", b="try_put 2", c="get"),
    "two getters": scenario(a="get", b="get", c="put 1; put 2"),
    "never enough": scenario(a="get; get", b="put 1"),
    "never room": scenario(room=1, a="put 1; put 2"),
    "attempts": scenario(room=1, a="try_put 1; try_get", b="try_get; try_put 2"),
    "attempts by name": scenario(room=1, a="put_now 1; get_now", b="get_now; put_now 2"),
    "looks": scenario(room=1, a="size; is_empty; is_full", b="put 1; get"),
    "last first": scenario(LIFO, a="put 1; put 2", b="get; get"),
    "smallest first": scenario(PRIORITY, items=(3, 1), a="put 2", b="get; get; get"),
    "joined": scenario(items=(1,), a="get; done", b="join"),
    "joined behind two": scenario(a="put 1; join; size", b="get; done"),
    "never done": scenario(a="put 1; join", b="get"),
    "done too often": scenario(a="done", b="put 1; done"),
    "got in time": scenario(a="get_within 2", b="sleep 1; put 1"),
    "got or late": scenario(a="get_within 2", b="sleep 2; put 1"),
    "put in time": scenario(room=1, items=(5,), a="put_within 2", b="sleep 1; get"),
    "put or late": scenario(room=1, items=(5,), a="put_within 2", b="sleep 2; get"),
    "two are late": scenario(a="get_within 1", b="get_within 2", c="sleep 2; put 1"),
    "time stands still": scenario(a="get_within 1", b="sleep 0"),
    "no time at all": scenario(a="get_within 0", b="put 1"),
    "room without end": scenario(a="put_within 1", b="get"),
}


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    return load(tmp_path_factory.mktemp("steps"))


@pytest.fixture(scope="module")
def cpython(tmp_path_factory):
    return load(tmp_path_factory.mktemp("cpython"), of_cpython())


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_schedules_end_as_those_of_cpythons_source(name, steps, cpython):
    assert broken(ends(steps, PROGRAMS[name]), ends(cpython, PROGRAMS[name])) == ()


CPYTHON_FAULTS = {
    "a put wakes no thread": (
        "one after the other",
        ("Queue", "self.not_empty.notify()", "pass"),
        "NoDeadlock",
    ),
    "a get wakes no thread": (
        "room for one",
        ("Queue", "self.not_full.notify()", "pass"),
        "NoDeadlock",
    ),
    "no thread hears that all is done": (
        "joined",
        ("Queue", "self.all_tasks_done.notify_all()", "pass"),
        "NoDeadlock",
    ),
    "the last comes first": (
        "one after the other",
        ("Queue", "self.queue.popleft()", "self.queue.pop()"),
        "NoOtherResult",
    ),
    "the last comes last": (
        "last first",
        ("LifoQueue", "self.queue.pop()", "self.queue.pop(0)"),
        "EveryResult",
    ),
    "no order": (
        "smallest first",
        ("PriorityQueue", "heappop(self.queue)", "self.queue.pop()"),
        "NoOtherResult",
    ),
}


@pytest.mark.parametrize("fault", CPYTHON_FAULTS)
def test_a_fault_in_the_source_is_rejected_by_name(fault, steps, tmp_path):
    name, change, property = CPYTHON_FAULTS[fault]
    faulty = load(tmp_path, of_cpython([change]))
    assert property in broken(ends(faulty, PROGRAMS[name]), ends(steps, PROGRAMS[name]))


def forgets(self, items, item):
    """A put that loses its item."""
    return items


def takes_the_last(self, items):
    return items[-1], items[:-1]


@pytest.mark.parametrize(
    "name, attribute, wrong, program, property",
    [
        ("Queue", "added", forgets, "one after the other", "NoDeadlock"),
        ("Queue", "taken", takes_the_last, "one after the other", "NoOtherResult"),
        ("Queue", "has_room", lambda self: True, "no room", "NoOtherResult"),
        ("Queue", "all_done", lambda self: False, "joined", "NoDeadlock"),
        ("LifoQueue", "added", forgets, "last first", "NoDeadlock"),
        ("PriorityQueue", "taken", takes_the_last, "smallest first", "NoOtherResult"),
    ],
)
def test_a_fault_in_a_controlled_class_is_rejected_by_name(
    name, attribute, wrong, program, property, cpython, tmp_path, monkeypatch
):
    build = registry._REGISTRY[name]
    monkeypatch.setitem(
        registry._REGISTRY,
        name,
        lambda scheduler, earlier: type(
            name, (build(scheduler, earlier),), {"__slots__": (), attribute: wrong}
        ),
    )
    found = ends(load(tmp_path), PROGRAMS[program])
    assert property in broken(found, ends(cpython, PROGRAMS[program]))


@pytest.mark.parametrize("program", ["got or late", "put or late"])
def test_time_outs_that_never_come_are_rejected(program, cpython, tmp_path, monkeypatch):
    monkeypatch.setattr(patience, "late", lambda scheduler, thread: False)
    found = ends(load(tmp_path), PROGRAMS[program])
    assert "EveryResult" in broken(found, ends(cpython, PROGRAMS[program]))


@pytest.mark.parametrize("operation", ["get_within", "put_within"])
def test_a_negative_time_out_raises_as_pythons(operation, steps, cpython):
    program = scenario(room=1, a=operation)
    program["threads"]["a"][0].append(-1)
    assert list(ends(steps, program)) == list(ends(cpython, program)) == [("raised", "ValueError")]


# -- on real threads


def test_the_production_classes_are_those_of_queue():
    for name in ("Queue", "LifoQueue", "PriorityQueue", "Empty", "Full"):
        assert getattr(production, name) is getattr(queue, name)


def on_threads(program):
    """The end of a program on the standard library's queues and threads."""
    space = {"__name__": "box"}
    exec(compile(queue_box.BOX, "box", "exec"), space)
    got = []

    class Noted(space["Box"]):
        def note(self, value):
            got.append((threading.current_thread().name, value))

    box = Noted(program["kind"], program["room"], program["items"])

    def run(operations):
        for name, *arguments in operations:
            getattr(box, name)(*arguments)

    threads = [
        threading.Thread(target=run, args=(operations,), name=name, daemon=True)
        for name, operations in program["threads"].items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    return True, tuple(
        tuple(value for name, value in got if name == thread.name) for thread in threads
    )


ENDING = (
    "one after the other",
    "room for one",
    "two getters",
    "attempts",
    "attempts by name",
    "looks",
    "smallest first",
    "joined",
    "joined behind two",
)
"""Programs that end whatever the schedule."""


@pytest.mark.parametrize("name", ENDING)
def test_queue_itself_ends_as_some_schedule(name, steps):
    expected = ends(steps, PROGRAMS[name])
    assert all(done for done, _ in expected)
    for _ in range(5):
        assert on_threads(PROGRAMS[name]) in expected


# -- the race detector


@pytest.mark.parametrize(
    "sound, racing",
    [
        (scenario(a="fill; put 1", b="get; peek"), scenario(a="put 1; fill", b="get; peek")),
        (
            scenario(items=(1,), a="fill; done", b="join; peek"),
            scenario(items=(1,), a="done; fill", b="join; peek"),
        ),
        (
            scenario(a="fill; put 1", b="get_within 1; peek"),
            scenario(room=1, a="get_within 1; fill", b="put 1; peek"),
        ),
    ],
    ids=["put and get", "done and join", "with a time-out"],
)
def test_what_one_thread_does_before_is_seen_by_those_behind(steps, sound, racing):
    for program, reported in ((sound, False), (racing, True)):
        race = RaceDetector()
        result = random_schedules(steps, program, schedules=60, race=race)
        assert result.outcome == "passed" and bool(race.found) is reported
