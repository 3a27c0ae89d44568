"""The cost of a step of PlusCal's machine, in lines of Python."""

import gc
import sys

import pytest

from model.pluscal import Machine
from model.timer_task_list import Model

# -- the cost of a step in place

OPERATIONS = [
    ["add", "l2", "fresh"],
    ["remove", "fresh"],
    ["add", "l1", "fresh"],
    ["cancel", "t"],
    ["schedule", "l2", "fresh"],
]


def timer_with(entries: int, program=OPERATIONS) -> Model:
    others = [f"e{i}" for i in range(entries)]
    return Model(
        {
            "lists": ["l1", "l2"],
            "task_of": {e: f"t{e}" for e in others} | {"fresh": "t"},
            "current": ["fresh"],
            "ring": {"l1": others, "l2": []},
            "threads": {"a": program},
        }
    )


def executed_lines(machine: Machine) -> int:
    """Lines of Python that run while the only process goes to its end.

    No garbage is collected meanwhile: Hypothesis counts collections, and its lines would be part
    of some step.
    """
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return trace

    steps, before = 0, sys.gettrace()
    collecting = gc.isenabled()
    gc.disable()
    sys.settrace(trace)
    try:
        while machine.step(0):
            steps += 1
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
    assert steps > 60
    return lines


def test_a_step_in_place_costs_the_same_however_many_entries_there_are():
    assert executed_lines(timer_with(5)) == executed_lines(timer_with(1_000))


def test_that_measure_does_not_see_who_hears_of_a_collection():
    phases, thresholds = [], gc.get_threshold()

    def tell(phase, info):
        phases.append(phase)

    expected = executed_lines(timer_with(5))
    gc.callbacks.append(tell)
    gc.set_threshold(1)
    try:
        machine = timer_with(5)
        assert phases, "the same with a collection at every turn"
        counted = executed_lines(machine)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(tell)
    assert counted == expected


def test_that_measure_sees_a_step_that_looks_at_every_entry():
    class Slow(Model):
        def U9(self, t):
            for _ in self.members("l1"):
                pass
            super().U9(t)

    def slow(entries):
        machine = timer_with(entries)
        machine.__class__, machine._steps["U9"] = Slow, Slow.U9.__get__(machine)
        return machine

    assert executed_lines(slow(50)) > executed_lines(slow(5)) + 45


def test_a_step_in_place_neither_freezes_nor_loads(monkeypatch):
    machine = timer_with(5)

    def refuse(*arguments):
        raise AssertionError("a step in place needs the whole state")

    for name in ("freeze", "load", "pieces", "successors"):
        monkeypatch.setattr(machine, name, refuse)
    assert executed_lines(machine)
    with pytest.raises(AssertionError, match="whole state"):
        machine.holds("TypeOK", None)
