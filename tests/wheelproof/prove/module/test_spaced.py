"""Sequences by places with gaps: what steps read and do, by terms, and what is refused."""

from __future__ import annotations

import pytest
import z3

from wheelproof.prove.module.shapes import BOOL, INT, Record, Vocabulary, flags, prefixed, spaced
from wheelproof.prove.module.systems import made
from wheelproof.prove.ts.system import sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

THREAD, ITEM = sort("Porter", null="no_porter"), sort("Parcel", null="no_parcel")
MARKS = flags("red blue")
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Items": ITEM},
    variables={
        "q": spaced(Record({"1": ITEM, "2": MARKS})),
        "p": spaced(ITEM),
        "x": ITEM,
        "n": INT,
        "flag": BOOL,
        "marks": MARKS,
        "pc": prefixed("PorterLabel", "at", "Nowhere A B Done"),
    },
)
NAMES = ("q", "p", "x", "n", "flag", "marks")
HEAD = "CONSTANTS Threads, Items, NULL\nVARIABLES q, p, x, n, flag, marks, pc, stack\n"
HITS = "Hits(s, e) == {i \\in DOMAIN s : s[i][1] = e}\n"
GOES = 'pc\' = [pc EXCEPT ![self] = "B"]'
OUT = "SubSeq(q, 1, n - 1) \\o SubSeq(q, n + 1, Len(q))"
BODIES = {
    "Appends": "q' = Append(q, <<x, {}>>)",
    "Selects": "q' = SelectSeq(q, LAMBDA y : y[1] # x)",
    "Marks": 'q\' = [i \\in DOMAIN q |-> IF q[i][1] = x THEN [q[i] EXCEPT ![2] = @ \\cup {"red"}] '
    "ELSE q[i]]",
    "Newest": "n' = IF Hits(q, x) = {} THEN 0 ELSE CHOOSE i \\in Hits(q, x) : "
    "\\A j \\in Hits(q, x) : j <= i",
    "Oldest": "n' = CHOOSE i \\in Hits(q, x) : \\A j \\in Hits(q, x) : i <= j",
    "OfNewest": "x' = IF Hits(q, x) = {} THEN x ELSE q[CHOOSE i \\in Hits(q, x) : "
    "\\A j \\in Hits(q, x) : j <= i][1]",
    "Trusts": "x' = q[n][1]",
    "Takes": f"q' = {OUT}",
    "Chains": "q' = [i \\in DOMAIN SelectSeq(q, LAMBDA y : y[1] # x) |-> "
    "SelectSeq(q, LAMBDA y : y[1] # x)[i]]",
    "Changes": "q' = [q EXCEPT ![n] = <<x, {}>>]",
    "Names": "p' = [i \\in DOMAIN q |-> q[i][1]]",
    "IsIn": "flag' = (n \\in Hits(q, x))",
    "Every": "flag' = \\A i \\in DOMAIN q : q[i][1] = x",
    "Some": "flag' = \\E i \\in Hits(q, x) : i > n",
    "More": "flag' = (Cardinality(Hits(q, x)) > Cardinality(Hits(q, q[n][1])))",
    "Fewer": "flag' = (Len(SelectSeq(q, LAMBDA y : y[1] # x)) < Len(q))",
    "Flags": 'flag\' = ("red" \\in marks /\\ "blue" \\notin marks) /\\ marks\' = {}',
    "Unflags": 'marks\' = marks \\ {"red"}',
}
REFUSED = {
    "Length": ("n' = Len(q)", "Len of module Sequences"),
    "Joins": ("q' = SubSeq(q, 1, n) \\o SubSeq(q, n + 1, Len(q))", "sequences that are joined"),
    "Middle": ("n' = CHOOSE i \\in Hits(q, x) : \\A j \\in Hits(q, x) : j # i", "CHOOSE"),
    "Each": (
        "q' = SelectSeq(q, LAMBDA y : Hits(q, y[1]) = {})",
        "a choice for each value of a bound name",
    ),
    "EachItem": (
        "flag' = \\A e \\in Items : Hits(q, e) = {}",
        "a choice for each value of a bound name",
    ),
    "Green": ('marks\' = marks \\cup {"green"}', '"green" in a set of other strings'),
}


