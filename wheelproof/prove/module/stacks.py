"""The procedures of a module, and the variables that their calls save.

PlusCal keeps a stack for each thread. A call pushes the frame of the procedure that it enters, and
a return pops it. So the innermost frame at a label is that of the label's procedure. Where no
procedure calls itself, be it through others, a procedure is on a stack once at most. A stack then
is, for each procedure, the label that it returns to and the variables that its call has saved.
Where one does, a stack is a height, and the frame of each level (``levels``).
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
    homes: dict[str, str] = {}
    calls: dict[str, dict[str, tuple[str, ...]]] = {}
    labels = {step.name: step for step in steps_of(module)}
    owner = {
        leaf.name: name
        for name, definition in module.definitions.items()
        if name != "Next" and branches(definition.body)
        for leaf in disjuncts(definition.body)
        if isinstance(leaf, Call)
    }
    pushes = {name: dict(_pushes(labels[name].body)) for name in labels}
    callees = {procedure for frames in pushes.values() for procedure in frames}
    roots = {
        owner.get(name, name): tuple(variable for variable in restores if variable != "pc")
        for name, definition in labels.items()
        if (restores := _restores(definition.body)) and owner.get(name, name) not in callees
    }
    callees |= set(roots)
    calls[""] = roots
    for name, definition in labels.items():
        home = owner.get(name, name)
        homes[label_of(definition)] = home if home in callees else ""
        calls.setdefault(home, {}).update(pushes[name])
    saves = {procedure: fields for frames in calls.values() for procedure, fields in frames.items()}
    return Procedures(homes, saves, any(_recursive(name, calls, ()) for name in callees))


def _recursive(name: str, calls: Mapping[str, Mapping[str, Any]], above: tuple[str, ...]) -> bool:
    return name in above or any(
        _recursive(callee, calls, (*above, name)) for callee in calls.get(name, {})
    )


def _pushes(node: Expression) -> list[tuple[str, tuple[str, ...]]]:
    """The frames that a step makes: procedure, saved variables."""
    frames = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        frame = frame_of(here) if isinstance(here, Builtin) else {}
        match frame.get("procedure"):
            case Text(procedure):
                variables = tuple(name for name in frame if name not in ("procedure", "pc"))
                frames.append((procedure, variables))
        waiting += children(here)
    return frames


def _restores(node: Expression) -> list[str]:
    """The fields of the innermost frame that a step reads: those that its procedure has."""
    names, waiting = [], [node]
    while waiting:
        here = waiting.pop()
        match here:
            case Builtin("$RcdSelect", (Call() as head, Text(name))) if head.name == "Head":
                names.append(name)
        waiting += children(here)
    return names


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
