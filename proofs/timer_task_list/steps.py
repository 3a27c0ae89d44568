"""The steps of ``spec/TimerTaskList.tla`` on rings, for any number of threads and entries.

The ring's pointers are seen as one relation: which entries are linked into which list. A7 makes a
traversal along ``next`` meet the entry, ``UNLINK`` ends that.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import ForAll, If, Not, Or, Store

from proofs.timer_task_list.state import (
    ENTRY,
    NO_ENTRY,
    NO_LIST,
    NO_THREAD,
    PLACE,
    THREAD,
    UNLINK,
    E,
    TaskSteps,
    go,
    is_at,
)
from wheelproof.prove.ts.system import Step, action, when


class RingSteps(TaskSteps):
    """The steps of entry.remove, remove, add, the check of an entry, and flush."""

    # -- TimerTaskEntry.remove

    @action(t=THREAD)
    def finds_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        where = s.list[s.re[t]]
        return when(
            is_at(s, t, "R1"),
            where != NO_LIST,
            at=go(s, t, "U1"),
            ul=Store(s.ul, t, where),
            ue=Store(s.ue, t, s.re[t]),
        )

    @action(t=THREAD)
    def finds_no_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "R1"),
            s.list[s.re[t]] == NO_LIST,
            at=self.remove_returns(s, t),
            re=Store(s.re, t, NO_ENTRY),
        )

    # -- TimerTaskList.remove

    @action(t=THREAD)
    def locks_list_to_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "U1"),
            self.free(s, t, s.ul[t]),
            at=go(s, t, "U2"),
            **self.entered(s, t, s.ul[t]),
        )

    @action(t=THREAD)
    def locks_entry_to_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.ue[t]
        return when(
            is_at(s, t, "U2"),
            s.entry_owner[e] == NO_THREAD,
            at=go(s, t, "U3"),
            entry_owner=Store(s.entry_owner, e, t),
        )

    @action(t=THREAD)
    def is_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] == s.ul[t], at=go(s, t, "U4"))

    @action(t=THREAD)
    def is_not_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] != s.ul[t], at=go(s, t, "U10"))

    @action(t=THREAD)
    def closes_prev(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U4"), at=go(s, t, UNLINK))

    @action(t=THREAD)
    def closes_next(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.ue[t]
        return when(
            is_at(s, t, UNLINK),
            at=go(s, t, "U6"),
            linked=Store(s.linked, e, Store(s.linked[e], s.ul[t], False)),
            size=s.size - 1,
            overcounted=s.overcounted + 1,
        )

    @action(t=THREAD)
    def clears_next(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U6"), at=go(s, t, "U7"))

    @action(t=THREAD)
    def clears_prev(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U7"), at=go(s, t, "U8"))

    @action(t=THREAD)
    def clears_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U8"), at=go(s, t, "U9"), list=Store(s.list, s.ue[t], NO_LIST))

    @action(t=THREAD)
    def counts_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "U9"),
            at=go(s, t, "U10"),
            counter=s.counter - 1,
            overcounted=s.overcounted - 1,
        )

    @action(t=THREAD)
    def unlocks_entry_after_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "U10"),
            at=go(s, t, "U11"),
            entry_owner=Store(s.entry_owner, s.ue[t], NO_THREAD),
        )

    @action(t=THREAD)
    def unlocks_list_after_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "U11"),
            at=Store(s.at, t, If(s.re[t] != NO_ENTRY, PLACE.R1, PLACE.F3)),
            ul=Store(s.ul, t, NO_LIST),
            ue=Store(s.ue, t, NO_ENTRY),
            **self.left(s, s.ul[t]),
        )

    # -- TimerTaskList.add

    @action(t=THREAD)
    def removes_first(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A0"), Not(s.done[t]), at=go(s, t, "R1"), re=Store(s.re, t, s.ae[t])
        )

    @action(t=THREAD)
    def has_added(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A0"), s.done[t], at=go(s, t, "A12"))

    @action(t=THREAD)
    def locks_list_to_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A1"),
            self.free(s, t, s.al[t]),
            at=go(s, t, "A2"),
            **self.entered(s, t, s.al[t]),
        )

    @action(t=THREAD)
    def locks_entry_to_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.ae[t]
        return when(
            is_at(s, t, "A2"),
            s.entry_owner[e] == NO_THREAD,
            at=go(s, t, "A3"),
            entry_owner=Store(s.entry_owner, e, t),
        )

    @action(t=THREAD)
    def is_in_no_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A3"), s.list[s.ae[t]] == NO_LIST, at=go(s, t, "A4"))

    @action(t=THREAD)
    def is_linked_again(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A3"), s.list[s.ae[t]] != NO_LIST, at=go(s, t, "A10"))

    @action(t=THREAD)
    def sets_next(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A4"), at=go(s, t, "A5"))

    @action(t=THREAD)
    def sets_prev(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A5"), at=go(s, t, "A6"))

    @action(t=THREAD)
    def sets_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A6"), at=go(s, t, "A7"), list=Store(s.list, s.ae[t], s.al[t]))

    @action(t=THREAD)
    def links(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.ae[t]
        return when(
            is_at(s, t, "A7"),
            at=go(s, t, "A8"),
            linked=Store(s.linked, e, Store(s.linked[e], s.al[t], True)),
            size=s.size + 1,
            uncounted=s.uncounted + 1,
        )

    @action(t=THREAD)
    def links_back(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A8"), at=go(s, t, "A9"))

    @action(t=THREAD)
    def counts_link(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A9"),
            at=go(s, t, "A10"),
            done=Store(s.done, t, True),
            counter=s.counter + 1,
            uncounted=s.uncounted - 1,
        )

    @action(t=THREAD)
    def unlocks_entry_after_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A10"),
            at=go(s, t, "A11"),
            entry_owner=Store(s.entry_owner, s.ae[t], NO_THREAD),
        )

    @action(t=THREAD)
    def unlocks_list_after_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A11"), at=go(s, t, "A0"), **self.left(s, s.al[t]))

    @action(t=THREAD)
    def add_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
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
    def is_cancelled(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"),
            Not(self.is_current(s, t)),
            at=self.entry_done(s, t),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_linked(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
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
    def is_to_be_run(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"),
            self.is_current(s, t),
            s.kl[t] == NO_LIST,
            at=go(s, t, "K2"),
            slipped=self.passed(s, t),
        )

    @action(t=THREAD)
    def hands_over(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K2"),
            at=self.entry_done(s, t),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    # -- TimerTaskList.flush

    @action(t=THREAD)
    def locks_list_to_flush(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F1"),
            self.free(s, t, s.fl[t]),
            at=go(s, t, "F2"),
            **self.entered(s, t, s.fl[t]),
        )

    @action(t=THREAD, e=ENTRY)
    def takes_head(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F2"),
            s.linked[e][s.fl[t]],
            at=go(s, t, "U1"),
            head=Store(s.head, t, e),
            ul=Store(s.ul, t, s.fl[t]),
            ue=Store(s.ue, t, e),
        )

    @action(t=THREAD)
    def is_empty(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "F2"), ForAll([E], Not(s.linked[E][s.fl[t]])), at=go(s, t, "F4"))

    @action(t=THREAD)
    def passes_head_on(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F3"),
            at=go(s, t, "K1"),
            kl=Store(s.kl, t, s.fd[t]),
            ke=Store(s.ke, t, s.head[t]),
            head=Store(s.head, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def flush_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F4"),
            at=go(s, t, "Idle"),
            fl=Store(s.fl, t, NO_LIST),
            fd=Store(s.fd, t, NO_LIST),
            **self.left(s, s.fl[t]),
        )
