"""The queue of a timer's module: it is a heap as long as no queued bucket gets another key.

Which steps give the queue or a key another value, and the value itself, is read from the tree.
"""

from __future__ import annotations

from collections.abc import Sequence as Many
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from proofs.heap.conditions import KEY, Heap, S
from proofs.heap.sequences import Sequence, is_heap, places
from proofs.heap.steps import KEY as GIVES_KEY
from proofs.heap.steps import Steps
from proofs.heap.values import Listed
from proofs.heap.values import is_heap as of_keys
from wheelproof.prove.invariant.subject import digest
from wheelproof.prove.kernel import VC, Control, Obligation, ProofError, Theory, refuted
from wheelproof.prove.late import LateVC

AFTER = Sequence.any("queue_after")
CHANGED, VALUE = z3.Ints("changed value")
HEAP_BEFORE = {"length": S.length >= 0, "heap": is_heap(S, KEY)}


def with_key(element: Any) -> z3.ArithRef:
    """The keys after that of the element CHANGED has become VALUE."""
    return z3.If(element == CHANGED, VALUE, KEY(element))


@dataclass(frozen=True)
class Queue:
    """The verification conditions of the queue: the start, its operators, and changed keys.

    ``heap``: the operators of its module.
    """

    heap: Heap

    def steps(self) -> Steps:
        return Steps(self.heap.load(), "queue", "key", frozenset({self.heap.offer, self.heap.poll}))

    def start(self) -> VC:
        """Init makes it empty."""
        value = self.steps().start()
        return VC("start", {"length": value.length == S.length}, is_heap(value, KEY))

    def operator(self, name: str) -> VC:
        """A step that gives it an operator's value of it and of the keys keeps the heap."""
        if not self.steps().labels(name):
            raise ProofError(f"{self.heap.prefix}: no step gives the queue what {name} makes.")
        theorem = z3.Implies(z3.And(*HEAP_BEFORE.values()), is_heap(AFTER, KEY))
        lemma = f"{self.heap.title(name)} #1"
        premises = HEAP_BEFORE | {lemma: theorem}
        cites = {lemma: self.heap.title(name)}
        return VC(name, premises, is_heap(AFTER, KEY), self.heap.vivid(), cites=cites)

    def key(self) -> VC:
        """A step that gives another key to a bucket which is not in it keeps the heap."""
        if not self.steps().labels(GIVES_KEY):
            raise ProofError(f"{self.heap.prefix}: no step gives a key.")
        is_elsewhere = places(S, lambda j: S.at(j) != CHANGED)
        premises = HEAP_BEFORE | {"not queued": is_elsewhere}
        vivid = [*self.heap.vivid(), CHANGED == 9]
        return VC("a key", premises, is_heap(S, with_key), vivid)


def no_heap_then(model: z3.ModelRef) -> str:
    """ "" where a list is a heap, and is none once a key of it has changed."""
    listing = Listed(model)
    elements, keys = listing.elements("s"), listing.keys_of("s")
    bucket, value = listing.value("changed"), listing.value("value")
    after = [
        value if element == bucket else key for element, key in zip(elements, keys, strict=True)
    ]
    if not of_keys(keys):
        return f"{keys} is no heap"
    return f"{after} is a heap too" if of_keys(after) else ""


THREE = 3


def queued_key() -> Control:
    """The theorem without its condition on keys."""
    return refuted(
        VC(
            "a queued key",
            {"heap": is_heap(S, KEY, THREE), "three": S.length == THREE},
            is_heap(S, with_key, THREE),
            [S.at(z3.IntVal(place)) == place for place in range(1, THREE + 1)],
        ),
        "a bucket gets another key while it is queued",
        no_heap_then,
    )


def submit(
    theory: Theory,
    queue: Queue,
    module: str,
    says: str = "",
    more: Many[Obligation] = (),
    rests_on: tuple[str, ...] = (),
) -> None:
    """The theorem about the queue. ``says``, ``more``, ``rests_on``: a further statement of it."""
    heap = queue.heap
    theory.theorem(
        f"{heap.prefix}.Queue",
        f"The queue of module {module}, as SANY has read it (SHA-256 {digest(theory.mechanism)}), "
        "is a heap as long as no queued bucket gets another key. Init makes it empty. Each step "
        "that gives it another value offers a bucket or polls, with the keys of that moment."
        f"{says}",
        [
            LateVC("start", queue.start),
            *[LateVC(name, partial(queue.operator, name)) for name in (heap.offer, heap.poll)],
            LateVC("a key", queue.key),
            *more,
        ],
        [queued_key()],
        rests_on=(heap.title(heap.offer), heap.title(heap.poll), *rests_on),
        assumes=("A-INDUCTION",),
        profile="nightly",
    )
