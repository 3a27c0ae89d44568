"""What shape an expression has, one shape as another with what that needs, and names in scope."""

from __future__ import annotations

import pytest
import z3
from z3 import And, Implies, Not, Or

from tests.wheelproof.prove.module.expressed import Expressed, entails
from wheelproof.prove.module.scopes import First, Frames, Given, Made, shown
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Record,
    Subset,
    Tickets,
    Vocabulary,
    Words,
    flags,
    pair,
    partial,
    sequence,
    single,
    spaced,
)
from wheelproof.prove.ts.system import Enumeration, sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

HAND, ITEM, TOOL = sort("Mason", "no_mason"), sort("Brick", "no_brick"), sort("Trowel", "no_trowel")
SHELF, THING = sort("Ledge", "no_ledge"), sort("Stuff", "no_stuff")
LABELS = Words(Enumeration("MasonLabel", "Nowhere A B"))
ORDER = Words(Enumeration("MasonOrder", "lay"))
CELL = Record({"n": INT, "who": HAND})
SEQ, GAPS, ONE, SOME = sequence(ITEM), spaced(ITEM), single(ITEM), partial(ITEM, CELL)
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM, "Tools": TOOL, "Things": THING, "1..Ledges": SHELF},
    unions={"Stuff": (ITEM, TOOL)},
    numbered={"Ledge": lambda s: s.Ledges},
    searches=frozenset(["First"]),
    functions={"Rank": Function(ITEM, INT)},
    unordered={"Offer": "Append"},
    constants={
        "Ledges": INT,
        "Few": Subset(ITEM),
        "Program": Listing(HAND, {1: (ORDER,)}),
        "Plan": Listing(HAND, {1: (ITEM,)}),
    },
    variables={
        "x": INT,
        "p": BOOL,
        "item": ITEM,
        "tool": TOOL,
        "thing": THING,
        "ledge": SHELF,
        "marks": flags("red blue"),
        "cell": CELL,
        "two": pair(INT, ITEM),
        "row": Function(ITEM, INT),
        "cells": Function(ITEM, CELL),
        "seq": SEQ,
        "gaps": GAPS,
        "one": ONE,
        "some": SOME,
        "bag": Bag(TOOL),
        "marked": Subset(ITEM),
        "tickets": Tickets(HAND),
        "pc": Function(HAND, LABELS),
        "own": Function(HAND, ITEM),
    },
)
HEAD = f"""CONSTANTS Hands, Items, Tools, Things, Ledges, Program, NULL, Unknown
VARIABLES {", ".join(WORDS.variables)}, stack
Few == {{i \\in Items : i # NULL}}
Plan == Program
Places == 1..Ledges
Same(e) == e
Rank(i) == CHOOSE n \\in 1..9 : n > 1
RECURSIVE First(_, _)
First(s, i) == IF i > Len(s) THEN <<0, NULL>> ELSE First(s, i + 1)
Offer(s, e) == Append(s, e)
Offered(s, t) == TRUE
Taken(s, t) == s
Step(t) == Program[t][x]
"""
SHAPES = {
    "3": INT,
    '"red"': None,
    "NULL": None,
    "Unknown": None,
    "Ledges": INT,
    "Program": None,
    "Few": Subset(ITEM),
    "Plan": None,
    "cell": CELL,
    "Same(cell)": CELL,
    "item'": ITEM,
    "row[item]": INT,
    "cells[item]": CELL,
    "cells[item].who": HAND,
    "cell.n": INT,
    "x.n": None,
    "two[2]": ITEM,
    "seq[1]": ITEM,
    "gaps[1]": ITEM,
    "bag[1]": TOOL,
    "one[1]": ITEM,
    "some[item]": CELL,
    "x[1]": None,
    "Head(stack[self]).own": ITEM,
    "Head(stack[self]).pc": LABELS,
    "Head(stack[self]).x": None,
    "IF p THEN NULL ELSE item": ITEM,
    "IF p THEN x ELSE NULL": INT,
    "[n |-> 1, who |-> self]": CELL,
    "[n |-> 1, who |-> NULL]": None,
    "[cell EXCEPT !.n = 2]": CELL,
    "marked \\cup {item}": Subset(ITEM),
    "marked \\ {item}": Subset(ITEM),
    "[i \\in DOMAIN seq |-> NULL]": SEQ,
    "[i \\in Items |-> 1]": None,
    "CHOOSE i \\in DOMAIN seq : i > 1": INT,
    "LET y == item IN y": ITEM,
    **dict.fromkeys(
        [
            "p /\\ p",
            "p \\/ p",
            "~p",
            "p => p",
            "p <=> p",
            "x = 1",
            "x # 1",
            "x \\in {1}",
            "x \\notin {1}",
            "TRUE",
            "FALSE",
            "\\A i \\in Items : p",
            "\\E i \\in Items : p",
            "/\\ p",
            "x < 1",
            "x > 1",
            "x <= 1",
            "x >= 1",
            "Offered(tickets, self)",
        ],
        BOOL,
    ),
    "Head(seq)": ITEM,
    "Head(bag)": TOOL,
    "Tail(seq)": SEQ,
    "Append(seq, item)": SEQ,
    "SelectSeq(gaps, LAMBDA i : i # item)": GAPS,
    "SubSeq(seq, 1, 2)": SEQ,
    "seq \\o seq": SEQ,
    "Offer(bag, tool)": Bag(TOOL),
    "Taken(tickets, self)": Tickets(HAND),
    "Rank(item)": INT,
    "First(seq, 1)": pair(INT, ITEM),
    "First(x, 1)": None,
    "x + 1": INT,
    "Len(seq)": INT,
    "Cardinality(marked)": INT,
}
"""Expression -> its shape; None where any shape fits, or none is known."""
FITTED = {
    "its own": ("item", ITEM, lambda s: s.item, True),
    "into a union": ("item", THING, lambda s: s.Brick_as_Stuff[s.item], True),
    "another part": ("tool", THING, lambda s: s.Trowel_as_Stuff[s.tool], True),
    "a union": ("thing", THING, lambda s: s.thing, True),
    "out of a union": (
        "thing",
        ITEM,
        lambda s: s.Stuff_as_Brick[s.thing],
        lambda s: Or(s.thing == THING.null, s.Stuff_as_Brick[s.thing] != ITEM.null),
    ),
    "a number": (
        "x",
        SHELF,
        lambda s: s.Int_as_Ledge[s.x],
        lambda s: Or(s.x == 0, s.Int_as_Ledge[s.x] != SHELF.null),
    ),
    "of a number": ("ledge", INT, lambda s: s.Ledge_as_Int[s.ledge], True),
    "a sum": ("ledge + 1", INT, lambda s: s.Ledge_as_Int[s.ledge] + 1, True),
    "applied": ("row[item]", INT, lambda s: s.row[s.item], lambda s: s.item != ITEM.null),
    "applied to null's": (
        "IF item # NULL THEN row[item] ELSE 0",
        INT,
        lambda s: z3.If(s.item != ITEM.null, s.row[s.item], 0),
        True,
    ),
    "then": (
        "IF p THEN row[item] ELSE x",
        INT,
        lambda s: z3.If(s.p, s.row[s.item], s.x),
        lambda s: Implies(s.p, s.item != ITEM.null),
    ),
    "else": (
        "IF p THEN x ELSE row[item]",
        INT,
        lambda s: z3.If(s.p, s.x, s.row[s.item]),
        lambda s: Or(s.p, s.item != ITEM.null),
    ),
    "and": (
        "p /\\ row[item] > x",
        BOOL,
        lambda s: And(s.p, s.row[s.item] > s.x),
        lambda s: Implies(s.p, s.item != ITEM.null),
    ),
    "or": (
        "p \\/ row[item] > x",
        BOOL,
        lambda s: Or(s.p, s.row[s.item] > s.x),
        lambda s: Or(s.p, s.item != ITEM.null),
    ),
    "implies": (
        "p => row[item] > x",
        BOOL,
        lambda s: Implies(s.p, s.row[s.item] > s.x),
        lambda s: Implies(s.p, s.item != ITEM.null),
    ),
    "before": (
        "row[item] > x /\\ p",
        BOOL,
        lambda s: And(s.row[s.item] > s.x, s.p),
        lambda s: s.item != ITEM.null,
    ),
    "partly": (
        "some[item].n",
        INT,
        lambda s: s.some_value_n[s.item],
        lambda s: And(s.item != ITEM.null, s.some_has[s.item]),
    ),
    "of a definition": ("Step(self)[1]", ORDER, lambda s: s.Program_1_word[HAND_][s.x], True),
}
"""Name -> the expression, the wanted shape, the term, and what it obliges to."""
UNFIT = {
    "other set": ("tool", ITEM),
    "whole set": ("thing", HAND),
    "number of a set without": ("x", ITEM),
    "element as a number": ("item", INT),
    "truth as a number": ("p", INT),
}
I, HAND_ = z3.Const("some_item", ITEM.z3), z3.Const("self", HAND.z3)


