"""P1 - P5, P12: a bucket's ring under any number of threads that add, remove, cancel, schedule, flush and expire.

Any number of threads, lists, entries and tasks. A thread's place is the label of ``spec/TimerTaskList.tla`` that it takes next; its
variables are those of the procedures that it is in, null elsewhere, so that they also say who called what. The ring's pointers are
seen as one relation, which entries are linked into which list: A7 makes the walk along ``next`` meet the entry, U5 ends that.
Theorems: P1 an entry is in at most one list; P2 it is linked exactly where it says so, when its monitor is free; P3 a ring is written
under its list's monitor; P4 the counter is the number of linked entries; P5 a task has at most one entry that is not cancelled, and
cancel wins; P12 no thread waits for one that waits for it (in ``OneReaper``).
"""
from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.ts import Enumeration, Everywhere, Step, System, action, array, conjunct, nullable, safety, sort, when

THREAD = sort("Thread", null="nobody")
LIST = sort("TaskList", null="no_list")  # "List" is a name of Z3's own
ENTRY = sort("Entry", null="no_entry")
TASK = sort("Task", null="no_task")
NOBODY, NO_LIST, NO_ENTRY, NO_TASK = THREAD.null, LIST.null, ENTRY.null, TASK.null
PLACE = Enumeration("RingPlace", "Idle T1 C1 C2 C3 C4 S1 S2 S3 S4 R1 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 "
                                 "U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 K1 K2 F1 F2 F3 F4")
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


