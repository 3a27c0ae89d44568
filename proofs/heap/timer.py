"""The heap of module SystemTimer: its operators, and the queue that they keep.

That the queue is a heap is an invariant of the module's steps. Which steps give the queue or a key
another value, and what they give, is read from the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import z3

from proofs.heap.conditions import KEY, PLACE, Heap, S
from proofs.heap.counting import THEORY as COUNTING
from proofs.heap.planted import ELEMENTS, ORDER, Planted, Specified
from proofs.heap.sequences import Sequence, first_is_least, is_heap, places
from proofs.heap.steps import KEY as GIVES_KEY
from proofs.heap.steps import Steps
from proofs.heap.submitted import operators
from proofs.heap.values import Listed
from proofs.heap.values import is_heap as of_keys
from proofs.kernel import VC, ProofError, Theory, refuted
from proofs.protocols import mutated
from proofs.protocols.own_invariant import digest
from proofs.protocols.system_timer_runs import system
from proofs.protocols.system_timer_steps import BUCKET, C
from proofs.protocols.theory import LateVC
from wheelproof.tla.syntax import Module

NAME = "system_timer"


def module() -> Module:
    """Module SystemTimer, as SANY has read it."""
    return mutated.specification(NAME).module


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

THEORY = Theory("heap.timer", mechanism=NAME, after=(COUNTING,))
operators(THEORY, HEAP, "module SystemTimer", FAULTS, Specified(NAME))


# -- the queue

AFTER = Sequence.any("queue_after")
CHANGED, VALUE = z3.Ints("changed value")
HEAP_BEFORE = {"length": S.length >= 0, "heap": is_heap(S, KEY)}


def with_key(element: Any) -> z3.ArithRef:
    """The keys after that of the element CHANGED has become VALUE."""
    return z3.If(element == CHANGED, VALUE, KEY(element))


class Queue:
    """The verification conditions of the queue: the start, its operators, and changed keys.

    ``load``: the module.
    """

    def __init__(self, load: Callable[[], Module] = module) -> None:
        self.load = load

    def steps(self) -> Steps:
        return Steps(self.load(), "queue", "key", {"Offer": 3, "Poll": 2})

    def start(self) -> VC:
        """Init makes it empty."""
        value = self.steps().start()
        return VC("start", {"length": value.length == S.length}, is_heap(value, KEY))

    def operator(self, name: str) -> VC:
        """A step that gives it what an operator makes of it and of the keys keeps the heap."""
        labels = self.steps().labels(name)
        theorem = z3.Implies(z3.And(*HEAP_BEFORE.values()), is_heap(AFTER, KEY))
        cited = f"Heap.{name} #1"
        premises = HEAP_BEFORE | ({cited: theorem} if labels else {})
        return VC(name, premises, is_heap(AFTER, KEY), HEAP.vivid(), cites={cited: f"Heap.{name}"})

    def key(self) -> VC:
        """A step that gives another key to a bucket which is not in it keeps the heap."""
        if not self.steps().labels(GIVES_KEY):
            raise ProofError("No step of module SystemTimer gives a key.")
        unqueued = places(S, lambda j: S.at(j) != CHANGED)
        premises = HEAP_BEFORE | {"not queued": unqueued}
        return VC("a key", premises, is_heap(S, with_key), [*HEAP.vivid(), CHANGED == 9])

    def guards(self) -> VC:
        """The first of a heap has a smallest key: what Spec.SystemTimer assumes of its terms.

        The terms have how often each bucket is in the queue, and the first one (A-HEAP).
        """
        of = system()()
        s, order = of.symbols(), Sequence.any("order", BUCKET.z3)
        place = z3.Function("place_of", BUCKET.z3, z3.IntSort())
        one = z3.IntVal(1)
        found = [
            (of.way(name).firsts["first_queue"].element, guard)
            for name in of.actions()
            for guard in of.heap(name, s)
        ]
        named = z3.And(order.has(place(C)), order.at(place(C)) == C)
        firsts = [z3.Implies(order.length >= 1, first == order.at(one)) for first, _ in found]
        premises = {
            "queued has a place": z3.ForAll([C], z3.Or(s.queue[C] <= 0, named)),
            "first": z3.And(firsts),
            "Heap.First #1": z3.Or(s.changed, first_is_least(order, lambda b: s.key[b])),
        }
        goal = z3.And([guard for _, guard in found])
        return VC("guards", premises, goal, cites={"Heap.First #1": "Heap.First"})


def no_heap_then(model: z3.ModelRef) -> str:
    """ "" where a list is a heap, and is none once a key of it has changed."""
    found = Listed(model)
    elements, keys = found.elements("s"), found.keys_of("s")
    changed, value = found.value("changed"), found.value("value")
    after = [value if each == changed else key for each, key in zip(elements, keys, strict=True)]
    if not of_keys(keys):
        return f"{keys} is no heap"
    return f"{after} is a heap too" if of_keys(after) else ""


QUEUE = Queue()
THREE = 3
THEORY.theorem(
    "Heap.Queue",
    f"The queue of module SystemTimer, as SANY has read it (SHA-256 {digest(NAME)}), is a heap as "
    "long as no queued bucket gets another key. Init makes it empty. Each step that gives it "
    "another value offers a bucket or polls, with the keys of that moment. The first bucket of a "
    "heap has a smallest key, as the guards of Spec.SystemTimer say.",
    [
        LateVC("start", QUEUE.start),
        *[LateVC(name, partial(QUEUE.operator, name)) for name in ("Offer", "Poll")],
        LateVC("a key", QUEUE.key),
        LateVC("guards", QUEUE.guards),
    ],
    [
        refuted(
            VC(
                "a queued key",
                {"heap": is_heap(S, KEY, THREE), "three": S.length == THREE},
                is_heap(S, with_key, THREE),
                [S.at(z3.IntVal(place)) == place for place in range(1, THREE + 1)],
            ),
            "a bucket gets another key while it is queued",
            no_heap_then,
        )
    ],
    rests_on=("Heap.Offer", "Heap.Poll", "Heap.First"),
    assumes=("A-INDUCTION",),
    profile="nightly",
)
