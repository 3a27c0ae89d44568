"""Real threads: every kind of fault is a finding.

Faults are an end that is none of the model's, a broken invariant, an exception, a deadlock, and two
threads in one lock.
"""

import re
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from harness import timer_task_list as lists
from impl import timer_task_list as impl
from tests.found import mechanisms
from tests.impl.real_threads import finished
from tests.model.artefacts import ROOT
from tests.model.timer import MECHANISM, model_graph
from wheelproof.checks import stress
from wheelproof.checks.context import Context
from wheelproof.checks.stress import outcomes
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import explore
from wheelproof.project.mechanism import Fault
from wheelproof.stress import faults, rounds
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.stress.observed import Observer
from wheelproof.stress.rounds import IMPATIENT, Stress

ROUNDS = 60
MECHANISMS = mechanisms()
DECLARED = [
    (mechanism, name) for mechanism, declared in MECHANISMS.items() for name in declared.faults
]


def plain(harness):
    """A subject whose primitives are not observed, and whose threads are not paused."""
    return SimpleNamespace(
        set_up=harness,
        shared=lists.shared,
        observer=Observer(),
        files=frozenset(),
        planted=False,
        broken=lambda harness: (),
    )


def stressed(harness, scenario, final=None, times=ROUNDS):
    final = outcomes(model_graph(scenario), MECHANISM.invariants) if final is None else final
    return Stress(plain(harness), MECHANISM.scenarios[scenario], patience=IMPATIENT).run(
        times, final
    )


@pytest.mark.parametrize("scenario", ["two_adders", "expire_readd"])
def test_the_implementation_ends_as_the_model_does(scenario):
    before = set(threading.enumerate())
    final = outcomes(model_graph(scenario), MECHANISM.invariants)
    found = Stress(
        ProductionImplementation(ROOT, "timer_task_list"), MECHANISM.scenarios[scenario]
    ).run(ROUNDS, final)
    assert found[:2] == (ROUNDS, None)
    assert all(finished(thread) for thread in set(threading.enumerate()) - before), (
        "threads are left behind"
    )


def test_paused_threads_meet():
    """Without pauses one thread is mostly through before the next begins."""
    final = outcomes(model_graph("expire_readd"), MECHANISM.invariants)
    found = Stress(
        ProductionImplementation(ROOT, "timer_task_list"), MECHANISM.scenarios["expire_readd"]
    ).run(300, final)
    assert found.finding is None and 1 < found.outcomes <= len(final)


def test_the_switch_interval_comes_back():
    before = sys.getswitchinterval()
    stressed(lists.Harness, "two_adders", times=2)
    stressed(lists.Harness, "two_adders", final={})
    assert sys.getswitchinterval() == pytest.approx(
        before, abs=2e-6
    )  # Python cuts it to whole microseconds, each way


class LostUpdate(lists.Harness):
    """The counter's update is lost when an entry is added."""

    def __init__(self, scenario):
        class TimerTaskList(impl.TimerTaskList):
            __slots__ = ()

            def add(self, entry):
                super().add(entry)
                self.task_counter.add_and_get(-1)

        super().__init__(
            scenario,
            SimpleNamespace(
                TimerTask=impl.TimerTask,
                TimerTaskEntry=impl.TimerTaskEntry,
                TimerTaskList=TimerTaskList,
            ),
        )


def test_an_end_that_the_model_does_not_have():
    found = stressed(LostUpdate, "two_adders")
    assert found.rounds == 1 and found.finding.properties == {"FinalState"}
    message = found.finding.message
    assert re.match(r"the end is no final state of the model: \w+ = .+, \w+ = ", message)


@pytest.mark.parametrize("planted", [False, True])
def test_an_end_that_the_harness_cannot_show_finds_no_fault(planted):
    def shared(harness):
        return {"reader": (7).name}

    subject = plain(lists.Harness)
    subject.shared, subject.planted = shared, planted
    final = outcomes(model_graph("two_adders"), MECHANISM.invariants)
    stress = Stress(subject, MECHANISM.scenarios["two_adders"], patience=IMPATIENT)
    if planted:
        assert stress.run(3, final) == (3, None, 0)
    else:
        with pytest.raises(AttributeError, match="no attribute 'name'"):
            stress.run(3, final)


