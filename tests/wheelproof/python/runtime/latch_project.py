"""A small project with two primitives of its own: a latch, and a lock with the name Turnstile."""

from types import MappingProxyType

LATCH = """
    class Latch:
        __slots__ = ("count",)

        def __init__(self, count):
            self.count = count

        def admits(self, thread):
            return self.count == 0 or scheduler.late(thread)

        def count_down(self):
            scheduler.whole(scheduler.point("update", True))
            scheduler.released(self)
            if self.count > 0:
                self.count -= 1

        def wait(self):
            scheduler.whole(scheduler.point("wait", True, self))
            if self.count > 0:
                scheduler.unplanned()
            scheduler.acquired(self)

        def twice(self):
            before = self.count
            scheduler.whole(scheduler.point("wait", True))
            scheduler.whole(scheduler.point("wake", True))
            return before

        def within(self, seconds):
            thread = scheduler.running
            scheduler.whole(scheduler.point("wait", True))
            if self.count == 0:
                return True
            scheduler.sleeps(thread, seconds)
            scheduler.whole(scheduler.point("wake", True, self))
            return not scheduler.wakes(thread) or self.count == 0
"""
PRIMITIVES = f"""
def latch(scheduler, earlier):
{LATCH}
    return Latch


def turnstile(scheduler, earlier):
    class Turnstile:
        __slots__ = ("owner",)

        def __init__(self):
            self.owner = None
            scheduler.order.add(self)

        def admits(self, thread):
            return self.owner is None

        def __enter__(self):
            if (thread := scheduler.running) is None:
                return
            site = scheduler.point("lock", True, self)
            scheduler.whole(site)
            self.owner = thread
            scheduler.acquired(self)
            scheduler.order.enter(thread, self, site)

        def __exit__(self, kind, error, trace):
            if (thread := scheduler.running) is None:
                return
            scheduler.unwinding(error)
            scheduler.whole(scheduler.point("unlock", True))
            scheduler.released(self)
            scheduler.order.leave(thread.held, self)
            self.owner = None

    return Turnstile
"""
PRODUCTION = """
from wheelproof_runtime import Condition
from wheelproof_runtime import Lock as Turnstile

class Latch:
    __slots__ = ("changed", "count")

    def __init__(self, count):
        self.changed, self.count = Condition(), count

    def count_down(self):
        with self.changed:
            self.count -= self.count > 0
            self.changed.notify_all()

    def wait(self):
        with self.changed:
            self.changed.wait_for(lambda: not self.count)
"""
START = """
from __future__ import annotations
from impl.runtime import Latch, Plain, Time, Turnstile

class Start:
    __slots__ = ("latch", "ready", "one", "two", "clock")
    ready: Plain[int]

    def __init__(self, count):
        self.latch, self.ready, self.clock = Latch(count), 0, Time()
        self.one, self.two = Turnstile(), Turnstile()

    def prepare(self):
        self.ready = self.ready + 1  # write P1
        self.latch.count_down()  # update P2

    def go(self):
        self.latch.wait()  # wait G1
        return self.ready

    def kept(self):
        self.latch.twice()  # wait K1, wake K2

    def go_within(self, seconds):
        return self.latch.within(seconds)  # wait W1, wake W2

    def sleep(self, seconds):
        self.clock.advance(seconds)  # update C1

    def forward(self):
        with self.one:  # lock F1, unlock F4
            with self.two:  # lock F2, unlock F3
                pass

    def fail(self):
        with self.one:  # lock E1, unlock E2
            raise ValueError
"""
HARNESS = """
from impl import start

SUBJECT = ("impl.start",)
PRIMITIVES = {"Latch": "harness.primitives.latch", "Turnstile": "harness.primitives.turnstile"}

class Harness:
    def __init__(self, scenario, impl=start):
        self.start = impl.Start(scenario["count"])
        self.names = {"start": self.start}

    def prepare(self):
        self.start.prepare()

    def go(self):
        return self.start.go()

    def kept(self):
        self.start.kept()

    def go_within(self, seconds):
        return self.start.go_within(seconds)

    def sleep(self, seconds):
        self.start.sleep(seconds)

    def forward(self):
        self.start.forward()

    def fail(self):
        try:
            self.start.fail()
        except ValueError as error:
            return error

def shared(harness):
    return {"count": (harness.start.latch.count,), "ready": (harness.start.ready,)}
"""
MODEL = """
from wheelproof_runtime.pluscal import BLOCKED, DONE, Machine, Procedure, Scalar

class Model(Machine):
    PROCEDURES = {"prepare": Procedure("P1", ()), "go": Procedure("G1", ())}
    count, ready = Scalar("count"), Scalar("ready")

    def __init__(self, scenario):
        self.program = scenario["threads"]
        super().__init__(self.program, {"turn": 0, "got": None}, start="T0")
        self.scalar("count", scenario["count"])
        self.scalar("ready", 0)
        self.begin()

    def P1(self, t):
        self.ready += 1

    def P2(self, t):
        self.count -= 1
        self.leave(t)

    def G1(self, t):
        if self.count:
            return BLOCKED
        t.got = self.ready
        self.leave(t)

    def T0(self, t):
        if t.turn == len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, self.program[self.me][t.turn - 1][0], back="T0")

    def returned(self, t):
        return t.got
"""
TEXTS = {
    "harness.primitives": PRIMITIVES,
    "harness.start": HARNESS,
    "impl.production": PRODUCTION,
    "impl.runtime": "from wheelproof_runtime import *\nfrom .production import Latch, Turnstile\n",
    "impl.start": START,
    "model.start": MODEL,
}
OPENS_EARLY = MappingProxyType(
    {
        "return self.count == 0 or": "return self.count <= 1 or",
        "            if self.count > 0:\n                scheduler.unplanned()\n": "",
    }
)
SCENARIO = {
    "count": 2,
    "threads": {"p": [["prepare"], ["prepare"]], "g": [["go"]], "h": [["go"]]},
}


def texts_with(module="", *changes):
    """The sources, one of them with changes: (old, new), old in it."""
    texts = dict(TEXTS)
    for old, new in changes:
        assert old in texts[module], old
        texts[module] = texts[module].replace(old, new)
    return texts
