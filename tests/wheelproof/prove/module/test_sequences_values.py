"""Each form of expression about sequences with places, as the term that it means."""

from __future__ import annotations

import pytest
import z3

from tests.wheelproof.prove.module.expressed import Expressed, entails
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Subset,
    Vocabulary,
    pair,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.extremes import PLACE
from wheelproof.prove.ts.system import sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

HAND, ITEM = sort("Miller", "no_miller"), sort("Sack", "no_sack")
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM},
    searches=frozenset(["First"]),
    functions={"Rank": Function(ITEM, INT)},
    variables={
        **dict.fromkeys(["x", "y"], INT),
        "item": ITEM,
        **dict.fromkeys(["q", "r"], sequence(ITEM)),
        "numbers": sequence(INT),
        "lists": sequence(sequence(ITEM)),
        "two": pair(INT, ITEM),
        "marked": Subset(ITEM),
        "row": Function(ITEM, INT),
        "pc": prefixed("MillerLabel", "at", "Nowhere A"),
    },
)
HEAD = f"""CONSTANTS Hands, Items, NULL
VARIABLES {", ".join(WORDS.variables)}, stack
Nowhere == <<0, NULL>>
RECURSIVE First(_, _)
First(s, i) == IF i > Len(s) THEN Nowhere ELSE IF s[i] = NULL THEN First(s, i + 1) ELSE <<i, s[i]>>
Rank(i) == CHOOSE n \\in 1..9 : n > 1
Hits(s, e) == Cardinality({{i \\in DOMAIN s : s[i] = e}})
Without(s, i) == SubSeq(s, 1, i - 1) \\o SubSeq(s, i + 1, Len(s))
"""
P, Q = z3.Ints("some_place other_place")
BLANK = z3.K(z3.IntSort(), ITEM.null)


def there(s, place):
    return z3.And(1 <= place, place <= s.q_length)


