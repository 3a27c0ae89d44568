"""Where a module's variables are in a state: shared ones, and those of each thread.

A thread's variables are PlusCal's: ``pc`` and those declared behind it, as functions over the
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


def layout(module: Module, pc: str, extra: frozenset[str] = frozenset()) -> Layout:
    """The layout of a module's states. ``extra``: variables that are shared ones nevertheless.

    Raises UsageError where ``pc`` is no variable of the threads.
    """
    if pc not in module.variables:
        raise UsageError(
            f"The module {module.name} has no variable {pc}.",
            "Write the algorithm in PlusCal, or name the variable: [mechanism] pc.",
        )
    steps = actions(module)
    otherwise = extra.union(*(_otherwise(step) for step in steps))
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
    definitions: dict[Definition, None] = {}
    for definition, _ in leaves(module.definition("Next").body):
        if label_of(definition):
            definitions[definition] = None
    return list(definitions)


def leaves(node: Expression) -> Iterator[tuple[Definition, Call]]:
    """The definitions at the ends of a disjunction of steps, each with its call."""
    for disjunct in disjuncts(node):
        if isinstance(disjunct, Builtin) and disjunct.name == "$BoundedExists":
            yield from leaves(disjunct.arguments[0])
        elif isinstance(disjunct, Call) and not disjunct.definition.standard:
            if branches(disjunct.definition.body):
                yield from leaves(disjunct.definition.body)
            else:
                yield disjunct.definition, disjunct
        else:
            raise OutsideSubset("a disjunct of Next that is not a definition", disjunct.place)


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
    me, names = mover(step), set()

    def visit(node: Expression) -> None:
        match node:
            case Builtin("=", (Builtin("'", (Variable(name),)), value)):
                if not _of_mover(name, value, me):
                    names.add(name)
                visit(value)
            case Builtin("$FcnApply", (Builtin("'", (Variable(),)), index)) if is_mover(index, me):
                return
            case Builtin("'", (Variable(name),)):
                names.add(name)
            case _:
                if isinstance(node, Call) and node.level == Level.ACTION:
                    visit(node.definition.body)
                for child in children(node):
                    visit(child)

    visit(step.body)
    return names


def _of_mover(name: str, value: Expression, me: Formal | Text | None) -> bool:
    """Whether ``name' = value`` changes the thread's own value at most."""
    match value:
        case Variable():
            return value.name == name
        case Builtin(
            "$Except", (Variable(variable), Builtin("$Pair", (Builtin("$Seq", (index,)), _)))
        ):
            return variable == name and is_mover(index, me)
    return False
