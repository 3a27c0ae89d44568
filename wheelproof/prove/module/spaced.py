"""Sequences by places that may have gaps: how items are read, taken out, changed and appended.

An element keeps its place while others are taken out. The order of the places is all that a step
reads of them, so two states that differ in gaps alone take the same steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module.scopes import Given, Made, Names, unbound
from wheelproof.prove.module.shapes import INT, Spaced
from wheelproof.prove.module.values import Value, View, at_place, occurs, replace_constant
from wheelproof.prove.ts.extremes import PLACE, extreme
from wheelproof.prove.ts.system import WHOLE, Everywhere, present
from wheelproof.tla.syntax import (
    Bound,
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


def next_value(value: Value, old: Value) -> Value:
    """A sequence as a next value: where it is a view, the array is set everywhere."""
    if isinstance(value, dict):
        return {name: next_value(part, old[name]) for name, part in value.items()}
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

    def has(self, place: z3.ArithRef) -> z3.BoolRef:
        """Whether a place is one of them."""
        truth = z3.substitute(self.holds, (PLACE, place))
        assert isinstance(truth, z3.BoolRef)
        return truth

    def last(self, terms: Terms) -> z3.ArithRef:
        return self.at_end(terms, True)

    def at_end(self, terms: Terms, is_last: bool) -> z3.ArithRef:
        """The last place or the first one, a parameter of the step; 0 where there is none."""
        over = [name for name, _ in terms.bound if occurs(name, self.holds)]
        for name, entry in terms.extremes.items():
            if entry.is_last == is_last and entry.holds.eq(self.holds):
                return self.kept(terms, z3.Const(f"{name}!", entry.sort.z3), over)
        extremum = extreme(self.holds, is_last, *over)
        name = f"{'last' if is_last else 'first'}_{len(terms.extremes) + 1}"
        terms.extremes[name] = extremum
        element = z3.Const(f"{name}!", extremum.sort.z3)
        terms.defining += extremum.guards(element)
        return self.kept(terms, element, over)

    def kept(self, terms: Terms, element: z3.ExprRef, over: list[z3.ExprRef]) -> z3.ArithRef:
        place = element[over[0]] if over else element
        terms.places[place.get_id()] = (place, self.sequence)
        assert isinstance(place, z3.ArithRef)
        return place


def of_sequence(terms: Terms, node: Expression, names: Names) -> Value | None:
    """The value of an expression that is such a sequence; None where it is none.

    That of an operator's argument is made once, if making it has no other effect.
    """
    argument = names.get(node.formal) if isinstance(node, Parameter) else None
    if isinstance(argument, Given) and (sequence := terms.sequences.get(id(argument))) is not None:
        return sequence[1]
    if not isinstance(terms.shape(node, names), Spaced):
        return None
    before = len(terms.obligations), len(terms.extremes)
    value = terms.plain(node, names)
    if isinstance(argument, Given) and before == (len(terms.obligations), len(terms.extremes)):
        terms.sequences[id(argument)] = argument, value
    return value


def at_a_place(
    terms: Terms, sequence: Value, body: Expression, make: Callable[[z3.ArithRef], Value]
) -> Value:
    """The product of ``make`` at a place that a sequence has, as terms over `PLACE`."""
    place = z3.Int(f"place_{len(terms.places)}")
    terms.places[place.get_id()] = (place, sequence)
    with terms.bound_to(place, body):
        image = make(place)
    return replace_constant(image, place, PLACE)


def opened(terms: Terms, node: Expression, names: Names) -> tuple[Expression, Names]:
    """An expression without the names that it has: of arguments, and of definitions."""
    while True:
        match node:
            case Parameter(formal) if isinstance(argument := names.get(formal), Given):
                node, names = argument.node, argument.names
            case Call() as call if not call.definition.standard and call.name not in (
                terms.words.named
            ):
                names, node = terms.inside(call, names), call.definition.body
            case _:
                return node, names


def places_of(terms: Terms, node: Expression, names: Names) -> Places | None:
    """The places that ``{i \\in DOMAIN q : P}`` is; None for another set."""
    node, names = opened(terms, node, names)
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


def more(terms: Terms, many: Places, few: Places) -> z3.BoolRef:
    """Whether a set of places has more elements than another one: a choice, unless one is empty."""
    name = f"more_{sum(name.startswith('more_') for name in terms.chosen) + 1}"
    choice = z3.Int(f"{name}!")
    terms.chosen[name] = choice, present(WHOLE)
    some, other = (places.last(terms) != 0 for places in (many, few))
    terms.defining += [
        z3.And(0 <= choice, choice <= 1),
        z3.Implies(z3.And(some, z3.Not(other)), choice == 1),
        z3.Implies(z3.Not(some), choice == 0),
    ]
    return choice == 1


def _counted(terms: Terms, node: Expression, names: Names) -> Places | None:
    """The places of which the number is taken; None for another expression."""
    match node:
        case Call(_, (members,)) if node.name == "Cardinality":
            return places_of(terms, members, names)
        case Call(_, (sequence,)) if node.name == "Len":
            value = of_sequence(terms, sequence, names)
            return None if value is None else Places(value, within(value, PLACE))
    return None


def read(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """How the value of an expression about such a sequence is made; None where it is none."""
    match node:
        case Call(_, (first, second)) if node.name in ("<", ">"):
            ordered = (second, first) if node.name == "<" else (first, second)
            many, few = (_counted(terms, number, names) for number in ordered)
            if many is not None and few is not None:
                return lambda: more(terms, many, few)
        case Builtin("$BoundedChoose", (body,), (bound,)) if bound.domain is not None:
            places = places_of(terms, bound.domain, names)
            is_last = _is_end(bound.formals[0], bound.domain, body)
            if places is not None and is_last is not None:
                return lambda: places.at_end(terms, is_last)
        case Call(_, (sequence, Operator(definition))) if node.name == "SelectSeq":
            if (value := of_sequence(terms, sequence, names)) is not None:
                inner, (formal,) = definition.body, definition.formals
                return lambda: _selection(terms, value, inner, formal, node, names)
        case Call(_, (sequence, element)) if node.name == "Append":
            if (value := of_sequence(terms, sequence, names)) is not None:
                return lambda: _extension(terms, value, sequence, element, names)
        case Call(_, (Call(), Call())) if node.name == "\\o":
            if isinstance(terms.shape(node, names), Spaced):
                return lambda: _without(terms, node, names)
        case Builtin("$FcnConstructor") if isinstance(shape := terms.shape(node, names), Spaced):
            return lambda: image(terms, node, shape, names)
        case Builtin("$FcnApply", (Builtin("$FcnApply", (sequence, index)), Number(field))):
            if (value := of_sequence(terms, sequence, names)) is not None:
                part = {**value, "item": value["item"][str(field)]}
                return lambda: _element(terms, part, index, names)
        case Builtin("$FcnApply", (sequence, index)):
            if (value := of_sequence(terms, sequence, names)) is not None:
                return lambda: _element(terms, value, index, names)
    return None


def quantified(
    terms: Terms, body: Expression, bound: Bound, every: bool, names: Names
) -> z3.BoolRef | None:
    """A quantifier over places of such a sequence; None for one over another set."""
    match bound:
        case Bound((formal,), False, Builtin("DOMAIN", (sequence,))):
            value = of_sequence(terms, sequence, names)
            places = None if value is None else Places(value, within(value, PLACE))
        case Bound((formal,), False, domain) if domain is not None:
            places = places_of(terms, domain, names)
        case _:
            return None
    if places is None:
        return None
    place = unbound(f"place_{formal.name}_{body.place.line}", INT.z3, names)
    assert isinstance(place, z3.ArithRef)
    terms.places[place.get_id()] = (place, places.sequence)
    with terms.bound_to(place, body):
        inner = terms.truth(body, {**names, formal: Made(place, INT)})
    if every:
        return z3.ForAll([place], z3.Implies(places.has(place), inner))
    return z3.Exists([place], z3.And(places.has(place), inner))


def _is_end(formal: Formal, domain: Expression, body: Expression) -> bool | None:
    """Whether the body is ``\\A j \\in S : j <= i``; False for ``i <= j``, None for another."""
    match body:
        case Builtin(
            "$BoundedForall", (Call(_, (Parameter(lower), Parameter(upper))) as order,), (bound,)
        ) if order.name == "\\leq" and len(bound.formals) == 1 and _same(bound.domain, domain):
            ends = (lower is bound.formals[0], upper is bound.formals[0])
            if formal in (lower, upper) and sum(ends) == 1:
                return ends[0]
    return None


def _same(lhs: Expression | None, rhs: Expression) -> bool:
    """Whether two expressions are the same text with the same names."""
    match lhs, rhs:
        case Parameter(first), Parameter(second):
            return first is second
        case Variable(first_name), Variable(second_name):
            return first_name == second_name
        case Call(first_of, first_with), Call(second_of, second_with):
            return first_of is second_of and all(map(_same, first_with, second_with))
    return False


def _element(terms: Terms, sequence: Value, index: Expression, names: Names) -> Value:
    """``sequence[index]``."""
    return at_place(sequence["item"], place(terms, sequence, index, names))


def place(terms: Terms, sequence: Value, index: Expression, names: Names) -> z3.ArithRef:
    """A place of a sequence, which must be one that it has."""
    place = terms.of(index, INT, names)
    assert isinstance(place, z3.ArithRef)
    _, owner = terms.places.get(place.get_id(), (None, None))
    if owner is None or not _as_one(owner["has"], sequence["has"]):
        terms.obligations.append(within(sequence, place))
    elif not str(place).startswith("place_"):
        terms.obligations.append(place != 0)
    return place


def _as_one(lhs: z3.ExprRef | View, rhs: z3.ExprRef | View) -> bool:
    return bool(lhs[PLACE].eq(rhs[PLACE]))


def _selection(
    terms: Terms, value: Value, body: Expression, formal: Formal, node: Call, names: Names
) -> Value:
    shape = terms.shape(node, names)
    assert isinstance(shape, Spaced)
    holds = at_a_place(
        terms,
        value,
        body,
        lambda place: terms.truth(
            body, {**names, formal: Made(at_place(value["item"], place), shape.of)}
        ),
    )
    return {**value, "has": View(z3.And(value["has"][PLACE], holds))}


def image(terms: Terms, node: Expression, want: Spaced, names: Names) -> dict[str, Value] | None:
    """``[i \\in DOMAIN sequence |-> e]`` as a sequence of this shape; None for another node."""
    match node:
        case Builtin("$FcnConstructor", (body,), (Bound((formal,), False, Builtin() as domain),)):
            if domain.name != "DOMAIN":
                return None
            value = of_sequence(terms, domain.arguments[0], names)
            if value is None:
                return None
            items = at_a_place(
                terms,
                value,
                body,
                lambda place: terms.of(body, want.of, {**names, formal: Made(place, INT)}),
            )
            return {**value, "item": _view(items, value["item"])}
    return None


def _view(new: Value, old: Value) -> Value:
    if isinstance(new, dict):
        fields = old if isinstance(old, dict) else {}
        return {name: _view(part, fields.get(name)) for name, part in new.items()}
    is_same = not isinstance(old, dict | None) and z3.simplify(new).eq(z3.simplify(old[PLACE]))
    return old if is_same else View(new)


def _extension(
    terms: Terms, value: Value, node: Expression, element: Expression, names: Names
) -> Value:
    """``Append(sequence, element)``: at the place behind the last one."""
    shape = terms.shape(node, names)
    assert isinstance(shape, Spaced)
    last = Places(value, z3.simplify(within(value, PLACE))).last(terms)
    return {
        "has": put(value["has"], last + 1, z3.BoolVal(True)),
        "item": put(value["item"], last + 1, terms.of(element, shape.of, names)),
    }


def put(old: Value, place: z3.ArithRef, new: Value) -> Value:
    """An array, or a view of one, with one place changed."""
    if isinstance(old, dict):
        return {name: put(part, place, new[name]) for name, part in old.items()}
    if isinstance(old, View):
        return View(z3.If(PLACE == place, new, old.term))
    return z3.Store(old, place, new)


def _without(terms: Terms, node: Call, names: Names) -> Value:
    """A sequence without one of its places."""
    pieces = cut(*node.arguments)
    if pieces is None:
        raise OutsideSubset("sequences that are joined", node.place)
    value = terms.plain(pieces[0], names)
    place = terms.of(pieces[1], INT, names)
    terms.obligations.append(within(value, place))
    return {**value, "has": put(value["has"], place, z3.BoolVal(False))}


def cut(prefix: Expression, suffix: Expression) -> tuple[Expression, Expression] | None:
    """q and i, where the two are ``SubSeq(q, 1, i - 1)`` and ``SubSeq(q, i + 1, Len(q))``."""
    match prefix, suffix:
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
