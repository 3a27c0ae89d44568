"""Sequences as counts: what is read of them, what is refused, and obligations with a condition."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import z3

from wheelproof.prove.module import unions
from wheelproof.prove.module.shapes import BOOL, INT, Bag, Function, Vocabulary, Words
from wheelproof.prove.module.systems import made
from wheelproof.prove.ts.system import Enumeration, sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

THREAD, ITEM, PLACE = sort("Hand", "no_hand"), sort("Item", "no_item"), sort("Shelf", "no_shelf")
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Items": ITEM, "1..Shelves": PLACE},
    numbered={"Shelf": lambda s: s.Shelves},
    constants={"Shelves": INT},
    variables={
        "q": Bag(ITEM),
        "rows": Function(ITEM, Bag(ITEM)),
        "x": ITEM,
        "n": PLACE,
        "marked": Function(ITEM, BOOL),
        "flag": BOOL,
        "pc": Words(Enumeration("HandLabel", "Nowhere A B Done")),
    },
)
HEAD = """
CONSTANTS Threads, Items, Shelves, NULL
VARIABLES q, rows, x, n, marked, flag, pc, stack
"""
TAIL = """
B(self) == /\\ pc[self] = "B" /\\ pc' = [pc EXCEPT ![self] = "Done"]
           /\\ UNCHANGED <<q, rows, x, n, marked, flag, stack>>
