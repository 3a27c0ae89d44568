"""Programs on primitives, run in several ways, and their ends compared.

A *box* has the primitives and an operation for each use of one. It runs on the controlled classes,
whose operations are single steps; on another source of these classes, CPython's own or one written
from the documentation, whose operations on smaller primitives are the steps; and on real threads.
"""

import inspect
import re
import threading
from typing import NamedTuple

from wheelproof.python import ControlledImplementation, Crashed
from wheelproof.python.runtime import registry

RAISED = "raised"


class Box(NamedTuple):
    """``text``: the module with the class ``Box``. ``made_with``: the keys of a scenario that are
    its arguments. ``primitives``: the slots that hold them, as a regular expression. ``imports``:
    the beginning of the import of their classes."""

    text: str
    made_with: tuple[str, ...]
    primitives: str
    imports: str

    def harness(self):
        arguments = ", ".join(f"scenario[{key!r}]" for key in self.made_with)
        operations = re.findall(r"    def (?!__|act|note)(\w+)\(self(?:, (\w))?\)", self.text)
        calls = "\n".join(
            f"    def {name}(self{', ' + a if a else ''}): self.box.{name}({a})"
            for name, a in operations
        )
        return f"""
from impl import box
SUBJECT = ("impl.box",)

class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box({arguments})
        self.names = {{"box": self.box, "clock": self.box.clock}}
{calls}

def shared(harness):
    return {{"got": harness.box.got}}
"""

    def load(self, root, source=""):
        """The box on the controlled classes, or on ``source``, a module that has them."""
        text = self.text
        if source:
            assert text.count(f"impl.threads {self.imports}") == 1
            text = re.sub(rf"(self\.({self.primitives})\b.*)  # .*", r"\1", text).replace(
                f"impl.threads {self.imports}", f"impl.source {self.imports}"
            )
        for folder, file, content in (
            ("impl", "box", text),
            ("impl", "source", source),
            ("harness", "box", self.harness()),
        ):
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / f"{file}.py").write_text(content, encoding="utf-8")
        return ControlledImplementation.load(root, "box", lint=not source)

    def on_threads(self, program):
        """The end of a program on the standard library's classes and threads."""
        space = {"__name__": "box"}
        exec(compile(self.text, "box", "exec"), space)
        got = []

        class Noted(space["Box"]):
            def note(self, value):
                got.append((threading.current_thread().name, value))

        box = Noted(*[program[key] for key in self.made_with])

        def run(operations):
            for name, *arguments in operations:
                getattr(box, name)(*arguments)

        threads = [
            threading.Thread(target=run, args=(operations,), name=name, daemon=True)
            for name, operations in program["threads"].items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads)
        return True, tuple(
            tuple(value for name, value in got if name == thread.name) for thread in threads
        )


def threads(**programs):
    """``a="put 1; get"``: the program of thread ``a``."""
    return {
        name: [
            [int(word) if re.fullmatch(r"-?\d+", word) else word for word in operation.split()]
            for operation in program.split("; ")
        ]
        for name, program in programs.items()
    }


# -- another source of the primitives


def with_changes(text, name, changes):
    """A class's source with faults. ``changes``: (class, old, new), old occurs exactly once."""
    for cls, old, new in changes:
        if cls == name:
            assert text.count(old) == 1, (old, text)
            text = text.replace(old, new)
    return text


def with_slots(source, slots, marks=()):
    """A class's source with slots. ``marks``: lines that mark some of them."""
    head, body = source.split("\n", 1)
    lines = "".join(f"    {mark}\n" for mark in marks)
    return f"\n{head}\n    __slots__ = {tuple(slots)!r}\n{lines}{body}"


def source_of(cls, name, changes):
    """The source of a class of the standard library, with faults."""
    return with_changes(inspect.getsource(cls), name, changes)


def labelled(text, labels):
    """A source with a label on each operation. ``labels``: what a line has -> its label."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        for operation, label in labels:
            if re.search(operation, line):
                lines[number] = f"{line}  # {label.format(number)}"
    return "\n".join(lines) + "\n"


# -- ends


def ends(implementation, program):
    """Every end of some schedule: (all have ended, the results of each thread in order).

    Each has a shortest schedule that comes there. (RAISED, class) is the end by an exception.
    """
    table, seen, found, todo = {}, set(), {}, [()]
    while todo:
        later = []
        for schedule in todo:
            run = implementation.begin(program, intern=table)
            try:
                for thread in schedule:
                    run.step(thread)
            except Crashed as error:
                found.setdefault((RAISED, type(error.error).__name__), schedule)
                run.end()
                continue
            state = run.fingerprint()
            if state not in seen:
                seen.add(state)
                able = list(run.enabled())
                if not able:
                    got = run.shared()["got"]
                    results = tuple(
                        tuple(value for thread, value in got if thread == index + 1)
                        for index in range(len(run.threads))
                    )
                    found.setdefault((run.done, results), schedule)
                later += [(*schedule, thread) for thread in able]
            run.end()
        todo = later
    return found


def broken(found, expected):
    """What is wrong with the ends of a program, by name; () where they are the expected ones."""
    more = found.keys() - expected.keys()
    faults = {
        "NoException": any(done is RAISED for done, _ in more),
        "NoDeadlock": any(done is False for done, _ in more),
        "NoOtherResult": any(done is True for done, _ in more),
        "EveryResult": bool(expected.keys() - found.keys()),
    }
    return tuple(name for name, wrong in faults.items() if wrong)


# -- faults in the controlled classes


def plant(monkeypatch, name, **methods):
    """Let the controlled class of this name have other methods."""
    cls = registry._REGISTRY[name]
    faulty = type(name, (cls,), {"__slots__": (), **methods})
    monkeypatch.setitem(registry._REGISTRY, name, faulty)
