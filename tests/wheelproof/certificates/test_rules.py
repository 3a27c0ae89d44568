"""The rules themselves: to Z3 each scheme is valid, and each step that the checker accepts."""

import random
import re

import pytest

from proofs import evidence
from proofs.arith import base, bounds, clock, code, levels, order, slots, timer_code
from proofs.elections import theory as elections
from proofs.kernel import Theory
from proofs.protocols import (
    delayed_operation_theory,
    several_conditions_theory,
    system_timer_theory,
    timer_task_list_theory,
)
from tests.nights import by_night
from tests.wheelproof.certificates.oracle import Judged, entailed
from tests.wheelproof.certificates.texts import ORDER, PROOF
from wheelproof.certificates import checker, logic, quantifiers, schemes
from wheelproof.certificates.expressions import Refused, Wrong, read
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
    ("distinct_elim", ["(= (distinct x y) (not (= x y)))"]),
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
    ("distinct_elim", ["(= (distinct x y) (= x y))"], "it is no negation"),
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


# -- certificates with random faults


certificate = evidence.certified
"""A condition's second text, and cvc5's proof of it."""


def faulty(random_, text, rule=""):
    """The certificate with a step of the rule changed in one place, and that step's line from 1."""
    lines = text.splitlines()
    steps = [number for number, line in enumerate(lines) if f":rule {rule}" in line]
    number = random_.choice(steps)
    tokens = re.findall(r"[()]|[^\s()]+", lines[number])
    place = random_.choice([at for at, each in enumerate(tokens) if at > 3 and each not in "()"])
    near = " ".join(lines[max(0, number - 3) : number + 4])
    names = sorted(set(re.findall(r"@p_\d+|a\d+|t\d+", near)))
    words = ["true", "false", "0", "1", "-1", "not", "and", "or", "<", "<=", ">=", "="]
    tokens[place] = random_.choice([each for each in names + words if each != tokens[place]])
    lines[number] = " ".join(tokens)
    return "\n".join(lines), number + 1


def judged(obligation, text):
    """The steps that are accepted, and the line of the first that is not; 0 for none."""
    checking = Judged(problem(obligation))
    try:
        checking.run(text)
    except Refused as refused:
        return checking.accepted, refused.line
    return checking.accepted, 0


def judge_faults(vc, many, rule=""):
    """How many of so many faults are refused in their line. Z3 judges what is accepted there."""
    random_ = random.Random(1)
    obligation, text = certificate(vc)
    assert not judged(obligation, text)[1]
    closing = set(re.findall(r"anchor :step (\S+?)[ )]", text))
    names = [(line.split()[1], ":rule" in line) for line in text.splitlines() if " " in line]
    refused = 0
    for _ in range(many):
        wrong, changed = faulty(random_, text, rule)
        accepted, line = judged(obligation, wrong)
        name = wrong.splitlines()[changed - 1].split()[2]
        if line == changed:
            refused += 1
        elif name not in closing:
            steps = [each for each, is_step in names if is_step and each not in closing]
            rule_, premises, conclusion = accepted[steps.index(name)]
            shown = rule_, wrong.splitlines()[changed - 1]
            assert entailed(premises, conclusion) != "sat", shown
    return refused


def condition(theory, name):
    return theory.theorems[name].vcs[-1]


@pytest.mark.parametrize(
    ("theory", "name", "many"),
    [
        (slots.THEORY, "T6", 10),
        by_night((slots.THEORY, "T4", 60)),
        by_night((base.THEORY, "mono", 40)),
        by_night((code.THEORY, "code-add", 40)),
        by_night((elections.THEORY, "E1", 60)),
        by_night((elections.THEORY, "E4", 60)),
    ],
    ids=lambda case: case.name if isinstance(case, Theory) else str(case),
)
def test_a_random_fault_of_a_certificate_is_refused_or_makes_no_difference(theory, name, many):
    assert judge_faults(condition(theory, name), many) > many // 2


