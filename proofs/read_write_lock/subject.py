"""Module ReadWriteLock as a subject: the facts that its conditions need, and small runs of it."""

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
    steps = {name: [word.split() for word in text.split("; ")] for name, text in threads.items()}
    return {"threads": steps}


def facts(lock: Lock, name: str, *sets: z3.ExprRef) -> dict[str, z3.BoolRef]:
    """Theorems on sizes that a way, a property or the start needs."""
    return numbered(name, on_sizes(lock.symbols(), name, *sets))


def on_sizes(s: SimpleNamespace, name: str, *sets: z3.ExprRef) -> list[z3.BoolRef]:
    """The facts that a way needs about the sizes of the sets that it changes.

    ``sets``: those that a property describes.
    """
    item, length, new = s.tickets_item, s.tickets_length, iter(NEW)
    last, before = item[length], item[length - 1]
    change = partial(sizes.changed, THREAD)
    count = partial(sizes.counted, THREAD)
    within = partial(sizes.within, THREAD)
    match name.partition("_")[0]:
        case "R3" | "W4":
            rest = z3.Store(last, T, False)
            groups = [last, before, item[ANY], item[ANY + 1]]
            return [
                *[fact for members in groups for fact in change(members, T)],
                *count(last, next(new)),
                *count(rest, next(new)),
                *within(rest, before, next(new)),
                *within(before, rest, next(new)),
            ]
        case "U3" | "W9" | "X3":
            return [*within(last, s.asleep, next(new)), *count(s.asleep, next(new))]
        case "R5" | "U2":
            remainder = z3.Store(s.readers, T, False)
            return [
                *[fact for members in (s.readers, remainder) for fact in count(members, next(new))],
                *change(s.readers, T),
            ]
        case "TypeOK":
            return [
                *within(last, s.asleep, next(new)),
                *within(s.waiters, s.Threads, next(new)),
                *count(s.waiters, next(new)),
                *count(s.asleep, next(new)),
            ]
        case "Registered":
            (subset,) = sets
            return [
                *within(subset, s.waiters, next(new)),
                *within(s.waiters, subset, next(new)),
            ]
    return [
        *change(s.waiters, T),
        *count(s.waiters, next(new)),
        *count(s.readers, next(new)),
    ]


def hints(lock: Lock, _name: str) -> list[z3.ExprRef]:
    """The places of tickets, the elements of the facts, the threads inside, an operation."""
    s = lock.symbols()
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
