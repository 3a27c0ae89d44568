"""Operators on sequences as terms, read from the tree that SANY gives of a module.

One unfolding of a recursive operator is a term in which each call of a recursive operator stands
for a sequence of which nothing is known: `Called`. A condition has the facts about it as premises.
A place that is read must be one of the sequence: that is an obligation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import z3

from proofs.heap.sequences import Sequence, either
from proofs.heap.unfolding import Called, Keys, Unfolding
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Expression,
    Formal,
    Let,
    Module,
    Number,
    OutsideSubset,
    Parameter,
)

Names = Mapping[Formal, Any]

_NUMBERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "<": lambda x, y: x < y,
    ">": lambda x, y: x > y,
    "\\leq": lambda x, y: x <= y,
    "\\geq": lambda x, y: x >= y,
}


class Reading(Unfolding):
    """The value of expressions of a module."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module

    def unfolded(self, name: str, *arguments: Any) -> Any:
        """The body of an operator with these arguments."""
        definition = self.module.definition(name)
        if len(definition.formals) != len(arguments):
            raise OutsideSubset(
                f"{name} with {len(definition.formals)} arguments", definition.place
            )
        return self.of(definition.body, dict(zip(definition.formals, arguments, strict=True)))

    # -- expressions

    def of(self, node: Expression, names: Names) -> Any:
        match node:
            case Number(value):
                return z3.IntVal(value)
            case Parameter(formal):
                return names[formal]
            case Let(_, body):
                return self.of(body, names)
            case Builtin("$IfThenElse", (test, then, second)):
                return self.choice(self.of(test, names), then, second, names)
            case Builtin("$ConjList" | "\\land", parts):
                return z3.And(self.one_by_one(parts, names, lambda truth: truth))
            case Builtin("$DisjList" | "\\lor", parts):
                return z3.Or(self.one_by_one(parts, names, z3.Not))
            case Builtin("\\lnot", (first,)):
                return z3.Not(self.of(first, names))
            case Builtin("=", (first, second)):
                return self.of(first, names) == self.of(second, names)
            case Builtin("/=", (first, second)):
                return self.of(first, names) != self.of(second, names)
            case Builtin("$FcnApply", (function, index)):
                return self.applied(self.of(function, names), self.of(index, names))
            case Builtin("$Except", (function, *pairs)):
                return self.changed(function, pairs, names)
            case Builtin("$Tuple", elements):
                return self.listed([self.of(element, names) for element in elements])
            case Builtin("$FcnConstructor", (body,), (Bound((formal,), False, domain),)):
                return self.everywhere(formal, domain, body, names)
            case Call():
                return self.call(node, names)
        raise OutsideSubset(f"{type(node).__name__} in an operator of the heap", node.place)

    def one_by_one(
        self, parts: tuple[Expression, ...], names: Names, read: Callable[[Any], Any]
    ) -> list[z3.BoolRef]:
        """Truth values, of which each is needed only where those before it are as ``read`` says."""
        truths: list[z3.BoolRef] = []
        for part in parts:
            with self.where(*map(read, truths)):
                truths.append(self.of(part, names))
        return truths

    def choice(self, test: Any, then: Expression, otherwise: Expression, names: Names) -> Any:
        with self.where(test):
            first = self.of(then, names)
        with self.where(z3.Not(test)):
            two = self.of(otherwise, names)
        return either(test, first, two) if isinstance(first, Sequence) else z3.If(test, first, two)

    def call(self, node: Call, names: Names) -> Any:
        arguments = [self.of(argument, names) for argument in node.arguments]
        if not node.definition.standard and not node.definition.recursive:
            formals = zip(node.definition.formals, arguments, strict=True)
            return self.of(node.definition.body, {**names, **dict(formals)})
        if node.definition.recursive:
            result = Sequence.any(self.fresh("result"))
            path = z3.And(*self.path) if self.path else z3.BoolVal(True)
            self.called.append(Called(node.name, path, tuple(arguments), result))
            return result
        match node.name, arguments:
            case "Len", (Sequence() as s,):
                return s.length
            case "Append", (Sequence() as s, element):
                return self.joined(s, self.listed([element]))
            case "\\o", (Sequence() as s, Sequence() as t):
                return self.joined(s, t)
            case "SubSeq", (Sequence() as s, low, high):
                return self.part(s, low, high)
            case "\\div", (first, second) if z3.is_int_value(second) and second.as_long() > 0:
                return self.quotient(first, second)
            case name, (first, second) if name in _NUMBERS:
                return _NUMBERS[name](first, second)
        raise OutsideSubset(f"{node.name} in an operator of the heap", node.place)

    # -- sequences

    def applied(self, function: Any, index: Any) -> Any:
        if isinstance(function, Keys):
            return function.of(index)
        self.oblige(function.has(index))
        return function.at(index)

    def listed(self, elements: list[Any]) -> Sequence:
        """A tuple; the empty one has nothing in it."""
        if not elements:
            empty = z3.Function("nothing", z3.IntSort(), z3.IntSort())
            return Sequence(z3.IntVal(0), empty, z3.IntVal(0))

        def at(place: Any) -> Any:
            element = elements[-1]
            for number in range(len(elements) - 1, 0, -1):
                element = z3.If(place == number, elements[number - 1], element)
            return element

        return self.sequence(z3.IntVal(len(elements)), at)

    def joined(self, s: Sequence, t: Sequence) -> Sequence:
        return self.sequence(
            s.length + t.length,
            lambda place: z3.If(place <= s.length, s.at(place), t.at(place - s.length)),
        )

    def part(self, s: Sequence, low: Any, high: Any) -> Sequence:
        """``SubSeq``. It has nothing in it where ``low > high``, and must have its places else."""
        self.oblige(z3.Or(low > high, z3.And(s.has(low), s.has(high))))
        length = z3.If(low > high, z3.IntVal(0), high - low + 1)
        return self.sequence(length, lambda place: s.at(place + low - 1))

    def everywhere(
        self, formal: Formal, domain: Expression | None, body: Expression, names: Names
    ) -> Sequence:
        """``[i \\in 1..n |-> ...]``."""
        match domain:
            case Call(_, (Number(1), top)) if domain.name == "..":
                last = self.of(top, names)
                length = z3.If(last >= 0, last, z3.IntVal(0))
            case _:
                raise OutsideSubset("a function whose domain is not 1..n", body.place)
        inner = Reading(self.module)
        inner.path = self.path
        place = z3.Int(f"{self.fresh('i')}")
        inner.of(body, {**names, formal: place})
        if inner.called or inner.quotients:
            raise OutsideSubset("a call or a quotient at each place of a function", body.place)
        within = z3.And(1 <= place, place <= length)
        self.obligations += [
            z3.ForAll([place], z3.Implies(within, obligation)) for obligation in inner.obligations
        ]

        def at(index: Any) -> Any:
            return Reading(self.module).of(body, {**names, formal: index})

        return self.sequence(length, at)

    def changed(self, function: Expression, pairs: list[Expression], names: Names) -> Sequence:
        sequence: Sequence = self.of(function, names)
        for pair in pairs:
            match pair:
                case Builtin("$Pair", (Builtin("$Seq", (index,)), value)):
                    where, new = self.of(index, names), self.of(value, names)
                    self.oblige(sequence.has(where))
                    sequence = self.sequence(sequence.length, _put(sequence, where, new))
                case _:
                    raise OutsideSubset("EXCEPT in an operator of the heap", pair.place)
        return sequence


def _put(s: Sequence, where: Any, new: Any) -> Callable[[Any], Any]:
    return lambda place: z3.If(place == where, new, s.at(place))
