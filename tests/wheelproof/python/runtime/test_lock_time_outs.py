"""Locks under control have the time-outs of Python's locks.

Python's locks are written in C. So a lock from the documentation, on the controlled condition, runs
the same programs. All ends of all schedules are compared.
"""

import math
import threading

import pytest

from impl import runtime as production
from tests.nights import only
from tests.wheelproof.python.runtime.boxes import broken, ends, plant
from tests.wheelproof.python.runtime.lock_box import BOX, load, reference, scenario
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    RuleBroken,
    random_schedules,
)
from wheelproof.python.runtime import (
    conditions,
    locks,
    patience,
)

PROGRAMS = {
    "free": scenario(a="take_within 1; give", b="sleep 1"),
    "in time": scenario(a="take; sleep 1; give", b="take_within 2; give"),
    "in time or late": scenario(a="take; give", b="take_within 1", c="sleep 1"),
    "late": scenario(a="take", b="take_within 1", c="sleep 1"),
    "two are late": scenario(a="take; give", b="take_within 1", c="take_within 2", d="sleep 2"),
    "again": scenario(a="take; give", b="take_within 1; take_within 1", c="sleep 1; sleep 1"),
    "time stands still": scenario(a="take", b="take_within 1", c="sleep 0"),
    "no time at all": scenario(a="take; give", b="take_within 0"),
    "without an end": scenario(a="take; give", b="take_within_any -1", c="sleep 1"),
    "never given back": scenario(a="take", b="take_within_any -1", c="sleep 1"),
    "by either line": scenario(a="take; give", b="take_within_any 1", c="sleep 1"),
    "its own lock": scenario(a="take; take_within 1; give", b="sleep 1"),
    "beside attempts": scenario(a="take; give", b="take_within 1; give", c="attempt; sleep 1"),
    "the lock of another": scenario(a="take; take_within 1", b="sleep 1; give"),
    "looks": scenario(a="take; give", b="look; look"),
    "looks at its own": scenario(a="take; look; give; look", b="sleep 0"),
    "by its condition": scenario(a="take; give", b="take_changed_within 1", c="sleep 1"),
    "by its condition in time": scenario(a="take; sleep 1; give", b="take_changed_within 2"),
    "held": scenario(a="hold_within 1", b="hold_within 1", c="sleep 1"),
    "monitor": scenario(a="enter; leave", b="enter_within 1", c="sleep 1"),
    "monitor in time": scenario(a="enter; sleep 1; leave", b="enter_within 2"),
    "monitor again": scenario(a="enter; enter_within 1; leave; leave", b="enter_within 1; sleep 1"),
    "monitor never left": scenario(a="enter; enter_within 0; leave", b="enter_within 1; sleep 1"),
    "monitor while time stands still": scenario(a="enter", b="enter_within 1"),
}


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    return load(tmp_path_factory.mktemp("steps"))


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    return load(tmp_path_factory.mktemp("documented"), reference())


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_schedules_end_as_those_of_the_documented_lock(name, steps, documented):
    program = PROGRAMS[name]
    assert broken(ends(steps, program), ends(documented, program)) == ()


def test_a_monitor_shows_whether_it_is_taken_where_pythons_does(tmp_path, monkeypatch):
    """From Python 3.14 on. Before, there is no such method, under control as in production."""
    assert hasattr(production.Monitor(), "locked") == locks.MONITORS_SHOW
    program = scenario(a="enter; look_inside; leave", b="sleep 0")
    for shows, expected in ((False, ("raised", "AttributeError")), (True, (True, ((True,), ())))):
        if shows != locks.MONITORS_SHOW:  # as another Python has it
            other = locks.Lock.locked if shows else property()
            monkeypatch.setattr(locks.Monitor, "locked", other)
        else:
            monkeypatch.undo()
        assert list(ends(load(tmp_path), program)) == [expected]


def test_a_monitor_may_keep_pythons_name(steps, tmp_path):
    renamed = BOX.text.replace("Lock, Monitor\n", "Lock, Monitor as RLock\n")
    renamed = renamed.replace("Monitor()", "RLock()")
    assert renamed.count("RLock") == 2
    program = PROGRAMS["monitor again"]
    assert (
        broken(ends(BOX._replace(text=renamed).load(tmp_path), program), ends(steps, program)) == ()
    )


REFERENCE_FAULTS = {
    "a release wakes no thread": (
        "without an end",
        ("Lock", "self.changed.notify()", "pass"),
        "NoDeadlock",
    ),
    "a late thread goes on waiting": (
        "late",
        ("Lock", "if left <= 0:", "if False:"),
        "EveryResult",
    ),
    "a late thread has the lock": (
        "late",
        (
            "Lock",
            "if left <= 0:\n                    return False",
            "if left <= 0:\n                    break",
        ),
        "NoOtherResult",
    ),
    "a thread gives up before its time": (
        "in time",
        ("Lock", "left = end - monotonic()", "left = 0"),
        "NoOtherResult",
    ),
    "a monitor waits for itself": (
        "monitor again",
        ("Monitor", "if self._owner == me:", "if False:"),
        "NoDeadlock",
    ),
    "a late thread is in the monitor": (
        "monitor",
        ("Monitor", "return rc", "return True"),
        "EveryResult",
    ),
    "a monitor forgets its time-out": (
        "monitor",
        ("Monitor", "self._block.acquire(blocking, timeout)", "self._block.acquire(blocking)"),
        "EveryResult",
    ),
}