def test_an_end_in_which_an_invariant_fails():
    final = {
        outcome: {"CounterExact", "TypeOK"}
        for outcome in outcomes(model_graph("two_adders"), MECHANISM.invariants)
    }
    found = stressed(lists.Harness, "two_adders", final)
    assert found.finding == (1, {"CounterExact", "TypeOK"}, "the end violates CounterExact, TypeOK")


def test_an_invariant_that_the_harness_finds_broken():
    """Only those count that the config keeps."""
    subject = plain(lists.Harness)
    subject.broken = lambda harness: iter(("CounterExact", "TypeOK"))
    final = outcomes(model_graph("two_adders"), MECHANISM.invariants)
    scenario = MECHANISM.scenarios["two_adders"]
    assert Stress(subject, scenario, patience=IMPATIENT).run(2, final).finding is None
    for ends, also in ((final, set()), ({}, {"FinalState"})):
        found = Stress(subject, scenario, patience=IMPATIENT, invariants=["TypeOK"]).run(1, ends)
        assert found.finding.properties == {"TypeOK", *also} and found.outcomes == 0
        assert found.finding.message.startswith("the end violates TypeOK")


class Raising(lists.Harness):
    def cancel(self, task):
        raise LookupError(f"no {task}")


def test_an_exception_of_the_subject():
    assert stressed(Raising, "remove_cancel").finding == (1, {"NoException"}, "LookupError: no t1")


def test_a_thread_that_waits_for_ever():
    released = threading.Event()

    class Waiting(lists.Harness):
        def cancel(self, task):
            released.wait()

    found = stressed(Waiting, "remove_cancel")
    released.set()
    assert found.finding == (1, {"NoDeadlock"}, "1 of 2 threads wait for ever")


def test_a_thread_that_waits_beside_one_that_spins():
    """The one that spins does not hide the one that waits."""
    released = threading.Event()

    class Waiting(lists.Harness):
        def cancel(self, task):
            released.wait()

        def remove(self, entry):
            while not released.wait(0.001):
                self.counter.get()

    found = stressed(Waiting, "remove_cancel")
    released.set()
    assert found.finding.properties == {"NoDeadlock"}


def test_a_thread_that_spins_is_found_and_ended():
    before = set(threading.enumerate())
    text = (
        (ROOT / "impl/timer_task_list.py")
        .read_text()
        .replace(
            "while (current := self.list) is not None:",
            "while (current := self.list) is self.list:",
        )
    )
    final = outcomes(model_graph("remove_cancel"), MECHANISM.invariants)
    spinning = ProductionImplementation(
        ROOT,
        "timer_task_list",
        texts={"impl.timer_task_list": text.replace("current.remove(self)", "pass")},
    )
    found = Stress(
        spinning, MECHANISM.scenarios["remove_cancel"], patience=rounds.Patience(200, 5_000)
    ).run(1, final)
    assert found.finding.properties == {"NoDeadlock"} and "a thread spins" in found.finding.message
    assert all(finished(thread) for thread in set(threading.enumerate()) - before)


def test_a_real_deadlock():
    """Two monitors taken in opposite orders; a meeting in between makes round one deadlock."""
    both, over = threading.Barrier(2), threading.Event()
    one, two = threading.Lock(), threading.Lock()

    def wants(lock):
        while not lock.acquire(timeout=0.01):
            if over.is_set():
                return

    class Crossed(lists.Harness):
        def remove(self, entry):
            with one:
                both.wait()
                wants(two)

        def cancel(self, task):
            with two:
                both.wait()
                wants(one)

    found = stressed(Crossed, "remove_cancel")
    over.set()
    assert found.finding.message == "2 of 2 threads wait for ever"


def test_the_models_final_values():
    good = outcomes(model_graph("two_adders"), MECHANISM.invariants)
    assert good and not any(good.values())
    broken = outcomes(explore(MECHANISM.without("M3").model("two_adders")), MECHANISM.invariants)
    assert any({"RingWellFormed"} <= failing for failing in broken.values())
    assert set(good) <= set(broken)


# -- rows


