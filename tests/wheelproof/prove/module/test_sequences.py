"""Sequences with places: the first element is read and taken, and places are quantified over."""

from __future__ import annotations

import pytest
import z3

from wheelproof.prove.module.shapes import BOOL, INT, Padded, Vocabulary, prefixed, sequence
from wheelproof.prove.module.systems import made
from wheelproof.prove.ts.system import sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

THREAD, ITEM = sort("Porter", "no_porter"), sort("Trunk", "no_trunk")
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Items": ITEM},
    variables={
        "q": sequence(ITEM),
        "done": sequence(ITEM),
        "numbers": sequence(INT),
        "labelled": sequence(Padded({"1": ITEM, "2": BOOL})),
        "x": ITEM,
        "flag": BOOL,
        "pc": prefixed("PorterLabel", "at", "Nowhere A B Done"),
    },
)
NAMES = ("q", "done", "numbers", "labelled", "x", "flag")
HEAD = f"CONSTANTS Threads, Items, NULL\nVARIABLES {', '.join(NAMES)}, pc, stack\n"
BODIES = {
    "Takes": "q # <<>> /\\ x' = Head(q) /\\ q' = Tail(q)",
    "Trusts": "x' = Head(q)",
    "TrustsTail": "q' = Tail(q)",
    "Turns": "q # <<>> /\\ q' = Append(Tail(q), Head(q))",
    "Same": "flag' = \\A i \\in DOMAIN done : i \\in DOMAIN q /\\ done[i] = q[i]",
    "Numbers": "numbers' = Tail(numbers)",
    "Puts": "labelled' = Append(labelled, <<x, flag>>)",
    "Labelled": "x' = Head(labelled)[1] /\\ labelled' = Tail(labelled)",
}


@pytest.fixture(scope="module")
def written(modules):
    texts = {}
    for name, body in BODIES.items():
        same = ", ".join(each for each in NAMES if f"{each}'" not in body)
        texts[f"Sequence{name}"] = (
            f'{HEAD}A(self) == /\\ pc[self] = "A" /\\ {body}\n'
            f'/\\ pc\' = [pc EXCEPT ![self] = "B"] /\\ UNCHANGED <<{same}, stack>>\n'
            'B(self) == /\\ pc[self] = "B" /\\ pc\' = [pc EXCEPT ![self] = "Done"]\n'
            f"/\\ UNCHANGED <<{', '.join(NAMES)}, stack>>\n"
            "Next == \\E self \\in Threads : A(self) \\/ B(self)\n"
        )
    return modules(texts)


@pytest.fixture
def step(written):
    """A function: name -> the system, its symbols, and the step of A."""

    def taken(name):
        of = made(name, export.load(written[f"Sequence{name}"]), WORDS)()
        return of, of.symbols(), of.step("A_to_B", of.symbols())[1]

    return taken


def entails(premises, goal) -> bool:
    solver = z3.Solver()
    solver.add(*premises, z3.Not(goal))
    return solver.check() == z3.unsat


def test_the_first_element_is_taken_and_each_other_moves_to_the_place_before(step):
    of, s, taken = step("Takes")
    after = taken.updates["q_item"]
    place = z3.Int("some_place")
    assert entails(taken.guards, taken.updates["x"] == s.q_item[1])
    assert entails(taken.guards, taken.updates["q_length"] == s.q_length - 1)
    within = z3.And(1 <= place, place < s.q_length)
    assert entails([*taken.guards, within], after[place] == s.q_item[place + 1])
    assert entails([*taken.guards, place >= s.q_length], after[place] == ITEM.null)
    assert not entails(taken.guards, after[place] == s.q_item[place + 1])
    assert all(entails([*taken.guards, s.q_length >= 0], each) for each in of.obligations("A_to_B"))


def test_each_part_of_a_tuple_moves_to_the_place_before(step):
    of, s, taken = step("Labelled")
    parts = taken.updates["labelled_item_1"], taken.updates["labelled_item_2"]
    before, place = (s.labelled_item_1, s.labelled_item_2), z3.Int("some_place")
    within = z3.And(1 <= place, place < s.labelled_length)
    assert entails(taken.guards, taken.updates["x"] == s.labelled_item_1[1])
    assert entails(taken.guards, taken.updates["labelled_length"] == s.labelled_length - 1)
    for part, old, blank in zip(parts, before, (ITEM.null, z3.BoolVal(False)), strict=True):
        assert entails([*taken.guards, within], part[place] == old[place + 1])
        assert entails([*taken.guards, place >= s.labelled_length], part[place] == blank)
        assert not entails([*taken.guards, within], part[place] == old[place])
    assert not all(entails([], each) for each in of.obligations("A_to_B"))
    assert all(entails([s.labelled_length > 0], each) for each in of.obligations("A_to_B"))


@pytest.mark.parametrize("name", ["Trusts", "TrustsTail"])
def test_a_sequence_must_have_the_element_that_is_read_or_taken(step, name):
    of, s, _ = step(name)
    assert not all(entails([], each) for each in of.obligations("A_to_B"))
    assert all(entails([s.q_length > 0], each) for each in of.obligations("A_to_B"))


def test_a_tuple_that_looks_like_none_is_refused(step):
    """Where there is no tuple, its places are blank."""
    of, s, _ = step("Puts")
    assert all(entails([s.x != ITEM.null], obligation) for obligation in of.obligations("A_to_B"))
    assert not all(entails([], obligation) for obligation in of.obligations("A_to_B"))


def test_what_was_first_can_be_last(step):
    _, s, taken = step("Turns")
    after = taken.updates["q_item"]
    assert entails([*taken.guards, s.q_length > 0], after[s.q_length] == s.q_item[1])
    assert entails([*taken.guards, s.q_length > 1], after[1] == s.q_item[2])
    assert "q_length" not in taken.updates


def test_a_formula_holds_at_each_place(step):
    of, s, taken = step("Same")
    place, holds = z3.Int("some_place"), taken.updates["flag"]
    within = z3.And(1 <= place, place <= s.done_length)
    same = z3.And(place <= s.q_length, s.done_item[place] == s.q_item[place])
    assert entails([holds, within], same)
    assert not entails([holds], same)
    assert entails([z3.ForAll([place], z3.Implies(within, same))], holds)
    # A place is looked up only where it is in the other sequence's domain too.
    assert all(entails([], each) for each in of.obligations("A_to_B"))


def test_a_tail_of_what_is_of_no_set_is_refused_with_its_place(step):
    with pytest.raises(OutsideSubset, match=r"module SequenceNumbers, line \d+: Tail of a sequ"):
        step("Numbers")
