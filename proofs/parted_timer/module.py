"""Theorems about module PartedTimer itself: invariants that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import z3

from proofs.arith.clock import trim
from proofs.arith.order import THEORY as PROVED
from proofs.arith.slots import slot
from proofs.parted_timer.invariant import E, Parts, T, V, moved_entry, number, tick, wakes
from proofs.parted_timer.keys import H, Keys
from proofs.parted_timer.planted import FAULTS, SMALL
from proofs.parted_timer.words import ENTRY, LEVEL, LIST, NAME, THREAD, WORDS
from wheelproof.prove.arithmetic import mul
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import Theory
from wheelproof.prove.module import sizes

STATEMENTS = PROVED.statements()
MOVER = z3.Const("t!", THREAD.z3)
NEW = [z3.Const(f"new_{number}", ENTRY.z3) for number in range(2)]
NEW_THREADS = [z3.Const(f"new_thread_{number}", THREAD.z3) for number in range(2)]
"""Constants that facts on sizes are about."""
ANY_ENTRY, ANY_LIST = ENTRY.consts("any_PartedEntry_1")[0], LIST.consts("any_PartedList_1")[0]
"""The elements of goals."""


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The operation that adds an entry."""
    adds = {
        key[1]: (thread, place)
        for thread, steps in program["threads"].items()
        for place, key in enumerate(steps, 1)
        if key[0] == "add"
    }
    size, numbers = program["wheel_size"], range(program["wheel_size"] * program["levels"])
    return {
        "Adder": {entry: thread for entry, (thread, _) in adds.items()},
        "Adding": {entry: place for entry, (_, place) in adds.items()},
        "level_of": {key + 1: key // size + 1 for key in numbers},
        "slot_of": {key + 1: key % size for key in numbers},
    }


class Known(dict[str, z3.BoolRef]):
    """Facts on numbers and sizes that a way needs."""

    def use(self, theorem: str, **terms: Any) -> None:
        """An instance of a theorem."""
        count = sum(key.startswith(f"{theorem} #") for key in self)
        self[f"{theorem} #{count + 1}"] = STATEMENTS[theorem].at(terms)

    def of_levels(self, theorem: str, *more: z3.ExprRef, **terms: Any) -> None:
        """A theorem on numbers, of each level. ``more``: other names that it is for all system."""
        statement = STATEMENTS[theorem].at(terms)
        count = sum(key.startswith(f"{theorem} #") for key in self)
        every = z3.ForAll([V, *more], z3.Implies(V != LEVEL.null, statement))
        self[f"{theorem} #{count + 1}"] = every

    def add_sizes(self, facts: Iterable[z3.BoolRef]) -> None:
        for key in facts:
            self[f"size {len(self)}"] = key


def facts(system: Invariant, name: str, *sets: z3.ExprRef) -> Known:
    """Instances of theorems on numbers that a way or a property needs, and facts on sizes."""
    s, premises = system.symbols(), Known()
    level, size, e = s.level[MOVER], s.WheelSize, s.ke[MOVER]
    ticks, n = tick(s, level), number(s, level)
    label = name.partition("_")[0]
    premises.use("mono", a=z3.IntVal(0), b=size, k=s.Levels)
    premises.use("zero_one", k=s.Levels)
    match label:
        case "":
            premises.add_sizes(sizes.counted(ENTRY, s.inside, NEW[0]))
        case "W2" | "A3" | "X1" | "F4":
            premises.add_sizes(sizes.changed(ENTRY, s.inside, moved_entry(s, label, MOVER)))
        case "R7":
            premises.of_levels("from_zero", a=s.expiration[MOVER], t=tick(s, V))
        case "R3":
            more = s.taskCounter - s.linked[MOVER]
            growth = z3.If(more > 0, more, z3.IntVal(0))
            premises.use("comm", a=s.Levels, b=growth)
            premises.use("comm", a=s.Levels, b=s.came)
            premises.use("mono", a=growth, b=s.came, k=s.Levels)
            premises.use("mono", a=z3.IntVal(0), b=growth, k=s.Levels)
        case "CounterExact":
            (members,) = sets
            premises.add_sizes(sizes.within(ENTRY, members, s.inside, NEW[0]))
            premises.add_sizes(sizes.within(ENTRY, s.inside, members, NEW[1]))
        case "PartBounded":
            premises.use("comm", a=s.Levels, b=s.came)
            premises.use("mono", a=z3.IntVal(0), b=s.came, k=s.Levels)
        case "OpenGap":
            (waiting,) = sets
            none = z3.Const("no_threads", waiting.sort())
            premises["none of the threads"] = z3.ForAll([T], z3.Not(none[T]))
            only = z3.Store(none, s.expiring, True)
            premises.add_sizes(sizes.counted(THREAD, none, NEW_THREADS[0]))
            premises.add_sizes(sizes.changed(THREAD, none, s.expiring))
            premises.add_sizes(sizes.within(THREAD, waiting, only, NEW_THREADS[1]))
    if isinstance(system, Keys):
        of_keys(system, label, premises)
    if name == "W1_to_W2":
        premises.use("comm", a=s.Levels, b=size)
        premises.use("T1", e=s.Deadline[e], t=ticks, w=size)
        premises.use("mono", a=z3.IntVal(0), b=n - 1, k=size)
        premises.use("mono", a=n, b=s.Levels, k=size)
        premises.use("dist", a=n - 1, b=z3.IntVal(1), k=size)
        premises.use("zero_one", k=size)
    return premises


def of_keys(system: Keys, label: str, premises: Known) -> None:
    """Facts on keys, clocks and deadlines."""
    s = system.symbols()
    size, low, high, clock = s.WheelSize, tick(s, V), tick(s, H), s.current[V]
    due, ticks = s.Deadline[s.ke[MOVER]], tick(s, s.level[MOVER])
    until, b = s.expiration[MOVER], s.bucket[MOVER]
    match label:
        case "":
            premises.of_levels("zero_one", k=low)
            premises.of_levels(
                "quotient_unique", a=z3.IntVal(0), q=z3.IntVal(0), r=z3.IntVal(0), b=low
            )
        case "W1":
            n = number(s, s.level[MOVER]) - 1
            place = mul(n, size) + slot(due, ticks, size)
            bucket = s.Int_as_PartedList[place + 1]
            premises.use("comm", a=size, b=ticks)
            premises.use("quotient_unique", a=place, q=n, r=slot(due, ticks, size), b=size)
            unit = {"q": number(s, s.level_of[bucket]) - 1, "r": s.slot_of[bucket]}
            premises.use("quotient_unique", a=place, b=size, **unit)
        case "W3":
            unit = system.tick_of(s, b)
            here = {"c": system.clock(s, b), "t": unit, "w": size}
            premises.use("T17-insert", e=due, x=s.key[b], **here)
            premises.use("trimmed", T=due, t=unit)
            premises.use("from_zero", a=s.Deadline[ANY_ENTRY], t=unit)
            premises.use("aligned_gap", a=system.clock(s, b), b=trim(due, unit), t=unit)
        case "R7":
            rounding = trim(until, low)
            premises.of_levels("T5-advance", c=clock, T=until, t=low)
            premises.of_levels("T8", T=until, t=low, w=size)
            premises.of_levels("comm", a=size, b=low)
            premises.of_levels("trimmed", T=until, t=low)
            premises.of_levels("trimmed", H, T=rounding, t=high)
        case "QueuedOnceWithItsKey" | "LatenessBound":
            for theorem, of_due in ("trimmed", "T"), ("from_zero", "a"):
                premises.of_levels(theorem, E, **{of_due: s.Deadline[E]}, t=low)


def hints(system: Invariant, name: str) -> list[z3.ExprRef]:
    """Lists and levels by their numbers, the operation that a thread is in, new elements."""
    s, level = system.symbols(), system.symbols().level[MOVER]
    n = number(s, level)
    place = mul(n - 1, s.WheelSize) + slot(s.Deadline[s.ke[MOVER]], tick(s, level), s.WheelSize)
    terms: dict[str, list[z3.ExprRef]] = {
        "T0": [s.turn[MOVER]],
        "W1": [place + 1, s.Int_as_PartedList[place + 1]],
        "W0": [n + 1, s.Int_as_PartedLevel[n + 1]],
        "W2": [s.home[s.ke[MOVER]]],
        "F4": [s.home[s.head[MOVER]]],
        "OpenGap": [*NEW_THREADS, s.expiring],
        "CounterExact": [*NEW, s.home[NEW[1]]],
        "": [*NEW],
    }
    common = [z3.IntVal(0), z3.IntVal(1), s.writer, s.polled[MOVER], wakes(s)]
    if isinstance(system, Keys):
        common += [s.level_of[ANY_LIST], s.token[ANY_LIST], s.linker[ANY_ENTRY]]
        common += [s.level_of[s.bucket[MOVER]], s.token[s.bucket[MOVER]], s.Int_as_PartedLevel[1]]
        if name == "W1_to_W2":
            common.append(s.level_of[s.Int_as_PartedList[place + 1]])
    return [*common, *terms.get(name.partition("_")[0], ())]


SUBJECT = Subject(
    NAME,
    WORDS,
    {Parts: "Spec.PartedTimer", Keys: "Spec.PartedTimerKeys"},
    [SMALL],
    {"entered": {}, "inside": {}, "home": {}, "token": {}, "linker": {}, "unsorted": False},
    rigid=rigid,
    hints=hints,
    facts=facts,
    properties=(
        *("FiredOnce", "CancelWins", "CounterExact", "PartBounded", "OpenGap"),
        *("NotEarly", "QueuedOnceWithItsKey", "KeyNotPassed", "LatenessBound"),
    ),
)


ASSUMES = ("A-ONCE", "A-POWER", "A-PROGRAM", "A-REACH")
THEORY = Theory("protocols.parted_timer", mechanism=NAME, after=(PROVED,))
SUBJECT.submit(
    THEORY,
    Parts,
    f"The invariant of locks, entries and parts in each state {SUBJECT.read}: an entry is in one "
    "place, and a part moves what it may.",
    FAULTS,
    ("A-SIZES", *ASSUMES),
    rests_on=("T1", "comm", "dist", "from_zero", "mono", "zero_one"),
)
SUBJECT.submit(
    THEORY,
    Keys,
    f"{', '.join(SUBJECT.properties[:-1])} and {SUBJECT.properties[-1]} in each state "
    f"{SUBJECT.read}.",
    FAULTS,
    ("A-HEAP", "A-SIZES", *ASSUMES),
    rests_on=(
        *("T1", "T17-insert", "T5-advance", "T8"),
        *("aligned_gap", "comm", "dist", "from_zero", "mono", "quotient_unique", "trimmed"),
        "zero_one",
    ),
)
