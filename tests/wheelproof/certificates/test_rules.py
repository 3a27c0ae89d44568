"""The rules themselves: to Z3 each scheme is valid, and each step that the checker accepts."""

import re

import pytest

from tests.wheelproof.certificates.oracle import entailed
from tests.wheelproof.certificates.texts import ORDER
from wheelproof.certificates import checker, logic, schemes
from wheelproof.certificates.expressions import Wrong, read
from wheelproof.certificates.problem import Reader, problem
from wheelproof.certificates.terms import BOOL, INT

# -- schemes


def with_sorts(scheme):
    """The scheme over truth values, and over numbers with conditions, where it has such sorts."""
    names = sorted(set(re.findall(r"\?\w", repr(scheme))))
    for sort in (BOOL, INT):
        reader = Reader()
        stands = {}
        for name in names:
            reader.terms.declare(name[1:], (), BOOL if name == "?c" else sort)
            stands[name] = reader.term(name[1:])
        try:
            yield [[reader.term(each, stands) for each in part] for part in scheme]
        except Wrong:
            continue


def faults(table):
    """Names of the schemes of a table that Z3 does not find valid, or that have no sorts."""
    found = []
    for name, alike in table.items():
        for scheme in alike:
            made = [
                (given, literals)
                for given, literals in with_sorts(scheme)
                if all(each.sort == BOOL for each in [*given, *literals])
            ]
            if not made or any(
                entailed([(each,) for each in given], literals) != "unsat"
                for given, literals in made
            ):
                found.append(name)
    return found


def test_every_scheme_is_valid():
    assert faults(schemes.RULES) == faults(schemes.REWRITES) == []


def test_a_scheme_that_is_not_valid_is_found():
    wrong = schemes._read(
        "(ite_pos1 () ((not (ite ?c ?a ?b)) ?c ?a))\n"
        "(symm ((= ?a ?b)) ((= ?b ?a)))\n"
        "(arith-geq-tighten () ((= (not (>= ?a ?b)) (>= ?b ?a))))\n"
        "(none () ((= (< ?a true) true)))\n"
    )
    assert faults(wrong) == ["ite_pos1", "arith-geq-tighten", "none"]


# -- rules that are no schemes


def step(conclusion, premises=(), arguments=()):
    reader = problem(ORDER).reader

    def clause(texts):
        return tuple(reader.term(found) for text in texts for _, found in read(text))

    return logic.Step(clause(conclusion), list(map(clause, premises)), arguments, reader, {})


