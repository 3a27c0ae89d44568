"""P15.Rank: the conditions of the purgatory's rank as a theorem, and its controls.

A control changes the claim, not the program: a step of some run must then break it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from types import SimpleNamespace

import z3

from proofs.enough import instantiated, searched
from proofs.kernel import VC, Control, Found
from proofs.protocols.faults import Scope
from proofs.protocols.purgatory import Purgatory
from proofs.protocols.purgatory_ranking import TAKES_LOCK, one_ranked, ranked
from proofs.protocols.theory import Conditions, LateVC
from proofs.ts import Condition, System
from proofs.ts_concrete import Compiled, Instance, Move, State
from proofs.ts_search import Taken


class WithoutDistance(Purgatory):
    """A rank that has no distance: who holds a lock that is waited for lowers nothing."""

    def distance(self, s: SimpleNamespace) -> z3.ArithRef:
        return z3.IntVal(0)


class EntererHelps(Purgatory):
    """The thread that enters the operation is its helper although it waits for a shard."""

    def blocked_at_shard(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)


class NoFairTimer(Purgatory):
    """The timer need not take what it has."""

    TIMER_HELPS = False


def obligations(of: Conditions) -> list[LateVC]:
    """The conditions of the rank with the instances that they need, each with a reached state.

    They are made at the first use of one of them.
    """
    made = cache(lambda: {condition.name: condition for condition in ranked(of.system)})

    def vc(name: str) -> LateVC:
        def make(instances: Callable[[System, Condition], Condition]) -> VC:
            condition = instances(of.system, made()[name])
            vivid = of.witnesses.before(name.partition("rank ")[2])
            return VC(name, condition.premises, condition.goal, vivid, cites=of.cites(condition))

        return LateVC(name, partial(make, instantiated), partial(make, searched))

    return [vc(f"rank {name}") for name in of.system.actions() if name not in TAKES_LOCK]


def takings() -> list[Condition]:
    """The same of the steps that take a lock, of which it does not hold."""
    system = Purgatory()
    s = system.symbols()
    return [one_ranked(system, name, s, {}) for name in TAKES_LOCK]


def moves(instance: Instance, scope: Scope, bound: int) -> Iterator[tuple[State, Move]]:
    """Every step from a state that a run within the scope reaches, up to a number of states."""
    actions = instance.system.actions()
    threads = instance.elements[instance.system.SORTS[0].name]
    first = (instance.start(scope.start), (0,) * len(threads))
    seen, waiting = {first}, [first]
    for state, begun in waiting:
        for move in instance.moves(state):
            mover, after = move.arguments[0], begun
            if actions[move.action].begins:
                allowed = scope.roles.begins.get(threads[mover], ())
                if begun[mover] >= scope.roles.operations or move.action not in allowed:
                    continue
                after = (*begun[:mover], begun[mover] + 1, *begun[mover + 1 :])
            yield state, move
            if (move.after, after) not in seen and len(seen) < bound:
                seen.add((move.after, after))
                waiting.append((move.after, after))


def broken(
    system: Purgatory, claims: Iterable[Condition], scope: Scope, bound: int = 30_000
) -> Found:
    """A step of some run that breaks a claim about its action: "sat"; "unsat" if there is none."""
    compiled = Compiled(system)
    instance = Instance(compiled, scope.elements, scope.rigid, scope.numbers)
    holds = {}
    for claim in claims:
        name = claim.name.partition("rank ")[2]
        parameters = tuple(system.actions()[name].parameters)
        holds[name] = instance.function(compiled.code(claim.goal, parameters))
    for state, move in moves(instance, scope, bound):
        if move.action in holds and not holds[move.action](state, *move.arguments):
            return Found("sat", str(Taken(move.action, instance.argument_names(move))))
    return Found("unsat")


def controls(scope: Scope) -> list[Control]:
    """Claims that are too strong, each refuted by a step of a run within the scope."""

    def found(system: type[Purgatory], claims: Iterable[Condition]) -> Found:
        return broken(system(), claims, scope)

    return [
        Control(
            "takings are not counted",
            "a step that takes a lock does not raise the rank either",
            lambda seed: found(Purgatory, takings()),
        ),
        Control(
            "no distance",
            "a thread that holds a lock lowers no rank",
            lambda seed: found(WithoutDistance, ranked(WithoutDistance())),
        ),
    ]
