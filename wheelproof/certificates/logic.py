"""Rules about truth values and equality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from wheelproof.certificates import arithmetic, schemes
from wheelproof.certificates.expressions import Expression, Wrong, need, text_of, token
from wheelproof.certificates.problem import Reader
from wheelproof.certificates.terms import APPLIED, Term, denial, equation, is_

Clause: TypeAlias = tuple[Term, ...]
"""Formulas of which one holds at least."""


@dataclass(frozen=True)
class Step:
    """One step of a certificate."""

    conclusion: Clause
    premises: Sequence[Clause]
    arguments: Sequence[Expression]
    reader: Reader
    by: Mapping[Term, Term]
    """Variable -> the term that it stands for at the step."""

    @property
    def only(self) -> Term:
        """The one formula of the conclusion; Wrong where there are several."""
        need(len(self.conclusion) == 1, "the conclusion is not one formula")
        return self.conclusion[0]

    @property
    def first_argument(self) -> Term:
        """The one formula of the one premise; Wrong where there are several."""
        need(len(self.premises) == 1, f"it has {len(self.premises)} premises, not one")
        return _unit(self.premises[0])

    def place(self, among: Sequence[Term]) -> Term:
        """The one that the argument, a place counted from 0, chooses."""
        need(len(self.arguments) == 1, "its argument is not one place")
        text = token(self.arguments[0])
        need(text.isdecimal() and int(text) < len(among), f"there is no place {text}")
        return among[int(text)]


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
    false = {_literal(literal) for literal in step.conclusion}
    false |= {(truth.truth(True), False), (truth.truth(False), True)}
    if any((term, not holds) in false for term, holds in false):
        return
    waiting = [{_literal(literal) for literal in clause} for clause in reversed(step.premises)]
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
    lhs, rhs = (terms.substitute(side, step.by) for side in equation(step.only))
    need(lhs is rhs, "the sides are different")


def trans(step: Step) -> None:
    lhs, rhs = equation(step.only)
    need(step.premises, "it has no premise")
    for clause in step.premises:
        first, second = equation(_unit(clause))
        if first is not lhs:
            raise Wrong(f"the premise {_unit(clause)} does not go on from the one before")
        lhs = second
    need(lhs is rhs, "the premises end with another term")


def cong(step: Step) -> None:
    lhs, rhs = equation(step.only)
    same = lhs.kind == rhs.kind == APPLIED and lhs.head == rhs.head
    need(same and len(lhs.arguments) == len(rhs.arguments), "the sides are other functions")
    equations = {equation(_unit(clause)) for clause in step.premises}
    for pair in zip(lhs.arguments, rhs.arguments, strict=True):
        if pair[0] is not pair[1] and pair not in equations:
            raise Wrong(f"no premise has {pair[0]} = {pair[1]}")


def and_(step: Step) -> None:
    need(is_(step.first_argument, "and"), "the premise is no conjunction")
    need(
        step.place(step.first_argument.arguments) is step.only, "it is another part of the premise"
    )


def not_or(step: Step) -> None:
    inner = denial(step.first_argument)
    need(is_(inner, "or"), "the premise denies no disjunction")
    need(step.place(inner.arguments) is denial(step.only), "it is another part of the premise")


def or_(step: Step) -> None:
    need(is_(step.first_argument, "or"), "the premise is no disjunction")
    need(step.first_argument.arguments == step.conclusion, "the literals are others")


def not_and(step: Step) -> None:
    inner = denial(step.first_argument)
    need(is_(inner, "and"), "the premise denies no conjunction")
    need(inner.arguments == tuple(map(denial, step.conclusion)), "the literals are others")


def and_pos(step: Step) -> None:
    need(len(step.conclusion) == 2, "the conclusion has two literals")
    inner, part = denial(step.conclusion[0]), step.conclusion[1]
    need(is_(inner, "and") and step.place(inner.arguments) is part, "it is another part")


def or_neg(step: Step) -> None:
    need(len(step.conclusion) == 2, "the conclusion has two literals")
    whole, part = step.conclusion[0], denial(step.conclusion[1])
    need(is_(whole, "or") and step.place(whole.arguments) is part, "it is another part")


def and_neg(step: Step) -> None:
    whole, *parts = step.conclusion or (None,)
    need(whole is not None and is_(whole, "and"), "the first literal is no conjunction")
    assert whole is not None
    need(whole.arguments == tuple(map(denial, parts)), "the parts are others")


def or_pos(step: Step) -> None:
    need(step.conclusion, "the conclusion is empty")
    inner = denial(step.conclusion[0])
    need(is_(inner, "or") and inner.arguments == step.conclusion[1:], "the parts are others")


def and_intro(step: Step) -> None:
    need(is_(step.only, "and"), "the conclusion is no conjunction")
    need(step.only.arguments == tuple(map(_unit, step.premises)), "the parts are others")


def aci_simp(step: Step) -> None:
    """The sides are conjunctions, or disjunctions, of one set of formulas."""
    lhs, rhs = equation(step.only)
    same = any(_parts(lhs, head) == _parts(rhs, head) for head in ("and", "or"))
    need(same, "the sides have other parts")


def _parts(term: Term, head: str) -> set[Term]:
    if is_(term, head):
        return set().union(*(_parts(argument, head) for argument in term.arguments))
    return set() if is_(term, "true" if head == "and" else "false") else {term}


def and_simplify(step: Step) -> None:
    """A conjunction with ``false`` is that."""
    lhs, rhs = equation(step.only)
    need(is_(rhs, "false") and is_(lhs, "and") and rhs in lhs.arguments, "it is not false")


def or_simplify(step: Step) -> None:
    """A disjunction with ``true`` is that."""
    lhs, rhs = equation(step.only)
    need(is_(rhs, "true") and is_(lhs, "or") and rhs in lhs.arguments, "it is not true")


def evaluate(step: Step) -> None:
    lhs, rhs = map(arithmetic.value, equation(step.only))
    need(lhs == rhs, f"the sides are {lhs} and {rhs}")


DE_MORGAN = {"bool-and-de-morgan": ("and", "or"), "bool-or-de-morgan": ("or", "and")}
"""Rewrite -> the operator that is denied, and the one that its denial has."""


def rewrite(step: Step) -> None:
    """A rewrite by its name, which is the first argument."""
    need(step.arguments, "the rewrite has no name")
    name = text_of(step.arguments[0]).strip('"')
    lhs, rhs = equation(step.only)
    if name in DE_MORGAN:
        inner, (head, dual) = denial(lhs), DE_MORGAN[name]
        need(is_(inner, head) and is_(rhs, dual), "the operators are others")
        first, *rest = inner.arguments
        need(rest, "there is one part")
        others = [first, rest[0] if len(rest) == 1 else step.reader.terms.apply(head, rest)]
        need(list(map(denial, rhs.arguments)) == others, "the parts are others")
    elif name == "bool-or-taut2":
        parts = set(lhs.arguments)
        is_excluded = any(is_(part, "not") and part.arguments[0] in parts for part in parts)
        need(is_(lhs, "or") and is_(rhs, "true") and is_excluded, "it is no tautology")
    else:
        need(name in schemes.REWRITES, f"the rewrite {name} is unknown")
        fits = not step.premises and schemes.instance(schemes.REWRITES[name], (), step.conclusion)
        need(fits, f"it is no instance of {name}")


def la_generic(step: Step) -> None:
    need(not step.premises, "it has premises")
    arithmetic.sum_is_impossible(step.conclusion, list(map(_factor, step.arguments)))


def _factor(expression: Expression) -> Fraction:
    try:
        return Fraction(token(expression))
    except (ValueError, ZeroDivisionError):
        raise Wrong(f"{text_of(expression)} is no factor") from None


def _without_premises(rule: Callable[[Clause], None]) -> Rule:
    def check(step: Step) -> None:
        need(not step.premises, "it has premises")
        rule(step.conclusion)

    return check


def _by_scheme(name: str) -> Rule:
    def check(step: Step) -> None:
        fits = schemes.instance(schemes.RULES[name], step.premises, step.conclusion)
        need(fits, "it is no instance of the rule's scheme")

    return check


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
"""Rule -> the check of a step with it. Those that close a part with assumptions are elsewhere."""
