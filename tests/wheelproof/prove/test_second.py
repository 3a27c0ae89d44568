"""The second text of a condition: what cvc5 makes of it, and each fault of it that is noticed."""

import random
import re

import pytest
import z3

from proofs.several_conditions.theory import THEORY
from tools import certificates
from wheelproof.certificates.checker import check
from wheelproof.prove import evidence, kernel, second, solvers
from wheelproof.prove.kernel import VC
from wheelproof.prove.second import axioms, back
from wheelproof.prove.ts.system import Enumeration, array, sort

THREAD = sort("SecondThread")
PLACE = Enumeration("SecondPlace", "Idle Busy Done")
T, U, V = THREAD.consts("t u v")
AT = z3.Const("at", array(THREAD, PLACE))
OWNS = z3.Const("owns", array(THREAD, THREAD, z3.BoolSort()))
COUNT = z3.Const("count", array(THREAD, z3.IntSort()))

MOVED = z3.Store(AT, T, PLACE.Busy)
STEP = VC(
    "step",
    {"is idle": AT[T] == PLACE.Idle, "is done": AT[U] == PLACE.Done},
    z3.And(MOVED[U] == PLACE.Done, MOVED[T] == PLACE.Busy),
)
LEFT = VC(
    "left",
    {"not idle": AT[T] != PLACE.Idle, "not done": z3.Not(PLACE.Done == AT[T])},
    AT[T] == PLACE.Busy,
)
OTHER = VC("other", {"is idle": AT[T] == PLACE.Idle}, MOVED[U] == AT[U])
"""It does not hold: u may be t."""


def denied(vc):
    return {**vc.premises, "the goal, denied": z3.Not(vc.goal)}


@pytest.mark.parametrize("vc", [STEP, LEFT], ids=lambda vc: vc.name)
def test_a_condition_with_places_and_arrays_has_a_certificate(vc):
    text, proof = evidence.certified(vc)
    assert check(text, proof).steps > 10
    assert "Array" not in text and "datatype" not in text
    assert solvers.second_opinion(text) == "unsat"


def test_all_values_are_added_where_the_text_needs_them():
    light, whole = (second.script(denied(LEFT), whole) for whole in (False, True))
    assert solvers.second_opinion(light) == "sat" and solvers.second_opinion(whole) == "unsat"
    with pytest.raises(solvers.NotRefuted, match="says sat"):
        solvers.certificate(light)
    assert evidence.certified(LEFT)[0] == whole
    assert evidence.certified(STEP)[0] == second.script(denied(STEP))


def test_what_has_a_counterexample_stays_satisfiable():
    text = second.script(denied(OTHER), whole=True)
    assert solvers.second_opinion(text) == "sat"
    with pytest.raises(solvers.NotRefuted):
        evidence.certified(OTHER)


def test_nested_arrays_and_quantifiers_are_written():
    own = z3.Store(OWNS, T, z3.Store(OWNS[T], U, z3.And(AT[T] == PLACE.Idle, COUNT[T] > 0)))
    nothing = z3.K(THREAD.z3, z3.IntVal(-1))
    kept = VC(
        "kept",
        {
            "each owns itself": z3.ForAll([V], OWNS[V][V]),
            "t and u": z3.Distinct(T, U),
            "alike": COUNT == z3.Store(nothing, U, 2),
        },
        z3.And(own[V][V], z3.If(V == U, COUNT[V] > 1, COUNT[V] == -1)),
    )
    text, proof = evidence.certified(kept)
    assert check(text, proof).steps > 10 and "forall ((v.0 SecondThread))" in text


# -- what the text says


@pytest.mark.parametrize("vc", [STEP, LEFT, OTHER], ids=lambda vc: vc.name)
def test_a_text_says_what_its_condition_says(vc):
    for whole in (False, True):
        assert back.differs(second.script(denied(vc), whole), denied(vc)) == ""


