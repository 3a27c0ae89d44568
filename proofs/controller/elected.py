"""Module Controller where every elector is that of 2.1.0 on: fenced writes, and one controller.

A ghost variable is added to the module: which broker each epoch was given to.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or, Store

from proofs.controller.epochs import NO_NAME, OF_EARLY, Epochs, K, T, at, read
from proofs.controller.words import ELECTOR, MANNER, NO_ONE, OPERATION, THREAD
from wheelproof.prove.ts.system import WHOLE, Step, array, conjunct

(U,) = THREAD.consts("other_thread")


def names_broker(broker: z3.ExprRef) -> z3.BoolRef:
    """The name in /controller is a broker's."""
    return And(broker != NO_ONE, broker != NO_NAME)


class Fenced(Epochs):
    """The electors are those of 2.1.0 on: no write comes too late."""

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        kind = s.Elector[T] == ELECTOR.value("Elector")
        return [*super().given(s), ForAll([T], Implies(s.Brokers[T], kind))]

    @conjunct
    def no_early_elector(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread is at a label of the elector up to 2.0."""
        early = [label for label, procedure in self.PROCEDURES.of.items() if procedure in OF_EARLY]
        return ForAll([T], Not(at(s, T, *early)))

    @conjunct
    def fenced_writes(self, s: SimpleNamespace) -> z3.BoolRef:
        """No controller has written a partition after a newer one was elected."""
        return Not(s.stale)


class Elected(Fenced):
    """And no broker's name is written by hand: there is one controller for each epoch.

    ``winner``: epoch -> the broker that it was given to, null where it was none of the threads'.
    ``Connection``: broker -> the thread that connects for it. ``Manner``: broker -> how it ends.
    """

    VARIABLES = {"winner": array(WHOLE, THREAD)}
    RIGID = {"Connection": array(THREAD, THREAD), "Manner": array(THREAD, MANNER.of)}

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        return Step(move.guards, {**move.updates, **self.ghosts(name, move, s, t)})

    def ghosts(
        self, name: str, move: Step, s: SimpleNamespace, t: z3.ExprRef
    ) -> dict[str, z3.ExprRef]:
        """The ghost's next value: a step that elects gives the new epoch to its broker."""
        if "elections" not in move.updates:
            return {}
        to = NO_ONE if name.startswith("N7_") else t
        return {"winner": Store(s.winner, move.updates["elections"], to)}

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), s.winner[1] == s.First]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """A name that is written by hand names no broker. Each has one connection and one end."""
        word, broker = s.Program_1_word[T][K], s.Program_2_Broker[T][K]
        connects, overwrites, leaves = map(OPERATION.value, ("connect", "overwrite", "leave"))
        return [
            *super().given(s),
            ForAll([T, K], Implies(word == overwrites, broker == NO_NAME)),
            ForAll([T, K], Implies(word == connects, s.Connection[broker] == T)),
            ForAll([T, K], Implies(word == leaves, s.Program_3_word[T][K] == s.Manner[broker])),
        ]

    # -- connections, and what is written by hand

    @conjunct
    def connections_are_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that connects does so for the broker that its program names."""
        last = s.turn[T] - 1
        return ForAll(
            [T],
            Implies(
                at(s, T, "Y1", "Y2"),
                And(
                    s.Program_1_word[T][last] == OPERATION.value("connect"),
                    s.of[T] == s.Program_2_Broker[T][last],
                ),
            ),
        )

    @conjunct
    def waits_while_expired(self, s: SimpleNamespace) -> z3.BoolRef:
        """Until a broker gets a new session it has none that lives."""
        return ForAll([T], Implies(at(s, T, "Y2"), Not(s.live[s.of[T]])))

    @conjunct
    def no_broker_is_written_by_hand(self, s: SimpleNamespace) -> z3.BoolRef:
        """A name that is written into /controller by hand names no broker."""
        return ForAll([T], Implies(at(s, T, "N8"), s.id[T] == NO_NAME))

    @conjunct
    def ends_in_one_manner(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker that is to end is so in the one manner that programs name."""
        ends = Implies(at(s, T, "L1"), s.how[T] == s.Manner[s.leaver[T]])
        none = s.leaves[T] == MANNER.value("none")
        return ForAll([T], And(ends, Or(none, s.leaves[T] == s.Manner[T])))

    # -- /controller

    @conjunct
    def node_is_whole(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where /controller is not there, it goes with no session."""
        return Implies(s.node_id == NO_ONE, s.node_session == 0)

    @conjunct
    def node_has_the_winner(self, s: SimpleNamespace) -> z3.BoolRef:
        """/controller goes with the living session of the broker that has the last epoch."""
        winner = s.winner[s.elections]
        return Implies(
            s.node_id != NO_ONE,
            And(
                s.elections >= 1,
                s.Brokers[winner],
                s.live[winner],
                s.node_session == s.session[winner],
                Or(s.node_id == winner, s.node_id == NO_NAME),
            ),
        )

    @conjunct
    def late_nodes_are_past(self, s: SimpleNamespace) -> z3.BoolRef:
        """A late server that has the last epoch has the broker's name, if it is still there."""
        return ForAll(
            [T],
            Implies(
                And(
                    s.late_has[T],
                    s.late_item_epoch_value[T] == s.elections,
                    names_broker(s.node_id),
                ),
                s.late_item_node_id[T] == s.node_id,
            ),
        )

    # -- elections

    @conjunct
    def broker_finds_its_node(self, s: SimpleNamespace) -> z3.BoolRef:
        """The server of a broker with the node has its election, unless the reply was lost.

        A broker that has ended abruptly reads no more.
        """
        is_ended = s.leaves[s.node_id] == MANNER.value("abruptly")
        return Implies(
            And(names_broker(s.node_id), Not(is_ended), Not(at(s, s.node_id, "C4", "C7"))),
            read(s, "epoch_value", s.node_id) == s.elections,
        )

    @conjunct
    def elects_itself_without_a_node(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker that begins an election has no node; a later node is of that election."""
        return And(
            ForAll([T], Implies(at(s, T, "C3", "B1", "B2"), s.node_id != T)),
            ForAll(
                [T],
                Implies(
                    And(at(s, T, "C4", "C5", "C7"), s.node_id == T),
                    s.elections > s.seen_value[T],
                ),
            ),
        )

    @conjunct
    def own_node_is_of_a_later_epoch(self, s: SimpleNamespace) -> z3.BoolRef:
        """After a refusal, a broker that finds its node has won an epoch that it did not see."""
        epoch = read(s, "epoch_value", T)
        return ForAll(
            [T],
            Implies(
                And(at(s, T, "C5"), read(s, "node_id", T) == T),
                And(epoch > s.seen_value[T], s.winner[epoch] == T),
            ),
        )

    @conjunct
    def next_epoch_is_its_own(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker that found its node has won the epoch after the one seen, or a later is set."""
        epoch, following = read(s, "epoch_value", T), s.seen_value[T] + 1
        return ForAll(
            [T],
            Implies(
                at(s, T, "C6"),
                And(epoch >= following, Or(epoch > following, s.winner[following] == T)),
            ),
        )

    @conjunct
    def own_epochs_were_won(self, s: SimpleNamespace) -> z3.BoolRef:
        """A broker's own epoch was given to it, and an acting broker has one."""
        return ForAll(
            [T],
            And(
                Implies(s.own_value[T] != 0, s.winner[s.own_value[T]] == T),
                Implies(s.acts[T], s.own_value[T] != 0),
            ),
        )

    @conjunct
    def one_controller(self, s: SimpleNamespace) -> z3.BoolRef:
        """Two brokers that take themselves for the controller have different epochs."""
        return ForAll(
            [T, U],
            Implies(And(T != U, s.acts[T], s.acts[U]), s.own_value[T] != s.own_value[U]),
        )

    @conjunct
    def deletes_its_own_node(self, s: SimpleNamespace) -> z3.BoolRef:
        """No broker has deleted the /controller of another."""
        return Not(s.robbed)
