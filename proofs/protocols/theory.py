"""A system's theorems: its invariant as a lemma, one theorem for each id of its safety properties, controlled by its faults.

The lemma has one condition for the start and one for each action, whose goal is every conjunct that the action can change.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

import z3

from proofs.kernel import VC, Theorem, Theory
from proofs.protocols.faults import Fault, Scope, control
from proofs.protocols.witness import Reached, Witnesses
from proofs.ts import System, conditions

ATOMIC = ("A-SC", "A-GRAIN")
"""What every protocol assumes: memory is sequentially consistent, and one label is one step."""


def grouped(system: System, witnesses: Callable[[], Witnesses]) -> tuple[list[VC], dict[str, VC]]:
    """The conditions of the invariant, one for the start and one for each action; those of safety, by property."""
    steps: dict[str, tuple[dict[str, z3.BoolRef], list[z3.BoolRef]]] = {}
    safety: dict[str, VC] = {}
    for condition in conditions(system):
        kind, _, rest = condition.name.partition("/")
        if kind == "safety":
            safety[rest] = VC(rest, condition.premises, condition.goal, Reached(lambda: witnesses().in_state(witnesses().last)))
        else:
            name = "init" if kind == "init" else f"step {rest.partition('/')[0]}"
            steps.setdefault(name, (dict(condition.premises), []))[1].append(condition.goal)
    vcs = []
    for name, (premises, goals) in steps.items():
        action = name.removeprefix("step ")
        state = (lambda: witnesses().in_state(witnesses().start)) if name == "init" else partial(lambda each: witnesses().before(each), action)
        vcs.append(VC(name, premises, z3.And(goals), Reached(state)))
    return vcs, safety


def submit(theory: Theory, system: type[System], scope: Scope, faults: Iterable[Fault], view_of: Callable[..., Any],
           assumes: Sequence[str] = (), suffix: str = "") -> dict[str, Theorem]:
    """Register a system's theorems; ``faults``: those whose theorem is one of them are its controls.

    ``scope``: within it every action must be taken by some run, or the lemma is vacuous. ``suffix``: what tells this system's theorems from those of the others, such as ``.TryPending``.
    """
    made, faults = system(), tuple(faults)
    steps, safety = grouped(made, cache(lambda: Witnesses(made, scope)))
    lemma = theory.theorem(f"Inv{suffix}", f"the invariant of {made.STATES} in {system.__name__}: it holds at the start, and every action keeps it",
                           steps, is_lemma=True, assumes=(*ATOMIC, *assumes), hypotheses=tuple(system.conjuncts()))
    found = {lemma.name: lemma}
    by_id: dict[str, list[str]] = {}
    for name, formula in system.safety().items():
        by_id.setdefault(formula.theorem, []).append(name)
    for identifier, names in by_id.items():
        name = f"{identifier}{suffix}"
        says = " ".join(system.safety()[each].says for each in names)
        found[name] = theory.theorem(name, says, [safety[each] for each in names], [control(fault, view_of) for fault in faults if fault.theorem == name],
                                     rests_on=(lemma.name,), assumes=(*ATOMIC, *assumes))
    return found
