"""Quantifiers at any depth as instances, or as new constants, in premises and in goals."""

from __future__ import annotations

import pytest
import z3
from z3 import And, Exists, ForAll, Implies, Not, Or

from wheelproof.prove.ts import instances as ts_instances
from wheelproof.prove.ts.instances import (
    Deep,
    Instances,
    core,
    cores,
    deeply_grounded,
    needed,
    refuting,
)
from wheelproof.prove.ts.instances import refutes as entail
from wheelproof.prove.ts.system import Condition, System, array, sort

NODE = sort("DeepNode", null="no_deep_node")
X, Y = NODE.consts("x y")
A, B = NODE.consts("a b")
RED, BLUE = (z3.Const(name, array(NODE, z3.BoolSort())) for name in ("red", "blue"))
NEXT = z3.Const("next", array(NODE, NODE, z3.BoolSort()))
P, Q = z3.Bools("p q")
NEW = z3.Const("f!0", NODE.z3)


def new(path):
    return z3.Const(f"f{path}!0", NODE.z3)


FORMS = {
    "plain": (RED[A], RED[A], RED[A]),
    "all": (ForAll([X], RED[X]), And(RED[A], RED[B]), RED[NEW]),
    "some": (Exists([X], RED[X]), RED[NEW], Or(RED[A], RED[B])),
    "not all": (Not(ForAll([X], RED[X])), Not(RED[new("n")]), Not(And(RED[A], RED[B]))),
    "not some": (Not(Exists([X], RED[X])), Not(Or(RED[A], RED[B])), Not(RED[new("n")])),
    "not not all": (Not(Not(ForAll([X], RED[X]))), And(RED[A], RED[B]), RED[new("nn")]),
    "and": (
        And(P, ForAll([X], RED[X]), Exists([X], BLUE[X])),
        And(P, RED[A], RED[B], BLUE[new(".2")]),
        And(P, RED[new(".1")], Or(BLUE[A], BLUE[B])),
    ),
    "or": (
        Or(P, ForAll([X], RED[X]), Exists([X], BLUE[X])),
        Or(P, And(RED[A], RED[B]), BLUE[new(".2")]),
        Or(P, RED[new(".1")], BLUE[A], BLUE[B]),
    ),
    "implies": (
        Implies(ForAll([X], RED[X]), ForAll([X], BLUE[X])),
        Implies(RED[new("p")], And(BLUE[A], BLUE[B])),
        Implies(And(RED[A], RED[B]), BLUE[new("c")]),
    ),
    "if some": (
        Implies(Exists([X], RED[X]), P),
        Implies(Or(RED[A], RED[B]), P),
        Implies(RED[new("p")], P),
    ),
    "all have some": (
        ForAll([X], Exists([Y], NEXT[X][Y])),
        And(NEXT[A][new("_0")], NEXT[B][new("_1")]),
        Or(NEXT[NEW][A], NEXT[NEW][B]),
    ),
    "some has all": (
        Exists([X], ForAll([Y], NEXT[X][Y])),
        And(NEXT[NEW][A], NEXT[NEW][B]),
        Or(NEXT[A][new("_0")], NEXT[B][new("_1")]),
    ),
    "two": (
        ForAll([X, Y], NEXT[X][Y]),
        And(NEXT[A][A], NEXT[A][B], NEXT[B][A], NEXT[B][B]),
        NEXT[NEW][z3.Const("f!1", NODE.z3)],
    ),
}
"""Name -> a formula, what it is as a premise, and as a goal, at the terms a and b."""


def same(one, other):
    return entail([], one == other)


@pytest.mark.parametrize("name", FORMS)
def test_a_formula_has_instances_or_new_constants_by_its_side(name):
    formula, premise, goal = FORMS[name]
    assert same(Deep({"DeepNode": [A, B]}).premise(formula, "f"), premise)
    assert same(Deep({"DeepNode": [A, B]}).goal(formula, "f"), goal)


@pytest.mark.parametrize(
    "formula",
    [P == ForAll([X], RED[X]), z3.If(P, ForAll([X], RED[X]), Q), z3.Xor(P, Exists([X], RED[X]))],
    ids=["iff", "if", "xor"],
)
def test_a_quantifier_that_is_on_both_sides_stays_as_it_is(formula):
    deep = Deep({"DeepNode": [A, B]})
    assert deep.premise(formula, "f").eq(formula) and deep.goal(formula, "f").eq(formula)
    assert deep.made == {}


def test_the_new_constants_are_known_by_their_sort():
    deep = Deep({"DeepNode": [A]})
    deep.goal(ForAll([X, Y], NEXT[X][Y]), "g")
    assert [str(each) for each in deep.made["DeepNode"].values()] == ["g!0", "g!1"]


