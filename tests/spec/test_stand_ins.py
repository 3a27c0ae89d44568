"""What stands for a mechanism in a controlled run is the module that production's one refines.

A mechanism of its own shows that production's source refines `AtomicInOneStep`,
`ReadWriteLockAtomic`, `DelayQueueAtomic` or `TaskExecutorAtomic`. The mechanisms above run with a
controlled primitive, or with the pool of a harness. Here the two are one: the bisimulation compares
which threads can move, in both directions.
"""

from __future__ import annotations

import inspect

import pytest

from tests.spec.stand_ins import ROOT, STAND_INS, compared, programs
from wheelproof.python.runtime import (
    locks,
    primitives,
    registry,
)

POOL = "harness.system_timer"

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
    "time": (
        "Gate",
        {
            "items": [2],
            "threads": programs(p="poll 100", q="poll_now; poll 100", t="tick 1; tick 4; offer 5"),
        },
    ),
    "pool": (
        "Pool",
        {
            "does": {"a": [], "b": [], "c": ["submit", "b"]},
            "threads": programs(m="submit a; submit c", n="submit b; close", w="work"),
        },
    ),
    "closed inside": (
        "Pool",
        {
            "does": {"a": ["close"], "b": []},
            "threads": programs(m="submit a; submit b", n="submit b", w="work"),
        },
    ),
}


@pytest.mark.daily(3)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_it_is_the_module(scenario):
    name, of = SCENARIOS[scenario]
    found = compared(name, of)
    assert (found.outcome, found.uncovered) == ("equal", ()), found.difference
    assert found.figures["model_states"] > 30


def test_the_scenarios_use_every_operation_of_every_stand_in():
    used = {name: set() for name in STAND_INS}
    for name, of in SCENARIOS.values():
        used[name] |= {step[0] for program in of["threads"].values() for step in program}
        used[name] |= {does[0] for does in of.get("does", {}).values() if does}
    assert used == {
        "Atomic": {"get", "set", "swap", "cas", "add"},
        "ReadWriteLock": {"read", "write"},
        "Gate": {"poll", "poll_now", "offer", "tick"},
        "Pool": {"submit", "close", "work"},
    }


