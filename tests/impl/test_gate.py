"""Faults planted in impl/gate.py and impl/delay_queue.py: the comparison must name each."""

from __future__ import annotations

import math

import pytest

from impl.gate import Gate
from tests.impl.planting import Control, bisimulated
from tests.model.artefacts import ROOT, Artefacts
from wheelproof.python import ControlledImplementation

QUEUE = Artefacts("delay_queue")
SOURCES = {
    f"impl.{name}": (ROOT / "impl" / f"{name}.py").read_text(encoding="utf-8")
    for name in ("gate", "delay_queue")
}
SLEEPS = "                if self.leader is not None or left < wait:\n"

FAULTS = {
    "notify leaves the lead with the sleeper": Control(
        "sooner",
        "shared",
        "leader is",
        (
            (
                "        self.leader = None  # write N1",
                "        self.leader = self.leader  # write N1",
            ),
        ),
    ),
    "notify wakes no thread": Control(
        "sooner",
        "label",
        "takes G2 next, N2 in the model",
        (("        self.due.notify()  # notify N2\n", ""),),
    ),
    "a thread that leaves does not hand on": Control(
        "two_items",
        "label",
        "takes L2 next, L1 in the model",
        (("        if self.leader is None:\n            self.due.notify()  # notify L1\n", ""),),
    ),
    "a thread that leaves hands on while another leads": Control(
        "two_items",
        "label",
        "takes L1 next, L2 in the model",
        (
            (
                "        if self.leader is None:\n            self.due.notify()",
                "        if True:\n            self.due.notify()",
            ),
        ),
    ),
    "the leader stays leader": Control(
        "two_items",
        "shared",
        "leader is",
        (
            (
                "                        self.leader = None  # write A11",
                "                        self.leader = me  # write A11",
            ),
        ),
    ),
    "a thread that has woken takes another's lead": Control(
        "sooner",
        "label",
        "takes A11 next, Q1 in the model",
        (
            (
                "                    if self.leader == me:  # else",
                "                    if True:  # else",
            ),
        ),
    ),
    "all lead": Control(
        "two_items",
        "label",
        "takes A7 next, A4 in the model",
        ((SLEEPS, "                if left < wait:\n"),),
    ),
    "all follow": Control(
        "two_items",
        "label",
        "takes A4 next, A7 in the model",
        ((SLEEPS, "                if True:\n"),),
    ),
    "the leader is not noted": Control(
        "two_items",
        "shared",
        "leader is",
        (
            (
                "                self.leader = me  # write A7",
                "                self.leader = None  # write A7",
            ),
        ),
    ),
    "a time-out is ignored": Control(
        "nothing_comes",
        "enabled",
        "can take C1 in the model and has to wait at C1",
        (("self.due.wait(min(left, TIMEOUT_MAX))", "self.due.wait()"),),
    ),
    "a thread sleeps for the item beyond its time": Control(
        "not_long_enough",
        "label",
        "takes A7 next, A4 in the model",
        ((SLEEPS, "                if self.leader is not None:\n"),),
    ),
    "the time that is left is not looked at": Control(
        "nothing_comes",
        "label",
        "takes A4 next, L1 in the model",
        (("                if left <= 0:\n                    break\n", ""),),
    ),
    "it looks once": Control(
        "sooner",
        "label",
        "takes K1 next, Q1 in the model",
        (("                    continue\n", "                    break\n"),),
    ),
    "the time begins anew with every look": Control(
        "not_long_enough",
        "label",
        "in the model",
        (
            (
                "                left = deadline - now\n",
                "                left = timeout_ms / 1000\n",
            ),
        ),
    ),
    "an interrupted leader keeps the lead": Control(
        "leader_interrupted",
        "label",
        "takes L2 next, A11 in the model",
        (
            (
                "                try:\n"
                "                    self.due.wait(min(wait, TIMEOUT_MAX))"
                "  # wait A8, wake A9, lock A10\n"
                "                finally:\n"
                "                    if self.leader == me:"
                "  # else a notification has taken the lead away\n"
                "                        self.leader = None  # write A11\n",
                "                self.due.wait(min(wait, TIMEOUT_MAX))"
                "  # wait A8, wake A9, lock A10\n"
                "                if self.leader == me:\n"
                "                    self.leader = None  # write A11\n",
            ),
        ),
    ),
    "an interrupted thread does not hand on": Control(
        "notified_interrupted",
        "label",
        "takes L3 next, L1 in the model",
        (
            (
                "            if not taken:\n                self.release()",
                "            if not taken:\n                self.due.release()  # unlock L3",
            ),
        ),
    ),
    "an interrupted thread keeps the gate": Control(
        "leader_interrupted",
        "enabled",
        "can take L1 in the model and has ended",
        (("            if not taken:\n                self.release()", "            pass"),),
    ),
    "an interrupt is swallowed": Control(
        "leader_interrupted",
        "result",
        "returns None, ('raised', 'Interrupted') in the model",
        (
            (
                "            taken = True\n"
                "        finally:\n"
                "            if not taken:\n"
                "                self.release()",
                "        except KeyboardInterrupt:\n            pass",
            ),
        ),
    ),
    "an offer wakes no thread": Control(
        "sooner",
        "label",
        "takes G2 next, N1 in the model",
        (("                self.gate.notify()\n", "                pass\n"),),
    ),
    "an offer wakes for the first element only": Control(
        "sooner",
        "label",
        "takes G2 next, N1 in the model",
        (("if self.heap[0] is element:", "if len(self.heap) == 1:"),),
    ),
    "an offer wakes for every element": Control(
        "heap",
        "label",
        "takes N1 next, G2 in the model",
        (("if self.heap[0] is element:", "if True:"),),
    ),
    "an equal element goes before": Control(
        "heap",
        "label",
        "takes N1 next, G2 in the model",
        (("if element.compare_to(heap[above]) >= 0:", "if element.compare_to(heap[above]) > 0:"),),
    ),
    "a new element stays last": Control(
        "heap",
        "label",
        "takes G2 next, N1 in the model",
        (("            self._up(len(self.heap) - 1, element)\n", ""),),
    ),
    "the last element does not sink": Control(
        "heap",
        "shared",
        "items is",
        (("            self._down(0, last)\n", "            heap[0] = last\n"),),
    ),
    "the heap sinks to the later one": Control(
        "heap",
        "shared",
        "items is",
        (
            (
                "heap[below].compare_to(heap[below + 1]) > 0",
                "heap[below].compare_to(heap[below + 1]) < 0",
            ),
        ),
    ),
    "what is not due is taken": Control(
        "not_long_enough",
        "label",
        "takes K2 next, L1 in the model",
        (("        if delay > 0:\n", "        if False:\n"),),
    ),
    "what is due now is not taken": Control(
        "one_does_not_wait",
        "label",
        "takes G2 next, K2 in the model",
        (("        if delay > 0:\n", "        if delay >= 0:\n"),),
    ),
    "the second element is returned": Control(
        "heap", "result", "", (("        first = heap[0]\n", "        first = heap[-1]\n"),)
    ),
    "poll takes after it has left the gate": Control(
        "two_items",
        "label",
        "in the model",
        (
            (
                "        try:\n"
                "            taken = self._take()\n"
                "        finally:\n"
                "            self.gate.release()\n"
                "        return taken",
                "        self.gate.release()\n        return self._take()",
            ),
        ),
    ),
    "poll_now takes without the gate": Control(
        "one_does_not_wait",
        "label",
        "in the model",
        (
            (
                "        with self.gate:\n            taken = self._take()\n        return taken",
                "        return self._take()",
            ),
        ),
    ),
    "poll keeps the gate where it finds nothing": Control(
        "nothing_comes",
        "enabled",
        "can take L1 in the model and has ended",
        (
            (
                "        try:\n"
                "            taken = self._take()\n"
                "        finally:\n"
                "            self.gate.release()\n"
                "        return taken",
                "        taken = self._take()\n"
                "        if taken is not None:\n"
                "            self.gate.release()\n"
                "        return taken",
            ),
        ),
    ),
    "the gate stays locked": Control(
        "sooner",
        "enabled",
        "can take L2 in the model and has ended in the implementation",
        (("        self.due.release()  # unlock L2\n", ""),),
    ),
}


def planted(changes):
    """The gate and the queue with these changes, under control. One of them has each text."""
    texts = dict(SOURCES)
    for old, new in changes:
        places = [name for name in texts if old in texts[name]]
        assert len(places) == 1 and texts[places[0]].count(old) == 1, f"{old!r} is in {places}"
        texts[places[0]] = texts[places[0]].replace(old, new)
    return ControlledImplementation.load(ROOT, QUEUE.name, texts=texts, lint=not changes)


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_noticed(name):
    fault = FAULTS[name]
    found = bisimulated(QUEUE, planted(fault.changes), fault.scenario)
    assert found.outcome == "different"
    assert found.difference.kind == fault.kind and fault.says in found.difference.message, str(
        found.difference
    )


LARGE = ("sooner_for_two", "two_takers", "two_offers_at_once", "sooner_interrupted")


@pytest.mark.parametrize(
    "scenario", [name for name in QUEUE.mechanism.scenarios if name not in LARGE]
)
def test_queue_and_gate_are_their_model(scenario):
    found = bisimulated(QUEUE, planted(()), scenario)
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
