"""Queues under control are those of ``queue``: compared with CPython's own source of them.

The source runs on the controlled condition; all ends of all schedules are compared.
"""

import queue

import pytest

from impl import runtime as production
from tests.wheelproof.python.runtime.boxes import broken, ends, plant
from tests.wheelproof.python.runtime.queue_box import BOX, load, of_cpython, scenario
from wheelproof.python import RaceDetector, random_schedules
from wheelproof.python.runtime import patience
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.primitives import runtime_module

FIFO, LIFO, PRIORITY, SIMPLE = range(4)
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
    "simple": scenario(SIMPLE, a="put 1; put 2", b="get; get"),
    "simple with two getters": scenario(SIMPLE, a="get", b="get", c="put 1; put 2"),
    "simple and never enough": scenario(SIMPLE, a="get; get", b="put 1"),
    "simple attempts": scenario(SIMPLE, a="try_put 1; try_get", b="try_get; try_put 2"),
    "simple attempts by name": scenario(SIMPLE, a="put_now 1; get_now", b="get_now; put_now 2"),
    "simple looks": scenario(SIMPLE, a="size; is_empty", b="put 1; get"),
    "simple and in time": scenario(SIMPLE, a="get_within 2", b="sleep 1; put 1"),
    "simple or late": scenario(SIMPLE, a="get_within 2", b="sleep 2; put 1"),
    "simple and two are late": scenario(
        SIMPLE, a="get_within 1", b="get_within 2", c="sleep 2; put 1"
    ),
    "simple while time stands still": scenario(SIMPLE, a="get_within 1", b="sleep 0"),
    "simple and no time at all": scenario(SIMPLE, a="get_within 0", b="put 1"),
    "simple and room without end": scenario(SIMPLE, items=(1, 2), a="put_within 0", b="get"),
    "simple puts wait for nothing": scenario(SIMPLE, items=(1,), a="put_within -1", b="get"),
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
        (
            "Queue",
            "self.all_tasks_done.notify_all()\n            self.unfinished",
            "pass\n            self.unfinished",
        ),
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
    "a simple put wakes no thread": (
        "simple",
        ("SimpleQueue", "self._count.release()", "pass"),
        "NoDeadlock",
    ),
    "the last of a simple queue comes first": (
        "simple",
        ("SimpleQueue", "self._queue.popleft()", "self._queue.pop()"),
        "NoOtherResult",
    ),
    "a simple get never comes too late": (
        "simple or late",
        ("SimpleQueue", "self._count.acquire(block, timeout)", "self._count.acquire(block)"),
        "EveryResult",
    ),
    "a simple get takes what is not there": (
        "simple attempts",
        ("SimpleQueue", "raise Empty", "pass"),
        "NoException",
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


def gives_nothing_late(self, waited):
    """A get that returns None where its time is up."""
    return type(self).__mro__[1].leave(self, waited) if self.items else None


@pytest.mark.parametrize(
    "name, attribute, wrong, program, property",
    [
        ("Queue", "with_item", forgets, "one after the other", "NoDeadlock"),
        ("Queue", "without_item", takes_the_last, "one after the other", "NoOtherResult"),
        ("Queue", "has_room", lambda self: True, "no room", "NoOtherResult"),
        ("Queue", "all_done", lambda self: False, "joined", "NoDeadlock"),
        ("LifoQueue", "with_item", forgets, "last first", "NoDeadlock"),
        ("PriorityQueue", "without_item", takes_the_last, "smallest first", "NoOtherResult"),
        ("SimpleQueue", "with_item", forgets, "simple", "NoDeadlock"),
        ("SimpleQueue", "without_item", takes_the_last, "simple", "NoOtherResult"),
        ("SimpleQueue", "has_some", lambda self: True, "simple attempts", "NoException"),
        ("SimpleQueue", "leave", gives_nothing_late, "simple or late", "NoOtherResult"),
    ],
)
def test_a_fault_in_a_controlled_class_is_rejected_by_name(
    name, attribute, wrong, program, property, cpython, tmp_path, monkeypatch
):
    plant(monkeypatch, name, **{attribute: wrong})
    found = ends(load(tmp_path), PROGRAMS[program])
    assert property in broken(found, ends(cpython, PROGRAMS[program]))


@pytest.mark.parametrize("program", ["got or late", "put or late", "simple or late"])
def test_time_outs_that_never_come_are_rejected(program, cpython, tmp_path, monkeypatch):
    monkeypatch.setattr(patience, "late", lambda scheduler, thread: False)
    found = ends(load(tmp_path), PROGRAMS[program])
    assert "EveryResult" in broken(found, ends(cpython, PROGRAMS[program]))


@pytest.mark.parametrize(
    "kind, operation", [(FIFO, "get_within"), (FIFO, "put_within"), (SIMPLE, "get_within")]
)
def test_a_negative_time_out_raises_as_pythons(kind, operation, steps, cpython):
    program = scenario(kind, room=1, a=f"sleep 0; {operation} -1")
    assert list(ends(steps, program)) == list(ends(cpython, program)) == [("raised", "ValueError")]


@pytest.mark.parametrize("timeout", [-1, -0.5, float("nan"), 1e12, 1e300, "soon"])
def test_a_simple_queue_refuses_the_time_outs_that_pythons_refuses(timeout, steps):
    """``queue._PySimpleQueue`` refuses fewer of them than the queue in C, which is production's."""
    pythons = production.SimpleQueue()
    pythons.put(1)
    with pytest.raises(Exception) as expected:
        pythons.get(True, timeout)
    program = scenario(SIMPLE, items=(1,), a="get_within 1")
    program["threads"]["a"][0][1] = timeout
    assert list(ends(steps, program)) == [("raised", expected.type.__name__)]


def test_a_simple_queue_that_refuses_no_time_out_is_rejected(tmp_path, monkeypatch):
    plant(monkeypatch, "SimpleQueue", judge=lambda self, timeout: None)
    program = scenario(SIMPLE, items=(1,), a="get_within -1")
    assert broken({("raised", "ValueError"): ()}, ends(load(tmp_path), program)) == (
        "NoException",
        "EveryResult",
    )


# -- on real threads


def test_the_production_classes_are_those_of_queue():
    for name in ("SimpleQueue", "Queue", "LifoQueue", "PriorityQueue", "Empty", "Full"):
        assert getattr(production, name) is getattr(queue, name)


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
    "simple",
    "simple with two getters",
    "simple attempts",
    "simple looks",
)
"""Programs that end whatever the schedule."""


