"""Steps of a module as steps of another system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import z3

from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import Action, Everywhere, Step, System


class Case(NamedTuple):
    """An action that a way is where ``when`` holds; "" for a stutter."""

    action: str
    arguments: tuple[z3.ExprRef, ...] = ()
    when: z3.BoolRef = z3.BoolVal(True)


def simple(term: z3.ExprRef) -> z3.ExprRef:
    """The term without functions that are applied where they stand."""
    return z3.simplify(term, blast_select_store=True)


def same(value: z3.ExprRef, counterpart: z3.ExprRef | Everywhere) -> z3.BoolRef:
    """Equality of two values, at arbitrary places where they are arrays."""
    if isinstance(counterpart, Everywhere):
        index = counterpart.index
        place = z3.Const(f"any_{index.sort().name()}_1", index.sort())
        return value[place] == z3.substitute(counterpart.value, (index, place))
    sort = value.sort()
    if isinstance(sort, z3.ArraySortRef):
        place = z3.Const(f"any_{sort.domain().name()}_1", sort.domain())
        return same(simple(value[place]), simple(counterpart[place]))
    return value == counterpart


class Kept:
    """The conditions of one way for a module alone: its conjuncts stay, its terms are right."""

    def __init__(self, module: Generated) -> None:
        self.module, self.s = module, module.symbols()

    def premises(self) -> dict[str, z3.BoolRef]:
        """Facts of every state, by name: about the constants, and the conjuncts."""
        facts = {f"given {i}": f for i, f in enumerate(self.module.given(self.s), 1)}
        return facts | {name: self.module.formula(name, self.s) for name in self.module.conjuncts()}

    def step(self, name: str) -> tuple[Mapping[str, z3.ExprRef], Step]:
        return self.module.step(name, self.s)

    def conjuncts_after(self, step: Step) -> Iterator[tuple[str, z3.BoolRef]]:
        """The conjuncts after a step that changes them, by name."""
        values = [(getattr(self.s, variable), value) for variable, value in step.updates.items()]
        for name in self.module.conjuncts():
            before = self.module.formula(name, self.s)
            after = z3.substitute(before, *values)
            if not after.eq(before):
                yield name, after


class Simulation(Kept):
    """The conditions of one way for another system: its guards and values, and the conjuncts."""

    def __init__(self, module: Generated, proof: Any) -> None:
        super().__init__(module)
        self.proof: System = proof
        self.a = self.seen(self.s)

    def seen(self, s: SimpleNamespace) -> SimpleNamespace:
        """A state of the module as one of the other system."""
        raise NotImplementedError

    def guards(self, action: Action, arguments: Mapping[str, Any], step: Step) -> list[z3.BoolRef]:
        """The guards of an action; arguments that may not be null are none."""
        parameters = action.parameters
        present = [
            value != parameters[name].sort.null
            for name, value in arguments.items()
            if not parameters[name].nullable
        ]
        return [*present, *step.guards]

    def simulated(
        self, case: Case, t: z3.ExprRef, after: SimpleNamespace
    ) -> Iterator[tuple[str, z3.BoolRef]]:
        """The step of the other system: its guards hold, and it leads to the state that is seen."""
        state = self.seen(after)
        updates: dict[str, z3.ExprRef | Everywhere] = {}
        name = case.action or "stutter"
        if case.action:
            action = self.proof.actions()[case.action]
            arguments = dict(zip(action.parameters, (t, *case.arguments), strict=True))
            step = getattr(self.proof, case.action)(self.a, **arguments)
            updates = dict(step.updates)
            for number, guard in enumerate(self.guards(action, arguments, step), 1):
                yield f"{name}: guard {number}", simple(z3.Implies(case.when, guard))
        for variable in self.proof.VARIABLES:
            value = getattr(state, variable)
            update = updates.get(variable, getattr(self.a, variable))
            if not isinstance(update, Everywhere) and value.eq(update):
                continue
            equation = simple(z3.Implies(case.when, same(value, update)))
            if not z3.is_true(equation):
                yield f"{name}: {variable}", equation
