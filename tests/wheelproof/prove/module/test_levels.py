"""Stacks by level: the first level is the outermost call's, and the innermost frame is read."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import z3

from tests.wheelproof.prove.module.expressed import entails
from wheelproof.prove.module import levels
from wheelproof.prove.module.levels import HEIGHT, PROCEDURE, RETURN, values
from wheelproof.prove.module.shapes import (
    INT,
    Function,
    Record,
    Vocabulary,
    Words,
    z3_sort,
)
from wheelproof.prove.module.stacks import Procedures
from wheelproof.prove.ts.system import WHOLE, Enumeration, sort

HAND = sort("Diver", "no_diver")
LABELS = Words(Enumeration("DiverLabel", "Nowhere A B"))
SHAPES = {"x": Function(HAND, INT), "pair": Function(HAND, Record({"n": INT, "who": HAND}))}
PROCEDURES = Procedures({"A": "dive", "B": ""}, {"dive": ("x", "pair", "unread")}, True)
WORDS = Vocabulary(threads=HAND, sets={"Hands": HAND}, variables={"pc": LABELS})
T, OTHER = HAND.consts("one other")
LEVEL = z3.Int("level")


def test_the_outermost_frame_is_the_first_level_and_a_frame_has_its_own_fields():
    inner, outer = {"pc": "B", "args": ("x", "y")}, {"pc": "A"}
    found = values(
        {"stack_pc": "label", "stack_args_2": "item"},
        {"a": (inner, outer), "b": ()},
        lambda shape, value: (shape, value),
    )
    assert found == {
        HEIGHT: {"a": 2, "b": 0},
        "stack_pc": {"a": {1: ("label", "A"), 2: ("label", "B")}, "b": {}},
        "stack_args_2": {"a": {2: ("item", "y")}, "b": {}},
    }


@pytest.fixture
def fields():
    return levels.fields("Pool", WORDS, PROCEDURES, SHAPES)


@pytest.fixture
def s():
    shapes = dict(levels.variables("Pool", WORDS, PROCEDURES, SHAPES))
    return SimpleNamespace(**{name: z3.Const(name, z3_sort(of)) for name, of in shapes.items()})


def test_a_frame_has_what_its_call_saves_and_where_it_returns_to(fields):
    procedure = fields.pop(PROCEDURE)
    assert procedure.of.values == ("nothing", "dive")
    assert fields == {
        RETURN: LABELS,
        "stack_x": INT,
        "stack_pair_n": INT,
        "stack_pair_who": HAND,
    }


def test_a_stack_is_a_height_and_a_field_on_each_level_for_each_thread(fields):
    shapes = dict(levels.variables("Pool", WORDS, PROCEDURES, SHAPES))
    assert shapes.pop(HEIGHT) == Function(HAND, INT)
    assert set(shapes) == set(fields)
    assert shapes["stack_pair_who"] == Function(HAND, Function(WHOLE, HAND))


def test_the_innermost_frame_is_that_at_the_threads_height(s):
    number = levels.innermost(s, "stack_x", SHAPES["x"])
    assert entails([], number[T] == s.stack_x[T][s.stack_height[T]])
    assert not entails([], number[T] == s.stack_x[T][s.stack_height[OTHER]])
    record = levels.innermost(s, "stack_pair", SHAPES["pair"])
    assert set(record) == {"n", "who"}
    for name, of in record.items():
        field = getattr(s, f"stack_pair_{name}")
        assert entails([], of[T] == field[T][s.stack_height[T]])


def changed(s, fields, popped, pushed):
    """The next values, and what must be there of every variable: by default what was."""
    made = levels.after(fields, s, T, popped, pushed)
    return {name: made.get(name, getattr(s, name)) for name in (HEIGHT, *fields)}, set(made)


def test_a_call_puts_a_frame_above_the_others(s, fields):
    procedure = fields[PROCEDURE]
    frame = {
        PROCEDURE: procedure.value("dive"),
        RETURN: LABELS.value("B"),
        "stack_x": z3.IntVal(7),
    }
    after, names = changed(s, fields, False, frame)
    height = s.stack_height[T]
    assert names == {HEIGHT, *frame}
    assert entails([], after[HEIGHT] == z3.Store(s.stack_height, T, height + 1))
    for name, value in frame.items():
        assert entails([], after[name][T][height + 1] == value)
        below = z3.Implies(height + 1 != LEVEL, after[name][T][LEVEL] == getattr(s, name)[T][LEVEL])
        assert entails([], below)
        assert entails([OTHER != T], after[name][OTHER] == getattr(s, name)[OTHER])


def test_a_return_leaves_a_blank_frame_where_the_innermost_was(s, fields):
    after, names = changed(s, fields, True, {})
    height = s.stack_height[T]
    assert names == {HEIGHT, *fields}
    assert entails([], after[HEIGHT] == z3.Store(s.stack_height, T, height - 1))
    blank = {
        PROCEDURE: fields[PROCEDURE].of.nothing,
        RETURN: LABELS.of.Nowhere,
        "stack_x": 0,
        "stack_pair_n": 0,
        "stack_pair_who": HAND.null,
    }
    for name, value in blank.items():
        assert entails([], after[name][T][height] == value)
        kept = z3.Implies(height != LEVEL, after[name][T][LEVEL] == getattr(s, name)[T][LEVEL])
        assert entails([], kept)


def test_a_return_that_calls_puts_its_frame_in_the_place_of_the_innermost(s, fields):
    frame = {PROCEDURE: fields[PROCEDURE].value("dive"), "stack_pair_n": z3.IntVal(3)}
    after, names = changed(s, fields, True, frame)
    height = s.stack_height[T]
    assert names == set(fields)
    assert entails([], after["stack_pair_n"][T][height] == 3)
    assert entails([], after["stack_x"][T][height] == 0)
    assert entails([], after[PROCEDURE][T][height] == fields[PROCEDURE].of.dive)


def test_a_step_that_neither_calls_nor_returns_sets_nothing(s, fields):
    assert changed(s, fields, False, {})[1] == set()
