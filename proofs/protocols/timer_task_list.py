"""P1 - P5, P12: a bucket's ring under any number of threads that add, remove, cancel, schedule, flush and expire.

Theorems: P1 an entry is in at most one list; P2 it is linked exactly where it says so, when its
monitor is free; P3 a ring is written under its list's monitor; P4 the counter is the number of
linked entries; P5 a task has at most one entry that is not cancelled, and cancel wins; P12 no
thread waits for one that waits for it (in ``OneReaper``). The steps are in
``timer_task_list_steps``.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.protocols.timer_task_list_steps import (
    ADDING,
    FLUSHING,
    LIST,
    NO_ENTRY,
    NO_LIST,
    NO_TASK,
    NOBODY,
    THREAD,
    UNLINKING,
    D,
    E,
    L,
    M,
    RingSteps,
    T,
    V,
    X,
    between,
    go,
    is_at,
)
from proofs.ts import Step, action, conjunct, safety, when


class TimerTaskList(RingSteps):
    """Any thread does anything."""

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
        return ForAll(
            [T],
            And(
                self.unlinks(s, T) == (s.ul[T] != NO_LIST),
                self.unlinks(s, T) == (s.ue[T] != NO_ENTRY),
                Implies(
                    self.unlinks(s, T),
                    And(
                        (s.re[T] != NO_ENTRY) != (s.head[T] != NO_ENTRY),
                        Or(s.ue[T] == s.re[T], s.ue[T] == s.head[T]),
                    ),
                ),
            ),
        )

    @conjunct
    def remove_has_its_entry(self, s):
        """Who is at R1 has an entry; who has one is there or in the unlink that it called."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "R1"), self.is_removing(s, T)),
                Implies(self.is_removing(s, T), Or(is_at(s, T, "R1"), self.unlinks(s, T))),
            ),
        )

    @conjunct
    def add_has_its_entry(self, s):
        """Who is in TimerTaskList.add has a list and an entry; who has one is there or in the remove that it called."""
        return ForAll(
            [T],
            And(
                (s.ae[T] != NO_ENTRY) == (s.al[T] != NO_LIST),
                Implies(is_at(s, T, *ADDING), s.ae[T] != NO_ENTRY),
                Implies(
                    s.ae[T] != NO_ENTRY,
                    And(Or(is_at(s, T, *ADDING), self.is_removing(s, T)), s.head[T] == NO_ENTRY),
                ),
            ),
        )

    @conjunct
    def flush_has_its_list(self, s):
        """Who is in flush has a list, and a head from taking it until it is passed on, which unlink takes from that list."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, *FLUSHING), s.fl[T] != NO_LIST),
                Implies(s.fd[T] != NO_LIST, s.fl[T] != NO_LIST),
                Implies(
                    s.fl[T] != NO_LIST,
                    Or(
                        is_at(s, T, *FLUSHING, "K1", "K2"),
                        s.head[T] != NO_ENTRY,
                        s.ae[T] != NO_ENTRY,
                    ),
                ),
                Implies(
                    s.head[T] != NO_ENTRY,
                    And(
                        s.fl[T] != NO_LIST,
                        Or(is_at(s, T, "F3"), And(self.unlinks(s, T), s.ul[T] == s.fl[T])),
                    ),
                ),
                Implies(is_at(s, T, "F3"), s.head[T] != NO_ENTRY),
            ),
        )

    @conjunct
    def cancel_has_its_task(self, s):
        """Who is in cancel has a task; who has one is there or in the remove that it called, and in nothing else."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "C1", "C2", "C3", "C4"), s.ct[T] != NO_TASK),
                Implies(
                    s.ct[T] != NO_TASK,
                    And(
                        Or(is_at(s, T, "C1", "C2", "C3", "C4"), self.is_removing(s, T)),
                        s.se[T] == NO_ENTRY,
                        s.ae[T] == NO_ENTRY,
                        s.fl[T] == NO_LIST,
                    ),
                ),
            ),
        )

    @conjunct
    def schedule_has_its_entry(self, s):
        """Who schedules has an entry and a list until these are passed on, and is in nothing else but the remove that it called."""
        return ForAll(
            [T],
            And(
                (s.se[T] != NO_ENTRY) == (s.sl[T] != NO_LIST),
                Implies(is_at(s, T, "S1", "S2", "S3", "S4", "T1"), s.se[T] != NO_ENTRY),
                Implies(
                    s.se[T] != NO_ENTRY,
                    And(
                        Or(is_at(s, T, "S1", "S2", "S3", "S4", "T1"), self.is_removing(s, T)),
                        s.ae[T] == NO_ENTRY,
                        s.fl[T] == NO_LIST,
                    ),
                ),
            ),
        )

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
        return ForAll(
            [L, T],
            Implies(
                And(L != NO_LIST, T != NOBODY),
                (s.list_owner[L] == T)
                == Or(
                    self.holds_by_flush(s, T, L),
                    self.holds_by_unlink(s, T, L),
                    self.holds_by_add(s, T, L),
                ),
            ),
        )

    @conjunct
    def depth_counts_entries(self, s):
        """A list's monitor is as deep as its owner has entered it: by flush, by unlink, by add."""
        o = s.list_owner
        return ForAll(
            [L],
            Implies(
                L != NO_LIST,
                s.list_depth[L]
                == If(
                    o[L] == NOBODY,
                    0,
                    If(self.holds_by_flush(s, o[L], L), 1, 0)
                    + If(self.holds_by_unlink(s, o[L], L), 1, 0)
                    + If(self.holds_by_add(s, o[L], L), 1, 0),
                ),
            ),
        )

    @conjunct
    def entry_has_its_owner(self, s):
        """An entry's monitor is held by exactly the thread that unlinks it or adds it."""
        return ForAll(
            [E, T],
            Implies(
                And(E != NO_ENTRY, T != NOBODY),
                (s.entry_owner[E] == T)
                == Or(
                    And(s.ue[T] == E, is_at(s, T, *between("U3", "U10"))),
                    And(s.ae[T] == E, is_at(s, T, *between("A3", "A10"))),
                ),
            ),
        )

    @conjunct
    def task_has_its_owner(self, s):
        """A task's monitor is held by exactly the thread that cancels it or sets its entry."""
        return ForAll(
            [X, T],
            Implies(
                And(X != NO_TASK, T != NOBODY),
                (s.task_owner[X] == T)
                == Or(
                    And(s.ct[T] == X, Not(is_at(s, T, "C1"))),
                    And(s.se[T] != NO_ENTRY, s.task_of[s.se[T]] == X, Not(is_at(s, T, "S1", "T1"))),
                ),
            ),
        )

    # -- the invariant: the rings

    @conjunct
    def linked_says_so(self, s):
        """An entry that is linked into a list names it."""
        return And(
            ForAll(
                [E, L], Implies(s.linked[E][L], And(E != NO_ENTRY, L != NO_LIST, s.list[E] == L))
            ),
            s.list[NO_ENTRY] == NO_LIST,
        )

    @conjunct
    def says_so_is_linked(self, s):
        """An entry that names a list is linked into it, but for the steps between the two that its monitor's holder takes."""
        owner = s.entry_owner[E]
        meanwhile = Or(
            And(is_at(s, owner, "A7"), s.ae[owner] == E),
            And(is_at(s, owner, "U6", "U7", "U8"), s.ue[owner] == E),
        )
        return ForAll(
            [E],
            Implies(
                And(s.list[E] != NO_LIST, Not(s.linked[E][s.list[E]])),
                And(owner != NOBODY, meanwhile),
            ),
        )

    @conjunct
    def unlinks_what_is_linked(self, s):
        """Who unlinks after the ownership test works on an entry of its list: linked before U6, not from there on, unnamed after U8."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "U4", "U5"), s.linked[s.ue[T]][s.ul[T]]),
                Implies(
                    is_at(s, T, "U6", "U7", "U8"),
                    And(s.list[s.ue[T]] == s.ul[T], Not(s.linked[s.ue[T]][s.ul[T]])),
                ),
            ),
        )

    @conjunct
    def links_what_is_not(self, s):
        """Who links after the test for null works on an entry of no list, until it names this one; it is linked at A7."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "A4", "A5", "A6"), s.list[s.ae[T]] == NO_LIST),
                Implies(
                    is_at(s, T, "A7"),
                    And(s.list[s.ae[T]] == s.al[T], Not(s.linked[s.ae[T]][s.al[T]])),
                ),
            ),
        )

    @conjunct
    def flushed_is_empty(self, s):
        """A flush that has found no entry left finds none later: it holds the list's monitor."""
        return ForAll([T, E], Implies(is_at(s, T, "F4"), Not(s.linked[E][s.fl[T]])))

    @conjunct
    def head_stays_linked(self, s):
        """The head that a flush has taken stays linked into its list until it is unlinked."""
        return ForAll(
            [T],
            Implies(
                And(is_at(s, T, "U1", "U2", "U3"), s.head[T] != NO_ENTRY),
                s.linked[s.head[T]][s.fl[T]],
            ),
        )

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
        return And(
            ForAll([E], Implies(s.revoked[E], s.pointer[s.task_of[E]] != E)),
            ForAll([T], Implies(is_at(s, T, "C4"), s.pointer[s.ct[T]] == NO_ENTRY)),
        )

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
        return ForAll(
            [E, L],
            Implies(
                And(s.entry_owner[E] == NOBODY, L != NO_LIST), s.linked[E][L] == (s.list[E] == L)
            ),
        )

    @safety("P3")
    def ring_written_under_its_monitor(self, s):
        """Who writes the pointers of a list's ring, or of an entry that enters or leaves it, holds the list's monitor and the entry's."""
        return ForAll(
            [T],
            And(
                Implies(
                    is_at(s, T, *between("U4", "U8")),
                    And(
                        s.list_owner[s.ul[T]] == T,
                        s.entry_owner[s.ue[T]] == T,
                        s.list[s.ue[T]] == s.ul[T],
                    ),
                ),
                Implies(
                    is_at(s, T, *between("A4", "A8")),
                    And(s.list_owner[s.al[T]] == T, s.entry_owner[s.ae[T]] == T),
                ),
            ),
        )

    @safety("P3")
    def flush_unlinks_its_head(self, s):
        """The head that a flush takes is its own to unlink: no other thread has taken it meanwhile."""
        return ForAll(
            [T], Implies(And(is_at(s, T, "U3"), s.head[T] != NO_ENTRY), s.list[s.ue[T]] == s.ul[T])
        )

    @safety("P3")
    def flush_leaves_nothing(self, s):
        """A flush ends with its list empty."""
        return ForAll([T, E], Implies(is_at(s, T, "F4"), Not(s.linked[E][s.fl[T]])))

    @safety("P4")
    def counts_are_sizes(self, s):
        """Each link and each unlink changes the set of linked entries by one: so is ``size`` its size."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "A7"), Not(s.linked[s.ae[T]][s.al[T]])),
                Implies(is_at(s, T, "U5"), s.linked[s.ue[T]][s.ul[T]]),
            ),
        )

    @safety("P4")
    def counter_exact(self, s):
        """Counter and size differ only by who is between a link or unlink and its count, and each of those holds a list's monitor."""
        return And(
            s.counter == s.size - s.uncounted + s.overcounted,
            ForAll(
                [T],
                And(
                    Implies(
                        is_at(s, T, "A8", "A9"), And(s.al[T] != NO_LIST, s.list_owner[s.al[T]] == T)
                    ),
                    Implies(
                        is_at(s, T, *between("U6", "U9")),
                        And(s.ul[T] != NO_LIST, s.list_owner[s.ul[T]] == T),
                    ),
                ),
            ),
        )

    @safety("P5")
    def one_live_entry(self, s):
        """Of the entries of a task at most one is not cancelled."""
        live = lambda e: And(e != NO_ENTRY, s.pointer[s.task_of[e]] == e)
        return ForAll([D, E], Implies(And(live(D), live(E), s.task_of[D] == s.task_of[E]), D == E))

    @safety("P5")
    def pointer_under_monitor(self, s):
        """Who changes a task's pointer holds the task's monitor, and points at an entry of the task."""
        return And(
            ForAll(
                [T],
                And(
                    Implies(is_at(s, T, "C3"), s.task_owner[s.ct[T]] == T),
                    Implies(is_at(s, T, "S3"), s.task_owner[s.task_of[s.se[T]]] == T),
                ),
            ),
            ForAll([X], Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X)),
        )

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
        return when(
            is_at(s, t, "Idle"),
            t == s.reaper,
            at=go(s, t, "F1"),
            fl=Store(s.fl, t, l),
            fd=Store(s.fd, t, m),
        )

    def flushes_into(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread holds the list that it flushes into another one."""
        return And(s.fl[t] != NO_LIST, s.fd[t] != NO_LIST, Not(is_at(s, t, "F1")))

    def rank(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """How far from the end of a chain of waits a thread may be, by what it wants: an entry's monitor, a list's, a task's.

        A flush that unlinks its head enters its own list again and does not wait.
        """
        lists = And(is_at(s, t, "U1", "A1", "F1"), s.head[t] == NO_ENTRY)
        return If(
            is_at(s, t, "U2", "A2"),
            1,
            If(
                And(lists, self.flushes_into(s, t)),
                2,
                If(lists, 3, If(is_at(s, t, "C1", "S1"), 4, 0)),
            ),
        )

    @conjunct
    def reaper_alone_flushes_into(self, s):
        """Only the reaper flushes into other lists."""
        return ForAll([T], Implies(s.fd[T] != NO_LIST, T == s.reaper))

    @conjunct
    def flush_adds_where_it_goes(self, s):
        """A flush passes its entries on to its own destination: an expiring one adds to no list."""
        return ForAll(
            [T],
            Implies(
                s.fl[T] != NO_LIST,
                And(
                    Implies(s.ke[T] != NO_ENTRY, s.kl[T] == s.fd[T]),
                    Implies(s.ae[T] != NO_ENTRY, s.fd[T] != NO_LIST),
                ),
            ),
        )

    @safety("P12")
    def waits_go_down(self, s):
        """Who waits for a monitor waits for a thread of a lower rank, so that waits do not close a circle: tasks before lists before entries."""
        return ForAll(
            [T, V],
            Implies(
                And(T != NOBODY, V != NOBODY, self.waits_for(s, T, V)),
                self.rank(s, V) < self.rank(s, T),
            ),
        )

    @safety("P12")
    def holder_is_busy(self, s):
        """Who holds a monitor that somebody waits for is in an operation: the last of a chain of waits is not idle."""
        return ForAll(
            [T, V],
            Implies(
                And(T != NOBODY, V != NOBODY, self.waits_for(s, T, V)), Not(is_at(s, V, "Idle"))
            ),
        )

    def waits_for(self, s: SimpleNamespace, t: z3.ExprRef, u: z3.ExprRef) -> z3.BoolRef:
        """The thread waits, and ``u`` holds what it wants; an entry's or a task's monitor it does not enter twice either."""
        return And(self.waits(s, t), u == self.holder(s, t))

    def holder(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """Who holds the monitor that a thread at a lock wants."""
        lists = self.wanted(s, t, s.list_owner, {"U1": s.ul[t], "A1": s.al[t]}, s.fl[t])
        entries = self.wanted(s, t, s.entry_owner, {"U2": s.ue[t]}, s.ae[t])
        tasks = self.wanted(s, t, s.task_owner, {"C1": s.ct[t]}, s.task_of[s.se[t]])
        return If(is_at(s, t, "U1", "A1", "F1"), lists, If(is_at(s, t, "U2", "A2"), entries, tasks))

    @safety("P12", enabled=True)
    def who_waits_for_nobody_moves(self, s):
        """A thread that is in an operation and wants no monitor that is held can take a step: with the ranks, there is no deadlock."""
        return ForAll(
            [T],
            Implies(
                And(T != NOBODY, Not(is_at(s, T, "Idle"))),
                Or(self.waits(s, T), self.can_move(s, T)),
            ),
        )

    def waits(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread wants a monitor that somebody holds, and cannot enter it."""
        holder, own = self.holder(s, t), is_at(s, t, "U1", "A1", "F1")
        return And(
            is_at(s, t, "U1", "A1", "F1", "U2", "A2", "C1", "S1"),
            holder != NOBODY,
            Implies(own, holder != t),
        )

    def wanted(
        self,
        s: SimpleNamespace,
        t: z3.ExprRef,
        owners: z3.ExprRef,
        at: dict[str, z3.ExprRef],
        otherwise: z3.ExprRef,
    ) -> z3.ExprRef:
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
                guards = made.guards[: len(made.guards) - len(made.defined)]
                found.append(z3.substitute(And(list(guards)), (values["t"], t)))
        return Or(found)
