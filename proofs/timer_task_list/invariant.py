"""The inductive invariant of the bucket's ring; ``timer_task_list`` has its consequences."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.timer_task_list.state import (
    ADDING,
    FLUSHING,
    NO_ENTRY,
    NO_LIST,
    NO_TASK,
    NO_THREAD,
    UNLINK,
    UNLINKING,
    E,
    L,
    T,
    X,
    between,
    is_at,
)
from proofs.timer_task_list.steps import RingSteps
from wheelproof.prove.ts.system import conjunct


class RingInvariant(RingSteps):
    """The conjuncts of the invariant."""

    # -- the invariant: places

    def unlinks(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return is_at(s, t, *UNLINKING)

    def is_removing(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """In TimerTaskEntry.remove, at R1 or in an unlink that it called."""
        return s.re[t] != NO_ENTRY

    @conjunct
    def null_is_idle(self, s: SimpleNamespace) -> z3.BoolRef:
        """The null thread is idle."""
        return is_at(s, NO_THREAD, "Idle")

    @conjunct
    def unlink_has_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in TimerTaskList.remove has a list and the entry of its remove or its flush.

        No other thread has one.
        """
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
    def remove_has_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread has an entry to remove at R1 and in the unlink that it called there."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "R1"), self.is_removing(s, T)),
                Implies(self.is_removing(s, T), Or(is_at(s, T, "R1"), self.unlinks(s, T))),
            ),
        )

    @conjunct
    def add_has_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread with a list and an entry to add is in TimerTaskList.add, or in its remove."""
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
    def flush_has_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in flush has a list, and a head from taking it until it is passed on.

        It unlinks the head from that list.
        """
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
    def cancel_has_its_task(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread with a task to cancel is in cancel or the remove that it called alone."""
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
    def schedule_has_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that schedules has an entry and a list until these are passed on.

        It is in no other operation but the remove that it called.
        """
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
    def check_has_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread at the check for a cancelled entry has one, whichever way it came."""
        return ForAll([T], (s.ke[T] != NO_ENTRY) == is_at(s, T, "K1", "K2"))

    # -- the invariant: monitors

    def holds_by_flush(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.fl[t] == l, Not(is_at(s, t, "F1")))

    def holds_by_unlink(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.ul[t] == l, is_at(s, t, *between("U2", "U11")))

    def holds_by_add(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.al[t] == l, is_at(s, t, *between("A2", "A11")))

    @conjunct
    def list_has_its_owner(self, s: SimpleNamespace) -> z3.BoolRef:
        """Exactly the thread that flushes, unlinks from or adds to a list holds its monitor."""
        return ForAll(
            [L, T],
            Implies(
                And(L != NO_LIST, T != NO_THREAD),
                (s.list_owner[L] == T)
                == Or(
                    self.holds_by_flush(s, T, L),
                    self.holds_by_unlink(s, T, L),
                    self.holds_by_add(s, T, L),
                ),
            ),
        )

    @conjunct
    def depth_counts_entries(self, s: SimpleNamespace) -> z3.BoolRef:
        """A list's monitor is as deep as its owner has entered it: by flush, by unlink, by add."""
        o = s.list_owner
        return ForAll(
            [L],
            Implies(
                L != NO_LIST,
                s.list_depth[L]
                == If(
                    o[L] == NO_THREAD,
                    0,
                    If(self.holds_by_flush(s, o[L], L), 1, 0)
                    + If(self.holds_by_unlink(s, o[L], L), 1, 0)
                    + If(self.holds_by_add(s, o[L], L), 1, 0),
                ),
            ),
        )

    @conjunct
    def entry_has_its_owner(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry's monitor is held by exactly the thread that unlinks it or adds it."""
        return ForAll(
            [E, T],
            Implies(
                And(E != NO_ENTRY, T != NO_THREAD),
                (s.entry_owner[E] == T)
                == Or(
                    And(s.ue[T] == E, is_at(s, T, *between("U3", "U10"))),
                    And(s.ae[T] == E, is_at(s, T, *between("A3", "A10"))),
                ),
            ),
        )

    @conjunct
    def task_has_its_owner(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task's monitor is held by exactly the thread that cancels it or sets its entry."""
        return ForAll(
            [X, T],
            Implies(
                And(X != NO_TASK, T != NO_THREAD),
                (s.task_owner[X] == T)
                == Or(
                    And(s.ct[T] == X, Not(is_at(s, T, "C1"))),
                    And(s.se[T] != NO_ENTRY, s.task_of[s.se[T]] == X, Not(is_at(s, T, "S1", "T1"))),
                ),
            ),
        )

    # -- the invariant: the rings

    @conjunct
    def linked_says_so(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that is linked into a list names it."""
        return And(
            ForAll(
                [E, L], Implies(s.linked[E][L], And(E != NO_ENTRY, L != NO_LIST, s.list[E] == L))
            ),
            s.list[NO_ENTRY] == NO_LIST,
        )

    @conjunct
    def says_so_is_linked(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that names a list is linked into it, but for its monitor holder's steps.

        These are the steps between the two changes.
        """
        owner = s.entry_owner[E]
        meanwhile = Or(
            And(is_at(s, owner, "A7"), s.ae[owner] == E),
            And(is_at(s, owner, "U6", "U7", "U8"), s.ue[owner] == E),
        )
        return ForAll(
            [E],
            Implies(
                And(s.list[E] != NO_LIST, Not(s.linked[E][s.list[E]])),
                And(owner != NO_THREAD, meanwhile),
            ),
        )

    @conjunct
    def unlinks_what_is_linked(self, s: SimpleNamespace) -> z3.BoolRef:
        """After the ownership test a thread unlinks an entry of its list.

        The entry is linked before U6, not from there on, and unnamed after U8.
        """
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "U4", UNLINK), s.linked[s.ue[T]][s.ul[T]]),
                Implies(
                    is_at(s, T, "U6", "U7", "U8"),
                    And(s.list[s.ue[T]] == s.ul[T], Not(s.linked[s.ue[T]][s.ul[T]])),
                ),
            ),
        )

    @conjunct
    def links_what_is_not(self, s: SimpleNamespace) -> z3.BoolRef:
        """After the test for null a thread links an entry of no list.

        The entry then names this list, and is linked at A7.
        """
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
    def flushed_is_empty(self, s: SimpleNamespace) -> z3.BoolRef:
        """A flush that has found no entry left finds none later: it holds the list's monitor."""
        return ForAll([T, E], Implies(is_at(s, T, "F4"), Not(s.linked[E][s.fl[T]])))

    @conjunct
    def head_stays_linked(self, s: SimpleNamespace) -> z3.BoolRef:
        """The head that a flush has taken stays linked into its list until it is unlinked."""
        return ForAll(
            [T],
            Implies(
                And(is_at(s, T, "U1", "U2", "U3"), s.head[T] != NO_ENTRY),
                s.linked[s.head[T]][s.fl[T]],
            ),
        )

    @conjunct
    def counter_balances(self, s: SimpleNamespace) -> z3.BoolRef:
        """The counter and the number of linked entries differ by the steps not counted yet."""
        return s.counter == s.size - s.uncounted + s.overcounted

    # -- the invariant: tasks

    @conjunct
    def pointer_is_own(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task points at an entry of its own."""
        return ForAll([X], Implies(s.pointer[X] != NO_ENTRY, s.task_of[s.pointer[X]] == X))

    @conjunct
    def revoked_is_not_current(self, s: SimpleNamespace) -> z3.BoolRef:
        """No task points at an entry after its cancel has returned, or is about to return."""
        return And(
            ForAll([E], Implies(s.revoked[E], s.pointer[s.task_of[E]] != E)),
            ForAll([T], Implies(is_at(s, T, "C4"), s.pointer[s.ct[T]] == NO_ENTRY)),
        )

    @conjunct
    def none_slipped(self, s: SimpleNamespace) -> z3.BoolRef:
        """No entry has passed a check after its cancel returned."""
        return ForAll([E], Not(s.slipped[E]))