DONE = "(assert (= (select.SecondThread->SecondPlace at u) SecondPlace.Done))"
TEXTS = [
    ("a dropped premise", DONE, "", "lacks is done"),
    ("a denied premise", DONE, f"(assert (not {DONE[8:]})", "lacks is done"),
    ("another thread", DONE, DONE.replace("at u", "at t"), "lacks is done"),
    ("another value", DONE, DONE.replace("Done", "Busy"), "lacks is done"),
    ("a goal that is not denied", "(not (and", "(=> true (and", "lacks the goal, denied"),
    ("another goal", "(not (and", "(not (or", "lacks the goal, denied"),
    (
        "a premise of its own",
        "(check-sat)",
        "(assert (= t u))\n(check-sat)",
        "asserts what need not hold: (= t u)",
    ),
    (
        "equal values",
        "(check-sat)",
        "(assert (= SecondPlace.Idle SecondPlace.Done))\n(check-sat)",
        "asserts what need not hold: (= SecondPlace.Idle SecondPlace.Done)",
    ),
    ("an unknown symbol", "at u) SecondPlace.Done", "at w) SecondPlace.Done", "w is unknown"),
    (
        "another symbol",
        "(check-sat)",
        "(declare-fun rank (SecondPlace) Bool)\n(assert (rank SecondPlace.Done))\n(check-sat)",
        "rank stands for nothing in the condition",
    ),
    ("no question", "(check-sat)", "", "cannot be read: line 1: the obligation does not ask"),
]


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case[0])
def test_a_changed_text_is_refused_by_what_is_wrong(case):
    _, old, new, says = case
    text = second.script(denied(STEP))
    assert old in text and says in back.differs(text.replace(old, new, 1), denied(STEP))


# -- faults of what writes the text


def equal_values(nodes):
    yield from (each.arguments[0] for each in honest["values"](nodes))


def too_few_values(nodes, roots):
    for each in honest["exhausted"](nodes, roots):
        yield nodes.logical("or", *each.arguments[1:])


def another_place(reads, array, place):
    if array.kind == "store":
        reads._hold(reads.nodes.equal(reads.nodes.select(array, place), array.arguments[2]))
    honest["_read"](reads, array, place)


honest = {
    "values": axioms.values,
    "exhausted": axioms.exhausted,
    "_read": axioms.Reads._read,
}
WRITERS = [
    (axioms, "values", equal_values, STEP),
    (axioms, "exhausted", too_few_values, LEFT),
    (axioms.Reads, "_read", another_place, STEP),
]


@pytest.mark.parametrize("case", WRITERS, ids=lambda case: case[2].__name__)
def test_a_formula_that_does_not_hold_of_values_or_arrays_is_refused(case, monkeypatch):
    owner, name, planted, vc = case
    monkeypatch.setattr(owner, name, planted)
    with pytest.raises(solvers.SolverError, match="the second text asserts what need not hold: "):
        evidence.certified(vc)


def test_equal_values_refute_a_control_and_are_noticed(monkeypatch):
    """The control has a counterexample; its text with the planted fault has none."""
    control = kernel.refuted(OTHER, "u may be t", lambda model: "")
    assert control.find(0).second == "sat"
    monkeypatch.setattr(axioms, "values", equal_values)
    monkeypatch.setattr(axioms.Reads, "_read", another_place)
    assert control.find(0).second == "unsat"
    theory = kernel.Theory("toy", "thing")
    theory.theorem("T", "toy", [STEP], [control])
    assert "the solvers disagree, cvc5 says unsat" in theory.check("T", seeds=1).why


def test_a_theorem_whose_text_is_refused_has_no_certificate(monkeypatch, tmp_path):
    theory = kernel.Theory("toy", "thing")
    theory.theorem("T", "toy", [STEP], is_lemma=True)
    theory.check("T", seeds=1, folder=tmp_path)
    (made,) = evidence.certificates(theory.theorems["T"], tmp_path)
    assert made.proof and made.text.name == "T.step.second.smt2" and made.why == ""
    monkeypatch.setattr(axioms, "values", equal_values)
    (made,) = evidence.certificates(theory.theorems["T"], tmp_path)
    assert made.proof is None and "(= SecondPlace.Idle SecondPlace.Busy)" in made.why


# -- what has no such text

PAIR = z3.Datatype("SecondPair")
PAIR.declare("pair", ("first", z3.IntSort()))
PAIR = PAIR.create()
P = z3.Const("place", PLACE.z3)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        (z3.Const("p", PAIR) == PAIR.pair(1), "SecondPair is no enumeration"),
        (z3.ForAll([P], P == PLACE.Idle), "a quantifier over an enumeration"),
        (z3.Lambda([T], COUNT[T]) == COUNT, "a lambda has no second text"),
        (z3.Real("x") == 1, "the sort Real has no second text"),
        (z3.ToReal(z3.Int("x")) > 1, "the sort Real|to_real"),
    ],
)
def test_what_has_no_second_text_is_named(formula, says):
    with pytest.raises(solvers.SolverError, match=says):
        second.script({"it": formula})