@pytest.mark.parametrize("fault", REFERENCE_FAULTS)
def test_a_fault_in_the_documented_lock_is_rejected_by_name(fault, steps, tmp_path):
    name, change, property = REFERENCE_FAULTS[fault]
    faulty = load(tmp_path, reference([change]))
    assert property in broken(ends(faulty, PROGRAMS[name]), ends(steps, PROGRAMS[name]))


@pytest.mark.parametrize(
    "name, attribute, wrong, program, property",
    [
        ("Lock", "gives_up", lambda self, thread: True, "in time", "NoOtherResult"),
        ("Lock", "falls_asleep", lambda *_: False, "in time", "NoOtherResult"),
        ("Monitor", "gives_up", lambda self, thread: True, "monitor in time", "NoOtherResult"),
        ("Lock", "locked", lambda self: False, "looks at its own", "NoOtherResult"),
        ("Monitor", "reentrant", False, "monitor again", "EveryResult"),
    ],
)
def test_a_fault_in_a_controlled_lock_is_rejected_by_name(
    name, attribute, wrong, program, property, documented, tmp_path, monkeypatch
):
    plant(monkeypatch, name, **{attribute: wrong})
    found = ends(load(tmp_path), PROGRAMS[program])
    assert property in broken(found, ends(documented, PROGRAMS[program]))


@pytest.mark.parametrize("program", ["late", "monitor"])
def test_time_outs_that_never_come_are_rejected(program, documented, tmp_path, monkeypatch):
    monkeypatch.setattr(patience, "late", lambda scheduler, thread: False)
    found = ends(load(tmp_path), PROGRAMS[program])
    assert "EveryResult" in broken(found, ends(documented, PROGRAMS[program]))


def test_a_condition_that_forgets_the_time_out_is_rejected(documented, tmp_path, monkeypatch):
    monkeypatch.setattr(conditions, "Patience", lambda scheduler, lock: lock)
    found = ends(load(tmp_path), PROGRAMS["by its condition"])
    assert "EveryResult" in broken(found, ends(documented, PROGRAMS["by its condition"]))


def test_a_monitor_that_excludes_no_thread_has_the_same_labels(tmp_path):
    text = BOX.text.replace("Condition, Lock, Monitor\n", "Condition, Lock, NoMonitor as Monitor\n")
    found = ends(BOX._replace(text=text).load(tmp_path), PROGRAMS["monitor never left"])
    assert set(found) == {(True, ((True,), (True,)))}


def test_the_end_of_a_time_out_is_part_of_the_state(steps):
    program, table = scenario(a="take", b="take_within 1", c="sleep 1"), {}

    def after(*schedule):
        run = steps.begin(program, intern=table)
        for thread in schedule:
            run.step(thread)
        state, able = run.fingerprint(), set(run.enabled())
        run.end()
        return state, able

    (early, may_wake), (late, sleeps) = after(0, 1, 2), after(0, 2, 1)
    assert early != late and (may_wake, sleeps) == ({1}, set())
    assert after(0, 1, 2) == (early, may_wake)


# -- deadlocks

OPPOSITE = """
    def forth(self, n):
        self.lock.acquire()  # lock O1
        got = self.other.acquire(timeout=n)  # wait O2, wake O3, lock O4
        self.note(got)
        if got:
            self.other.release()  # unlock O5
        self.lock.release()  # unlock O6

    def back(self):
        self.other.acquire()  # lock O7
        self.lock.acquire()  # lock O8
        self.lock.release()  # unlock O9
        self.other.release()  # unlock O10
"""


@pytest.fixture(scope="module")
def opposite(tmp_path_factory):
    """Two threads that take two locks in opposite orders."""
    text = BOX.text.replace('"lock",', '"lock", "other",').replace(
        "self.lock, self.monitor,", "self.other, self.lock, self.monitor,"
    )
    text = text.replace(" = Lock(), Monitor(),", " = Lock(), Lock(), Monitor(),") + OPPOSITE
    return BOX._replace(text=text).load(tmp_path_factory.mktemp("opposite"))


@pytest.mark.parametrize(
    "clock, timeout, deadlocks",
    [("clock_on", 1, False), ("sleep 0", 1, True), ("clock_on", -1, True), ("sleep 1", 1, True)],
    ids=["time passes", "no time passes", "no time-out", "time has passed before"],
)
def test_a_time_out_resolves_a_deadlock_where_time_passes(clock, timeout, deadlocks, opposite):
    program = scenario(a=f"forth {timeout}", b="back", c=clock)
    assert (False in {done for done, _ in ends(opposite, program)}) is deadlocks


# -- what is refused

ARGUMENTS = [
    (False, 1),
    (False, 0),
    (True, -2),
    (True, -0.5),
    (True, 2 * threading.TIMEOUT_MAX),
    (True, 1e300),
    (True, math.nan),
    (True, None),
    (True, "soon"),
]
"""Arguments that Python's ``acquire`` refuses."""