TRUTHS = {
    "None": ("q = <<>>", lambda s: s.q_length == 0),
    "NoneTheOtherWay": ("<<>> = q", lambda s: s.q_length == 0),
    "Some": ("q # <<>>", lambda s: s.q_length != 0),
    "NoneOfAPlace": ("lists[x] = <<>>", lambda s: s.lists_item_length[s.x] == 0),
    "NoHit": (
        "Hits(q, item) = 0",
        lambda s: z3.ForAll([P], z3.Implies(there(s, P), s.q_item[P] != s.item)),
    ),
    "NoHitWritten": (
        "Cardinality({i \\in DOMAIN q : q[i] \\in marked}) = 0",
        lambda s: z3.ForAll([P], z3.Implies(there(s, P), z3.Not(s.marked[s.q_item[P]]))),
    ),
    "NoHitOfEach": (
        "\\A i \\in DOMAIN q : Hits(r, q[i]) = 0",
        lambda s: z3.ForAll(
            [P, Q],
            z3.Implies(z3.And(there(s, P), 1 <= Q, Q <= s.r_length), s.q_item[P] != s.r_item[Q]),
        ),
    ),
    "NoneWithoutAHit": (
        "Cardinality({i \\in DOMAIN q : Hits(r, q[i]) = 0}) = 0",
        lambda s: z3.ForAll(
            [P],
            z3.Implies(
                there(s, P),
                z3.Exists([Q], z3.And(1 <= Q, Q <= s.r_length, s.q_item[P] == s.r_item[Q])),
            ),
        ),
    ),
    "EveryPlace": (
        "\\A i \\in DOMAIN q : row[q[i]] > i",
        lambda s: z3.ForAll([P], z3.Implies(there(s, P), s.row[s.q_item[P]] > P)),
    ),
    "Ranked": ("Rank(item) = x", lambda s: s.of_Rank[s.item] == s.x),
    "First": ("two[1] = x", lambda s: s.two_1 == s.x),
    "Second": ("two[2] = item", lambda s: s.two_2 == s.item),
    "HeadOfAll": ("Head(q) = item", lambda s: s.q_item[1] == s.item),
    "Length": ("Len(lists[x]) = y", lambda s: s.lists_item_length[s.x] == s.y),
}
"""Name -> the expression, and the formula."""
CHANGED = {
    "Appended": (
        "Append(q, item)",
        lambda s: s.q_length + 1,
        lambda s: z3.If(s.q_length + 1 == P, s.item, s.q_item[P]),
    ),
    "Taken": (
        "Tail(q)",
        lambda s: s.q_length - 1,
        lambda s: z3.If(z3.And(1 <= P, P < s.q_length), s.q_item[P + 1], ITEM.null),
    ),
    "Mapped": (
        "[i \\in DOMAIN q |-> IF i = x THEN item ELSE q[i]]",
        lambda s: s.q_length,
        lambda s: z3.If(s.x == P, s.item, s.q_item[P]),
    ),
    "MappedToNull": (
        "[i \\in DOMAIN q |-> IF q[i] \\in marked THEN NULL ELSE q[i]]",
        lambda s: s.q_length,
        lambda s: z3.If(s.marked[s.q_item[P]], ITEM.null, s.q_item[P]),
    ),
    "Filled": (
        "q \\o [i \\in 1..x |-> item]",
        lambda s: z3.If(s.x > 0, s.q_length + s.x, s.q_length),
        lambda s: z3.If(
            z3.And(s.q_length < P, P <= s.q_length + s.x, s.x > 0), s.item, s.q_item[P]
        ),
    ),
    "Cut": (
        "SubSeq(q, 1, x - 1) \\o SubSeq(q, x + 1, Len(q))",
        lambda s: s.q_length - 1,
        lambda s: z3.If(s.x > P, s.q_item[P], s.q_item[z3.If(s.q_length > P, P + 1, z3.IntVal(0))]),
    ),
}
"""Name -> the expression, its length, and what is at some place."""
HITS = "{{j \\in DOMAIN {0} : {0}[j] = {1}}}"
CHOSEN = "CHOOSE i \\in DOMAIN q : q[i] = item /\\ \\A j \\in 1..(i - 1) : ~(q[j] = item)"
REFUSED = {
    "Last": ("CHOOSE i \\in DOMAIN q : q[i] = item", INT, "CHOOSE of another place than the first"),
    "OtherTest": (
        "CHOOSE i \\in DOMAIN q : q[i] = item /\\ \\A j \\in 1..(i - 1) : ~(r[j] = item)",
        INT,
        "CHOOSE of another place than the first",
    ),
    "OtherEnd": (
        "CHOOSE i \\in DOMAIN q : q[i] = item /\\ \\A j \\in 1..(x - 1) : ~(q[j] = item)",
        INT,
        "CHOOSE of another place than the first",
    ),
    "OtherParts": (
        "SubSeq(q, 1, x - 1) \\o SubSeq(r, x + 1, Len(q))",
        sequence(ITEM),
        "sequences that are joined",
    ),
    "NumbersTaken": ("Tail(numbers)", sequence(INT), "Tail of a sequence of elements that are of"),
    "FirstForEach": (
        f"\\A i \\in Items : {HITS.format('r', 'i')} = {{}}",
        BOOL,
        "a choice for each value of a bound name",
    ),
    "FirstForSome": (
        f"\\E i \\in Items : {HITS.format('r', 'i')} = {{}}",
        BOOL,
        "a choice for each value of a bound name",
    ),
    "FirstForEachPlace": (
        f"\\A i \\in DOMAIN q : {HITS.format('r', 'q[i]')} = {{}}",
        BOOL,
        "a choice for each value of a bound name",
    ),
    "SearchForEachPlace": (
        "[i \\in DOMAIN q |-> First(r, i)[2]]",
        sequence(ITEM),
        "a choice for each value of a bound name",
    ),
    "PlacesForEachPlace": (
        f"[i \\in DOMAIN q |-> IF {HITS.format('q', 'q[i]')} = {{}} THEN NULL ELSE q[i]]",
        sequence(ITEM),
        "places of a sequence for each place of one",
    ),
    "PlacesForEachOfPlaces": (
        f"{{i \\in DOMAIN q : {HITS.format('r', 'q[i]')} = {{}}}} = {{}}",
        BOOL,
        "places of a sequence for each place of one",
    ),
    "SearchOfNumbers": ("First(numbers, 1)", pair(INT, INT), "this use of First"),
}
"""Name -> the expression, the wanted shape, and the error."""


@pytest.fixture(scope="module")
def expressed(modules):
    texts = {name: text for cases in (TRUTHS, CHANGED) for name, (text, *_) in cases.items()}
    texts |= {f"Refused{name}": text for name, (text, *_) in REFUSED.items()}
    texts |= {"Chosen": CHOSEN, "Found": "First(q, x)", "NewList": "Append(lists, <<>>)"}
    texts |= {"Placed": "[i \\in DOMAIN q |-> IF row[q[i]] > x THEN q[i] ELSE r[i]]"}
    lines = "\n".join(f"Is{name} == {text}" for name, text in texts.items())
    return Expressed(export.load(modules({"Mill": HEAD + lines})["Mill"]), WORDS)


