"""Theorems about module OverflowWheel itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from functools import partial

import z3

from proofs.overflow_wheel.planted import FAULTS
from proofs.overflow_wheel.published import Published, first
from proofs.overflow_wheel.runs import SMALL, Here, elements, rigid
from proofs.overflow_wheel.unlinked import Unlinked
from proofs.overflow_wheel.words import NAME, WORDS
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.kernel import Theory


def hints(wheel: Published, name: str) -> list[z3.ExprRef]:
    """The first wheel and its stores' places, the operation that a thread is in, new places."""
    s = wheel.symbols()
    threads = z3.Consts("t! any_Process_1", wheel.WORDS.threads.z3)
    terms = [z3.IntVal(1), first(s), s.slot, *[s.turn[thread] - 1 for thread in threads]]
    for extreme, item in wheel.way(name).extremes.items() if name else ():
        place = z3.Const(f"{extreme}!", item.sort.z3)
        terms.append(place + 1 if item.index is None else place[first(s)])
    return terms


SUBJECT = Subject(
    NAME,
    WORDS,
    {Published: "Spec.OverflowWheel", Unlinked: "Spec.OverflowWheelCancel"},
    SMALL,
    {"slot": 0},
    rigid,
    elements,
    hints,
    placing=Here,
)
THEORY = Theory("protocols.overflow_wheel_module", mechanism=NAME)
READ, ASSUMED = SUBJECT.read, ("A-MEMORY", "A-PLACES")
submit = partial(SUBJECT.submit, THEORY, faults=FAULTS, grain=("A-GRAIN",))

submit(
    Published,
    f"SafePublication, OneOverflowWheel and CancelWins in each state {READ}. Who is given the "
    "wheel above the lowest one, and who finds it under the monitor, sees its time as the "
    "constructor stored it. No store into a volatile field waits in the buffer.",
    assumes=ASSUMED,
)
submit(
    Unlinked,
    f"CancelUnlinks in each state {READ}, where an entry that is linked at the start is never "
    "added, and one that is added is cancelled once at most.",
    assumes=(*ASSUMED, "A-CANCEL"),
)
