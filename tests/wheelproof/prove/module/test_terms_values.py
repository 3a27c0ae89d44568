"""The value of each form of expression as a term, what it obliges to, and what has no value."""

from __future__ import annotations

import pytest
import z3

from tests.wheelproof.prove.module.expressed import Expressed, entails
from wheelproof.prove.arithmetic import POWER, div, mod, mul
from wheelproof.prove.module.scopes import Frames
from wheelproof.prove.module.sets import size
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Padded,
    Record,
    Subset,
    Vocabulary,
    Words,
    flags,
    named_element,
    pair,
    partial,
    prefixed,
    sequence,
    single,
)
from wheelproof.prove.module.values import equal
from wheelproof.prove.ts.system import Enumeration, sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

HAND, ITEM, TOOL = sort("Smith", "no_smith"), sort("Nail", "no_nail"), sort("Tong", "no_tong")
SHELF, THING = sort("Rack", "no_rack"), sort("Ware", "no_ware")
COLOUR = prefixed("SmithColour", "in", "None red blue", null="None")
ORDER = Words(Enumeration("SmithOrder", "forge cool"))
LABEL = Enumeration("SmithLabel", "Nowhere A B")
CELL = Record({"n": INT, "on": BOOL})
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM, "Tools": TOOL, "Things": THING, "1..Racks": SHELF},
    unions={"Ware": (ITEM, TOOL)},
    numbered={"Rack": lambda s: s.Racks},
    nulls=frozenset(["none"]),
    elements={"?": HAND},
    constants={
        "Racks": INT,
        "Named": INT,
        "Program": Listing(HAND, {1: (ORDER,), 2: (ITEM,), 0: (TOOL,)}),
    },
    variables={
        **dict.fromkeys(["x", "y"], INT),
        **dict.fromkeys(["p", "r"], BOOL),
        **dict.fromkeys(["item", "item2"], ITEM),
        "tool": TOOL,
        "thing": THING,
        "rack": SHELF,
        "colour": COLOUR,
        "order": ORDER,
        "marks": flags("red blue"),
        "cell": CELL,
        "cells": Function(ITEM, CELL),
        "row": Function(ITEM, INT),
        "grid": Function(ITEM, Function(HAND, INT)),
        "seq": sequence(ITEM),
        "some": partial(ITEM, INT),
        "marked": Subset(ITEM),
        "bag": Bag(ITEM),
        "two": pair(INT, BOOL),
        "three": Padded({"1": INT, "2": INT, "3": BOOL}),
        "one": single(ITEM),
        "pc": Words(LABEL),
    },
)
HEAD = (
    "CONSTANTS Hands, Items, Tools, Things, Racks, Program, NULL\n"
    f"VARIABLES {', '.join(WORDS.variables)}, stack\n"
    "Named == 3\nSame(e) == e\nLess(d, e) == d < e\nRow == row\nCells == cells\nFew == {1, y}\n"
)
SELF = HAND.consts("self")[0]


def choice(condition, one, other):
    return {name: z3.If(condition, one[name], other[name]) for name in one}


