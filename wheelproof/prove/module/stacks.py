"""The procedures of a module, and the variables that their calls save.

PlusCal keeps a stack for each thread. A call pushes the frame of the procedure that it enters, and
a return pops it. So the innermost frame at a label is that of the label's procedure. A call that a
return follows at once replaces its caller's frame. Where no procedure's frame is ever above another
one of the procedure, a procedure is on a stack once at most. A stack then is, for each procedure,
the label that it returns to and the variables that its call has saved. Otherwise a stack is a
height, and the frame of each level (``levels``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

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

    ``saved``: procedure -> the variables that its calls save. ``recursive``: one of them may be on
    a stack twice.
    """

    of: Mapping[str, str]
    saved: Mapping[str, tuple[str, ...]]
    recursive: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.saved)


class Push(NamedTuple):
    """A frame that a step makes."""

    procedure: str
    saved: tuple[str, ...]
    replaces: bool
    """Its caller's frame is popped in the same step."""


def procedures(module: Module) -> Procedures:
    """The procedures by the definitions that PlusCal's translation makes of them.

    One that no step calls is known by its return.
    """
    homes: dict[str, str] = {}
    above: dict[str, set[str]] = {}
    instead: dict[str, set[str]] = {}
    labels = {step.name: step for step in steps_of(module)}
    owner = {
        leaf.name: name
        for name, definition in module.definitions.items()
        if name != "Next" and branches(definition.body)
        for leaf in disjuncts(definition.body)
        if isinstance(leaf, Call)
    }
    pushes = {name: _pushes(labels[name].body) for name in labels}
    callees = {push.procedure for frames in pushes.values() for push in frames}
    saves = {
        owner.get(name, name): tuple(variable for variable in restores if variable != "pc")
        for name, definition in labels.items()
        if (restores := _restores(definition.body)) and owner.get(name, name) not in callees
    }
    callees |= set(saves)
    for name, definition in labels.items():
        home = owner.get(name, name)
        homes[label_of(definition)] = home if home in callees else ""
        for push in pushes[name]:
            saves[push.procedure] = push.saved
            replaces = push.replaces and push.procedure != home
            (instead if replaces else above).setdefault(home, set()).add(push.procedure)
    is_recursive = any(name in _over(name, above, instead) for name in callees)
    return Procedures(homes, saves, is_recursive)


def _over(
    procedure: str, above: Mapping[str, Collection[str]], instead: Mapping[str, Collection[str]]
) -> set[str]:
    """The procedures whose frames may be above that of a procedure.

    ``above``: procedure -> those that it calls; ``instead``: those whose frames replace its own.
    """
    names: set[str] = set()
    waiting = [*above.get(procedure, ())]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += [*above.get(name, ()), *instead.get(name, ())]
    return names


def _pushes(node: Expression) -> list[Push]:
    """The frames that a step makes."""
    frames = []
    replaced: list[Expression] = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        match here:
            case Call(_, (Builtin("$Tuple", (new,)), Call() as below)) if below.name == "Tail":
                replaced.append(new)
        frame = frame_of(here) if isinstance(here, Builtin) else {}
        match frame.get("procedure"):
            case Text(procedure):
                variables = tuple(name for name in frame if name not in ("procedure", "pc"))
                frames.append(Push(procedure, variables, any(here is new for new in replaced)))
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
