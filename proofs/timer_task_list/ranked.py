"""P16: operations that begin on lists end, as theorems, with their controls.

A control is a list with a decision taken away, or a claim without a part of the rank. A step of
some run must break the condition that it names.
"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import z3
from z3 import And, Implies, Not, Or, Store

from proofs.timer_task_list.faults import (
    EVERYTHING,
    FAULTS,
    ONE,
    TWO,
    TWO_ADDERS,
    rings,
    view_of,
)
from proofs.timer_task_list.mutants import FlushWithoutMonitor
from proofs.timer_task_list.ranking import Elsewhere, ranked
from proofs.timer_task_list.state import NO_THREAD, THREAD, go, is_at
from proofs.timer_task_list.system import AT_REST, OneReaper, TimerTaskList
from proofs.timer_task_list.theory import OF_MODULE
from proofs.timer_task_list.theory import THEORY as PROVED
from wheelproof.prove.kernel import VC, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.ts.faults import control
from wheelproof.prove.ts.ground import taken_at
from wheelproof.prove.ts.ranks import RANK, Planted, invariant, obligations
from wheelproof.prove.ts.system import Step, action, when
from wheelproof.prove.ts.theory import Conditions

# -- lists that need not come to an end


class IntoItself(Elsewhere):
    """A flush may have its own list as its destination."""

    flushes = TimerTaskList.flushes


class RetriesForNothing(Elsewhere):
    """An unlink may give up, and try again, although the entry is in its list."""

    @action(t=THREAD)
    def is_not_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U3"), at=go(s, t, "U10"))


class KeepsItsName(Elsewhere):
    """An unlink leaves the entry's list as it is."""

    @action(t=THREAD)
    def clears_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U8"), at=go(s, t, "U9"))


class NeverDone(Elsewhere):
    """An add does not see that it has added its entry."""

    @action(t=THREAD)
    def counts_link(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A9"),
            at=go(s, t, "A10"),
            counter=s.counter + 1,
            uncounted=s.uncounted - 1,
        )


class PutsBack(Elsewhere):
    """A flush takes its head anew, after it has unlinked it."""

    @action(t=THREAD)
    def passes_head_on(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F3"),
            at=go(s, t, "F2"),
            linked=Store(s.linked, s.head[t], Store(s.linked[s.head[t]], s.fl[t], True)),
            list=Store(s.list, s.head[t], s.fl[t]),
        )


class FlushOfOpenList(Elsewhere, FlushWithoutMonitor):
    """A flush does not hold its list: other threads may add to it meanwhile."""


# -- claims without a part of the rank


