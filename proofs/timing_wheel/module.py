"""A theorem about module TimingWheel itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from proofs.arith.order import THEORY as PROVED
from proofs.arith.slots import slot
from proofs.timing_wheel.invariant import Wheel, number, tick
from proofs.timing_wheel.planted import FAULTS
from proofs.timing_wheel.words import NAME, THREAD, WORDS
from wheelproof.prove.arithmetic import mul
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import Theory

STATEMENTS = PROVED.statements()
MOVER = z3.Const("t!", THREAD.z3)


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The operation that adds an entry."""
    adds = {
        each[1]: (thread, place)
        for thread, of in program["threads"].items()
        for place, each in enumerate(of, 1)
        if each[0] == "add"
    }
    return {
        "Adder": {entry: thread for entry, (thread, _) in adds.items()},
        "Adding": {entry: place for entry, (_, place) in adds.items()},
    }


def facts(of: Invariant, name: str) -> dict[str, z3.BoolRef]:
    """Instances of theorems on numbers that a way needs."""
    s = of.symbols()
    level, size, e = s.level[MOVER], s.WheelSize, s.ke[MOVER]
    ticks, n = tick(s, level), number(s, level)
    made: dict[str, z3.BoolRef] = {}

    def use(theorem: str, **terms: Any) -> None:
        count = sum(each.startswith(f"{theorem} #") for each in made)
        made[f"{theorem} #{count + 1}"] = STATEMENTS[theorem].at(terms)

    match name:
        case "W1_to_W2":
            use("comm", a=s.Levels, b=size)
            use("T1", e=s.Deadline[e], t=ticks, w=size)
            use("mono", a=z3.IntVal(0), b=n - 1, k=size)
            use("mono", a=n, b=s.Levels, k=size)
            use("dist", a=n - 1, b=z3.IntVal(1), k=size)
            use("zero_one", k=size)
        case "V4_to_V5":
            use("from_zero", a=s.expiration[MOVER], t=tick(s, s.up[MOVER]))
        case "W5_to_W1":
            above = s.Int_as_WheelLevel[n + 1]
            use("from_zero", a=s.current[level], t=tick(s, above))
    return made


def hints(of: Invariant, name: str) -> list[z3.ExprRef]:
    """Levels and buckets by their numbers."""
    s, label = of.symbols(), name.partition("_")[0]
    level, one = s.level[MOVER], z3.IntVal(1)
    n = number(s, level)
    place = mul(n - 1, s.WheelSize) + slot(s.Deadline[s.ke[MOVER]], tick(s, level), s.WheelSize)
    found: dict[str, list[z3.ExprRef]] = {
        "": [one],
        "K2": [one],
        "L1": [one],
        "F2": [one],
        "R5": [one, s.Int_as_WheelLevel[1]],
        "R6": [one],
        "T0": [one, s.turn[MOVER]],
        "W1": [place + 1],
        "W5": [n + 1],
        "V5": [number(s, s.up[MOVER]) + 1],
    }
    return found.get(label, [])


SUBJECT = Subject(
    NAME,
    WORDS,
    {Wheel: "Spec.TimingWheel"},
    ["cascade", "two_withdrawn", "two_reapers"],
    rigid=rigid,
    hints=hints,
    facts=facts,
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
