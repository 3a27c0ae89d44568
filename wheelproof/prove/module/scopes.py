"""The names that an expression sees, and the shape of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    ON_TICKETS,
    Bag,
    Function,
    Listing,
    Partial,
    Record,
    Sequence,
    Shape,
    Single,
    Spaced,
    Subset,
    Vocabulary,
    into,
    out_of,
    pair,
)
from wheelproof.prove.module.values import Value, gather, occurs
from wheelproof.prove.ts.extremes import Extreme
from wheelproof.prove.ts.system import WHOLE, Sort
from wheelproof.prove.ts.system import Parameter as Choice
from wheelproof.tla.names import SHOWN
from wheelproof.tla.syntax import (
    At,
    Bound,
    Builtin,
    Call,
    Constant,
    Expression,
    Formal,
    Let,
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
_SEQUENCES = frozenset(["Head", "Tail", "Append", "SelectSeq", "SubSeq", "\\o"])
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


@dataclass(frozen=True)
class First:
    """The first element of a sequence that is known as a bag; its null where that is empty.

    ``variable``, ``index``: the sequence is a variable's value, or that at an index.
    """

    element: z3.ExprRef
    sort: Sort
    counts: z3.ExprRef
    variable: str
    index: z3.ExprRef | None

    def guards(self) -> tuple[z3.BoolRef, ...]:
        """It is one that is there, or there is none."""
        null = self.sort.null
        const = z3.Const(f"{self.variable}_has", self.sort.z3)
        return (
            z3.Implies(self.element != null, self.counts[self.element] > 0),
            z3.ForAll([const], z3.Implies(self.element == null, self.counts[const] <= 0)),
        )


@dataclass
class Frames:
    """PlusCal's stack: each procedure is on it once at most, and one is the innermost.

    ``top``: the procedure that the step is in, "" for the process itself. ``back``: procedure ->
    where it returns to, for each thread. ``kept``: (procedure, variable) -> the value of the
    variable that its call has saved. ``absent``: the label that stands for no frame. By default
    there is no stack.
    """

    top: str = ""
    back: Mapping[str, z3.ExprRef] = field(default_factory=dict)
    kept: Mapping[tuple[str, str], Value] = field(default_factory=dict)
    absent: z3.ExprRef = field(default_factory=lambda: z3.BoolVal(False))


@dataclass
class Shaped:
    """The values of expressions in one state. ``after``: the variables that have their next value.

    ``s``: the constants and variables by their flat names. ``obligations``: formulas that must hold
    where a term is used: a value that is taken out of a union is in that part. ``kept``: variables
    that the step leaves as they are. ``firsts``: of sequences, by their parameters' names.
    ``chosen``: further parameters. ``defining``: the values that parameters stand for.
    ``extremes``: places that the step determines, by their parameters' names. ``bound``: names that
    a term is made for all values of. ``places``: number of a term -> the sequence that it is a
    place of. ``sequences``: number of an argument -> itself, and the sequence that it is.
    """

    words: Vocabulary
    s: SimpleNamespace
    shapes: Mapping[str, Shape]
    frames: Frames
    after: Mapping[str, Value] = field(default_factory=dict)
    obligations: list[z3.BoolRef] = field(default_factory=list)
    at: tuple[Value, Shape] | None = None
    kept: frozenset[str] = frozenset()
    firsts: dict[str, First] = field(default_factory=dict)
    chosen: dict[str, tuple[z3.ExprRef, Choice]] = field(default_factory=dict)
    defining: list[z3.BoolRef] = field(default_factory=list)
    extremes: dict[str, Extreme] = field(default_factory=dict)
    bound: tuple[tuple[z3.ExprRef, Sort], ...] = ()
    places: dict[int, Any] = field(default_factory=dict)
    sequences: dict[int, tuple[Given, Value]] = field(default_factory=dict)

    # -- values of variables

    def variable(self, name: str, node: Expression) -> Value:
        """A variable before the step."""
        if name not in self.shapes:
            raise OutsideSubset(
                f"the variable {name}, which the vocabulary gives no shape,", node.place
            )
        return gather(name, self.shapes[name], self.s)

    def constant(self, name: str) -> Value:
        """A constant, or a definition that the vocabulary has as one."""
        constant = self.words.constants.get(name)
        if constant is None or isinstance(constant, Listing):
            return getattr(self.s, name)
        return gather(name, constant, self.s)

    def opened(self, node: Expression, names: Names) -> tuple[Expression, Names]:
        """An element of a definition's value: that of the definition's body.

        The body of a LET; CASE as IF, its last value where no test before it holds.
        """
        match node:
            case Let(_, body):
                return self.opened(body, names)
            case Builtin("$Case", (Builtin("$Pair", (_, last)),)):
                return self.opened(last, names)
            case Builtin("$Case", (Builtin("$Pair", (test, value)), *branches)):
                rest = Builtin("$Case", tuple(branches), (), node.place, node.level)
                parts = (test, value, rest)
                return Builtin("$IfThenElse", parts, (), node.place, node.level), names
            case Builtin("$FcnApply", (Call(definition) as call, Number() as place)):
                body = definition.body
                if isinstance(body, Builtin) and body.name == "$FcnApply":
                    whole = Builtin("$FcnApply", (body, place), (), node.place, node.level)
                    return whole, self.inside(call, names)
        return node, names

    # -- shapes

    def shape(self, node: Expression, names: Names) -> Shape | None:
        """The shape of an expression; None for a string, null, and one that any shape fits."""
        match node:
            case Number():
                return INT
            case Text():
                return None
            case Constant(name):
                constant = self.words.constants.get(name)
                return None if isinstance(constant, Listing) else constant
            case Variable(name):
                self.variable(name, node)
                return self.shapes[name]
            case Parameter(formal):
                value = names[formal]
                return (
                    value.shape if isinstance(value, Made) else self.shape(value.node, value.names)
                )
            case At():
                assert self.at is not None
                return self.at[1]
            case Builtin("'", (Variable(name),)):
                return self.shapes.get(name)
            case Builtin("$FcnApply", (function, index)):
                shape = self.shape(function, names)
                if isinstance(shape, Single):
                    return shape.of
                if (
                    isinstance(shape, Record)
                    and shape.is_tuple
                    and isinstance(index, Number | Text)
                ):
                    return shape.fields.get(str(index.value))
                if isinstance(shape, Bag | Sequence | Spaced):
                    return shape.of
                if isinstance(shape, Partial):
                    return shape.function.range
                return shape.range if isinstance(shape, Function) else None
            case Builtin("$RcdSelect", (Call() as head, Text(name))) if head.name == "Head":
                return self.kept_shape(name)
            case Builtin("$RcdSelect", (record, Text(name))):
                shape = self.shape(record, names)
                return shape.fields.get(name) if isinstance(shape, Record) else None
            case Builtin("$IfThenElse", (_, then, otherwise)):
                return self.shape(then, names) or self.shape(otherwise, names)
            case Builtin("$RcdConstructor", pairs):
                fields = {name: self.shape(value, names) for name, value in map(field_of, pairs)}
                shapes = {name: shape for name, shape in fields.items() if shape is not None}
                return Record(shapes) if len(shapes) == len(fields) else None
            case Builtin("$Except" | "\\union" | "\\", (first, *_)):
                return self.shape(first, names)
            case Builtin("$FcnConstructor", (_,), (Bound((_,), False, Builtin() as domain),)):
                return self.shape(domain.arguments[0], names) if domain.name == "DOMAIN" else None
            case Builtin("$BoundedChoose"):
                return INT
            case Let(_, body):
                return self.shape(body, names)
            case Builtin(name) if name in _TRUTHS:
                return BOOL
            case Call(_, (first, *_)) if node.name in _SEQUENCES | set(self.words.unordered):
                whole = self.shape(first, names)
                if node.name == "Head" and isinstance(whole, Bag | Sequence):
                    return whole.of
                return whole
            case Call(_, (first, *_)) if node.name in ON_TICKETS & self.words.named:
                return BOOL if node.name == "Offered" else self.shape(first, names)
            case Call() if node.name in self.words.functions:
                return self.words.functions[node.name].range
            case Call(_, (first, *_)) if node.name in self.words.searches:
                listing = self.shape(first, names)
                return pair(INT, listing.of) if isinstance(listing, Sequence) else None
            case Call(definition) if definition.standard:
                return BOOL if node.name in ORDERS else INT
            case Call() if node.name in self.words.constants:
                constant = self.words.constants[node.name]
                return None if isinstance(constant, Listing) else constant
            case Call(definition):
                return self.shape(definition.body, self.inside(node, names))
        return None

    def kept_shape(self, name: str) -> Shape | None:
        shape = self.shapes["pc" if name == "pc" else name]
        return shape.range if isinstance(shape, Function) else None

    def inside(self, node: Call, names: Names) -> Names:
        """The names that a definition's body sees: those around it too, for a LET."""
        if node.definition.recursive:
            raise OutsideSubset(f"{node.name}, a recursive operator,", node.place)
        bindings = zip(node.definition.formals, node.arguments, strict=True)
        return {**names, **{formal: Given(value, names) for formal, value in bindings}}

    def sort_of(self, node: Expression, names: Names) -> Sort:
        """The sort of a set that quantifiers and functions range over."""
        match node:
            case Constant(name) if name in self.words.sets:
                return self.words.sets[name]
            case Call() if node.name in self.words.sets:
                return self.words.sets[node.name]
            case Call(_, (Number(1), Constant(top))) if (
                node.name == ".." and f"1..{top}" in self.words.sets
            ):
                return self.words.sets[f"1..{top}"]
            case Call(definition) if not definition.standard and not definition.formals:
                return self.sort_of(definition.body, names)
        raise OutsideSubset("a set that the vocabulary gives no sort", node.place)

    def members(self, domain: Expression, names: Names) -> z3.ExprRef | None:
        """Which elements of the sort a set has that is a value too; None for the whole sort."""
        if not isinstance(domain, Call) or domain.name not in self.words.constants:
            return None
        if isinstance(shape := self.shape(domain, names), Subset):
            members = gather(domain.name, shape, self.s)
            assert isinstance(members, z3.ExprRef)
            return members
        return None

    # -- one shape as another, and what that needs

    def fit(self, value: Value, have: Shape, want: Shape, node: Expression) -> Value:
        """A value as one of another shape: into a union, or out of it."""
        if have == want:
            return value
        if isinstance(want, Sort) and have in self.words.parts(want):
            assert isinstance(have, Sort)
            return getattr(self.s, into(have, want))[value]
        if isinstance(have, Sort) and want in self.words.parts(have):
            assert isinstance(want, Sort)
            part = getattr(self.s, out_of(want, have))[value]
            self.obligations.append(z3.Or(value == have.null, part != want.null))
            return part
        if isinstance(want, Sort) and have == INT and want.name in self.words.numbered:
            part = getattr(self.s, out_of(want, WHOLE))[value]
            zero = [value == 0] if self.words.zero_is_null(want) else []
            self.obligations.append(z3.Or(*zero, part != want.null))
            return part
        if isinstance(have, Sort) and want == INT and have.name in self.words.numbered:
            if have.name in self.words.from_zero:
                self.obligations.append(value != have.null)
            return getattr(self.s, into(have, WHOLE))[value]
        raise OutsideSubset(f"{shown(node)} where another set's element is needed", node.place)

    @contextmanager
    def where(self, conditions: Iterable[z3.BoolRef]) -> Iterator[None]:
        """Terms made within are used only where the conditions hold, and oblige only there."""
        start, premises = len(self.obligations), [*conditions]
        yield
        if premises:
            obligations = [
                z3.Implies(z3.And(premises), obligation) for obligation in self.obligations[start:]
            ]
            self.obligations[start:] = obligations

    @contextmanager
    def bound_to(self, element: z3.ExprRef, node: Expression) -> Iterator[None]:
        """Terms that are made within are for all values of a bound name.

        OutsideSubset: one has a choice that depends on the name, and would be one for all values.
        """
        start, names = len(self.defining), set(self.firsts)
        yield
        firsts = [first.counts for name, first in self.firsts.items() if name not in names]
        if any(occurs(element, term) for term in (*self.defining[start:], *firsts)):
            raise OutsideSubset("a choice for each value of a bound name", node.place)


def unbound(name: str, sort: z3.SortRef, names: Names) -> z3.ExprRef:
    """A constant for a bound name: another one than a name around it stands for."""
    terms = [name.term for name in names.values() if isinstance(name, Made)]
    while any(term.eq(z3.Const(name, sort)) for term in terms):
        name += "~"
    return z3.Const(name, sort)


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