def raised(call, *arguments):
    with pytest.raises(Exception) as error:
        call(*arguments)
    return error.type


CALL = """
    def call(self, which, blocking, timeout):
        lock = getattr(self, which)
        taken = lock.acquire(blocking, timeout)  # wait K1, wake K2, lock K3
        self.note(taken)
"""


@pytest.fixture(scope="module")
def called(tmp_path_factory):
    root = tmp_path_factory.mktemp("called")
    load(root)
    for file, text in (
        ("impl", CALL),
        ("harness", "    def call(self, *given):\n        self.box.call(*given)\n\ndef shared"),
    ):
        path = root / file / "box.py"
        old = path.read_text(encoding="utf-8")
        path.write_text(old + text if file == "impl" else old.replace("def shared", text))
    return ControlledImplementation.load(root, "box", lint=False)


def called_with(implementation, which, arguments):
    """The ends of a thread that calls ``acquire`` in its second step."""
    program = [["sleep", 0], ["call", which, *arguments]]
    return list(ends(implementation, {"threads": {"a": program}}))


@pytest.mark.parametrize("which", ["lock", "monitor", "changed"])
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments_are_refused_as_pythons_locks_refuse_them(which, arguments, called):
    makes = {
        "lock": production.Lock,
        "monitor": production.Monitor,
        "changed": production.Condition,
    }
    expected = raised(makes[which]().acquire, *arguments)
    assert called_with(called, which, arguments) == [("raised", expected.__name__)]


@pytest.mark.parametrize("arguments", [(True, -1), (True, -1.0), (True, threading.TIMEOUT_MAX)])
def test_no_time_out_is_one_step_of_kind_lock(arguments, called):
    assert production.Lock().acquire(*arguments)
    assert called_with(called, "lock", arguments) == [(True, ((True,),))]
    run = called.begin({"threads": {"a": [["call", "lock", *arguments]]}})
    assert run.enabled() == {0: "K3"}
    run.end()


def test_a_lock_that_refuses_no_argument_is_rejected(called, monkeypatch):
    monkeypatch.setattr(locks, "is_limited", lambda blocking, timeout: blocking and timeout != -1)
    assert ("raised", "ValueError") not in called_with(called, "lock", (True, -2))


def test_a_timed_acquire_needs_the_labels_of_a_wait(tmp_path):
    text = BOX.text.replace("# wait L3, wake L4", "# lock L3")
    run = BOX._replace(text=text).load(tmp_path).begin(scenario(a="sleep 0; take_within 1"))
    with pytest.raises(RuleBroken, match="wait without a label in take_within"):
        run.step(0)


def test_a_timed_acquire_within_an_operation_of_one_step_is_refused(tmp_path):
    (tmp_path / "impl").mkdir()
    (tmp_path / "harness").mkdir()
    load(tmp_path)
    (tmp_path / "impl" / "above.py").write_text(
        "from impl.box import Box\n\nclass Above:\n    __slots__ = ('box',)\n\n"
        "    def __init__(self):\n        self.box = Box()\n\n"
        "    def try_it(self):\n        self.box.take_within(1)  # update A1\n"
    )
    (tmp_path / "harness" / "above.py").write_text(
        "from impl import above\nSUBJECT = ('impl.above',)\nATOMIC = {'impl.box': ()}\n\n"
        "class Harness:\n    def __init__(self, scenario, impl=above):\n"
        "        self.above = impl.Above()\n"
        "        self.names = {'above': self.above}\n\n"
        "    def try_it(self):\n        self.above.try_it()\n\n"
        "def shared(harness):\n    return {}\n"
    )
    run = ControlledImplementation.load(tmp_path, "above").begin(scenario(a="try_it"))
    with pytest.raises(RuleBroken, match="with a time-out within an atomic operation"):
        run.step(0)


# -- on real threads

ENDING = ("free", "in time", "beside attempts", "held", "its own lock")


@pytest.mark.parametrize("name", only(ENDING, "in time"))
def test_pythons_lock_ends_as_some_schedule(name, steps):
    ended = {end for end in ends(steps, PROGRAMS[name]) if end[0]}
    assert BOX.on_threads(PROGRAMS[name]) in ended


def test_the_production_locks_are_those_of_threading():
    assert production.Lock is threading.Lock and production.Monitor is threading.RLock


# -- the race detector


@pytest.mark.parametrize(
    "program, reported",
    [
        (scenario(a="hold_within 1", b="hold_within 1"), False),
        (scenario(a="hold_within 1", b="fill"), True),
        (scenario(a="take; fill; give", b="take_within 1; peek; give"), False),
        (scenario(a="take; fill; give", b="take_within 1; peek", c="sleep 1"), True),
    ],
    ids=["exclusion", "no lock", "in time", "late"],
)
def test_a_lock_that_was_taken_in_time_orders_accesses(steps, program, reported):
    race = RaceDetector()
    result = random_schedules(steps, program, schedules=100, race=race)
    assert result.outcome == "passed" and bool(race.found) is reported
