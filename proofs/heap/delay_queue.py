"""The heap of module DelayQueue, whose elements are the moments at which they are due."""

from __future__ import annotations

from itertools import pairwise

import z3

from proofs.heap.conditions import Heap, S
from proofs.heap.counting import THEORY as COUNTING
from proofs.heap.planted import ELEMENTS, ORDER, Planted, Specified
from proofs.heap.submitted import operators
from wheelproof.prove import variants
from wheelproof.prove.kernel import Theory
from wheelproof.tla.syntax import Module

NAME = "delay_queue"


def module() -> Module:
    """Module DelayQueue, as SANY has read it."""
    return variants.specification(NAME).module


HEAP = Heap(module, "DelayQueue", keyed=False, offer="With", poll="Rest")


def apart(*places: int) -> tuple[z3.BoolRef, ...]:
    """The elements at these places are not the same."""
    at = [S.at(z3.IntVal(place)) for place in places]
    return tuple(first < second for first, second in pairwise(at))


FAULTS = (
    Planted(
        "stays below",
        "Up ends where an element is below its parent",
        "s[i] >= s[i \\div 2] THEN",
        "s[i] <= s[i \\div 2] THEN",
        "Up",
        ORDER,
        3,
    ),
    Planted(
        "a copy",
        "Swap copies an element over the other",
        "![i] = s[j], ![j] = s[i]]",
        "![i] = s[j], ![j] = s[j]]",
        "Up",
        ELEMENTS,
        2,
    ),
    Planted(
        "the greater child",
        "Down takes the greater child",
        "s[2 * i] > s[2 * i + 1]",
        "s[2 * i] < s[2 * i + 1]",
        "Down",
        ORDER,
        3,
    ),
    Planted(
        "no last child",
        "Down does not look at a right child that is the last element",
        "IF 2 * i < Len(s) /\\ s[2 * i]",
        "IF 2 * i + 1 < Len(s) /\\ s[2 * i]",
        "Down",
        ORDER,
        3,
    ),
    Planted(
        "before the end",
        "With begins one place before the new element",
        "Up(Append(s, x), Len(s) + 1)",
        "Up(Append(s, x), Len(s))",
        "With",
        ORDER,
        1,
    ),
    Planted(
        "the last twice",
        "Rest leaves the last element at its place, too",
        "SubSeq(s, 2, Len(s) - 1)",
        "SubSeq(s, 2, Len(s))",
        "Rest",
        ELEMENTS,
        3,
        apart(1, 2, 3),
    ),
)

THEORY = Theory("heap.delay_queue", mechanism="delay_queue", after=(COUNTING,))
operators(THEORY, HEAP, "module DelayQueue", FAULTS, Specified(NAME))
