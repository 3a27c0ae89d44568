"""What stands for a lower mechanism, beside the module with its operations as single steps.

That is a controlled primitive, or the pool in the harness of the timer. A driver uses one of them.
Each line that names a step has the place in the module, ``asks``, as its label, ``Asks1``. The
driver is loaded under control, as an implementation is, and bisimulated with the compiled module:
the same threads can move in every state, to equal values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.python import ControlledImplementation
from wheelproof.python.search.bisimulation import Bisimulation, bisimulate
from wheelproof.python.search.difference import Rows
from wheelproof.python.search.run import NO_TEXTS
from wheelproof.tla import export
from wheelproof.tla.model import Compiled

ROOT = Path(__file__).resolve().parents[2]

ATOMIC = """
from impl.runtime import Atomic

class Driver:
    __slots__ = ("value",)

    def __init__(self, initial):
        self.value = Atomic(initial)

    def get(self):
        return self.value.get()  # read Asks1

    def set(self, value):
        self.value.set(value)  # write Asks1

    def swap(self, value):
        return self.value.get_and_set(value)  # swap Asks1

    def cas(self, expected, value):
        return self.value.compare_and_set(expected, value)  # cas Asks1

    def add(self, delta):
        return self.value.add_and_get(delta)  # update Asks1
"""

ATOMIC_HARNESS = """
from impl import driver
from impl.threads import get_ident

SUBJECT = ("impl.driver",)

class Thing:
    __slots__ = ("kind", "name")

    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    def __eq__(self, other):
        return isinstance(other, Thing) and self.kind == other.kind

    def __hash__(self):
        return hash(self.kind)

class Returned:
    __slots__ = ("values",)

    def __init__(self, threads):
        self.values = ((),) * threads

class Harness:
    def __init__(self, scenario, impl=driver):
        self.things = {name: Thing(name, kind) for name, kind in scenario["kind"].items()}
        self.driver = impl.Driver(self.value(scenario["initial"]))
        self.returned = Returned(len(scenario["threads"]))
        self.names = {"driver": self.driver, "returned": self.returned, **self.things}

    def value(self, given):
        return self.things[given] if isinstance(given, str) else int(str(given))

    def note(self, value):
        place, values = get_ident() - 1, self.returned.values
        self.returned.values = (*values[:place], (*values[place], value), *values[place + 1:])

    def get(self):
        self.note(self.driver.get())

    def set(self, value):
        self.driver.set(self.value(value))

    def swap(self, value):
        self.note(self.driver.swap(self.value(value)))

    def cas(self, expected, value):
        self.note(self.driver.cas(self.value(expected), self.value(value)))

    def add(self, delta):
        self.note(self.driver.add(delta))

def named(value):
    return value.name if isinstance(value, Thing) else value

def shared(harness):
    return {
        "held": (named(harness.driver.value.value),),
        "got": tuple(tuple(map(named, values)) for values in harness.returned.values),
    }
"""

LOCK = """
from __future__ import annotations
from impl.runtime import Plain, ReadWriteLock

class Driver:
    __slots__ = ("lock", "page")
    page: Plain[int]

    def __init__(self):
        self.lock, self.page = ReadWriteLock(), 0

    def read(self):
        with self.lock.read_lock:  # lock Asks1, unlock Leaves1
            _ = self.page  # read Inside1

    def write(self):
        with self.lock.write_lock:  # lock Asks1, unlock Leaves1
            self.page = self.page + 1  # write Inside1
"""

LOCK_HARNESS = """
from impl import driver

SUBJECT = ("impl.driver",)

class Harness:
    def __init__(self, scenario, impl=driver):
        self.driver = impl.Driver()
        self.names = {"driver": self.driver}

    def read(self):
        self.driver.read()

    def write(self):
        self.driver.write()

def shared(harness):
    lock = harness.driver.lock
    return {
        "readers": (frozenset(thread.name for thread in lock.readers),),
        "writer": (lock.writer and lock.writer.name,),
        "page": (harness.driver.page,),
    }
"""

GATE = """
from __future__ import annotations
from impl.runtime import Gate, Plain

class Driver:
    __slots__ = ("gate", "items", "now")
    items: Plain[tuple]
    now: Plain[int]

    def __init__(self, items):
        self.gate, self.items, self.now = Gate(), items, 0

    def wait_ms(self):
        return self.items[0] - self.now if self.items else 1

    def poll(self, timeout):
        _ = self.now  # read Begins1
        self.gate.acquire_when(self.wait_ms, timeout)  # lock Waits1
        self.take()
        self.gate.release()  # unlock Leaves1

    def poll_now(self):
        with self.gate:  # lock Enters1, unlock Leaves1
            self.take()

    def take(self):
        if self.items:
            first = self.items[0]
            if first <= self.now:  # read Looks1
                self.items = self.items[1:]  # write Takes1

    def offer(self, at):
        with self.gate:  # lock Enters1, unlock Leaves1
            self.items = tuple(sorted((*self.items, at)))  # write Offers1
            self.gate.notify()

    def tick(self, ms):
        self.now = self.now + ms  # write Ticks1
"""

GATE_HARNESS = """
from impl import driver

SUBJECT = ("impl.driver",)

