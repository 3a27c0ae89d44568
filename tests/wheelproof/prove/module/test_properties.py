"""A property's terms: sets that are variables, ranges, sizes, and goals taken apart."""

from __future__ import annotations

import pytest
import z3

from tests.wheelproof.prove.module.expressed import Expressed, entails
from wheelproof.prove.module.properties import Property, given, instance, opened
from wheelproof.prove.module.sets import size
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Subset,
    Vocabulary,
    Words,
    prefixed,
    sequence,
    spaced,
)
from wheelproof.prove.ts.system import Enumeration, sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

HAND, ITEM = sort("Baker", "no_baker"), sort("Bun", "no_bun")
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM},
    constants={"Program": Listing(HAND, {1: (Words(Enumeration("BakerOrder", "knead bake")),)})},
    variables={
        **dict.fromkeys(["x", "y"], INT),
        "p": BOOL,
        "item": ITEM,
        "row": Function(ITEM, INT),
        **dict.fromkeys(["marked", "others"], Subset(ITEM)),
        "hot": Subset(HAND),
        "seq": sequence(ITEM),
        "gaps": spaced(ITEM),
        "bag": Bag(ITEM),
        "bags": Function(ITEM, Bag(ITEM)),
        "pc": prefixed("BakerLabel", "at", "Nowhere A"),
    },
)
HEAD = (
    "CONSTANTS Hands, Items, Program, NULL\n"
    f"VARIABLES {', '.join(WORDS.variables)}, stack\n"
    "Many(s, e) == Cardinality({i \\in DOMAIN s : s[i] = e})\nSame(e) == e\n"
    "Most(s, n) == Cardinality(s) <= n\n"
    "Above(n) == Cardinality({i \\in marked : row[i] > n})\n"
)
I, J, P, Q = (
    *z3.Consts("some_item other_item", ITEM.z3),
    *z3.Ints("some_place other_place"),
)
H = z3.Const("some_hand", HAND.z3)


def at_most_one(s):
    def hit(place):
        return z3.And(1 <= place, place <= s.seq_length, s.seq_item[place] == s.item)

    return z3.ForAll([P, Q], z3.Implies(z3.And(hit(P), hit(Q)), P == Q))


def in_gaps(s, place):
    return z3.And(1 <= place, s.gaps_has[place], s.gaps_item[place] == s.item)