class Nodes(System):
    SORTS = (NODE,)
    VARIABLES = {"red": array(NODE, z3.BoolSort())}


def condition(premises, goal):
    return Condition("c", "step", premises, goal)


def test_a_condition_is_taken_at_the_terms_of_its_instances_too():
    """Who is next to some node is found only at the constant that the first premise gives."""
    premises = {
        "guard": RED[A],
        "has a next": ForAll([X], Implies(RED[X], Exists([Y], NEXT[X][Y]))),
        "is blue": ForAll([X, Y], Implies(NEXT[X][Y], BLUE[Y])),
    }
    made = deeply_grounded(Nodes(), condition(premises, Exists([X], BLUE[X])))
    assert not any(map(z3.is_quantifier, made.premises.values()))
    assert entail(list(made.premises.values()), made.goal)
    smaller = core(made)
    assert set(smaller.premises) == set(premises)
    for name in premises:
        rest = [of for other, of in made.premises.items() if other != name]
        assert not entail(rest, made.goal)
    assert core(condition({"guard": RED[A]}, RED[B])) is None


@pytest.fixture
def unproved(monkeypatch):
    """A function: so many searches find no proof first."""

    def fail(times):
        left = [None] * times

        def found(formulas, goal):
            return left.pop() if left else refuting(formulas, goal)

        monkeypatch.setattr(ts_instances, "refuting", found)

    return fail


PREMISES = {"guard": RED[A], "has a next": ForAll([X], Exists([Y], NEXT[X][Y]))}
WANTED = condition(PREMISES, Exists([Y], NEXT[A][Y]))


def test_a_proof_from_instances_has_their_numbers():
    made, numbers = needed(Nodes(), WANTED)
    assert numbers == [(1, 0, 0, 0)] and list(made.premises) == ["has a next"]


def test_instances_of_inner_quantifiers_have_no_numbers(unproved):
    unproved(1)
    made, numbers = needed(Nodes(), WANTED)
    assert numbers == [] and list(made.premises) == ["has a next"]
    assert not z3.is_quantifier(made.premises["has a next"])
    assert entail(list(made.premises.values()), made.goal)


def test_where_no_instances_are_enough_the_premises_stay(unproved):
    unproved(2)
    made, numbers = needed(Nodes(), WANTED)
    assert numbers == [] and made.goal.eq(z3.simplify(WANTED.goal))
    assert any(PREMISES["has a next"].eq(each) for each in made.premises["has a next"].children())


def test_a_proof_names_the_formulas_that_it_needs():
    assert sorted(refuting([P, Implies(P, Q), RED[A]], Q)) == [0, 1]
    assert refuting([P, RED[A]], Q) is None


def test_goals_have_the_instances_that_they_need_and_what_does_not_follow_is_named():
    premises = {
        "all red": ForAll([X], RED[X]),
        "all blue": ForAll([X], BLUE[X]),
        "late": ForAll([X, Y], NEXT[X][Y]),
    }
    goals = {
        "a is red": RED[A],
        "each is blue": ForAll([X], BLUE[X]),
        "a is next to itself": NEXT[A][A],
        "not b": Not(RED[B]),
    }
    used, goal, missing = cores(Nodes(), premises, goals, late=("late",))
    (any_node,) = NODE.consts("any_DeepNode_1")
    assert missing == ["not b"]
    assert same(goal, And(RED[A], BLUE[any_node], NEXT[A][A]))
    assert {name: str(of) for name, of in used.items()} == {
        "all red": "[red[a]]",
        "all blue": "[blue[any_DeepNode_1]]",
        "late": "[next[a][a]]",
    }


def test_a_hint_is_a_further_term_and_a_name_may_have_terms_of_its_own():
    hidden = z3.If(P, A, B)
    premises = {"all": ForAll([X], Implies(RED[X], Q)), "it": RED[hidden]}
    assert cores(Nodes(), premises, {"q": Q})[2] == ["q"]
    assert cores(Nodes(), premises, {"q": Q}, hints=[hidden])[2] == []
    assert cores(Nodes(), premises, {"q": Q}, hints=[hidden], only={"x": [A]})[2] == ["q"]
    assert cores(Nodes(), premises, {"q": Q}, only={"x": [hidden]})[2] == []


def test_instances_are_made_once_for_all_that_have_a_premise():
    every = ForAll([X], RED[X])
    first = Instances({"all": every})
    beside = first.beside({"all": every, "p": P})
    (one,) = first.at(["all"], {"DeepNode": [A]}, {})
    again = [*beside.at(["all", "p"], {"DeepNode": [A, B]}, {})]
    assert [(name, str(of)) for name, of in again] == [
        ("all", "red[a]"),
        ("all", "red[b]"),
        ("p", "p"),
    ]
    assert again[0][1] is one[1] and len(first.made) == 2
