"""A condition's ground terms, its goal for arbitrary elements, and instances by their numbers."""

from __future__ import annotations

import pytest
import z3
from z3 import And, Exists, ForAll, Implies, Or

from wheelproof.prove.ts.ground import Ground, arbitrary, fresh, grounded, parts, taken_at, terms_of
from wheelproof.prove.ts.system import Condition, System, array, sort

PORT, SHIP = sort("GroundPort", null="no_port"), sort("GroundShip")
X, Y = PORT.consts("x y")
(S,) = SHIP.consts("s")
A, B = PORT.consts("a b")
OPEN = z3.Const("open", array(PORT, z3.BoolSort()))
TO = z3.Const("to", array(PORT, PORT))
AT = z3.Const("at", array(SHIP, PORT))
P, Q = z3.Bools("p q")


class Harbour(System):
    SORTS = (PORT, SHIP)


def texts(formulas):
    return [str(each) for each in formulas]


def test_the_parts_of_a_formula_are_its_conjuncts_at_any_depth():
    assert texts(parts(And(P, And(Q, Or(P, Q)), OPEN[A]))) == ["p", "q", "Or(p, q)", "open[a]"]


def test_the_first_variable_of_a_quantifier_gets_the_first_value():
    assert str(taken_at(ForAll([X, Y], TO[X] == Y), [A, B])) == "to[a] == b"


@pytest.mark.parametrize(
    ("goal", "made"),
    [
        (ForAll([X], OPEN[X]), "And(open[any_GroundPort_1])"),
        (Implies(P, ForAll([X], OPEN[X])), "And(Implies(p, open[any_GroundPort_1]))"),
        (Exists([X], OPEN[X]), "And(Exists(x, open[x]))"),
        (Implies(P, Q), "And(Implies(p, q))"),
        (
            And(ForAll([X, Y, S], And(TO[X] == Y, AT[S] == X)), ForAll([Y], OPEN[Y]), Q),
            "And(And(to[any_GroundPort_1] == any_GroundPort_2,"
            " at[any_GroundShip_1] == any_GroundPort_1), open[any_GroundPort_1], q)",
        ),
    ],
    ids=["all", "if", "some", "plain", "parts"],
)
def test_a_goal_is_about_arbitrary_elements(goal, made):
    assert " ".join(str(arbitrary(goal)).split()) == made


def test_new_constants_are_numbered_by_their_sort():
    made = fresh(ForAll([X, S, Y], OPEN[X]), "new")
    assert texts(made) == ["new_GroundPort_1", "new_GroundShip_1", "new_GroundPort_2"]


def test_terms_are_constants_and_variables_at_such_terms():
    formula = And(
        OPEN[TO[A]],
        AT[S] == z3.If(P, A, B),
        ForAll([X], OPEN[TO[X]]),
        z3.Store(TO, A, B)[B] == B,
    )
    found = terms_of([formula], {"GroundPort": PORT.z3, "GroundShip": SHIP.z3, "Other": P.sort()})
    assert sorted(texts(found["GroundPort"])) == ["a", "at[s]", "b", "to[a]"]
    assert texts(found["GroundShip"]) == ["s"] and found["Other"] == []


CONDITION = Condition(
    "c",
    "step",
    {
        "guard of a": OPEN[A],
        "all lead on": And(P, ForAll([X], And(OPEN[TO[X]], TO[X] != X))),
        "some leads back": Exists([X], TO[X] == A),
        "nowhere": ForAll([X], Implies(X == PORT.null, OPEN[X])),
    },
    OPEN[TO[A]],
)


@pytest.fixture
def ground():
    return Ground(Harbour(), CONDITION)


def test_each_premise_is_taken_at_each_term_in_the_order_of_the_texts(ground):
    assert texts(ground.terms["GroundPort"]) == ["to[a]", "a", "no_port"]
    made = [(each.premise, each.number, str(each.formula)) for each in ground.instances()]
    assert made[:4] == [
        ("guard of a", (0, 0, 0), "open[a]"),
        ("all lead on", (1, 0, 0), "p"),
        ("all lead on", (1, 1, 0, 0), "open[to[to[a]]]"),
        ("all lead on", (1, 1, 0, 1), "to[to[a]] != to[a]"),
    ]
    assert ("all lead on", (1, 1, 1, 0), "open[to[a]]") in made
    assert ("nowhere", (3, 0, 2, 0), "Implies(no_port == no_port, open[no_port])") in made
    (there,) = [each for each in made if each[0] == "some leads back"]
    assert there[2] == "to[some_some_leads_back_0_GroundPort_1] == a"
    assert len(made) == 1 + 1 + 3 * 2 + 1 + 3


def test_instances_are_found_again_by_their_numbers(ground):
    every = [*ground.instances()]
    again = ground.chosen([each.number for each in every])
    assert [each.number for each in again] == [each.number for each in every]
    assert all(one.formula.eq(other.formula) for one, other in zip(again, every, strict=True))


@pytest.mark.parametrize(
    "number",
    [(4, 0, 0), (1, 2, 0), (1, 1, 3, 0), (1, 1, 0, 2), (1, 1, 0), (1, 0, 0, 0)],
    ids=["premise", "part", "term", "conjunct", "terms too few", "terms too many"],
)
def test_a_number_of_no_instance_is_noticed(ground, number):
    assert ground.chosen([(0, 0, 0), number]) is None


def test_a_grounded_condition_has_the_instances_alone_or_the_premises_beside_them():
    made = grounded(Harbour(), CONDITION)
    assert not any(z3.is_quantifier(each) for of in made.premises.values() for each in parts(of))
    assert str(made.goal) == "open[to[a]]" and made.premises["guard of a"].eq(OPEN[A])
    whole = grounded(Harbour(), CONDITION, whole=True)
    quantified = [
        name for name, of in whole.premises.items() if any(map(z3.is_quantifier, parts(of)))
    ]
    assert quantified == ["all lead on", "some leads back", "nowhere"]


def test_a_hint_is_a_further_term():
    made = grounded(Harbour(), CONDITION, hints=[B])
    assert "open[to[b]]" in texts(parts(made.premises["all lead on"]))
