"""The first part of the invariant of module CoordinatorLoad: stacks, locks, and events.

Ghost variables are the place at which an event about a context was put, the number of events that
are handled, and the thread that handles them. Several threads may load. One thread alone moves the
high watermark.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.coordinator_load.words import EPOCH, KIND, LABEL, MATTER, OPERATION, STATE, THREAD
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.ts.system import WHOLE, Step, array, conjunct

at, back = partial(system.at, LABEL), partial(system.back, LABEL)
(T,) = THREAD.consts("thread")
(C,) = EPOCH.consts("context")
K, PLACE, OTHER = z3.Ints("number place_ other_place")
NO_ONE, ABSENT, NONE = THREAD.null, EPOCH.null, -1
BEGINS = ("A0", "A1", "A2", "A3", "A4", "S1", "S2", "S3")
UNLOADS = ("B0", "B1", "B2", "B3")
ENDS = ("C0", "C1", "C2", "C3", "C4")
RISES = ("H1", "H0", "H2", "H3")
HANDLING = (
    *("R1", "R2", "R3", *BEGINS, *UNLOADS, *ENDS, *RISES),
    *("V0", "V1", "D0", "D1", "N1", "N2"),
)
"""Where a thread handles events, but for the ends of a hold of their lock."""
LOADS = ("M4", "M5", "M6", "M7")
"""Where a thread loads a context."""
GHOSTS = {
    "handled": z3.IntSort(),
    "handler": THREAD.z3,
    **dict.fromkeys(["begins_at", "ends_at", "rises_at"], array(EPOCH, WHOLE)),
    "submitted": array(EPOCH, z3.BoolSort()),
    "loader": array(EPOCH, THREAD),
}


def about(s: SimpleNamespace, matter: z3.ExprRef) -> z3.ExprRef:
    """The epoch that an event is about; none for a write."""
    return s.LoadMatter_as_Epoch[matter]


def is_of(kind: z3.ExprRef, *names: str) -> z3.BoolRef:
    """An event is of one of these kinds."""
    return Or([kind == KIND.value(name) for name in names])


def waits(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    """An event waits at this place."""
    return And(1 <= place, place <= s.waiting_length)


def in_state(s: SimpleNamespace, context: z3.ExprRef, *names: str) -> z3.BoolRef:
    return Or([s.state[context] == STATE.value(name) for name in names])


def puts(s: SimpleNamespace, thread: z3.ExprRef, *kinds: str) -> z3.BoolRef:
    """The thread has an event of one of these kinds to put."""
    return And(at(s, thread, "Q1", "Q2"), is_of(s.item_1[thread], *kinds))


def takes(s: SimpleNamespace, kind: str, context: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread that handles events has one of this context, and has begun no more than this."""
    h = s.handler
    event = And(s.event_1[h] == KIND.value(kind), about(s, s.event_2[h]) == context)
    return And(h != NO_ONE, event, at(s, h, "R4", *labels))


