"""A draft's implementation: the class with a label behind each line that other threads may see."""

from __future__ import annotations

import builtins
import textwrap
from collections.abc import Collection, Iterator, Sequence

from wheelproof.draft.steps import (
    Branch,
    Hold,
    Hole,
    Leave,
    Loop,
    Node,
    Notify,
    Operation,
    Sleep,
    Step,
)
from wheelproof.draft.subject import Shared, Subject

INDENT = "    "

WIDTH = 88
"""The columns of a line of slots."""


def module(subject: Subject, operations: Sequence[Operation], volatile: Collection[str]) -> str:
    """The text of the implementation. ``volatile``: the fields that are seen without a lock."""
    marks = {name: "Volatile" if name in volatile else "Plain" for name in subject.fields}
    sorts = {guard.sort for guard in subject.guards.values()}
    sorts |= {"Lock"} if not all(guard.again for guard in subject.locks.values()) else set()
    has_deque = any(item.container == "deque" for item in subject.fields.values())
    imports = ["from collections import deque\n"] if has_deque else []
    imports.append(
        f"from wheelproof_runtime import {', '.join(sorted(sorts | set(marks.values())))}\n"
    )
    errors = sorted({name for operation in operations for name in operation.raises})
    own_errors = "".join(
        f'\n\nclass {name}(Exception):\n    """An exception of {subject.file.name}."""\n'
        for name in errors
        if not hasattr(builtins, name)
    )
    slots = [*subject.guards, *subject.constants, *subject.fields]
    lines = [
        f'"""{subject.name} of {subject.file.name}, with a label for each step."""',
        "",
        "from __future__ import annotations",
        "",
        "\n".join(imports) + own_errors,
        "",
        f"class {subject.name}:",
        *_docstring(subject.docstring, 1),
        *([""] if subject.docstring else []),
        *_slots(list(dict.fromkeys(slots))),
        "",
        *(
            f"{INDENT}{name}: {marks[name]}[{_class(item)}]"
            for name, item in subject.fields.items()
        ),
        "",
        *_constructor(subject),
    ]
    for operation in operations:
        lines += ["", *_method(operation)]
    return "\n".join(lines) + "\n"


def _slots(names: Sequence[str]) -> list[str]:
    """The slots on a line, or where that is too long on a line each."""
    quotes = [f'"{name}"' for name in names]
    line = f"{INDENT}__slots__ = ({', '.join(quotes)}{',' if len(quotes) == 1 else ''})"
    if len(line) <= WIDTH:
        return [line]
    return [f"{INDENT}__slots__ = (", *(f"{INDENT * 2}{name}," for name in quotes), f"{INDENT})"]


def _class(item: Shared) -> str:
    """The class of a field's values, for its mark."""
    plain = {"truth": "bool", "number": "int", "text": "str"}.get(item.kind, "object")
    return item.container or plain


def _constructor(subject: Subject) -> Iterator[str]:
    arguments = ", ".join(["self", *dict.fromkeys(subject.arguments)])
    yield f"{INDENT}def __init__({arguments}):"
    for name, guard in subject.guards.items():
        shared_lock = f"self.{guard.lock}" if guard.lock != name else ""
        if guard.sort == "Condition" and not shared_lock and not guard.again:
            shared_lock = "Lock()"
        yield f"{INDENT * 2}self.{name} = {guard.sort}({shared_lock})"
    by_constant = dict(zip(subject.constants, dict.fromkeys(subject.arguments), strict=False))
    for attribute in subject.constants:
        yield f"{INDENT * 2}self.{attribute} = {by_constant[attribute]}"
    for name, item in subject.fields.items():
        value = item.fresh if item.container else _literal(item, by_constant)
        yield f"{INDENT * 2}self.{name} = {value}"


def _literal(item: Shared, arguments: dict[str, str]) -> str:
    """The first value of a field as Python."""
    return {"NULL": "None", "TRUE": "True", "FALSE": "False"}.get(item.initial, item.initial)


def _method(operation: Operation) -> Iterator[str]:
    yield f"{INDENT}def {operation.name}({', '.join(['self', *operation.arguments])}):"
    yield from _docstring(operation.docstring, 2)
    yield from _block(operation.body, 2)


def _block(nodes: Sequence[Node], depth: int) -> Iterator[str]:
    lines = [line for node in nodes for line in _node(node, depth)]
    yield from lines or [INDENT * depth + "pass"]
    if lines and all(line.lstrip().startswith("#") for line in lines):
        yield INDENT * depth + "pass"


def _node(node: Node, depth: int) -> Iterator[str]:
    indent = INDENT * depth
    match node:
        case Step(python="") | Leave(python=""):
            return
        case Step(python=python, label=label, kind=kind):
            yield indent + python + (f"  # {kind} {label}" if label else "")
        case Hold(guard=guard, lock=lock, body=body, keeps=True):
            yield f"{indent}self.{guard.attribute}.acquire()  # lock {lock}"
            yield from _block(body, depth)
        case Hold(guard=guard, lock=lock, unlock=unlock, body=body):
            yield f"{indent}with self.{guard.attribute}:  # lock {lock}, unlock {unlock}"
            yield from _block(body, depth + 1)
        case Sleep(guard=guard, labels=(wait, wake, lock)):
            yield (
                f"{indent}self.{guard.attribute}.wait()  # wait {wait}, wake {wake}, lock {lock}"
            )
        case Notify(label=label, python=python):
            yield f"{indent}{python}  # notify {label}"
        case Branch(python=python, label=label, then=then, otherwise=otherwise):
            yield f"{indent}if {python}:" + (f"  # read {label}" if label else "")
            yield from _block(then, depth + 1)
            if otherwise:
                yield f"{indent}else:"
                yield from _block(otherwise, depth + 1)
        case Loop(python=python, label=label, body=body):
            yield f"{indent}while {python}:" + (f"  # read {label}" if label else "")
            yield from _block(body, depth + 1)
        case Leave(python=python):
            yield indent + (python.partition("(")[0] if python.startswith("raise") else python)
        case Hole(line=line, text=text, reason=reason, label=label):
            yield f"{indent}# HOLE {label}, line {line}: {text}"
            yield f"{indent}#   {reason}"


def _docstring(text: str, depth: int) -> list[str]:
    if not text:
        return []
    block = textwrap.indent(f'"""{text}"""', INDENT * depth).splitlines()
    return [line.rstrip() for line in block]
