"""Module TimerTaskList as a system, with the links of its states to those of the proof.

The system is generated of the module that SANY has read. Ghost variables are added to it: which
entries are linked into which list, and an order of each ring. The links give a thread's stack and
its procedures' variables where they matter.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.timer_task_list.state import (
    ADDING,
    ENTRY,
    FLUSHING,
    LIST,
    NO_ENTRY,
    NO_LIST,
    NO_TASK,
    NO_THREAD,
    PLACE,
    UNLINKING,
    E,
    L,
    T,
    X,
)
from proofs.timer_task_list.words import NODE, OPERATION
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import Step, array, conjunct

NO_NODE = NODE.null
K = z3.Int("number")


def at(s: SimpleNamespace, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread is at one of these labels."""
    equations = [s.pc[t] == getattr(PLACE, label) for label in labels]
    return Or(equations) if len(equations) > 1 else equations[0]


def on(s: SimpleNamespace, procedure: str, t: z3.ExprRef) -> z3.BoolRef:
    """The procedure is on the thread's stack."""
    return getattr(s, f"ret_{procedure}")[t] != PLACE.Nowhere


def back(s: SimpleNamespace, procedure: str, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The procedure is on the thread's stack, and returns to one of these labels."""
    equations = [getattr(s, f"ret_{procedure}")[t] == getattr(PLACE, label) for label in labels]
    return Or(equations) if len(equations) > 1 else equations[0]


def node(s: SimpleNamespace, item: z3.ExprRef) -> z3.ExprRef:
    """A list or an entry as a node."""
    return s.TaskList_as_Node[item] if item.sort() == LIST.z3 else s.Entry_as_Node[item]


def entry(s: SimpleNamespace, node: z3.ExprRef) -> z3.ExprRef:
    """A node as an entry; null where it is none."""
    return s.Node_as_Entry[node]


def every_thread(formula: z3.BoolRef) -> z3.BoolRef:
    """The formula, about the thread T, for every thread that is one."""
    return ForAll([T], Implies(T != NO_THREAD, formula))


class Linked(Generated):
    """The generated system with ghosts, and the links as conjuncts of an invariant.

    ``linked``: the entries that a traversal along ``next`` from a list meets. ``place``: their
    order in their ring. ``places``: a number above all of them. ``size``, ``uncounted``,
    ``overcounted``: as in the proof. No step of the module reads them.
    """

    VARIABLES = {
        "linked": array(ENTRY, LIST, z3.BoolSort()),
        "place": array(ENTRY, z3.IntSort()),
        "places": z3.IntSort(),
        "size": z3.IntSort(),
        "uncounted": z3.IntSort(),
        "overcounted": z3.IntSort(),
    }

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        return Step(move.guards, {**move.updates, **self.ghosts(name, s, t)})

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The ghosts' next values."""
        match name:
            case "A7_to_A8":
                e, l = s.ae[t], s.al[t]
                return {
                    "linked": Store(s.linked, e, Store(s.linked[e], l, True)),
                    "place": Store(s.place, e, s.places),
                    "places": s.places + 1,
                    "size": s.size + 1,
                    "uncounted": s.uncounted + 1,
                }
            case "A9_to_A10":
                return {"uncounted": s.uncounted - 1}
            case "U5_to_U6":
                e, l = s.ue[t], s.ul[t]
                return {
                    "linked": Store(s.linked, e, Store(s.linked[e], l, False)),
                    "size": s.size - 1,
                    "overcounted": s.overcounted + 1,
                }
            case "U9_to_U10":
                return {"overcounted": s.overcounted - 1}
        return {}

    # -- what is assumed of the constants

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        word = s.Program_1_word[T][K]
        lists, entries = s.Program_2_TaskList[T][K], s.Program_3_Entry[T][K]

        def has(operation: str, *arguments: z3.BoolRef) -> z3.BoolRef:
            return Implies(word == getattr(OPERATION, operation), And(*arguments))

        return [
            *super().given(s),
            ForAll([E], (s.TaskOf[E] == NO_TASK) == (E == NO_ENTRY)),
            ForAll(
                [T, K],
                Implies(
                    And(1 <= K, K <= s.Program_length[T]),
                    And(
                        has("add", lists != NO_LIST, entries != NO_ENTRY),
                        has("schedule", lists != NO_LIST, entries != NO_ENTRY),
                        has("remove", s.Program_2_Entry[T][K] != NO_ENTRY),
                        has("cancel", s.Program_2_Task[T][K] != NO_TASK),
                        has("flush", lists != NO_LIST, s.Program_3_TaskList[T][K] != NO_LIST),
                        has("expire", lists != NO_LIST),
                    ),
                ),
            ),
        ]

    # -- the start: what Init says, but for the rings that it makes of the constants

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        names = self.PROCEDURES.saved
        return [
            ForAll(
                [T],
                And(
                    at(s, T, "Idle"),
                    *self.blank(s, T),
                ),
            ),
            every_thread(
                And(s.turn[T] == 1, *[Not(on(s, procedure, T)) for procedure in names]),
            ),
            ForAll([L], And(s.listMonitor_owner[L] == NO_THREAD, s.listMonitor_depth[L] == 0)),
            ForAll([E], And(s.entryMonitor_owner[E] == NO_THREAD, s.entryMonitor_depth[E] == 0)),
            ForAll([X], And(s.taskMonitor_owner[X] == NO_THREAD, s.taskMonitor_depth[X] == 0)),
            ForAll([E], And(Not(s.revoked[E]), Not(s.slipped[E]))),
            ForAll(
                [X],
                Implies(s.timerTaskEntry[X] != NO_ENTRY, s.TaskOf[s.timerTaskEntry[X]] == X),
            ),
            ForAll([E, L], s.linked[E][L] == And(E != NO_ENTRY, L != NO_LIST, s.list[E] == L)),
            s.list[NO_ENTRY] == NO_LIST,
            s.taskCounter == s.size,
            s.uncounted == 0,
            s.overcounted == 0,
        ]

    def blank(self, s: SimpleNamespace, t: z3.ExprRef) -> list[z3.BoolRef]:
        """The variables of procedures at the start, and those that calls have saved."""
        return [
            *[getattr(s, name)[t] == NO_LIST for name in ("ul", "al", "kl", "fl", "fd")],
            *[getattr(s, name)[t] == NO_ENTRY for name in ("ue", "re", "ae", "ke", "se")],
            *[getattr(s, name)[t] == NO_NODE for name in ("tail", "head")],
            *[getattr(s, name)[t] == NO_TASK for name in ("ct", "st")],
            Not(s.done[t]),
            *self.saved(s, t),
        ]

    def saved(self, s: SimpleNamespace, t: z3.ExprRef) -> list[z3.BoolRef]:
        """The values that calls save are those of the start."""
        return [
            s.saved_unlink_ul[t] == NO_LIST,
            s.saved_unlink_ue[t] == NO_ENTRY,
            s.saved_remove_re[t] == NO_ENTRY,
            Not(s.saved_add_done[t]),
            s.saved_add_tail[t] == NO_NODE,
            s.saved_add_al[t] == NO_LIST,
            s.saved_add_ae[t] == NO_ENTRY,
            s.saved_flush_head[t] == NO_NODE,
            s.saved_flush_fl[t] == NO_LIST,
            s.saved_flush_fd[t] == NO_LIST,
            s.saved_setTimerTaskEntry_st[t] == NO_TASK,
            s.saved_setTimerTaskEntry_se[t] == NO_ENTRY,
            s.saved_cancel_ct[t] == NO_TASK,
        ]

    # -- the links: stacks

    @conjunct
    def calls_save_nothing(self, s: SimpleNamespace) -> z3.BoolRef:
        """A call saves null of a procedure's variables: it is entered once."""
        return ForAll([T], And(self.saved(s, T)))

    @conjunct
    def unlink_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """TimerTaskList.remove is on the stack at its labels, called by entry.remove or flush."""
        return every_thread(
            And(
                on(s, "unlink", T) == at(s, T, *UNLINKING),
                Implies(
                    on(s, "unlink", T),
                    Or(
                        And(back(s, "unlink", T, "R1"), on(s, "remove", T)),
                        And(
                            back(s, "unlink", T, "F3"),
                            on(s, "flush", T),
                            Not(on(s, "remove", T)),
                            Not(on(s, "add", T)),
                            Not(on(s, "addTimerTaskEntry", T)),
                            s.head[T] == node(s, s.ue[T]),
                        ),
                    ),
                ),
                Implies(Not(on(s, "unlink", T)), And(s.ul[T] == NO_LIST, s.ue[T] == NO_ENTRY)),
            ),
        )

    @conjunct
    def remove_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """TimerTaskEntry.remove is called by add, by a task's operation, or by the program."""
        return every_thread(
            And(
                on(s, "remove", T)
                == Or(at(s, T, "R1"), And(at(s, T, *UNLINKING), back(s, "unlink", T, "R1"))),
                Implies(
                    on(s, "remove", T),
                    Or(
                        And(back(s, "remove", T, "A1"), on(s, "add", T)),
                        And(back(s, "remove", T, "S3"), on(s, "setTimerTaskEntry", T)),
                        And(back(s, "remove", T, "C3"), on(s, "cancel", T)),
                        And(
                            back(s, "remove", T, "Idle"),
                            Not(on(s, "add", T)),
                            Not(on(s, "setTimerTaskEntry", T)),
                            Not(on(s, "cancel", T)),
                        ),
                    ),
                ),
                Implies(Not(on(s, "remove", T)), s.re[T] == NO_ENTRY),
            ),
        )

    @conjunct
    def add_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """TimerTaskList.add is called by the program, or by the callback of flush."""
        return every_thread(
            And(
                on(s, "add", T)
                == Or(at(s, T, *ADDING), And(on(s, "remove", T), back(s, "remove", T, "A1"))),
                Implies(
                    on(s, "add", T),
                    Or(
                        And(back(s, "add", T, "F2"), on(s, "flush", T)),
                        And(back(s, "add", T, "Idle"), Not(on(s, "flush", T))),
                    ),
                ),
                Implies(on(s, "add", T), s.ae[T] != NO_ENTRY),
                Implies(
                    Not(on(s, "add", T)),
                    And(
                        s.al[T] == NO_LIST,
                        s.ae[T] == NO_ENTRY,
                        s.tail[T] == NO_NODE,
                        Not(s.done[T]),
                    ),
                ),
            ),
        )

    @conjunct
    def check_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """SystemTimer.addTimerTaskEntry is called by flush, or by the program."""
        return every_thread(
            And(
                on(s, "addTimerTaskEntry", T) == at(s, T, "K1", "K2"),
                Implies(
                    on(s, "addTimerTaskEntry", T),
                    Or(
                        And(back(s, "addTimerTaskEntry", T, "F2"), on(s, "flush", T)),
                        And(back(s, "addTimerTaskEntry", T, "Idle"), Not(on(s, "flush", T))),
                    ),
                ),
            ),
        )

    @conjunct
    def flush_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """TimerTaskList.flush is called by the program alone, and calls unlink and its callback."""
        return every_thread(
            And(
                on(s, "flush", T)
                == Or(
                    at(s, T, *FLUSHING),
                    And(at(s, T, *UNLINKING), back(s, "unlink", T, "F3")),
                    back(s, "addTimerTaskEntry", T, "F2"),
                    back(s, "add", T, "F2"),
                ),
                Implies(on(s, "flush", T), And(back(s, "flush", T, "Idle"), s.fl[T] != NO_LIST)),
                Implies(at(s, T, "F3"), entry(s, s.head[T]) != NO_ENTRY),
                Implies(
                    Not(on(s, "flush", T)),
                    And(s.fl[T] == NO_LIST, s.fd[T] == NO_LIST, s.head[T] == NO_NODE),
                ),
            ),
        )

    def scheduled(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The program schedules an entry, which is not passed on yet."""
        return Or(on(s, "setTimerTaskEntry", t), at(s, t, "T1"))

    @conjunct
    def set_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """TimerTask.setTimerTaskEntry is called by the program alone, with its entry and task."""
        last = s.turn[T] - 1
        return every_thread(
            And(
                1 <= s.turn[T],
                on(s, "setTimerTaskEntry", T)
                == Or(
                    at(s, T, "S1", "S2", "S3", "S4"),
                    And(on(s, "remove", T), back(s, "remove", T, "S3")),
                ),
                Implies(
                    on(s, "setTimerTaskEntry", T),
                    And(
                        back(s, "setTimerTaskEntry", T, "T1"),
                        s.se[T] == s.Program_3_Entry[T][last],
                        s.st[T] == s.TaskOf[s.se[T]],
                    ),
                ),
                Implies(
                    self.scheduled(s, T),
                    And(
                        s.Program_2_TaskList[T][last] != NO_LIST,
                        s.Program_3_Entry[T][last] != NO_ENTRY,
                    ),
                ),
                Implies(
                    Not(on(s, "setTimerTaskEntry", T)),
                    And(s.st[T] == NO_TASK, s.se[T] == NO_ENTRY),
                ),
            ),
        )

    @conjunct
    def cancel_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """TimerTask.cancel is called by the program alone."""
        return every_thread(
            And(
                on(s, "cancel", T)
                == Or(
                    at(s, T, "C1", "C2", "C3", "C4"),
                    And(on(s, "remove", T), back(s, "remove", T, "C3")),
                ),
                Implies(on(s, "cancel", T), And(back(s, "cancel", T, "Idle"), s.ct[T] != NO_TASK)),
                Implies(Not(on(s, "cancel", T)), s.ct[T] == NO_TASK),
            ),
        )

    @conjunct
    def all_labels_are_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread is nowhere, and the null thread is idle."""
        return And(ForAll([T], Not(at(s, T, "Nowhere"))), at(s, NO_THREAD, "Idle"))

    @conjunct
    def monitors_are_entered_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """The monitors of entries and tasks are one deep while they are held."""
        return And(
            ForAll([E], s.entryMonitor_depth[E] == If(s.entryMonitor_owner[E] == NO_THREAD, 0, 1)),
            ForAll([X], s.taskMonitor_depth[X] == If(s.taskMonitor_owner[X] == NO_THREAD, 0, 1)),
        )
