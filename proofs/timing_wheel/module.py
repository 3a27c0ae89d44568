"""A theorem about module TimingWheel itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from proofs.arith.clock import trim
from proofs.arith.order import THEORY as PROVED
from proofs.arith.slots import slot
from proofs.timing_wheel.clock import Clock
from proofs.timing_wheel.invariant import T, V, Wheel, number, tick
from proofs.timing_wheel.planted import FAULTS
from proofs.timing_wheel.words import BUCKET, LEVEL, NAME, THREAD, WORDS
from wheelproof.prove.arithmetic import mul
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import Theory

STATEMENTS = PROVED.statements()
MOVER = z3.Const("t!", THREAD.z3)


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The operation that adds an entry."""
    adds = {
        step[1]: (thread, place)
        for thread, steps in program["threads"].items()
        for place, step in enumerate(steps, 1)
        if step[0] == "add"
    }
    reapers = [t for t, steps in program["threads"].items() if ["expire"] in steps]
    return {
        "Reaper": reapers[0] if reapers else None,
        "Adder": {entry: thread for entry, (thread, _) in adds.items()},
        "Adding": {entry: place for entry, (_, place) in adds.items()},
    }


def facts(wheel: Invariant, name: str, *_: z3.ExprRef) -> dict[str, z3.BoolRef]:
    """Instances of theorems on numbers that a way needs."""
    s = wheel.symbols()
    level, size, e = s.level[MOVER], s.WheelSize, s.ke[MOVER]
    ticks, n = tick(s, level), number(s, level)
    premises: dict[str, z3.BoolRef] = {}

    def use(theorem: str, **terms: Any) -> None:
        count = sum(premise.startswith(f"{theorem} #") for premise in premises)
        premises[f"{theorem} #{count + 1}"] = STATEMENTS[theorem].at(terms)

    match name:
        case "W1_to_W2":
            use("comm", a=s.Levels, b=size)
            use("T1", e=s.Deadline[e], t=ticks, w=size)
            use("mono", a=z3.IntVal(0), b=n - 1, k=size)
            use("mono", a=n, b=s.Levels, k=size)
            use("dist", a=n - 1, b=z3.IntVal(1), k=size)
            use("zero_one", k=size)
        case "V4_to_V5" if not isinstance(wheel, Clock):
            use("from_zero", a=s.expiration[MOVER], t=tick(s, s.up[MOVER]))
        case "W5_to_W1" if not isinstance(wheel, Clock):
            above = s.Int_as_WheelLevel[n + 1]
            use("from_zero", a=s.current[level], t=tick(s, above))
    if isinstance(wheel, Clock):
        premises |= of_clocks(wheel, name.partition("_")[0])
    return premises


def of_clocks(wheel: Clock, label: str) -> dict[str, z3.BoolRef]:
    """Facts on numbers that clocks need. They are numbered from 10, behind those of entries."""
    s = wheel.symbols()
    size, low, level, up = s.WheelSize, tick(s, V), s.level[MOVER], s.up[MOVER]
    until = s.expiration[MOVER]
    premises: dict[str, z3.BoolRef] = {}

    def use(theorem: str, every: z3.ExprRef | None = None, **terms: Any) -> None:
        statement = STATEMENTS[theorem].at(terms)
        count = 10 + sum(key.startswith(f"{theorem} #") for key in premises)
        if every is not None:
            null = LEVEL.null if every is V else THREAD.null
            statement = z3.ForAll([every], z3.Implies(every != null, statement))
        premises[f"{theorem} #{count}"] = statement

    match label:
        case "":
            first = tick(s, s.Int_as_WheelLevel[1])
            use("trimmed", T=s.Start, t=first)
        case "W1":
            use("comm", a=size, b=tick(s, level))
        case "W5":
            above = s.Int_as_WheelLevel[number(s, level) + 1]
            use("trimmed", T=s.current[level], t=tick(s, above))
        case "V4":
            use("trimmed", V, T=until, t=low)
            use("T8", V, T=until, t=low, w=size)
            use("comm", V, a=size, b=low)
            use("trimmed", V, T=trim(until, low), t=tick(s, up))
        case "NotCurrentSlot" | "KeyWindow":
            unit, clock, entry = tick(s, s.level[T]), s.current[s.level[T]], s.Deadline[s.ke[T]]
            place = mul(number(s, s.level[T]) - 1, size) + slot(clock, unit, size) + 1
            premises["given slot of the clock"] = z3.ForAll(
                [T], WORDS.numbered_at(BUCKET, place, s)
            )
            use("T2", T, e=entry, c=clock, t=unit, w=size)
            use("T4", T, e=entry, c=clock, t=unit, w=size)
            use("comm", T, a=unit, b=size - 1)
            use("comm", T, a=unit, b=size)
            use("trimmed", T, T=entry, t=unit)
    return premises


def hints(wheel: Invariant, name: str) -> list[z3.ExprRef]:
    """Levels and buckets by their numbers."""
    s, label = wheel.symbols(), name.partition("_")[0]
    level, first_number = s.level[MOVER], z3.IntVal(1)
    n = number(s, level)
    place = mul(n - 1, s.WheelSize) + slot(s.Deadline[s.ke[MOVER]], tick(s, level), s.WheelSize)
    terms: dict[str, list[z3.ExprRef]] = {
        "": [first_number],
        "K2": [first_number],
        "L1": [first_number],
        "F2": [first_number],
        "R5": [first_number, s.Int_as_WheelLevel[1]],
        "R6": [first_number],
        "T0": [first_number, s.turn[MOVER]],
        "W1": [place + 1],
        "W5": [n + 1],
        "V5": [number(s, s.up[MOVER]) + 1],
    }
    if isinstance(wheel, Clock):
        first = s.Int_as_WheelLevel[1]
        clocks = [first_number, first, s.Reaper, s.writer, level, s.up[MOVER]]
        above = {"W5": s.Int_as_WheelLevel[n + 1], "W1": s.Int_as_WheelBucket[place + 1]}
        clocks += [above[label]] if label in above else []
        if label == "V5":
            clocks.append(s.Int_as_WheelLevel[number(s, s.up[MOVER]) + 1])
        return [*terms.get(label, []), *clocks]
    return terms.get(label, [])


SUBJECT = Subject(
    NAME,
    WORDS,
    {Wheel: "Spec.TimingWheel", Clock: "Spec.TimingWheelClock"},
    ["cascade", "two_withdrawn"],
    rigid=rigid,
    hints=hints,
    facts=facts,
    properties=("SlotInRange", "NotCurrentSlot", "KeyWindow", "NotEarly"),
)


THEORY = Theory("protocols.timing_wheel", mechanism=NAME, after=(PROVED,))
SUBJECT.submit(
    THEORY,
    Wheel,
    f"FiredOnce in each state {SUBJECT.read}. What it names by a number is a level or a bucket "
    "that there is.",
    FAULTS,
    ("A-HEAP", "A-ONCE", "A-POWER", "A-PROGRAM", "A-REACH"),
    rests_on=("T1", "comm", "dist", "from_zero", "mono", "zero_one"),
)
SUBJECT.submit(
    THEORY,
    Clock,
    f"SlotInRange, NotCurrentSlot, KeyWindow and NotEarly in each state {SUBJECT.read}, where one "
    "thread expires.",
    FAULTS,
    ("A-HEAP", "A-ONCE", "A-POWER", "A-PROGRAM", "A-REACH", "A-REAPER"),
    rests_on=(
        *("T1", "T2", "T4", "T8", "comm", "dist", "mono", "trimmed"),
        "zero_one",
    ),
)
