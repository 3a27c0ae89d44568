"""The ring's system: sorts and variables, and the steps that begin operations or are a task's.

A thread's place is the label of ``spec/TimerTaskList.tla`` that it takes next; its variables are
those of the procedures that it is in. ``timer_task_list_steps`` has the steps on rings.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from wheelproof.prove.ts.system import (
    Enumeration,
    Everywhere,
    Step,
    System,
    action,
    array,
    sort,
    when,
)

THREAD = sort("Thread", null="no_thread")
LIST = sort("TaskList", null="no_list")  # "List" is a name of Z3's own
ENTRY = sort("Entry", null="no_entry")
TASK = sort("Task", null="no_task")
NO_THREAD, NO_LIST, NO_ENTRY, NO_TASK = THREAD.null, LIST.null, ENTRY.null, TASK.null
PLACE = Enumeration(
    "RingPlace",
    "Idle T1 C1 C2 C3 C4 S1 S2 S3 S4 R1 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 "
    "U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 K1 K2 F1 F2 F3 F4 Done Nowhere",
)
BOOL, INT = z3.BoolSort(), z3.IntSort()

T, V = THREAD.consts("thread other")
E, D = ENTRY.consts("entry another")
L, M = LIST.consts("bucket second")
X = TASK.consts("task")[0]

UNLINKING = tuple(f"U{number}" for number in range(1, 12))
ADDING = tuple(f"A{number}" for number in range(13))
FLUSHING = ("F1", "F2", "F3", "F4")
UNLINK = "U5"
"""The step that takes an entry out of its ring: none that follows ``next`` meets it afterwards."""


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places."""
    alternatives = [s.at[t] == getattr(PLACE, place) for place in places]
    return Or(alternatives) if len(alternatives) > 1 else alternatives[0]


def between(first: str, last: str) -> tuple[str, ...]:
    """The places from one to another of the same procedure, in the order of their numbers."""
    return tuple(f"{first[0]}{number}" for number in range(int(first[1:]), int(last[1:]) + 1))


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    return Store(s.at, t, getattr(PLACE, place))