ACCEPTED = [
    ("la_mult_sign", ["(=> (and (> x 0) (< y 0)) (< (* x y) 0))"]),
    ("la_mult_sign", ["(=> (and (not (= x 0)) (< y 0)) (< (* x x y) 0))"]),
    ("la_mult_sign", ["(=> (< y 0) (> (* y y) 0))"]),
    ("poly_simp", ["(= (* x (+ y 1)) (- (* y x) (- x)))"]),
    ("poly_simp", ["(= (- (- x)) x)"]),
    ("evaluate", ["(= (+ 2 (* 3 -1)) -1)"]),
    ("evaluate", ["(= (and true (not false) (< 1 2)) true)"]),
    ("aci_simp", ["(= (and q (and r q true)) (and r q))"]),
    ("aci_simp", ["(= (or false q) q)"]),
    ("and_simplify", ["(= (and q false r) false)"]),
    ("or_simplify", ["(= (or q true) true)"]),
    ("ac_simp", ["(= (or q (or r q)) (or q r))"]),
    ("rare_rewrite", ["(= (not (and q r)) (or (not q) (not r)))"], [], ['"bool-and-de-morgan"']),
    (
        "rare_rewrite",
        ["(= (not (or q r (p x))) (and (not q) (not (or r (p x)))))"],
        [],
        ['"bool-or-de-morgan"'],
    ),
    ("rare_rewrite", ["(= (or q r (not q)) true)"], [], ['"bool-or-taut2"']),
    ("rare_rewrite", ["(= (< x y) (not (>= x y)))"], [], ['"arith-elim-lt"']),
    ("qnt_rm_unused", ["(= (exists ((v Int)) q) q)"]),
    ("connective_def", ["(= (exists ((v Int)) (p v)) (not (forall ((v Int)) (not (p v)))))"]),
    (
        "miniscope_distribute",
        [
            "(= (forall ((v Int)) (and (p v) q))"
            "   (and (forall ((v Int)) (p v)) (forall ((v Int)) q)))"
        ],
    ),
    (
        "poly_simp_rel",
        ["(= (< x y) (< (* 2 x) (* 2 y)))"],
        [["(= (* 2 (- x y)) (* 1 (- (* 2 x) (* 2 y))))"]],
    ),
    ("poly_simp_rel", ["(= (= x y) (= y x))"], [["(= (* 1 (- x y)) (* -1 (- y x)))"]]),
    (
        "la_mult_abs_comparison",
        ["(> (abs (* x x)) (abs (* y y)))"],
        [["(> (abs x) (abs y))"], ["(> (abs x) (abs y))"]],
    ),
    (
        "la_mult_abs_comparison",
        ["(> (abs (* x y)) (abs (* y y)))"],
        [["(> (abs x) (abs y))"], ["(and (= (abs y) (abs y)) (not (= y 0)))"]],
    ),
    ("cong", ["(= (p x) (p y))"], [["(= x y)"]]),
    ("trans", ["(= x 3)"], [["(= x y)"], ["(= y 3)"]]),
    ("resolution", ["q"], [["q", "(not (not r))"], ["(not r)"]]),
    ("resolution", ["q"], [["q", "false"]]),
    ("contraction", ["q", "r"], [["q", "r", "q"]]),
    ("reordering", ["q", "r"], [["r", "q"]]),
    ("la_generic", ["(not (>= (* 2 x) 1))", "(>= x 1)"], [], ["1", "2"]),
    ("la_generic", ["(not (= x y))", "(not (= x (+ y 1)))"], [], ["1", "-1"]),
]
REFUSED = [
    ("la_mult_sign", ["(=> (and (> x 0) (< y 0)) (> (* x y) 0))"], "the other sign"),
    ("la_mult_sign", ["(=> (and (not (= x 0)) (< y 0)) (< (* x y) 0))"], "sign of x is open"),
    ("la_mult_sign", ["(=> (> x 0) (> (* x y) 0))"], "the sign of y is missing"),
    ("la_mult_sign", ["(=> (>= x 0) (> (* x x) 0))"], "(>= x 0) is no sign"),
    ("poly_simp", ["(= (* x y) (* x x))"], "the sides differ by 1 x y + -1 x x"),
    ("poly_simp", ["(= q q)"], "q is no number"),
    ("evaluate", ["(= (+ 2 2) 5)"], "the sides are 4 and 5"),
    ("evaluate", ["(= x 5)"], "x has no value of its own"),
    ("aci_simp", ["(= (and q r) (and q false))"], "the sides have other parts"),
    ("aci_simp", ["(= (and q r) (or q r))"], "the sides have other parts"),
    ("and_simplify", ["(= (and q r) false)"], "it is not false"),
    ("or_simplify", ["(= (or q r) true)"], "it is not true"),
    ("qnt_rm_unused", ["(= (exists ((v Int)) (p v)) (p x))"], "the body is another"),
    ("connective_def", ["(= (exists ((v Int)) q) (not (forall ((v Int)) q)))"], "no negation"),
    (
        "connective_def",
        ["(= (exists ((v Int)) (p v)) (not (forall ((v Int)) (not q))))"],
        "the body is another",
    ),
    (
        "connective_def",
        ["(= (exists ((v Int)) q) (not (forall ((w Int)) (not q))))"],
        "the variables are others",
    ),
    (
        "miniscope_distribute",
        ["(= (forall ((v Int)) (and (p v) q)) (and (forall ((v Int)) q) (forall ((v Int)) q)))"],
        "the parts are others",
    ),
    (
        "miniscope_distribute",
        ["(= (forall ((v Int)) (and q r)) (and (forall ((v Int)) q) (forall ((w Int)) r)))"],
        "the variables are others",
    ),
    (
        "miniscope_distribute",
        ["(= (forall ((v Int)) (or q r)) (or (forall ((v Int)) q) (forall ((v Int)) r)))"],
        "a side is no conjunction",
    ),
    ("ac_simp", ["(= (or q r) (or q q))"], "the sides have other parts"),
    (
        "rare_rewrite",
        ["(= (not (or q r)) (and q (not r)))"],
        "no negation",
        [],
        ['"bool-or-de-morgan"'],
    ),
    (
        "rare_rewrite",
        ["(= (not (or q r)) (or (not q) (not r)))"],
        "the operators are others",
        [],
        ['"bool-or-de-morgan"'],
    ),
    (
        "rare_rewrite",
        ["(= (not (and q r)) (or q (not r)))"],
        "no negation",
        [],
        ['"bool-and-de-morgan"'],
    ),
    ("rare_rewrite", ["(= (or q r) true)"], "it is no tautology", [], ['"bool-or-taut2"']),
    (
        "rare_rewrite",
        ["(= (< x y) (>= x y))"],
        "no instance of arith-elim-lt",
        [],
        ['"arith-elim-lt"'],
    ),
    ("rare_rewrite", ["(= q q)"], "the rewrite all is unknown", [], ['"all"']),
    (
        "poly_simp_rel",
        ["(= (< x y) (< y x))"],
        "the factors turn one",
        [["(= (* 1 (- x y)) (* -1 (- y x)))"]],
    ),
    (
        "poly_simp_rel",
        ["(= (= x y) (= y x))"],
        "a factor is 0",
        [["(= (* 0 (- x y)) (* 0 (- y x)))"]],
    ),
    (
        "poly_simp_rel",
        ["(= (= x y) (= x 3))"],
        "a difference is another",
        [["(= (* 1 (- x y)) (* 1 (- x 2)))"]],
    ),
    ("poly_simp_rel", ["(= q q)"], "one equation gives another"),
    ("la_mult_abs_comparison", ["(> (abs (* x x)) (abs (* y y)))"], "no sizes", [["(> x y)"]]),
    (
        "la_mult_abs_comparison",
        ["(> (abs (* x y)) (abs (* y y)))"],
        "compares no sizes",
        [["(> (abs x) (abs y))"], ["(= (abs y) (abs y))"]],
    ),
    (
        "la_mult_abs_comparison",
        ["(> (abs (* x y)) (abs y))"],
        "is not the product",
        [["(> (abs x) (abs y))"]],
    ),
    ("cong", ["(= (p x) (p y))"], "no premise has x = y", [["(= x 3)"]]),
    ("cong", ["(= (+ x y) (- x y))"], "the sides are other functions"),
    ("trans", ["(= x 3)"], "does not go on", [["(= x y)"], ["(= x 3)"]]),
    ("trans", ["(= x y)"], "it has no premise"),
    ("refl", ["(= x y)"], "the sides are different"),
    ("contraction", ["q"], "the literals are others", [["q", "r"]]),
    ("reordering", ["q", "q"], "the literals are others", [["q"]]),
    (
        "la_generic",
        ["(not (>= (* 2 x) 0))", "(>= x 1)"],
        "the sum is 0 >= 0, which holds",
        [],
        ["1", "2"],
    ),
    ("la_generic", ["(not (= x y))"], "the sum still has", [], ["1"]),
    ("la_generic", ["(not (= 1 1))"], "the sum is 0 = 0, which holds", [], ["1"]),
    ("la_generic", ["q"], "q is no inequality", [], ["1"]),
    ("la_generic", ["(not (= 1 2))"], "is no factor", [], ["q"]),
    ("and", ["r"], "it is another part of the premise", [["(and q r)"]], ["0"]),
    ("and", ["r"], "there is no place 2", [["(and q r)"]], ["2"]),
    ("and", ["q"], "the premise is no conjunction", [["(or q r)"]], ["0"]),
    ("or", ["q"], "the literals are others", [["(or q r)"]]),
    ("not_or", ["(not q)"], "it is another part", [["(not (or q r))"]], ["1"]),
    ("not_and", ["(not q)"], "the literals are others", [["(not (and q r))"]]),
    ("and_pos", ["(not (and q r))", "r"], "it is another part", [], ["0"]),
    ("or_neg", ["(or q r)", "(not r)"], "it is another part", [], ["0"]),
    ("and_neg", ["(and q r)", "(not q)"], "the parts are others"),
    ("or_pos", ["(not (or q r))", "q"], "the parts are others"),
    ("and_intro", ["(and q r)"], "the parts are others", [["q"], ["q"]]),
    ("true", ["false"], "no instance of the rule's scheme"),
]


def name(case):
    return f"{case[0]} {case[1]}"


@pytest.mark.parametrize("case", ACCEPTED, ids=name)
def test_a_step_that_is_sound_is_accepted(case):
    rule, *rest = case
    made = step(*rest)
    checker.RULES[rule](made)
    assert entailed(made.premises, made.conclusion) == "unsat"


@pytest.mark.parametrize("case", REFUSED, ids=name)
def test_a_step_that_is_not_its_rule_is_refused(case):
    rule, conclusion, says, *rest = case
    with pytest.raises(Wrong) as caught:
        checker.RULES[rule](step(conclusion, *rest))
    assert says in str(caught.value)
