"""cvc5's certificates: faults of them are refused, or Z3 finds the changed step valid too."""

import random
import re

import pytest
import z3

from proofs.arith import base, bounds, clock, code, levels, order, queue_code, slots, timer_code
from proofs.delayed_operation import theory as delayed_operation_theory
from proofs.elections import theory as elections
from proofs.heap import counting
from proofs.several_conditions import theory as several_conditions_theory
from proofs.system_timer import theory as system_timer_theory
from proofs.timer_task_list import theory as timer_task_list_theory
from tests.nights import by_night
from tests.wheelproof.certificates.oracle import Judged, entailed
from tests.wheelproof.certificates.texts import ORDER, PROOF
from wheelproof.certificates import checker, logic, quantifiers, schemes
from wheelproof.certificates.expressions import Refused
from wheelproof.certificates.problem import problem
from wheelproof.prove import evidence
from wheelproof.prove.kernel import VC, Theory

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
        by_night((several_conditions_theory.THEORY, "P9.Conditions", 40)),
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
    *(
        each.THEORY
        for each in (base, bounds, clock, code, levels, order, queue_code, slots, timer_code)
    ),
    elections.THEORY,
    counting.THEORY,
    several_conditions_theory.THEORY,
]
OTHERS = [
    (delayed_operation_theory.THEORY, "Inv.Blocking", "step unlocks"),
    (system_timer_theory.THEORY, "Inv.Buckets", "step polls_unlocked"),
    (system_timer_theory.THEORY, "P10", "queued_once"),
    (timer_task_list_theory.THEORY, "P2", "exactly_its_list"),
    (timer_task_list_theory.THEORY, "Inv.OneReaper", "step is_cancelled"),
]
"""Conditions of the larger theories, for their rules: a night's verification has them all."""

IF_TRUE = VC("if true", {"it": z3.Implies(z3.BoolVal(True), z3.Bool("q"))}, z3.Bool("q"))
"""For a rewrite that cvc5 uses or not as the rest of a condition has it."""


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
    made.append(("toy", IF_TRUE))
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
