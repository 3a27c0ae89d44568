"""Each step of module SystemTimer is a step of the proof's system, or a stutter.

A state of the generated system is seen as one of `system_timer.Buckets`: `seen` gives its variables
as terms. A way through a label is shown to be the action that `STEPS` names, with these arguments.
Then each theorem about that system holds of the module, at any size.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import ForAll, If, Or

from proofs.arith.slots import slot
from proofs.system_timer.links import (
    IN_ADD,
    OF_KAFKA,
    Linked,
    V,
    at,
    enters_for,
    number,
    tick,
)
from proofs.system_timer.steps import (
    BUCKET,
    ENTRY,
    NO_BUCKET,
    NO_ENTRY,
    PLACE,
    STATEMENTS,
    THREAD,
    B,
)
from proofs.system_timer.system import Buckets
from proofs.system_timer.view import IDLE, PLACES
from proofs.system_timer.words import LEVEL, NO_LEVEL
from proofs.timer_task_list.simulation import Simulation
from wheelproof.prove.arithmetic import mul
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module.simulation import Case
from wheelproof.prove.module.systems import Generated

_T = z3.Const("seen_thread", THREAD.z3)
_B = z3.Const("seen_bucket", BUCKET.z3)
_E = z3.Const("seen_entry", ENTRY.z3)


def seen(s: SimpleNamespace) -> SimpleNamespace:
    """A state of the module as one of the proof's system."""
    t = _T
    place = s.pc[t]
    for label, target in PLACES.items():
        place = If(at(s, t, label), getattr(PLACE, target), place)
    resting = [label for label in IDLE if label != "T0"]
    entering, linking = at(s, t, *IN_ADD), at(s, t, "W2", "W3", "W4")
    has_polled = Or(
        at(s, t, "R2", "R3", "R5", "R7", "V1", "F2", "F3", "V2"), enters_for(s, t, "F3")
    )
    adder_entry = If(at(s, t, "A1", "A2", "A3"), s.ae[t], NO_ENTRY)

    def of_thread(value: z3.ExprRef) -> z3.ExprRef:
        return z3.Lambda([_T], value)

    return SimpleNamespace(
        at=of_thread(If(at(s, t, *sorted(resting)), PLACE.Idle, place)),
        reading=s.readers,
        writer=s.writer,
        entry=of_thread(If(entering, s.ke[t], adder_entry)),
        into=of_thread(If(linking, s.bucket[t], NO_BUCKET)),
        polled=of_thread(If(has_polled, s.polled[t], NO_BUCKET)),
        until=of_thread(If(at(s, t, "R7"), s.expiration[t], z3.IntVal(0))),
        linked=z3.Lambda([_E], z3.Lambda([_B], s.content[_B][_E] > 0)),
        key=s.key,
        copies=s.queue,
        clock=z3.Lambda([_B], s.current[s.level_of[_B]]),
        now=s.now,
        token=s.token,
        rekeyed=s.changed,
        reaper=s.reaper,
        deadline=s.Deadline,
        tick=s.tick_of,
        slot=s.slot_of,
        size=s.WheelSize,
        nowhere=z3.K(BUCKET.z3, z3.BoolVal(False)),
    )


STEPS = {
    "T0_to_C1": "",
    "T0_to_E1": "",
    "T0_to_A1": "adds",
    "T0_to_X1": "cancels",
    "T0_to_B1": "",
    "T0_to_R1": "reaps",
    "T0_to_Done": "",
    "T1_to_T0": "",
    "C1_to_T0": "time_passes",
    "E1_to_E2": "",
    "E1_to_T0": "",
    "E2_to_T0": "",
    "B1_to_back": "",
    "A1_to_A2": "enters_to_read",
    "A2_to_A3": "reads_time",
    "A3_to_W1": "replaces",
    "A3_to_W1_2": "replaces",
    "A4_to_back": "leaves_reading",
    "X1_to_back": "removes",
    "X1_to_back_2": "removes",
    "W1_to_W2": "goes_into",
    "W1_to_W0": "",
    "W1_to_K1": "is_due_or_cancelled",
    "W0_to_W1": "",
    "W2_to_W3": "links",
    "W3_to_W4": "sets_key",
    "W3_to_back": "finds_its_key",
    "W4_to_back": "offers",
    "K1_to_back": "is_not_run",
    "K1_to_K2": "is_to_be_run",
    "K2_to_back": "hands_over",
    "R1_to_R2": "polls_unlocked",
    "R1_to_back": "is_over",
    "R2_to_R3": "locks_to_reap",
    "R3_to_R8": "puts_back",
    "R8_to_R5": "polls",
    "R8_to_R6": "finds_none_due",
    "R5_to_R7": "reads_key",
    "R7_to_V1": "advances",
    "V1_to_F2": "",
    "F2_to_W1": "takes_head",
    "F2_to_V2": "is_empty",
    "F3_to_F2": "",
    "V2_to_V3": "resets_key",
    "V3_to_R4": "",
    "R4_to_R5": "polls",
    "R4_to_back": "finds_none_due",
    "R6_to_R1": "unlocks_after_reap",
}
"""Way -> the action that it is; "" for a stutter."""
NEVER = ("T0_to_Q1", "V3_to_back", "F3_to_V3", *OF_KAFKA)
"""Ways, and labels, that no thread takes with the timer of this proof."""


