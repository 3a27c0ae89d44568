"""Sequences with their places: items that are appended, taken, found, or missing in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module.scopes import Made, Names, unbound
from wheelproof.prove.module.shapes import INT, Record, Sequence, blank
from wheelproof.prove.module.spaced import Places, cut, is_view, put, uses
from wheelproof.prove.module.values import Value, View, at_place, occurs, reads, replace_constant
from wheelproof.prove.ts.extremes import PLACE
from wheelproof.prove.ts.system import WHOLE, Sort, present
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Constant,
    Definition,
    Expression,
    Formal,
    Number,
    OutsideSubset,
    Parameter,
    Text,
)

if TYPE_CHECKING:
    from wheelproof.prove.module.terms import Terms


def read(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """How the value of an expression about sequences or pairs is made; None where it is none."""
    match node:
        case Call(_, (argument,)) if node.name in terms.words.functions:
            function = terms.words.functions[node.name]
            return lambda: getattr(terms.s, f"of_{node.name}")[
                terms.index(argument, function.domain, names)
            ]
        case Call() if node.name in terms.words.searches:
            return lambda: search(terms, node, names)
        case Call(_, (sequence, _)) if node.name == "Append":
            if isinstance(terms.shape(sequence, names), Sequence):
                return lambda: extension(terms, node, names)
        case Call(_, (sequence,)) if node.name in ("Head", "Tail"):
            if isinstance(terms.shape(sequence, names), Sequence):
                make = head if node.name == "Head" else tail
                return lambda: make(terms, sequence, names)
        case Builtin("$FcnApply", (pair, Number(field) | Text(field))):
            of_pair = terms.shape(pair, names)
            if isinstance(of_pair, Record) and of_pair.is_tuple and str(field) in of_pair.fields:
                return lambda: terms.plain(pair, names)[str(field)]
        case Builtin("=", (number, Number(0))):
            return none_of(terms, number, names)
        case Call(_, (first, suffix)) if node.name == "\\o":
            if isinstance(terms.shape(first, names), Sequence):
                return lambda: concatenation(terms, first, suffix, names)
        case Builtin("$FcnConstructor", (body,), (Bound((formal,), False, Builtin() as domain),)):
            if domain.name == "DOMAIN":
                (whole,) = domain.arguments
                if isinstance(terms.shape(whole, names), Sequence):
                    return lambda: image_of(terms, whole, formal, body, names)
        case Builtin("$BoundedChoose", (body,), (Bound((formal,), False, Builtin() as domain),)):
            if domain.name == "DOMAIN":
                (whole,) = domain.arguments
                if isinstance(terms.shape(whole, names), Sequence):
                    return lambda: choice(terms, whole, formal, body, names)
    return None


def concatenation(terms: Terms, prefix: Expression, suffix: Expression, names: Names) -> Value:
    """``prefix \\o [i \\in 1..n |-> e]``, or a sequence without one of its places.

    The latter is ``SubSeq(q, 1, i - 1) \\o SubSeq(q, i + 1, Len(q))``.
    """
    match suffix:
        case Builtin(
            "$FcnConstructor",
            (body,),
            (Bound((formal,), False, Call(_, (Number(1), last)) as domain),),
        ) if domain.name == ".." and not uses(body, formal):
            shape, value = terms.shape(prefix, names), terms.plain(prefix, names)
            assert isinstance(shape, Sequence)
            length, growth = value["length"], terms.of(last, INT, names)
            behind = z3.If(growth > 0, length + growth, length)
            within = z3.And(length < PLACE, PLACE <= behind)
            new = terms.of(body, shape.of, names)
            return {"length": behind, "item": View(z3.If(within, new, value["item"][PLACE]))}
    pieces = cut(prefix, suffix)
    if pieces is None:
        raise OutsideSubset("sequences that are joined", suffix.place)
    whole, index = pieces
    value = terms.plain(whole, names)
    out = place(terms, value, index, names)
    # Place 0 is blank, as each place behind the last is.
    behind = z3.If(PLACE < value["length"], PLACE + 1, 0)
    item = value["item"][z3.If(PLACE < out, PLACE, behind)]
    return {"length": value["length"] - 1, "item": View(item)}


def image_of(
    terms: Terms, whole: Expression, formal: Formal, body: Expression, names: Names
) -> Value:
    """``[formal \\in DOMAIN whole |-> body]``, where the body of a blank is blank."""
    value, shape = terms.plain(whole, names), terms.shape(whole, names)
    assert isinstance(shape, Sequence)
    image = at_each(
        terms, value, formal, body, names, lambda inner: terms.of(body, shape.of, inner)
    )
    return {**value, "item": View(image)}


def first(
    terms: Terms, whole: Expression, formal: Formal, body: Expression, names: Names
) -> z3.ArithRef:
    """The first of ``{formal \\in DOMAIN whole : body}``, a parameter; 0 where there is none."""
    value = terms.plain(whole, names)
    holds = at_place_of(terms, value, formal, body, names)
    within = z3.And(1 <= PLACE, PLACE <= value["length"])
    return Places(value, z3.simplify(z3.And(within, holds))).at_end(terms, False)


def at_place_of(
    terms: Terms, value: Value, formal: Formal, body: Expression, names: Names
) -> z3.BoolRef:
    """Whether a formula holds of `PLACE`, which is one that the sequence has."""
    term = at_each(terms, value, formal, body, names, lambda inner: terms.truth(body, inner))
    assert isinstance(term, z3.BoolRef)
    return term


def at_each(
    terms: Terms,
    value: Value,
    formal: Formal,
    body: Expression,
    names: Names,
    make: Callable[[Names], Value],
) -> Value:
    """The product of ``make`` with a name for `PLACE`, which is one that the sequence has.

    OutsideSubset: it depends on the place of a sequence around this one.
    """
    count = len(terms.obligations)
    within = any(isinstance(e, Made) and occurs(PLACE, e.term) for e in names.values())
    place = unbound("place_within", INT.z3, names) if within else PLACE
    with terms.bound_to(place, body):
        image = make({**names, formal: Made(place, INT)})
    obligations = terms.obligations[count:]
    if within:
        parts = {"made": image, **{str(n): obligation for n, obligation in enumerate(obligations)}}
        if is_view(image) or reads(parts, PLACE):
            raise OutsideSubset("places of a sequence for each place of one", body.place)
        parts = replace_constant(parts, place, PLACE)
        image, obligations = parts["made"], [parts[str(n)] for n in range(len(obligations))]
    terms.obligations[count:] = over(value, PLACE, obligations)
    return image


def choice(
    terms: Terms, whole: Expression, formal: Formal, body: Expression, names: Names
) -> z3.ArithRef:
    """``CHOOSE i \\in DOMAIN q : P(i) /\\ \\A j \\in 1..(i - 1) : ~P(j)``: the first such place."""
    match body:
        case Builtin(
            "$ConjList" | "\\land",
            (
                holds,
                Builtin(
                    "$BoundedForall",
                    (negation,),
                    (
                        Bound(
                            (before,),
                            False,
                            Call(
                                _, (Number(1), Call(_, (Parameter(end), Number(1))) as minus)
                            ) as domain,
                        ),
                    ),
                ),
            ),
        ) if (domain.name, minus.name) == ("..", "-") and end is formal:
            value = terms.plain(whole, names)
            here = z3.simplify(z3.Not(at_place_of(terms, value, formal, holds, names)))
            if here.eq(z3.simplify(at_place_of(terms, value, before, negation, names))):
                return first(terms, whole, formal, holds, names)
    raise OutsideSubset("CHOOSE of another place than the first", body.place)


def over(value: Value, number: z3.ArithRef, obligations: list[z3.BoolRef]) -> list[z3.BoolRef]:
    """The obligations at each place of a sequence, where they are made for one of them."""
    within = z3.And(1 <= number, number <= value["length"])
    return [z3.ForAll([number], z3.Implies(within, obligation)) for obligation in obligations]


def is_empty(terms: Terms, lhs: Expression, rhs: Expression, names: Names) -> z3.BoolRef | None:
    """``sequence = <<>>``; None for another equality."""
    for empty, operand in ((lhs, rhs), (rhs, lhs)):
        match empty:
            case Builtin("$Tuple", ()) if isinstance(terms.shape(operand, names), Sequence):
                none = terms.plain(operand, names)["length"] == 0
                assert isinstance(none, z3.BoolRef)
                return none
    return None


def place(terms: Terms, value: Value, index: Expression, names: Names) -> z3.ArithRef:
    """A place of a sequence, which must be one that it has."""
    number = terms.of(index, INT, names)
    terms.obligations.append(z3.And(1 <= number, number <= value["length"]))
    assert isinstance(number, z3.ArithRef)
    return number


def extension(terms: Terms, node: Call, names: Names) -> Value:
    """``Append(sequence, element)``. Each place behind a sequence is blank: it has ``<<>>``."""
    sequence, element = node.arguments
    shape = terms.shape(sequence, names)
    assert isinstance(shape, Sequence)
    value = terms.plain(sequence, names)
    behind = value["length"] + 1
    match element:
        case Builtin("$Tuple", ()) if isinstance(shape.of, Sequence) and isinstance(
            shape.of.of, Sort
        ):
            any_place = z3.Int("any_place")
            item = at_place(value["item"], behind)
            terms.obligations.append(item["length"] == 0)
            terms.obligations.append(
                z3.ForAll([any_place], item["item"][any_place] == shape.of.of.null)
            )
            return {**value, "length": behind}
    new = terms.of(element, shape.of, names)
    return {"length": behind, "item": put(value["item"], behind, new)}


def head(terms: Terms, node: Expression, names: Names) -> Value:
    """``Head(sequence)``, of one that is not empty."""
    value = terms.plain(node, names)
    terms.obligations.append(value["length"] > 0)
    return at_place(value["item"], z3.IntVal(1))


def tail(terms: Terms, node: Expression, names: Names) -> Value:
    """``Tail(sequence)``, of one that is not empty: each element moves to the place before."""
    shape, value = terms.shape(node, names), terms.plain(node, names)
    assert isinstance(shape, Sequence)
    is_tuple = isinstance(shape.of, Record) and shape.of.is_tuple
    if not is_tuple and (not isinstance(shape.of, Sort) or shape.of.null is None):
        raise OutsideSubset("Tail of a sequence of elements that are of no set", node.place)
    terms.obligations.append(value["length"] > 0)
    length = value["length"] - 1
    return {"length": length, "item": earlier(value["item"], blank(shape.of), length)}


def earlier(item: Value, none: Value, length: z3.ArithRef) -> Value:
    """Each item of a sequence at the place before its own. ``none``: that behind the last one."""
    if isinstance(item, dict):
        return {name: earlier(part, none[name], length) for name, part in item.items()}
    within = z3.And(1 <= PLACE, PLACE <= length)
    return View(z3.If(within, item[PLACE + 1], none))


def everywhere(
    terms: Terms, node: Expression, formal: Formal, body: Expression, names: Names, name: str = ""
) -> z3.BoolRef:
    """``\\A formal \\in DOMAIN node : body``. ``name``: of the constant for the place."""
    value, count = terms.plain(node, names), len(terms.obligations)
    term = unbound(name or f"{formal.name}_{body.place.line}", INT.z3, names)
    assert isinstance(term, z3.ArithRef)
    with terms.bound_to(term, body):
        holds = terms.truth(body, {**names, formal: Made(term, INT)})
    terms.obligations[count:] = over(value, term, terms.obligations[count:])
    within = z3.And(1 <= term, term <= value["length"])
    return z3.ForAll([term], z3.Implies(within, holds))


def search(terms: Terms, node: Call, names: Names) -> Value:
    """The first place of a sequence from one on that is not null, with the item there.

    The place is a parameter. The guards that define it hold of one number.
    """
    check_search(node.definition, terms.words.null)
    sequence, start = node.arguments
    shape = terms.shape(sequence, names)
    name = f"found_{node.name}"
    if not isinstance(shape, Sequence) or not isinstance(shape.of, Sort) or name in terms.chosen:
        raise OutsideSubset(f"this use of {node.name}", node.place)
    value, first = terms.plain(sequence, names), terms.of(start, INT, names)
    hit, before = z3.Int(f"{name}!"), z3.Int("place_before")
    null, item, length = shape.of.null, value["item"], value["length"]
    terms.chosen[name] = hit, present(WHOLE)
    terms.obligations.append(1 <= first)
    terms.defining += [
        z3.Or(hit == 0, z3.And(first <= hit, hit <= length, item[hit] != null)),
        z3.ForAll(
            [before],
            z3.Implies(
                z3.And(first <= before, before <= length, z3.Or(hit == 0, before < hit)),
                item[before] == null,
            ),
        ),
    ]
    return {"1": hit, "2": z3.If(hit == 0, null, item[hit])}


def check_search(definition: Definition, null: str) -> None:
    """OutsideSubset, unless an operator is the recursive search that it is taken for."""
    if len(definition.formals) == 2:
        seq, at = definition.formals

        def is_(node: Expression, formal: object) -> bool:
            return isinstance(node, Parameter) and node.formal is formal

        def item(node: Expression) -> bool:
            match node:
                case Builtin("$FcnApply", (operand, index)):
                    return is_(operand, seq) and is_(index, at)
            return False

        match definition.body:
            case Builtin(
                "$IfThenElse",
                (
                    Call(_, (start, Call(_, (whole,)) as length)) as over,
                    nowhere,
                    Builtin(
                        "$IfThenElse",
                        (
                            Builtin("=", (element, Constant(none))),
                            Call(again, (same, Call(_, (before, Number(1))) as plus)),
                            Builtin("$Tuple", (here, hit)),
                        ),
                    ),
                ),
            ) if (
                (over.name, length.name, plus.name, none) == (">", "Len", "+", null)
                and again is definition
                and all(is_(node, at) for node in (start, before, here))
                and is_(whole, seq)
                and is_(same, seq)
                and item(element)
                and item(hit)
                and _is_nowhere(nowhere, null)
            ):
                return
    raise OutsideSubset(f"{definition.name}, which is no search,", definition.place)


def _is_nowhere(node: Expression, null: str) -> bool:
    """Whether an expression is ``<<0, NULL>>``."""
    while isinstance(node, Call) and not node.definition.formals:
        node = node.definition.body
    match node:
        case Builtin("$Tuple", (Number(0), Constant(none))):
            return none == null
    return False


def none_of(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """``Cardinality({i \\in DOMAIN q : P}) = 0``, where ``q`` is a sequence with places."""
    while isinstance(node, Call) and not node.definition.standard:
        if node.name in terms.words.named:
            return None
        names, node = terms.inside(node, names), node.definition.body
    match node:
        case Call(_, (Builtin("$SubsetOf", (body,), (bound,)),)) if (
            node.name == "Cardinality" and len(bound.formals) == 1
        ):
            match bound.domain:
                case Builtin("DOMAIN", (sequence,)) if isinstance(
                    terms.shape(sequence, names), Sequence
                ):
                    negation = Builtin("\\lnot", (body,), (), body.place, body.level)
                    formal = bound.formals[0]
                    return lambda: everywhere(
                        terms, sequence, formal, negation, names, "place_of_none"
                    )
    return None
