"""``shutdown`` of queues under control is that of Python 3.13: compared with CPython's source."""

import queue

import pytest

from impl import runtime as production
from tests.nights import only
from tests.wheelproof.python.runtime.boxes import broken, ends, plant
from tests.wheelproof.python.runtime.shutdown_box import BOX, load, of_cpython, scenario
from wheelproof.python import RaceDetector, random_schedules
from wheelproof.python.runtime import queues

LIFO, PRIORITY = 1, 2
PROGRAMS = {
    "a get goes on": scenario(a="get", b="shut"),
    "what is there is handed out": scenario(items=(1,), a="get; get", b="shut"),
    "nothing is handed out": scenario(items=(1, 2), a="get", b="shut_now", c="size"),
    "a put goes on": scenario(room=1, items=(5,), a="put 1", b="shut", c="get"),
    "a put alone goes on": scenario(room=1, items=(5,), a="put 1", b="shut"),
    "no put comes after it": scenario(a="put 1; try_put 2", b="shut"),
    "attempts": scenario(room=1, a="try_put 1; try_get; try_get", b="shut"),
    "joined by it": scenario(items=(1, 2), a="join", b="shut_now"),
    "not joined by it": scenario(items=(1, 2), a="join", b="get; shut_now"),
    "joined after it": scenario(items=(1,), a="join", b="get; shut_now; done"),
    "it leaves what is undone": scenario(items=(1,), a="join", b="shut; get; done"),
    "twice": scenario(items=(1,), a="shut; shut_now; size", b="get"),
    "last first": scenario(LIFO, items=(1, 2), a="get; get; get", b="shut"),
    "smallest first": scenario(PRIORITY, items=(2, 1), a="get; get; get", b="shut"),
    "a get in time": scenario(a="get_within 2", b="sleep 1; shut"),
    "a get or late": scenario(a="get_within 1", b="sleep 1; shut"),
    "a put in time": scenario(room=1, items=(5,), a="put_within 2", b="sleep 1; shut"),
    "a put or late": scenario(room=1, items=(5,), a="put_within 1", b="sleep 1; shut; get"),
    "late before the time-out is judged": scenario(a="get_within -1", b="shut"),
}
ENDING = {name: program for name, program in PROGRAMS.items() if "judged" not in name}
"""Those in which no thread raises what it does not expect."""

BY_DAY = ("what is there is handed out", "a put goes on", "joined by it", "a get or late")


@pytest.fixture(scope="module", autouse=True)
def as_in_3_13():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(queues.Queue, "shutdown", queues.shut_down, raising=False)
        yield


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    return load(tmp_path_factory.mktemp("steps"))


@pytest.fixture(scope="module")
def cpython(tmp_path_factory):
    return load(tmp_path_factory.mktemp("cpython"), of_cpython())


@pytest.mark.parametrize("name", only(PROGRAMS, *BY_DAY))
def test_all_schedules_end_as_those_of_cpythons_source(name, steps, cpython):
    assert broken(ends(steps, PROGRAMS[name]), ends(cpython, PROGRAMS[name])) == ()


CPYTHON_FAULTS = {
    "it wakes no getter": (
        "a get goes on",
        ("Queue", "self.not_empty.notify_all()", "pass"),
        "NoDeadlock",
    ),
    "it wakes no putter": (
        "a put alone goes on",
        ("Queue", "self.not_full.notify_all()", "pass"),
        "NoDeadlock",
    ),
    "it hands out nothing": (
        "what is there is handed out",
        ("Queue", "            if immediate:", "            if True:"),
        "NoOtherResult",
    ),
}


@pytest.mark.parametrize("fault", only(CPYTHON_FAULTS, "it wakes no getter"))
def test_a_fault_in_the_source_is_rejected_by_name(fault, steps, tmp_path):
    name, change, property = CPYTHON_FAULTS[fault]
    faulty = load(tmp_path, of_cpython([change]))
    assert property in broken(ends(faulty, PROGRAMS[name]), ends(steps, PROGRAMS[name]))


CONTROLLED_FAULTS = [
    ("is_over", lambda self: False, "a get goes on", "NoDeadlock"),
    ("may_arrive", lambda self: self.has_room(), "a put alone goes on", "NoDeadlock"),
    ("is_over", lambda self: self.shut, "what is there is handed out", "NoOtherResult"),
]


@pytest.mark.parametrize("attribute, wrong, program, property", CONTROLLED_FAULTS)
def test_a_fault_in_a_controlled_class_is_rejected_by_name(
    attribute, wrong, program, property, cpython, tmp_path, monkeypatch
):
    plant(monkeypatch, "Queue", **{attribute: wrong})
    found = ends(load(tmp_path), PROGRAMS[program])
    assert property in broken(found, ends(cpython, PROGRAMS[program]))


def test_a_python_without_it_has_none_under_control_either(tmp_path, monkeypatch):
    monkeypatch.delattr(queues.Queue, "shutdown")
    program = scenario(a="size; shut")
    assert list(ends(load(tmp_path), program)) == [("raised", "AttributeError")]
    assert hasattr(production.Queue, "shutdown") == queues.SHUTS_DOWN
    assert issubclass(production.ShutDown, Exception)
    if queues.SHUTS_DOWN:
        assert production.ShutDown is queue.ShutDown is queues.ShutDown


@pytest.mark.skipif(
    not hasattr(queue.Queue, "shutdown"), reason="Python before 3.13 shuts down no queue"
)
def test_queue_itself_ends_as_some_schedule(steps):
    for name in ("what is there is handed out", "joined by it", "attempts"):
        expected = ends(steps, PROGRAMS[name])
        for _ in range(5):
            assert BOX.on_threads(PROGRAMS[name]) in expected


def test_what_comes_before_it_is_ordered_before_the_exception(steps):
    def races(program):
        return random_schedules(steps, program, schedules=40, race=RaceDetector()).races

    assert not races(scenario(a="fill; shut", b="get; peek"))
    assert races(scenario(a="shut; fill", b="get; peek")), "the control"
