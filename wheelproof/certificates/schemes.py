"""Rules that are schemes: premises and a conclusion in which variables stand for terms.

``?a`` in a scheme stands for any term. Each scheme holds for all terms in the place of its
variables, and a rule may have several.
"""

from __future__ import annotations

from collections.abc import Sequence

from wheelproof.certificates.expressions import Expression, commands, items
from wheelproof.certificates.terms import APPLIED, NUMBER, Term

_OF_RULES = """
(true () (true))
(false () ((not false)))
(not_not () ((not (not (not ?a))) ?a))
(implies_pos () ((not (=> ?a ?b)) (not ?a) ?b))
(implies_neg1 () ((=> ?a ?b) ?a))
(implies_neg2 () ((=> ?a ?b) (not ?b)))
(equiv_pos1 () ((not (= ?a ?b)) ?a (not ?b)))
(equiv_pos2 () ((not (= ?a ?b)) (not ?a) ?b))
(equiv_neg1 () ((= ?a ?b) (not ?a) (not ?b)))
(equiv_neg2 () ((= ?a ?b) ?a ?b))
(ite_pos1 () ((not (ite ?c ?a ?b)) ?c ?b))
(ite_pos2 () ((not (ite ?c ?a ?b)) (not ?c) ?a))
(ite_neg1 () ((ite ?c ?a ?b) ?c (not ?b)))
(ite_neg2 () ((ite ?c ?a ?b) (not ?c) (not ?a)))
(implies ((=> ?a ?b)) ((not ?a) ?b))
(not_implies1 ((not (=> ?a ?b))) (?a))
(not_implies2 ((not (=> ?a ?b))) ((not ?b)))
(equiv1 ((= ?a ?b)) ((not ?a) ?b))
(equiv2 ((= ?a ?b)) (?a (not ?b)))
(not_equiv1 ((not (= ?a ?b))) (?a ?b))
(not_equiv2 ((not (= ?a ?b))) ((not ?a) (not ?b)))
(ite1 ((ite ?c ?a ?b)) (?c ?b))
(ite2 ((ite ?c ?a ?b)) ((not ?c) ?a))
(not_ite1 ((not (ite ?c ?a ?b))) (?c (not ?b)))
(not_ite2 ((not (ite ?c ?a ?b))) ((not ?c) (not ?a)))
(symm ((= ?a ?b)) ((= ?b ?a)))
(not_symm ((not (= ?a ?b))) ((not (= ?b ?a))))
(la_disequality () ((or (= ?a ?b) (not (<= ?a ?b)) (not (<= ?b ?a)))))
(comp_simplify () ((= (< ?a ?b) (not (<= ?b ?a)))))
(comp_simplify () ((= (>= ?a ?b) (<= ?b ?a))))
(comp_simplify () ((= (> ?a ?b) (not (<= ?a ?b)))))
(equiv_simplify () ((= (= ?a true) ?a)))
(equiv_simplify () ((= (= ?a false) (not ?a))))
(implies_simplify () ((= (=> ?a false) (not ?a))))
"""

_OF_REWRITES = """
(bool-double-not-elim () ((= (not (not ?a)) ?a)))
(bool-eq-true () ((= (= ?a true) ?a)))
(bool-eq-false () ((= (= ?a false) (not ?a))))
(bool-impl-elim () ((= (=> ?a ?b) (or (not ?a) ?b))))
(bool-impl-false1 () ((= (=> ?a false) (not ?a))))
(bool-impl-true2 () ((= (=> true ?a) ?a)))
(bool-not-ite-elim () ((= (not (ite ?c ?a ?b)) (ite ?c (not ?a) (not ?b)))))
(eq-refl () ((= (= ?a ?a) true)))
(eq-symm () ((= (= ?a ?b) (= ?b ?a))))
(ite-eq () ((= (ite ?c (= (ite ?c ?a ?b) ?a) (= (ite ?c ?a ?b) ?b)) true)))
(ite-eq-branch () ((= (ite ?c ?a ?a) ?a)))
(ite-not-cond () ((= (ite (not ?c) ?a ?b) (ite ?c ?b ?a))))
(ite-then-false () ((= (ite ?c false ?a) (and (not ?c) ?a))))
(ite-then-true () ((= (ite ?c true ?a) (or ?c ?a))))
(arith-elim-lt () ((= (< ?a ?b) (not (>= ?a ?b)))))
(arith-elim-leq () ((= (<= ?a ?b) (>= ?b ?a))))
(arith-elim-gt () ((= (> ?a ?b) (not (>= ?b ?a)))))
(arith-leq-norm () ((= (<= ?a ?b) (not (>= ?a (+ ?b 1))))))
(arith-geq-tighten () ((= (not (>= ?a ?b)) (>= ?b (+ ?a 1)))))
(arith-geq-norm1-int () ((= (>= ?a ?b) (>= (- ?a ?b) 0))))
(arith-geq-ite-lift () ((= (>= (ite ?c ?a ?b) ?d) (ite ?c (>= ?a ?d) (>= ?b ?d)))))
(arith-leq-ite-lift () ((= (<= (ite ?c ?a ?b) ?d) (ite ?c (<= ?a ?d) (<= ?b ?d)))))
(arith-max-geq2 () ((= (>= (ite (>= ?a ?b) ?a ?b) ?b) true)))
(arith-abs-int-gt ()
 ((= (> (abs ?a) (abs ?b))
     (ite (>= ?a 0)
          (ite (>= ?b 0) (> ?a ?b) (> ?a (- ?b)))
          (ite (>= ?b 0) (> (- ?a) ?b) (> (- ?a) (- ?b)))))))
"""

Scheme = tuple[list[Expression], list[Expression]]
"""Premises, each a clause of one literal, and the literals of the conclusion."""


def _read(text: str) -> dict[str, list[Scheme]]:
    by_name: dict[str, list[Scheme]] = {}
    for _, name, (premises, conclusion) in commands(text):
        by_name.setdefault(name, []).append((items(premises), items(conclusion)))
    return by_name


RULES = _read(_OF_RULES)
"""Rule -> its schemes."""

REWRITES = _read(_OF_REWRITES)
"""Name of a rewrite -> its schemes, each an equation without premises."""


def instance(
    schemes: Sequence[Scheme], premises: Sequence[Sequence[Term]], conclusion: Sequence[Term]
) -> bool:
    """Whether a step is one of these schemes with terms for its variables."""
    return any(_is(scheme, premises, conclusion) for scheme in schemes)


def _is(scheme: Scheme, premises: Sequence[Sequence[Term]], conclusion: Sequence[Term]) -> bool:
    assumptions, literals = scheme
    if len(assumptions) != len(premises) or any(len(clause) != 1 for clause in premises):
        return False
    terms = [*(clause[0] for clause in premises), *conclusion]
    patterns = [*assumptions, *literals]
    stands: dict[str, Term] = {}
    return len(terms) == len(patterns) and all(
        _match(pattern, term, stands) for pattern, term in zip(patterns, terms, strict=True)
    )


def _match(pattern: Expression, term: Term, stands: dict[str, Term]) -> bool:
    if isinstance(pattern, str):
        if pattern.startswith("?"):
            return stands.setdefault(pattern, term) is term
        if pattern.isdecimal():
            return term.kind == NUMBER and term.value == int(pattern)
        return term.kind == APPLIED and term.head == pattern and not term.arguments
    head, *rest = pattern
    return (
        term.kind == APPLIED
        and term.head == head
        and len(term.arguments) == len(rest)
        and all(_match(*pair, stands) for pair in zip(rest, term.arguments, strict=True))
    )