VALUES = {
    # -- of a wanted shape
    "NullOfASet": ("NULL", ITEM, lambda s: ITEM.null),
    "NullWord": ("NULL", COLOUR, lambda s: COLOUR.of.in_None),
    "NothingOfNumbers": ("0", SHELF, lambda s: SHELF.null),
    "ZeroOfNumbers": ("0", INT, lambda s: 0),
    "Word": ('"red"', COLOUR, lambda s: COLOUR.of.in_red),
    "PlainWord": ('"cool"', ORDER, lambda s: ORDER.of.cool),
    "NoElement": ('"none"', ITEM, lambda s: ITEM.null),
    "NamedElement": ('"?"', HAND, lambda s: z3.Const(named_element("?"), HAND.z3)),
    "Argument": ("Same(Same(x))", INT, lambda s: s.x),
    "ArgumentOfNoShape": ("Same(NULL)", ITEM, lambda s: ITEM.null),
    "Chosen": ("IF p THEN item ELSE NULL", ITEM, lambda s: z3.If(s.p, s.item, ITEM.null)),
    "Cased": (
        "CASE p -> 1 [] r -> 2 [] OTHER -> 3",
        INT,
        lambda s: z3.If(s.p, z3.IntVal(1), z3.If(s.r, z3.IntVal(2), z3.IntVal(3))),
    ),
    "ChosenRecord": (
        "IF p THEN cell ELSE [on |-> r, n |-> x]",
        CELL,
        lambda s: choice(s.p, {"n": s.cell_n, "on": s.cell_on}, {"n": s.x, "on": s.r}),
    ),
    "NoFlags": ("{}", flags("red blue"), lambda s: dict.fromkeys(["red", "blue"], False)),
    "NoPlaces": (
        "<<>>",
        sequence(ITEM),
        lambda s: {"length": 0, "item": z3.Const("no_Nails", z3.ArraySort(z3.IntSort(), ITEM.z3))},
    ),
    "NoElementKept": ("<<>>", single(ITEM), lambda s: {"has": False, "item": ITEM.null}),
    "OneKept": ("<<item>>", single(ITEM), lambda s: {"has": True, "item": s.item}),
    "Pair": ("<<x, p>>", pair(INT, BOOL), lambda s: {"1": s.x, "2": s.p}),
    "Full": (
        "<<x, y, p>>",
        Padded({"1": INT, "2": INT, "3": BOOL}),
        lambda s: {"1": s.x, "2": s.y, "3": s.p},
    ),
    "Short": (
        "<<x, y>>",
        Padded({"1": INT, "2": INT, "3": BOOL}),
        lambda s: {"1": s.x, "2": s.y, "3": False},
    ),
    "Ordered": (
        "Program[self][x][1]",
        ORDER,
        lambda s: s.Program_1_word[SELF][s.x],
    ),
    "OrderedItem": ("Program[self][x + 1][2]", ITEM, lambda s: s.Program_2_Nail[SELF][s.x + 1]),
    "OrderedLast": (
        "Program[self][x][Len(Program[self][x])]",
        TOOL,
        lambda s: s.Program_last_Tong[SELF][s.x],
    ),
    # -- of the expression's own shape
    "Three": ("3", None, lambda s: 3),
    "Constant": ("Racks", None, lambda s: s.Racks),
    "OfAName": ("Named", None, lambda s: s.Named),
    "Variable": ("cell", None, lambda s: {"n": s.cell_n, "on": s.cell_on}),
    "OfACall": ("Same(x)", None, lambda s: s.x),
    "OfACallOfTwo": ("Less(x, y)", None, lambda s: s.x < s.y),
    "Kept": ("x'", None, lambda s: s.x),
    "Next": ("y'", None, lambda s: s.y + 1),
    "Truths": ("TRUE /\\ ~FALSE", None, lambda s: True),
    "And": ("p /\\ r", None, lambda s: z3.And(s.p, s.r)),
    "Or": ("p \\/ r", None, lambda s: z3.Or(s.p, s.r)),
    "Not": ("~p", None, lambda s: z3.Not(s.p)),
    "Implies": ("p => r", None, lambda s: z3.Implies(s.p, s.r)),
    "Iff": ("p <=> r", None, lambda s: s.p == s.r),
    "Equal": ("item = item2", None, lambda s: s.item == s.item2),
    "Differs": ("x # y", None, lambda s: s.x != s.y),
    "EqualRecords": (
        "cell = cells[item]",
        None,
        lambda s: z3.And(s.cell_n == s.cells_n[s.item], s.cell_on == s.cells_on[s.item]),
    ),
    "EqualInAUnion": (
        "item = thing",
        None,
        lambda s: s.Nail_as_Ware[s.item] == s.thing,
    ),
    "EqualWords": (
        'Program[self][1][1] = "cool"',
        None,
        lambda s: s.Program_1_word[SELF][1] == ORDER.of.cool,
    ),
    "NoneInABag": ("bag = <<>>", None, lambda s: z3.Const("first_bag!", ITEM.z3) == ITEM.null),
    "NoneOfAnItem": ("NULL = item", None, lambda s: s.item == ITEM.null),
    "In": ("x \\in {1, y}", None, lambda s: z3.Or(s.x == 1, s.x == s.y)),
    "NotIn": ("x \\notin Few", None, lambda s: z3.And(s.x != 1, s.x != s.y)),
    "Applied": ("row[item]", None, lambda s: s.row[s.item]),
    "AppliedCall": ("Row[item]", None, lambda s: s.row[s.item]),
    "AppliedTwice": ("grid[item][self]", None, lambda s: s.grid[s.item][SELF]),
    "Place": ("seq[x]", None, lambda s: s.seq_item[s.x]),
    "Partly": ("some[item]", None, lambda s: s.some_value[s.item]),
    "Field": ("cell.n", None, lambda s: s.cell_n),
    "FieldAtAPlace": ("cells[item].on", None, lambda s: s.cells_on[s.item]),
    "Component": ("two[2]", None, lambda s: s.two_2),
    "Innermost": ("Head(stack[self]).x", None, lambda s: z3.Int("kept_x")),
    "Back": ("Head(stack[self]).pc", None, lambda s: BACK[SELF]),
    "Added": ("marked \\cup {item}", None, lambda s: z3.Store(s.marked, s.item, True)),
    "Removed": ("marked \\ {item}", None, lambda s: z3.Store(s.marked, s.item, False)),
    "Changed": (
        "[row EXCEPT ![item] = @ + 1]",
        None,
        lambda s: z3.Store(s.row, s.item, s.row[s.item] + 1),
    ),
    "ChangedTwice": (
        "[row EXCEPT ![item] = 1, ![item2] = 2]",
        None,
        lambda s: z3.Store(z3.Store(s.row, s.item, 1), s.item2, 2),
    ),
    "ChangedWithin": (
        "[grid EXCEPT ![item][self] = x]",
        None,
        lambda s: z3.Store(s.grid, s.item, z3.Store(s.grid[s.item], SELF, s.x)),
    ),
    "ChangedField": ("[cell EXCEPT !.n = x]", None, lambda s: {"n": s.x, "on": s.cell_on}),
    "ChangedFieldOf": (
        "[Cells EXCEPT ![item].n = @ + x]",
        None,
        lambda s: {"n": z3.Store(s.cells_n, s.item, s.cells_n[s.item] + s.x), "on": s.cells_on},
    ),
    "ChangedComponent": ("[two EXCEPT ![1] = x]", None, lambda s: {"1": s.x, "2": s.two_2}),
    "ChangedPlace": (
        "[seq EXCEPT ![x] = item]",
        None,
        lambda s: {"length": s.seq_length, "item": z3.Store(s.seq_item, s.x, s.item)},
    ),
    "Sum": ("x + y - 1", None, lambda s: s.x + s.y - 1),
    "Product": ("x * y", None, lambda s: mul(s.x, s.y)),
    "Quotient": ("x \\div y", None, lambda s: div(s.x, s.y)),
    "Rest": ("x % y", None, lambda s: mod(s.x, s.y)),
    "Power": ("x ^ y", None, lambda s: POWER(s.x, s.y)),
    "Minus": ("-x", None, lambda s: -s.x),
    "Below": ("x < y", None, lambda s: s.x < s.y),
    "Above": ("x > y", None, lambda s: s.x > s.y),
    "AtMost": ("x <= y", None, lambda s: s.x <= s.y),
    "AtLeast": ("x >= y", None, lambda s: s.x >= s.y),
    "Steps": ("Len(Program[self])", None, lambda s: s.Program_length[SELF]),
    "StepSize": ("Len(Program[self][x])", None, lambda s: s.Program_size[SELF][s.x]),
    "Length": ("Len(seq)", None, lambda s: s.seq_length),
    "Size": ("Cardinality(marked)", None, lambda s: size(ITEM)(s.marked)),
    "Every": (
        "\\A i \\in Items : row[i] > 0",
        None,
        lambda s: z3.ForAll([I], z3.Implies(I != ITEM.null, s.row[I] > 0)),
    ),
    "Some": (
        "\\E i \\in Items : row[i] > 0",
        None,
        lambda s: z3.Exists([I], z3.And(I != ITEM.null, s.row[I] > 0)),
    ),
    "EveryPlace": (
        "\\A i \\in DOMAIN seq : seq[i] = item",
        None,
        lambda s: z3.ForAll(
            [P], z3.Implies(z3.And(1 <= P, P <= s.seq_length), s.seq_item[P] == s.item)
        ),
    ),
    "SomePlace": ("\\E i \\in DOMAIN bag : bag[i] = item", None, lambda s: s.bag[s.item] > 0),
    "OnStack": (
        '\\E i \\in DOMAIN stack[self] : stack[self][i].procedure = "lift"',
        None,
        lambda s: BACK[SELF] != LABEL.Nowhere,
    ),
    "NotOnStack": (
        '\\A i \\in DOMAIN stack[self] : stack[self][i].procedure # "lift"',
        None,
        lambda s: BACK[SELF] == LABEL.Nowhere,
    ),
}
"""Name -> the expression, the wanted shape, if any, and the term."""
REFUSED = {
    "NoNull": ("NULL", ORDER, "NULL as a value of this shape"),
    "OtherWord": ('"green"', COLOUR, '"green" as a value of this shape'),
    "OtherElement": ('"?"', ITEM, '"?" as a value of this shape'),
    "OtherFields": ("[n |-> x]", CELL, "[field |-> e]"),
    "TooLong": ("<<x, y, 1>>", pair(INT, INT), "as a value of this shape"),
    "TooShort": ("<<x>>", pair(INT, INT), "as a value of this shape"),
    "OtherSet": ("tool", ITEM, "tool where another set's element is needed"),
    "OtherShape": ("Program[self][x][1]", ITEM, "Program[...][...][1] of this shape"),
    "OtherPlace": ("Program[self][x][y]", ITEM, "Program[...][...][None] of this shape"),
    "OtherStepsLast": (
        "Program[self][x][Len(Program[self][y])]",
        TOOL,
        "Program[...][...][None] of this shape",
    ),
    "NotYet": ("item'", None, "item' before the step gives it a value"),
    "Applied": ("x[1]", None, "a value of unknown shape, applied,"),
    "NoFunction": ("[x EXCEPT ![1] = 2]", None, "EXCEPT of a value that is no function"),
    "Unknown": ("[NULL EXCEPT ![1] = 2]", None, "EXCEPT of a value of unknown shape"),
    "OtherOperator": ("Len(marked)", None, "Len of module Sequences"),
    "Pairs": ("\\A i, j \\in Items : row[i] = row[j]", None, "\\A over several names"),
    "OtherSets": ("\\A i \\in 1..x : i > 1", None, "a set that the vocabulary gives no sort"),
    "OtherFrame": ("Head(stack[self]).y", None, "Head(...).y in this step"),
    "OtherProcedure": (
        '\\E i \\in DOMAIN stack[self] : stack[self][i].procedure = "drop"',
        None,
        "a quantifier over the stack",
    ),
    "WrongQuantifier": (
        '\\A i \\in DOMAIN stack[self] : stack[self][i].procedure = "lift"',
        None,
        "a quantifier over the stack",
    ),
    "Powers": ("SUBSET marked", None, "SUBSET"),
}
"""Name -> the expression, the wanted shape, if any, and the error."""
I, P = z3.Const("some_item", ITEM.z3), z3.Int("some_place")
BACK = z3.Const("back", z3.ArraySort(HAND.z3, LABEL.z3))
KEPT = {("lift", "x"): z3.K(HAND.z3, z3.Int("kept_x"))}


