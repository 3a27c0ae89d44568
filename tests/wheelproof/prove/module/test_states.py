"""Values of the compiled module as the system's, and how far the whole numbers of one go."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from wheelproof.prove.module.levels import DEEPEST
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Padded,
    Pairs,
    Record,
    Subset,
    Tickets,
    Vocabulary,
    Words,
    pair,
    partial,
    prefixed,
    sequence,
    single,
)
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled
from wheelproof.prove.ts.system import WHOLE, Enumeration, sort

HAND, ITEM, SHELF = sort("Sorter", "no_sorter"), sort("Card", "no_card"), sort("Slot", "no_slot")
COLOUR = prefixed("SorterColour", "in", "None red", null="None")
PLAIN = Words(Enumeration("SorterOrder", "lift put"))
CELL = Record({"n": INT, "who": HAND})
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM, "1..Slots": SHELF},
    numbered={"Slot": lambda s: s.Slots},
    nulls=frozenset(["none"]),
    variables={},
)


@pytest.fixture
def placed():
    """A system's values at a size, without the system."""
    made = Placed.__new__(Placed)
    made.words, made.null = WORDS, "NULL"
    made.elements = {"Sorter": ("a", "b"), "Card": ("c", "d"), "Slot": (1, 2)}
    return made


PARTS = {
    "a number": (INT, 3, {"": 3}),
    "a truth": (BOOL, True, {"": True}),
    "an element": (ITEM, "c", {"": "c"}),
    "null": (ITEM, "NULL", {"": None}),
    "a string for null": (ITEM, "none", {"": None}),
    "a number of a set": (SHELF, 2, {"": 2}),
    "no number of a set": (SHELF, 0, {"": None}),
    "zero": (INT, 0, {"": 0}),
    "a word": (COLOUR, "red", {"": "in_red"}),
    "a word for null": (COLOUR, "NULL", {"": "in_None"}),
    "a plain word": (PLAIN, "lift", {"": "lift"}),
    "a set": (Subset(ITEM), ("c",), {"": {"c": True}}),
    "tickets": (Tickets(HAND), (("a",), ("a", "b")), {"": {"a": True, "b": True}}),
    "pairs": (
        Pairs(HAND, ITEM),
        (("a", "c"), ("a", "d"), ("b", "c")),
        {"": {"a": {"c": True, "d": True}, "b": {"c": True}}},
    ),
    "a bag": (Bag(ITEM), ("c", "d", "c"), {"": {"c": 2, "d": 1}}),
    "a function": (Function(ITEM, INT), {"c": 1, "d": 2}, {"": {"c": 1, "d": 2}}),
    "a function of numbers": (Function(SHELF, ITEM), ("c", "NULL"), {"": {1: "c", 2: None}}),
    "a record": (CELL, {"n": 1, "who": "a"}, {"_n": 1, "_who": "a"}),
    "a pair": (pair(INT, ITEM), (1, "NULL"), {"_1": 1, "_2": None}),
    "a short tuple": (Padded({"1": INT, "2": ITEM}), (1,), {"_1": 1}),
    "a sequence of tuples": (
        sequence(Padded({"1": INT, "2": ITEM})),
        ((1,), (2, "c")),
        {"_length": 2, "_item_1": {1: 1, 2: 2}, "_item_2": {2: "c"}},
    ),
    "a full tuple": (Padded({"1": INT, "2": ITEM}), (1, "c"), {"_1": 1, "_2": "c"}),
    "a function to records": (
        Function(ITEM, CELL),
        {"c": {"n": 1, "who": "a"}, "d": {"n": 2, "who": "NULL"}},
        {"_n": {"c": 1, "d": 2}, "_who": {"c": "a", "d": None}},
    ),
    "a function to short tuples": (
        Function(ITEM, Padded({"1": INT, "2": ITEM})),
        {"c": (1,), "d": (2, "c")},
        {"_1": {"c": 1, "d": 2}, "_2": {"d": "c"}},
    ),
    "a partial function": (
        partial(ITEM, INT),
        {"c": 1},
        {"_has": {"c": True}, "_value": {"c": 1}},
    ),
    "a sequence": (sequence(ITEM), ("c", "NULL"), {"_length": 2, "_item": {1: "c", 2: None}}),
    "a sequence of records": (
        sequence(CELL),
        ({"n": 1, "who": "a"},),
        {"_length": 1, "_item_n": {1: 1}, "_item_who": {1: "a"}},
    ),
    "one element": (single(ITEM), ("c",), {"_has": True, "_item": "c"}),
    "no element": (single(ITEM), (), {"_has": False}),
    "one record": (
        single(CELL),
        ({"n": 1, "who": "a"},),
        {"_has": True, "_item_n": 1, "_item_who": "a"},
    ),
}
"""Name -> a shape, a value of the module, and the system's by what the variables end in."""


@pytest.mark.parametrize("name", PARTS)
def test_a_value_of_the_module_is_one_for_each_flat_variable(placed, name):
    shape, value, parts = PARTS[name]
    assert placed.parts(shape, value) == parts
    assert placed.named("v", shape, value) == {f"v{suffix}": of for suffix, of in parts.items()}


def test_what_a_program_has_is_of_a_shape_or_null(placed):
    assert [placed.fits(ITEM, each) for each in ("c", "NULL", "a")] == [True, True, False]
    assert [placed.fits(PLAIN, each) for each in ("put", "c", 1)] == [True, False, False]
    assert placed.fits(INT, 1)


@pytest.fixture(scope="module")
def sized(ring, system):
    """A function: the recursion, further elements -> the system at a scenario's size."""
    of = system()
    compiled, program = Compiled(of), ring.scenarios["expire_cancel"]
    model, constants = ring.compiled_model(program), ring.constants_of(program)

    def made(added=None):
        return Placed(compiled, model, constants, added or {})

    return SimpleNamespace(made=made, constants=constants, of=of)


def test_whole_numbers_go_from_0_to_the_step_behind_the_longest_program(sized):
    (name,) = [each for each in sized.of.WORDS.constants if each == "Program"]
    longest = max(map(len, sized.constants[name].values()))
    placed = sized.made()
    assert placed.elements[WHOLE.name] == range(longest + 2)
    assert placed.instance.decode(WHOLE.z3, longest + 1) == longest + 1
    assert sized.made({WHOLE.name: (0, 7)}).elements[WHOLE.name] == (0, 7)


def test_whole_numbers_reach_the_levels_of_the_deepest_stack(sized, monkeypatch):
    deep = replace(sized.of.PROCEDURES, recursive=True)
    monkeypatch.setattr(type(sized.of), "PROCEDURES", deep)
    assert sized.made().elements[WHOLE.name] == range(DEEPEST)
