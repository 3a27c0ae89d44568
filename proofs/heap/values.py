"""Counterexamples as lists of numbers, computed again in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import z3

from proofs.elections.replays import Values

LONGEST = 8
"""A counterexample with a longer sequence is not computed again."""


class Listed:
    """Sequences and keys of a model. ``keyed``: elements have keys, and are no keys themselves."""

    def __init__(self, model: z3.ModelRef, keyed: bool = True) -> None:
        self.value, self.keyed = Values(model), keyed

    def elements(self, name: str) -> list[int]:
        length = min(self.value(f"{name}_length"), LONGEST)
        return [self.value(name, place) for place in range(1, length + 1)]

    def key(self, element: int) -> int:
        return self.value("key", element) if self.keyed else element

    def keys_of(self, name: str) -> list[int]:
        return [self.key(element) for element in self.elements(name)]

    def heap(self, name: str) -> bool:
        return is_heap(self.keys_of(name))


def is_heap(keys: Sequence[int]) -> bool:
    """Whether no key is below that of its parent."""
    return all(keys[(place - 1) // 2] <= key for place, key in enumerate(keys) if place > 0)


def is_heap_but(keys: Sequence[int], place: int, lifts: bool) -> bool:
    """Whether a list is a heap but for the key at a place, from 1.

    ``lifts``: that key may be below its parent's, and not above its children's; else the reverse.
    """
    wrong = [
        (child // 2, child)
        for child in range(2, len(keys) + 1)
        if keys[child // 2 - 1] > keys[child - 1]
    ]
    near = all(
        keys[place // 2 - 1] <= keys[child - 1]
        for child in (2 * place, 2 * place + 1)
        if place > 1 and child <= len(keys)
    )
    return near and all((child if lifts else parent) == place for parent, child in wrong)


def differs(first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether some element is in one of them more often."""
    return Counter(first) != Counter(second)


Replay = Callable[[z3.ModelRef], str]
