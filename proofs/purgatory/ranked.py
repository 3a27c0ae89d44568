"""P15.Rank: the conditions of the purgatory's rank as a theorem, and its controls.

A control changes the claim, not the program: a step of some run must then break it.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

import z3

from proofs.purgatory.ranking import TAKES_LOCK, one_ranked, ranked
from proofs.purgatory.system import Purgatory
from wheelproof.prove.kernel import Control, Found
from wheelproof.prove.ts.faults import Scope
from wheelproof.prove.ts.ranks import RANK, broken
from wheelproof.prove.ts.system import Condition


class WithoutDistance(Purgatory):
    """A rank that has no distance: the owner of a lock that is waited for lowers nothing."""

    def distance(self, s: SimpleNamespace) -> z3.ArithRef:
        return z3.IntVal(0)


class EntererHelps(Purgatory):
    """The thread that enters the operation is its helper although it waits for a shard."""

    def blocked_at_shard(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)


class NoFairTimer(Purgatory):
    """The timer need not take its operations."""

    TIMER_HELPS = False


def named() -> list[str]:
    """The conditions of the rank, by name."""
    return [RANK + name for name in Purgatory.actions() if name not in TAKES_LOCK]


def takings() -> list[Condition]:
    """The same of the steps that take a lock, of which it does not hold."""
    system = Purgatory()
    s = system.symbols()
    return [one_ranked(system, name, s, {}) for name in TAKES_LOCK]


def controls(scope: Scope) -> list[Control]:
    """Claims that are too strong, each refuted by a step of a run within the scope."""

    def search(system: type[Purgatory], claims: Iterable[Condition]) -> Found:
        return broken(system(), claims, scope)

    return [
        Control(
            "takings are not counted",
            "a step that takes a lock does not raise the rank either",
            lambda seed: search(Purgatory, takings()),
        ),
        Control(
            "no distance",
            "a thread that holds a lock lowers no rank",
            lambda seed: search(WithoutDistance, ranked(WithoutDistance())),
        ),
    ]