def short(context, monkeypatch, times=50):
    monkeypatch.setattr(type(context), "limits", SimpleNamespace(rounds=times))


def test_the_row(context, monkeypatch):
    short(context, monkeypatch)
    (row,) = stress.check(context, MECHANISM.configs["cancel_cancel"]).rows
    assert row.ok and (row.verdict, row.figures["rounds"]) == ("sampled", 50)
    assert 1 == row.figures["faults_found"] <= row.figures["faults_tried"] <= 3
    monkeypatch.setattr(stress, "outcomes", lambda graph, invariants: {})
    (row,) = stress.check(context, MECHANISM.configs["cancel_cancel"]).rows
    assert (
        not row.ok
        and (row.verdict, row.property) == ("violated", "FinalState")
        and "no final state" in row.why
    )


def test_by_night_every_planted_fault_is_tried(context, monkeypatch):
    short(context, monkeypatch)
    config = MECHANISM.configs["cancel_cancel"]
    final = outcomes(model_graph("cancel_cancel"), MECHANISM.invariants)
    used = ("Lock", "Monitor", "Atomic")
    names = [name for name, fault in faults.FAULTS.items() if fault.primitive in used]
    assert len(names) == 3
    for profile, least in (("fast", 1), ("nightly", 3)):
        of_night = replace(context, profile=profile)
        found, tried = stress.controls(of_night, config, names, final)
        assert 1 <= found <= tried and least <= tried <= 3


def test_the_reduced_graph_has_the_final_states_of_the_full_one(context):
    for name in "two_adders", "remove_cancel":
        full, reduced = model_graph(name), stress.ending(context, MECHANISM.configs[name])
        assert reduced.distinct < full.distinct
        states = [{graph.states[number] for number in graph.final} for graph in (full, reduced)]
        assert states[0] == states[1] != set()


def test_a_row_that_finds_no_planted_fault_is_vacuous(context, monkeypatch):
    """Here the planted primitives are the production ones."""
    short(context, monkeypatch, 5)
    for name, fault in faults.FAULTS.items():
        monkeypatch.setitem(
            faults.FAULTS,
            name,
            fault._replace(
                build=lambda production, primitive=fault.primitive: getattr(production, primitive)
            ),
        )
    (row,) = stress.check(context, MECHANISM.configs["cancel_cancel"]).rows
    assert not row.ok and row.verdict == "vacuous" and row.figures["faults_found"] == 0
    assert row.why.endswith(
        "tried: Lock excludes no thread, Monitor excludes no thread, "
        "Atomic reads and writes in two steps"
    )


@pytest.mark.nightly  # `make verify` has them as rows
@pytest.mark.parametrize("mechanism, name", DECLARED)
def test_a_declared_fault_is_found_by_name(mechanism, name, tmp_path):
    declared = MECHANISMS[mechanism]
    (row,) = stress.check_fault(Context(declared, tmp_path), declared.faults[name]).rows
    assert row.ok and row.property == declared.faults[name].property, row.why


def test_a_fault_that_changes_nothing_is_no_finding(context, monkeypatch):
    short(context, monkeypatch, 3)
    harmless = Fault(
        "harmless",
        "cancel_cancel",
        "impl.atomic",
        (("old = self._value  # read E2", "old = (self._value)  # read E2"),),
        "FinalState",
    )
    (row,) = stress.check_fault(context, harmless).rows
    assert not row.ok and row.verdict == "sampled"


def test_a_fault_found_by_another_property_is_not_the_one_that_is_named(context, monkeypatch):
    short(context, monkeypatch, 20)
    fault = MECHANISM.faults["list_without_monitor"]
    (row,) = stress.check_fault(context, replace(fault, property="NoDeadlock")).rows
    assert not row.ok and row.property != "NoDeadlock"


@pytest.mark.parametrize(
    "module, old, says",
    [("impl.runtime", "no such text", "is 0 times"), ("impl.nothing", "", "there is no module")],
)
def test_a_fault_that_cannot_be_planted_is_an_error(context, module, old, says):
    with pytest.raises(UsageError, match=says):
        stress.check_fault(
            context, Fault("odd", "cancel_cancel", module, ((old, ""),), "FinalState")
        )