def test_names_that_are_taken_get_a_sign_more():
    text = second.script(
        {"it": z3.And(z3.Bool("and"), z3.Int("and") > 0, z3.Int("a b") > z3.Int("select.x"))}
    )
    assert "(declare-fun and~ () Bool)" in text and "(declare-fun and~~ () Int)" in text
    assert "|a b|" in text and "~select.x" in text
    assert back.differs(text, {"it": z3.And(z3.Bool("and"), z3.Int("and") > 0)}) != ""
    assert solvers.second_opinion(text) == "sat"


# -- conditions of the project


def formulas(made, many):
    """Formulas over the toy's symbols, at random."""

    def thread():
        return made.choice([T, U, V, z3.If(made.choice(atoms())(), T, U)])

    def atoms():
        return [
            lambda: (
                z3.Select(made.choice([AT, z3.Store(AT, T, PLACE.Busy)]), made.choice([T, U]))
                == made.choice([PLACE.Idle, PLACE.Busy, PLACE.Done])
            ),
            lambda: made.choice([T, U]) == made.choice([U, V]),
            lambda: OWNS[T][made.choice([U, V])],
            lambda: COUNT[U] + made.choice([1, -2]) * COUNT[T] < 3,
            lambda: z3.ForAll([V], z3.Implies(OWNS[T][V], AT[V] != PLACE.Idle)),
        ]

    for _ in range(many):
        parts = [made.choice(atoms())() for _ in range(4)]
        yield z3.Or(z3.And(parts[0], parts[1]), z3.Not(parts[2]), parts[3], AT[thread()] == P)


def test_random_formulas_are_written_as_what_they_are_and_random_faults_are_refused():
    made = random.Random(1)
    refused = 0
    for formula in formulas(made, 12):
        text = second.script({"it": formula}, whole=True)
        assert back.differs(text, {"it": formula}) == ""
        tokens = re.split(r"(?<=[\s()])|(?=[\s()])", text)
        begins = tokens.index("assert")
        places = [n for n, each in enumerate(tokens) if n > begins and re.search(r"\w", each)]
        place = made.choice(places)
        known = [each for each in {tokens[n] for n in places} if each != tokens[place]]
        tokens[place] = made.choice(sorted(known))
        wrong = "".join(tokens)
        if back.differs(wrong, {"it": formula}):
            refused += 1
        else:
            same = z3.parse_smt2_string(wrong), z3.parse_smt2_string(text)
            assert str(entailed(*map(z3.And, map(list, same)))) == "unsat"
    assert refused > 6


def entailed(one, other):
    solver = z3.Solver()
    solver.add(one != other)
    return solver.check()


def test_the_certificates_of_a_protocols_theorem_are_counted(tmp_path, monkeypatch):
    """By night a run has those of all theorems of the fast profile."""
    found = certificates.count(THEORY.theorems["P9.Conditions"], tmp_path)
    assert (found.accepted, found.faults) == (4, []) and found.steps > 100
    assert found.line().startswith("protocols.several_conditions P9.Conditions: 4 of 4, ")
    assert len([*tmp_path.rglob("P9.Conditions.*.second.alethe")]) == 4
    monkeypatch.setattr(axioms, "values", equal_values)
    lacking = certificates.count(THEORY.theorems["P9.Conditions"], tmp_path)
    assert lacking.accepted == 0
    reasons = [" asserts what need not hold: (= WatchPlace." in fault for fault in lacking.faults]
    assert sum(reasons) == 3  # without the false equation cvc5 has no proof of the fourth


def test_theorems_are_chosen_by_their_names_those_of_theories_or_because_they_are_certified():
    made = kernel.Theory("toy", "thing")
    made.theorem("T", "toy", [STEP], is_lemma=True)
    made.theorem("U", "toy", [STEP], is_lemma=True, certified="nightly")
    for names, found in (([], "U"), (["T"], "T"), (["toy"], "TU"), (["V"], "")):
        assert "".join(each.name for each in certificates.select([made], names)) == found