@pytest.fixture(scope="module")
def expressed(modules):
    texts = {f"Shape{n}": text for n, text in enumerate(SHAPES)}
    texts |= {f"Fit{n}": text for n, (text, *_) in enumerate(FITTED.values())}
    texts |= {f"Unfit{n}": text for n, (text, _) in enumerate(UNFIT.values())}
    texts |= {"Recursive": "First(seq, 1)[1] > 1", "Of": "Same(Same(item))"}
    lines = "\n".join(f"Is{name}(self) == {text}" for name, text in texts.items())
    sets = "\n".join(
        f"In{n}(self) == \\A i \\in {text} : TRUE" for n, text in enumerate([*SORTS, *UNSORTED])
    )
    file = modules({"Quarry": f"{HEAD}{lines}\n{sets}"})["Quarry"]
    return Expressed(
        export.load(file), WORDS, arguments={"self": HAND}, frames=Frames("dig", {}, {})
    )


@pytest.mark.parametrize("text", SHAPES)
def test_an_expression_has_its_shape(expressed, text):
    name = f"IsShape{[*SHAPES].index(text)}"
    terms, node = expressed.terms(), expressed.module.definition(name).body
    assert terms.shape(node, expressed.names(name)) == SHAPES[text]


@pytest.mark.parametrize("name", FITTED)
def test_a_value_of_one_shape_is_one_of_another_with_what_that_needs(expressed, name):
    _, want, term, obliged = FITTED[name]
    value, terms = expressed.of(f"IsFit{[*FITTED].index(name)}", want)
    assert entails([], value == term(expressed.s))
    needs = obliged(expressed.s) if callable(obliged) else z3.BoolVal(True)
    assert entails([], And(terms.obligations) == needs)


