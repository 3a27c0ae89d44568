"""Rules about whole numbers: polynomials, and sums of inequalities that cannot be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from wheelproof.certificates.expressions import Wrong, need
from wheelproof.certificates.terms import APPLIED, INT, NUMBER, Term, denial, equation, is_

Polynomial = dict[tuple[Term, ...], Fraction]
"""Product -> its coefficient, never 0. The product of nothing has the constant."""

_ORDERS = {"<": (-1, True), "<=": (-1, False), ">": (1, True), ">=": (1, False)}
"""Order -> which way it is turned to compare with 0, and whether it is strict."""

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def polynomial(term: Term) -> Polynomial:
    """The polynomial of a term. Other operators make an unknown of it. Wrong for no number."""
    if term.sort != INT:
        raise Wrong(f"{term} is no number")
    if term.kind == NUMBER:
        return {(): Fraction(term.value)} if term.value else {}
    if term.kind == APPLIED and term.head in ("+", "-", "*"):
        first, *rest = map(polynomial, term.arguments)
        if term.head == "-" and not rest:
            return scale(first, Fraction(-1))
        for summand in rest:
            if term.head == "*":
                first = _product(first, summand)
            else:
                first = add(first, summand, Fraction(1 if term.head == "+" else -1))
        return first
    return {(term,): Fraction(1)}


def add(first: Polynomial, second: Polynomial, times: Fraction = Fraction(1)) -> Polynomial:
    """left + times right."""
    total = dict(first)
    for product, coefficient in second.items():
        total[product] = total.get(product, Fraction(0)) + times * coefficient
    return {product: coefficient for product, coefficient in total.items() if coefficient}


def scale(polynomial: Polynomial, times: Fraction) -> Polynomial:
    return add({}, polynomial, times)


def _product(first: Polynomial, second: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for monomial, by in first.items():
        for factors, times in second.items():
            product = tuple(sorted(monomial + factors, key=lambda factor: factor.serial))
            total = add(total, {product: by * times})
    return total


def difference(first: Term, second: Term) -> Polynomial:
    return add(polynomial(first), polynomial(second), Fraction(-1))


def same_polynomial(conclusion: Sequence[Term]) -> None:
    """``poly_simp``: the sides of an equation are one polynomial."""
    need(len(conclusion) == 1, "the conclusion is one equation")
    rest = difference(*equation(conclusion[0]))
    need(not rest, f"the sides differ by {text_of(rest)}")


def same_relation(premises: Sequence[Sequence[Term]], conclusion: Sequence[Term]) -> None:
    """``poly_simp_rel``: from c (a - b) = d (e - f), a and b are related as e and f are.

    The relation is ``=``, or an order where c and d have one sign.
    """
    clauses = [*premises, conclusion]
    need([len(clause) for clause in clauses] == [1, 1], "one equation gives another")
    lhs, rhs = equation(conclusion[0])
    need(lhs.head == rhs.head, "the sides are different relations")
    need(lhs.head == "=" or lhs.head in _ORDERS, f"{lhs.head} is no relation of numbers")
    signs = []
    for side, relation in zip(equation(premises[0][0]), (lhs, rhs), strict=True):
        need(is_(side, "*", 2) and side.arguments[0].kind == NUMBER, "a factor is missing")
        factor, rest = side.arguments
        need(factor.value, "a factor is 0")
        need(is_(rest, "-", 2) and rest.arguments == relation.arguments, "a difference is another")
        signs.append(factor.value > 0)
    need(lhs.head == "=" or signs[0] == signs[1], "the factors turn one of the orders")


def sum_is_impossible(conclusion: Sequence[Term], factors: Sequence[Fraction]) -> None:
    """``la_generic``: not all literals fail, as then a sum of inequalities would be impossible.

    Each literal's denial is an inequality with 0. It is made as sharp as whole numbers allow, and
    multiplied by its factor's size, an equation by the factor itself.
    """
    need(len(factors) == len(conclusion), f"{len(factors)} factors for {len(conclusion)} literals")
    total: Polynomial = {}
    unequal = False
    for literal, factor in zip(conclusion, factors, strict=True):
        need(factor, "a factor is 0")
        polynomial, kind = _denial(literal)
        if kind != "=":
            polynomial, factor, unequal = _sharp(polynomial, kind), abs(factor), True
        total = add(total, polynomial, factor)
    constant = total.pop((), Fraction(0))
    need(not total, f"the sum still has {text_of(total)}")
    if unequal:
        need(constant < 0, f"the sum is {constant} >= 0, which holds")
    else:
        need(constant, "the sum is 0 = 0, which holds")


def _denial(literal: Term) -> tuple[Polynomial, str]:
    """The polynomial that is ``>``, ``>=`` or ``=`` 0 where a literal fails."""
    if is_(literal, "not"):
        atom, head = literal.arguments[0], literal.arguments[0].head
    else:
        atom, head = literal, _OPPOSITE.get(literal.head, "")
    need(atom.kind == APPLIED and len(atom.arguments) == 2, f"{literal} is no inequality")
    if head == "=":
        return difference(*atom.arguments), "="
    need(head in _ORDERS, f"{literal} is no inequality")
    sign, strict = _ORDERS[head]
    return scale(difference(*atom.arguments), Fraction(sign)), ">" if strict else ">="


def _sharp(polynomial: Polynomial, kind: str) -> Polynomial:
    """The strongest p' >= 0 that whole numbers with p >= 0, or p > 0, have; up to its scale.

    Coefficients are whole: they are those of terms.
    """
    constant = polynomial.get((), Fraction(0))
    rest = {product: coefficient for product, coefficient in polynomial.items() if product}
    if kind == ">":
        constant -= 1
    if rest:
        step = gcd(*(int(number) for number in rest.values()))
        constant = Fraction(constant // step * step)
    return add(rest, {(): constant})


def sign_of_product(conclusion: Sequence[Term]) -> None:
    """``la_mult_sign``: signs of all factors give that of their product."""
    need(len(conclusion) == 1 and is_(conclusion[0], "=>"), "the conclusion is an implication")
    signs, product = conclusion[0].arguments
    sign_of: dict[Term, str] = {}
    for literal in signs.arguments if is_(signs, "and") else (signs,):
        atom = literal.arguments[0] if is_(literal, "not") else literal
        need(len(atom.arguments) == 2 and _is_zero(atom.arguments[1]), f"{literal} is no sign")
        kind = {(False, ">"): ">", (False, "<"): "<", (True, "="): "="}.get(
            (atom is not literal, atom.head)
        )
        need(kind, f"{literal} is no sign")
        sign_of[atom.arguments[0]] = str(kind)
    need(product.head in ("<", ">") and _is_zero(product.arguments[1]), "it gives no sign")
    negative = False
    for factor, many in Counter(_factors(product.arguments[0])).items():
        need(factor in sign_of, f"the sign of {factor} is missing")
        need(sign_of[factor] != "=" or many % 2 == 0, f"the sign of {factor} is open")
        negative ^= sign_of[factor] == "<" and many % 2 == 1
    need(product.head == ("<" if negative else ">"), "the product has the other sign")


def larger_product(premises: Sequence[Sequence[Term]], conclusion: Sequence[Term]) -> None:
    """``la_mult_abs_comparison``: factors that are larger in size have a larger product.

    The first is larger. Each further one is, or it is of the same size and not 0.
    """
    need(premises and all(len(clause) == 1 for clause in premises), "the premises are literals")
    need(len(conclusion) == 1, "the conclusion is one literal")
    pairs = []
    for number, (premise,) in enumerate(premises):
        if is_(premise, "and", 2) and number:
            same, unequal = premise.arguments
            pairs.append(_sizes(same, "="))
            lhs, rhs = equation(denial(unequal))
            need(lhs is pairs[-1][0] and _is_zero(rhs), f"{premise} may be of size 0")
        else:
            pairs.append(_sizes(premise, ">"))
    products = _sizes(conclusion[0], ">")
    for side, product in enumerate(products):
        factors = [pair[side] for pair in pairs]
        parts = list(product.arguments) if is_(product, "*") else [product]
        need(parts == factors, f"{product} is not the product of the factors")


def _sizes(term: Term, head: str) -> tuple[Term, Term]:
    """a and b of ``(head (abs a) (abs b))``."""
    sides = term.arguments
    fits = is_(term, head, 2) and all(is_(side, "abs") for side in sides)
    need(fits, f"{term} compares no sizes")
    return sides[0].arguments[0], sides[1].arguments[0]


def _factors(term: Term) -> list[Term]:
    if is_(term, "*"):
        return [factor_ for factor in term.arguments for factor_ in _factors(factor)]
    return [term]


def _is_zero(term: Term) -> bool:
    return term.kind == NUMBER and not term.value


def text_of(polynomial: Polynomial) -> str:
    """A polynomial as text."""
    terms = [
        " ".join([str(coefficient), *map(str, product)])
        for product, coefficient in polynomial.items()
    ]
    return " + ".join(terms) or "0"


def value(term: Term) -> int | bool:
    """``evaluate``: a term without variables and functions, computed. Wrong where it has some."""
    if term.kind == NUMBER:
        return term.value
    need(term.kind == APPLIED, f"{term} has no value of its own")
    values = [value(argument) for argument in term.arguments]
    match term.head, values:
        case (("true" | "false"), []):
            return term.head == "true"
        case "+", _:
            return sum(values)
        case "-", [only]:
            return -only
        case "-", [first, *rest]:
            return first - sum(rest)
        case "*", _:
            product = 1
            for number in values:
                product *= number
            return product
        case "not", [only]:
            return not only
        case "and", _:
            return all(values)
        case "=", [lhs, rhs]:
            return lhs == rhs
        case "<", [lhs, rhs]:
            return lhs < rhs
        case "<=", [lhs, rhs]:
            return lhs <= rhs
        case ">", [lhs, rhs]:
            return lhs > rhs
        case ">=", [lhs, rhs]:
            return lhs >= rhs
    raise Wrong(f"{term} has no value of its own")
