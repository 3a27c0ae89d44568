"""Module Controller as a system, with the facts about its epochs under all electors.

The system is generated of the module that SANY has read. Its conjuncts are an invariant of the
module itself: a claim about brokers is one about every thread, since both are of one sort.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.controller.words import (
    ELECTOR,
    LABEL,
    NEVER,
    NO_ONE,
    OPERATION,
    THREAD,
    UNREADABLE,
)
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.module.shapes import named_element
from wheelproof.prove.module.starts import starts
from wheelproof.prove.ts.system import conjunct

(T,) = THREAD.consts("thread")
K = z3.Int("number")
NO_NAME = z3.Const(named_element(UNREADABLE), THREAD.z3)
"""The name that is written into /controller by hand and is no broker's."""
NEVER_ANY = z3.Const(named_element(NEVER), THREAD.z3)
"""The first controller, where there was none ever."""
PART = ("epoch", "by", "isr")
OF_EARLY = ("elect_early", "write_early", "give_up_early")
HANDLERS = ("elect", "write", "give_up", *OF_EARLY)
WORKING = ("F1", "W1", "W2", "W3", "E4", "E5", "E6", "X1", "X2", "X3", "X4")
"""Where a broker takes itself for the controller."""
ARGUMENTS = {
    "connect": ("of", ("Y1", "Y2")),
    "expire": ("victim", ("N1",)),
    "lose": ("whose", ("N3",)),
    "lag": ("slow", ("N9",)),
    "hear": ("again", ("N0",)),
    "notify": ("whom", ("N4",)),
    "leave": ("leaver", ("L1",)),
}
"""Operation -> the variable with the broker that it is about, and the labels that read it."""


at, back = partial(system.at, LABEL), partial(system.back, LABEL)


def read(s: SimpleNamespace, name: str, t: z3.ExprRef) -> z3.ExprRef:
    """The value of a broker's server: the current one, or an older one where it is late."""
    return If(s.late_has[t], getattr(s, f"late_item_{name}")[t], getattr(s, name))


def was_there(s: SimpleNamespace, value: z3.ArithRef, version: z3.ArithRef) -> z3.BoolRef:
    """/controller_epoch has had this value and this version."""
    return And(0 <= value, value == version, value <= s.elections)


def is_missing(s: SimpleNamespace, value: z3.ArithRef, version: z3.ArithRef) -> z3.BoolRef:
    """/controller_epoch is not there: there was no controller yet."""
    return And(s.First == NEVER_ANY, value == 0, version == -1)


def is_past(s: SimpleNamespace, name: str) -> z3.BoolRef:
    """A state of the partition, of the thread T, is of an older version, or the present one."""
    version = getattr(s, f"{name}_version")[T]
    same = [getattr(s, f"{name}_{field}")[T] == getattr(s, f"part_{field}") for field in PART]
    return And(version <= s.part_version, Implies(version == s.part_version, And(same)))