def is_to_begin(s: SimpleNamespace, context: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The event of a leadership is not handled."""
    place = s.begins_at[context]
    return Or(place == 0, place > s.handled, takes(s, "load", context, "A0", "A1", *labels))


def is_loaded_by(s: SimpleNamespace, context: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread that loads a context is at one of these labels."""
    thread = s.loader[context]
    return And(thread != NO_ONE, at(s, thread, *labels), s.task[thread] == context)


def every_thread(claim: z3.BoolRef) -> z3.BoolRef:
    return ForAll([T], Implies(T != NO_ONE, claim))


class Events(Invariant):
    """The generated system, and the conjuncts.

    ``Leader``, ``Led``: of a context, the operation of its leadership: a thread, and the place in
    its program. ``Follower``: the thread that moves the high watermark.
    """

    RETURNS = {
        "put": ("T0", "W1"),
        **dict.fromkeys(["begin_load", "unload", "complete", "rise", "serve"], ("R1",)),
        "reply_all": ("B3", "R1"),
        "reply": ("D0", "R1"),
        **dict.fromkeys(["lead", "follow", "fetch", "write", "load"], ("T0",)),
    }
    RIGID = {"Leader": array(EPOCH, THREAD), "Led": array(EPOCH, WHOLE), "Follower": THREAD.z3}
    VARIABLES = GHOSTS

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        """The ghosts' next values follow from the other ones of a step, at every label."""
        step = super().taken(name, s, t, choices)
        set_to, ghosts = dict[str, Any](step.updates), dict[str, z3.ExprRef]()
        if "busy" in set_to:
            ghosts["handler"] = If(set_to["busy"], t, NO_ONE)
        match growth(s, set_to, "waiting"):
            case -1:
                ghosts["handled"] = s.handled + 1
            case 1:
                length = s.waiting_length + 1
                kind, matter = set_to["waiting_item_1"][length], set_to["waiting_item_2"][length]
                for ghost, word in (
                    ("begins_at", "load"),
                    ("ends_at", "complete"),
                    ("rises_at", "rise"),
                ):
                    places = getattr(s, ghost)
                    put = Store(places, about(s, matter), s.handled + length)
                    ghosts[ghost] = If(kind == KIND.value(word), put, places)
        match growth(s, set_to, "loads"):
            case -1:
                ghosts["loader"] = Store(s.loader, s.loads_item[1], t)
            case 1:
                context = set_to["loads_item"][s.loads_length + 1]
                ghosts["submitted"] = Store(s.submitted, context, True)
        return Step(
            step.guards,
            {**step.updates, **{name: z3.simplify(value) for name, value in ghosts.items()}},
        )

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas of Init. No event is put, and no load submitted."""
        places = [getattr(s, name)[C] == 0 for name in ("begins_at", "ends_at", "rises_at")]
        return [
            *super().initially(s),
            And(s.handled == 0, s.handler == NO_ONE),
            ForAll([C], And(*places, Not(s.submitted[C]), s.loader[C] == NO_ONE)),
        ]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """An epoch is led in once. One thread fetches, and a log has an end."""
        word, epochs = s.Program_1_word[T][K], s.Program_2_Epoch
        there = And(T != NO_ONE, 1 <= K, K <= s.Program_length[T])
        context, thread, place = epochs[T][K], s.Leader[C], s.Led[C]
        leads = And(s.Contexts[context], s.Leader[context] == T, s.Led[context] == K)
        is_led = And(
            C != ABSENT,
            thread != NO_ONE,
            1 <= place,
            place <= s.Program_length[thread],
            s.Program_1_word[thread][place] == OPERATION.value("lead"),
            epochs[thread][place] == C,
        )
        of_words = {
            "lead": leads,
            "follow": context != ABSENT,
            "resign": about(s, s.Program_2_LoadMatter[T][K]) != ABSENT,
            "fetch": T == s.Follower,
        }
        program = [
            Implies(word == OPERATION.value(name), claim) for name, claim in of_words.items()
        ]
        return [
            *super().given(s),
            ForAll([T], s.Threads[T] == (T != NO_ONE)),
            ForAll([T, K], Implies(there, And(program))),
            ForAll([C], Implies(s.Contexts[C], is_led)),
            And(s.End > 0, s.Seen >= 0, s.Follower != NO_ONE),
        ]

    # -- stacks and locks

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure that a thread is in returns to a label behind a call of it."""
        return every_thread(self.frames(s, T))

    @conjunct
    def one_holds_the_events(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock of the events is held by the thread that is where it is held."""
        return every_thread(at(s, T, "Q2", "Q3", "Q4", "R2", "R3", "R4") == (s.gate == T))

    @conjunct
    def one_holds_the_loads(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock of the loads is held by the thread that is where it is held."""
        return every_thread(at(s, T, "S2", "S3", "M2", "M3") == (s.lock == T))

    @conjunct
    def operations_are_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread has begun the operations before its turn. One thread alone fetches."""
        follows = Or(at(s, T, "F1", "F2", "F3"), puts(s, T, "rise"))
        return every_thread(
            And(
                s.turn[T] >= 1,
                Implies(at(s, T, "Done"), s.turn[T] > s.Program_length[T]),
                Implies(follows, T == s.Follower),
                Implies(at(s, T, "P2"), s.until[T] != ABSENT),
            )
        )

    # -- events

    @conjunct
    def one_handles(self, s: SimpleNamespace) -> z3.BoolRef:
        """Events are handled where some thread is busy with them, which is one."""
        handles = Or(
            at(s, T, *HANDLING),
            And(at(s, T, "R4"), s.event_1[T] != KIND.value("nothing")),
            And(at(s, T, "Q4"), s.handles[T]),
        )
        return And(
            s.busy == (s.handler != NO_ONE),
            every_thread(handles == (s.handler == T)),
            every_thread(Implies(at(s, T, "Q1", "Q2", "Q3"), Not(s.handles[T]))),
        )

    @conjunct
    def no_event_is_left(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where no thread handles events, none waits, or a thread is about to handle it."""
        about_to = And(s.gate != NO_ONE, at(s, s.gate, "Q3"))
        none = And(at(s, T, "R4"), s.event_1[T] == KIND.value("nothing"))
        return And(
            s.waiting_length >= 0,
            Or(s.busy, s.waiting_length == 0, about_to),
            every_thread(Implies(at(s, T, "Q3"), Not(s.busy))),
            every_thread(Implies(at(s, T, "R2"), s.waiting_length == 0)),
            every_thread(Implies(at(s, T, "R3"), s.waiting_length >= 1)),
            every_thread(Implies(none, And(s.event_2[T] == MATTER.null, Not(s.event_3[T])))),
        )

    def is_event(
        self, s: SimpleNamespace, kind: z3.ExprRef, matter: z3.ExprRef, loaded: z3.BoolRef
    ) -> z3.BoolRef:
        """An event has the matter of its kind. A load that succeeds has applied the log."""
        context = about(s, matter)
        return And(
            kind != KIND.value("nothing"),
            Implies(is_of(kind, "load", "complete", "rise"), s.Contexts[context]),
            Implies(is_of(kind, "unload"), context != ABSENT),
            Implies(is_of(kind, "complete"), loaded == (s.applied[context] == s.End)),
        )

    @conjunct
    def events_are_of_contexts(self, s: SimpleNamespace) -> z3.BoolRef:
        """An event that is put, waits or is handled is of a context, as its kind has it."""
        item = self.is_event(s, s.item_1[T], s.item_2[T], s.item_3[T])
        waiting = self.is_event(
            s, s.waiting_item_1[PLACE], s.waiting_item_2[PLACE], s.waiting_item_3[PLACE]
        )
        event = self.is_event(s, s.event_1[T], s.event_2[T], s.event_3[T])
        handles = Or(
            at(s, T, *BEGINS, *UNLOADS, *ENDS, *RISES),
            back(s, "reply_all", T, "B3"),
            And(at(s, T, "R4"), s.event_1[T] != KIND.value("nothing")),
        )
        return And(
            every_thread(Implies(at(s, T, "Q1", "Q2"), item)),
            ForAll([PLACE], Implies(waits(s, PLACE), waiting)),
            every_thread(Implies(handles, event)),
        )

    @conjunct
    def handles_what_it_took(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure that handles an event has the event's matter."""
        context = about(s, s.event_2[T])
        return every_thread(
            And(
                Implies(at(s, T, *BEGINS), And(is_of(s.event_1[T], "load"), s.first[T] == context)),
                Implies(
                    Or(at(s, T, *UNLOADS), back(s, "reply_all", T, "B3")),
                    And(is_of(s.event_1[T], "unload"), s.last[T] == context),
                ),
                Implies(
                    at(s, T, *ENDS),
                    And(
                        is_of(s.event_1[T], "complete"),
                        s.ended[T] == context,
                        s.loaded[T] == s.event_3[T],
                    ),
                ),
                Implies(at(s, T, *RISES), And(is_of(s.event_1[T], "rise"), s.target[T] == context)),
            )
        )

    def places(self, s: SimpleNamespace, kind: str) -> z3.ExprRef:
        return getattr(s, {"load": "begins_at", "complete": "ends_at", "rise": "rises_at"}[kind])

    @conjunct
    def waits_at_its_place(self, s: SimpleNamespace) -> z3.BoolRef:
        """An event about a context waits at one place: that at which it was put."""
        kind, matter = s.waiting_item_1, s.waiting_item_2
        claims = []
        for name in ("load", "complete", "rise"):
            place = self.places(s, name)
            here = And(waits(s, PLACE), is_of(kind[PLACE], name))
            number = place[C] - s.handled
            there = And(
                number <= s.waiting_length, is_of(kind[number], name), about(s, matter[number]) == C
            )
            claims += [
                ForAll([PLACE], Implies(here, place[about(s, matter[PLACE])] == s.handled + PLACE)),
                ForAll([C], And(place[C] >= 0, Implies(number > 0, there))),
            ]
        return And(s.handled >= 0, *claims)

    @conjunct
    def begins_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A leadership has one event, which its operation puts."""
        since, item = s.since[T], about(s, s.item_2[T])

        def is_of_this(context: z3.ExprRef) -> z3.BoolRef:
            thread = And(s.Leader[context] == T, s.Led[context] == s.turn[T] - 1)
            return And(s.Contexts[context], thread, s.begins_at[context] == 0)

        leader = s.Leader[C]
        on_the_way = Or(
            And(at(s, leader, "P1"), s.since[leader] == C),
            And(puts(s, leader, "load"), about(s, s.item_2[leader]) == C),
        )
        begun = s.Led[C] < s.turn[leader]
        is_put = And(begun == Or(s.begins_at[C] > 0, on_the_way))
        taken_up = And(at(s, T, "R4", *BEGINS), is_of(s.event_1[T], "load"))
        own_place = s.begins_at[about(s, s.event_2[T])]
        return And(
            every_thread(Implies(at(s, T, "P1"), is_of_this(since))),
            every_thread(Implies(puts(s, T, "load"), is_of_this(item))),
            every_thread(Implies(taken_up, And(s.handled > 0, own_place == s.handled))),
            ForAll([C], Implies(s.Contexts[C], is_put)),
        )


def growth(s: SimpleNamespace, updates: dict[str, Any], sequence: str) -> int:
    """By how many places a step makes a sequence longer."""
    length = f"{sequence}_length"
    if length not in updates:
        return 0
    difference = z3.simplify(updates[length] - getattr(s, length))
    assert isinstance(difference, z3.IntNumRef)
    return int(difference.as_long())