class TaskSteps(System):
    """The rings, their monitors, and the threads on them."""

    SORTS = (THREAD, LIST, ENTRY, TASK)
    STATES = "all lists, entries and tasks"
    VARIABLES = {
        "at": array(THREAD, PLACE),
        "ul": array(THREAD, LIST),
        "ue": array(THREAD, ENTRY),  # TimerTaskList.remove
        "re": array(THREAD, ENTRY),  # TimerTaskEntry.remove
        "al": array(THREAD, LIST),
        "ae": array(THREAD, ENTRY),
        "done": array(THREAD, BOOL),  # TimerTaskList.add
        "kl": array(THREAD, LIST),
        "ke": array(THREAD, ENTRY),  # SystemTimer.addTimerTaskEntry
        "fl": array(THREAD, LIST),
        "fd": array(THREAD, LIST),
        "head": array(THREAD, ENTRY),  # TimerTaskList.flush
        "ct": array(THREAD, TASK),  # TimerTask.cancel
        "sl": array(THREAD, LIST),
        "se": array(THREAD, ENTRY),  # what is scheduled, and where to
        "list": array(ENTRY, LIST),
        "linked": array(ENTRY, LIST, BOOL),
        "list_owner": array(LIST, THREAD),
        "list_depth": array(LIST, INT),
        "entry_owner": array(ENTRY, THREAD),
        "task_owner": array(TASK, THREAD),
        "pointer": array(TASK, ENTRY),  # timerTaskEntry
        "revoked": array(ENTRY, BOOL),
        "slipped": array(ENTRY, BOOL),  # history, as in the spec
        "counter": INT,
        "size": INT,
        "uncounted": INT,
        "overcounted": INT,  # history: sizes of sets, see P4
    }
    RIGID = {"task_of": array(ENTRY, TASK)}

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll(
                [T],
                And(
                    is_at(s, T, "Idle"),
                    Not(s.done[T]),
                    *[variable[T] == NO_LIST for variable in (s.ul, s.al, s.kl, s.fl, s.fd, s.sl)],
                    *[
                        variable[T] == NO_ENTRY
                        for variable in (s.ue, s.re, s.ae, s.ke, s.head, s.se)
                    ],
                    s.ct[T] == NO_TASK,
                ),
            ),
            ForAll([E, L], s.linked[E][L] == And(E != NO_ENTRY, L != NO_LIST, s.list[E] == L)),
            s.list[NO_ENTRY] == NO_LIST,
            ForAll([L], And(s.list_owner[L] == NO_THREAD, s.list_depth[L] == 0)),
            ForAll([E], s.entry_owner[E] == NO_THREAD),
            ForAll(
                [X],
                And(
                    s.task_owner[X] == NO_THREAD,
                    Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X),
                ),
            ),
            ForAll([E], And(Not(s.revoked[E]), Not(s.slipped[E]))),
            s.counter == s.size,
            s.uncounted == 0,
            s.overcounted == 0,
        ]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [ForAll([E], (s.task_of[E] == NO_TASK) == (E == NO_ENTRY))]

    # -- returns: the caller is known by the variables that are set

    def remove_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Where TimerTaskEntry.remove comes back to."""
        back = If(
            s.ct[t] != NO_TASK,
            PLACE.C3,
            If(s.se[t] != NO_ENTRY, PLACE.S3, If(s.ae[t] != NO_ENTRY, PLACE.A1, PLACE.Idle)),
        )
        return Store(s.at, t, back)

    def entry_done(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """The return of a thread whose entry was moved, handed over or dropped."""
        return Store(s.at, t, If(s.fl[t] != NO_LIST, PLACE.F2, PLACE.Idle))

    def entered(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> dict[str, z3.ExprRef]:
        return {
            "list_owner": Store(s.list_owner, l, t),
            "list_depth": Store(s.list_depth, l, s.list_depth[l] + 1),
        }

    def left(self, s: SimpleNamespace, l: z3.ExprRef) -> dict[str, z3.ExprRef]:
        last = s.list_depth[l] == 1
        return {
            "list_owner": Store(s.list_owner, l, If(last, NO_THREAD, s.list_owner[l])),
            "list_depth": Store(s.list_depth, l, s.list_depth[l] - 1),
        }

    def free(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        """The thread need not wait for a list's monitor."""
        return Or(s.list_owner[l] == NO_THREAD, s.list_owner[l] == t)

    # -- a thread begins

    @action(t=THREAD, l=LIST, e=ENTRY, begins=True)
    def adds(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef, e: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"), at=go(s, t, "A0"), al=Store(s.al, t, l), ae=Store(s.ae, t, e)
        )

    @action(t=THREAD, e=ENTRY, begins=True)
    def removes(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "R1"), re=Store(s.re, t, e))

    @action(t=THREAD, x=TASK, begins=True)
    def cancels(self, s: SimpleNamespace, t: z3.ExprRef, x: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "C1"), ct=Store(s.ct, t, x))

    @action(t=THREAD, l=LIST, e=ENTRY, begins=True)
    def schedules(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef, e: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"), at=go(s, t, "S1"), sl=Store(s.sl, t, l), se=Store(s.se, t, e)
        )

    @action(t=THREAD, l=LIST, m=LIST, begins=True)
    def flushes(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef, m: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"), at=go(s, t, "F1"), fl=Store(s.fl, t, l), fd=Store(s.fd, t, m)
        )

    @action(t=THREAD, l=LIST, begins=True)
    def expires(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "F1"), fl=Store(s.fl, t, l))

    # -- TimerTask.cancel

    @action(t=THREAD)
    def locks_task_to_cancel(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        x = s.ct[t]
        return when(
            is_at(s, t, "C1"),
            s.task_owner[x] == NO_THREAD,
            at=go(s, t, "C2"),
            task_owner=Store(s.task_owner, x, t),
        )

    @action(t=THREAD)
    def cancel_takes_entry(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        entry = s.pointer[s.ct[t]]
        return when(
            is_at(s, t, "C2"), entry != NO_ENTRY, at=go(s, t, "R1"), re=Store(s.re, t, entry)
        )

    @action(t=THREAD)
    def cancel_finds_none(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "C2"), s.pointer[s.ct[t]] == NO_ENTRY, at=go(s, t, "C3"))

    @action(t=THREAD)
    def clears_pointer(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "C3"), at=go(s, t, "C4"), pointer=Store(s.pointer, s.ct[t], NO_ENTRY)
        )

    @action(t=THREAD)
    def cancel_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "C4"),
            at=go(s, t, "Idle"),
            ct=Store(s.ct, t, NO_TASK),
            task_owner=Store(s.task_owner, s.ct[t], NO_THREAD),
            revoked=Everywhere(D, Or(s.revoked[D], s.task_of[D] == s.ct[t])),
        )

    # -- TimerTask.setTimerTaskEntry, and what follows it

    @action(t=THREAD)
    def locks_task_to_set(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        x = s.task_of[s.se[t]]
        return when(
            is_at(s, t, "S1"),
            s.task_owner[x] == NO_THREAD,
            at=go(s, t, "S2"),
            task_owner=Store(s.task_owner, x, t),
        )

    @action(t=THREAD)
    def takes_old_entry(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        old = s.pointer[s.task_of[s.se[t]]]
        return when(
            is_at(s, t, "S2"),
            old != NO_ENTRY,
            old != s.se[t],
            at=go(s, t, "R1"),
            re=Store(s.re, t, old),
        )

    @action(t=THREAD)
    def has_no_old_entry(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        old = s.pointer[s.task_of[s.se[t]]]
        return when(is_at(s, t, "S2"), Or(old == NO_ENTRY, old == s.se[t]), at=go(s, t, "S3"))

    @action(t=THREAD)
    def sets_pointer(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.se[t]
        return when(
            is_at(s, t, "S3"),
            at=go(s, t, "S4"),
            pointer=Store(s.pointer, s.task_of[e], e),
            revoked=Store(s.revoked, e, False),
        )

    @action(t=THREAD)
    def unlocks_task_after_set(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "S4"),
            at=go(s, t, "T1"),
            task_owner=Store(s.task_owner, s.task_of[s.se[t]], NO_THREAD),
        )

    @action(t=THREAD)
    def submits_scheduled(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "T1"),
            at=go(s, t, "K1"),
            kl=Store(s.kl, t, s.sl[t]),
            ke=Store(s.ke, t, s.se[t]),
            sl=Store(s.sl, t, NO_LIST),
            se=Store(s.se, t, NO_ENTRY),
        )