@pytest.mark.parametrize("name", UNFIT)
def test_a_value_that_is_of_no_such_shape_is_refused_with_its_place(expressed, name):
    says = r"module Quarry, line \d+: .* where another set's element is needed"
    with pytest.raises(OutsideSubset, match=says):
        expressed.of(f"IsUnfit{[*UNFIT].index(name)}", UNFIT[name][1])


SORTS = {"Items": ITEM, "Hands": HAND, "1..Ledges": SHELF, "Places": SHELF, "Few": None}
UNSORTED = ["1..x", "{1, 2}", "Same(Items)", "2..Ledges"]


@pytest.mark.parametrize("text", [*SORTS, *UNSORTED])
def test_a_set_that_quantifiers_are_over_has_a_sort(expressed, text):
    name = f"In{[*SORTS, *UNSORTED].index(text)}"
    terms, node = expressed.terms(), expressed.module.definition(name).body
    names, domain = expressed.names(name), node.bounds[0].domain
    if SORTS.get(text) is None:
        with pytest.raises(OutsideSubset, match="a set that the vocabulary gives no sort"):
            terms.sort_of(domain, names)
    else:
        assert terms.sort_of(domain, names) == SORTS[text]
    members = terms.members(domain, names)
    assert members is None if text != "Few" else members.eq(expressed.s.Few)


def test_an_operator_that_calls_itself_is_not_looked_into(expressed):
    words = Vocabulary(HAND, WORDS.sets, WORDS.variables, null="NULL")
    terms = Expressed(expressed.module, words).terms()
    node = expressed.module.definition("IsRecursive").body.arguments[0].arguments[0]
    with pytest.raises(OutsideSubset, match="First, a recursive operator,"):
        terms.inside(node, {})


def test_an_argument_sees_the_names_of_its_call(expressed):
    node, terms = expressed.module.definition("IsOf").body, expressed.terms()
    (formal,) = node.definition.formals
    around = {formal: Made(I, ITEM)}
    names = terms.inside(node, around)
    assert isinstance(names[formal], Given) and names[formal].names == around
    assert names[formal].node is node.arguments[0]


def test_what_is_within_a_condition_obliges_there_alone(expressed):
    terms, (a, b, c) = expressed.terms(), z3.Bools("a b c")
    terms.obligations.append(a)
    with terms.where([b, c]):
        terms.obligations.append(a)
    with terms.where([]):
        terms.obligations.append(c)
    assert [str(each) for each in terms.obligations] == ["a", "Implies(And(b, c), a)", "c"]


def test_a_first_element_is_one_that_is_there_or_there_is_none():
    counts, found = z3.Const("counts", z3.ArraySort(ITEM.z3, z3.IntSort())), ITEM.consts("found")[0]
    guards = First(found, ITEM, counts, "bag", None).guards()
    assert entails([*guards, found != ITEM.null], counts[found] > 0)
    assert entails([*guards, found == ITEM.null], counts[I] <= 0)
    assert not entails([*guards], found != ITEM.null) and not entails(guards, found == ITEM.null)
    assert not entails([*guards], Not(counts[I] > 0))


def test_an_error_names_an_expression_as_a_reader_writes_it(expressed):
    def named(name):
        return shown(expressed.module.definition(name).body)

    texts = [*SHAPES]
    for text, says in {
        "row[item]": "f[x]",
        "cell": "cell",
        "NULL": "NULL",
        '"red"': '"red"',
        "3": "a number",
        "Same(cell)": "Same",
        "LET y == item IN y": "a let",
    }.items():
        assert named(f"IsShape{texts.index(text)}") == says
