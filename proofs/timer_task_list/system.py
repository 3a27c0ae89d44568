"""P1 - P5, P12: a bucket's ring under any number of threads that do any of its operations.

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

from proofs.timer_task_list.invariant import RingInvariant
from proofs.timer_task_list.state import (
    LIST,
    NO_ENTRY,
    NO_LIST,
    NO_THREAD,
    THREAD,
    UNLINK,
    D,
    E,
    L,
    M,
    T,
    V,
    X,
    between,
    go,
    is_at,
)
from wheelproof.prove.ts.system import Step, action, conjunct, safety, when

AT_REST = ("Idle", "Done", "Nowhere")
"""Places of no operation. Done and Nowhere are the module's alone: no thread here is there."""


class TimerTaskList(RingInvariant):
    """Any thread does anything."""

    # -- safety

    @safety("P1")
    def at_most_one_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry is linked into at most one list."""
        return ForAll([E, L, M], Implies(And(s.linked[E][L], s.linked[E][M]), L == M))

    @safety("P2")
    def exactly_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """When an entry's monitor is free, it is linked into exactly the list that it names."""
        return ForAll(
            [E, L],
            Implies(
                And(s.entry_owner[E] == NO_THREAD, L != NO_LIST), s.linked[E][L] == (s.list[E] == L)
            ),
        )

    @safety("P3")
    def ring_written_under_its_monitor(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that writes pointers of a ring, or of its entry, holds both monitors.

        These are the list's, and that of the entry that enters or leaves it.
        """
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
    def flush_unlinks_its_head(self, s: SimpleNamespace) -> z3.BoolRef:
        """The head that a flush takes stays its own to unlink: no other thread takes it."""
        return ForAll(
            [T], Implies(And(is_at(s, T, "U3"), s.head[T] != NO_ENTRY), s.list[s.ue[T]] == s.ul[T])
        )

    @safety("P3")
    def flush_leaves_nothing(self, s: SimpleNamespace) -> z3.BoolRef:
        """A flush ends with its list empty."""
        return ForAll([T, E], Implies(is_at(s, T, "F4"), Not(s.linked[E][s.fl[T]])))

    @safety("P4")
    def counts_are_sizes(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each link and each unlink changes the linked entries by one: ``size`` is their number."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, "A7"), Not(s.linked[s.ae[T]][s.al[T]])),
                Implies(is_at(s, T, UNLINK), s.linked[s.ue[T]][s.ul[T]]),
            ),
        )

    @safety("P4")
    def counter_exact(self, s: SimpleNamespace) -> z3.BoolRef:
        """Counter and size differ only by threads between a link or unlink and its count.

        Each of those holds a list's monitor.
        """
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
    def one_live_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """Of the entries of a task at most one is not cancelled."""

        def live(e: z3.ExprRef) -> z3.BoolRef:
            return And(e != NO_ENTRY, s.pointer[s.task_of[e]] == e)

        return ForAll([D, E], Implies(And(live(D), live(E), s.task_of[D] == s.task_of[E]), D == E))

    @safety("P5")
    def pointer_under_monitor(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that changes a task's pointer holds its monitor, and sets it to its entry."""
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
    def cancel_wins(self, s: SimpleNamespace) -> z3.BoolRef:
        """No check made after cancel has returned links the entry or hands its task over."""
        return ForAll([E], Not(s.slipped[E]))


class OneReaper(TimerTaskList):
    """The same where one thread alone flushes entries into other lists.

    Kafka's reaper does so under the timer's write lock.
    """

    RIGID = {**TimerTaskList.RIGID, "reaper": THREAD.z3}

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().given(s), s.reaper != NO_THREAD]

    @action(t=THREAD, l=LIST, m=LIST, begins=True)
    def flushes(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef, m: z3.ExprRef) -> Step:
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
        """How far from the end of a chain of waits a thread may be, by the monitor that it wants.

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
    def reaper_alone_flushes_into(self, s: SimpleNamespace) -> z3.BoolRef:
        """Only the reaper flushes into other lists."""
        return ForAll([T], Implies(s.fd[T] != NO_LIST, T == s.reaper))

    @conjunct
    def flush_adds_where_it_goes(self, s: SimpleNamespace) -> z3.BoolRef:
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
    def waits_go_down(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread waits only for a thread of a lower rank, so waits do not close a circle.

        Tasks come before lists, and lists before entries.
        """
        return ForAll(
            [T, V],
            Implies(
                And(T != NO_THREAD, V != NO_THREAD, self.waits_for(s, T, V)),
                self.rank(s, V) < self.rank(s, T),
            ),
        )

    @safety("P12")
    def holder_is_busy(self, s: SimpleNamespace) -> z3.BoolRef:
        """A holder that another thread waits for is in an operation: no chain ends at rest."""
        return ForAll(
            [T, V],
            Implies(
                And(T != NO_THREAD, V != NO_THREAD, self.waits_for(s, T, V)),
                Not(is_at(s, V, *AT_REST)),
            ),
        )

    def waits_for(self, s: SimpleNamespace, t: z3.ExprRef, u: z3.ExprRef) -> z3.BoolRef:
        """The thread waits, and ``u`` holds its monitor; lists' alone are entered twice."""
        return And(self.waits(s, t), u == self.holder(s, t))

    def holder(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """The holder of the monitor that a thread at a lock wants."""
        lists = self.owner_at(s, t, s.list_owner, {"U1": s.ul[t], "A1": s.al[t]}, s.fl[t])
        entries = self.owner_at(s, t, s.entry_owner, {"U2": s.ue[t]}, s.ae[t])
        tasks = self.owner_at(s, t, s.task_owner, {"C1": s.ct[t]}, s.task_of[s.se[t]])
        return If(is_at(s, t, "U1", "A1", "F1"), lists, If(is_at(s, t, "U2", "A2"), entries, tasks))

    @safety("P12", enabled=True)
    def unblocked_threads_move(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in an operation that waits for no held monitor can take a step.

        With the ranks this excludes deadlock.
        """
        return ForAll(
            [T],
            Implies(
                And(T != NO_THREAD, Not(is_at(s, T, *AT_REST))),
                Or(self.waits(s, T), self.can_move(s, T)),
            ),
        )

    def waits(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread wants a monitor that another thread holds, and cannot enter it."""
        holder, enters = self.holder(s, t), is_at(s, t, "U1", "A1", "F1")
        return And(
            is_at(s, t, "U1", "A1", "F1", "U2", "A2", "C1", "S1"),
            holder != NO_THREAD,
            Implies(enters, holder != t),
        )

    def owner_at(
        self,
        s: SimpleNamespace,
        t: z3.ExprRef,
        owners: z3.ExprRef,
        at: dict[str, z3.ExprRef],
        otherwise: z3.ExprRef,
    ) -> z3.ExprRef:
        """The holder of the monitor that the thread wants at its place."""
        monitor = otherwise
        for place, term in at.items():
            monitor = If(is_at(s, t, place), term, monitor)
        return owners[monitor]

    def can_move(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Some action of the thread is enabled; at F2 always, with an entry to take or without."""
        moves = [is_at(s, t, "F2")]
        for name, declaration in self.actions().items():
            if not declaration.begins and len(declaration.parameters) == 1:
                values, step = self.step(name, s)
                guards = step.guards[: len(step.guards) - len(step.defined)]
                moves.append(z3.substitute(And(list(guards)), (values["t"], t)))
        return Or(moves)
