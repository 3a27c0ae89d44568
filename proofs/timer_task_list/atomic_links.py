"""The links of module TimerTaskList to TimerTaskListAtomic: the holder of an entry, and its list.

``home`` and ``holder`` are the history of ``spec/TimerTaskListRefinementHistory.tla``. The
conjuncts say that a procedure has the arguments of the operation that the thread is in. So the
atomic module, which reads them from the program, reads the same.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.timer_task_list.links import at, back, entry, every_thread, on
from proofs.timer_task_list.rings import Rings
from proofs.timer_task_list.state import (
    ENTRY,
    LIST,
    NO_ENTRY,
    NO_LIST,
    NO_THREAD,
    THREAD,
    E,
    L,
    T,
)
from proofs.timer_task_list.words import OPERATION
from wheelproof.prove.ts.system import array, conjunct


def word(s: SimpleNamespace, t: z3.ExprRef, *names: str) -> z3.BoolRef:
    """The operation that the thread has begun last is one of these."""
    equations = [s.Program_1_word[t][s.turn[t] - 1] == getattr(OPERATION, name) for name in names]
    return Or(equations) if len(equations) > 1 else equations[0]


class Held(Rings):
    """The module's system with the history of the refinement. No step of the module reads it.

    ``home``: the list that an entry is leaving. ``holder``: the thread that took it out in order
    to put it elsewhere.
    """

    VARIABLES = {
        **Rings.VARIABLES,
        "home": array(ENTRY, LIST),
        "holder": array(ENTRY, THREAD),
    }

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        return super().ghosts(name, s, t) | self.history(name, s, t)

    def history(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The next values of the history."""
        match name:
            case "U5_to_U6":
                takes, e = Or(on(s, "add", t), on(s, "flush", t)), s.ue[t]
                return {
                    "home": Store(s.home, e, If(takes, s.ul[t], NO_LIST)),
                    "holder": Store(s.holder, e, If(takes, t, NO_THREAD)),
                }
            case "A7_to_A8":
                e = s.ae[t]
                return {
                    "home": Store(s.home, e, NO_LIST),
                    "holder": Store(s.holder, e, NO_THREAD),
                }
            case "K1_to_back" | "K2_to_back":
                e = s.ke[t]
                lets_go = And(on(s, "flush", t), s.holder[e] == t)
                return {
                    "home": Store(s.home, e, If(lets_go, NO_LIST, s.home[e])),
                    "holder": Store(s.holder, e, If(lets_go, NO_THREAD, s.holder[e])),
                }
        return {}

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            *super().initially(s),
            ForAll([E], And(s.home[E] == NO_LIST, s.holder[E] == NO_THREAD)),
        ]

    @conjunct
    def held_is_in_no_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that is held is in no ring, and leaves a list."""
        return And(
            ForAll(
                [E],
                Implies(s.holder[E] != NO_THREAD, And(E != NO_ENTRY, s.home[E] != NO_LIST)),
            ),
            ForAll([E, L], Implies(s.holder[E] != NO_THREAD, Not(s.linked[E][L]))),
        )

    @conjunct
    def done_after_the_link(self, s: SimpleNamespace) -> z3.BoolRef:
        """An add that is done has linked its entry, and removes nothing. It returns done."""
        return every_thread(
            And(
                Implies(s.done[T], at(s, T, "A0", "A10", "A11", "A12")),
                Implies(at(s, T, "A12"), s.done[T]),
            ),
        )

    @conjunct
    def adds_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """An add has the program's entry and list, or those of its flush."""
        last = s.turn[T] - 1
        return every_thread(
            Implies(
                on(s, "add", T),
                If(
                    on(s, "flush", T),
                    And(s.al[T] == s.fd[T], s.ae[T] == entry(s, s.head[T])),
                    And(
                        word(s, T, "add", "schedule"),
                        s.al[T] == s.Program_2_TaskList[T][last],
                        s.ae[T] == s.Program_3_Entry[T][last],
                    ),
                ),
            ),
        )

    @conjunct
    def checks_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A check is of the scheduled entry, or of the one that the flush has taken."""
        last = s.turn[T] - 1
        return every_thread(
            And(
                Implies(
                    at(s, T, "K1", "K2"),
                    If(
                        on(s, "flush", T),
                        And(s.kl[T] == s.fd[T], s.ke[T] == entry(s, s.head[T])),
                        And(
                            word(s, T, "schedule"),
                            s.kl[T] == s.Program_2_TaskList[T][last],
                            s.kl[T] != NO_LIST,
                            s.ke[T] == s.Program_3_Entry[T][last],
                        ),
                    ),
                ),
                Implies(at(s, T, "K2"), s.kl[T] == NO_LIST),
            ),
        )

    @conjunct
    def flushes_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """A flush has the program's lists; one that expires has none to flush into."""
        last = s.turn[T] - 1
        return every_thread(
            Implies(
                on(s, "flush", T),
                And(
                    word(s, T, "flush", "expire"),
                    s.fl[T] == s.Program_2_TaskList[T][last],
                    s.fd[T] == If(word(s, T, "expire"), NO_LIST, s.Program_3_TaskList[T][last]),
                    (s.fd[T] == NO_LIST) == word(s, T, "expire"),
                ),
            ),
        )

    @conjunct
    def cancels_its_task(self, s: SimpleNamespace) -> z3.BoolRef:
        """A cancel has the program's task."""
        last = s.turn[T] - 1
        return every_thread(
            Implies(
                on(s, "cancel", T),
                And(word(s, T, "cancel"), s.ct[T] == s.Program_2_Task[T][last]),
            ),
        )

    @conjunct
    def schedules_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A program whose entry is not passed on yet schedules it."""
        return every_thread(Implies(self.scheduled(s, T), word(s, T, "schedule")))

    @conjunct
    def removes_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A remove has the program's entry, that of its add, or the task's current one."""
        last = s.turn[T] - 1
        return every_thread(
            Implies(
                on(s, "remove", T),
                And(
                    s.re[T] != NO_ENTRY,
                    Implies(
                        back(s, "remove", T, "Idle"),
                        And(word(s, T, "remove"), s.re[T] == s.Program_2_Entry[T][last]),
                    ),
                    Implies(back(s, "remove", T, "A1"), s.re[T] == s.ae[T]),
                    Implies(back(s, "remove", T, "C3"), s.re[T] == s.timerTaskEntry[s.ct[T]]),
                    Implies(back(s, "remove", T, "S3"), s.re[T] == s.timerTaskEntry[s.st[T]]),
                ),
            ),
        )