@pytest.mark.parametrize("name", ENDING)
def test_queue_itself_ends_as_some_schedule(name, steps):
    expected = ends(steps, PROGRAMS[name])
    assert all(done for done, _ in expected)
    for _ in range(5):
        assert BOX.on_threads(PROGRAMS[name]) in expected


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
        (
            scenario(SIMPLE, a="fill; put 1", b="get; peek"),
            scenario(SIMPLE, a="put 1; fill", b="get; peek"),
        ),
    ],
    ids=["put and get", "done and join", "with a time-out", "simple"],
)
def test_what_one_thread_does_before_is_seen_by_those_behind(steps, sound, racing):
    for program, reported in ((sound, False), (racing, True)):
        race = RaceDetector()
        result = random_schedules(steps, program, schedules=60, race=race)
        assert result.outcome == "passed" and bool(race.found) is reported


@pytest.mark.parametrize("kind", ["Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"])
def test_outside_of_threads_an_operation_with_a_time_out_makes_no_step(kind):
    items = getattr(runtime_module(Scheduler()), kind)()
    items.put(1, timeout=2)
    items.put(2, True, 2)
    assert {items.get(timeout=2), items.get(True, 2)} == {1, 2}
    for own in (items, getattr(queue, kind)()):
        with pytest.raises(queue.Empty):
            own.get(True, 0)
        with pytest.raises(queue.Empty):
            own.get(False, -1)
        with pytest.raises(ValueError):
            own.get(True, -1)


@pytest.mark.parametrize("kind", ["Queue", "LifoQueue", "PriorityQueue"])
def test_outside_of_threads_a_full_queue_takes_nothing(kind):
    items = getattr(runtime_module(Scheduler()), kind)(1)
    for own in (items, getattr(queue, kind)(1)):
        own.put(1, timeout=2)
        with pytest.raises(queue.Full):
            own.put(2, timeout=0)
        with pytest.raises(queue.Full):
            own.put(2, False, -1)
        with pytest.raises(ValueError):
            own.put(2, True, -1)
