"""Faults planted in impl/gate.py: the comparison with the model must find each, and name what differs."""
from __future__ import annotations

import math

import pytest

from impl.gate import Gate
from tests.impl.planting import Control, noticed, planted, walked
from tests.model.floors import Floors

GATE = Floors("gate")
SLEEPS = "                if self.leader is not None or left < wait:\n"

FAULTS = {
    "notify leaves the lead with the sleeper": Control("sooner", "shared", "leader is", (("        self.leader = None  # write N1", "        self.leader = self.leader  # write N1"),)),
    "notify wakes nobody": Control("sooner", "label", "takes G2 next, N2 in the model", (("        self.due.notify()  # notify N2\n", ""),)),
    "a thread that leaves does not hand on": Control("two_items", "label", "takes L2 next, L1 in the model", (
        ("        if self.leader is None:\n            self.due.notify()  # notify L1\n", ""),)),
    "a thread that leaves hands on while another leads": Control("two_items", "label", "takes L1 next, L2 in the model", (
        ("        if self.leader is None:\n            self.due.notify()", "        if True:\n            self.due.notify()"),)),
    "the leader stays leader": Control("two_items", "shared", "leader is", (("                        self.leader = None  # write A11", "                        self.leader = me  # write A11"),)),
    "a thread that has woken takes another's lead": Control("sooner", "label", "takes A11 next, Q1 in the model", (
        ("                    if self.leader == me:  # else", "                    if True:  # else"),)),
    "all lead": Control("two_items", "label", "takes A7 next, A4 in the model", ((SLEEPS, "                if left < wait:\n"),)),
    "all follow": Control("two_items", "label", "takes A4 next, A7 in the model", ((SLEEPS, "                if True:\n"),)),
    "the leader is not noted": Control("two_items", "shared", "leader is", (("                self.leader = me  # write A7", "                self.leader = None  # write A7"),)),
    "a time-out is ignored": Control("nothing_comes", "enabled", "can take C1 in the model and has to wait at C1", (("self.due.wait(min(left, TIMEOUT_MAX))", "self.due.wait()"),)),
    "a thread sleeps for the item beyond its time": Control("not_long_enough", "label", "takes A7 next, A4 in the model", (
        (SLEEPS, "                if self.leader is not None:\n"),)),
    "the time that is left is not looked at": Control("nothing_comes", "label", "takes A4 next, K1 in the model", (
        ("                if left <= 0:\n                    break\n", ""),)),
    "it looks once": Control("sooner", "label", "takes K1 next, Q1 in the model", (("                    continue\n", "                    break\n"),)),
    "the time begins anew with every look": Control("not_long_enough", "label", "in the model", (
        ("                left = deadline - now\n", "                left = timeout_ms / 1000\n"),)),
    "the gate stays locked": Control("sooner", "enabled", "can take L2 in the model and has ended in the implementation", (
        ("        self.due.release()  # unlock L2\n", ""),)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_noticed(name):
    noticed(GATE, FAULTS[name])


@pytest.mark.parametrize("scenario", [name for name in GATE.mechanism.scenarios if name not in ("sooner_for_two", "two_takers")])
def test_the_gate_is_its_model(scenario):
    found = walked(GATE, planted(GATE, ()), scenario)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)


def test_what_wait_ms_raises_leaves_the_gate_open():
    gate = Gate()
    for error in (KeyError, KeyboardInterrupt):
        def wait_ms():
            raise error

        with pytest.raises(error):
            gate.acquire_when(wait_ms, 0)
        with gate:
            assert gate.leader is None


def test_a_gate_without_anything_due_lets_a_thread_in_when_its_time_is_up():
    gate = Gate()
    gate.acquire_when(lambda: math.inf, 1)
    gate.release()
