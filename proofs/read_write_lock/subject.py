"""Module ReadWriteLock as a subject: what its conditions need to know, and small runs of it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import z3

from proofs.read_write_lock.invariant import Lock
from proofs.read_write_lock.words import NAME, THREAD, WORDS
from wheelproof.prove.invariant.conditions import numbered
from wheelproof.prove.invariant.subject import Subject, numbers
from wheelproof.prove.module import sizes
from wheelproof.prove.module.sets import size

T = z3.Const("t!", THREAD.z3)
ANY, OTHER = z3.Ints("any_Int_1 any_Int_2")
NEW = [z3.Const(f"new_{number}", THREAD.z3) for number in range(8)]
"""Constants that facts on sizes are about."""


def scenario(**threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them."""
    steps = {name: [word.split() for word in of.split("; ")] for name, of in threads.items()}
    return {"threads": steps}


def facts(of: Lock, name: str, *sets: z3.ExprRef) -> dict[str, z3.BoolRef]:
    """Theorems on sizes that a way, a property or the start needs."""
    return numbered(name, on_sizes(of.symbols(), name, *sets))


def on_sizes(s: SimpleNamespace, name: str, *sets: z3.ExprRef) -> list[z3.BoolRef]:
    """What a way needs to know of the sizes of the sets that it changes.

    ``sets``: those that a property describes.
    """
    item, length, new = s.tickets_item, s.tickets_length, iter(NEW)
    last, before = item[length], item[length - 1]
    changed = partial(sizes.changed, THREAD)
    counted = partial(sizes.counted, THREAD)
    within = partial(sizes.within, THREAD)
    match name.partition("_")[0]:
        case "R3" | "W4":
            rest = z3.Store(last, T, False)
            taken = [last, before, item[ANY], item[ANY + 1]]
            return [
                *[each for members in taken for each in changed(members, T)],
                *counted(last, next(new)),
                *counted(rest, next(new)),
                *within(rest, before, next(new)),
                *within(before, rest, next(new)),
            ]
        case "U3" | "W9" | "X3":
            return [*within(last, s.asleep, next(new)), *counted(s.asleep, next(new))]
        case "R5" | "U2":
            left = z3.Store(s.readers, T, False)
            return [
                *[each for members in (s.readers, left) for each in counted(members, next(new))],
                *changed(s.readers, T),
            ]
        case "TypeOK":
            return [
                *within(last, s.asleep, next(new)),
                *within(s.waiters, s.Threads, next(new)),
                *counted(s.waiters, next(new)),
                *counted(s.asleep, next(new)),
            ]
        case "Registered":
            (described,) = sets
            return [
                *within(described, s.waiters, next(new)),
                *within(s.waiters, described, next(new)),
            ]
    return [
        *changed(s.waiters, T),
        *counted(s.waiters, next(new)),
        *counted(s.readers, next(new)),
    ]


def hints(of: Lock, _name: str) -> list[z3.ExprRef]:
    """The places of tickets, the elements that facts are about, who is inside, an operation."""
    s = of.symbols()
    length = s.tickets_length
    places = [ANY, ANY + 1, OTHER, OTHER + 1, length, length - 1, size(THREAD)(s.asleep)]
    return [*places, z3.IntVal(1), *NEW, s.mutex, s.writer, s.turn[T] - 1]


SUBJECT = Subject(
    NAME,
    WORDS,
    {Lock: "Spec.ReadWriteLock"},
    (
        scenario(r="read", w="write", v="write"),
        scenario(r="read_on", w="write", i="interrupt w"),
        scenario(r="read", w="write", i="interrupt r"),
    ),
    {"waiters": {}},
    sizes=numbers,
    hints=hints,
    facts=facts,
    properties=("TypeOK", "MutualExclusion", "WriterGoesFirst", "Registered", "WaitsForAThread"),
)
