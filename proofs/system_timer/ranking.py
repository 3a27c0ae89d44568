"""Every run of module SystemTimer is finite, under every schedule: the effect of a step on a rank.

The rank of a state has six parts, each of which is a sum of numbers that are not below 0:

* `steps`: of each thread, the operations of its program that it has not begun;
* `reach`: of each entry, the number of the level that it is to fall below. At first that is one
  more than the highest, then the level of the bucket that it was linked in last;
* `linked`: of each bucket and entry, how often the one is in the other;
* `offers`: of each thread, whether it has linked an entry and is to look at the bucket's key;
* `queue`: of each bucket, how often it is in the queue, or out of it to be put back;
* `stage`: of each thread, how far its operation is from its end, if the other parts stay.

Each step lowers one part, and raises none before it. So the loops end: a round of the reaper takes
a bucket out of the queue for good, a bucket comes into the queue after a link, and a flush links an
entry again below its bucket's level alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies

from proofs.system_timer.ends import Ends
from proofs.system_timer.entries import B
from proofs.system_timer.links import IN_ADD, at, number
from proofs.system_timer.steps import (
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    PLACE,
    E,
    T,
)
from wheelproof.prove.ts.ranks import number as of_place

PARTS = ("steps", "reach", "linked", "offers", "queue", "stage")
LOWERS = {
    "W2_to_W3": "reach",
    "F2_to_W1": "linked",
    "W3_to_back": "offers",
    "W4_to_back": "offers",
    "R8_to_R5": "queue",
    "R4_to_R5": "queue",
}
"""Way -> the part that it lowers. The beginning of an operation lowers `steps`, others `stage`."""
LOWERS_OF_KAFKA = {**LOWERS, "Q1_to_Q2": "queue"}

OF_PLACE = {"Idle": 1, "T1": 2, "C1": 2, "E1": 3, "E2": 2, "B1": 3, "X1": 3, "A4": 3}
OF_PLACE |= {"R1": 6, "R2": 5, "R3": 4, "R8": 3, "R6": 7, "R4": 8, "V3": 9, "V2": 10, "F2": 11}
OF_PLACE |= {"F3": 12, "V1": 12, "R7": 13, "R5": 14}
"""Stages by place, of the operations of a program and of the reaper."""
OF_KAFKA = {"Q1": 6, "Q6": 7, "Q2": 15}
"""The same of Kafka's reaper, which flushes the bucket that it has polled."""
OF_ADD = {"W4": 1, "W3": 2, "W2": 3, "K1": 2, "K2": 1, "W1": 4, "W0": 3, "A3": 6, "A2": 7, "A1": 8}
"""The addition within add and addTimerTaskEntry to the stage of the label that this returns to."""


def lowers(name: str, table: Mapping[str, str] = LOWERS) -> str:
    """The part that a way lowers."""
    begins = name.startswith("T0_to_") and name != "T0_to_Done"
    return "steps" if begins else table.get(name, "stage")


class Rank:
    """The parts of a state's rank, as terms."""

    LOWERS: Mapping[str, str] = LOWERS
    OF_PLACE: Mapping[str, int] = OF_PLACE

    def __init__(self, module: Ends) -> None:
        self.of = module

    def steps(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """The operations that the thread has not begun; a thread that ended has none."""
        number = s.Program_length[t] + 1 - s.turn[t]
        return If(number < 0, z3.IntVal(0), number)

    def reach(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.ArithRef:
        return self.of.reach(s, e)

    def linked(self, s: SimpleNamespace, b: z3.ExprRef, e: z3.ExprRef) -> z3.ArithRef:
        """How often the entry is in the bucket."""
        return s.content[b][e]

    def offers(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """Whether the thread may still put a bucket into the queue."""
        return If(at(s, t, "W3", "W4"), z3.IntVal(1), z3.IntVal(0))

    def queue(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.ArithRef:
        """How often the bucket is in the queue, with the one that the reaper puts back."""
        again = And(at(s, s.reaper, "R2", "R3"), s.polled[s.reaper] == b)
        return s.queue[b] + If(again, z3.IntVal(1), z3.IntVal(0))

    def stage(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """An upper bound of the thread's steps to the end of its operation, or to a part before."""
        back = If(s.ret_addTimerTaskEntry[t] == PLACE.F3, OF_PLACE["F3"], OF_PLACE["A4"])
        base = If(at(s, t, *IN_ADD), back, OF_PLACE["A4"])
        climbs = If(
            at(s, t, "A1", "A2", "A3"),
            2 * s.Levels,
            If(at(s, t, "W0", "W1"), 2 * (s.Levels - number(s, s.level[t])), 0),
        )
        adding = at(s, t, *OF_ADD)
        return If(
            adding,
            of_place(s.pc[t], PLACE, OF_ADD) + base + climbs,
            of_place(s.pc[t], PLACE, self.OF_PLACE),
        )

    # -- what a step does to it

    def goals(
        self, name: str, s: SimpleNamespace, after: SimpleNamespace, t: z3.ExprRef
    ) -> Iterator[tuple[str, z3.BoolRef]]:
        """The effect of a way on the rank, by part: it raises none up to the one that it lowers."""
        part = lowers(name, self.LOWERS)
        for earlier in PARTS[: PARTS.index(part) + 1]:
            variables, there, measure = self.numbers(earlier)
            then, now = measure(after, *variables), measure(s, *variables)
            if not then.eq(now):
                yield earlier, ForAll(variables, Implies(there, then <= now))
        variables, there, measure = self.numbers(part)
        elements = self.lowered(part, name, s, t)
        is_there = z3.substitute(there, *zip(variables, elements, strict=True))
        lower = measure(after, *elements) < measure(s, *elements)
        yield f"lowers {part}", lower if elements[0].eq(t) else And(is_there, lower)

    def above(self, s: SimpleNamespace) -> Iterator[tuple[str, z3.BoolRef]]:
        """No number of a part is below 0."""
        for part in PARTS:
            variables, there, measure = self.numbers(part)
            yield part, ForAll(variables, Implies(there, 0 <= measure(s, *variables)))

    def numbers(self, part: str) -> tuple[list[z3.ExprRef], z3.BoolRef, Callable[..., z3.ArithRef]]:
        """The elements that a part has a number for, that they are there, and the number."""
        measure: Callable[..., z3.ArithRef] = getattr(self, part)
        match part:
            case "steps" | "offers" | "stage":
                return [T], T != NO_THREAD, measure
            case "reach":
                return [E], E != NO_ENTRY, measure
            case "queue":
                return [B], B != NO_BUCKET, measure
        return [B, E], And(B != NO_BUCKET, E != NO_ENTRY), measure

    def lowered(
        self, part: str, name: str, s: SimpleNamespace, t: z3.ExprRef
    ) -> tuple[z3.ExprRef, ...]:
        """The element with the number that a way lowers."""
        match part:
            case "reach":
                return (s.ke[t],)
            case "linked":
                return s.polled[t], self.of.way(name).firsts["first_content"].element
            case "queue":
                return (self.of.way(name).firsts["first_queue"].element,)
        return (t,)


class KafkaRank(Rank):
    """The rank of Kafka's timer, whose reaper puts nothing back."""

    LOWERS = LOWERS_OF_KAFKA
    OF_PLACE = {**OF_PLACE, **OF_KAFKA}

    def queue(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.ArithRef:
        """How often the bucket is in the queue."""
        return s.queue[b]
