"""Where a module's variables are in a state: shared ones, and those of each thread.

A thread's variables are PlusCal's: ``pc`` and what is declared behind it, as functions over the
threads. A step may change its own thread's value alone. A variable that some step changes in
another way counts as shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wheelproof.errors import UsageError
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Formal,
    Level,
    Module,
    OutsideSubset,
    Parameter,
    Text,
    Variable,
    children,
    conjuncts,
    disjuncts,
)


@dataclass(frozen=True)
class Layout:
    """The names of the shared variables and of a thread's, ``pc`` first, each in declared order."""

    shared: tuple[str, ...]
    process: tuple[str, ...]


def layout(module: Module, pc: str, demoted: frozenset[str] = frozenset()) -> Layout:
    """The layout of a module's states. ``demoted``: variables that are shared ones nevertheless.

    Raises UsageError where ``pc`` is no variable of the threads.
    """
    if pc not in module.variables:
        raise UsageError(
            f"The module {module.name} has no variable {pc}.",
            "Write the algorithm in PlusCal, or name the variable: [mechanism] pc.",
        )
    steps = actions(module)
    otherwise = demoted.union(*(_otherwise(step) for step in steps))
    if pc in otherwise:
        raise UsageError(
            f"The module {module.name}: some step changes {pc} of another thread than its own.",
            "Write the algorithm in PlusCal, with processes.",
        )
    behind = module.variables[module.variables.index(pc) :]
    process = tuple(name for name in behind if name not in otherwise)
    return Layout(tuple(name for name in module.variables if name not in process), process)


def actions(module: Module) -> list[Definition]:
    """The definitions that are steps: the leaves of Next, without PlusCal's Terminating."""
    found: dict[Definition, None] = {}
    for definition, _ in leaves(module.definition("Next").body):
        if label_of(definition):
            found[definition] = None
    return list(found)


def leaves(node: Expression) -> Iterator[tuple[Definition, Call]]:
    """The definitions at the ends of a disjunction of steps, each with its call."""
    for each in disjuncts(node):
        if isinstance(each, Builtin) and each.name == "$BoundedExists":
            yield from leaves(each.arguments[0])
        elif isinstance(each, Call) and not each.definition.standard:
            if branches(each.definition.body):
                yield from leaves(each.definition.body)
            else:
                yield each.definition, each
        else:
            raise OutsideSubset("a disjunct of Next that is not a definition", each.place)


def branches(body: Expression) -> bool:
    """Whether a definition of steps is one of several steps, and not a step itself."""
    return isinstance(body, Call) or (
        isinstance(body, Builtin) and body.name in ("$DisjList", "\\lor", "$BoundedExists")
    )


def label_of(step: Definition) -> str:
    """The label that a step asks for first: ``pc[self] = "L"``; "" where it asks for none."""
    first = next(conjuncts(step.body))
    match first:
        case Builtin("=", (Builtin("$FcnApply", (Variable(), index)), Text(label))):
            if mover(step) is None or is_mover(index, mover(step)):
                return label
    return ""


def mover(step: Definition) -> Formal | Text | None:
    """The thread that a step moves: its parameter, or the name of the only process."""
    if step.formals:
        return step.formals[0]
    match next(conjuncts(step.body)):
        case Builtin("=", (Builtin("$FcnApply", (Variable(), Text() as name)), Text())):
            return name
    return None


def is_mover(node: Expression, me: Formal | Text | None) -> bool:
    """Whether an expression names the thread that moves."""
    match node:
        case Parameter():
            return node.formal is me
        case Text():
            return isinstance(me, Text) and node.value == me.value
    return False


def _otherwise(step: Definition) -> set[str]:
    """The variables that a step changes in another way than for its own thread."""
    me, found = mover(step), set()

    def visit(node: Expression) -> None:
        match node:
            case Builtin("=", (Builtin("'", (Variable(name),)), value)):
                if not _own(name, value, me):
                    found.add(name)
                visit(value)
            case Builtin("$FcnApply", (Builtin("'", (Variable(),)), index)) if is_mover(index, me):
                return
            case Builtin("'", (Variable(name),)):
                found.add(name)
            case _:
                if isinstance(node, Call) and node.level == Level.ACTION:
                    visit(node.definition.body)
                for each in children(node):
                    visit(each)

    visit(step.body)
    return found


def _own(name: str, value: Expression, me: Formal | Text | None) -> bool:
    """Whether ``name' = value`` changes the thread's own value at most."""
    match value:
        case Variable():
            return value.name == name
        case Builtin(
            "$Except", (Variable(other), Builtin("$Pair", (Builtin("$Seq", (index,)), _)))
        ):
            return other == name and is_mover(index, me)
    return False
