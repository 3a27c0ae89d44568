"""An implementation whose threads wait for conditions, for the tests of the virtual runtime."""

from wheelproof.python import ControlledImplementation

SOURCE = """
from __future__ import annotations
from impl.threads import Condition, Interrupted, Interrupts, Lock, Plain, Time, get_ident, monotonic

class Box:
    __slots__ = ("changed", "lock", "items", "got", "time", "interrupts")
    items: Plain[int]
    got: Plain[tuple]

    def __init__(self):
        self.lock = Lock()
        self.changed = Condition(Lock())
        self.items, self.got, self.time, self.interrupts = 0, (), Time(), Interrupts()

    def put(self):
        with self.changed:  # lock P1, unlock P4
            self.items = self.items + 1  # write P2
            self.changed.notify()  # notify P3

    def fill(self):
        with self.changed:  # lock F1, unlock F4
            self.items = self.items + 2  # write F2
            self.changed.notify_all()  # notify F3

    def ring(self, n):
        with self.changed:  # lock N1, unlock N3
            self.changed.notify(n)  # notify N2

    def take(self):
        with self.changed:  # lock T1, unlock T6
            while not self.items:
                self.changed.wait()  # wait T2, wake T3, lock T4
            self.items = self.items - 1  # write T5

    def once(self):
        with self.changed:  # lock O1, unlock O6
            self.changed.wait()  # wait O2, wake O3, lock O4
            self.got = self.got + (get_ident(),)  # write O5

    def hold(self):
        with self.changed:  # lock V1, unlock V6
            try:
                self.changed.wait()  # wait V2, wake V3, lock V4
            except Interrupted:
                self.got = self.got + ("raised",)  # write V5

    def disturb(self, thread):
        self.interrupts.interrupt(thread)  # update J1

    def take_for(self, seconds):
        with self.changed:  # lock W1, unlock W6
            value = self.changed.wait_for(self.full, seconds)  # wait W2, wake W3, lock W4
            self.got = self.got + (value,)  # write W5

    def full(self):
        return self.items > 0

    def patient(self, seconds):
        with self.changed:  # lock I1, unlock I6
            value = self.changed.wait(seconds)  # wait I2, wake I3, lock I4
            self.got = self.got + (bool(value),)  # write I5

    def careless(self, seconds):
        with self.changed:  # lock K1, unlock K6
            self.changed.wait(seconds)  # wait K2, wake K3, lock K4
            self.got = self.got + (get_ident(),)  # write K5

    def hour(self):
        self.lock.acquire()  # lock H1
        now = monotonic()  # read H2
        self.got = self.got + (now,)  # write H3
        self.lock.release()  # unlock H4

    def grab(self):
        self.lock.acquire()  # lock G1

    def let_go(self):
        self.lock.release()  # unlock L1

    def outside(self):
        self.changed.wait()  # wait X1, wake X2, lock X3

    def cry(self):
        self.changed.notify()  # notify Y1

    def tick(self, seconds):
        self.time.advance(seconds)  # update C1

    def clock(self):
        more = True
        while more:
            more = self.time.elapse()  # update E1
"""
HARNESS = """
from impl import box
SUBJECT = ("impl.box",)

class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box()
        self.names = {"box": self.box}
%s

def shared(harness):
    return {"items": harness.box.items, "got": harness.box.got}
"""
OPERATIONS = {
    "put": "",
    "fill": "",
    "ring": "n",
    "take": "",
    "once": "",
    "take_for": "s",
    "patient": "s",
    "careless": "s",
    "hour": "",
    "grab": "",
    "let_go": "",
    "outside": "",
    "cry": "",
    "tick": "s",
    "clock": "",
    "hold": "",
    "disturb": "t",
}


def load_box(root, *changes, lint=True, harness=HARNESS):
    """Load the implementation, with some of its texts replaced."""
    text = SOURCE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    calls = "\n".join(
        f"    def {name}(self{', ' + a if a else ''}): self.box.{name}({a})"
        for name, a in OPERATIONS.items()
    )
    for folder, content in (("impl", text), ("harness", harness % calls)):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "box.py").write_text(content, encoding="utf-8")
    return ControlledImplementation.load(root, "box", lint=lint)


def scenario(**programs):
    return {
        "threads": {
            name: [[word, *arguments] for word, *arguments in program]
            for name, program in programs.items()
        }
    }


def outcomes(implementation, program):
    """Every end of some schedule, (whether all ended, the variables), each with a schedule."""
    table, seen, ends, todo = {}, set(), {}, [()]
    while todo:
        schedule = todo.pop()
        run = implementation.begin(program, intern=table)
        for thread in schedule:
            run.step(thread)
        state = run.fingerprint()
        if state not in seen:
            seen.add(state)
            able = list(run.enabled())
            if not able:
                ends.setdefault((run.done, *run.shared().values()), schedule)
            todo += [(*schedule, thread) for thread in able]
        run.end()
    return ends
