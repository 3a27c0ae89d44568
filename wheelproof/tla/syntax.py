"""The syntax tree of a TLA+ module, with every name resolved to its declaration.

The tree has the subset that specifications of algorithms use. A form outside of it is an
:class:`Outside` node, which is refused only where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from wheelproof.errors import UsageError


class Place(NamedTuple):
    """Where a node stands: the module's name and the line, from 1."""

    module: str
    line: int

    def __str__(self) -> str:
        return f"module {self.module}, line {self.line}"


class Level(IntEnum):
    """The level of a formula, as SANY computes it."""

    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3


class OutsideSubset(UsageError):
    """A module has something that the front end does not read."""

    def __init__(self, description: str, place: Place) -> None:
        super().__init__(
            f"{place}: {description} is outside of the subset of TLA+ that Wheelproof compiles.",
            "docs/tla.md lists the subset. Write the formula with it, or write the model by hand.",
        )
        self.description, self.place = description, place


@dataclass(frozen=True, slots=True, eq=False)
class Formal:
    """A formal parameter, or a bound name."""

    name: str
    arity: int = 0


@dataclass(slots=True, eq=False)
class Definition:
    """An operator's definition."""

    name: str
    place: Place
    level: Level
    formals: tuple[Formal, ...] = ()
    recursive: bool = False
    standard: bool = False
    """Whether it is of a module that comes with TLA+."""
    body: Expression = field(default_factory=lambda: Outside("a missing body", Place("", 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    value: int
    place: Place
    level: Level = Level.CONSTANT


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    value: str
    place: Place
    level: Level = Level.CONSTANT


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    name: str
    place: Place
    level: Level = Level.CONSTANT


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    name: str
    place: Place
    level: Level = Level.STATE


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A use of a formal parameter or bound name, applied to arguments if it is an operator."""

    formal: Formal
    place: Place
    level: Level
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """An application of a defined operator."""

    definition: Definition
    arguments: tuple[Expression, ...]
    place: Place
    level: Level

    @property
    def name(self) -> str:
        return self.definition.name


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """``formals \\in domain``."""

    formals: tuple[Formal, ...]
    pattern: bool
    """Whether the names take a tuple apart: ``<<x, y>> \\in S``."""
    domain: Expression | None
    """The set; None for the name of a function that is defined by recursion."""


@dataclass(frozen=True, slots=True, eq=False)
class Builtin:
    """An application of an operator of the language."""

    name: str
    """SANY's name, such as ``$Except``."""
    arguments: tuple[Expression, ...]
    bounds: tuple[Bound, ...]
    place: Place
    level: Level


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    definitions: tuple[Definition, ...]
    body: Expression
    place: Place
    level: Level


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """An operator that is an argument: a name, or a LAMBDA."""

    definition: Definition
    place: Place
    level: Level = Level.CONSTANT


@dataclass(frozen=True, slots=True, eq=False)
class At:
    """``@`` in an EXCEPT: the value before."""

    place: Place
    level: Level = Level.STATE


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Something that the front end does not read."""

    description: str
    place: Place
    level: Level = Level.TEMPORAL


Expression = (
    Number | Text | Constant | Variable | Parameter | Call | Builtin | Let | Operator | At | Outside
)


@dataclass(slots=True, eq=False)
class Module:
    """A module with everything that it extends. Declarations are in the order of the text."""

    name: str
    constants: tuple[str, ...]
    variables: tuple[str, ...]
    definitions: dict[str, Definition]
    assumptions: tuple[tuple[str, Expression], ...]
    standard: dict[str, Definition] = field(default_factory=dict)
    """The operators of TLA+'s own modules that the module sees."""
    operators: dict[str, Definition] = field(default_factory=dict)
    """The constants that are operators; none has a body."""

    def definition(self, name: str) -> Definition:
        """The definition of this name; UsageError where the module has none."""
        try:
            return self.definitions[name]
        except KeyError:
            raise UsageError(
                f"The module {self.name} defines no {name}.",
                "Define it there, or correct the name.",
            ) from None


def children(node: Expression) -> Iterator[Expression]:
    """The expressions directly below a node, bodies of its LET and LAMBDA included."""
    match node:
        case Builtin():
            yield from node.arguments
            for bound in node.bounds:
                if bound.domain is not None:
                    yield bound.domain
        case Call() | Parameter():
            yield from node.arguments
        case Let():
            for definition in node.definitions:
                yield definition.body
            yield node.body
        case Operator():
            if not node.definition.standard:
                yield node.definition.body
        case _:
            return


def conjuncts(node: Expression) -> Iterator[Expression]:
    """The members of a conjunction, nested ones included; the node itself where it is none."""
    if isinstance(node, Builtin) and node.name in ("$ConjList", "\\land"):
        for argument in node.arguments:
            yield from conjuncts(argument)
    else:
        yield node


def disjuncts(node: Expression) -> Iterator[Expression]:
    """The members of a disjunction, nested ones included; the node itself where it is none."""
    if isinstance(node, Builtin) and node.name in ("$DisjList", "\\lor"):
        for argument in node.arguments:
            yield from disjuncts(argument)
    else:
        yield node


def variables_of(node: Expression) -> frozenset[str]:
    """The variables that a formula reads, through the definitions that it uses."""
    names: set[str] = set()
    visits: set[int] = set()
    waiting: list[Expression] = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Variable):
            names.add(here.name)
        if (
            isinstance(here, Call | Operator)
            and not here.definition.standard
            and id(here.definition) not in visits
        ):
            visits.add(id(here.definition))
            waiting.append(here.definition.body)
        waiting += children(here)
    return frozenset(names)


def applied(node: Let) -> frozenset[int]:
    """The identities of a LET's definitions that are used as functions with arguments only."""
    names = {id(definition) for definition in node.definitions if not definition.formals}
    waiting: list[tuple[Expression, bool]] = [(node, False)]
    while waiting:
        here, is_applied = waiting.pop()
        if isinstance(here, Call | Operator) and not is_applied:
            names.discard(id(here.definition))
        is_function = isinstance(here, Builtin) and here.name == "$FcnApply"
        waiting += [
            (child, is_function and place == 0) for place, child in enumerate(children(here))
        ]
    return frozenset(names)