Next == \\E self \\in Threads : A(self) \\/ B(self)
"""


def step(same: str, body: str) -> str:
    same = same if "rows" in same or "rows'" in body else f"{same}, rows"
    goes = 'pc\' = [pc EXCEPT ![self] = "B"]'
    return (
        f'{HEAD}A(self) == /\\ pc[self] = "A" /\\ {body}\n'
        f"/\\ {goes} /\\ UNCHANGED <<{same}, stack>>\n{TAIL}"
    )


REFUSED = {
    "another": ("n' = x", "where another set's element is needed"),
    "second": ("x' = q[2]", "a value of unknown shape, applied,"),
    "length": ("x' = IF Len(q) > 1 THEN x ELSE NULL", "Len of module Sequences"),
    "picks": ("q' = SelectSeq(q, LAMBDA y : y = x)", "SelectSeq that takes out"),
    "places": ("flag' = \\E i \\in DOMAIN q : i > 1", "this use of a sequence's places"),
    "beyond": ("x' = Head(Tail(q))", "the first element of a sequence that is no variable"),
    "each": (
        "flag' = \\A i \\in Items : rows[i] # <<>>",
        "a choice for each value of a bound name",
    ),
    "tails": (
        "rows' = [i \\in Items |-> IF rows[i] = <<>> THEN rows[i] ELSE Tail(rows[i])]",
        "a choice for each value of a bound name",
    ),
    "members": ("n' = IF Cardinality({x}) > 1 THEN n ELSE 0", "Cardinality of module FiniteSets"),
}
READ = {
    "Takes": step("n, marked, flag", "q # <<>> /\\ x' = Head(q) /\\ q' = Tail(q)"),
    "Without": step("x, n, marked, flag", "q' = SelectSeq(q, LAMBDA y : y # x)"),
    "Asks": step("q, x, n, marked", "flag' = (q # <<>> /\\ marked[q[1]])"),
    "AsksFirst": step("q, x, n, marked", "flag' = (marked[q[1]] /\\ q # <<>>)"),
    "Counts": step("q, x, n, marked", "flag' = (Cardinality({i \\in DOMAIN q : q[i] = x}) > 1)"),
    "Indexed": step("q, n, marked, flag", "rows[x] # <<>> /\\ x' = Head(rows[x])"),
    "Next": step("q, x, marked, flag", "n' = n + 1"),
}


@pytest.fixture(scope="module")
def written(modules):
    names = ("q", "x", "n", "marked", "flag", "rows")
    refused = {}
    for name, (body, _) in REFUSED.items():
        same = ", ".join(each for each in names if f"{each}'" not in body)
        refused[f"RefusedBag_{name}"] = step(same, body)
    return modules(refused | {f"Bag{name}": text for name, text in READ.items()})


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_the_order_is_refused_with_its_place(written, name):
    with pytest.raises(OutsideSubset, match=rf"module RefusedBag_{name}, line \d+: ") as refused:
        made("Refused", export.load(written[f"RefusedBag_{name}"]), WORDS)
    assert REFUSED[name][1] in str(refused.value)


def system(written, name):
    return made(name, export.load(written[f"Bag{name}"]), WORDS)()


def entails(premises, goal) -> bool:
    solver = z3.Solver()
    solver.add(*premises, z3.Not(goal))
    return solver.check() == z3.unsat


def test_a_first_element_is_a_choice_that_is_there(written):
    of = system(written, "Takes")
    assert list(of.actions()["A_to_B"].parameters) == ["t", "first_q"]
    assert of.actions()["A_to_B"].parameters["first_q"].nullable
    s = of.symbols()
    values, taken = of.step("A_to_B", s)
    first = values["first_q"]
    assert entails(taken.guards, s.q[first] > 0)
    assert entails(taken.guards, taken.updates["q"][first] == s.q[first] - 1)
    assert taken.updates["x"].eq(first)
    assert not entails(taken.guards, s.q[first] > 1)


def test_a_sequence_at_an_index_has_a_first_element_too(written):
    of = system(written, "Indexed")
    s = of.symbols()
    values, taken = of.step("A_to_B", s)
    first = values["first_rows"]
    assert entails(taken.guards, s.rows[s.x][first] > 0)
    assert taken.updates["x"].eq(first)


def test_selection_takes_out_every_place_of_one_element(written):
    of = system(written, "Without")
    s = of.symbols()
    _, taken = of.step("A_to_B", s)
    other = z3.Const("other", ITEM.z3)
    assert entails([], taken.updates["q"][s.x] == 0)
    assert entails([other != s.x], taken.updates["q"][other] == s.q[other])


def test_places_are_counted(written):
    of = system(written, "Counts")
    s = of.symbols()
    _, taken = of.step("A_to_B", s)
    assert entails([], taken.updates["flag"] == (s.q[s.x] > 1))


def test_what_stands_behind_a_condition_obliges_only_where_it_holds(written):
    behind, before = system(written, "Asks"), system(written, "AsksFirst")
    first = z3.Const("first_q!", ITEM.z3)
    assert all(entails([], each) for each in behind.obligations("A_to_B"))
    assert not all(entails([], each) for each in before.obligations("A_to_B"))
    assert all(entails([first != ITEM.null], each) for each in before.obligations("A_to_B"))


def test_numbers_that_begin_with_zero_have_an_element_for_it():
    """Otherwise zero is the null's."""
    words = replace(WORDS, from_zero=frozenset(["Shelf"]))
    s = SimpleNamespace(**{name: z3.Const(name, of) for name, of in words.arrays().items()})
    s.Shelves = z3.Int("Shelves")
    zero = s.Int_as_Shelf[0]
    with_zero, without = [*unions.given(words, s)], [*unions.given(WORDS, s)]
    assert entails([*with_zero, s.Shelves >= 0], zero != PLACE.null)
    assert entails([*with_zero, s.Shelves >= 0], s.Shelf_as_Int[zero] == 0)
    assert entails([*without, s.Shelves >= 0], zero == PLACE.null)
    assert entails([*with_zero, s.Shelves < 0], zero == PLACE.null)
    assert words.zero_is_null(ITEM) is words.zero_is_null(PLACE) is False
    assert WORDS.zero_is_null(PLACE)


def test_a_number_beyond_the_last_element_is_an_obligation(written):
    of = system(written, "Next")
    s = of.symbols()
    (obliged,) = [each for each in of.obligations("A_to_B") if "Int_as_Shelf" in str(each)]
    given = [*of.given(s), s.n != PLACE.null]
    at_next = WORDS.numbered_at(PLACE, s.Shelf_as_Int[s.n] + 1, s)
    assert entails([*given, at_next, s.Shelf_as_Int[s.n] < s.Shelves], obliged)
    assert not entails([at_next, s.n != PLACE.null], obliged)
