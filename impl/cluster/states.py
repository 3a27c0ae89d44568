"""The states of replicas and of partitions as the controller has them, and the moves between them.

Kafka: ``ReplicaState`` and ``PartitionState``. Kafka logs a move that is not allowed, and goes on.
Here it is an error, and the duties want allowed moves alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar


class ReplicaState(Enum):
    """``INELIGIBLE``: the replica cannot be deleted now, since its broker is dead, or failed."""

    NEW = "new"
    ONLINE = "online"
    OFFLINE = "offline"
    DELETION_STARTED = "deletion started"
    DELETION_SUCCESSFUL = "deletion successful"
    INELIGIBLE = "deletion ineligible"
    NON_EXISTENT = "non-existent"


class PartitionStateName(Enum):
    """A new partition has no leader yet. An online one has a leader that lives."""

    NEW = "new"
    ONLINE = "online"
    OFFLINE = "offline"
    NON_EXISTENT = "non-existent"


S = TypeVar("S", ReplicaState, PartitionStateName)

_R, _P = ReplicaState, PartitionStateName

REPLICAS: Mapping[ReplicaState, frozenset[ReplicaState]] = {
    _R.NEW: frozenset({_R.NON_EXISTENT}),
    _R.ONLINE: frozenset({_R.NEW, _R.ONLINE, _R.OFFLINE, _R.INELIGIBLE}),
    _R.OFFLINE: frozenset({_R.NEW, _R.ONLINE, _R.OFFLINE, _R.INELIGIBLE}),
    _R.DELETION_STARTED: frozenset({_R.OFFLINE}),
    _R.DELETION_SUCCESSFUL: frozenset({_R.DELETION_STARTED}),
    _R.INELIGIBLE: frozenset({_R.OFFLINE, _R.DELETION_STARTED}),
    _R.NON_EXISTENT: frozenset({_R.DELETION_SUCCESSFUL}),
}
"""A state of a replica -> the states that it may follow."""

PARTITIONS: Mapping[PartitionStateName, frozenset[PartitionStateName]] = {
    _P.NEW: frozenset({_P.NON_EXISTENT}),
    _P.ONLINE: frozenset({_P.NEW, _P.ONLINE, _P.OFFLINE}),
    _P.OFFLINE: frozenset({_P.NEW, _P.ONLINE, _P.OFFLINE}),
    _P.NON_EXISTENT: frozenset({_P.OFFLINE}),
}
"""The same for partitions."""


class IllegalTransition(Exception):
    """A replica or a partition was to go to a state that cannot follow its own."""


class NotRunning(Exception):
    """A state machine was to move something before its start, or after its end."""


def check(what: str, allowed: Mapping[S, frozenset[S]], now: S, to: S) -> None:
    """Raises IllegalTransition unless a thing may go from its state to another one."""
    if now not in allowed[to]:
        before = ", ".join(sorted(each.value for each in allowed[to]))
        raise IllegalTransition(
            f"{what} is {now.value} and cannot become {to.value}: that follows {before}"
        )