class Harness:
    def __init__(self, scenario, impl=driver):
        self.driver = impl.Driver(tuple(scenario["items"]))
        self.names = {"driver": self.driver}

    def poll(self, timeout):
        self.driver.poll(timeout)

    def poll_now(self):
        self.driver.poll_now()

    def offer(self, at):
        self.driver.offer(at)

    def tick(self, ms):
        self.driver.tick(ms)

def shared(harness):
    owner, now = harness.driver.gate.owner, harness.driver.now
    return {"holder": (owner and owner.name,), "items": harness.driver.items, "now": (now,)}
"""

POOL = """
from impl.runtime import Atomic

class Driver:
    __slots__ = ("pool", "ran")

    def __init__(self, pool):
        self.pool, self.ran = pool, Atomic(())

    def submit(self, task):
        self.pool.submit(task)  # update Submits1

    def close(self):
        self.pool.close()  # write Closes1

    def take(self):
        return self.pool.take()  # update Takes1

    def run(self, task):
        self.ran.add_and_get((task,))  # update Runs1
"""

POOL_HARNESS = """
from harness.system_timer import Pool
from impl import driver

SUBJECT = ("impl.driver",)
ATOMIC = {"impl.task_executor": ()}

class Harness:
    def __init__(self, scenario, impl=driver):
        self.driver = impl.Driver(Pool(lambda: False))
        self.does = {task: tuple(does) for task, does in scenario["does"].items()}
        self.names = {"driver": self.driver}

    def submit(self, task):
        try:
            self.driver.submit(task)
        except RuntimeError:
            pass

    def close(self):
        self.driver.close()

    def work(self):
        task = self.driver.take()
        while task is not None:
            self.driver.run(task)
            if self.does[task][:1] == ("submit",):
                self.submit(self.does[task][1])
            elif self.does[task] == ("close",):
                self.close()
            task = self.driver.take()

def shared(harness):
    pool = harness.driver.pool
    return {"waiting": pool.waiting, "shut": (pool.shut,), "ran": harness.driver.ran.value}
"""


class StandIn(NamedTuple):
    """A stand-in's driver and harness, and the module of its operations.

    ``silent``: the places of steps that code lacks. ``constants``: those of a scenario. ``next``:
    the operator with the steps. ``aside``: variables that the stand-in has not.
    """

    module: str
    driver: str
    harness: str
    silent: frozenset[str]
    constants: Callable[[Mapping[str, Any]], dict[str, Any]]
    next: str = "Next"
    aside: frozenset[str] = frozenset()


STAND_INS = {
    "Atomic": StandIn(
        "AtomicInOneStep",
        ATOMIC,
        ATOMIC_HARNESS,
        frozenset({"idle"}),
        lambda of: {"Initial": of["initial"], "Kind": of["kind"]},
    ),
    "ReadWriteLock": StandIn(
        "ReadWriteLockAtomic", LOCK, LOCK_HARNESS, frozenset({"idle"}), lambda of: {}
    ),
    "Gate": StandIn(
        "DelayQueueAtomic",
        GATE,
        GATE_HARNESS,
        frozenset({"idle"}),
        lambda of: {"Items": tuple(of["items"])},
        "Timeless",
    ),
    "Pool": StandIn(
        "TaskExecutorAtomic",
        POOL,
        POOL_HARNESS,
        frozenset({"idle"}),
        lambda of: {"Does": {task: tuple(does) for task, does in of["does"].items()}},
        "Unwaited",
        frozenset({"ended", "turn"}),
    ),
}


def programs(**threads: str) -> dict[str, list[list[Any]]]:
    """``a="cas 1 2; get"``: the program of thread ``a``."""
    return {
        name: [
            [int(word) if re.fullmatch(r"-?\d+", word) else word for word in operation.split()]
            for operation in program.split("; ")
        ]
        for name, program in threads.items()
    }


@cache
def compiled(name: str) -> Compiled:
    """The module of a stand-in, compiled."""
    of = STAND_INS[name]
    module = export.load(ROOT / "spec" / f"{of.module}.tla")
    module.definitions["Next"] = module.definition(of.next)
    return Compiled(module, "place", auxiliary=of.aside)


def specified(name: str, scenario: Mapping[str, Any]) -> StateGraph:
    """The module's graph in a scenario, without the steps that code lacks."""
    of = STAND_INS[name]
    model = compiled(name).model(
        {"Program": scenario["threads"], "NULL": "null", **of.constants(scenario)},
        tuple(scenario["threads"]),
    )
    assert reduced.open_diamond(explore(model), of.silent) is None
    return reduced.reduce(model, of.silent)


def compared(
    name: str, scenario: Mapping[str, Any], others: Mapping[str, str] = NO_TEXTS
) -> Bisimulation:
    """The stand-in beside its module. ``others``: module -> text in the place of its file."""
    of = STAND_INS[name]
    texts = {"impl.driver": of.driver, "harness.driver": of.harness, **others}
    graph = specified(name, scenario)
    rows = Rows(
        {thread: (f"{label.title()}1", after) for thread, (label, after) in row.items()}
        for row in reduced.rows(graph)
    )
    # the linter wants a label of its own on each line, and a place has several operations
    implementation = ControlledImplementation.load(ROOT, "driver", texts=texts, lint=False)
    return bisimulate(implementation, scenario, rows, reduced.shared_of(graph))
