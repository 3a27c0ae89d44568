"""Sets: whether one is empty, what is in one, and one with elements more or less."""

from __future__ import annotations

import pytest
import z3

from tests.wheelproof.prove.module.expressed import Expressed, entails
from wheelproof.prove.module.sets import size
from wheelproof.prove.module.shapes import (
    INT,
    Pairs,
    Record,
    Subset,
    Vocabulary,
    flags,
    partial,
    prefixed,
    sequence,
    spaced,
)
from wheelproof.prove.module.values import equal
from wheelproof.prove.ts.system import WHOLE, sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

HAND, ITEM = sort("Packer", "no_packer"), sort("Crate", "no_crate")
WORDS = Vocabulary(
    threads=HAND,
    sets={"Hands": HAND, "Items": ITEM},
    variables={
        **dict.fromkeys(["x", "y"], INT),
        **dict.fromkeys(["item", "other"], ITEM),
        "hand": HAND,
        "marked": Subset(ITEM),
        "some": partial(ITEM, INT),
        "seq": sequence(ITEM),
        "gaps": spaced(ITEM),
        "marks": flags("red blue"),
        "held": Pairs(HAND, ITEM),
        "seats": Pairs(ITEM, WHOLE),
        "cell": Record({"n": INT}),
        "pc": prefixed("PackerLabel", "at", "Nowhere A"),
    },
)
HEAD = (
    "CONSTANTS Hands, Items, NULL\n"
    f"VARIABLES {', '.join(WORDS.variables)}, stack\n"
    "Few == {1, y}\nAround(n) == {n - 1, n + 1}\nMarked == marked\n"
    "Has(mark) == mark \\in marks\nHits(s, e) == {i \\in DOMAIN s : s[i] = e}\n"
)
I, P = z3.Const("some_item", ITEM.z3), z3.Int("some_place")


def marks(s, **new):
    return {"red": s.marks_red, "blue": s.marks_blue} | new


def pairs(array, one, other, there):
    return z3.Store(array, one, z3.Store(array[one], other, there))


VALUES = {
    # -- empty
    "NoneMarked": ("marked = {}", lambda s: z3.ForAll([I], z3.Not(s.marked[I]))),
    "NoneOfADefinition": ("{} = Marked", lambda s: z3.ForAll([I], z3.Not(s.marked[I]))),
    "SomeMarked": ("marked # {}", lambda s: z3.Exists([I], s.marked[I])),
    "NoneInADomain": ("DOMAIN some = {}", lambda s: z3.ForAll([I], z3.Not(s.some_has[I]))),
    "NoHitInASequence": (
        "{i \\in DOMAIN seq : seq[i] = item} = {}",
        lambda s: z3.ForAll(
            [P],
            z3.Implies(z3.And(1 <= P, P <= s.seq_length), s.seq_item[P] != s.item),
        ),
    ),
    "NoHitInPlacesWithGaps": (
        "Hits(gaps, item) = {}",
        lambda s: z3.ForAll(
            [P], z3.Implies(z3.And(1 <= P, s.gaps_has[P]), s.gaps_item[P] != s.item)
        ),
    ),
    # -- in a set
    "InAFew": ("x \\in {1, y, 3}", lambda s: z3.Or(s.x == 1, s.x == s.y, s.x == 3)),
    "InNone": ("x \\in {}", lambda s: False),
    "InADefinition": ("x \\in Few", lambda s: z3.Or(s.x == 1, s.x == s.y)),
    "NotInADefinition": ("x \\notin Few", lambda s: z3.And(s.x != 1, s.x != s.y)),
    "InADefinitionOfANumber": (
        "x \\in Around(y)",
        lambda s: z3.Or(s.x == s.y - 1, s.x == s.y + 1),
    ),
    "SameText": ('"red" \\in {"blue", "red"}', lambda s: True),
    "OtherText": ('"red" \\in {"blue"}', lambda s: False),
    "InADomain": ("item \\in DOMAIN some", lambda s: s.some_has[s.item]),
    "InPlaces": ("x \\in DOMAIN seq", lambda s: z3.And(1 <= s.x, s.x <= s.seq_length)),
    "Marked": ("item \\in marked", lambda s: s.marked[s.item]),
    "MarkedByName": ("item \\in Marked", lambda s: s.marked[s.item]),
    "Flag": ('"red" \\in marks', lambda s: s.marks_red),
    "FlagOfAnArgument": ('Has("blue")', lambda s: s.marks_blue),
    # -- more and less
    "Added": ("marked \\cup {item}", lambda s: z3.Store(s.marked, s.item, True)),
    "AddedTwo": (
        "marked \\cup {item, other}",
        lambda s: z3.Store(z3.Store(s.marked, s.item, True), s.other, True),
    ),
    "Removed": ("marked \\ {item}", lambda s: z3.Store(s.marked, s.item, False)),
    "FlagAdded": ('marks \\cup {"red"}', lambda s: marks(s, red=True)),
    "FlagsRemoved": ('marks \\ {"red", "blue"}', lambda s: marks(s, red=False, blue=False)),
    "PairAdded": ("held \\cup {<<hand, item>>}", lambda s: pairs(s.held, s.hand, s.item, True)),
    "PairRemoved": ("held \\ {<<hand, item>>}", lambda s: pairs(s.held, s.hand, s.item, False)),
    "SeatAdded": ("seats \\cup {<<item, x>>}", lambda s: pairs(s.seats, s.item, s.x, True)),
    "Size": ("Cardinality(marked)", lambda s: size(ITEM)(s.marked)),
}
"""Name -> the expression, and the term."""
REFUSED = {
    "EmptyRecord": ("cell = {}", "= {} of a set that is no variable"),
    "EmptyRange": ("1..x = {}", "= {} of a set that is no variable"),
    "InARange": ("x \\in 1..y", "\\in a set that is neither enumerated nor a variable"),
    "InANumber": ("x \\in y", "\\in a set that is neither enumerated nor a variable"),
    "OtherFlag": ('"green" \\in marks', "\\in a set that is neither enumerated nor a variable"),
    "OtherFlagAdded": ('marks \\cup {"green"}', '"green" in a set of other strings'),
    "ItemAdded": ("marks \\cup {item}", "item in a set of other strings"),
    "NumberAdded": ("x \\cup {1}", "\\union of sets that are no variable"),
    "NumberRemoved": ("x \\ {1}", "\\ of sets that are no variable"),
}


@pytest.fixture(scope="module")
def expressed(modules):
    texts = {name: text for name, (text, _) in VALUES.items()}
    texts |= {f"Refused{name}": text for name, (text, _) in REFUSED.items()}
    lines = "\n".join(f"Is{name} == {text}" for name, text in texts.items())
    return Expressed(export.load(modules({"Packing": HEAD + lines})["Packing"]), WORDS)


@pytest.mark.parametrize("name", VALUES)
def test_an_expression_about_sets_is_the_term_that_it_means(expressed, name):
    value, terms = expressed.of(f"Is{name}")
    assert entails(terms.defining, equal(value, VALUES[name][1](expressed.s)))


@pytest.mark.parametrize("name", REFUSED)
def test_a_set_without_a_term_is_refused_with_its_place(expressed, name):
    with pytest.raises(OutsideSubset, match=r"module Packing, line \d+: ") as refused:
        expressed.of(f"IsRefused{name}")
    assert REFUSED[name][1] in str(refused.value)
