"""Random programs of two to four threads, as a module and as code of the reference machine."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.wheelproof.plain.reference import Code

HEAD = '''
import itertools, queue, threading, time

class Shared:
    def __init__(self):
        self.a, self.b = threading.Lock(), threading.RLock()
        self.c = threading.Condition(self.a)
        self.e, self.s, self.q = threading.Event(), threading.Semaphore(1), queue.Queue(1)
        self.x = self.y = 0
        self.k, self.d, self.l = queue.SimpleQueue(), {}, []

class Key:
    """Its hash is code in Python: a dictionary calls it, and threads switch there."""
    def __init__(self, shared, record): self.shared, self.record = shared, record
    def __hash__(self):
        self.record.append(self.shared.x)
        self.shared.y = 7
        return hash(1)
    def __eq__(self, other): return other == 1

LAST = [None]

EARLIER = Shared()

def main():
    o = EARLIER if OUTLIVES else Shared()
    LAST[0] = o, [[] for _ in THREADS], [False for _ in THREADS]
    _, records, done = LAST[0]
    def run(body, index):
        body(o, records[index])
        done[index] = True
    threads = [threading.Thread(target=run, args=(b, i)) for i, b in enumerate(THREADS)]
    for t in threads: t.start()
    for t in threads: t.join()
'''

SHARED: dict[str, Any] = {
    "a": None, "b": None, "c": (), "el": None, "ec": (), "flag": False, "sl": None, "sc": (),
    "sv": 1, "ql": None, "qe": (), "qf": (), "qv": (), "x": 0, "y": 0, "d": (), "l": (), "k": (),
}  # fmt: skip


@dataclass
class Program:
    """A program both ways."""

    source: str
    codes: list[Code]


class Writer:
    """Writes the body of one thread, as source and as code."""

    def __init__(self, draw: Tape, thread: int) -> None:
        self.draw, self.lines, self.code = draw, [], Code(thread)
        self.new = thread + 1

    def say(self, *lines: str) -> None:
        self.lines.extend("    " + line for line in lines)

    def guarded(self) -> None:
        lock, name = self.draw.choice("ab"), self.draw.choice("xy")
        self.say(f"with o.{lock}: o.{name} = {self.new}")
        self.code.add("acquire", lock)
        self.code.add("write", name, self.new)
        self.code.add("release", lock)

    def write(self) -> None:
        name = self.draw.choice("xy")
        self.say(f"o.{name} = {self.new}")
        self.code.add("write", name, self.new)

    def read(self) -> None:
        name = self.draw.choice("xy")
        self.say(f"r.append(o.{name})")
        self.code.add("read", name)
        self.code.add("record")

    def add(self) -> None:
        name = self.draw.choice("xy")
        self.say(f"o.{name} += 1")
        self.code.add("read", name)
        self.code.add("add", name, 1)

    def attempt(self) -> None:
        lock, timed = self.draw.choice("ab"), self.draw.random() < 0.5
        name = self.draw.choice("xy")
        self.say(
            f"if o.{lock}.acquire({'timeout=1' if timed else 'False'}):",
            f"    o.{name} = {self.new}; o.{lock}.release()",
            "else: r.append('no')",
        )
        failed = self.code.add("try", lock, None)
        self.code.add("write", name, self.new)
        self.code.add("release", lock)
        end = self.code.add("jump", None)
        self.code.steps[failed][2] = self.code.add("note", "no")
        self.code.steps[end][1] = self.code.here()

    def nested(self) -> None:
        first, second = self.draw.choice((("a", "b"), ("b", "a")))
        self.say(f"with o.{first}:", f"    with o.{second}: r.append(o.x)")
        self.code.add("acquire", first)
        self.code.add("acquire", second)
        self.code.add("read", "x")
        self.code.add("record")
        self.code.add("release", second)
        self.code.add("release", first)

    def reentrant(self) -> None:
        self.say("with o.b:", f"    with o.b: o.x = {self.new}", "    r.append(o.y)")
        self.code.add("acquire", "b")
        self.code.add("write", "x", self.new)
        self.code.add("read", "y")
        self.code.add("record")
        self.code.add("release", "b")

    def locked(self) -> None:
        self.say("r.append(o.a.locked())")
        self.code.add("held", "a")
        self.code.add("record")

    def notify(self) -> None:
        everyone = self.draw.random() < 0.3
        self.say(f"with o.c: o.c.notify{'_all' if everyone else ''}()")
        self.code.add("acquire", "a")
        self.code.add("notify", "c", 99 if everyone else 1)
        self.code.add("release", "a")

    def wait(self) -> None:
        timed = self.draw.random() < 0.6
        self.say(f"with o.c: r.append(o.c.wait({'1' if timed else ''}))")
        self.code.add("acquire", "a")
        self.code.wait("c", "a", timed)
        self.code.add("record")
        self.code.add("release", "a")

    def event(self) -> None:
        what = self.draw.choice(("set", "clear", "is_set", "wait", "wait"))
        timed = what == "wait" and self.draw.random() < 0.6
        if what == "is_set":
            self.say("r.append(o.e.is_set())")
            self.code.add("read", "flag")
            self.code.add("record")
            return
        self.code.add("acquire", "el")
        if what == "wait":
            self.say(f"r.append(o.e.wait({'1' if timed else ''}))")
            self.code.add("read", "flag")
            known = self.code.add("unless", None)
            self.code.wait("ec", "el", timed)
            self.code.steps[known][1] = self.code.here()
        else:
            self.say(f"o.e.{what}()")
            self.code.add("write", "flag", what == "set")
            if what == "set":
                self.code.add("notify", "ec", 99)
        self.code.add("release", "el")
        if what == "wait":
            self.code.add("record")

    def semaphore(self) -> None:
        what = self.draw.choice(("acquire", "timed", "release", "with"))
        if what == "release":
            self.say("o.s.release()")
            self.freed()
            return
        self.code.add("acquire", "sl")
        failed = self.code.until("positive", "sv", "sc", "sl", what == "timed")
        self.code.add("read", "sv")
        self.code.add("add", "sv", -1)
        self.code.add("release", "sl")
        if what == "with":
            self.say("with o.s: r.append(o.y)")
            self.code.add("read", "y")
            self.code.add("record")
            self.freed()
        elif failed is None:
            self.say("r.append(o.s.acquire())")
            self.code.add("note", True)
        else:
            self.say("r.append(o.s.acquire(timeout=1))")
            self.code.add("note", True)
            self.otherwise(failed, "sl", False)

    def freed(self) -> None:
        self.code.add("acquire", "sl")
        self.code.add("read", "sv")
        self.code.add("add", "sv", 1)
        self.code.add("notify", "sc", 1)
        self.code.add("release", "sl")

    def otherwise(self, failed: int, lock: str, note: Any) -> None:
        """What happens after a time-out."""
        end = self.code.add("jump", None)
        self.code.steps[failed][1] = self.code.add("release", lock)
        self.code.add("note", note)
        self.code.steps[end][1] = self.code.here()

    def queue(self) -> None:
        what, timed = self.draw.choice(("put", "get")), self.draw.random() < 0.5
        test, waits, wakes = ("room", "qf", "qe") if what == "put" else ("positive", "qe", "qf")
        call = f"o.q.put({self.new}" if what == "put" else "r.append(o.q.get("
        call += (", " * (what == "put") + "timeout=1") * timed + ")" * (1 + (what == "get"))
        if timed:
            self.say(f"try: {call}", "except (queue.Empty, queue.Full): r.append('late')")
        else:
            self.say(call)
        self.code.add("acquire", "ql")
        failed = self.code.until(test, "qv", waits, "ql", timed)
        if what == "put":
            self.code.add("put", "qv", self.new)
        else:
            self.code.add("take", "qv")
        self.code.add("notify", wakes, 1)
        self.code.add("release", "ql")
        if what == "get":
            self.code.add("record")
        if failed is not None:
            self.otherwise(failed, "ql", "late")

    def simple_queue(self) -> None:
        what = self.draw.choice(("put", "put", "get", "get", "timed", "now", "count"))
        if what == "put":
            self.say(f"o.k.put({self.new})")
            self.code.add("put", "k", self.new)
            return
        if what == "count":
            self.say("r.append(o.k.qsize())")
            self.code.add("count", "k")
            self.code.add("record")
            return
        call = {"get": "get()", "timed": "get(timeout=1)", "now": "get_nowait()"}[what]
        self.say(f"try: r.append(o.k.{call})", "except queue.Empty: r.append('late')")
        taken = self.code.add("await", "k", None)
        self.code.add("record")
        if what != "get":
            end = self.code.add("jump", None)
            self.code.steps[taken][2] = self.code.add("note", "late")
            self.code.steps[end][1] = self.code.here()

    def dictionary(self) -> None:
        key = self.draw.choice((1, 2))
        text, step = self.draw.choice(
            (
                (f"o.d[{key}] = {self.new}", ("set item", key, self.new, True)),
                (
                    f"r.append(o.d.setdefault({key}, {self.new}))",
                    ("set item", key, self.new, False),
                ),
                (f"r.append(o.d.get({key}))", ("get item", key)),
                (f"r.append(o.d.pop({key}, None))", ("pop item", key)),
                ("r.append(len(o.d))", ("count", "d")),
            )
        )
        self.say(text)
        self.code.add(*step)
        if text.startswith("r"):
            self.code.add("record")

    def called_back(self) -> None:
        self.say("r.append(o.d.get(Key(o, r)))")
        self.code.add("read", "x")
        self.code.add("record")
        self.code.add("write", "y", 7)
        self.code.add("get item", 1)
        self.code.add("record")

    def sequence(self) -> None:
        if self.draw.random() < 0.5:
            self.say(f"o.l.append({self.new})")
            self.code.add("put", "l", self.new)
        else:
            self.say("r.append(len(o.l))")
            self.code.add("count", "l")
            self.code.add("record")

    def polled(self) -> None:
        name, pause = self.draw.choice("xy"), self.draw.choice(("pass", "time.sleep(1)"))
        self.say(f"while not o.{name}: {pause}")
        self.code.add("positive", name)

    def tries(self) -> None:
        name, pause = self.draw.choice("xy"), self.draw.choice(("pass", "time.sleep(1)"))
        loop = self.draw.choice(("in itertools.repeat(None, 2)", "in [0, 0]", "in range(2)"))
        self.say(f"for _ {loop}:", f"    if o.{name}: break", f"    {pause}", "else: r.append(0)")
        tests = [self.code.add("positive", name, None) for _ in range(2)]
        self.code.add("note", 0)
        for test in tests:
            self.code.steps[test][2] = self.code.here()

    def rests(self) -> None:
        loop = self.draw.choice(
            (
                "list(map(time.sleep, [1, 1]))",
                "[time.sleep(1) for _ in 'aa']",
                "sorted('aa', key=rest)",
            )
        )
        self.say("rest = lambda _: time.sleep(1) or 0", loop)


KINDS = (
    Writer.guarded, Writer.write, Writer.read, Writer.add, Writer.attempt, Writer.attempt,
    Writer.nested, Writer.reentrant, Writer.locked, Writer.notify, Writer.wait, Writer.event,
    Writer.event, Writer.semaphore, Writer.queue, Writer.dictionary, Writer.dictionary,
    Writer.called_back, Writer.sequence,
)  # fmt: skip

HANDING = (
    Writer.simple_queue, Writer.simple_queue, Writer.simple_queue, Writer.simple_queue,
    Writer.write, Writer.read, Writer.nested, Writer.attempt,
)  # fmt: skip
"""Kinds of statements of programs whose threads hand items to each other."""


POLLING = (
    Writer.polled, Writer.tries, Writer.tries, Writer.rests, Writer.write, Writer.write,
    Writer.read, Writer.add, Writer.guarded, Writer.attempt, Writer.sequence,
)  # fmt: skip
"""Kinds of statements of programs whose threads look again and again."""


class Tape:
    """The draws of a statement: from a seed, and noted; or those that were noted, once more."""

    def __init__(self, draw: random.Random | None, notes: list[Any]) -> None:
        self._draw, self.notes, self._at = draw, notes, 0

    def choice(self, options: Any) -> Any:
        return options[self._next(lambda draw: draw.choice(range(len(options))))]

    def random(self) -> float:
        return self._next(random.Random.random)

    def _next(self, take: Callable[[random.Random], Any]) -> Any:
        if self._draw is not None:
            self.notes.append(take(self._draw))
        self._at += 1
        return self.notes[self._at - 1]


Statement = tuple[str, list[Any]]
"""A method of `Writer` by its name, and its draws."""


@dataclass
class Outline:
    """What was drawn: the statements of each thread, and whether the shared object outlives."""

    threads: list[list[Statement]]
    outlives: bool


def outline(seed: int, kinds: tuple[Any, ...] = KINDS) -> Outline:
    """The outline of a seed."""
    draw = random.Random(seed)
    count = draw.choice((2, 2, 2, 3, 3, 4))
    most = {2: 3, 3: 2, 4: 1}[count]
    threads: list[list[Statement]] = []
    for thread in range(count):
        statements: list[Statement] = []
        for _ in range(draw.randint(1, most)):
            kind, tape = draw.choice(kinds), Tape(draw, [])
            kind(Writer(tape, thread))
            statements.append((kind.__name__, tape.notes))
        threads.append(statements)
    return Outline(threads, draw.random() < 0.5)


def outline_of(document: Any) -> Outline:
    """The outline of a document, of which nothing is taken at its word. Raises ValueError."""
    try:
        threads, outlives = document["threads"], document["outlives"]
        kinds = {kind.__name__ for kind in (*KINDS, *HANDING, *POLLING)}
        names = [name for statements in threads for name, _ in statements]
        if not isinstance(outlives, bool) or not kinds.issuperset(names):
            raise ValueError("a statement is of no kind, or outlives is no truth value")
        result = Outline(threads, outlives)
        written(result)
    except (TypeError, LookupError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    return result


def written(outline: Outline) -> Program:
    """The program of an outline."""
    parts, codes = [HEAD], []
    for thread, statements in enumerate(outline.threads):
        writer = Writer(Tape(None, []), thread)
        for name, notes in statements:
            writer.draw = Tape(None, notes)
            getattr(writer, name)()
        parts.append("\n".join((f"def t{thread}(o, r):", *(writer.lines or ["    pass"]))) + "\n")
        codes.append(writer.code)
    parts.append(f"OUTLIVES = {outline.outlives}")
    names = ", ".join(f"t{thread}" for thread in range(len(codes)))
    parts.append(f"THREADS = [{names}]\n")
    return Program("\n".join(parts), codes)


def drawn(seed: int, kinds: tuple[Any, ...] = KINDS) -> Program:
    """The program of a seed."""
    return written(outline(seed, kinds))
