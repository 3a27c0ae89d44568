"""The heap of module PartedTimer: the text of module SystemTimer, with steps of its own."""

from __future__ import annotations

from proofs.heap.conditions import Heap
from proofs.heap.counting import THEORY as COUNTING
from proofs.heap.planted import Specified
from proofs.heap.queues import Queue, submit
from proofs.heap.submitted import operators
from proofs.heap.timer import FAULTS
from wheelproof.prove import variants
from wheelproof.prove.kernel import Theory
from wheelproof.tla.syntax import Module

NAME = "parted_timer"


def module() -> Module:
    """Module PartedTimer, as SANY has read it."""
    return variants.specification(NAME).module


HEAP = Heap(module, "PartedTimer")
THEORY = Theory("heap.parted", mechanism="parted_timer", after=(COUNTING,))
operators(THEORY, HEAP, "module PartedTimer", FAULTS, Specified(NAME))
submit(THEORY, Queue(HEAP), "PartedTimer")
