"""How a scenario of PartitionLeader runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.outside import present
from impl import partition_leader
from impl.cluster_state import ClusterState
from impl.runtime import Atomic

SUBJECT = ("impl.partition_leader",)
"""The modules whose steps are the mechanism's."""

HELPERS = ("impl.cluster_state",)
"""Modules that are no mechanism: these scenarios have to run each of their branches, too."""

ATOMIC = {"impl.cluster_state": ()}
"""Modules whose operations are part of their caller's step: each request is one."""

NOT_RUN = {
    "impl.partition_leader: PartitionElections.__init__: ": (
        "raises ValueError before there are elections; tests/impl/test_partition_leader.py does it"
    ),
    "impl.partition_leader: PartitionElections.choose: kind == 'shutdown' is false": (
        "raises ValueError; tests/impl/test_partition_leader.py asks for an unknown election"
    ),
}
"""Branches that no scenario runs, and why."""

NONE = (-1, (), False)
"""An election that elects none, as the model has it."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = partition_leader) -> None:
        self.assignment = tuple(scenario["assignment"])
        self.state = ClusterState(scenario["leader"], scenario["isr"], scenario["live"])
        self.elections: partition_leader.PartitionElections = impl.PartitionElections(
            self.state, self.assignment, scenario["target"], scenario["unclean"]
        )
        self.leader: partition_leader.PartitionLeader = impl.PartitionLeader(self.state)
        self.answer: Any = Atomic((None, (), frozenset(), frozenset(), NONE))
        self.names = {
            "state": self.state,
            "elections": self.elections,
            "leader": self.leader,
            "answer": self.answer,
        }

    # -- the operations

    def elect(self, kind: str) -> int | None:
        return self.elections.elect(kind)

    def shrink(self, replica: int) -> bool:
        return self.leader.shrink_isr(replica)

    def expand(self, replica: int) -> bool:
        return self.leader.expand_isr(replica)

    def recover(self) -> bool:
        return self.leader.recovered()

    def fail(self, broker: int) -> None:
        self.state.unregister(broker)  # write N1

    def start(self, broker: int) -> None:
        self.state.register(broker)  # write N2

    def stop(self, broker: int) -> None:
        self.state.shut_down(broker)  # write N3

    def survey(self, kind: str) -> None:
        """Elect from every input, and write nothing."""
        number = 0
        while number < inputs(self.assignment, kind):
            answer = self.surveyed(kind, number)
            self.answer.set(answer)  # write S1
            number += 1

    def surveyed(self, kind: str, number: int) -> tuple[Any, ...]:
        """The input of a number, and its election."""
        size = len(self.assignment)
        isr = tuple(r for r in self.assignment if r in chosen(self.assignment, number))
        if number >> (2 * size) & 1:
            isr = isr[::-1]
        live = chosen(self.assignment, number >> size)
        down = chosen(self.assignment, number >> (2 * size + 1))
        election = self.elections.choose(kind, isr, live, down)
        return (kind, isr, live, down, NONE if election is None else tuple(election))


def inputs(assignment: tuple[int, ...], kind: str) -> int:
    """How many inputs an election has: a bit for each replica in sync, live, and shutting down,
    and one for the order of the ISR."""
    sets = 3 if kind == "shutdown" else 2
    return int(2 ** (sets * len(assignment) + 1))


def chosen(assignment: tuple[int, ...], number: int) -> frozenset[int]:
    """The replicas whose bits are set."""
    return frozenset(replica for i, replica in enumerate(assignment) if number >> i & 1)


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    state = harness.state
    return {
        "node": (state.partition,),
        "live": (state.live,),
        "stopping": (state.shutting_down,),
        "answer": (present(harness.answer),),
    }