def text(body: str) -> str:
    same = ", ".join(each for each in NAMES if f"{each}'" not in body)
    return (
        f'{HEAD}{HITS}A(self) ==\n  /\\ pc[self] = "A"\n  /\\ {body}\n'
        f"  /\\ {GOES} /\\ UNCHANGED <<{same}, stack>>\n"
        'B(self) ==\n  /\\ pc[self] = "B" /\\ pc\' = [pc EXCEPT ![self] = "Done"]\n'
        f"  /\\ UNCHANGED <<{', '.join(NAMES)}, stack>>\n"
        "Next == \\E self \\in Threads : A(self) \\/ B(self)\n"
    )


@pytest.fixture(scope="module")
def written(modules):
    bodies = BODIES | {name: body for name, (body, _) in REFUSED.items()}
    return modules({f"Spaced{name}": text(body) for name, body in bodies.items()})


@pytest.fixture
def step(written):
    """A function: name -> the system, its symbols, and the step of A."""

    def taken(name):
        of = made(name, export.load(written[f"Spaced{name}"]), WORDS)()
        return of, of.symbols(), of.step("A_to_B", of.symbols())[1]

    return taken


P, Q = z3.Ints("some_place other_place")


def entails(premises, goal) -> bool:
    solver = z3.Solver()
    solver.add(*premises, z3.Not(goal))
    return solver.check() == z3.unsat


def test_an_element_is_appended_behind_all_others_with_an_empty_set(step):
    _, s, taken = step("Appends")
    has, item = taken.updates["q_has"], taken.updates["q_item_1"]
    new = z3.And(has[P], 1 <= P, z3.Not(s.q_has[P]))
    assert entails([*taken.guards, new], item[P] == s.x)
    assert entails([*taken.guards, new, s.q_has[Q], 1 <= Q], Q < P)
    for mark in ("red", "blue"):
        assert entails([*taken.guards, new], z3.Not(taken.updates[f"q_item_2_{mark}"][P]))
    assert entails([*taken.guards, s.q_has[Q], 1 <= Q], z3.And(has[Q], item[Q] == s.q_item_1[Q]))


def test_what_is_selected_keeps_its_place(step):
    _, s, taken = step("Selects")
    has = taken.updates["q_has"]
    kept = z3.And(s.q_has[P], s.q_item_1[P] != s.x)
    assert set(taken.updates) == {"q_has", "pc"}
    assert entails([*taken.guards, 1 <= P], has[P] == kept)


def test_a_field_is_set_at_each_place_that_the_test_holds_of(step):
    _, s, taken = step("Marks")
    assert set(taken.defined) == {"q_item_2_red"}
    red = taken.updates["q_item_2_red"]
    assert entails(taken.guards, red[P] == z3.Or(s.q_item_2_red[P], s.q_item_1[P] == s.x))


@pytest.mark.parametrize(("name", "before"), [("Newest", True), ("Oldest", False)])
def test_the_last_place_and_the_first_one_differ(step, name, before):
    _, s, taken = step(name)
    hit = [1 <= P, s.q_has[P], s.q_item_1[P] == s.x]
    found = taken.updates["n"]
    assert entails([*taken.guards, *hit], P <= found if before else found <= P)
    assert not entails([*taken.guards, *hit], P == found)
    assert entails([*taken.guards, *hit], z3.And(s.q_has[found], s.q_item_1[found] == s.x))


def test_where_no_place_is_there_the_other_value_is_taken(step):
    of, s, taken = step("OfNewest")
    assert entails(taken.guards, taken.updates.get("x", s.x) == s.x)
    assert all(entails([*taken.guards, T != THREAD.null], e) for e in of.obligations("A_to_B"))


T = z3.Const("t!", THREAD.z3)


def test_a_place_must_be_one_that_the_sequence_has(step):
    for name in ("Trusts", "Takes"):
        of, s, _ = step(name)
        has = [1 <= s.n, s.q_has[s.n]]
        assert all(entails(has, each) for each in of.obligations("A_to_B"))
        assert not any(entails(has[:1], each) for each in of.obligations("A_to_B"))


def test_an_element_is_taken_out_and_no_other_moves(step):
    _, s, taken = step("Takes")
    has = taken.updates["q_has"]
    assert set(taken.updates) == {"q_has", "pc"}
    assert entails(taken.guards, z3.And(z3.Not(has[s.n]), z3.Or(P == s.n, has[P] == s.q_has[P])))


