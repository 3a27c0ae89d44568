"""The steps of ``spec/TimerTaskList.tla`` on any number of threads, lists, entries and tasks; ``timer_task_list`` says what holds of them.

A thread's place is the label that it takes next; its variables are those of the procedures that it
is in, null elsewhere, so that they also say who called what. The ring's pointers are seen as one
relation, which entries are linked into which list: A7 makes the walk along ``next`` meet the entry,
U5 ends that.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.ts import Enumeration, Everywhere, Step, System, action, array, sort, when

THREAD = sort("Thread", null="nobody")
LIST = sort("TaskList", null="no_list")  # "List" is a name of Z3's own
ENTRY = sort("Entry", null="no_entry")
TASK = sort("Task", null="no_task")
NOBODY, NO_LIST, NO_ENTRY, NO_TASK = THREAD.null, LIST.null, ENTRY.null, TASK.null
PLACE = Enumeration(
    "RingPlace",
    "Idle T1 C1 C2 C3 C4 S1 S2 S3 S4 R1 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 "
    "U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 K1 K2 F1 F2 F3 F4",
)
BOOL, INT = z3.BoolSort(), z3.IntSort()

T, V = THREAD.consts("thread other")
E, D = ENTRY.consts("entry another")
L, M = LIST.consts("bucket second")
X = TASK.consts("task")[0]

UNLINKING = tuple(f"U{number}" for number in range(1, 12))
ADDING = tuple(f"A{number}" for number in range(13))
FLUSHING = ("F1", "F2", "F3", "F4")


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places."""
    alternatives = [s.at[t] == getattr(PLACE, place) for place in places]
    return Or(alternatives) if len(alternatives) > 1 else alternatives[0]


def between(first: str, last: str) -> tuple[str, ...]:
    """The places from one to another of the same procedure, in the order of their numbers."""
    return tuple(f"{first[0]}{number}" for number in range(int(first[1:]), int(last[1:]) + 1))


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    return Store(s.at, t, getattr(PLACE, place))


