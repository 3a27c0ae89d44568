"""The heap of module SystemTimer: its operators, and the queue that they keep.

The guards by which Spec.SystemTimer reads the first bucket of the queue follow from its theorem.
"""

from __future__ import annotations

import z3

from proofs.heap.conditions import KEY, PLACE, Heap
from proofs.heap.counting import THEORY as COUNTING
from proofs.heap.planted import ELEMENTS, ORDER, Planted, Specified
from proofs.heap.queues import Queue, submit
from proofs.heap.sequences import Sequence, first_is_least
from proofs.heap.submitted import operators
from proofs.system_timer.runs import system
from proofs.system_timer.steps import BUCKET, C
from wheelproof.prove import variants
from wheelproof.prove.kernel import VC, Theory
from wheelproof.prove.late import LateVC
from wheelproof.tla.syntax import Module

NAME = "system_timer"


def module() -> Module:
    """Module SystemTimer, as SANY has read it."""
    return variants.specification(NAME).module


HEAP = Heap(module, "Heap")

FAULTS = (
    Planted(
        "stays below",
        "Up ends where the key is below its parent's",
        "k[s[i]] >= k[s[p]]",
        "k[s[i]] <= k[s[p]]",
        "Up",
        ORDER,
        3,
    ),
    Planted(
        "another parent",
        "the parent of a place is half of the place after it",
        "LET p == i \\div 2 IN",
        "LET p == (i + 1) \\div 2 IN",
        "Up",
        ORDER,
        5,
        (PLACE == 5, KEY(3) <= KEY(5)),
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
        "Down takes the child with the greater key",
        "k[s[2 * i]] > k[s[2 * i + 1]]",
        "k[s[2 * i]] < k[s[2 * i + 1]]",
        "Down",
        ORDER,
        3,
    ),
    Planted(
        "no right child",
        "Down looks at the left child alone",
        "THEN 2 * i + 1 ELSE 2 * i",
        "THEN 2 * i ELSE 2 * i",
        "Down",
        ORDER,
        3,
    ),
    Planted(
        "before the end",
        "Offer begins one place before the new element",
        "Up(Append(s, b), Len(s) + 1, k)",
        "Up(Append(s, b), Len(s), k)",
        "Offer",
        ORDER,
        1,
    ),
    Planted(
        "the second first",
        "Poll puts the second element first, and loses the last",
        "IF i = 1 THEN s[Len(s)] ELSE s[i]",
        "IF i = 1 THEN s[2] ELSE s[i]",
        "Poll",
        ELEMENTS,
        3,
    ),
    Planted(
        "from the second place",
        "Poll begins at the second place",
        "ELSE s[i]], 1, k)",
        "ELSE s[i]], 2, k)",
        "Poll",
        ORDER,
        3,
    ),
)

THEORY = Theory("heap.timer", mechanism="system_timer", after=(COUNTING,))
operators(THEORY, HEAP, "module SystemTimer", FAULTS, Specified(NAME))


# -- the queue


def guards() -> VC:
    """The first of a heap has a smallest key: the assumption of Spec.SystemTimer about its terms.

    The terms have how often each bucket is in the queue, and the first one (A-HEAP).
    """
    module = system()()
    s, order = module.symbols(), Sequence.any("order", BUCKET.z3)
    place = z3.Function("place_of", BUCKET.z3, z3.IntSort())
    first_place = z3.IntVal(1)
    heads = [
        (module.way(name).firsts["first_queue"].element, guard)
        for name in module.actions()
        for guard in module.heap(name, s)
    ]
    has_place = z3.And(order.has(place(C)), order.at(place(C)) == C)
    firsts = [z3.Implies(order.length >= 1, first == order.at(first_place)) for first, _ in heads]
    premises = {
        "queued has a place": z3.ForAll([C], z3.Or(s.queue[C] <= 0, has_place)),
        "first": z3.And(firsts),
        "Heap.First #1": z3.Or(s.changed, first_is_least(order, lambda b: s.key[b])),
    }
    goal = z3.And([guard for _, guard in heads])
    return VC("guards", premises, goal, cites={"Heap.First #1": "Heap.First"})


QUEUE = Queue(HEAP)
submit(
    THEORY,
    QUEUE,
    "SystemTimer",
    " The first bucket of a heap has a smallest key, as the guards of Spec.SystemTimer say.",
    [LateVC("guards", guards)],
    ("Heap.First",),
)