class WithoutHands(Elsewhere):
    """No entry is in a thread's hands: a link is paid by nothing."""

    def hands(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> z3.BoolRef:
        return z3.BoolVal(False)


class WithoutNames(Elsewhere):
    """The entries that name a list are not counted: an unlink lowers nothing."""

    def named(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        return z3.BoolVal(False)


class WithoutStaleness(Elsewhere):
    """A thread that comes too late is as near to its end as one that comes in time."""

    def is_stale(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return z3.BoolVal(False)


MOVED = rings({"l1": "e1", "l2": ""}, ONE, a="adds", r="removes")
FLUSHED = rings({"l1": "e1", "l2": ""}, ONE, f="flushes")
PLANTED = tuple(
    Planted(name, says, system, scope, RANK + breaks, ranked)
    for name, says, system, scope, breaks in (
        ("into itself", "a flush goes round in its own list", IntoItself, FLUSHED, "links"),
        (
            "retries for nothing",
            "an unlink tries again although no thread has moved the entry",
            RetriesForNothing,
            rings({"l1": "e1"}, ONE, r="removes"),
            "is_not_its_list",
        ),
        (
            "keeps its name",
            "an unlink leaves the entry's list as it is",
            KeepsItsName,
            rings({"l1": "e1"}, ONE, r="removes"),
            "clears_list",
        ),
        (
            "never done",
            "an add goes round although it has added its entry",
            NeverDone,
            rings({"l1": ""}, ONE, a="adds"),
            "counts_link",
        ),
        ("puts back", "a flush puts its head back", PutsBack, FLUSHED, "passes_head_on"),
        (
            "open list",
            "a flush goes on for as long as other threads add to its list",
            FlushOfOpenList,
            rings({"l1": "", "l2": "", "l3": ""}, TWO, f="flushes", a="adds"),
            "links",
        ),
        ("no hands", "a link is paid by nothing", WithoutHands, TWO_ADDERS, "sets_list"),
        ("no names", "an unlink lowers nothing", WithoutNames, MOVED, "clears_list"),
        (
            "no staleness",
            "who comes too late is as near to the end as who comes in time",
            WithoutStaleness,
            MOVED,
            "is_not_its_list",
        ),
    )
)


# -- the theorems


CHAIN = [z3.Const(f"chain_{index}", THREAD.z3) for index in range(6)]
"""A thread, the one that it waits for, and so on: one more than P12 has ranks above the lowest."""
OF_P12 = ("waits_go_down", "holder_is_busy", "unblocked_threads_move")


def one_can_move(conditions: Conditions) -> LateVC:
    """A thread in an operation, or one at the end of its chain of waits, can take a step."""

    def make() -> VC:
        system = conditions.system
        assert isinstance(system, OneReaper)
        s = system.symbols()
        premises: dict[str, z3.BoolRef] = {}
        for number, (t, holder) in enumerate(pairwise(CHAIN), 1):
            premises[f"chain {number}"] = holder == system.holder(s, t)
            for name in OF_P12:
                formula = system.formula(name, s)
                values = (t, holder)[: formula.num_vars()]
                premises[f"{name} #{number}"] = taken_at(formula, values)
        busy = [And(t != NO_THREAD, Not(is_at(s, t, *AT_REST))) for t in CHAIN[:-1]]
        free = [And(Not(system.waits(s, t)), system.can_move(s, t)) for t in CHAIN[:-1]]
        goal = Implies(busy[0], Or([And(*pair) for pair in zip(busy, free, strict=True)]))
        cites = {name: "P12.OneReaper" for name in premises if "#" in name}
        vivid = [*conditions.witnesses.in_state(conditions.witnesses.last), busy[0]]
        return VC("one can move", premises, goal, vivid, cites=cites)

    return LateVC("one can move", make)


THEORY = Theory("protocols.timer_task_list_ranked", mechanism="timer_task_list", after=(PROVED,))
ASSUMES = ("A-CARDINALITY", *OF_MODULE, "A-ELSEWHERE")
THEORY.theorem(
    "Inv.Elsewhere",
    f"the invariant of {Elsewhere.STATES} in Elsewhere: "
    "it holds at the start, and every action keeps it",
    invariant(
        Conditions(Elsewhere(), EVERYTHING, TimerTaskList, "Inv.Elsewhere", "Inv.TimerTaskList")
    ),
    is_lemma=True,
    rests_on=("Inv.TimerTaskList",),
    assumes=(*ATOMIC, *ASSUMES),
    system=Elsewhere.__name__,
    profile="nightly",
)
THEORY.theorem(
    "P16.Rank",
    "every run of threads on lists is finite, whatever the schedule: a step lowers one part of the "
    "rank, and raises none before it, unless it begins an operation",
    obligations(
        Conditions(Elsewhere(), EVERYTHING, lemma="Inv.Elsewhere"),
        ranked,
        [
            RANK + name
            for name, declaration in Elsewhere.actions().items()
            if not declaration.begins
        ],
    ),
    [fault.control() for fault in PLANTED],
    rests_on=("Inv.Elsewhere",),
    assumes=(*ATOMIC, *ASSUMES, "A-FINITE"),
    system=Elsewhere.__name__,
    profile="nightly",
)
THEORY.theorem(
    "P16",
    "a thread in an operation waits for no monitor and can take a step, or that is so of one of "
    "the next four in its chain of waits",
    [one_can_move(Conditions(OneReaper(), EVERYTHING))],
    [control(FAULTS[name], view_of) for name in ("opposite_flushes", "M4")],
    rests_on=("P12.OneReaper",),
    assumes=(*ATOMIC, *OF_MODULE, "A-REAPER", "A-FAIR"),
    system=OneReaper.__name__,
    enabled=True,
    profile="nightly",
)
