"""Which terms and premises a proof about module Purgatory needs, and which goals go together.

A consequence of instances follows from the premises, so a choice of them assumes nothing.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3

from proofs.purgatory.ghosts import key_at
from proofs.purgatory.state import KEY, NO_KEY, THREAD, WATCHERS

_OF_THREADS = ("at", "via", "result", "tour", "on", "section", "room", "key", "found")
_OF_CALLS = (
    *("calls_have_their_places", "calls_save_what_was", "works_on_one"),
    *("viewed_has_its_levels", "counts_are_in_range"),
)
ITERATORS = (
    *("lists_are_made", "traversal_is_in_its_list", "cancel_is_in_its_list"),
    "purge_is_in_its_list",
)
"""Conjuncts about lists and the iterators in them."""
_OF_LABELS = (
    *("only_labels_of_blocking", "label_is_of_the_innermost", "program_is_followed"),
    *("raised_unwinds", "entered_once", "callers_lock_is_held", "keys_are_there"),
)
LATE = ("nothing_is_behind_a_list", "viewed_is_at_its_place")
"""Conjuncts about every place of every list: few goals need them."""
_OF_STACKS = (
    *_OF_LABELS,
    *("calls_have_their_places", "calls_save_what_was", "works_on_one", "viewed_has_its_levels"),
)
_OF_LETTERS = {
    "W": ("lists_are_made", "counts_are_in_range", "keys_in_order"),
    "R": ("lists_are_made", "home_is_a_list"),
    "C": ("lists_are_made", "traversal_is_in_its_list"),
    "F": ("lists_are_made", "cancel_is_in_its_list"),
    "H": ("purge_is_in_its_list",),
    "G": ("lists_are_made", "counts_are_in_range"),
    "N": ("counts_are_in_range",),
}
"""A label's first letter -> the conjuncts about the state where it is taken, besides the stacks."""


def likely(label: str) -> tuple[str, ...]:
    """The conjuncts from which most goals of a label's ways follow."""
    return (*_OF_STACKS, *_OF_LETTERS.get(label[0], ()))


def together(goal: str) -> str:
    """A name that goals have in common that are proved at once, since they need like premises."""
    case, _, variable = goal.partition(": ")
    if variable:
        if variable in ("passed", "takes"):
            return goal
        return f"{case}: threads" if variable in _OF_THREADS else f"{case}: others"
    for group in _OF_LABELS, _OF_CALLS, ITERATORS:
        if goal in group:
            return group[0]
    return "cases" if goal.startswith("obligation") else goal


_KEYS = {"C": "ck", "F": "fk", "H": "hk", "R": "rk"}
_NUMBERS = {"C": "mine", "F": "gone", "H": "hw", "R": "rw"}
_PLACES = {
    "C": ("ahead_1", "here_1"),
    "F": ("left_1", "held_1"),
    "H": ("some_1", "one_1"),
    "R": (),
}
"""A label's first letter -> its variables: the key, the number of the list, places in it."""


def terms(label: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, list[z3.ExprRef]]:
    """The terms that links are taken at, by the name of the bound variable."""
    height, entry, forcing = s.stack_height[t], s.entry[t], s.forcing[t]
    first, second = z3.Ints("any_Int_1 any_Int_2")
    levels = [
        *(height, height - 1, height + 1, forcing, entry, entry + 1, entry + 2),
        *map(z3.IntVal, range(1, 5)),
        *(first, first - 1),
    ]
    any_one = z3.Const(f"any_{THREAD.name}_1", THREAD.z3)
    any_key = z3.Const(f"any_{KEY.name}_1", KEY.z3)
    any_list = z3.Const(f"any_{WATCHERS.name}_1", WATCHERS.z3)
    numbers = [z3.IntVal(0), first, s.list[any_key], s.home[any_key], s.number_of[any_list]]
    places = [first, second, s.turn[t], s.turn[t] - 1, s.nth[t], s.spot[any_key]]
    table: dict[str, list[z3.ExprRef]] = {"level_number": levels, "thread": [t, any_one]}
    letter = label[0]
    if letter in _KEYS or letter == "W":
        key = key_at(s, t) if letter == "W" else getattr(s, _KEYS[letter])[t]
        number = (s.found if letter == "W" else getattr(s, _NUMBERS[letter]))[t]
        keys = [
            NO_KEY,
            key,
            any_key,
            s.key_of[any_list],
            s.ck[any_one],
            s.fk[any_one],
            s.hk[any_one],
        ]
        numbers += [number, s.home[key], s.list[key], s.content_length[key] + 1]
        numbers += [getattr(s, number)[any_one] for number in _NUMBERS.values()]
        places += [s.spot[key], z3.Int("found_First!")]
        places += [getattr(s, variable)[t] for variable in _PLACES.get(letter, ())]
        places += [
            getattr(s, variable)[any_one] for place in _PLACES.values() for variable in place
        ]
        if letter == "W":
            places.append(s.content_item_length[key][number] + 1)
            table["one_shard"] = [s.of_Shard[key]]
        table["one_key"] = keys
    table |= dict.fromkeys(("place_number", "place_of_none", "place_before"), places)
    return table | {"list_number": numbers}