class TimerSimulation(Simulation):
    """The conditions of one way of module SystemTimer."""

    def __init__(self, module: Generated, proof: Buckets | None = None) -> None:
        super().__init__(module, proof or Buckets())

    def seen(self, s: SimpleNamespace) -> SimpleNamespace:
        return seen(s)

    def cases(self, name: str, t: z3.ExprRef) -> list[Case]:
        """ProofError: the module has a way that is named nowhere."""
        s, label = self.s, name.partition("_to_")[0]
        if name in NEVER or label in NEVER:
            return []
        if name not in STEPS:
            raise ProofError(
                f"{self.module.terms.steps[label].place}: {name} is no action of the proof. "
                "Name its action in STEPS of proofs/system_timer/simulation.py."
            )
        firsts = self.module.way(name).firsts.values()
        arguments: list[z3.ExprRef] = []
        match STEPS[name]:
            case "adds":
                arguments = [s.Program_2_Entry[t][s.turn[t]]]
            case "replaces":
                arguments = [s.timerTaskEntry[s.TaskOf[s.ae[t]]]]
            case "removes":
                arguments = [s.timerTaskEntry[s.ct[t]]]
            case "goes_into":
                arguments = [self.goes_into(t)]
            case "polls" | "polls_unlocked" | "takes_head":
                arguments = [first.element for first in firsts]
        if name in ("A3_to_W1_2", "X1_to_back_2"):
            arguments = [NO_ENTRY]  # it is in no bucket
        return [Case(STEPS[name], tuple(arguments))]

    def goes_into(self, t: z3.ExprRef) -> z3.ExprRef:
        """Slot of the module, of the thread's entry and level."""
        s = self.s
        within = slot(s.Deadline[s.ke[t]], tick(s, s.level[t]), s.WheelSize)
        return s.Int_as_Bucket[self.before(t) + within + 1]

    def before(self, t: z3.ExprRef) -> z3.ArithRef:
        """How many buckets there are below the thread's level."""
        s = self.s
        return mul(number(s, s.level[t]) - 1, s.WheelSize)

    def instances(self, name: str) -> dict[str, z3.BoolRef]:
        """Instances of theorems on numbers, and of the assumptions, that a way needs."""
        s, t = self.s, z3.Const("t!", THREAD.z3)
        instances: dict[str, z3.BoolRef] = {}

        def use(theorem: str, **terms: z3.ArithRef | int) -> None:
            count = sum(title.startswith(f"{theorem} #") for title in instances)
            instances[f"{theorem} #{count + 1}"] = STATEMENTS[theorem].at(terms)

        level, size = s.level[t], s.WheelSize
        due, ticks, n = s.Deadline[s.ke[t]], tick(s, level), number(s, level)
        words = self.module.WORDS
        match name:
            case "A3_to_W1" | "A3_to_W1_2" | "F2_to_W1":
                instances["given 1st level"] = words.numbered_at(LEVEL, z3.IntVal(1), s)
            case "W0_to_W1":
                instances["given next level"] = words.numbered_at(LEVEL, n + 1, s)
            case "W1_to_W2":
                b = self.goes_into(t)
                assert isinstance(self.module, Linked)
                place = self.before(t) + slot(due, ticks, size)
                use("comm", a=size, b=ticks)
                use("comm", a=s.Levels, b=size)
                use("T1", e=due, t=ticks, w=size)
                use("mono", a=z3.IntVal(0), b=n - 1, k=size)
                use("mono", a=n, b=s.Levels, k=size)
                use("dist", a=n - 1, b=z3.IntVal(1), k=size)
                use("zero_one", k=size)
                use("quotient_unique", a=place, q=n - 1, r=slot(due, ticks, size), b=size)
                use(
                    "quotient_unique",
                    a=place,
                    q=number(s, s.level_of[b]) - 1,
                    r=s.slot_of[b],
                    b=size,
                )
                instances["given bucket"] = words.numbered_at(BUCKET, place + 1, s)
                instances["given bucket's level"] = self.module.bucket(s, b)
                instances["given level"] = s.Int_as_Level[number(s, s.level_of[b])] == s.level_of[b]
            case "W3_to_W4" | "W3_to_back":
                use("trimmed", T=due, t=ticks)
            case "R7_to_V1":
                instances["divmod #1"] = ForAll(
                    [V],
                    z3.Implies(
                        V != NO_LEVEL,
                        STATEMENTS["divmod"].at({"a": s.expiration[t], "b": tick(s, V)}),
                    ),
                )
            case "start":
                instances["quotient_unique #1"] = ForAll(
                    [B],
                    STATEMENTS["quotient_unique"].at({"a": 0, "q": 0, "r": 0, "b": s.tick_of[B]}),
                )
                instances["zero_one #1"] = ForAll(
                    [B], STATEMENTS["zero_one"].at({"k": s.tick_of[B]})
                )
        return instances

    def hints(self) -> list[z3.ExprRef]:
        """Terms that a proof needs besides those of its condition: the levels of its buckets."""
        (bucket,) = BUCKET.consts("any_Bucket_1")
        return [self.s.level_of[bucket]]
