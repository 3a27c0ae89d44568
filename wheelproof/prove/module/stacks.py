"""The procedures of a module, and what their calls save.

PlusCal keeps a stack for each thread. A call pushes the frame of the procedure that it enters, and
a return pops it. So the innermost frame at a label is that of the label's procedure. Where no
procedure calls itself, be it through others, a procedure is on a stack once at most. A stack then
is, for each procedure, the label that it returns to and what its call has saved. Where one does, a
stack is a height, and the frame of each level (``levels``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheelproof.tla.layout import actions as steps_of
from wheelproof.tla.layout import branches, label_of
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Expression,
    Module,
    Text,
    children,
    disjuncts,
)


@dataclass(frozen=True)
class Procedures:
    """The procedures of a module. ``of``: label -> its procedure, "" for a process.

    ``saved``: procedure -> the variables that its calls save. ``recursive``: one of them calls
    itself, be it through others.
    """

    of: Mapping[str, str]
    saved: Mapping[str, tuple[str, ...]]
    recursive: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.saved)


def procedures(module: Module) -> Procedures:
    """The procedures by the definitions that PlusCal's translation makes of them.

    One that no step calls is known by its return.
    """
    of: dict[str, str] = {}
    calls: dict[str, dict[str, tuple[str, ...]]] = {}
    labels = {each.name: each for each in steps_of(module)}
    owner = {
        leaf.name: name
        for name, definition in module.definitions.items()
        if name != "Next" and branches(definition.body)
        for leaf in disjuncts(definition.body)
        if isinstance(leaf, Call)
    }
    pushed = {name: dict(_pushes(labels[name].body)) for name in labels}
    called = {procedure for frames in pushed.values() for procedure in frames}
    uncalled = {
        owner.get(name, name): tuple(each for each in restored if each != "pc")
        for name, definition in labels.items()
        if (restored := _restores(definition.body)) and owner.get(name, name) not in called
    }
    called |= set(uncalled)
    calls[""] = uncalled
    for name, definition in labels.items():
        home = owner.get(name, name)
        of[label_of(definition)] = home if home in called else ""
        calls.setdefault(home, {}).update(pushed[name])
    saved = {procedure: fields for frames in calls.values() for procedure, fields in frames.items()}
    return Procedures(of, saved, any(_recursive(name, calls, ()) for name in called))


def _recursive(name: str, calls: Mapping[str, Mapping[str, Any]], above: tuple[str, ...]) -> bool:
    return name in above or any(
        _recursive(other, calls, (*above, name)) for other in calls.get(name, {})
    )


def _pushes(node: Expression) -> list[tuple[str, tuple[str, ...]]]:
    """The frames that a step makes: procedure, saved variables."""
    found = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        frame = frame_of(here) if isinstance(here, Builtin) else {}
        match frame.get("procedure"):
            case Text(procedure):
                saved = tuple(name for name in frame if name not in ("procedure", "pc"))
                found.append((procedure, saved))
        waiting += children(here)
    return found


def _restores(node: Expression) -> list[str]:
    """The fields of the innermost frame that a step reads: those that its procedure has."""
    found, waiting = [], [node]
    while waiting:
        here = waiting.pop()
        match here:
            case Builtin("$RcdSelect", (Call() as head, Text(name))) if head.name == "Head":
                found.append(name)
        waiting += children(here)
    return found


def frame_of(node: Builtin) -> dict[str, Expression]:
    """The fields of a stack's frame; none where it is no frame."""
    if node.name != "$RcdConstructor":
        return {}
    fields = {
        pair.arguments[0].value: pair.arguments[1]
        for pair in node.arguments
        if isinstance(pair, Builtin) and isinstance(pair.arguments[0], Text)
    }
    return fields if {"procedure", "pc"} <= set(fields) else {}
