"""The elections of ``impl/partition_leader.py`` on symbols: the outcome of each, as a formula.

An election goes through the replicas in their order and returns at the first one that fits. No turn
of the loop depends on an earlier one. So the loop is run on one replica that may be any; the
theorem E1 is about the order. A second loop gets a replica of its own. The ISR says whether it has
a replica, or gives one member that may be any: the new ISR treats each member like that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

from wheelproof.prove.kernel import ProofError
from wheelproof.prove.symbolic import Condition, Symbol, paths

REPLICA = z3.IntSort()
IN_ISR, LIVE, DOWN = (
    z3.Function(name, REPLICA, z3.BoolSort()) for name in ("in_isr", "live", "shuts_down")
)
UNCLEAN = z3.Bool("unclean_election_enabled")
FIRST, SECOND, MEMBER = z3.Ints("replica other_replica member")
"""The replica of the first loop, that of the second, and a member of the ISR."""

NONE, BY_FIRST, BY_SECOND = range(3)
"""The elected one: no replica, that of the first loop, or that of the second."""


class Replicas:
    """A sequence of any length: each loop over it meets one replica that may be any."""

    def __init__(self) -> None:
        self.loops = 0

    def __iter__(self) -> Iterator[Symbol]:
        if self.loops == 2:
            raise ProofError("The election has more than two loops. Give each a symbol.")
        self.loops += 1
        yield Symbol(FIRST if self.loops == 1 else SECOND)

    def __getitem__(self, place: int) -> Symbol:
        if place != 0:
            raise ProofError("The election reads a place other than the first.")
        return Symbol(FIRST)


class Members:
    """A set of replicas, by its formula. A loop over it meets one member that may be any."""

    def __init__(self, formula: Callable[[Any], z3.BoolRef]) -> None:
        self.formula = formula

    def __contains__(self, replica: Symbol) -> bool:
        return bool(Condition(self.formula(replica.term)))

    def __iter__(self) -> Iterator[Symbol]:
        yield Symbol(MEMBER)


@dataclass(frozen=True)
class Outcome:
    """The outcome of an election, as terms: the elected one, and whether MEMBER stays in the ISR.

    ``alone``: the new ISR is the leader and no other replica; ``unclean``: as the code says.
    """

    who: z3.ArithRef
    stays: z3.BoolRef
    alone: z3.BoolRef
    unclean: z3.BoolRef


def outcome(election: Callable[..., Any], *more: Any) -> Outcome:
    """An election with the arguments that follow the assignment."""

    def run() -> tuple[int, bool, bool, bool]:
        choice = election(Replicas(), *more)
        if choice is None:
            return NONE, False, False, False
        (leader,) = {FIRST.get_id(), SECOND.get_id()} & {choice.leader.term.get_id()}
        members = [member.term.get_id() for member in choice.isr]
        return (
            BY_FIRST if leader == FIRST.get_id() else BY_SECOND,
            MEMBER.get_id() in members,
            members == [leader],
            choice.unclean,
        )

    results = list(paths(run))

    def merge(place: int, make: Callable[[Any], Any]) -> Any:
        term = make(results[-1][1][place])
        for condition, result in reversed(results[:-1]):
            term = z3.If(condition, make(result[place]), term)
        return term

    return Outcome(
        merge(0, z3.IntVal), merge(1, z3.BoolVal), merge(2, z3.BoolVal), merge(3, z3.BoolVal)
    )


def fits(replica: Any) -> z3.BoolRef:
    """It is in sync and live."""
    return z3.And(IN_ISR(replica), LIVE(replica))


def as_offline(election: Callable[..., Any]) -> z3.BoolRef:
    """An offline election: the first that fits, with the live of the ISR; else an unclean one."""
    does = outcome(election, Members(IN_ISR), Members(LIVE), Condition(UNCLEAN))
    clean, uncleanly = fits(FIRST), z3.And(UNCLEAN, LIVE(SECOND))
    return z3.And(
        does.who == z3.If(clean, BY_FIRST, z3.If(uncleanly, BY_SECOND, NONE)),
        does.unclean == z3.And(z3.Not(clean), uncleanly),
        does.alone == z3.And(z3.Not(clean), uncleanly),
        does.stays == z3.And(clean, LIVE(MEMBER)),
    )


def as_first_that_fits(election: Callable[..., Any]) -> z3.BoolRef:
    """An election by a move, or of the preferred replica: if it fits; the ISR stays."""
    does = outcome(election, Members(IN_ISR), Members(LIVE))
    return z3.And(
        does.who == z3.If(fits(FIRST), BY_FIRST, NONE),
        z3.Not(does.unclean),
        z3.Not(does.alone),
        does.stays == fits(FIRST),
    )


def as_shutdown(election: Callable[..., Any]) -> z3.BoolRef:
    """A controlled shutdown: the first that fits and stays up; the ISR of those that stay up."""
    does = outcome(election, Members(IN_ISR), Members(LIVE), Members(DOWN))
    may = z3.And(fits(FIRST), z3.Not(DOWN(FIRST)))
    return z3.And(
        does.who == z3.If(may, BY_FIRST, NONE),
        z3.Not(does.unclean),
        z3.Not(does.alone),
        does.stays == z3.And(may, z3.Not(DOWN(MEMBER))),
    )
