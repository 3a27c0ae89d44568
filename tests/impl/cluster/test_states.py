"""The state machines of replicas and partitions: which moves are allowed, and what they do."""

from __future__ import annotations

import pytest

from impl.cluster.context import Replica
from impl.cluster.states import (
    PARTITIONS,
    REPLICAS,
    IllegalTransition,
    NotRunning,
    PartitionStateName,
    ReplicaState,
)
from impl.cluster.states import check as move
from tests.impl.cluster.clusters import A0, THREE, cluster, desk

R, P = ReplicaState, PartitionStateName
OF_REPLICAS = [R.NON_EXISTENT, R.NEW, R.ONLINE, R.OFFLINE, R.DELETION_STARTED]
OF_REPLICAS += [R.DELETION_SUCCESSFUL, R.INELIGIBLE]
OF_PARTITIONS = [P.NON_EXISTENT, P.NEW, P.ONLINE, P.OFFLINE]

MATRICES = {
    "replicas": (
        REPLICAS,
        OF_REPLICAS,  # to: none new online offline started successful ineligible
        """
        non-existent         .  x  .  .  .  .  .
        new                  .  .  x  x  .  .  .
        online               .  .  x  x  .  .  .
        offline              .  .  x  x  x  .  x
        started              .  .  .  .  .  x  x
        successful           x  .  .  .  .  .  .
        ineligible           .  .  x  x  .  .  .
        """,
    ),
    "partitions": (
        PARTITIONS,
        OF_PARTITIONS,  # to: none new online offline
        """
        non-existent         .  x  .  .
        new                  .  .  x  x
        online               .  .  x  x
        offline              x  .  x  x
        """,
    ),
}


def differences(table, order, matrix):
    """Moves that the table allows and the matrix does not, or the other way round."""
    found = []
    for before, line in zip(order, matrix.split("\n")[1:], strict=False):
        for to, mark in zip(order, line.split()[1:], strict=True):
            try:
                move("it", table, before, to)
                allowed = True
            except IllegalTransition:
                allowed = False
            found += [(before, to)] if allowed != (mark == "x") else []
    return found


@pytest.mark.parametrize("kind", MATRICES)
def test_the_tables_allow_these_moves_and_no_others(kind):
    assert differences(*MATRICES[kind]) == []


@pytest.mark.parametrize("kind", MATRICES)
def test_a_move_more_and_a_move_less_are_noticed(kind):
    table, order, matrix = MATRICES[kind]
    for before in order:
        for to in order:
            wrong = {**table, to: table[to] ^ {before}}
            assert differences(wrong, order, matrix) == [(before, to)]


def test_a_move_that_is_not_allowed_is_refused_before_anything_is_done():
    made = cluster(*THREE)
    machine, before = desk(made).replicas, made.tree.zxid
    wanted = [Replica(A0, 1), Replica(A0, 2)]
    desk(made).context.replicas[Replica(A0, 2)] = R.DELETION_STARTED
    with pytest.raises(IllegalTransition) as refused:
        next(machine.change(wanted, R.OFFLINE))
    assert str(refused.value) == (
        "replica 2 of a-0 is deletion started and cannot become offline: "
        "that follows deletion ineligible, new, offline, online"
    )
    assert made.tree.zxid == before
    assert desk(made).context.replicas[Replica(A0, 1)] is R.ONLINE
    with pytest.raises(IllegalTransition, match="partition a-0 is online and cannot become new"):
        next(desk(made).partitions.change([A0], P.NEW))


def test_a_machine_that_does_not_run_moves_nothing():
    made = cluster(*THREE)
    desk(made).replicas.stop()
    desk(made).partitions.stop()
    with pytest.raises(NotRunning, match="replicas were to become offline"):
        next(desk(made).replicas.change([Replica(A0, 1)], R.OFFLINE))
    with pytest.raises(NotRunning, match="partitions were to become online"):
        next(desk(made).partitions.change([A0], P.ONLINE))


def test_there_are_four_elections():
    with pytest.raises(ValueError, match="no such election: 'other'"):
        desk(cluster(*THREE)).partitions.choose(A0, "other", (1,))
