"""Module SystemTimer: where a thread waits, and the facts once every thread waits or has ended."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, Implies, Not, Or

from proofs.system_timer.ends import Ends
from proofs.system_timer.entries import B, N
from proofs.system_timer.kafka import KafkaEnds
from proofs.system_timer.links import K, at
from proofs.system_timer.steps import (
    BUCKET,
    ENTRY,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    THREAD,
    E,
    T,
    U,
)
from proofs.system_timer.words import OPERATION

MOVER = z3.Const("t!", THREAD.z3)
(SOME,), (SOME_ENTRY,) = BUCKET.consts("some_bucket"), ENTRY.consts("some_entry")
(FIRST,) = BUCKET.consts("first_bucket")
"""Any of them: the one may be due, and the other may wait for the executor."""
REAPS_AT = z3.Int("reaps_at")
"""The turn at which the reaper's program reaps."""


def over(s: SimpleNamespace) -> z3.BoolRef:
    """Over of the module."""
    return And(s.taskCounter == 0, s.adding == 0)


def held(s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
    """Held of the module: a flush has the monitor of the entry's bucket."""
    return And(s.flushing != NO_BUCKET, s.content[s.flushing][e] > 0)


def none_due(s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
    """The bucket is not in the queue, or not due."""
    return Implies(And(b != NO_BUCKET, s.queue[b] > 0), s.now < s.key[b])


def none_waits(s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
    """The entry is not in the executor's queue."""
    return Or(e == NO_ENTRY, s.waiting[e] <= 0)


def waits(
    s: SimpleNamespace,
    t: z3.ExprRef,
    idle: z3.BoolRef,
    empty: z3.BoolRef,
    reaps: tuple[str, str] = Ends.WAITS_AT,
) -> z3.BoolRef:
    """The thread waits for a lock, a monitor, a due bucket, or a task.

    ``idle``: nothing in the queue is due. ``empty``: nothing is in that of the executor. ``reaps``:
    as `Ends.WAITS_AT`.
    """
    polls, locks = reaps
    none_comes = Or(s.shut, And(over(s), s.writer == NO_THREAD))
    reads = Exists([U], s.readers[U])
    return Or(
        And(at(s, t, "A1"), s.writer != NO_THREAD),
        And(at(s, t, "A3"), held(s, s.timerTaskEntry[s.TaskOf[s.ae[t]]])),
        And(at(s, t, "X1"), held(s, s.timerTaskEntry[s.ct[t]])),
        And(at(s, t, "W2"), s.flushing == s.bucket[t], s.writer != t),
        And(at(s, t, locks), Or(reads, s.writer != NO_THREAD)),
        And(at(s, t, polls), idle, Not(over(s))),
        And(at(s, t, "E1"), empty, Not(none_comes)),
    )


def can_step(
    module: Ends, s: SimpleNamespace, label: str
) -> tuple[dict[str, z3.BoolRef], z3.BoolRef]:
    """The formulas of the first elements, and: a thread at the label that does not wait has a way.

    A-HEAP: some bucket is first in the queue, and none has a smaller key, or the queue is empty.
    """
    place = "Idle" if label == "T0" else label
    ways = [module.way(name) for name in module.LABELS[label]]
    firsts = {name: first for way in ways for name, first in way.firsts.items()}
    guards = [guard for first in firsts.values() for guard in first.guards()]
    heap = module.heap(module.LABELS[label][0], s)
    free = [And([g for g in way.guards if not any(g.eq(k) for k in guards)]) for way in ways]
    idle, empty = none_due(s, SOME), none_waits(s, SOME_ENTRY)
    if isinstance(module, KafkaEnds) and (head := firsts.get("first_queue")) is not None:
        idle = Or(SOME == NO_BUCKET, s.queue[SOME] <= 0, not_yet(s, head.element))
    wait = waits(s, MOVER, idle, empty, module.WAITS_AT)
    goes = And(MOVER != NO_THREAD, at(s, MOVER, place), Not(wait))
    first = {f"first {number}": formula for number, formula in enumerate([*guards, *heap], 1)}
    return first, Implies(goes, Or(free))


def nothing(s: SimpleNamespace) -> tuple[z3.BoolRef, z3.BoolRef]:
    """Nothing in the queue is due, and nothing is in that of the executor."""
    return ForAll([B], none_due(s, B)), ForAll([E], none_waits(s, E))


def not_yet(s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
    """The bucket is in the queue, and not due."""
    return And(b != NO_BUCKET, s.queue[b] > 0, s.now < s.key[b])


def first_is_not_due(s: SimpleNamespace) -> z3.BoolRef:
    """Due of the module is false, under each order of the heap: the first is not due, if any is."""
    return Or(not_yet(s, FIRST), ForAll([B], Or(B == NO_BUCKET, s.queue[B] <= 0)))


def stopped(s: SimpleNamespace, module: Ends) -> dict[str, z3.BoolRef]:
    """No thread can step, and the assumptions about programs.

    A-LAST: behind a reap or an execute a program has executes alone. A-REAPS: one program has a
    reap.
    """
    word = s.Program_1_word
    last = And(1 <= K, K < N, N <= s.Program_length[T])
    ends = Or(word[T][K] == OPERATION.reap, word[T][K] == OPERATION.execute)
    idle, empty = nothing(s)
    if isinstance(module, KafkaEnds):
        idle = first_is_not_due(s)
    waiting = waits(s, T, idle, empty, module.WAITS_AT)
    return {
        "no thread can step": ForAll([T], Or(T == NO_THREAD, at(s, T, "Done"), waiting)),
        "A-LAST": ForAll([T, K, N], Implies(And(last, ends), word[T][N] == OPERATION.execute)),
        "A-REAPS": And(
            1 <= REAPS_AT,
            REAPS_AT <= s.Program_length[s.reaper],
            word[s.reaper][REAPS_AT] == OPERATION.reap,
        ),
    }


def has_come(s: SimpleNamespace) -> z3.BoolRef:
    """Time has reached each deadline."""
    return ForAll([E], Or(E == NO_ENTRY, s.Deadline[E] <= s.now))
