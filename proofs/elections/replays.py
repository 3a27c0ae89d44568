"""Counterexamples of the controls, computed again by Python's own election."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from impl import partition_leader
from proofs.elections.code import DOWN, FIRST, IN_ISR, LIVE, MEMBER, SECOND, UNCLEAN

Replay = Callable[[z3.ModelRef], str]
Function = Callable[..., Any]

LONGEST = 8
"""A counterexample with a longer assignment is not computed again."""

OWN: dict[str, Function] = {
    "offline": partition_leader.offline_partition_leader_election,
    "reassign": partition_leader.reassign_partition_leader_election,
    "preferred": partition_leader.preferred_replica_partition_leader_election,
    "shutdown": partition_leader.controlled_shutdown_partition_leader_election,
}


class Values:
    """A model's values of constants and of functions of one number, by their names.

    A name that the model lacks is 0 or False.
    """

    def __init__(self, model: z3.ModelRef) -> None:
        self.model = model
        self.of = {declaration.name(): declaration for declaration in model.decls()}

    def __call__(self, name: str, *argument: int) -> int:
        if name not in self.of:
            return 0
        term = self.of[name](*[z3.IntVal(number, self.model.ctx) for number in argument])
        value = self.model.eval(term, model_completion=True)
        return int(value.as_long() if z3.is_int_value(value) else z3.is_true(value))

    def numbers(self, name: str) -> set[int]:
        """The arguments for which the model gives a function's value."""
        function = self.model[self.of[name]] if name in self.of else None
        if not isinstance(function, z3.FuncInterp):
            return set()
        return {
            function.entry(place).arg_value(0).as_long() for place in range(function.num_entries())
        }


@dataclass(frozen=True)
class Inputs:
    """The inputs of an election in a model."""

    assignment: tuple[int, ...]
    isr: tuple[int, ...]
    live: frozenset[int]
    down: frozenset[int]
    unclean: bool

    def elect(self, kind: str, by: Function) -> Any:
        more = {"offline": (self.unclean,), "shutdown": (self.down,)}.get(kind, ())
        return by(self.assignment, self.isr, self.live, *more)


def inputs(values: Values, assignment: Sequence[int], also: Sequence[int] = ()) -> Inputs:
    """The sets among the replicas that the model names, and one that it does not name."""
    numbers = {*assignment, *also}
    for predicate in (IN_ISR, LIVE, DOWN):
        numbers |= values.numbers(predicate.name())
    everyone = sorted({*numbers, max(numbers, default=0) + 1})

    def among(predicate: z3.FuncDeclRef) -> list[int]:
        return [replica for replica in everyone if values(predicate.name(), replica)]

    return Inputs(
        tuple(assignment),
        tuple(among(IN_ISR)),
        frozenset(among(LIVE)),
        frozenset(among(DOWN)),
        bool(values(str(UNCLEAN))),
    )


def listed(values: Values, at: z3.FuncDeclRef, length: z3.ArithRef) -> list[int]:
    """The assignment that a model gives; no more than LONGEST replicas of it."""
    return [values(at.name(), place) for place in range(min(values(str(length)), LONGEST + 1))]


@dataclass(frozen=True)
class Case:
    """A counterexample that is an assignment ``at`` of a length, with sets of replicas."""

    kind: str
    at: z3.FuncDeclRef
    length: z3.ArithRef

    def refutes(self, claim: Callable[[Inputs, Any], bool]) -> Replay:
        """ "" where the claim is false of Python's choice; else why it is not."""

        def replay(model: z3.ModelRef) -> str:
            values = Values(model)
            case = inputs(values, listed(values, self.at, self.length))
            if len(case.assignment) > LONGEST:
                return f"the assignment has more than {LONGEST} replicas"
            choice = case.elect(self.kind, OWN[self.kind])
            return f"Python elects {choice} from {case}" if claim(case, choice) else ""

        return replay


def confirmed(kind: str, wrong: Function) -> Replay:
    """The changed election and the code's own differ on the replicas of the model."""

    def replay(model: z3.ModelRef) -> str:
        values = Values(model)
        first, second, member = (values(str(constant)) for constant in (FIRST, SECOND, MEMBER))
        case = inputs(values, list(dict.fromkeys((first, second))), (member,))
        original, theirs = case.elect(kind, OWN[kind]), case.elect(kind, wrong)
        return f"both elect {original} from {case}" if original == theirs else ""

    return replay


def loop_elsewhere(
    at: z3.FuncDeclRef, fit: z3.FuncDeclRef, length: z3.ArithRef, start: int = 0, short: int = 0
) -> Replay:
    """A loop that begins or ends elsewhere finds another replica than Python's."""

    def replay(model: z3.ModelRef) -> str:
        values = Values(model)
        replicas = listed(values, at, length)
        fitting = [place for place, replica in enumerate(replicas) if values(fit.name(), replica)]
        window = [place for place in fitting if start <= place < len(replicas) - short]
        return f"both find {fitting[:1]} of {replicas}" if fitting[:1] == window[:1] else ""

    return replay