@pytest.mark.parametrize("name", TRUTHS)
def test_a_formula_about_sequences_is_the_term_that_it_means(expressed, name):
    value, terms = expressed.of(f"Is{name}", BOOL)
    assert entails(terms.defining, value == TRUTHS[name][1](expressed.s))


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_sequence_has_its_length_and_its_places(expressed, name):
    _, length, item = CHANGED[name]
    value, terms = expressed.of(f"Is{name}", sequence(ITEM))
    assert set(value) == {"length", "item"}
    assert entails(terms.defining, value["length"] == length(expressed.s))
    assert entails(terms.defining, value["item"][P] == item(expressed.s))


@pytest.mark.parametrize("name", REFUSED)
def test_a_use_of_sequences_without_a_term_is_refused_with_its_place(expressed, name):
    _, want, says = REFUSED[name]
    with pytest.raises(OutsideSubset, match=r"module Mill, line \d+: ") as refused:
        expressed.of(f"IsRefused{name}", want)
    assert says in str(refused.value)


def test_a_choice_is_the_first_place_with_the_property(expressed):
    value, terms = expressed.of("IsChosen", INT)
    s, known = expressed.s, terms.defining
    hit = z3.And(there(s, P), s.q_item[P] == s.item)
    assert entails([*known, hit], z3.And(1 <= value, value <= P, s.q_item[value] == s.item))
    assert not entails([*known, hit], value == P)
    assert entails([*known, z3.ForAll([P], z3.Not(hit))], value == 0)


def test_a_search_finds_the_first_place_from_one_on_that_is_not_null(expressed):
    value, terms = expressed.of("IsFound", pair(INT, ITEM))
    s, known, found = expressed.s, [*terms.defining, *terms.obligations], value["1"]
    seen = [s.x <= P, P <= s.q_length]
    assert list(terms.chosen) == ["found_First"]
    assert entails([*known, *seen, found == 0], s.q_item[P] == ITEM.null)
    assert entails([*known, *seen, found != 0, found > P], s.q_item[P] == ITEM.null)
    here = z3.And(s.x <= found, found <= s.q_length, s.q_item[found] != ITEM.null)
    assert entails([*known, found != 0], here)
    assert entails(known, value["2"] == z3.If(found == 0, ITEM.null, s.q_item[found]))
    for place in range(1, 5):
        items = [s.q_item[n] == (ITEM.null if n < place else s.item) for n in range(1, 4)]
        case = [*known, *items, s.q_length == 3, s.x == 1, s.item != ITEM.null]
        assert not entails(case, z3.BoolVal(False))
        assert entails(case, found == (0 if place == 4 else place))
    assert entails(terms.obligations, s.x >= 1) and not entails(terms.defining, s.x >= 1)


def test_a_new_list_is_there_where_what_is_behind_the_others_is_blank(expressed):
    value, terms = expressed.of("IsNewList", sequence(sequence(ITEM)))
    s, behind = expressed.s, expressed.s.lists_length + 1
    assert entails([], value["length"] == behind)
    assert value["item"]["length"].eq(s.lists_item_length)
    assert value["item"]["item"].eq(s.lists_item_item)
    blank = z3.And(s.lists_item_length[behind] == 0, s.lists_item_item[behind] == BLANK)
    assert entails([blank], z3.And(terms.obligations))
    assert entails(terms.obligations, s.lists_item_length[behind] == 0)
    assert entails(terms.obligations, s.lists_item_item[behind][P] == ITEM.null)


def test_what_is_made_for_each_place_obliges_at_each_place_alone(expressed):
    value, terms = expressed.of("IsPlaced", sequence(ITEM))
    s = expressed.s
    value_ = z3.If(s.row[s.q_item[P]] > s.x, s.q_item[P], s.r_item[P])
    assert entails([], value["item"][P] == value_)
    every = z3.ForAll([P], z3.Implies(there(s, P), s.q_item[P] != ITEM.null))
    assert entails([every, s.q_length <= s.r_length], z3.And(terms.obligations))
    assert entails([*terms.obligations, there(s, P)], s.q_item[P] != ITEM.null)
    assert not entails(terms.obligations, s.q_length <= s.r_length)
    assert not any(PLACE.eq(each) for each in terms.obligations)


OBLIGED = {
    "HeadOfAll": lambda s: s.q_length > 0,
    "Taken": lambda s: s.q_length > 0,
    "Cut": lambda s: z3.And(1 <= s.x, s.x <= s.q_length),
    "NoneOfAPlace": lambda s: z3.And(1 <= s.x, s.x <= s.lists_length),
}
"""Name -> what a sequence must have where the expression is used."""


@pytest.mark.parametrize("name", OBLIGED)
def test_what_is_read_of_a_sequence_must_be_there(expressed, name):
    _, terms = expressed.of(f"Is{name}", BOOL if name in TRUTHS else sequence(ITEM))
    assert entails([], z3.And(terms.obligations) == OBLIGED[name](expressed.s))