class RingSteps(System):
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

    def initially(self, s):
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
            ForAll([L], And(s.list_owner[L] == NOBODY, s.list_depth[L] == 0)),
            ForAll([E], s.entry_owner[E] == NOBODY),
            ForAll(
                [X],
                And(
                    s.task_owner[X] == NOBODY,
                    Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X),
                ),
            ),
            ForAll([E], And(Not(s.revoked[E]), Not(s.slipped[E]))),
            s.counter == s.size,
            s.uncounted == 0,
            s.overcounted == 0,
        ]

    def given(self, s):
        return [ForAll([E], (s.task_of[E] == NO_TASK) == (E == NO_ENTRY))]

    # -- returns: whose variables are set says who called

    def remove_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Where TimerTaskEntry.remove comes back to."""
        back = If(
            s.ct[t] != NO_TASK,
            PLACE.C3,
            If(s.se[t] != NO_ENTRY, PLACE.S3, If(s.ae[t] != NO_ENTRY, PLACE.A1, PLACE.Idle)),
        )
        return Store(s.at, t, back)

    def entry_done(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Where an entry that was moved, handed over or dropped leaves its thread: at the flush that had it, or at the program."""
        return Store(s.at, t, If(s.fl[t] != NO_LIST, PLACE.F2, PLACE.Idle))

    def entered(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> dict[str, z3.ExprRef]:
        return {
            "list_owner": Store(s.list_owner, l, t),
            "list_depth": Store(s.list_depth, l, s.list_depth[l] + 1),
        }

    def left(self, s: SimpleNamespace, l: z3.ExprRef) -> dict[str, z3.ExprRef]:
        last = s.list_depth[l] == 1
        return {
            "list_owner": Store(s.list_owner, l, If(last, NOBODY, s.list_owner[l])),
            "list_depth": Store(s.list_depth, l, s.list_depth[l] - 1),
        }

    def free(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        """The thread need not wait for a list's monitor."""
        return Or(s.list_owner[l] == NOBODY, s.list_owner[l] == t)

    # -- a thread begins

    @action(t=THREAD, l=LIST, e=ENTRY, begins=True)
    def adds(self, s, t, l, e) -> Step:
        return when(
            is_at(s, t, "Idle"), at=go(s, t, "A0"), al=Store(s.al, t, l), ae=Store(s.ae, t, e)
        )

    @action(t=THREAD, e=ENTRY, begins=True)
    def removes(self, s, t, e) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "R1"), re=Store(s.re, t, e))

    @action(t=THREAD, x=TASK, begins=True)
    def cancels(self, s, t, x) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "C1"), ct=Store(s.ct, t, x))

    @action(t=THREAD, l=LIST, e=ENTRY, begins=True)
    def schedules(self, s, t, l, e) -> Step:
        return when(
            is_at(s, t, "Idle"), at=go(s, t, "S1"), sl=Store(s.sl, t, l), se=Store(s.se, t, e)
        )

    @action(t=THREAD, l=LIST, m=LIST, begins=True)
    def flushes(self, s, t, l, m) -> Step:
        return when(
            is_at(s, t, "Idle"), at=go(s, t, "F1"), fl=Store(s.fl, t, l), fd=Store(s.fd, t, m)
        )

    @action(t=THREAD, l=LIST, begins=True)
    def expires(self, s, t, l) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "F1"), fl=Store(s.fl, t, l))

    # -- TimerTask.cancel

    @action(t=THREAD)
    def locks_task_to_cancel(self, s, t) -> Step:
        x = s.ct[t]
        return when(
            is_at(s, t, "C1"),
            s.task_owner[x] == NOBODY,
            at=go(s, t, "C2"),
            task_owner=Store(s.task_owner, x, t),
        )

    @action(t=THREAD)
    def cancel_takes_entry(self, s, t) -> Step:
        entry = s.pointer[s.ct[t]]
        return when(
            is_at(s, t, "C2"), entry != NO_ENTRY, at=go(s, t, "R1"), re=Store(s.re, t, entry)
        )

    @action(t=THREAD)
    def cancel_finds_none(self, s, t) -> Step:
        return when(is_at(s, t, "C2"), s.pointer[s.ct[t]] == NO_ENTRY, at=go(s, t, "C3"))

    @action(t=THREAD)
    def clears_pointer(self, s, t) -> Step:
        return when(
            is_at(s, t, "C3"), at=go(s, t, "C4"), pointer=Store(s.pointer, s.ct[t], NO_ENTRY)
        )

    @action(t=THREAD)
    def cancel_returns(self, s, t) -> Step:
        return when(
            is_at(s, t, "C4"),
            at=go(s, t, "Idle"),
            ct=Store(s.ct, t, NO_TASK),
            task_owner=Store(s.task_owner, s.ct[t], NOBODY),
            revoked=Everywhere(D, Or(s.revoked[D], s.task_of[D] == s.ct[t])),
        )

    # -- TimerTask.setTimerTaskEntry, and what follows it

    @action(t=THREAD)
    def locks_task_to_set(self, s, t) -> Step:
        x = s.task_of[s.se[t]]
        return when(
            is_at(s, t, "S1"),
            s.task_owner[x] == NOBODY,
            at=go(s, t, "S2"),
            task_owner=Store(s.task_owner, x, t),
        )

    @action(t=THREAD)
    def takes_old_entry(self, s, t) -> Step:
        old = s.pointer[s.task_of[s.se[t]]]
        return when(
            is_at(s, t, "S2"),
            old != NO_ENTRY,
            old != s.se[t],
            at=go(s, t, "R1"),
            re=Store(s.re, t, old),
        )

    @action(t=THREAD)
    def has_no_old_entry(self, s, t) -> Step:
        old = s.pointer[s.task_of[s.se[t]]]
        return when(is_at(s, t, "S2"), Or(old == NO_ENTRY, old == s.se[t]), at=go(s, t, "S3"))

    @action(t=THREAD)
    def sets_pointer(self, s, t) -> Step:
        e = s.se[t]
        return when(
            is_at(s, t, "S3"),
            at=go(s, t, "S4"),
            pointer=Store(s.pointer, s.task_of[e], e),
            revoked=Store(s.revoked, e, False),
        )

    @action(t=THREAD)
    def unlocks_task_after_set(self, s, t) -> Step:
        return when(
            is_at(s, t, "S4"),
            at=go(s, t, "T1"),
            task_owner=Store(s.task_owner, s.task_of[s.se[t]], NOBODY),
        )

    @action(t=THREAD)
    def submits_scheduled(self, s, t) -> Step:
        return when(
            is_at(s, t, "T1"),
            at=go(s, t, "K1"),
            kl=Store(s.kl, t, s.sl[t]),
            ke=Store(s.ke, t, s.se[t]),
            sl=Store(s.sl, t, NO_LIST),
            se=Store(s.se, t, NO_ENTRY),
        )

    # -- TimerTaskEntry.remove

    @action(t=THREAD)
    def finds_list(self, s, t) -> Step:
        where = s.list[s.re[t]]
        return when(
            is_at(s, t, "R1"),
            where != NO_LIST,
            at=go(s, t, "U1"),
            ul=Store(s.ul, t, where),
            ue=Store(s.ue, t, s.re[t]),
        )

    @action(t=THREAD)
    def finds_no_list(self, s, t) -> Step:
        return when(
            is_at(s, t, "R1"),
            s.list[s.re[t]] == NO_LIST,
            at=self.remove_returns(s, t),
            re=Store(s.re, t, NO_ENTRY),
        )

    # -- TimerTaskList.remove

    @action(t=THREAD)
    def locks_list_to_unlink(self, s, t) -> Step:
        return when(
            is_at(s, t, "U1"),
            self.free(s, t, s.ul[t]),
            at=go(s, t, "U2"),
            **self.entered(s, t, s.ul[t]),
        )

    @action(t=THREAD)
    def locks_entry_to_unlink(self, s, t) -> Step:
        e = s.ue[t]
        return when(
            is_at(s, t, "U2"),
            s.entry_owner[e] == NOBODY,
            at=go(s, t, "U3"),
            entry_owner=Store(s.entry_owner, e, t),
        )

    @action(t=THREAD)
    def is_its_list(self, s, t) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] == s.ul[t], at=go(s, t, "U4"))

    @action(t=THREAD)
    def is_not_its_list(self, s, t) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] != s.ul[t], at=go(s, t, "U10"))

    @action(t=THREAD)
    def closes_prev(self, s, t) -> Step:
        return when(is_at(s, t, "U4"), at=go(s, t, "U5"))

    @action(t=THREAD)
    def closes_next(self, s, t) -> Step:
        e = s.ue[t]
        return when(
            is_at(s, t, "U5"),
            at=go(s, t, "U6"),
            linked=Store(s.linked, e, Store(s.linked[e], s.ul[t], False)),
            size=s.size - 1,
            overcounted=s.overcounted + 1,
        )

    @action(t=THREAD)
    def clears_next(self, s, t) -> Step:
        return when(is_at(s, t, "U6"), at=go(s, t, "U7"))

    @action(t=THREAD)
    def clears_prev(self, s, t) -> Step:
        return when(is_at(s, t, "U7"), at=go(s, t, "U8"))

    @action(t=THREAD)
    def clears_list(self, s, t) -> Step:
        return when(is_at(s, t, "U8"), at=go(s, t, "U9"), list=Store(s.list, s.ue[t], NO_LIST))

    @action(t=THREAD)
    def counts_unlink(self, s, t) -> Step:
        return when(
            is_at(s, t, "U9"),
            at=go(s, t, "U10"),
            counter=s.counter - 1,
            overcounted=s.overcounted - 1,
        )

    @action(t=THREAD)
    def unlocks_entry_after_unlink(self, s, t) -> Step:
        return when(
            is_at(s, t, "U10"),
            at=go(s, t, "U11"),
            entry_owner=Store(s.entry_owner, s.ue[t], NOBODY),
        )

    @action(t=THREAD)
    def unlocks_list_after_unlink(self, s, t) -> Step:
        return when(
            is_at(s, t, "U11"),
            at=Store(s.at, t, If(s.re[t] != NO_ENTRY, PLACE.R1, PLACE.F3)),
            ul=Store(s.ul, t, NO_LIST),
            ue=Store(s.ue, t, NO_ENTRY),
            **self.left(s, s.ul[t]),
        )

    # -- TimerTaskList.add

    @action(t=THREAD)
    def removes_first(self, s, t) -> Step:
        return when(
            is_at(s, t, "A0"), Not(s.done[t]), at=go(s, t, "R1"), re=Store(s.re, t, s.ae[t])
        )

    @action(t=THREAD)
    def has_added(self, s, t) -> Step:
        return when(is_at(s, t, "A0"), s.done[t], at=go(s, t, "A12"))

    @action(t=THREAD)
    def locks_list_to_add(self, s, t) -> Step:
        return when(
            is_at(s, t, "A1"),
            self.free(s, t, s.al[t]),
            at=go(s, t, "A2"),
            **self.entered(s, t, s.al[t]),
        )

    @action(t=THREAD)
    def locks_entry_to_add(self, s, t) -> Step:
        e = s.ae[t]
        return when(
            is_at(s, t, "A2"),
            s.entry_owner[e] == NOBODY,
            at=go(s, t, "A3"),
            entry_owner=Store(s.entry_owner, e, t),
        )

    @action(t=THREAD)
    def is_in_no_list(self, s, t) -> Step:
        return when(is_at(s, t, "A3"), s.list[s.ae[t]] == NO_LIST, at=go(s, t, "A4"))

    @action(t=THREAD)
    def is_linked_again(self, s, t) -> Step:
        return when(is_at(s, t, "A3"), s.list[s.ae[t]] != NO_LIST, at=go(s, t, "A10"))

    @action(t=THREAD)
    def sets_next(self, s, t) -> Step:
        return when(is_at(s, t, "A4"), at=go(s, t, "A5"))

    @action(t=THREAD)
    def sets_prev(self, s, t) -> Step:
        return when(is_at(s, t, "A5"), at=go(s, t, "A6"))

    @action(t=THREAD)
    def sets_list(self, s, t) -> Step:
        return when(is_at(s, t, "A6"), at=go(s, t, "A7"), list=Store(s.list, s.ae[t], s.al[t]))

    @action(t=THREAD)
    def links(self, s, t) -> Step:
        e = s.ae[t]
        return when(
            is_at(s, t, "A7"),
            at=go(s, t, "A8"),
            linked=Store(s.linked, e, Store(s.linked[e], s.al[t], True)),
            size=s.size + 1,
            uncounted=s.uncounted + 1,
        )

    @action(t=THREAD)
    def links_back(self, s, t) -> Step:
        return when(is_at(s, t, "A8"), at=go(s, t, "A9"))

    @action(t=THREAD)
    def counts_link(self, s, t) -> Step:
        return when(
            is_at(s, t, "A9"),
            at=go(s, t, "A10"),
            done=Store(s.done, t, True),
            counter=s.counter + 1,
            uncounted=s.uncounted - 1,
        )

    @action(t=THREAD)
    def unlocks_entry_after_add(self, s, t) -> Step:
        return when(
            is_at(s, t, "A10"),
            at=go(s, t, "A11"),
            entry_owner=Store(s.entry_owner, s.ae[t], NOBODY),
        )

    @action(t=THREAD)
    def unlocks_list_after_add(self, s, t) -> Step:
        return when(is_at(s, t, "A11"), at=go(s, t, "A0"), **self.left(s, s.al[t]))

    @action(t=THREAD)
    def add_returns(self, s, t) -> Step:
        return when(
            is_at(s, t, "A12"),
            at=self.entry_done(s, t),
            al=Store(s.al, t, NO_LIST),
            ae=Store(s.ae, t, NO_ENTRY),
            done=Store(s.done, t, False),
        )

    # -- SystemTimer.addTimerTaskEntry

    def is_current(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return s.pointer[s.task_of[s.ke[t]]] == s.ke[t]

    def passed(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """The entries that passed a check although revoked, after this thread's has."""
        return Store(s.slipped, s.ke[t], Or(s.slipped[s.ke[t]], s.revoked[s.ke[t]]))

    @action(t=THREAD)
    def is_cancelled(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"),
            Not(self.is_current(s, t)),
            at=self.entry_done(s, t),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_linked(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"),
            self.is_current(s, t),
            s.kl[t] != NO_LIST,
            at=go(s, t, "A0"),
            slipped=self.passed(s, t),
            al=Store(s.al, t, s.kl[t]),
            ae=Store(s.ae, t, s.ke[t]),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_run(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"),
            self.is_current(s, t),
            s.kl[t] == NO_LIST,
            at=go(s, t, "K2"),
            slipped=self.passed(s, t),
        )

    @action(t=THREAD)
    def hands_over(self, s, t) -> Step:
        return when(
            is_at(s, t, "K2"),
            at=self.entry_done(s, t),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    # -- TimerTaskList.flush

    @action(t=THREAD)
    def locks_list_to_flush(self, s, t) -> Step:
        return when(
            is_at(s, t, "F1"),
            self.free(s, t, s.fl[t]),
            at=go(s, t, "F2"),
            **self.entered(s, t, s.fl[t]),
        )

    @action(t=THREAD, e=ENTRY)
    def takes_head(self, s, t, e) -> Step:
        return when(
            is_at(s, t, "F2"),
            s.linked[e][s.fl[t]],
            at=go(s, t, "U1"),
            head=Store(s.head, t, e),
            ul=Store(s.ul, t, s.fl[t]),
            ue=Store(s.ue, t, e),
        )

    @action(t=THREAD)
    def is_empty(self, s, t) -> Step:
        return when(is_at(s, t, "F2"), ForAll([E], Not(s.linked[E][s.fl[t]])), at=go(s, t, "F4"))

    @action(t=THREAD)
    def passes_head_on(self, s, t) -> Step:
        return when(
            is_at(s, t, "F3"),
            at=go(s, t, "K1"),
            kl=Store(s.kl, t, s.fd[t]),
            ke=Store(s.ke, t, s.head[t]),
            head=Store(s.head, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def flush_returns(self, s, t) -> Step:
        return when(
            is_at(s, t, "F4"),
            at=go(s, t, "Idle"),
            fl=Store(s.fl, t, NO_LIST),
            fd=Store(s.fd, t, NO_LIST),
            **self.left(s, s.fl[t]),
        )
