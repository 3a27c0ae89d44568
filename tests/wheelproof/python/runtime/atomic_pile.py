"""A module above an atomic one, for the tests of atomic modules."""

from wheelproof.python import ControlledImplementation

LOWER = """
from __future__ import annotations
from impl.runtime import Atomic, Gate, Monitor, Plain, Volatile

class Pile:
    __slots__ = ("monitor", "top", "size", "gate", "count")
    top: Plain[int]
    size: Volatile[int]

    def __init__(self):
        self.monitor, self.gate, self.count = Monitor(), Gate(), Atomic(0)
        self.top = self.size = 0

    def push(self, value):
        with self.monitor:  # lock A1, unlock A4
            self.top = value  # write A2
            self.size = 1  # write A3

    def empty(self, callback):
        with self.monitor:  # lock F1, unlock F4
            while self.size > 0:  # read F2
                self.size = 0  # write F3
                callback(self.top)

    def ready(self):
        return 1 - self.count.get()

    def take(self):
        self.gate.acquire_when(self.ready, 10)
        self.count.add_and_get(-1)
        self.gate.release()

    def give(self):
        with self.gate:
            self.count.add_and_get(1)
            self.gate.notify()

class Late(Pile):
    __slots__ = ()
    def take(self):
        self.size
        super().take()
"""
UPPER = """
from __future__ import annotations
from impl.lower import Late, Pile
from impl.runtime import Atomic

class Upper:
    __slots__ = ("pile", "sum", "late")

    def __init__(self):
        self.pile, self.late, self.sum = Pile(), Late(), Atomic(0)

    def put(self, value):
        self.pile.push(value)  # update P1

    def twice(self, value):
        for i in range(2):
            self.pile.push(value)  # update T1

    def bare(self, value):
        self.pile.push(value)

    def drain(self):
        self.pile.empty(self.add)

    def add(self, value):
        self.sum.add_and_get(value)  # update S1

    def again(self):
        self.pile.empty(self.refill)

    def refill(self, value):
        self.sum.add_and_get(value)  # update R1
        if value > 1:
            self.pile.push(value - 1)  # update R2

    def take(self):
        self.pile.take()  # update G1

    def give(self):
        self.pile.give()  # update G2

    def slow(self):
        self.late.take()  # update G3

    def make(self):
        Pile()
        self.sum.add_and_get(1)  # update M1
"""
HARNESS = """
from impl import upper
SUBJECT = ("impl.upper",)
ATOMIC = {"impl.lower": ("F2",)}

class Harness:
    def __init__(self, scenario, impl=upper):
        self.upper = impl.Upper()
        self.names = {"upper": self.upper}
    def put(self, value): self.upper.put(value)
    def twice(self, value): self.upper.twice(value)
    def bare(self, value): self.upper.bare(value)
    def drain(self): self.upper.drain()
    def again(self): self.upper.again()
    def take(self): self.upper.take()
    def give(self): self.upper.give()
    def slow(self): self.upper.slow()
    def make(self): self.upper.make()

def shared(harness):
    pile = harness.upper.pile
    return {
        "size": pile.size,
        "top": pile.top,
        "sum": harness.upper.sum.value,
        "owner": pile.monitor.owner,
    }
"""


def load_pile(folder, *changes):
    """Load the two modules and their harness, with some of their texts replaced."""
    texts = {"impl/lower.py": LOWER, "impl/upper.py": UPPER, "harness/upper.py": HARNESS}
    for file, old, new in changes:
        assert old in texts[file]
        texts[file] = texts[file].replace(old, new)
    for file, text in texts.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    return ControlledImplementation.load(folder, "upper")


def begin(implementation, **threads):
    return implementation.begin({"threads": threads})


def labels(implementation, *program, before=()):
    """The steps of one thread, alone."""
    run, steps = begin(implementation, a=[*before, *program]), []
    while run.enabled():
        steps.append(run.threads[0].label)
        run.step(0)
    assert run.done
    run.end()
    return " ".join(steps)