def test_the_judge_notices_a_rule_that_accepts_too_much(monkeypatch):
    """The planted fault: `cong` asks for no premise."""
    monkeypatch.setitem(checker.RULES, "cong", lambda step: None)
    with pytest.raises(AssertionError, match="'cong'"):
        judge_faults(condition(slots.THEORY, "T6"), 12, "cong")


def test_the_judge_has_a_counterexample_to_a_claim_without_its_premises():
    accepted, line = judged(ORDER, PROOF)
    assert not line and [entailed(*each[1:]) for each in accepted] == ["unsat", "unsat"]
    assert entailed([], accepted[0][2]) == "unsat" and entailed([], accepted[1][2]) == "sat"


PLANTED = [
    ("coefficient", r"(:rule la_generic :args \()\S+", r"\g<1>7", r"\(la_generic\): the sum still"),
    ("step", r"\n\(step t\d+ \(cl @p_\d+\) :rule res.*", "", r"step t\d+ \(.*\): no step t"),
    ("premise", r"(:rule resolution :premises \()(\S+) (\S+)", r"\1\2 \2", r"\(resolution\): the"),
    ("assumption", r"\(>= t 1\)", "(>= t 2)", r"line 2, assume a0: the obligation does not"),
]


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case[0])
def test_a_planted_fault_of_a_solvers_certificate_is_refused_with_line_and_rule(case):
    """Of T4's first condition, which has sums of inequalities."""
    _, old, new, says = case
    obligation, text = certificate(slots.THEORY.theorems["T4"].vcs[0])
    assert Judged(problem(obligation)).run(text).rules["la_generic"] > 0
    wrong = re.sub(old, new, text, count=1)
    assert wrong != text
    with pytest.raises(Refused, match=says) as refused:
        Judged(problem(obligation)).run(wrong)
    assert refused.value.line > 1


def test_a_solvers_certificate_of_another_obligation_is_refused():
    conditions = slots.THEORY.theorems["T4"].vcs
    (obligation, _), (_, text) = certificate(conditions[0]), certificate(conditions[1])
    with pytest.raises(Refused, match=r"line \d+, assume a\d+: the obligation does not assert it"):
        Judged(problem(obligation)).run(text)


# -- all certificates of the project

THEORIES = [
    *(each.THEORY for each in (base, bounds, clock, code, levels, order, slots, timer_code)),
    elections.THEORY,
    several_conditions_theory.THEORY,
]
OTHERS = [
    (delayed_operation_theory.THEORY, "Inv.Blocking", "step unlocks"),
    (system_timer_theory.THEORY, "Inv.Buckets", "step polls_unlocked"),
    (timer_task_list_theory.THEORY, "Inv.OneReaper", "step is_cancelled"),
]
"""Conditions of the larger theories, for their rules: a night's verification has them all."""


@pytest.mark.nightly
def test_certificates_are_accepted_and_every_rule_is_used():
    made = [
        (theorem.name, vc)
        for theory in THEORIES
        for theorem in theory.theorems.values()
        for vc in (theorem.vcs if theorem.certified else ())
    ]
    for theory, name, condition_ in OTHERS:
        (vc,) = (each for each in theory.theorems[name].vcs if each.name == condition_)
        made.append((name, vc))
    used, rewrites, refused = set(), set(), []
    for name, vc in made:
        text, proof = certificate(vc)
        checking = Judged(problem(text))
        try:
            used |= checking.run(proof).rules.keys()
        except Refused as error:
            refused.append(f"{name}, {vc.name}: {error}")
        rewrites |= checking.rewrites
    assert refused == [] and len(made) > 100
    assert used == checker.RULES.keys() | quantifiers.CLOSING.keys()
    assert rewrites == schemes.REWRITES.keys() | logic.DE_MORGAN.keys() | {"bool-or-taut2"}