@pytest.fixture(scope="module")
def expressed(modules):
    texts = {name: text for name, (text, *_) in VALUES.items()}
    texts |= {f"Refused{name}": text for name, (text, *_) in REFUSED.items()}
    lines = "\n".join(f"Is{name}(self) == {text}" for name, text in texts.items())
    file = modules({"Smithy": HEAD + lines})["Smithy"]
    return Expressed(
        export.load(file),
        WORDS,
        arguments={"self": HAND},
        frames=Frames("lift", {"lift": BACK}, KEPT, LABEL.Nowhere),
        kept=frozenset(["x"]),
        after={"y": z3.Int("y") + 1},
    )


@pytest.mark.parametrize("name", VALUES)
def test_an_expression_is_the_term_that_it_means(expressed, name):
    _, want, term = VALUES[name]
    assert entails([], equal(expressed.of(f"Is{name}", want)[0], term(expressed.s)))


@pytest.mark.parametrize("name", REFUSED)
def test_an_expression_without_a_term_is_refused_with_its_place(expressed, name):
    _, want, says = REFUSED[name]
    with pytest.raises(OutsideSubset, match=r"module Smithy, line \d+: ") as refused:
        expressed.of(f"IsRefused{name}", want)
    assert says in str(refused.value) and "$" not in str(refused.value)
