"""Each step of module TimerTaskList is a step of the proof's system, or a stutter.

A state of the generated system is seen as one of `timer_task_list.TimerTaskList`: `seen` gives its
variables as terms. A way through a label is shown to be the action that `STEPS` names, with these
arguments. Then each theorem about that system holds of the module, at any size.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import z3
from z3 import And, If, Or

from proofs.timer_task_list.links import at, back, entry, node, on
from proofs.timer_task_list.state import (
    LIST,
    NO_ENTRY,
    NO_LIST,
    NO_THREAD,
    PLACE,
    THREAD,
    UNLINKING,
    between,
)
from proofs.timer_task_list.system import TimerTaskList
from proofs.timer_task_list.words import OPERATION
from wheelproof.prove.module import simulation
from wheelproof.prove.module.simulation import Case, simple
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import System

_T = z3.Const("seen_thread", THREAD.z3)


def seen(s: SimpleNamespace) -> SimpleNamespace:
    """A state of the module as one of the proof's system."""

    def of_thread(value: z3.ExprRef) -> z3.ExprRef:
        return z3.Lambda([_T], value)

    t = _T
    last = s.turn[t] - 1
    schedules = And(t != NO_THREAD, Or(on(s, "setTimerTaskEntry", t), at(s, t, "T1")))
    has_head = Or(at(s, t, "F3"), And(at(s, t, *UNLINKING), back(s, "unlink", t, "F3")))
    checks = at(s, t, "K1", "K2")
    return SimpleNamespace(
        at=of_thread(If(at(s, t, "Done"), PLACE.Idle, s.pc[t])),
        ul=s.ul,
        ue=s.ue,
        re=s.re,
        al=s.al,
        ae=s.ae,
        done=s.done,
        kl=of_thread(If(checks, s.kl[t], NO_LIST)),
        ke=of_thread(If(checks, s.ke[t], NO_ENTRY)),
        fl=s.fl,
        fd=s.fd,
        head=of_thread(If(has_head, entry(s, s.head[t]), NO_ENTRY)),
        ct=s.ct,
        sl=of_thread(If(schedules, s.Program_2_TaskList[t][last], NO_LIST)),
        se=of_thread(If(schedules, s.Program_3_Entry[t][last], NO_ENTRY)),
        list=s.list,
        linked=s.linked,
        list_owner=s.listMonitor_owner,
        list_depth=s.listMonitor_depth,
        entry_owner=s.entryMonitor_owner,
        task_owner=s.taskMonitor_owner,
        pointer=s.timerTaskEntry,
        revoked=s.revoked,
        slipped=s.slipped,
        counter=s.taskCounter,
        size=s.size,
        uncounted=s.uncounted,
        overcounted=s.overcounted,
        task_of=s.TaskOf,
    )


def _beginnings(s: SimpleNamespace, t: z3.ExprRef) -> dict[str, list[Case]]:
    """The operations that a thread may begin, by the label that they begin with."""
    k = s.turn[t]
    word, lists, entries = (
        s.Program_1_word[t][k],
        s.Program_2_TaskList[t][k],
        s.Program_3_Entry[t][k],
    )
    return {
        "A0": [Case("adds", (lists, entries))],
        "R1": [Case("removes", (s.Program_2_Entry[t][k],))],
        "C1": [Case("cancels", (s.Program_2_Task[t][k],))],
        "F1": [
            Case("flushes", (lists, s.Program_3_TaskList[t][k]), word == OPERATION.flush),
            Case("expires", (lists,), word == OPERATION.expire),
        ],
        "S1": [Case("schedules", (lists, entries))],
        "Done": [Case("")],
    }