FAULTS = {
    "a get reads before its step": (
        primitives,
        'self.scheduler.point("read", True)\n        self.rules.acquired(self)\n'
        "        return self.value",
        'before = self.value\n        self.scheduler.point("read", True)\n        return before',
        "numbers",
        "shared",
        "got is",
    ),
    "a set stores nothing": (
        primitives,
        "self.rules.released(self)\n        self.value = value\n\n    def get_and_set",
        "self.rules.released(self)\n\n    def get_and_set",
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
        'self.scheduler.point("cas", True)\n        self.rules.acquired(self)\n'
        "        current = self.value",
        'current = self.value\n        self.scheduler.point("cas", True)',
        "objects",
        "shared",
        "got is",
    ),
    "an add is no single step": (
        primitives,
        'self.scheduler.point("update", True)\n        self.rules.acquired(self)\n'
        "        self.rules.released(self)\n        self.value += delta",
        'before = self.value\n        self.scheduler.point("update", True)\n'
        "        self.value = before + delta",
        "numbers",
        "shared",
        "held is",
    ),
    "a reader enters while a writer is inside": (
        primitives,
        "        return self.of.writer is None\n",
        "        return True\n",
        "readers",
        "enabled",
        "can take Asks1 in the implementation and cannot move in the model",
    ),
    "a reader waits for a reader": (
        primitives,
        "        return self.of.writer is None\n",
        "        return self.of.writer is None and not self.of.readers\n",
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
        "self.of.readers = tuple([reader for reader in self.of.readers if reader is not thread])",
        "pass",
        "readers",
        "enabled",
        "can take Asks1 in the model and has to wait",
    ),
    "a writer's release wakes none": (
        primitives,
        "        self.of.writer = None\n",
        "        pass\n",
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
        "can take Waits1 in the implementation and cannot move in the model",
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
    "time that passes opens no gate": (
        primitives,
        "self._scheduler, self.gate, self._wait_ms = scheduler, gate, wait_ms",
        "slept = wait_ms()\n"
        "        self._scheduler, self.gate, self._wait_ms = scheduler, gate, lambda: slept",
        "time",
        "enabled",
        "can take Waits1 in the model and has to wait",
    ),
    "a gate opens a tick early": (
        primitives,
        "return self._wait_ms() <= 0",
        "return self._wait_ms() <= 1",
        "time",
        "enabled",
        "can take Waits1 in the implementation and cannot move in the model",
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
        "                self.owner = None\n\n    def refuse",
        "                pass\n\n    def refuse",
        "due",
        "enabled",
        "q can take Enters1 in the model and has to wait",
    ),
    "a pool that is shut takes a task": (
        POOL,
        "            if self.shut:\n                self.refused",
        "            if False:\n                self.refused",
        "pool",
        "shared",
        "waiting is",
    ),
    "the pool refuses a task before it is shut": (
        POOL,
        "            if self.shut:\n                self.refused",
        "            if self.waiting:\n                self.refused",
        "pool",
        "shared",
        "waiting is",
    ),
    "a task is handed over in two steps": (
        POOL,
        "        with self.gate:\n            if self.shut:",
        "        before = self.waiting\n        with self.gate:\n"
        "            self.waiting = before\n            if self.shut:",
        "pool",
        "shared",
        "waiting is",
    ),
    "the task that came last runs first": (
        POOL,
        "self.waiting = self.waiting[:1], self.waiting[1:]",
        "self.waiting = self.waiting[-1:], self.waiting[:-1]",
        "pool",
        "shared",
        "waiting is",
    ),
    "a task stays in the queue": (
        POOL,
        "self.waiting = self.waiting[:1], self.waiting[1:]",
        "self.waiting = self.waiting[:1], self.waiting",
        "pool",
        "shared",
        "waiting is",
    ),
    "close leaves the pool open": (
        POOL,
        "            self.shut = True\n",
        "            pass\n",
        "closed inside",
        "enabled",
        "w can take Takes1 in the model and has to wait",
    ),
    "close drops what waits": (
        POOL,
        "            self.shut = True\n",
        "            self.shut, self.waiting = True, ()\n",
        "closed inside",
        "shared",
        "waiting is",
    ),
    "the pool's thread takes a task where there is none": (
        POOL,
        "return 0 if self.waiting or self.over() else FOREVER_MS",
        "return 0",
        "pool",
        "enabled",
        "w can take Takes1 in the implementation and cannot move in the model",
    ),
    "the pool's thread does not end": (
        POOL,
        "return 0 if self.waiting or self.over() else FOREVER_MS",
        "return 0 if self.waiting else FOREVER_MS",
        "closed inside",
        "enabled",
        "w can take Takes1 in the model and has to wait",
    ),
    "the pool's thread ends before the pool is shut": (
        POOL,
        "return (self.shut or self.nothing_comes()) and not self.waiting",
        "return not self.waiting",
        "pool",
        "enabled",
        "w can take Takes1 in the implementation and cannot move in the model",
    ),
}


def planted(module, old, new, monkeypatch):
    """Plant a fault in the controlled classes of a module, and in those that derive from them."""
    text = inspect.getsource(module)
    assert text.count(old) == 1
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    made = {"__name__": "planted"}
    exec(compile(text.replace(old, new), module.__file__, "exec"), made)
    if module is locks:
        monkeypatch.setattr(locks, "Lock", made["Lock"])
        exec(compile(inspect.getsource(primitives), primitives.__file__, "exec"), made)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_stand_in_is_refused(fault, monkeypatch):
    module, old, new, scenario, kind, says = FAULTS[fault]
    others = {}
    if module == POOL:
        text = (ROOT / "harness" / "system_timer.py").read_text(encoding="utf-8")
        assert text.count(old) == 1
        others = {POOL: text.replace(old, new)}
    else:
        planted(module, old, new, monkeypatch)
    name, of = SCENARIOS[scenario]
    found = compared(name, of, others)
    assert found.outcome == "different"
    assert (found.difference.kind, says in str(found.difference)) == (kind, True), found.difference
