"""Real threads: an end that is no end of the model, a broken invariant, an exception and a deadlock are each a finding."""
import sys
import threading
from types import SimpleNamespace

import pytest

from impl import timer_task_list as impl
from mapping import timer_task_list as mapping
from tests.impl.real_threads import finished
from tests.model.timer import MECHANISM, model_graph
from wheelproof.graph.explorer import explore
from wheelproof.layers import real
from wheelproof.layers.real import Stress, outcomes

ROUNDS = 200


def stress(world, scenario, final=None, rounds=ROUNDS):
    subject = SimpleNamespace(World=world, shared=mapping.shared)
    final = outcomes(model_graph(scenario), MECHANISM.invariants) if final is None else final
    return Stress(subject, MECHANISM.scenarios[scenario]).run(rounds, final, lambda number: None)


@pytest.mark.parametrize("scenario", ["two_adders", "expire_readd"])
def test_the_implementation_ends_as_the_model_does(scenario):
    before = set(threading.enumerate())
    assert stress(mapping.World, scenario)[:2] == (ROUNDS, "")
    assert all(finished(thread) for thread in set(threading.enumerate()) - before), "threads are left behind"


def test_the_switch_interval_comes_back():
    before = sys.getswitchinterval()
    stress(mapping.World, "two_adders", rounds=2)
    stress(mapping.World, "two_adders", final={})
    assert sys.getswitchinterval() == pytest.approx(before, abs=2e-6)  # Python cuts it to whole microseconds, each way


class LostUpdate(mapping.World):
    """The counter's update is lost when an entry is added."""

    def __init__(self, scenario):
        class TimerTaskList(impl.TimerTaskList):
            __slots__ = ()

            def add(self, entry):
                super().add(entry)
                self.task_counter.add_and_get(-1)

        super().__init__(scenario, SimpleNamespace(TimerTask=impl.TimerTask, TimerTaskEntry=impl.TimerTaskEntry, TimerTaskList=TimerTaskList))


def test_an_end_that_the_model_does_not_have():
    rounds, wrong, _ = stress(LostUpdate, "two_adders")
    assert rounds == 1 and wrong.startswith("round 1 ended in a state that is no final state of the model: ")


def test_an_end_in_which_an_invariant_fails():
    final = {outcome: {"CounterExact", "TypeOK"} for outcome in outcomes(model_graph("two_adders"), MECHANISM.invariants)}
    assert stress(mapping.World, "two_adders", final)[:2] == (1, "round 1 violates CounterExact, TypeOK")


class Raising(mapping.World):
    def cancel(self, task):
        raise LookupError(f"no {task}")


def test_an_exception_of_the_subject():
    assert stress(Raising, "remove_cancel")[:2] == (1, "round 1: LookupError: no t1")


def test_a_round_that_does_not_end(monkeypatch):
    released = threading.Event()

    class Blocking(mapping.World):
        def cancel(self, task):
            released.wait()

    monkeypatch.setattr(real, "SECONDS", 0.2)
    rounds, wrong, _ = stress(Blocking, "remove_cancel")
    released.set()
    assert (rounds, wrong) == (1, "round 1 did not end within 0.2 s: a deadlock or a livelock")


def test_a_real_deadlock(monkeypatch):
    """Two monitors taken in opposite orders, with a meeting in between so that it happens in the first round."""
    both, over = threading.Barrier(2), threading.Event()
    one, two = threading.Lock(), threading.Lock()

    def wants(lock):
        while not lock.acquire(timeout=0.01):
            if over.is_set():
                return

    class Crossed(mapping.World):
        def remove(self, entry):
            with one:
                both.wait()
                wants(two)

        def cancel(self, task):
            with two:
                both.wait()
                wants(one)

    monkeypatch.setattr(real, "SECONDS", 0.3)
    assert "did not end within 0.3 s" in stress(Crossed, "remove_cancel")[1]
    over.set()


def test_the_models_final_values():
    good = outcomes(model_graph("two_adders"), MECHANISM.invariants)
    assert good and not any(good.values())
    broken = outcomes(explore(MECHANISM.model("two_adders", {"NullTest": False})), MECHANISM.invariants)
    assert any({"RingWellFormed"} <= failing for failing in broken.values())
    assert set(good) <= set(broken)


def test_the_row(bench, monkeypatch):
    monkeypatch.setattr(type(bench), "limits", SimpleNamespace(rounds=50))
    (row,) = real.check(bench, MECHANISM.configs["cancel_cancel"]).rows
    assert row.ok and (row.verdict, row.figures["rounds"]) == ("sampled", 50)
    monkeypatch.setattr(real, "outcomes", lambda graph, invariants: {})
    (row,) = real.check(bench, MECHANISM.configs["cancel_cancel"]).rows
    assert not row.ok and (row.verdict, row.property) == ("violated", "FinalState") and "no final state" in row.why