def test_a_sequence_of_a_sequence_is_read(step):
    of, s, taken = step("Chains")
    kept = z3.And(s.q_has[P], s.q_item_1[P] != s.x)
    assert entails([*taken.guards, 1 <= P], taken.updates["q_has"][P] == kept)
    assert not of.obligations("A_to_B")


def test_the_element_at_a_place_is_changed_alone(step):
    of, s, taken = step("Changes")
    item = taken.updates["q_item_1"]
    assert "q_has" not in taken.updates
    assert entails(
        taken.guards, z3.And(item[s.n] == s.x, z3.Or(P == s.n, item[P] == s.q_item_1[P]))
    )
    has = [1 <= s.n, s.q_has[s.n]]
    assert all(entails(has, obligation) for obligation in of.obligations("A_to_B"))
    assert not all(entails(has[:1], obligation) for obligation in of.obligations("A_to_B"))


def test_elements_become_those_of_another_set(step):
    _, s, taken = step("Names")
    here = [*taken.guards, s.q_has[P]]
    assert entails(
        here, z3.And(taken.updates["p_has"][P], taken.updates["p_item"][P] == s.q_item_1[P])
    )
    assert entails([*taken.guards, z3.Not(s.q_has[P])], z3.Not(taken.updates["p_has"][P]))


def test_a_place_is_in_a_set_of_places_where_it_has_the_property(step):
    _, s, taken = step("IsIn")
    hit = z3.And(1 <= s.n, s.q_has[s.n], s.q_item_1[s.n] == s.x)
    assert entails(taken.guards, taken.updates["flag"] == hit)


def test_quantifiers_are_over_the_places_of_a_sequence_or_some_of_them(step):
    _, s, taken = step("Every")
    every = z3.ForAll([P], z3.Implies(z3.And(1 <= P, s.q_has[P]), s.q_item_1[P] == s.x))
    assert entails(taken.guards, taken.updates["flag"] == every)
    _, s, taken = step("Some")
    hit = z3.And(1 <= P, s.q_has[P], s.q_item_1[P] == s.x)
    assert entails(taken.guards, taken.updates["flag"] == z3.Exists([P], z3.And(hit, P > s.n)))


def test_a_set_of_places_is_greater_than_none_and_none_is_greater_than_another(step):
    """Of two that have elements both may be so."""
    _, s, taken = step("More")
    flag, item = taken.updates["flag"], s.q_item_1
    hit = z3.And(1 <= P, s.q_has[P], item[P] == s.x)
    no_other = z3.ForAll([Q], z3.Not(z3.And(1 <= Q, s.q_has[Q], item[Q] == item[s.n])))
    none = z3.ForAll([Q], z3.Not(z3.And(1 <= Q, s.q_has[Q], item[Q] == s.x)))
    assert entails([*taken.guards, hit, no_other], flag)
    assert entails([*taken.guards, none], z3.Not(flag))
    both = [*taken.guards, hit, s.n == P]
    assert not entails(both, flag)
    assert not entails(both, z3.Not(flag))


def test_a_sequence_of_which_nothing_is_left_is_shorter(step):
    _, s, taken = step("Fewer")
    every = z3.ForAll([Q], z3.Implies(z3.And(1 <= Q, s.q_has[Q]), s.q_item_1[Q] == s.x))
    here = z3.And(1 <= P, s.q_has[P])
    assert entails([*taken.guards, every, here], taken.updates["flag"])
    assert not entails([*taken.guards, here], taken.updates["flag"])


def test_a_set_of_strings_is_a_truth_value_for_each(step):
    _, s, taken = step("Flags")
    assert entails([], taken.updates["flag"] == z3.And(s.marks_red, z3.Not(s.marks_blue)))
    assert all(entails([], z3.Not(taken.updates[f"marks_{each}"])) for each in ("red", "blue"))
    _, _, taken = step("Unflags")
    assert entails([], z3.Not(taken.updates["marks_red"])) and "marks_blue" not in taken.updates


@pytest.mark.parametrize("name", REFUSED)
def test_another_use_of_the_order_or_of_strings_is_refused_with_its_place(step, name):
    with pytest.raises(
        OutsideSubset, match=rf"module Spaced{name}, line \d+: .*{REFUSED[name][1]}"
    ):
        step(name)