STEPS = {
    "T1_to_K1": "submits_scheduled",
    "C1_to_C2": "locks_task_to_cancel",
    "C2_to_R1": "cancel_takes_entry",
    "C2_to_C3": "cancel_finds_none",
    "C3_to_C4": "clears_pointer",
    "C4_to_back": "cancel_returns",
    "S1_to_S2": "locks_task_to_set",
    "S2_to_R1": "takes_old_entry",
    "S2_to_S3": "has_no_old_entry",
    "S3_to_S4": "sets_pointer",
    "S4_to_back": "unlocks_task_after_set",
    "R1_to_U1": "finds_list",
    "R1_to_back": "finds_no_list",
    "A0_to_R1": "removes_first",
    "A0_to_A12": "has_added",
    "A1_to_A2": "locks_list_to_add",
    "A2_to_A3": "locks_entry_to_add",
    "A3_to_A4": "is_in_no_list",
    "A3_to_A10": "is_linked_again",
    "A4_to_A5": "sets_next",
    "A5_to_A6": "sets_prev",
    "A6_to_A7": "sets_list",
    "A7_to_A8": "links",
    "A8_to_A9": "links_back",
    "A9_to_A10": "counts_link",
    "A10_to_A11": "unlocks_entry_after_add",
    "A11_to_A0": "unlocks_list_after_add",
    "A12_to_back": "add_returns",
    "U1_to_U2": "locks_list_to_unlink",
    "U2_to_U3": "locks_entry_to_unlink",
    "U3_to_U4": "is_its_list",
    "U3_to_U10": "is_not_its_list",
    "U4_to_U5": "closes_prev",
    "U5_to_U6": "closes_next",
    "U6_to_U7": "clears_next",
    "U7_to_U8": "clears_prev",
    "U8_to_U9": "clears_list",
    "U9_to_U10": "counts_unlink",
    "U10_to_U11": "unlocks_entry_after_unlink",
    "U11_to_back": "unlocks_list_after_unlink",
    "K1_to_back": "is_cancelled",
    "K1_to_A0": "is_to_be_linked",
    "K1_to_K2": "is_to_be_run",
    "K2_to_back": "hands_over",
    "F1_to_F2": "locks_list_to_flush",
    "F2_to_U1": "takes_head",
    "F2_to_F4": "is_empty",
    "F3_to_K1": "passes_head_on",
    "F4_to_back": "flush_returns",
}
"""Way -> the action that it is."""


def cases(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    """The actions that a way may be."""
    label, _, to = name.partition("_to_")
    if label == "T0":
        return _beginnings(s, t)[to]
    if name == "F2_to_U1":
        return [Case("takes_head", (entry(s, s.next[s.TaskList_as_Node[s.fl[t]]]),))]
    return [Case(STEPS[name])]


class Simulation(simulation.Simulation):
    """The conditions of one way: guards and values of the proof's system, and its conjuncts."""

    def __init__(self, module: Generated, proof: System | None = None) -> None:
        super().__init__(module, proof or TimerTaskList())

    def seen(self, s: SimpleNamespace) -> SimpleNamespace:
        return seen(s)

    def cases(self, name: str, t: z3.ExprRef) -> list[Case]:
        """The actions that a way may be; none for one that is never taken."""
        return cases(name, self.s, t)

    def premises(self) -> dict[str, z3.BoolRef]:
        """The formulas of every state, by name: of the constants, the links, and the invariant."""
        lemmas = {
            f"proof {name}": simple(formula)
            for name, formula in self.proof.invariant(self.a).items()
        }
        return super().premises() | lemmas

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        """The goals of a way, by name."""
        values, step = self.step(name)
        after, t = self.module.after(self.s, step), values["t"]
        yield "obligations", And(self.module.obligations(name))
        cases = self.cases(name, t)
        yield "cases", Or([case.when for case in cases])
        for case in cases:
            yield from self.simulated(case, t, after)
        yield from self.conjuncts_after(step)


def hints(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[z3.ExprRef]:
    """Terms that a proof needs besides those of its condition: the ring's nodes next to it."""
    label = name.partition("_to_")[0]
    if label in between("A4", "A8"):
        bucket = z3.Const("any_TaskList_1", LIST.z3)
        return [entry(s, s.tail[t]), node(s, s.al[t]), node(s, s.ae[t]), node(s, bucket)]
    if label in between("U4", "U7"):
        e = node(s, s.ue[t])
        return [entry(s, s.prev[e]), entry(s, s.next[e]), node(s, s.ul[t])]
    return [s.se[t], s.TaskOf[s.se[t]]] if label in between("S1", "S4") else []
