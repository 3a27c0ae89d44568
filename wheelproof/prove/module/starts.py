"""A module's Init as terms: one formula for each variable."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import SimpleNamespace

import z3

from wheelproof.prove.module.bags import is_empty
from wheelproof.prove.module.scopes import Frames, Given, Made, Names, shown
from wheelproof.prove.module.shapes import (
    Bag,
    Function,
    Record,
    Sequence,
    Shape,
    Spaced,
    Subset,
    Tickets,
    blank,
)
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.module.values import Value, at_place, equal, gather
from wheelproof.prove.ts.extremes import PLACE
from wheelproof.prove.ts.system import WHOLE, Sort
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Expression,
    OutsideSubset,
    Text,
    Variable,
    conjuncts,
)


def starts(
    system: Generated, s: SimpleNamespace, left_out: Collection[str] = ()
) -> list[z3.BoolRef]:
    """The formulas of Init. A function has nothing at its domain's null.

    ``left_out``: variables that no formula is about. OutsideSubset: Init has a conjunct of another
    form, or lacks a variable.
    """
    start = _Start(system, s)
    formulas: list[z3.BoolRef] = []
    missing = set(system.MODULE.variables) - set(left_out)
    for node in conjuncts(system.MODULE.definition("Init").body):
        match node:
            case Builtin("=", (Variable(name), value)):
                missing.discard(name)
                if name in left_out:
                    continue
                if name == "stack":
                    formulas += start.stacks(value)
                    continue
                shape = system.SHAPES.get(name)
                formulas += start.equal(start.terms.variable(name, value), shape, value, {})
            case _:
                raise OutsideSubset(f"{shown(node)} in Init", node.place)
    if missing:
        place = system.MODULE.definition("Init").place
        raise OutsideSubset(f"Init, which says nothing of {min(missing)},", place)
    return formulas


class _Start:
    def __init__(self, system: Generated, s: SimpleNamespace) -> None:
        self.system, self.s = system, s
        self.terms = Terms(system.WORDS, s, system.SHAPES, Frames())

    def stacks(self, value: Expression) -> Iterator[z3.BoolRef]:
        """No procedure is on a stack."""
        match value:
            case Builtin("$FcnConstructor", (body,)) if is_empty(body):
                words = self.system.WORDS
                (thread,) = words.threads.consts("starts")
                for procedure, names in self.system.PROCEDURES.saved.items():
                    back = getattr(self.s, f"ret_{procedure}")
                    absent = back[thread] == self.system.terms.absent
                    yield z3.ForAll([thread], z3.Or(thread == words.threads.null, absent))
                    for name in names:
                        shape = self.system.SHAPES.get(name)
                        if isinstance(shape, Function):
                            values = gather(f"saved_{procedure}_{name}", shape, self.s)
                            blank_frame = _blank(at_place(values, thread), shape.range)
                            yield z3.ForAll([thread], blank_frame)
                return
        raise OutsideSubset("a stack that is not empty in Init", value.place)

    def equal(
        self, term: Value, shape: Shape | None, value: Expression, names: Names
    ) -> Iterator[z3.BoolRef]:
        """``term = value``, of this shape."""
        match shape, value:
            case Bag(sort), _ if is_empty(value):
                yield _constant(term, sort, 0)
            case Subset(sort), Builtin("$SetEnumerate", ()):
                yield _constant(term, sort, False)
            case Tickets(sort), _ if is_empty(value):
                yield _constant(term, sort, False)
            case Spaced(), _ if is_empty(value):
                yield _constant(term["has"], WHOLE, False)
            case Spaced(), _:
                start = self.terms.of(value, shape, names)
                yield z3.ForAll([PLACE], term["has"][PLACE] == start["has"][PLACE])
                items = equal(at_place(term["item"], PLACE), at_place(start["item"], PLACE))
                yield z3.ForAll([PLACE], z3.Implies(term["has"][PLACE], items))
            case Sequence(), _ if is_empty(value):
                yield term["length"] == 0
                place = z3.Int("starts_in_sequence")
                if isinstance(shape.of, Subset):
                    yield z3.ForAll([place], _blank(term["item"][place], shape.of))
                    return
                yield z3.ForAll([place], equal(at_place(term["item"], place), blank(shape.of)))
            case Record(fields), Builtin("$FcnConstructor", (body,), (bound,)):
                for name, text in self.texts(bound, set(fields), value):
                    inner = {**names, bound.formals[0]: Given(text, {})}
                    yield from self.equal(term[name], fields[name], body, inner)
            case Function(domain, range_), Builtin("$FcnConstructor", (body,), (bound,)):
                if bound.domain is None or len(bound.formals) != 1 or bound.pattern:
                    raise OutsideSubset("a function of several arguments", value.place)
                if self.terms.sort_of(bound.domain, names) != domain:
                    raise OutsideSubset("a function of another set", value.place)
                # Within a function of the same set an index has another name.
                around = sum(isinstance(e, Made) and e.shape == domain for e in names.values())
                suffix = f"_{around}" if around else ""
                index = z3.Const(f"starts_{domain.name}{suffix}", domain.z3)
                inner = {**names, bound.formals[0]: Made(index, domain)}
                members, null = self.terms.members(bound.domain, names), domain.null
                here = None if null is None else index != null
                if members is not None:
                    here = members[index]
                    blankness = _blank(at_place(term, index), range_)
                    yield z3.ForAll([index], z3.Or(here, blankness))
                with self.terms.bound_to(index, value):
                    formulas = [*self.equal(at_place(term, index), range_, body, inner)]
                for formula in formulas:
                    yield z3.ForAll([index], formula if here is None else z3.Implies(here, formula))
                if null is not None:
                    yield _blank(at_place(term, null), range_)
            case _:
                if shape is None:
                    raise OutsideSubset(f"{shown(value)} in Init", value.place)
                yield equal(term, self.terms.of(value, shape, names))

    def texts(
        self, bound: Bound, fields: set[str], whole: Expression
    ) -> Iterator[tuple[str, Text]]:
        """The strings of a set that a function is over, which must be these."""
        node = bound.domain
        while isinstance(node, Call) and not node.definition.standard:
            node = node.definition.body
        match node:
            case Builtin("$SetEnumerate", elements) if len(bound.formals) == 1:
                texts = {
                    element.value: element for element in elements if isinstance(element, Text)
                }
                if set(texts) == fields and len(elements) == len(fields):
                    return iter(texts.items())
        raise OutsideSubset(f"a function that is not over {', '.join(fields)}", whole.place)


def _constant(term: Value, sort: Sort, value: object) -> z3.BoolRef:
    const = z3.Const(f"starts_in_{sort.name}", sort.z3)
    return z3.ForAll([const], term[const] == value)


def _blank(term: Value, shape: Shape, depth: int = 0) -> z3.BoolRef:
    match shape:
        case Bag(sort):
            return _constant(term, sort, 0)
        case Subset(sort):
            return _constant(term, sort, False)
        case Record(fields):
            return z3.And(
                [_blank(term[name], field_shape, depth) for name, field_shape in fields.items()]
            )
        case Function(domain, range_) if domain != WHOLE:
            index = z3.Const(f"starts_at_{domain.name}_{depth}", domain.z3)
            return z3.ForAll([index], _blank(at_place(term, index), range_, depth + 1))
    return equal(term, blank(shape))
