"""Sequences by places that may have gaps: what is read of them, taken out, changed and appended.

An element keeps its place while others are taken out. The order of the places is all that a step
reads of them, so two states that differ in gaps alone take the same steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module.scopes import Given, Made, Names
from wheelproof.prove.module.shapes import INT, Spaced
from wheelproof.prove.module.values import Value, View, at_place, occurs, replaced
from wheelproof.prove.ts.extremes import PLACE, extreme
from wheelproof.prove.ts.system import Everywhere
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Expression,
    Formal,
    Number,
    Operator,
    OutsideSubset,
    Parameter,
    Variable,
    children,
)

if TYPE_CHECKING:
    from wheelproof.prove.module.terms import Terms


def written(value: Value, old: Value) -> Value:
    """A sequence as a next value: where it is a view, the array is set everywhere."""
    if isinstance(value, dict):
        return {name: written(each, old[name]) for name, each in value.items()}
    if not isinstance(value, View):
        return value
    term = z3.simplify(value.term)
    return old if term.eq(old[PLACE]) else Everywhere(PLACE, term)


def is_view(value: Value) -> bool:
    """Whether a value has a view in it."""
    if isinstance(value, dict):
        return any(map(is_view, value.values()))
    return isinstance(value, View)


def within(sequence: Value, place: z3.ExprRef) -> z3.BoolRef:
    """A sequence has a place."""
    return z3.And(1 <= place, sequence["has"][place])


@dataclass(frozen=True)
class Places:
    """Some places of a sequence. ``holds``: whether `PLACE` is one of them."""

    sequence: Value
    holds: z3.BoolRef

    def last(self, terms: Terms) -> z3.ArithRef:
        return self.at_end(terms, True)

    def at_end(self, terms: Terms, is_last: bool) -> z3.ArithRef:
        """The last place or the first one, a parameter of the step; 0 where there is none."""
        over = [name for name, _ in terms.bound if occurs(name, self.holds)]
        for name, known in terms.extremes.items():
            if known.is_last == is_last and known.holds.eq(self.holds):
                return self.kept(terms, z3.Const(f"{name}!", known.sort.z3), over)
        made = extreme(self.holds, is_last, *over)
        name = f"{'last' if is_last else 'first'}_{len(terms.extremes) + 1}"
        terms.extremes[name] = made
        element = z3.Const(f"{name}!", made.sort.z3)
        terms.defining += made.guards(element)
        return self.kept(terms, element, over)

    def kept(self, terms: Terms, element: z3.ExprRef, over: list[z3.ExprRef]) -> z3.ArithRef:
        found = element[over[0]] if over else element
        terms.places[found.get_id()] = (found, self.sequence)
        assert isinstance(found, z3.ArithRef)
        return found


def of_sequence(terms: Terms, node: Expression, names: Names) -> Value | None:
    """The value of an expression that is such a sequence; None where it is none.

    That of an operator's argument is made once, if making it has no other effect.
    """
    given = names.get(node.formal) if isinstance(node, Parameter) else None
    if isinstance(given, Given) and (sequence := terms.sequences.get(id(given))) is not None:
        return sequence[1]
    if not isinstance(terms.shape(node, names), Spaced):
        return None
    before = len(terms.obligations), len(terms.extremes)
    value = terms.plain(node, names)
    if isinstance(given, Given) and before == (len(terms.obligations), len(terms.extremes)):
        terms.sequences[id(given)] = given, value
    return value


def at_a_place(
    terms: Terms, sequence: Value, body: Expression, make: Callable[[z3.ArithRef], Value]
) -> Value:
    """What ``make`` gives at a place that a sequence has, as terms over `PLACE`."""
    place = z3.Int(f"place_{len(terms.places)}")
    terms.places[place.get_id()] = (place, sequence)
    with terms.bound_to(place, body):
        made = make(place)
    return replaced(made, place, PLACE)


def chosen(terms: Terms, node: Expression, names: Names) -> Places | None:
    """The places that ``{i \\in DOMAIN q : P}`` is; None for another set."""
    while isinstance(node, Call) and not node.definition.standard:
        if node.name in terms.words.named:
            return None
        names, node = terms.inside(node, names), node.definition.body
    match node:
        case Builtin("$SubsetOf", (body,), (bound,)) if len(bound.formals) == 1:
            match bound.domain:
                case Builtin("DOMAIN", (sequence,)):
                    value = of_sequence(terms, sequence, names)
                    if value is None:
                        return None
                    formal = bound.formals[0]
                    holds = at_a_place(
                        terms,
                        value,
                        body,
                        lambda place: terms.truth(body, {**names, formal: Made(place, INT)}),
                    )
                    return Places(value, z3.simplify(z3.And(within(value, PLACE), holds)))
    return None


def read(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """How the value of an expression about such a sequence is made; None where it is none."""
    match node:
        case Builtin("$BoundedChoose", (body,), (bound,)) if bound.domain is not None:
            places = chosen(terms, bound.domain, names)
            is_last = _is_end(bound.formals[0], bound.domain, body)
            if places is not None and is_last is not None:
                return lambda: places.at_end(terms, is_last)
        case Call(_, (sequence, Operator(definition))) if node.name == "SelectSeq":
            if (value := of_sequence(terms, sequence, names)) is not None:
                inner, (formal,) = definition.body, definition.formals
                return lambda: _selected(terms, value, inner, formal, node, names)
        case Call(_, (sequence, element)) if node.name == "Append":
            if (value := of_sequence(terms, sequence, names)) is not None:
                return lambda: _appended(terms, value, sequence, element, names)
        case Call(_, (Call(), Call())) if node.name == "\\o":
            if isinstance(terms.shape(node, names), Spaced):
                return lambda: _without(terms, node, names)
        case Builtin("$FcnConstructor", (body,), (bound,)) if bound.domain is not None:
            match bound.domain:
                case Builtin("DOMAIN", (sequence,)):
                    if (value := of_sequence(terms, sequence, names)) is not None:
                        formal = bound.formals[0]
                        return lambda: _mapped(terms, value, sequence, body, formal, names)
        case Builtin("$FcnApply", (Builtin("$FcnApply", (sequence, index)), Number(field))):
            if (value := of_sequence(terms, sequence, names)) is not None:
                part = {**value, "item": value["item"][str(field)]}
                return lambda: _element(terms, part, index, names)
        case Builtin("$FcnApply", (sequence, index)):
            if (value := of_sequence(terms, sequence, names)) is not None:
                return lambda: _element(terms, value, index, names)
    return None


def _is_end(formal: Formal, domain: Expression, body: Expression) -> bool | None:
    """Whether the body is ``\\A j \\in S : j <= i``; False for ``i <= j``, None for another."""
    match body:
        case Builtin(
            "$BoundedForall", (Call(_, (Parameter(one), Parameter(other))) as order,), (bound,)
        ) if order.name == "\\leq" and len(bound.formals) == 1 and _same(bound.domain, domain):
            ends = (one is bound.formals[0], other is bound.formals[0])
            if formal in (one, other) and sum(ends) == 1:
                return ends[0]
    return None


def _same(one: Expression | None, other: Expression) -> bool:
    """Whether two expressions are the same text with the same names."""
    match one, other:
        case Parameter(first), Parameter(second):
            return first is second
        case Variable(first_name), Variable(second_name):
            return first_name == second_name
        case Call(first_of, first_with), Call(second_of, second_with):
            return first_of is second_of and all(map(_same, first_with, second_with))
    return False


def _element(terms: Terms, sequence: Value, index: Expression, names: Names) -> Value:
    """``sequence[index]``, which it must have."""
    place = terms.of(index, INT, names)
    _, known = terms.places.get(place.get_id(), (None, None))
    if known is None or not _as_one(known["has"], sequence["has"]):
        terms.obligations.append(within(sequence, place))
    elif not str(place).startswith("place_"):
        terms.obligations.append(place != 0)
    return at_place(sequence["item"], place)


def _as_one(one: z3.ExprRef | View, other: z3.ExprRef | View) -> bool:
    return bool(one[PLACE].eq(other[PLACE]))


def _selected(
    terms: Terms, value: Value, body: Expression, formal: Formal, node: Call, names: Names
) -> Value:
    of = terms.shape(node, names)
    assert isinstance(of, Spaced)
    holds = at_a_place(
        terms,
        value,
        body,
        lambda place: terms.truth(
            body, {**names, formal: Made(at_place(value["item"], place), of.of)}
        ),
    )
    return {**value, "has": View(z3.And(value["has"][PLACE], holds))}


def _mapped(
    terms: Terms, value: Value, node: Expression, body: Expression, formal: Formal, names: Names
) -> Value:
    """``[i \\in DOMAIN sequence |-> e]``."""
    of = terms.shape(node, names)
    assert isinstance(of, Spaced)
    made = at_a_place(
        terms,
        value,
        body,
        lambda place: terms.of(body, of.of, {**names, formal: Made(place, INT)}),
    )
    return {**value, "item": _viewed(made, value["item"])}


def _viewed(made: Value, old: Value) -> Value:
    if isinstance(made, dict):
        return {name: _viewed(each, old[name]) for name, each in made.items()}
    return old if z3.simplify(made).eq(z3.simplify(old[PLACE])) else View(made)


def _appended(
    terms: Terms, value: Value, node: Expression, element: Expression, names: Names
) -> Value:
    """``Append(sequence, element)``: at the place behind the last one."""
    of = terms.shape(node, names)
    assert isinstance(of, Spaced)
    last = Places(value, z3.simplify(within(value, PLACE))).last(terms)
    return {
        "has": put(value["has"], last + 1, z3.BoolVal(True)),
        "item": put(value["item"], last + 1, terms.of(element, of.of, names)),
    }


def put(old: Value, place: z3.ArithRef, new: Value) -> Value:
    """An array, or a view of one, with one place changed."""
    if isinstance(old, dict):
        return {name: put(each, place, new[name]) for name, each in old.items()}
    if isinstance(old, View):
        return View(z3.If(PLACE == place, new, old.term))
    return z3.Store(old, place, new)


def _without(terms: Terms, node: Call, names: Names) -> Value:
    """A sequence without one of its places."""
    parted = cut(*node.arguments)
    if parted is None:
        raise OutsideSubset("sequences that are joined", node.place)
    value = terms.plain(parted[0], names)
    place = terms.of(parted[1], INT, names)
    terms.obligations.append(within(value, place))
    return {**value, "has": put(value["has"], place, z3.BoolVal(False))}


def cut(one: Expression, other: Expression) -> tuple[Expression, Expression] | None:
    """q and i, where the two are ``SubSeq(q, 1, i - 1)`` and ``SubSeq(q, i + 1, Len(q))``."""
    match one, other:
        case (
            Call(_, (whole, Number(1), Call(_, (before, Number(1))) as minus)) as head,
            Call(
                _, (again, Call(_, (behind, Number(1))) as plus, Call(_, (all_,)) as length)
            ) as tail,
        ) if (
            (head.name, tail.name, minus.name, plus.name, length.name)
            == ("SubSeq", "SubSeq", "-", "+", "Len")
            and _same(whole, again)
            and _same(whole, all_)
            and _same(before, behind)
        ):
            return whole, before
    return None


def uses(node: Expression, formal: Formal) -> bool:
    """Whether an expression reads a bound name."""
    return (isinstance(node, Parameter) and node.formal is formal) or any(
        uses(child, formal) for child in children(node)
    )