VALUES = {
    "Subset": (
        "marked \\subseteq others",
        lambda s: z3.ForAll([I], z3.Implies(s.marked[I], s.others[I])),
    ),
    "SubsetOfAll": (
        "marked \\subseteq (others \\ {item})",
        lambda s: z3.ForAll([I], z3.Implies(s.marked[I], z3.And(s.others[I], I != s.item))),
    ),
    "SubsetAsATruth": (
        "Same(marked \\subseteq others) = p",
        lambda s: s.p == z3.ForAll([I], z3.Implies(s.marked[I], s.others[I])),
    ),
    "InARange": ("x \\in 1..y", lambda s: z3.And(1 <= s.x, s.x <= s.y)),
    "InANumber": ("x \\in Nat", lambda s: s.x >= 0),
    "InTheWhole": ("x \\in Int", lambda s: True),
    "InAUnion": (
        "x \\in 1..y \\cup {7}",
        lambda s: z3.Or(z3.And(1 <= s.x, s.x <= s.y), s.x == 7),
    ),
    "InAVariable": ("item \\in marked", lambda s: s.marked[s.item]),
    "NoPlace": (
        "{i \\in DOMAIN gaps : gaps[i] = item} = {}",
        lambda s: z3.ForAll([P], z3.Not(in_gaps(s, P))),
    ),
    "SomePlace": (
        "{i \\in DOMAIN gaps : gaps[i] = item} # {}",
        lambda s: z3.Exists([P], in_gaps(s, P)),
    ),
    "OneAtMost": ("Cardinality({i \\in DOMAIN seq : seq[i] = item}) <= 1", at_most_one),
    "OneAtMostByName": ("Many(seq, item) <= 1", at_most_one),
    "TwoAtMost": ("Cardinality(marked) <= 2", lambda s: size(ITEM)(s.marked) <= 2),
    "OneOfAVariable": ("Cardinality(marked) <= 1", lambda s: size(ITEM)(s.marked) <= 1),
    "SizeOfAnArgument": ("Most(marked, x)", lambda s: size(ITEM)(s.marked) <= s.x),
    "SizeAsANumber": ("Cardinality(marked) = x", lambda s: size(ITEM)(s.marked) == s.x),
    "EqualByName": ("Same(x) = Same(y)", lambda s: s.x == s.y),
    "EveryMarked": (
        "\\A i \\in marked : row[i] > x",
        lambda s: z3.ForAll([I], z3.Implies(s.marked[I], s.row[I] > s.x)),
    ),
    "SomeMarked": (
        "\\E i \\in marked : row[i] > x",
        lambda s: z3.Exists([I], z3.And(s.marked[I], s.row[I] > s.x)),
    ),
    "EveryOther": (
        "\\A i \\in marked \\ {item} : row[i] > x",
        lambda s: z3.ForAll([I], z3.Implies(z3.And(s.marked[I], I != s.item), s.row[I] > s.x)),
    ),
    "EveryNumber": (
        "\\A n \\in 1..y : n # x",
        lambda s: z3.ForAll([P], z3.Implies(z3.And(1 <= P, P <= s.y), s.x != P)),
    ),
    "EveryProgram": (
        "\\A t \\in DOMAIN Program : t \\in hot",
        lambda s: z3.ForAll([H], z3.Implies(HAND.null != H, s.hot[H])),
    ),
    "EveryItem": (
        "\\A i \\in Items : row[i] > x",
        lambda s: z3.ForAll([I], z3.Implies(ITEM.null != I, s.row[I] > s.x)),
    ),
    "EachIsEmpty": (
        "\\A i \\in Items : bags[i] = <<>>",
        lambda s: z3.ForAll([I, J], z3.Implies(ITEM.null != I, s.bags[I][J] <= 0)),
    ),
    "OneHasSome": (
        "\\E i \\in Items : bags[i] # <<>>",
        lambda s: z3.Exists([I, J], z3.And(ITEM.null != I, s.bags[I][J] > 0)),
    ),
    "TimesInABag": (
        "Cardinality({i \\in DOMAIN bag : bag[i] = item}) = x",
        lambda s: s.bag[s.item] == s.x,
    ),
}
"""Name -> the property, and the formula."""
REFUSED = {
    "SubsetOfARange": ("1..x \\subseteq marked", "a subset that is no variable"),
    "WithinASet": ("marked \\subseteq Items", "a set that is no variable"),
    "SizeOfAnother": ("Cardinality({i \\in Items : row[i] > x}) <= 2", "a set of this form"),
    "TwoPlacesAtMost": ("Many(seq, item) <= 2", "a set of this form"),
    "SizeForEach": (
        "\\A i \\in marked : Above(row[i]) <= 2",
        "the size of a set that a bound name is in",
    ),
    "SizeOfSizes": (
        "Cardinality({i \\in others : Above(row[i]) = 0}) <= 2",
        "the size of a set that a bound name is in",
    ),
    "InANumber": ("x \\in y", "\\in a set that is neither enumerated nor a variable"),
}


@pytest.fixture(scope="module")
def expressed(modules):
    texts = {name: text for name, (text, _) in VALUES.items()}
    texts |= {f"Refused{name}": text for name, (text, _) in REFUSED.items()}
    texts["TwoSets"] = "Above(x) <= Above(y)"
    texts["OneSet"] = "Above(x) <= Above(x)"
    texts["Below"] = "Cardinality({i \\in marked : \\E j \\in others : row[j] > row[i]}) <= y"
    texts["First"] = "bag[1] = item"
    texts["Described"] = "Cardinality({i \\in marked : row[i] > x}) <= y"
    lines = "\n".join(f"Is{name} == {text}" for name, text in texts.items())
    file = modules({"Bakery": HEAD + lines})["Bakery"]
    return Expressed(export.load(file), WORDS, kind=Property)


@pytest.mark.parametrize("name", VALUES)
def test_a_property_is_the_formula_that_it_means(expressed, name):
    value, _ = expressed.of(f"Is{name}", BOOL)
    assert entails([], value == VALUES[name][1](expressed.s))


@pytest.mark.parametrize("name", REFUSED)
def test_a_property_without_a_formula_is_refused_with_its_place(expressed, name):
    with pytest.raises(OutsideSubset, match=r"module Bakery, line \d+: ") as refused:
        expressed.of(f"IsRefused{name}", BOOL)
    assert REFUSED[name][1] in str(refused.value)


def test_a_set_that_a_formula_describes_is_a_constant_with_a_premise(expressed):
    value, terms = expressed.of("IsDescribed", BOOL)
    s = expressed.s
    ((members, premise),) = terms.described.values()
    assert entails([], value == (size(ITEM)(members) <= s.y))
    assert entails([premise], members[I] == z3.And(s.marked[I], s.row[I] > s.x))
    assert not entails([], members[I] == z3.And(s.marked[I], s.row[I] > s.x))


