"""A system's theorems: its invariant as a lemma, one theorem per id of its safety properties.

The system's faults are the controls.

The lemma has one condition for the start and one for each action, whose goal is every conjunct that
the action can change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import z3

from wheelproof.prove.kernel import VC, Theorem, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.ts.enough import instantiated, searched
from wheelproof.prove.ts.faults import Fault, Scope, control
from wheelproof.prove.ts.system import Condition, System, conditions, numbers
from wheelproof.prove.ts.witness import Witnesses


class Conditions:
    """A system's conditions, those of the invariant grouped: the start, and one per action.

    ``base``: a system that this one restricts; the conditions of its invariant are left out, and
    are premises by ``lemma_of_base``. ``lemma``: the theorem by which the whole invariant is a
    premise of the system's safety properties.
    """

    def __init__(
        self,
        system: System,
        scope: Scope,
        base: type[System] | None = None,
        lemma: str = "",
        lemma_of_base: str = "",
    ) -> None:
        self.system, self.base = system, base
        self._scope, self._lemma, self._lemma_of_base = scope, lemma, lemma_of_base

    @cached_property
    def witnesses(self) -> Witnesses:
        return Witnesses(self.system, self._scope)

    @cached_property
    def made(self) -> dict[str, Condition]:
        """Each by its name: "init", "step ACTION", or that of a safety property."""
        groups: dict[str, tuple[str, dict[str, z3.BoolRef], list[z3.BoolRef]]] = {}
        of_base = (
            {condition.name: condition for condition in conditions(self.base())}
            if self.base
            else {}
        )
        for condition in conditions(self.system):
            if inherited(condition, of_base):
                continue
            head, *rest = condition.name.split("/")
            name = {"init": "init", "step": f"step {rest[0]}", "safety": rest[0]}[head]
            groups.setdefault(name, (condition.kind, dict(condition.premises), []))[2].append(
                condition.goal
            )
        return {
            name: Condition(name, kind, premises, z3.And(goals))
            for name, (kind, premises, goals) in groups.items()
        }

    def vc(self, name: str) -> LateVC:
        """One condition with the instances that it needs, and a reached state as its witness.

        The premises hold in that state.
        """

        def make(instances: Callable[[System, Condition], Condition]) -> VC:
            condition = instances(self.system, self.made[name])
            action = name.partition("step ")[2]
            witnesses = self.witnesses
            vivid = (
                witnesses.before(action)
                if action
                else witnesses.in_state(witnesses.start if name == "init" else witnesses.last)
            )
            return VC(name, condition.premises, condition.goal, vivid, cites=self.cites(condition))

        return LateVC(name, partial(make, instantiated), partial(make, searched))

    def cites(self, condition: Condition) -> dict[str, str]:
        """The premises that another theorem has proved of every state, by premise.

        A step's own conjuncts are its induction hypothesis and cite nothing.
        """
        citations = {name: name.partition(" #")[0] for name in condition.premises if " #" in name}
        if condition.kind == "implication":
            conjuncts = (
                set(condition.premises) & set(self.system.conjuncts()) if self._lemma else ()
            )
            return citations | dict.fromkeys(conjuncts, self._lemma)
        basis = self.base.conjuncts() if self.base is not None and self._lemma_of_base else ()
        return citations | dict.fromkeys(set(condition.premises) & set(basis), self._lemma_of_base)

    def invariant(self) -> list[LateVC]:
        """The conditions of the invariant."""
        names = ["init", *(f"step {action}" for action in self.system.actions())]
        return [self.vc(name) for name in names if self.base is None or name in self.made]


def submit(
    theory: Theory,
    system: type[System],
    scope: Scope,
    faults: Iterable[Fault],
    view_of: Callable[..., Any],
    assumes: Sequence[str] = (),
    suffix: str = "",
    lemma: str = "",
    base: type[System] | None = None,
    lemma_of_base: str = "",
    rests_on: Mapping[str, Sequence[str]] = {},
    profile: str = "fast",
    certified: str = "",
) -> dict[str, Theorem]:
    """Register a system's theorems; their controls are the ``faults`` that name one of them.

    ``scope``: within it every action must be taken by some run, or the lemma is vacuous.
    ``suffix``: the ending that tells this system's theorems from those of the others, such as
    ``.TryPending``; ``lemma``: the invariant's name, where that is not made of it. ``base``: a
    system that this one restricts, whose invariant is the theorem ``lemma_of_base``: its conditions
    are not proved again, nor its properties. ``rests_on``: which theorems of other theories the
    system's ``theorems`` cite, by theorem. ``profile``: that of all of them. ``certified``: the
    profile from which on they have certificates, "" for never.
    """
    instance, faults = system(), tuple(faults)
    conditions = Conditions(instance, scope, base, lemma or f"Inv{suffix}", lemma_of_base)
    says = (
        f"the invariant of {instance.STATES} in {system.__name__}: "
        "it holds at the start, and every action keeps it"
    )
    invariant = theory.theorem(
        lemma or f"Inv{suffix}",
        says,
        conditions.invariant(),
        is_lemma=True,
        rests_on=[*([lemma_of_base] if base else []), *rests_on.get(lemma or f"Inv{suffix}", ())],
        assumes=(*ATOMIC, *assumes),
        hypotheses=() if base else tuple(system.conjuncts()),
        system=system.__name__,
        profile=profile,
        certified=certified,
    )
    theorems = {invariant.name: invariant}
    by_id: dict[str, list[str]] = {}
    for name, formula in system.safety().items():
        if base is not None and name in base.safety():
            continue
        by_id.setdefault(formula.theorem, []).append(name)
    for identifier, names in by_id.items():
        name = f"{identifier}{suffix}"
        says = " ".join(system.safety()[name].says for name in names)
        controls = [control(fault, view_of) for fault in faults if fault.theorem == name]
        theorems[name] = theory.theorem(
            name,
            says,
            [conditions.vc(name) for name in names],
            controls,
            rests_on=(invariant.name, *rests_on.get(name, ())),
            assumes=(*ATOMIC, *assumes),
            system=system.__name__,
            enabled=any(system.safety()[name].enabled for name in names),
            profile=profile,
            certified=certified,
        )
    return theorems


def inherited(condition: Condition, of_base: Mapping[str, Condition]) -> bool:
    """Whether a condition is one of the base's: the same goal, from the base's premises or more.

    Terms are compared, not the methods that make them: everything that a method calls or reads, a
    helper, a property, a class attribute, a function of a module, is in its term.
    """
    same = of_base.get(condition.name)
    if same is None or condition.kind == "implication" or not same.goal.eq(condition.goal):
        return False
    return numbers(same.premises) <= numbers(condition.premises)
