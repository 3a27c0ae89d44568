"""Rules about truth values and equality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from wheelproof.certificates import arithmetic, schemes
from wheelproof.certificates.expressions import Expression, Wrong, need, shown, token
from wheelproof.certificates.problem import Reader
from wheelproof.certificates.terms import APPLIED, Term, denied, equation, is_

Clause: TypeAlias = tuple[Term, ...]
"""Formulas of which one holds at least."""


@dataclass(frozen=True)
class Step:
    """One step of a certificate. ``by``: what variables stand for where it is."""

    conclusion: Clause
    premises: Sequence[Clause]
    arguments: Sequence[Expression]
    reader: Reader
    by: Mapping[Term, Term]

    @property
    def only(self) -> Term:
        """The one formula of the conclusion; Wrong where there are several."""
        need(len(self.conclusion) == 1, "the conclusion is not one formula")
        return self.conclusion[0]

    @property
    def given(self) -> Term:
        """The one formula of the one premise; Wrong where there are several."""
        need(len(self.premises) == 1, f"it has {len(self.premises)} premises, not one")
        return _unit(self.premises[0])

    def place(self, among: Sequence[Term]) -> Term:
        """The one that the argument, a place counted from 0, chooses."""
        need(len(self.arguments) == 1, "its argument is not one place")
        written = token(self.arguments[0])
        need(written.isdecimal() and int(written) < len(among), f"there is no place {written}")
        return among[int(written)]


Rule: TypeAlias = Callable[[Step], None]
"""Raises Wrong where a step does not follow."""


def _unit(clause: Clause) -> Term:
    need(len(clause) == 1, "a premise is not one formula")
    return clause[0]


def _literal(term: Term) -> tuple[Term, bool]:
    """A formula without ``not`` around it, and whether it is to hold."""
    holds = True
    while is_(term, "not"):
        term, holds = term.arguments[0], not holds
    return term, holds


def resolution(step: Step) -> None:
    """If every formula of the conclusion fails, the premises, taken one by one, cannot all hold.

    Each clause of which one literal is still open decides that literal. So it is for any chain of
    resolutions, in the reverse order. ``(not (not a))`` counts as a.
    """
    truth = step.reader.terms
    false = {_literal(each) for each in step.conclusion}
    false |= {(truth.truth(True), False), (truth.truth(False), True)}
    if any((term, not holds) in false for term, holds in false):
        return
    waiting = [{_literal(each) for each in clause} for clause in reversed(step.premises)]
    while waiting:
        rest = []
        for clause in waiting:
            open_ = clause - false
            if not open_:
                return
            if len(open_) == 1:
                ((term, holds),) = open_
                false.add((term, not holds))
            elif not any((term, not holds) in false for term, holds in open_):
                rest.append(clause)
        need(len(rest) < len(waiting), "the premises can hold without the conclusion")
        waiting = rest
    raise Wrong("the premises can hold without the conclusion")


def contraction(step: Step) -> None:
    need(len(step.premises) == 1, "it has not one premise")
    need(set(step.premises[0]) == set(step.conclusion), "the literals are others")


def reordering(step: Step) -> None:
    need(len(step.premises) == 1, "it has not one premise")
    need(Counter(step.premises[0]) == Counter(step.conclusion), "the literals are others")


def refl(step: Step) -> None:
    terms = step.reader.terms
    left, right = (terms.substitute(each, step.by) for each in equation(step.only))
    need(left is right, "the sides are different")


def trans(step: Step) -> None:
    left, right = equation(step.only)
    need(step.premises, "it has no premise")
    for clause in step.premises:
        one, other = equation(_unit(clause))
        if one is not left:
            raise Wrong(f"the premise {_unit(clause)} does not go on from the one before")
        left = other
    need(left is right, "the premises end with another term")


def cong(step: Step) -> None:
    left, right = equation(step.only)
    same = left.kind == right.kind == APPLIED and left.head == right.head
    need(same and len(left.arguments) == len(right.arguments), "the sides are other functions")
    known = {equation(_unit(clause)) for clause in step.premises}
    for pair in zip(left.arguments, right.arguments, strict=True):
        if pair[0] is not pair[1] and pair not in known:
            raise Wrong(f"no premise has {pair[0]} = {pair[1]}")


def and_(step: Step) -> None:
    need(is_(step.given, "and"), "the premise is no conjunction")
    need(step.place(step.given.arguments) is step.only, "it is another part of the premise")


def not_or(step: Step) -> None:
    inner = denied(step.given)
    need(is_(inner, "or"), "the premise denies no disjunction")
    need(step.place(inner.arguments) is denied(step.only), "it is another part of the premise")


def or_(step: Step) -> None:
    need(is_(step.given, "or"), "the premise is no disjunction")
    need(step.given.arguments == step.conclusion, "the literals are others")


def not_and(step: Step) -> None:
    inner = denied(step.given)
    need(is_(inner, "and"), "the premise denies no conjunction")
    need(inner.arguments == tuple(map(denied, step.conclusion)), "the literals are others")


def and_pos(step: Step) -> None:
    need(len(step.conclusion) == 2, "the conclusion has two literals")
    inner, part = denied(step.conclusion[0]), step.conclusion[1]
    need(is_(inner, "and") and step.place(inner.arguments) is part, "it is another part")


def or_neg(step: Step) -> None:
    need(len(step.conclusion) == 2, "the conclusion has two literals")
    whole, part = step.conclusion[0], denied(step.conclusion[1])
    need(is_(whole, "or") and step.place(whole.arguments) is part, "it is another part")


def and_neg(step: Step) -> None:
    whole, *parts = step.conclusion or (None,)
    need(whole is not None and is_(whole, "and"), "the first literal is no conjunction")
    assert whole is not None
    need(whole.arguments == tuple(map(denied, parts)), "the parts are others")


def or_pos(step: Step) -> None:
    need(step.conclusion, "the conclusion is empty")
    inner = denied(step.conclusion[0])
    need(is_(inner, "or") and inner.arguments == step.conclusion[1:], "the parts are others")


def and_intro(step: Step) -> None:
    need(is_(step.only, "and"), "the conclusion is no conjunction")
    need(step.only.arguments == tuple(map(_unit, step.premises)), "the parts are others")


def aci_simp(step: Step) -> None:
    """The sides are conjunctions, or disjunctions, of one set of formulas."""
    left, right = equation(step.only)
    same = any(_parts(left, head) == _parts(right, head) for head in ("and", "or"))
    need(same, "the sides have other parts")


def _parts(term: Term, head: str) -> set[Term]:
    if is_(term, head):
        return set().union(*(_parts(each, head) for each in term.arguments))
    return set() if is_(term, "true" if head == "and" else "false") else {term}


def and_simplify(step: Step) -> None:
    """A conjunction with ``false`` is that."""
    left, right = equation(step.only)
    need(is_(right, "false") and is_(left, "and") and right in left.arguments, "it is not false")


def or_simplify(step: Step) -> None:
    """A disjunction with ``true`` is that."""
    left, right = equation(step.only)
    need(is_(right, "true") and is_(left, "or") and right in left.arguments, "it is not true")


def evaluate(step: Step) -> None:
    left, right = map(arithmetic.value, equation(step.only))
    need(left == right, f"the sides are {left} and {right}")


DE_MORGAN = {"bool-and-de-morgan": ("and", "or"), "bool-or-de-morgan": ("or", "and")}
"""Rewrite -> the operator that is denied, and the one that its denial has."""


def rewrite(step: Step) -> None:
    """A rewrite by its name, which is the first argument."""
    need(step.arguments, "the rewrite has no name")
    name = shown(step.arguments[0]).strip('"')
    left, right = equation(step.only)
    if name in DE_MORGAN:
        inner, (head, other) = denied(left), DE_MORGAN[name]
        need(is_(inner, head) and is_(right, other), "the operators are others")
        first, *rest = inner.arguments
        need(rest, "there is one part")
        made = [first, rest[0] if len(rest) == 1 else step.reader.terms.apply(head, rest)]
        need(list(map(denied, right.arguments)) == made, "the parts are others")
    elif name == "bool-or-taut2":
        parts = set(left.arguments)
        both = any(is_(each, "not") and each.arguments[0] in parts for each in parts)
        need(is_(left, "or") and is_(right, "true") and both, "it is no tautology")
    else:
        need(name in schemes.REWRITES, f"the rewrite {name} is unknown")
        fits = not step.premises and schemes.instance(schemes.REWRITES[name], (), step.conclusion)
        need(fits, f"it is no instance of {name}")


def la_generic(step: Step) -> None:
    need(not step.premises, "it has premises")
    arithmetic.sum_is_impossible(step.conclusion, list(map(_factor, step.arguments)))


def _factor(found: Expression) -> Fraction:
    try:
        return Fraction(token(found))
    except (ValueError, ZeroDivisionError):
        raise Wrong(f"{shown(found)} is no factor") from None


def _without_premises(rule: Callable[[Clause], None]) -> Rule:
    def checked(step: Step) -> None:
        need(not step.premises, "it has premises")
        rule(step.conclusion)

    return checked


def _by_scheme(name: str) -> Rule:
    def checked(step: Step) -> None:
        fits = schemes.instance(schemes.RULES[name], step.premises, step.conclusion)
        need(fits, "it is no instance of the rule's scheme")

    return checked


RULES: dict[str, Rule] = {
    **{name: _by_scheme(name) for name in schemes.RULES},
    "resolution": resolution,
    "contraction": contraction,
    "reordering": reordering,
    "refl": refl,
    "trans": trans,
    "cong": cong,
    "and": and_,
    "not_or": not_or,
    "or": or_,
    "not_and": not_and,
    "and_pos": and_pos,
    "or_neg": or_neg,
    "and_neg": and_neg,
    "or_pos": or_pos,
    "and_intro": and_intro,
    "aci_simp": aci_simp,
    "ac_simp": aci_simp,
    "and_simplify": and_simplify,
    "or_simplify": or_simplify,
    "evaluate": evaluate,
    "rare_rewrite": rewrite,
    "la_generic": la_generic,
    "la_mult_sign": _without_premises(arithmetic.sign_of_product),
    "la_mult_abs_comparison": lambda step: arithmetic.larger_product(
        step.premises, step.conclusion
    ),
    "poly_simp": _without_premises(arithmetic.same_polynomial),
    "poly_simp_rel": lambda step: arithmetic.same_relation(step.premises, step.conclusion),
}
"""Rule -> what a step with it must be. Those that close a part with assumptions are elsewhere."""