def test_a_set_of_what_there_is_something_for_has_a_function_to_that(expressed):
    """The premises say the same as without the function, if it may be any."""
    _, terms = expressed.of("IsBelow", BOOL)
    s = expressed.s
    ((members, premise),) = terms.described.values()
    (function,) = terms.chosen_of.values()
    some = z3.Exists([J], z3.And(s.others[J], s.row[J] > s.row[I]))
    described = members[I] == z3.And(s.marked[I], some)
    assert entails([premise], described)
    assert entails([premise, members[I]], s.others[function[I]])
    whole = z3.ForAll([I], described)
    best = z3.ForAll([I], z3.Implies(some, s.row[function[I]] > s.row[I]))
    best = z3.And(best, z3.ForAll([I], z3.Implies(some, s.others[function[I]])))
    assert entails([whole, best], premise)


def test_the_first_element_in_a_property_is_one_that_is_there(expressed):
    value, terms = expressed.of("IsFirst", BOOL)
    (first,) = terms.firsts.values()
    guards = [*first.guards(), value, expressed.s.item != ITEM.null]
    assert entails(guards, expressed.s.bag[expressed.s.item] > 0)


ROW, MARK = (
    z3.Const(name, z3.ArraySort(ITEM.z3, of))
    for name, of in (("row", z3.IntSort()), ("mark", z3.BoolSort()))
)
A, B = z3.Bools("a b")


def test_a_goal_is_about_new_constants_for_what_it_says_of_all():
    every = z3.ForAll([I], z3.Implies(z3.Exists([J], MARK[J]), ROW[I] > 0))
    made = opened(z3.And(A, every))
    one, other = (z3.Const(f"goal_1_{name}", ITEM.z3) for name in ("some_item", "other_item"))
    assert made.eq(z3.And(A, z3.Implies(MARK[other], ROW[one] > 0)))
    assert opened(z3.Exists([I], MARK[I])).eq(z3.Exists([I], MARK[I]))


def test_a_premise_of_a_goal_is_about_new_constants_for_what_there_is():
    there = z3.Exists([I], z3.And(MARK[I], A))
    made = given(z3.And(B, there), "goal", set())
    assert made.eq(z3.And(B, z3.And(MARK[z3.Const("goal_of_1_some_item", ITEM.z3)], A)))
    assert given(z3.ForAll([I], MARK[I]), "goal", set()).eq(z3.ForAll([I], MARK[I]))


def test_an_instance_has_a_constant_for_each_variable():
    made = instance(z3.ForAll([I, P], ROW[I] > P), "new", set())
    assert made.eq(ROW[z3.Const("new_some_item", ITEM.z3)] > z3.Int("new_some_place"))


@pytest.mark.parametrize(
    "goal",
    [
        z3.Implies(z3.Exists([I], MARK[I]), z3.ForAll([I], MARK[I])),
        z3.Implies(z3.And(A, z3.Exists([I], MARK[I])), z3.ForAll([I], MARK[I])),
        z3.Implies(
            z3.Exists([I], z3.And(MARK[I], z3.Exists([J], ROW[I] < ROW[J]))),
            z3.ForAll([J], z3.Implies(z3.Exists([I], ROW[J] < ROW[I]), MARK[J])),
        ),
        z3.ForAll([I], z3.Implies(MARK[I], z3.ForAll([J], z3.Implies(ROW[I] < ROW[J], MARK[J])))),
    ],
    ids=["some and all", "within", "of each other", "of all"],
)
def test_a_goal_that_does_not_hold_has_no_proof_where_names_are_alike(goal):
    """Each of its variables has a constant of its own, though two have one name."""
    alike = renamed(goal)
    assert not entails([], goal) and not entails([], alike)
    assert not entails([], opened(goal)) and not entails([], opened(alike))


def renamed(formula):
    """The formula with one name for all its variables, of which each quantifier has one."""
    if z3.is_quantifier(formula):
        old = z3.FreshConst(formula.var_sort(0))
        inner = renamed(z3.substitute_vars(formula.body(), old))
        one = z3.Const("same", old.sort())
        bind = z3.ForAll if formula.is_forall() else z3.Exists
        return bind([one], z3.substitute(inner, (old, one)))
    if z3.is_app(formula) and formula.num_args():
        return formula.decl()(*map(renamed, formula.children()))
    return formula


def test_two_sets_that_one_line_describes_are_two_constants(expressed):
    value, terms = expressed.of("IsTwoSets", BOOL)
    s = expressed.s
    (one, above), (other, beyond) = terms.described.values()
    assert not one.eq(other)
    assert entails([], value == (size(ITEM)(one) <= size(ITEM)(other)))
    assert entails([above], one[I] == z3.And(s.marked[I], s.row[I] > s.x))
    assert entails([beyond], other[I] == z3.And(s.marked[I], s.row[I] > s.y))
    assert not entails([above, beyond], value)
    _, again = expressed.of("IsOneSet", BOOL)
    assert len(again.described) == 1