class TimerTaskList(System):
    """The rings, their monitors, and the threads on them."""

    SORTS = (THREAD, LIST, ENTRY, TASK)
    STATES = "all lists, entries and tasks"
    VARIABLES = {
        "at": array(THREAD, PLACE),
        "ul": array(THREAD, LIST), "ue": array(THREAD, ENTRY),                                # TimerTaskList.remove
        "re": array(THREAD, ENTRY),                                                           # TimerTaskEntry.remove
        "al": array(THREAD, LIST), "ae": array(THREAD, ENTRY), "done": array(THREAD, BOOL),   # TimerTaskList.add
        "kl": array(THREAD, LIST), "ke": array(THREAD, ENTRY),                                # SystemTimer.addTimerTaskEntry
        "fl": array(THREAD, LIST), "fd": array(THREAD, LIST), "head": array(THREAD, ENTRY),   # TimerTaskList.flush
        "ct": array(THREAD, TASK),                                                            # TimerTask.cancel
        "sl": array(THREAD, LIST), "se": array(THREAD, ENTRY),                                # what is scheduled, and where to
        "list": array(ENTRY, LIST), "linked": array(ENTRY, LIST, BOOL),
        "list_owner": array(LIST, THREAD), "list_depth": array(LIST, INT),
        "entry_owner": array(ENTRY, THREAD), "task_owner": array(TASK, THREAD),
        "pointer": array(TASK, ENTRY),                                                        # timerTaskEntry
        "revoked": array(ENTRY, BOOL), "slipped": array(ENTRY, BOOL),                         # history, as in the spec
        "counter": INT,
        "size": INT, "uncounted": INT, "overcounted": INT,                                    # history: sizes of sets, see P4
    }
    RIGID = {"task_of": array(ENTRY, TASK)}

    def initially(self, s):
        return [
            ForAll([T], And(is_at(s, T, "Idle"), Not(s.done[T]),
                            *[variable[T] == NO_LIST for variable in (s.ul, s.al, s.kl, s.fl, s.fd, s.sl)],
                            *[variable[T] == NO_ENTRY for variable in (s.ue, s.re, s.ae, s.ke, s.head, s.se)], s.ct[T] == NO_TASK)),
            ForAll([E, L], s.linked[E][L] == And(E != NO_ENTRY, L != NO_LIST, s.list[E] == L)), s.list[NO_ENTRY] == NO_LIST,
            ForAll([L], And(s.list_owner[L] == NOBODY, s.list_depth[L] == 0)), ForAll([E], s.entry_owner[E] == NOBODY),
            ForAll([X], And(s.task_owner[X] == NOBODY, Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X))),
            ForAll([E], And(Not(s.revoked[E]), Not(s.slipped[E]))), s.counter == s.size, s.uncounted == 0, s.overcounted == 0]

    def given(self, s):
        return [ForAll([E], (s.task_of[E] == NO_TASK) == (E == NO_ENTRY))]

    # -- returns: whose variables are set says who called

    def remove_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Where TimerTaskEntry.remove comes back to."""
        back = If(s.ct[t] != NO_TASK, PLACE.C3, If(s.se[t] != NO_ENTRY, PLACE.S3, If(s.ae[t] != NO_ENTRY, PLACE.A1, PLACE.Idle)))
        return Store(s.at, t, back)

    def entry_done(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Where an entry that was moved, handed over or dropped leaves its thread: at the flush that had it, or at the program."""
        return Store(s.at, t, If(s.fl[t] != NO_LIST, PLACE.F2, PLACE.Idle))

    def entered(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> dict[str, z3.ExprRef]:
        return {"list_owner": Store(s.list_owner, l, t), "list_depth": Store(s.list_depth, l, s.list_depth[l] + 1)}

    def left(self, s: SimpleNamespace, l: z3.ExprRef) -> dict[str, z3.ExprRef]:
        last = s.list_depth[l] == 1
        return {"list_owner": Store(s.list_owner, l, If(last, NOBODY, s.list_owner[l])),
                "list_depth": Store(s.list_depth, l, s.list_depth[l] - 1)}

    def free(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        """The thread need not wait for a list's monitor."""
        return Or(s.list_owner[l] == NOBODY, s.list_owner[l] == t)

    # -- a thread begins

    @action(t=THREAD, l=LIST, e=ENTRY, begins=True)
    def adds(self, s, t, l, e) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "A0"), al=Store(s.al, t, l), ae=Store(s.ae, t, e))

    @action(t=THREAD, e=ENTRY, begins=True)
    def removes(self, s, t, e) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "R1"), re=Store(s.re, t, e))

    @action(t=THREAD, x=TASK, begins=True)
    def cancels(self, s, t, x) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "C1"), ct=Store(s.ct, t, x))

    @action(t=THREAD, l=LIST, e=ENTRY, begins=True)
    def schedules(self, s, t, l, e) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "S1"), sl=Store(s.sl, t, l), se=Store(s.se, t, e))

    @action(t=THREAD, l=LIST, m=LIST, begins=True)
    def flushes(self, s, t, l, m) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "F1"), fl=Store(s.fl, t, l), fd=Store(s.fd, t, m))

    @action(t=THREAD, l=LIST, begins=True)
    def expires(self, s, t, l) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "F1"), fl=Store(s.fl, t, l))

    # -- TimerTask.cancel

    @action(t=THREAD)
    def locks_task_to_cancel(self, s, t) -> Step:
        x = s.ct[t]
        return when(is_at(s, t, "C1"), s.task_owner[x] == NOBODY, at=go(s, t, "C2"), task_owner=Store(s.task_owner, x, t))

    @action(t=THREAD)
    def cancel_takes_entry(self, s, t) -> Step:
        entry = s.pointer[s.ct[t]]
        return when(is_at(s, t, "C2"), entry != NO_ENTRY, at=go(s, t, "R1"), re=Store(s.re, t, entry))

    @action(t=THREAD)
    def cancel_finds_none(self, s, t) -> Step:
        return when(is_at(s, t, "C2"), s.pointer[s.ct[t]] == NO_ENTRY, at=go(s, t, "C3"))

    @action(t=THREAD)
    def clears_pointer(self, s, t) -> Step:
        return when(is_at(s, t, "C3"), at=go(s, t, "C4"), pointer=Store(s.pointer, s.ct[t], NO_ENTRY))

    @action(t=THREAD)
    def cancel_returns(self, s, t) -> Step:
        return when(is_at(s, t, "C4"), at=go(s, t, "Idle"), ct=Store(s.ct, t, NO_TASK),
                    task_owner=Store(s.task_owner, s.ct[t], NOBODY), revoked=Everywhere(D, Or(s.revoked[D], s.task_of[D] == s.ct[t])))

    # -- TimerTask.setTimerTaskEntry, and what follows it

    @action(t=THREAD)
    def locks_task_to_set(self, s, t) -> Step:
        x = s.task_of[s.se[t]]
        return when(is_at(s, t, "S1"), s.task_owner[x] == NOBODY, at=go(s, t, "S2"), task_owner=Store(s.task_owner, x, t))

    @action(t=THREAD)
    def takes_old_entry(self, s, t) -> Step:
        old = s.pointer[s.task_of[s.se[t]]]
        return when(is_at(s, t, "S2"), old != NO_ENTRY, old != s.se[t], at=go(s, t, "R1"), re=Store(s.re, t, old))

    @action(t=THREAD)
    def has_no_old_entry(self, s, t) -> Step:
        old = s.pointer[s.task_of[s.se[t]]]
        return when(is_at(s, t, "S2"), Or(old == NO_ENTRY, old == s.se[t]), at=go(s, t, "S3"))

    @action(t=THREAD)
    def sets_pointer(self, s, t) -> Step:
        e = s.se[t]
        return when(is_at(s, t, "S3"), at=go(s, t, "S4"), pointer=Store(s.pointer, s.task_of[e], e), revoked=Store(s.revoked, e, False))

    @action(t=THREAD)
    def unlocks_task_after_set(self, s, t) -> Step:
        return when(is_at(s, t, "S4"), at=go(s, t, "T1"), task_owner=Store(s.task_owner, s.task_of[s.se[t]], NOBODY))

    @action(t=THREAD)
    def submits_scheduled(self, s, t) -> Step:
        return when(is_at(s, t, "T1"), at=go(s, t, "K1"), kl=Store(s.kl, t, s.sl[t]), ke=Store(s.ke, t, s.se[t]),
                    sl=Store(s.sl, t, NO_LIST), se=Store(s.se, t, NO_ENTRY))

    # -- TimerTaskEntry.remove

    @action(t=THREAD)
    def finds_list(self, s, t) -> Step:
        where = s.list[s.re[t]]
        return when(is_at(s, t, "R1"), where != NO_LIST, at=go(s, t, "U1"), ul=Store(s.ul, t, where), ue=Store(s.ue, t, s.re[t]))

    @action(t=THREAD)
    def finds_no_list(self, s, t) -> Step:
        return when(is_at(s, t, "R1"), s.list[s.re[t]] == NO_LIST, at=self.remove_returns(s, t), re=Store(s.re, t, NO_ENTRY))

    # -- TimerTaskList.remove

    @action(t=THREAD)
    def locks_list_to_unlink(self, s, t) -> Step:
        return when(is_at(s, t, "U1"), self.free(s, t, s.ul[t]), at=go(s, t, "U2"), **self.entered(s, t, s.ul[t]))

    @action(t=THREAD)
    def locks_entry_to_unlink(self, s, t) -> Step:
        e = s.ue[t]
        return when(is_at(s, t, "U2"), s.entry_owner[e] == NOBODY, at=go(s, t, "U3"), entry_owner=Store(s.entry_owner, e, t))

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
        return when(is_at(s, t, "U5"), at=go(s, t, "U6"), linked=Store(s.linked, e, Store(s.linked[e], s.ul[t], False)),
                    size=s.size - 1, overcounted=s.overcounted + 1)

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
        return when(is_at(s, t, "U9"), at=go(s, t, "U10"), counter=s.counter - 1, overcounted=s.overcounted - 1)

    @action(t=THREAD)
    def unlocks_entry_after_unlink(self, s, t) -> Step:
        return when(is_at(s, t, "U10"), at=go(s, t, "U11"), entry_owner=Store(s.entry_owner, s.ue[t], NOBODY))

    @action(t=THREAD)
    def unlocks_list_after_unlink(self, s, t) -> Step:
        return when(is_at(s, t, "U11"), at=Store(s.at, t, If(s.re[t] != NO_ENTRY, PLACE.R1, PLACE.F3)),
                    ul=Store(s.ul, t, NO_LIST), ue=Store(s.ue, t, NO_ENTRY), **self.left(s, s.ul[t]))

    # -- TimerTaskList.add

    @action(t=THREAD)
    def removes_first(self, s, t) -> Step:
        return when(is_at(s, t, "A0"), Not(s.done[t]), at=go(s, t, "R1"), re=Store(s.re, t, s.ae[t]))

    @action(t=THREAD)
    def has_added(self, s, t) -> Step:
        return when(is_at(s, t, "A0"), s.done[t], at=go(s, t, "A12"))

    @action(t=THREAD)
    def locks_list_to_add(self, s, t) -> Step:
        return when(is_at(s, t, "A1"), self.free(s, t, s.al[t]), at=go(s, t, "A2"), **self.entered(s, t, s.al[t]))

    @action(t=THREAD)
    def locks_entry_to_add(self, s, t) -> Step:
        e = s.ae[t]
        return when(is_at(s, t, "A2"), s.entry_owner[e] == NOBODY, at=go(s, t, "A3"), entry_owner=Store(s.entry_owner, e, t))

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
        return when(is_at(s, t, "A7"), at=go(s, t, "A8"), linked=Store(s.linked, e, Store(s.linked[e], s.al[t], True)),
                    size=s.size + 1, uncounted=s.uncounted + 1)

    @action(t=THREAD)
    def links_back(self, s, t) -> Step:
        return when(is_at(s, t, "A8"), at=go(s, t, "A9"))

    @action(t=THREAD)
    def counts_link(self, s, t) -> Step:
        return when(is_at(s, t, "A9"), at=go(s, t, "A10"), done=Store(s.done, t, True), counter=s.counter + 1, uncounted=s.uncounted - 1)

    @action(t=THREAD)
    def unlocks_entry_after_add(self, s, t) -> Step:
        return when(is_at(s, t, "A10"), at=go(s, t, "A11"), entry_owner=Store(s.entry_owner, s.ae[t], NOBODY))

    @action(t=THREAD)
    def unlocks_list_after_add(self, s, t) -> Step:
        return when(is_at(s, t, "A11"), at=go(s, t, "A0"), **self.left(s, s.al[t]))

    @action(t=THREAD)
    def add_returns(self, s, t) -> Step:
        return when(is_at(s, t, "A12"), at=self.entry_done(s, t), al=Store(s.al, t, NO_LIST), ae=Store(s.ae, t, NO_ENTRY),
                    done=Store(s.done, t, False))

    # -- SystemTimer.addTimerTaskEntry

    def is_current(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return s.pointer[s.task_of[s.ke[t]]] == s.ke[t]

    def passed(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """The entries that passed a check although revoked, after this thread's has."""
        return Store(s.slipped, s.ke[t], Or(s.slipped[s.ke[t]], s.revoked[s.ke[t]]))

    @action(t=THREAD)
    def is_cancelled(self, s, t) -> Step:
        return when(is_at(s, t, "K1"), Not(self.is_current(s, t)), at=self.entry_done(s, t), kl=Store(s.kl, t, NO_LIST), ke=Store(s.ke, t, NO_ENTRY))

    @action(t=THREAD)
    def is_to_be_linked(self, s, t) -> Step:
        return when(is_at(s, t, "K1"), self.is_current(s, t), s.kl[t] != NO_LIST, at=go(s, t, "A0"), slipped=self.passed(s, t),
                    al=Store(s.al, t, s.kl[t]), ae=Store(s.ae, t, s.ke[t]), kl=Store(s.kl, t, NO_LIST), ke=Store(s.ke, t, NO_ENTRY))

    @action(t=THREAD)
    def is_to_be_run(self, s, t) -> Step:
        return when(is_at(s, t, "K1"), self.is_current(s, t), s.kl[t] == NO_LIST, at=go(s, t, "K2"), slipped=self.passed(s, t))

    @action(t=THREAD)
    def hands_over(self, s, t) -> Step:
        return when(is_at(s, t, "K2"), at=self.entry_done(s, t), kl=Store(s.kl, t, NO_LIST), ke=Store(s.ke, t, NO_ENTRY))

    # -- TimerTaskList.flush

    @action(t=THREAD)
    def locks_list_to_flush(self, s, t) -> Step:
        return when(is_at(s, t, "F1"), self.free(s, t, s.fl[t]), at=go(s, t, "F2"), **self.entered(s, t, s.fl[t]))

    @action(t=THREAD, e=ENTRY)
    def takes_head(self, s, t, e) -> Step:
        return when(is_at(s, t, "F2"), s.linked[e][s.fl[t]], at=go(s, t, "U1"), head=Store(s.head, t, e),
                    ul=Store(s.ul, t, s.fl[t]), ue=Store(s.ue, t, e))

    @action(t=THREAD)
    def is_empty(self, s, t) -> Step:
        return when(is_at(s, t, "F2"), ForAll([E], Not(s.linked[E][s.fl[t]])), at=go(s, t, "F4"))

    @action(t=THREAD)
    def passes_head_on(self, s, t) -> Step:
        return when(is_at(s, t, "F3"), at=go(s, t, "K1"), kl=Store(s.kl, t, s.fd[t]), ke=Store(s.ke, t, s.head[t]),
                    head=Store(s.head, t, NO_ENTRY))

    @action(t=THREAD)
    def flush_returns(self, s, t) -> Step:
        return when(is_at(s, t, "F4"), at=go(s, t, "Idle"), fl=Store(s.fl, t, NO_LIST), fd=Store(s.fd, t, NO_LIST), **self.left(s, s.fl[t]))

    # -- the invariant: who is where

    def unlinks(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return is_at(s, t, *UNLINKING)

    def is_removing(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """In TimerTaskEntry.remove, at R1 or in an unlink that it called."""
        return s.re[t] != NO_ENTRY

    @conjunct
    def nobody_is_idle(self, s):
        """Nobody is idle."""
        return is_at(s, NOBODY, "Idle")

    @conjunct
    def unlink_has_its_entry(self, s):
        """Who is in TimerTaskList.remove has a list and an entry, which remove or flush gave it; nobody else has."""
        return ForAll([T], And(
            self.unlinks(s, T) == (s.ul[T] != NO_LIST), self.unlinks(s, T) == (s.ue[T] != NO_ENTRY),
            Implies(self.unlinks(s, T), And((s.re[T] != NO_ENTRY) != (s.head[T] != NO_ENTRY), Or(s.ue[T] == s.re[T], s.ue[T] == s.head[T])))))

    @conjunct
    def remove_has_its_entry(self, s):
        """Who is at R1 has an entry; who has one is there or in the unlink that it called."""
        return ForAll([T], And(Implies(is_at(s, T, "R1"), self.is_removing(s, T)),
                               Implies(self.is_removing(s, T), Or(is_at(s, T, "R1"), self.unlinks(s, T)))))

    @conjunct
    def add_has_its_entry(self, s):
        """Who is in TimerTaskList.add has a list and an entry; who has one is there or in the remove that it called."""
        return ForAll([T], And(
            (s.ae[T] != NO_ENTRY) == (s.al[T] != NO_LIST), Implies(is_at(s, T, *ADDING), s.ae[T] != NO_ENTRY),
            Implies(s.ae[T] != NO_ENTRY, And(Or(is_at(s, T, *ADDING), self.is_removing(s, T)), s.head[T] == NO_ENTRY))))

    @conjunct
    def flush_has_its_list(self, s):
        """Who is in flush has a list, and a head from taking it until it is passed on, which unlink takes from that list."""
        return ForAll([T], And(
            Implies(is_at(s, T, *FLUSHING), s.fl[T] != NO_LIST), Implies(s.fd[T] != NO_LIST, s.fl[T] != NO_LIST),
            Implies(s.fl[T] != NO_LIST, Or(is_at(s, T, *FLUSHING, "K1", "K2"), s.head[T] != NO_ENTRY, s.ae[T] != NO_ENTRY)),
            Implies(s.head[T] != NO_ENTRY, And(s.fl[T] != NO_LIST, Or(is_at(s, T, "F3"), And(self.unlinks(s, T), s.ul[T] == s.fl[T])))),
            Implies(is_at(s, T, "F3"), s.head[T] != NO_ENTRY)))

    @conjunct
    def cancel_has_its_task(self, s):
        """Who is in cancel has a task; who has one is there or in the remove that it called, and in nothing else."""
        return ForAll([T], And(
            Implies(is_at(s, T, "C1", "C2", "C3", "C4"), s.ct[T] != NO_TASK),
            Implies(s.ct[T] != NO_TASK, And(Or(is_at(s, T, "C1", "C2", "C3", "C4"), self.is_removing(s, T)),
                                            s.se[T] == NO_ENTRY, s.ae[T] == NO_ENTRY, s.fl[T] == NO_LIST))))

    @conjunct
    def schedule_has_its_entry(self, s):
        """Who schedules has an entry and a list until these are passed on, and is in nothing else but the remove that it called."""
        return ForAll([T], And(
            (s.se[T] != NO_ENTRY) == (s.sl[T] != NO_LIST), Implies(is_at(s, T, "S1", "S2", "S3", "S4", "T1"), s.se[T] != NO_ENTRY),
            Implies(s.se[T] != NO_ENTRY, And(Or(is_at(s, T, "S1", "S2", "S3", "S4", "T1"), self.is_removing(s, T)),
                                             s.ae[T] == NO_ENTRY, s.fl[T] == NO_LIST))))

    @conjunct
    def check_has_its_entry(self, s):
        """Who is at the check whether an entry is cancelled has one, whichever way it came."""
        return ForAll([T], (s.ke[T] != NO_ENTRY) == is_at(s, T, "K1", "K2"))

    # -- the invariant: who holds what

    def holds_by_flush(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.fl[t] == l, Not(is_at(s, t, "F1")))

    def holds_by_unlink(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.ul[t] == l, is_at(s, t, *between("U2", "U11")))

    def holds_by_add(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.al[t] == l, is_at(s, t, *between("A2", "A11")))

    @conjunct
    def list_has_its_owner(self, s):
        """A list's monitor is held by exactly the thread that flushes it, unlinks from it, or adds to it."""
        return ForAll([L, T], Implies(And(L != NO_LIST, T != NOBODY), (s.list_owner[L] == T) == Or(
            self.holds_by_flush(s, T, L), self.holds_by_unlink(s, T, L), self.holds_by_add(s, T, L))))

    @conjunct
    def depth_counts_entries(self, s):
        """A list's monitor is as deep as its owner has entered it: by flush, by unlink, by add."""
        o = s.list_owner
        return ForAll([L], Implies(L != NO_LIST, s.list_depth[L] == If(o[L] == NOBODY, 0, If(
            self.holds_by_flush(s, o[L], L), 1, 0) + If(self.holds_by_unlink(s, o[L], L), 1, 0) + If(self.holds_by_add(s, o[L], L), 1, 0))))

    @conjunct
    def entry_has_its_owner(self, s):
        """An entry's monitor is held by exactly the thread that unlinks it or adds it."""
        return ForAll([E, T], Implies(And(E != NO_ENTRY, T != NOBODY), (s.entry_owner[E] == T) == Or(
            And(s.ue[T] == E, is_at(s, T, *between("U3", "U10"))), And(s.ae[T] == E, is_at(s, T, *between("A3", "A10"))))))

    @conjunct
    def task_has_its_owner(self, s):
        """A task's monitor is held by exactly the thread that cancels it or sets its entry."""
        return ForAll([X, T], Implies(And(X != NO_TASK, T != NOBODY), (s.task_owner[X] == T) == Or(
            And(s.ct[T] == X, Not(is_at(s, T, "C1"))), And(s.se[T] != NO_ENTRY, s.task_of[s.se[T]] == X, Not(is_at(s, T, "S1", "T1"))))))

    # -- the invariant: the rings

    @conjunct
    def linked_says_so(self, s):
        """An entry that is linked into a list names it."""
        return And(ForAll([E, L], Implies(s.linked[E][L], And(E != NO_ENTRY, L != NO_LIST, s.list[E] == L))), s.list[NO_ENTRY] == NO_LIST)

    @conjunct
    def says_so_is_linked(self, s):
        """An entry that names a list is linked into it, but for the steps between the two that its monitor's holder takes."""
        owner = s.entry_owner[E]
        meanwhile = Or(And(is_at(s, owner, "A7"), s.ae[owner] == E), And(is_at(s, owner, "U6", "U7", "U8"), s.ue[owner] == E))
        return ForAll([E], Implies(And(s.list[E] != NO_LIST, Not(s.linked[E][s.list[E]])), And(owner != NOBODY, meanwhile)))

    @conjunct
    def unlinks_what_is_linked(self, s):
        """Who unlinks after the ownership test works on an entry of its list: linked before U6, not from there on, unnamed after U8."""
        return ForAll([T], And(
            Implies(is_at(s, T, "U4", "U5"), s.linked[s.ue[T]][s.ul[T]]),
            Implies(is_at(s, T, "U6", "U7", "U8"), And(s.list[s.ue[T]] == s.ul[T], Not(s.linked[s.ue[T]][s.ul[T]])))))

    @conjunct
    def links_what_is_not(self, s):
        """Who links after the test for null works on an entry of no list, until it names this one; it is linked at A7."""
        return ForAll([T], And(
            Implies(is_at(s, T, "A4", "A5", "A6"), s.list[s.ae[T]] == NO_LIST),
            Implies(is_at(s, T, "A7"), And(s.list[s.ae[T]] == s.al[T], Not(s.linked[s.ae[T]][s.al[T]])))))

    @conjunct
    def flushed_is_empty(self, s):
        """A flush that has found no entry left finds none later: it holds the list's monitor."""
        return ForAll([T, E], Implies(is_at(s, T, "F4"), Not(s.linked[E][s.fl[T]])))

    @conjunct
    def head_stays_linked(self, s):
        """The head that a flush has taken stays linked into its list until it is unlinked."""
        return ForAll([T], Implies(And(is_at(s, T, "U1", "U2", "U3"), s.head[T] != NO_ENTRY), s.linked[s.head[T]][s.fl[T]]))

    @conjunct
    def counter_balances(self, s):
        """The counter and the number of linked entries differ by the links and unlinks that are not counted yet."""
        return s.counter == s.size - s.uncounted + s.overcounted

    # -- the invariant: tasks

    @conjunct
    def pointer_is_own(self, s):
        """A task points at an entry of its own."""
        return ForAll([X], Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X))

    @conjunct
    def revoked_is_not_current(self, s):
        """The task of an entry whose cancel has returned does not point at it; nor does it when cancel is about to return."""
        return And(ForAll([E], Implies(s.revoked[E], s.pointer[s.task_of[E]] != E)),
                   ForAll([T], Implies(is_at(s, T, "C4"), s.pointer[s.ct[T]] == NO_ENTRY)))

    @conjunct
    def none_slipped(self, s):
        """No entry has passed a check after its cancel returned."""
        return ForAll([E], Not(s.slipped[E]))

    # -- safety

    @safety("P1")
    def at_most_one_list(self, s):
        """An entry is linked into at most one list."""
        return ForAll([E, L, M], Implies(And(s.linked[E][L], s.linked[E][M]), L == M))

    @safety("P2")
    def exactly_its_list(self, s):
        """When nobody holds an entry's monitor, it is linked into exactly the list that it names."""
        return ForAll([E, L], Implies(And(s.entry_owner[E] == NOBODY, L != NO_LIST), s.linked[E][L] == (s.list[E] == L)))

    @safety("P3")
    def ring_written_under_its_monitor(self, s):
        """Who writes the pointers of a list's ring, or of an entry that enters or leaves it, holds the list's monitor and the entry's."""
        return ForAll([T], And(
            Implies(is_at(s, T, *between("U4", "U8")), And(s.list_owner[s.ul[T]] == T, s.entry_owner[s.ue[T]] == T, s.list[s.ue[T]] == s.ul[T])),
            Implies(is_at(s, T, *between("A4", "A8")), And(s.list_owner[s.al[T]] == T, s.entry_owner[s.ae[T]] == T))))

    @safety("P3")
    def flush_unlinks_its_head(self, s):
        """The head that a flush takes is its own to unlink: no other thread has taken it meanwhile."""
        return ForAll([T], Implies(And(is_at(s, T, "U3"), s.head[T] != NO_ENTRY), s.list[s.ue[T]] == s.ul[T]))

    @safety("P3")
    def flush_leaves_nothing(self, s):
        """A flush ends with its list empty."""
        return ForAll([T, E], Implies(is_at(s, T, "F4"), Not(s.linked[E][s.fl[T]])))

    @safety("P4")
    def counts_are_sizes(self, s):
        """Each link and each unlink changes the set of linked entries by one: so is ``size`` its size."""
        return ForAll([T], And(Implies(is_at(s, T, "A7"), Not(s.linked[s.ae[T]][s.al[T]])), Implies(is_at(s, T, "U5"), s.linked[s.ue[T]][s.ul[T]])))

    @safety("P4")
    def counter_exact(self, s):
        """Counter and size differ only by who is between a link or unlink and its count, and each of those holds a list's monitor."""
        return And(s.counter == s.size - s.uncounted + s.overcounted, ForAll([T], And(
            Implies(is_at(s, T, "A8", "A9"), And(s.al[T] != NO_LIST, s.list_owner[s.al[T]] == T)),
            Implies(is_at(s, T, *between("U6", "U9")), And(s.ul[T] != NO_LIST, s.list_owner[s.ul[T]] == T)))))

    @safety("P5")
    def one_live_entry(self, s):
        """Of the entries of a task at most one is not cancelled."""
        live = lambda e: And(e != NO_ENTRY, s.pointer[s.task_of[e]] == e)
        return ForAll([D, E], Implies(And(live(D), live(E), s.task_of[D] == s.task_of[E]), D == E))

    @safety("P5")
    def pointer_under_monitor(self, s):
        """Who changes a task's pointer holds the task's monitor, and points at an entry of the task."""
        return And(ForAll([T], And(Implies(is_at(s, T, "C3"), s.task_owner[s.ct[T]] == T), Implies(is_at(s, T, "S3"), s.task_owner[s.task_of[s.se[T]]] == T))),
                   ForAll([X], Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X)))

    @safety("P5")
    def cancel_wins(self, s):
        """No check made after cancel has returned links the entry or hands its task over."""
        return ForAll([E], Not(s.slipped[E]))


class OneReaper(TimerTaskList):
    """The same where only one thread flushes entries into other lists, as Kafka's reaper does under the timer's write lock."""

    RIGID = {**TimerTaskList.RIGID, "reaper": THREAD.z3}

    def given(self, s):
        return [*super().given(s), s.reaper != NOBODY]

    @action(t=THREAD, l=LIST, m=LIST, begins=True)
    def flushes(self, s, t, l, m) -> Step:
        return when(is_at(s, t, "Idle"), t == s.reaper, at=go(s, t, "F1"), fl=Store(s.fl, t, l), fd=Store(s.fd, t, m))

    def flushes_into(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread holds the list that it flushes into another one."""
        return And(s.fl[t] != NO_LIST, s.fd[t] != NO_LIST, Not(is_at(s, t, "F1")))

    def rank(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """How far from the end of a chain of waits a thread may be, by what it wants: an entry's monitor, a list's, a task's.

        A flush that unlinks its head enters its own list again and does not wait.
        """
        lists = And(is_at(s, t, "U1", "A1", "F1"), s.head[t] == NO_ENTRY)
        return If(is_at(s, t, "U2", "A2"), 1, If(And(lists, self.flushes_into(s, t)), 2, If(lists, 3, If(is_at(s, t, "C1", "S1"), 4, 0))))

    @conjunct
    def reaper_alone_flushes_into(self, s):
        """Only the reaper flushes into other lists."""
        return ForAll([T], Implies(s.fd[T] != NO_LIST, T == s.reaper))

    @conjunct
    def flush_adds_where_it_goes(self, s):
        """A flush passes its entries on to its own destination: an expiring one adds to no list."""
        return ForAll([T], Implies(s.fl[T] != NO_LIST, And(Implies(s.ke[T] != NO_ENTRY, s.kl[T] == s.fd[T]),
                                                           Implies(s.ae[T] != NO_ENTRY, s.fd[T] != NO_LIST))))

    @safety("P12")
    def waits_go_down(self, s):
        """Who waits for a monitor waits for a thread of a lower rank, so that waits do not close a circle: tasks before lists before entries."""
        return ForAll([T, V], Implies(And(T != NOBODY, V != NOBODY, self.waits_for(s, T, V)), self.rank(s, V) < self.rank(s, T)))

    def waits_for(self, s: SimpleNamespace, t: z3.ExprRef, u: z3.ExprRef) -> z3.BoolRef:
        """The thread waits, and ``u`` holds what it wants; an entry's or a task's monitor it does not enter twice either."""
        return And(self.waits(s, t), u == self.holder(s, t))

    def holder(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Who holds the monitor that a thread at a lock wants."""
        lists = self.wanted(s, t, s.list_owner, {"U1": s.ul[t], "A1": s.al[t]}, s.fl[t])
        entries = self.wanted(s, t, s.entry_owner, {"U2": s.ue[t]}, s.ae[t])
        tasks = self.wanted(s, t, s.task_owner, {"C1": s.ct[t]}, s.task_of[s.se[t]])
        return If(is_at(s, t, "U1", "A1", "F1"), lists, If(is_at(s, t, "U2", "A2"), entries, tasks))

    @safety("P12")
    def who_waits_for_nobody_moves(self, s):
        """A thread that is in an operation and wants no monitor that is held can take a step: with the ranks, there is no deadlock."""
        return ForAll([T], Implies(And(T != NOBODY, Not(is_at(s, T, "Idle"))), Or(self.waits(s, T), self.can_move(s, T))))

    def waits(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread wants a monitor that somebody holds, and cannot enter it."""
        holder, own = self.holder(s, t), is_at(s, t, "U1", "A1", "F1")
        return And(is_at(s, t, "U1", "A1", "F1", "U2", "A2", "C1", "S1"), holder != NOBODY, Implies(own, holder != t))

    def wanted(self, s: SimpleNamespace, t: z3.ExprRef, owners: z3.ExprRef, at: dict[str, z3.ExprRef], otherwise: z3.ExprRef) -> z3.ExprRef:
        """Who holds what the thread wants, which depends on its place."""
        of = otherwise
        for place, term in at.items():
            of = If(is_at(s, t, place), term, of)
        return owners[of]

    def can_move(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Some action of the thread is enabled. At F2 one is in any case: there is an entry to take, or there is none."""
        found = [is_at(s, t, "F2")]
        for name, taken in self.actions().items():
            if not taken.begins and len(taken.parameters) == 1:
                values, made = self.step(name, s)
                guards = made.guards[:len(made.guards) - len(made.defined)]
                found.append(z3.substitute(And(list(guards)), (values["t"], t)))
        return Or(found)
