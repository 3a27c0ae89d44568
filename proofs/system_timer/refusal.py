"""A refusal ends the reaper of Kafka's timer in the middle of a bucket, and the rest of it is lost.

It is a theorem of module SystemTimer itself: a run to a state in which no thread can ever step. An
entry is still in its bucket there, is its task's, and the executor has never met it. So
EveryTimerIsTried does not follow from fairness (D6). The steps are terms, for any number of
threads, entries and buckets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.system_timer.entries import Entries
from proofs.system_timer.links import at, tick
from proofs.system_timer.runs import NAME, ReachedTimer, scenario, system
from proofs.system_timer.steps import (
    ENTRY,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    PLACE,
    THREAD,
    T,
)
from proofs.system_timer.whole_module import READ
from proofs.system_timer.whole_module import THEORY as PROVED
from proofs.system_timer.words import CALLBACK, TIMER
from wheelproof.prove.invariant.conditions import all_of
from wheelproof.prove.kernel import VC, Control, Found, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.instances import cores

(R,) = THREAD.consts("reaps")
HEAD, LEFT = ENTRY.consts("head_of_bucket left_in_bucket")

RUN = (
    *("F2_to_W1", "W1_to_K1", "K1_to_K2", "K2_to_back", "F3_to_V3", "V3_to_back"),
    *("Q6_to_back", "T1_to_T0", "T0_to_Done"),
)
"""The steps of the reaper from its refused entry to its end."""


class Refusal:
    """The run as terms, from a state that `flushes` describes."""

    @cached_property
    def module(self) -> Entries:
        entries = system(base=Entries)()
        assert isinstance(entries, Entries)
        return entries

    @cached_property
    def s(self) -> SimpleNamespace:
        return self.module.symbols()

    @cached_property
    def flushes(self) -> dict[str, z3.BoolRef]:
        """Kafka's reaper flushes a bucket with two entries, the executor is shut, others ended."""
        s = self.s
        b, low = s.polled[R], s.Int_as_Level[1]
        is_other = And(T != NO_THREAD, T != R)
        return {
            "of Kafka": s.Timer == TIMER.KafkaTimer,
            "flushes": And(R != NO_THREAD, at(s, R, "F2"), b != NO_BUCKET, s.flushing == b),
            "is called": And(
                s.ret_expire[R] == PLACE.Q6,
                s.ret_kafkaReap[R] == PLACE.T1,
                s.callback[R] == CALLBACK.addTimerTaskEntry,
            ),
            "is its last operation": s.turn[R] > s.Program_length[R],
            "is shut": s.shut,
            "others have ended": ForAll([T], Implies(is_other, at(s, T, "Done"))),
            "two entries": And(HEAD != LEFT, HEAD != NO_ENTRY, LEFT != NO_ENTRY),
            "in the bucket": And(s.content[b][HEAD] > 0, s.content[b][LEFT] > 0),
            "the first is due": And(
                s.timerTaskEntry[s.TaskOf[HEAD]] == HEAD,
                s.Deadline[HEAD] < s.current[low] + tick(s, low),
            ),
            "the other is its task's": And(
                s.timerTaskEntry[s.TaskOf[LEFT]] == LEFT,
                s.submitted[LEFT] <= 0,
                s.refused[LEFT] <= 0,
            ),
        }

    # -- the steps

    def guards(self, name: str, before: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """A thread can take a way in a state that is given as terms."""
        return self.placed(And(list(self.module.step(name, self.s)[1].guards)), before, t)

    def placed(self, term: Any, before: SimpleNamespace, t: z3.ExprRef) -> Any:
        """A term about the state `s`, the mover and the first entry, about these instead."""
        renaming = [(z3.Const("t!", THREAD.z3), t), (z3.Const("first_content!", ENTRY.z3), HEAD)]
        changes = [
            (symbol, getattr(before, name))
            for name, symbol in vars(self.s).items()
            if not symbol.eq(getattr(before, name))
        ]
        return simple(z3.substitute(term, *renaming, *changes))

    @cached_property
    def states(self) -> list[SimpleNamespace]:
        """The states of the run, the last one too."""
        states = [self.s]
        for name in RUN:
            before = states[-1]
            step = self.module.step(name, self.s)[1]
            updates = {
                variable: self.placed(value, before, R) for variable, value in step.updates.items()
            }
            states.append(SimpleNamespace(**(vars(before) | updates)))
        return states

    # -- the conditions

    def condition(self, name: str, goal: z3.BoolRef) -> VC:
        """A condition of the instances that it needs. ProofError: it does not follow."""
        by_premise, conclusion, missing = cores(
            self.module, self.flushes, {name: goal}, [R, HEAD, LEFT]
        )
        if missing:
            raise ProofError(f"{name} does not follow of the reaper of Kafka's timer")
        premises = {premise: all_of(formulas) for premise, formulas in by_premise.items()}
        exploration, state = flushing()
        names = zip((R, HEAD, LEFT), ("Thread_r", "Entry_one", "Entry_two"), strict=True)
        vivid = [constant == z3.Const(witness, constant.sort()) for constant, witness in names]
        return VC(name, premises, conclusion, [*exploration.in_state(state), *vivid])

    def step(self, number: int) -> VC:
        """A step of the run can be taken."""
        name = RUN[number - 1]
        return self.condition(step_name(number), self.guards(name, self.states[number - 1], R))

    def ended(self) -> VC:
        """At the end no thread can take any step: all have ended."""
        last, t = self.states[-1], z3.Const("ended", THREAD.z3)
        places = [label for label in self.module.LABELS if label != "Done"]
        stays = Not(Or([at(last, t, "Idle" if place == "T0" else place) for place in places]))
        return self.condition("ended", simple(Implies(t != NO_THREAD, stays)))

    def lost(self) -> VC:
        """AllTried is false there: the other entry is linked, its task's, and was never tried."""
        last = self.states[-1]
        claim = self.placed(self.module.specified(self.s, "AllTried"), last, R)
        is_linked = last.content[self.s.polled[R]][LEFT] > 0
        return self.condition("lost", And(simple(is_linked), last.reaperDied, Not(claim)))


# -- the same steps in small runs

TWO = scenario({"one": 1, "two": 1}, a="add one; add two", b="close", c="tick", r="reap") | {
    "timer": "KafkaTimer"
}


def is_start(exploration: ReachedTimer, state: State) -> bool:
    """Whether Kafka's reaper flushes two entries, the timer is shut, and all others have ended."""
    flushes, end = map(PLACE.values.index, ("F2", "Done"))
    places = state[[*exploration.system.VARIABLES].index("pc")][:-1]
    reaper = exploration.instance.number["Thread"]["r"]
    if any(place != (flushes if t == reaper else end) for t, place in enumerate(places)):
        return False
    cells = exploration.instance.named(state)
    return bool(cells["shut"] and sum(cells["content"][cells["polled"]["r"]].values()) == 2)


@cache
def flushing() -> tuple[ReachedTimer, State]:
    """A reached state as `Refusal.flushes` has it."""
    exploration = ReachedTimer(TWO, base=Entries)
    for _, move in exploration.edges():
        if is_start(exploration, move.after):
            return exploration, move.after
    raise ProofError("no run of the small scenario comes to a flush of two entries")


def stopped(old: str = "", new: str = "", shut: bool = True) -> str:
    """The step of the run that cannot be taken from the small run's state; "" for none.

    The first entry is "one". ``shut``: whether the executor is shut down.
    """
    exploration, (_, start) = ReachedTimer(TWO, old, new, base=Entries), flushing()
    system = exploration.system
    assert isinstance(system, Entries)
    place = [*system.VARIABLES].index("shut")
    state = (*start[:place], shut, *start[place + 1 :])
    number = {sort: exploration.instance.number[sort] for sort in ("Thread", "Entry")}
    for step, name in enumerate(RUN, 1):
        after = None
        if name in system.actions():
            firsts = [number["Entry"]["one"] for _ in system.way(name).firsts]
            after = exploration.instance.take(name, state, (number["Thread"]["r"], *firsts))
        if after is None:
            return step_name(step)
        state = after
    return ""


def step_name(step: int) -> str:
    """The name of a step of the run, as its condition has it."""
    return f"{step} {RUN[step - 1]}"


@dataclass(frozen=True)
class Planted:
    """A fault of the module, or an executor that is not shut: the step that cannot be taken."""

    name: str
    says: str
    breaks: str
    old: str = ""
    new: str = ""
    shut: bool = True

    def find(self, _seed: int = 0) -> Found:
        violation = stopped(self.old, self.new, self.shut)
        if not violation:
            return Found("unsat", "the reaper comes to its end")
        return Found("sat", violation, "" if violation == self.breaks else f"not {self.breaks}")


FAULTS = (
    Planted(
        "is caught",
        "whatever the callback, the flush catches the exception and goes on",
        step_name(5),
        '/\\ IF callback[self] = "reinsert"\n',
        "/\\ IF TRUE\n",
    ),
    Planted(
        "goes on",
        "the reaper gives the monitor back and polls again, although the flush has raised",
        step_name(6),
        "/\\ flushing' = 0\n            /\\ IF thrown[self]\n",
        "/\\ flushing' = 0\n            /\\ IF FALSE\n",
    ),
    Planted("not shut", "the executor takes what it is given", step_name(5), shut=False),
)

OF = Refusal()
THEORY = Theory("protocols.system_timer_refusal", mechanism=NAME, after=(PROVED,))
THEORY.theorem(
    "Timer.KafkaLoses",
    f"of {READ}, with Kafka's timer: the executor is shut down, all other threads have ended, and "
    "the reaper flushes a bucket with two entries that are their tasks'. If the first is due, the "
    "run ends with the other one in its bucket. It was never handed over nor refused, and no "
    "thread can step.",
    [
        *[LateVC(step_name(n), partial(OF.step, n)) for n in range(1, len(RUN) + 1)],
        LateVC("ended", OF.ended),
        LateVC("lost", OF.lost),
    ],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    assumes=(*ATOMIC, "A-PROGRAM", "A-FAIR"),
    profile="nightly",
)