class Epochs(Invariant):
    """The generated system, and the conjuncts about epochs, partitions and workers."""

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas of Init, but for the number of sessions."""
        return starts(self, s, ("sessions", *self.WORDS.unread))

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """An operation that is about a broker names one, and a broker's thread serves.

        Where no controller ever was, each elector is that of 2.1.0 on, and none visits.
        """
        word, kind = s.Program_1_word[T][K], s.Elector[T] == ELECTOR.value("Elector")
        about = Or([word == OPERATION.value(argument) for argument in ARGUMENTS])
        return [
            *super().given(s),
            ForAll([T, K], Implies(about, s.Program_2_Broker[T][K] != NO_ONE)),
            ForAll([T, K], Implies(word == OPERATION.value("serve"), s.Brokers[T])),
            *[Not(s.Brokers[name]) for name in (NO_ONE, NO_NAME, NEVER_ANY)],
            z3.Distinct(NO_ONE, NO_NAME, NEVER_ANY),
            Or(s.First == NO_ONE, s.First == NEVER_ANY, s.Brokers[s.First]),
            ForAll([T], Implies(And(s.First == NEVER_ANY, s.Brokers[T]), kind)),
            ForAll([T, K], Implies(s.First == NEVER_ANY, word != OPERATION.value("visit"))),
        ]

    # -- the stack

    @conjunct
    def procedures_return_to_their_callers(self, s: SimpleNamespace) -> z3.BoolRef:
        """Handlers return to the event thread, all others to the program."""
        return ForAll(
            [T],
            Implies(
                T != NO_ONE,
                And(
                    [
                        back(s, name, T, "Nowhere", "A2" if name in HANDLERS else "T0")
                        for name in self.PROCEDURES.names
                    ]
                ),
            ),
        )

    @conjunct
    def brokers_serve(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that handles events is a broker's."""
        handling = [
            label
            for label, procedure in self.PROCEDURES.of.items()
            if procedure in (*HANDLERS, "serve", "close")
        ]
        return ForAll([T], Implies(at(s, T, *handling), s.Brokers[T]))

    @conjunct
    def early_electors_are_early(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread at a label of the elector up to 2.0 is of a broker that has it."""
        early = [label for label, procedure in self.PROCEDURES.of.items() if procedure in OF_EARLY]
        kind = s.Elector[T] == ELECTOR.value("EarlyElector")
        return ForAll([T], Implies(at(s, T, *early), kind))

    @conjunct
    def arguments_are_brokers(self, s: SimpleNamespace) -> z3.BoolRef:
        """An operation that is about a broker has one."""
        return ForAll(
            [T],
            And(
                [
                    Implies(at(s, T, *labels), getattr(s, name)[T] != NO_ONE)
                    for name, labels in ARGUMENTS.values()
                ]
            ),
        )

    # -- epochs

    @conjunct
    def epoch_counts_elections(self, s: SimpleNamespace) -> z3.BoolRef:
        """/controller_epoch and its version are the number of elections, where it is there."""
        counts = And(s.epoch_value == s.elections, s.epoch_version == s.elections)
        return And(
            s.elections >= 0,
            Or(counts, And(s.elections == 0, is_missing(s, s.epoch_value, s.epoch_version))),
        )

    @conjunct
    def late_epochs_are_past(self, s: SimpleNamespace) -> z3.BoolRef:
        """A late server has an epoch that was there, with its version, or knows of none."""
        value, version = s.late_item_epoch_value[T], s.late_item_epoch_version[T]
        past = Or(was_there(s, value, version), is_missing(s, value, version))
        return ForAll([T], Implies(s.late_has[T], past))

    @conjunct
    def own_epochs_were_given_out(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker's own epoch was there, with its version."""
        return ForAll([T], was_there(s, s.own_value[T], s.own_version[T]))

    @conjunct
    def seen_epochs_were_there(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker that elects itself has read an epoch that was there, with its version."""
        formula = was_there(s, s.seen_value[T], s.seen_version[T])
        return ForAll([T], Implies(at(s, T, "C4", "C5", "C6", "C7"), formula))

    @conjunct
    def visits_find_an_epoch(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker that is no thread is elected where there was a controller before."""
        return ForAll([T], Implies(at(s, T, "N7"), s.First != NEVER_ANY))

    # -- the partition

    @conjunct
    def late_partitions_are_past(self, s: SimpleNamespace) -> z3.BoolRef:
        """A late server has an older version of the partition, or the same one."""
        return ForAll([T], Implies(s.late_has[T], is_past(s, "late_item_part")))

    @conjunct
    def known_partitions_were_read(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker's view of the partition is older, or the present one."""
        return ForAll([T], is_past(s, "known"))

    @conjunct
    def no_lost_update(self, s: SimpleNamespace) -> z3.BoolRef:
        """No write has replaced a partition's state that its writer has not read."""
        return Not(s.overwritten)

    # -- who works

    @conjunct
    def who_works_acts(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker that works for the partition takes itself for the controller."""
        return ForAll([T], Implies(at(s, T, *WORKING), s.acts[T]))
