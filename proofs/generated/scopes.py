"""The names that an expression sees, and of what shape its value is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import z3

from proofs.generated.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Partial,
    Record,
    Sequence,
    Shape,
    Vocabulary,
)
from proofs.generated.values import Value, gathered
from proofs.ts import Sort
from wheelproof.tla.names import SHOWN
from wheelproof.tla.syntax import (
    At,
    Builtin,
    Call,
    Constant,
    Expression,
    Formal,
    Number,
    OutsideSubset,
    Parameter,
    Text,
    Variable,
)

ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda x, y: x < y,
    ">": lambda x, y: x > y,
    "\\leq": lambda x, y: x <= y,
    "\\geq": lambda x, y: x >= y,
}
_TRUTHS = frozenset(
    [
        "$ConjList",
        "\\land",
        "$DisjList",
        "\\lor",
        "\\lnot",
        "=>",
        "\\equiv",
        "=",
        "/=",
        "\\in",
        "\\notin",
        "TRUE",
        "FALSE",
        "$BoundedForall",
        "$BoundedExists",
    ]
)


@dataclass(frozen=True)
class Given:
    """An argument of an operator: an expression, with the names that it sees."""

    node: Expression
    names: Names


@dataclass(frozen=True)
class Made:
    """A bound name: a term and its shape."""

    term: z3.ExprRef
    shape: Shape


Names = Mapping[Formal, Given | Made]


@dataclass
class Frames:
    """What PlusCal's stack is: each procedure is on it once at most, and one is the innermost.

    ``top``: the procedure that the step is in, "" for the process itself. ``back``: procedure ->
    where it returns to, for each thread. ``kept``: (procedure, variable) -> what its call has saved
    of the variable. ``absent``: the label that stands for no frame.
    """

    top: str
    back: Mapping[str, z3.ExprRef]
    kept: Mapping[tuple[str, str], Value]
    absent: z3.ExprRef


@dataclass
class Shaped:
    """What expressions are in one state. ``after``: the variables that have their next value.

    ``s``: the constants and variables by their flat names. ``obligations``: what must hold where a
    term is used: a value that is taken out of a union is in that part.
    """

    words: Vocabulary
    s: SimpleNamespace
    shapes: Mapping[str, Shape]
    frames: Frames
    after: Mapping[str, Value] = field(default_factory=dict)
    obligations: list[z3.BoolRef] = field(default_factory=list)
    at: tuple[Value, Shape] | None = None

    # -- values of variables

    def variable(self, name: str, node: Expression) -> Value:
        """A variable before the step."""
        if name not in self.shapes:
            raise OutsideSubset(
                f"the variable {name}, which the vocabulary gives no shape,", node.place
            )
        return gathered(name, self.shapes[name], self.s)

    # -- shapes

    def shape(self, node: Expression, names: Names) -> Shape | None:
        """The shape of an expression; None for a string, for null, and for what any shape fits."""
        match node:
            case Number():
                return INT
            case Text():
                return None
            case Constant(name):
                found = self.words.constants.get(name)
                return None if isinstance(found, Listing) else found
            case Variable(name):
                self.variable(name, node)
                return self.shapes[name]
            case Parameter(formal):
                given = names[formal]
                return (
                    given.shape if isinstance(given, Made) else self.shape(given.node, given.names)
                )
            case At():
                assert self.at is not None
                return self.at[1]
            case Builtin("'", (Variable(name),)):
                return self.shapes.get(name)
            case Builtin("$FcnApply", (function, _)):
                of = self.shape(function, names)
                if isinstance(of, Sequence):
                    return of.of
                if isinstance(of, Partial):
                    return of.function.range
                return of.range if isinstance(of, Function) else None
            case Builtin("$RcdSelect", (Call() as head, Text(name))) if head.name == "Head":
                return self.kept_shape(name)
            case Builtin("$RcdSelect", (record, Text(name))):
                of = self.shape(record, names)
                return of.fields.get(name) if isinstance(of, Record) else None
            case Builtin("$IfThenElse", (_, then, other)):
                return self.shape(then, names) or self.shape(other, names)
            case Builtin("$Except" | "\\union" | "\\", (first, *_)):
                return self.shape(first, names)
            case Builtin(name) if name in _TRUTHS:
                return BOOL
            case Call(definition) if definition.standard:
                return BOOL if node.name in ORDERS else INT
            case Call(definition):
                return self.shape(definition.body, self.inside(node, names))
        return None

    def kept_shape(self, name: str) -> Shape | None:
        of = self.shapes["pc" if name == "pc" else name]
        return of.range if isinstance(of, Function) else None

    def inside(self, node: Call, names: Names) -> Names:
        """The names that a definition's body sees."""
        if node.definition.recursive:
            raise OutsideSubset(f"{node.name}, a recursive operator,", node.place)
        return {
            formal: Given(value, names)
            for formal, value in zip(node.definition.formals, node.arguments, strict=True)
        }

    def sort_of(self, node: Expression, names: Names) -> Sort:
        """The sort of a set that quantifiers and functions range over."""
        match node:
            case Constant(name) if name in self.words.sets:
                return self.words.sets[name]
            case Call() if node.name in self.words.sets:
                return self.words.sets[node.name]
            case Call(definition) if not definition.standard and not definition.formals:
                return self.sort_of(definition.body, names)
        raise OutsideSubset("a set that the vocabulary gives no sort", node.place)


def field_of(node: Expression) -> tuple[str, Expression]:
    """A field of a record, and its value."""
    match node:
        case Builtin("$Pair", (Text(name), value)):
            return name, value
    raise OutsideSubset("a field without a name", node.place)


def shown(node: Expression) -> str:
    """How an error names an expression."""
    match node:
        case Builtin(name):
            return SHOWN.get(name, name)
        case Call() | Constant() | Variable():
            return node.name
        case Text(value):
            return f'"{value}"'
    return f"a {type(node).__name__.lower()}"
