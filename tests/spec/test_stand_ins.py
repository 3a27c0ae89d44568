"""What stands for a primitive in a controlled run is the module that production's one refines.

The mechanism of a primitive shows that production's source refines `AtomicInOneStep`,
`ReadWriteLockAtomic` or `DelayQueueAtomic`. The mechanisms above run with a controlled primitive.
Here the two are one: the bisimulation compares which threads can move, in both directions.
"""

from __future__ import annotations

import inspect

import pytest

from tests.spec.stand_ins import STAND_INS, compared, programs
from wheelproof.explore import locks, primitives, registry

SCENARIOS = {
    "numbers": (
        "Atomic",
        {
            "initial": 1000,
            "kind": {},
            "threads": programs(a="add 1; get", b="add 2; set 5", c="cas 1001 3000; swap 7"),
        },
    ),
    "objects": (
        "Atomic",
        {
            "initial": "x1",
            "kind": {"x1": "x", "x2": "x", "y": "y"},
            "threads": programs(a="cas x1 y; get", b="swap x2; set x1", c="cas x1 x2"),
        },
    ),
    "readers": (
        "ReadWriteLock",
        {"threads": programs(r="read; read", s="read; write", w="write")},
    ),
    "writers": ("ReadWriteLock", {"threads": programs(r="read", v="write", w="write; read")}),
    "gate": (
        "Gate",
        {
            "items": [3],
            "threads": programs(
                p="poll 100; poll_now", q="poll 100", o="offer 0; offer 5; offer -1"
            ),
        },
    ),
    "due": (
        "Gate",
        {"items": [0], "threads": programs(p="poll 100", q="poll_now; poll_now", o="offer 0")},
    ),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_it_is_the_module(scenario, tmp_path):
    name, of = SCENARIOS[scenario]
    found = compared(name, of, tmp_path)
    assert (found.outcome, found.uncovered) == ("equal", ()), found.difference
    assert found.figures["model_states"] > 30


def test_the_scenarios_use_every_operation_of_every_stand_in():
    used = {name: set() for name in STAND_INS}
    for name, of in SCENARIOS.values():
        used[name] |= {step[0] for program in of["threads"].values() for step in program}
    assert used == {
        "Atomic": {"get", "set", "swap", "cas", "add"},
        "ReadWriteLock": {"read", "write"},
        "Gate": {"poll", "poll_now", "offer"},
    }


FAULTS = {
    "a get reads before its step": (
        primitives,
        'point("read", True)\n            acquired(self)\n            return self.value',
        'before = self.value\n            point("read", True)\n            return before',
        "numbers",
        "shared",
        "got is",
    ),
    "a set stores nothing": (
        primitives,
        "released(self)\n            self.value = value\n\n        def get_and_set",
        "released(self)\n\n        def get_and_set",
        "numbers",
        "shared",
        "held is",
    ),
    "a swap returns the new value": (
        primitives,
        "old, self.value = self.value, value",
        "old = self.value = value",
        "numbers",
        "shared",
        "got is",
    ),
    "a compare-and-set goes by equality": (
        primitives,
        "current is not expected and not (",
        "current != expected and not (",
        "objects",
        "shared",
        "got is",
    ),
    "a compare-and-set goes by identity": (
        primitives,
        "type(current) is type(expected) is int and current == expected",
        "False",
        "numbers",
        "shared",
        "got is",
    ),
    "a compare-and-set compares before its step": (
        primitives,
        'point("cas", True)\n            acquired(self)\n            current = self.value',
        'current = self.value\n            point("cas", True)',
        "objects",
        "shared",
        "got is",
    ),
    "an add is no single step": (
        primitives,
        'point("update", True)\n            acquired(self)\n            released(self)\n'
        "            self.value += delta",
        'before = self.value\n            point("update", True)\n'
        "            self.value = before + delta",
        "numbers",
        "shared",
        "held is",
    ),
    "a reader enters while a writer is inside": (
        primitives,
        "            return self.of.writer is None\n",
        "            return True\n",
        "readers",
        "enabled",
        "can take Asks1 in the implementation and cannot move in the model",
    ),
    "a reader waits for a reader": (
        primitives,
        "            return self.of.writer is None\n",
        "            return self.of.writer is None and not self.of.readers\n",
        "readers",
        "enabled",
        "can take Asks1 in the model and has to wait",
    ),
    "a writer enters while a reader is inside": (
        primitives,
        "return self.of.writer is None and not self.of.readers",
        "return self.of.writer is None",
        "readers",
        "enabled",
        "w can take Asks1 in the implementation and cannot move in the model",
    ),
    "a writer enters beside a writer": (
        primitives,
        "return self.of.writer is None and not self.of.readers",
        "return not self.of.readers",
        "writers",
        "enabled",
        "can take Asks1 in the implementation and cannot move in the model",
    ),
    "a reader's release wakes none": (
        primitives,
        "of.readers = tuple([reader for reader in of.readers if reader is not thread])",
        "pass",
        "readers",
        "enabled",
        "can take Asks1 in the model and has to wait",
    ),
    "a writer's release wakes none": (
        primitives,
        "                of.writer = None\n            order.left",
        "                pass\n            order.left",
        "writers",
        "deadlock",
        "can take Asks1 in the model and has to wait",
    ),
    "the gate opens before something is due": (
        primitives,
        "return self._wait_ms() <= 0",
        "return True",
        "gate",
        "enabled",
        "p can take Waits1 in the implementation and cannot move in the model",
    ),
    "the gate opens too late": (
        primitives,
        "return self._wait_ms() <= 0",
        "return self._wait_ms() < 0",
        "due",
        "enabled",
        "p can take Waits1 in the model and has to wait",
    ),
    "a notification is lost": (
        primitives,
        "self._scheduler, self.gate, self._wait_ms = scheduler, gate, wait_ms",
        "slept = wait_ms()\n"
        "        self._scheduler, self.gate, self._wait_ms = scheduler, gate, lambda: slept",
        "gate",
        "enabled",
        "can take Waits1 in the model and has to wait",
    ),
    "the gate opens while a thread holds it": (
        primitives,
        "        if self.gate.owner is not None:\n            return False\n",
        "",
        "due",
        "enabled",
        "p can take Waits1 in the implementation and cannot move in the model",
    ),
    "the gate's release wakes none": (
        locks,
        "                    self.owner = None\n\n        def refuse",
        "                    pass\n\n        def refuse",
        "due",
        "deadlock",
        "has to wait",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_stand_in_is_refused(fault, tmp_path, monkeypatch):
    module, old, new, scenario, kind, says = FAULTS[fault]
    text = inspect.getsource(module)
    assert text.count(old) == 1
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    exec(compile(text.replace(old, new), module.__file__, "exec"), {"__name__": "planted"})
    name, of = SCENARIOS[scenario]
    found = compared(name, of, tmp_path)
    assert found.outcome == "different"
    assert (found.difference.kind, says in str(found.difference)) == (kind, True), found.difference
