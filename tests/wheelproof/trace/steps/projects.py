"""Small projects, each on one primitive of the runtime, with a model by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests.wheelproof.trace.steps.small_queues import QUEUE, QUEUE_MODEL
from tests.wheelproof.trace.steps.small_synchronizers import (
    BARRIER,
    BARRIER_MODEL,
    EVENT,
    EVENT_MODEL,
    SEMAPHORE,
    SEMAPHORE_MODEL,
)
from wheelproof.project import find
from wheelproof.project.mechanism import Mechanism

HEAD = """
from wheelproof_runtime.pluscal import BLOCKED, DONE, Machine, Scalar

class Programs(Machine):
    ENTRY = {}
    now = Scalar("now")

    def __init__(self, scenario):
        self.scenario, self.program = scenario, scenario["threads"]
        own = {"turn": 0, "n": 0, "got": None, "until": None}
        super().__init__(self.program, own, start="T0")
        self.scalar("now", 0)
        self.declare(scenario)
        self.begin()

    def T0(self, t):
        if t.turn == len(self.program[self.me]):
            t.pc = DONE
            return
        name, *rest = self.program[self.me][t.turn]
        t.turn, t.got, t.pc, t.n = t.turn + 1, None, self.ENTRY[name], rest[0] if rest else 0

    def C1(self, t):
        self.now += t.n
        self.ended(t)

    def ended(self, t, got=None):
        t.got, t.until, t.pc = got, None, "T0"

    def late(self, t):
        return t.until is not None and t.until <= self.now

    def returned(self, t):
        return t.got

"""


class Small(NamedTuple):
    """``shown``: variable -> what the harness reads for it."""

    impl: str
    model: str
    shown: dict[str, str]


OF_EVENT = {"flag": "box.ready.flag", "asleep": "tuple(each.name for each in box.ready.asleep)"}
OF_BARRIER = {
    "phase": "box.round.phase",
    "inside": "tuple((each.name, index) for each, index in box.round.inside)",
    "acts": "box.acts",
}
OF_QUEUE = {"items": "box.todo.items", "unfinished": "box.todo.unfinished"}
OF_HEAP = OF_QUEUE | {"items": "tuple(sorted(box.todo.items))"}
SMALL = {
    "semaphore": Small(SEMAPHORE, SEMAPHORE_MODEL, {"value": "box.places.value"}),
    "bounded_semaphore": Small(
        SEMAPHORE.replace("Semaphore(", "BoundedSemaphore("),
        SEMAPHORE_MODEL.replace("LIMIT = None", "LIMIT = True"),
        {"value": "box.places.value"},
    ),
    "event": Small(EVENT, EVENT_MODEL, OF_EVENT),
    "barrier": Small(BARRIER, BARRIER_MODEL, OF_BARRIER),
    "queue": Small(QUEUE, QUEUE_MODEL, OF_QUEUE),
    "lifo_queue": Small(
        QUEUE.replace("Queue(", "LifoQueue("),
        QUEUE_MODEL.replace("return 0\n", "return len(items) - 1\n"),
        OF_QUEUE,
    ),
    "priority_queue": Small(
        QUEUE.replace("Queue(", "PriorityQueue("),
        QUEUE_MODEL.replace("(*self.items, t.n)", "tuple(sorted((*self.items, t.n)))"),
        OF_HEAP,
    ),
}


STUCK = {
    "Semaphore": "enter",
    "BoundedSemaphore": "hold",
    "Event": "wait",
    "Barrier": "meet",
    "Queue": "get",
    "LifoQueue": "get",
    "PriorityQueue": "get",
}
"""Module -> an operation that waits for ever."""


def scenario(**programs: str) -> dict[str, object]:
    """``a="put 1; get"``: the program of thread ``a``, on a box as ``inside`` says it."""
    threads = {
        name: [
            [int(word) if word.isdigit() else word for word in operation.split()]
            for operation in program.split("; ")
        ]
        for name, program in programs.items()
    }
    return {"threads": threads, "value": 1, "parties": 2, "room": 0, "items": []}


def inside(program: dict[str, object], **box: object) -> dict[str, object]:
    """A scenario on another box."""
    return program | box


def written(root: Path, name: str, old: str = "", new: str = "") -> Mechanism:
    """The project of a primitive. ``old``: a text that its implementation has once, to be replaced
    by ``new``."""
    small = SMALL[name]
    body = small.impl
    if old:
        assert body.count(old) == 1, (old, body)
        body = body.replace(old, new)
    calls = "\n".join(
        f"    def {method}(self{rest}): return self.box.{method}({rest.strip(', ')})"
        for method, rest in re.findall(r"    def (?!_|act\b)(\w+)\(self(, n)?\)", body)
    )
    shown = "\n".join(f"        {key!r}: ({text},)," for key, text in small.shown.items())
    module = name.title().replace("_", "")
    used = "Barrier, BoundedSemaphore, BrokenBarrierError, Empty, Event, Full, LifoQueue, Plain"
    texts = {
        f"impl/{name}.py": "from __future__ import annotations\n"
        f"from wheelproof_runtime import {used}\n"
        f"from wheelproof_runtime import PriorityQueue, Queue, Semaphore, Time\n{body}",
        f"harness/{name}.py": f"""
from impl import {name}

SUBJECT = ("impl.{name}",)

class Harness:
    def __init__(self, scenario, impl={name}):
        self.box = impl.Box(scenario)
        self.names = {{"box": self.box, "clock": self.box.clock}}
{calls}

def shared(harness):
    box = harness.box
    return {{
        "now": (box.clock.now,),
{shown}
    }}
""",
        f"model/{name}.py": HEAD + small.model,
        f"spec/{module}.tla": f"---- MODULE {module} ----\n====\n",
        f"spec/{module}.toml": _toml(module, small.impl),
    }
    for file, text in texts.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    return find(root)[name]


def _toml(module: str, body: str) -> str:
    kinds: dict[str, list[str]] = {"silent": ["T0"]}
    for kind, label in re.findall(r"(\w+) ([A-Z]\d)\b", "".join(re.findall(r"  # .*", body))):
        kinds.setdefault(kind, []).append(label)
    labels = "\n".join(f"{kind} = {names}" for kind, names in kinds.items())
    return f"""
[mechanism]
module = "{module}"

[constants]
Program = {{ field = "threads", as = "function" }}

[properties.invariant]
Nothing = "recordings look at steps alone"

[labels]
{labels}

[scenarios.stuck]
about = "a thread waits for ever"
threads = {{ a = "sleep 1; {STUCK[module]}", b = "{STUCK[module]}" }}
value = 0
parties = 3
room = 0
items = []

[safety]
fast = ["stuck"]
"""
