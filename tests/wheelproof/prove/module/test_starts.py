"""What Init says of variables of each shape, and what of it has no formula."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import z3
from z3 import And, Distinct, ForAll, Implies, Or

from tests.wheelproof.prove.module.expressed import Expressed, entails
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Record,
    Subset,
    Tickets,
    Vocabulary,
    Words,
    flat,
    sequence,
    spaced,
    z3_sort,
)
from wheelproof.prove.module.stacks import Procedures
from wheelproof.prove.module.starts import starts
from wheelproof.prove.ts.system import Enumeration, sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

HAND, ITEM = sort("Porter", "no_porter2"), sort("Trunk2", "no_trunk2")
LABELS = Words(Enumeration("PorterPlace", "Nowhere A B"))
CELL = Record({"n": INT, "who": HAND})
SHAPES = {
    "x": INT,
    "item": ITEM,
    "bag": Bag(ITEM),
    "marked": Subset(ITEM),
    "tickets": Tickets(HAND),
    "gaps": spaced(ITEM),
    "places": spaced(CELL),
    "seq": sequence(ITEM),
    "sets": sequence(Subset(ITEM)),
    "cell": CELL,
    "colours": Record({"red": INT, "blue": INT}),
    "row": Function(ITEM, INT),
    "some": Function(ITEM, INT),
    "grid": Function(ITEM, Function(HAND, BOOL)),
    "bags": Function(ITEM, Bag(ITEM)),
    "held": Function(ITEM, Subset(HAND)),
    "cells": Function(ITEM, CELL),
    "square": Function(ITEM, Function(ITEM, INT)),
    "cube": Function(ITEM, Function(ITEM, Function(ITEM, INT))),
    "own": Function(HAND, Record({"n": INT, "seen": Subset(ITEM)})),
}
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM, "Few": ITEM},
    constants={"Few": Subset(ITEM), "Row": spaced(ITEM)},
    variables={**SHAPES, "pc": LABELS},
)
HEAD = f"""CONSTANTS Hands, Items, Row, NULL
VARIABLES {", ".join(SHAPES)}, other, pc, stack
Few == {{i \\in Items : i # NULL}}
Colours == {{"red", "blue"}}
"""
I, J, K = ITEM.consts("some_item other_item third_item")
T = HAND.consts("some_hand")[0]
P = z3.Int("some_place")


def nothing(array, value=False):
    of = array.domain()
    each = z3.Const("some_element", of)
    return ForAll([each], array[each] == value)


def everywhere(array, inside, outside):
    """A function of items: what it is at each, and at null."""
    return And(ForAll([I], Implies(I != ITEM.null, inside(I))), outside(ITEM.null))


STARTS = {
    "x": ("3", lambda s: s.x == 3),
    "item": ("NULL", lambda s: s.item == ITEM.null),
    "bag": ("<<>>", lambda s: nothing(s.bag, 0)),
    "marked": ("{}", lambda s: nothing(s.marked)),
    "tickets": ("<<>>", lambda s: nothing(s.tickets)),
    "gaps": ("<<>>", lambda s: nothing(s.gaps_has)),
    "places": (
        "[i \\in DOMAIN Row |-> [n |-> i, who |-> NULL]]",
        lambda s: And(
            ForAll([P], s.places_has[P] == s.Row_has[P]),
            ForAll([P], Implies(s.Row_has[P], s.places_item_n[P] == P)),
            ForAll([P], Implies(s.Row_has[P], s.places_item_who[P] == HAND.null)),
        ),
    ),
    "seq": (
        "<<>>",
        lambda s: And(s.seq_length == 0, ForAll([P], s.seq_item[P] == ITEM.null)),
    ),
    "sets": (
        "<<>>",
        lambda s: And(s.sets_length == 0, ForAll([P], nothing(s.sets_item[P]))),
    ),
    "cell": ("[n |-> 1, who |-> NULL]", lambda s: And(s.cell_n == 1, s.cell_who == HAND.null)),
    "colours": (
        '[c \\in Colours |-> IF c \\in {"red"} THEN 1 ELSE 2]',
        lambda s: And(s.colours_red == 1, s.colours_blue == 2),
    ),
    "row": (
        "[i \\in Items |-> 1]",
        lambda s: everywhere(s.row, lambda i: s.row[i] == 1, lambda i: s.row[i] == 0),
    ),
    "some": (
        "[i \\in Few |-> 1]",
        lambda s: And(
            ForAll([I], Implies(s.Few[I], s.some[I] == 1)),
            ForAll([I], Or(s.Few[I], s.some[I] == 0)),
            s.some[ITEM.null] == 0,
        ),
    ),
    "grid": (
        "[i \\in Items |-> [t \\in Hands |-> i # NULL]]",
        lambda s: And(
            ForAll([I, T], Implies(And(I != ITEM.null, T != HAND.null), s.grid[I][T])),
            ForAll([I, T], Implies(Or(I == ITEM.null, T == HAND.null), z3.Not(s.grid[I][T]))),
        ),
    ),
    "square": (
        "[i \\in Items |-> [j \\in Items |-> IF i = j THEN 1 ELSE 2]]",
        lambda s: And(
            ForAll([I], Implies(I != ITEM.null, s.square[I][I] == 1)),
            ForAll([I, J], Implies(Distinct(I, J, ITEM.null), s.square[I][J] == 2)),
            ForAll([I], And(s.square[I][ITEM.null] == 0, s.square[ITEM.null][I] == 0)),
        ),
    ),
    "cube": (
        "[i \\in Items |-> [j \\in Items |-> [k \\in Items |-> 0]]]",
        lambda s: ForAll([I, J, K], s.cube[I][J][K] == 0),
    ),
    "bags": (
        "[i \\in Items |-> <<>>]",
        lambda s: ForAll([I], nothing(s.bags[I], 0)),
    ),
    "held": ("[i \\in Items |-> {}]", lambda s: ForAll([I], nothing(s.held[I]))),
    "cells": (
        "[i \\in Items |-> [n |-> 2, who |-> NULL]]",
        lambda s: And(
            everywhere(s.cells_n, lambda i: s.cells_n[i] == 2, lambda i: s.cells_n[i] == 0),
            ForAll([I], s.cells_who[I] == HAND.null),
        ),
    ),
}
"""Variable -> its value in Init, and the formula."""
REFUSED = {
    "Unequal": ("x > 3", "> in Init"),
    "OfTwo": ("row = [i, j \\in Items |-> 1]", "a function of several arguments"),
    "OfAPair": ("row = [<<i, j>> \\in Items |-> 1]", "a function of several arguments"),
    "OfHands": ("row = [t \\in Hands |-> 1]", "a function of another set"),
    "OfOneColour": ('colours = [c \\in {"red"} |-> 1]', "a function that is not over "),
    "OfNumbers": ("colours = [c \\in {1, 2} |-> 1]", "a function that is not over "),
    "OfTwice": ('colours = [c \\in {"red", "blue", "red"} |-> 1]', "a function that is not over "),
    "Unknown": ("other = 3", "the variable other, which the vocabulary gives no shape,"),
    "Chosen": (
        "row = [i \\in Items |-> IF bags[i] = <<>> THEN 1 ELSE 2]",
        "a choice for each value of a bound name",
    ),
    "Stacked": ("stack = [t \\in Hands |-> <<1>>]", "a stack that is not empty in Init"),
}
"""Name -> a conjunct, and the error."""
PROCEDURES = Procedures({"A": "lift", "B": ""}, {"lift": ("own", "x", "other"), "drop": ()})


@pytest.fixture(scope="module")
def system(modules):
    """A function: the conjuncts of Init -> a system that starts so, and its constants."""
    texts = {name: f"{name} = {text}" for name, (text, _) in STARTS.items()}
    texts |= {name: text for name, (text, _) in REFUSED.items()}
    texts |= {"stack": "stack = [t \\in Hands |-> <<>>]", "all": "pc = pc", "any": "other = 7"}
    texts["and"] = "x = 1 /\\ x = 2"
    lines = "\n".join(f"Init_{name} == {text}" for name, text in texts.items())
    module = export.load(modules({"Station": HEAD + lines})["Station"])
    s = Expressed(module, WORDS).s
    for name in ("own", "x"):
        for each, shape in flat(f"saved_lift_{name}", SHAPES[name]):
            setattr(s, each, z3.Const(each, z3_sort(shape)))
    for procedure in PROCEDURES.names:
        name = f"ret_{procedure}"
        setattr(s, name, z3.Const(name, z3.ArraySort(HAND.z3, LABELS.of.z3)))

    def made(*names, variables=None):
        first = module.definition(f"Init_{names[0]}")
        bodies = tuple(module.definition(f"Init_{name}").body for name in names)
        body = replace(module.definition("Init_and").body, arguments=bodies)
        init = replace(first, name="Init", body=body)
        own = replace(
            module,
            variables=module.variables if variables is None else variables,
            definitions={**module.definitions, "Init": init},
        )
        words = SimpleNamespace(absent=LABELS.of.Nowhere)
        found = SimpleNamespace(
            MODULE=own, WORDS=WORDS, SHAPES=SHAPES, PROCEDURES=PROCEDURES, terms=words
        )
        return found, s

    return made


@pytest.mark.parametrize("name", STARTS)
def test_a_variable_starts_with_its_value(system, name):
    found, s = system(name, variables=(name,))
    assert entails([], And(starts(found, s)) == STARTS[name][1](s))


def test_no_procedure_is_on_a_stack_and_none_has_saved_anything(system):
    found, s = system("stack", variables=("stack",))
    on_none = [
        ForAll([T], Or(T == HAND.null, of[T] == LABELS.of.Nowhere))
        for of in (s.ret_lift, s.ret_drop)
    ]
    saved = And(s.saved_lift_own_n[T] == 0, nothing(s.saved_lift_own_seen[T]))
    assert entails([], And(starts(found, s)) == And(*on_none, ForAll([T], saved)))


@pytest.mark.parametrize("name", REFUSED)
def test_a_conjunct_without_a_formula_is_refused_with_its_place(system, name):
    found, s = system(name, variables=())
    with pytest.raises(OutsideSubset, match=r"module Station, line \d+: ") as refused:
        starts(found, s)
    assert REFUSED[name][1] in str(refused.value)


def test_a_variable_that_init_leaves_out_is_named_but_where_it_is_left_out(system):
    found, s = system("x", "any", variables=("x", "other", "item"))
    with pytest.raises(OutsideSubset, match="Init, which says nothing of item,"):
        starts(found, s, ("other",))
    assert entails([], And(starts(found, s, ("other", "item"))) == (s.x == 3))
