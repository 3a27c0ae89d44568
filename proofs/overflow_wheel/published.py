"""Module OverflowWheel: how the wheel above the lowest one, and its content, get to all threads.

The system is generated of the module that SANY has read. Its conjuncts are an invariant of the
module itself. A ghost variable is added: the place in the buffer that the constructor's store got.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.overflow_wheel.words import FIELD, LABEL, NAMED, OPERATION, THING, THREAD
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.module.shapes import named_element
from wheelproof.prove.ts.system import Step, conjunct

(T,) = THREAD.consts("thread")
K, PLACE = z3.Ints("number place")
NO_ONE, NOTHING = THREAD.null, THING.null
START = z3.Const(named_element("start"), THING.z3)
ENTRY = z3.Const(named_element("e"), THING.z3)
HOLDING = ("O3", "B1", "B2", "O4", "O5")
"""Where a thread has the lowest wheel's monitor."""
RETURNS = {
    "parent": ("N1",),
    "unlink": ("R1",),
    "remove": ("A1", "C3"),
    "add": ("T0",),
    "cancel": ("T0",),
}
"""Procedure -> the labels that it returns to."""


at, back = partial(system.at, LABEL), partial(system.back, LABEL)


def buffered(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    """A store is at this place."""
    return And(1 <= place, s.buffer_has[place])


def field(s: SimpleNamespace, place: z3.ArithRef, name: str) -> z3.BoolRef:
    """The store at this place is one into this field."""
    return s.buffer_item_2[place] == FIELD.value(name)


def first(s: SimpleNamespace) -> z3.ExprRef:
    """The wheel that is made first."""
    return s.Wheels_item[1]


def in_memory(s: SimpleNamespace) -> z3.BoolRef:
    """The first wheel's time has reached memory."""
    return s.currentTime[first(s)] == START


def waits(s: SimpleNamespace) -> z3.BoolRef:
    """The constructor's store is in the buffer still."""
    return And(
        buffered(s, s.slot),
        field(s, s.slot, "current_time"),
        s.buffer_item_3[s.slot] == first(s),
        s.buffer_item_4[s.slot] == START,
    )


def sees(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread reads the first wheel's time as the constructor stored it."""
    return Or(in_memory(s), And(waits(s), s.buffer_item_1[s.slot] == t))


def is_made(s: SimpleNamespace) -> z3.BoolRef:
    return s.overflowWheel != NOTHING


class Published(Invariant):
    """The generated system, and the conjuncts about the wheel, the buffer and the pointer."""

    VARIABLES = {"slot": z3.IntSort()}

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        return Step(move.guards, {**move.updates, **self.ghost(name, move)})

    def ghost(self, name: str, move: Step) -> dict[str, z3.ExprRef]:
        """The ghost's next value: a wheel's constructor stores behind the last store."""
        if not name.startswith("B2_") or "buffer_has" not in move.updates:
            return {}
        (last,) = self.way(name).extremes
        return {"slot": z3.Int(f"{last}!") + 1}

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The definitions of sets, and the module's assumptions.

        Where a thread needs a wheel, there is one for it. Memory is that of a thread.
        """
        word, length = s.Program_1_word[T][K], s.Wheels_length
        processes = And(s.Threads[T] != s.Memories[T], Or(s.Threads[T], s.Memories[T]))
        wheel = s.Wheels_item[K]
        return [
            *super().given(s),
            z3.Distinct(
                NOTHING, *[z3.Const(named_element(element), THING.z3) for element in NAMED]
            ),
            ForAll([T], Implies(T != NO_ONE, processes)),
            And(Not(s.Threads[NO_ONE]), Not(s.Memories[NO_ONE]), Not(s.Made[NOTHING])),
            ForAll([K], Implies(And(1 <= K, K <= length), s.Made[wheel])),
            ForAll([T, K], Implies(word == OPERATION.value("place"), length >= 1)),
            ForAll([T], Implies(s.Memories[T], s.Program_2_Process[T][1] != NO_ONE)),
        ]

    # -- what is in the buffer

    @conjunct
    def wheel_is_never_buffered(self, s: SimpleNamespace) -> z3.BoolRef:
        """No store of a wheel into the lowest one waits: the field is volatile."""
        return self.never(s, "overflow_wheel")

    @conjunct
    def list_is_never_buffered(self, s: SimpleNamespace) -> z3.BoolRef:
        """No store into an entry's list waits: the field is volatile."""
        return self.never(s, "list")

    @conjunct
    def pointer_is_never_buffered(self, s: SimpleNamespace) -> z3.BoolRef:
        """No store into a task's pointer waits: the field is volatile."""
        return self.never(s, "timer_task_entry")

    def never(self, s: SimpleNamespace, name: str) -> z3.BoolRef:
        return ForAll([PLACE], Implies(buffered(s, PLACE), Not(field(s, PLACE, name))))

    # -- the stack and the monitor

    @conjunct
    def no_one_runs_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """An element that is no process is at no label."""
        return at(s, NO_ONE, "Nowhere")

    @conjunct
    def procedures_return_to_their_callers(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure returns to the labels behind its calls alone."""
        returns = [back(s, name, T, "Nowhere", *labels) for name, labels in RETURNS.items()]
        return ForAll([T], Implies(T != NO_ONE, And(returns)))

    @conjunct
    def memories_are_of_threads(self, s: SimpleNamespace) -> z3.BoolRef:
        """Stores reach memory by the processes of memory."""
        return ForAll([T], Implies(at(s, T, "W1", "W2"), s.Memories[T]))

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread within the lowest wheel's monitor has it, once, and no other thread has it."""
        owner, depth = s.monitor_wheel_owner, s.monitor_wheel_depth
        return And(
            ForAll([T], Implies(T != NO_ONE, at(s, T, *HOLDING) == (owner == T))),
            depth == z3.If(owner == NO_ONE, 0, 1),
        )

    # -- one wheel

    @conjunct
    def who_needs_a_wheel_can_make_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """There is a wheel for a thread that may make one."""
        making = [label for label, procedure in self.PROCEDURES.of.items() if procedure == "parent"]
        return ForAll([T], Implies(at(s, T, *making), s.Wheels_length >= 1))

    @conjunct
    def made_wheel_is_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """There is a wheel for each that was made."""
        return And(s.made >= 0, Implies(s.made > 0, s.Made[first(s)]))

    @conjunct
    def makes_the_first_wheel(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is about to make a wheel makes the first one: there is none yet."""
        return ForAll([T], Implies(at(s, T, "B1"), And(s.made == 0, Not(is_made(s)))))

    @conjunct
    def new_wheel_is_the_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has made a wheel and not stored it yet has the first one."""
        is_new = And(s.made == 1, s.new[T] == first(s), Not(is_made(s)))
        return ForAll([T], Implies(at(s, T, "B2", "O4"), is_new))

    @conjunct
    def stored_wheel_is_the_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """The wheel that is there is the first one, and no other was made."""
        return Implies(is_made(s), And(s.overflowWheel == first(s), s.made == 1))

    @conjunct
    def made_is_stored_or_in_hand(self, s: SimpleNamespace) -> z3.BoolRef:
        """A wheel that was made is there, or the monitor's owner is about to store it."""
        owner = s.monitor_wheel_owner
        in_hand = And(owner != NO_ONE, at(s, owner, "B2", "O4"))
        return Or(s.made == 0, is_made(s), in_hand)

    @conjunct
    def leaves_with_a_wheel(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that leaves the monitor, or has found the wheel, leaves a wheel there."""
        return ForAll([T], Implies(at(s, T, "O5", "O6", "N1", "N2"), is_made(s)))

    @conjunct
    def start_of_the_first_wheel_waits(self, s: SimpleNamespace) -> z3.BoolRef:
        """The stores that wait in the buffer are the first wheel's time, and its start."""
        store = And(
            field(s, PLACE, "current_time"),
            s.buffer_item_3[PLACE] == first(s),
            s.buffer_item_4[PLACE] == START,
            s.Made[first(s)],
        )
        return ForAll([PLACE], Implies(buffered(s, PLACE), store))

    # -- who sees it

    @conjunct
    def constructor_has_stored(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is about to store the new wheel sees its time."""
        return ForAll([T], Implies(at(s, T, "O4"), sees(s, T)))

    @conjunct
    def published_with_its_time(self, s: SimpleNamespace) -> z3.BoolRef:
        """The wheel's time is in memory, or reaches it before a thread reads the wheel."""
        is_marked = And(waits(s), s.buffer_item_5_overflow_wheel[s.slot])
        return Implies(is_made(s), Or(in_memory(s), is_marked))

    @conjunct
    def released_with_the_monitor(self, s: SimpleNamespace) -> z3.BoolRef:
        """The same of the monitor's next owner, once the thread that made the wheel has left it."""
        owner = s.monitor_wheel_owner
        carries = Or(
            s.buffer_item_5_wheel[s.slot],
            And(owner != NO_ONE, s.buffer_item_1[s.slot] == owner),
        )
        return Implies(is_made(s), Or(in_memory(s), And(waits(s), carries)))

    @conjunct
    def seen_under_the_monitor(self, s: SimpleNamespace) -> z3.BoolRef:
        """The monitor's owner sees the time of the wheel that is there."""
        has = And(at(s, T, "O3", "O5"), is_made(s))
        return ForAll([T], Implies(has, sees(s, T)))

    @conjunct
    def seen_by_who_has_the_wheel(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has been given the wheel sees its time."""
        has = And(s.wheel[T] == s.overflowWheel, sees(s, T))
        return ForAll([T], Implies(at(s, T, "N1", "N2"), has))

    @conjunct
    def has_read_the_time(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has read the wheel's time has read its start."""
        return ForAll([T], Implies(at(s, T, "N2"), s.time[T] == START))

    @conjunct
    def safe_publication(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each thread that was given a wheel has found its time as the constructor stored it."""
        return ForAll([T], Implies(s.foundWheel[T] != NOTHING, s.foundTime[T] == START))

    @conjunct
    def one_overflow_wheel(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each thread that was given a wheel was given the one that is there."""
        has_wheel = s.foundWheel[T] != NOTHING
        return ForAll([T], Implies(has_wheel, s.foundWheel[T] == s.overflowWheel))

    # -- the task's pointer

    @conjunct
    def cancelled_pointer(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task whose cancel has stored null points at no entry, from then on."""
        none = s.timerTaskEntry == NOTHING
        return And(ForAll([T], Implies(at(s, T, "C4"), none)), Implies(s.revoked, none))

    @conjunct
    def cancel_wins(self, s: SimpleNamespace) -> z3.BoolRef:
        """No check that came after a cancel's return has found the entry current."""
        return Not(s.slipped)
