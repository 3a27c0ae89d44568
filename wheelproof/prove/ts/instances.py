"""Conditions without quantifiers: the invariant instantiated at the terms of a condition.

A condition says that universal premises entail a universal goal. For the goal it is enough to take
arbitrary elements; of the premises a few instances are enough, at those elements and at the terms
of guards and updates. A consequence of instances follows from the premises, so nothing is assumed;
and the rest has no quantifier, or few, and is decided in the same way for every seed. An
existential premise is taken at a new constant. A premise or goal of another form is left as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import z3

from wheelproof.prove.solvers import RESOURCES, trusted
from wheelproof.prove.ts.ground import Ground, arbitrary, grounded, parts, taken_at, terms_of
from wheelproof.prove.ts.system import Condition, System


class Deep:
    """Quantifiers at any depth of a formula, replaced by instances or new constants.

    In a premise a universal quantifier becomes its instances at the terms, an existential one a new
    constant; in a goal the other way round. Both make a condition harder to prove, never easier.
    """

    def __init__(self, terms: Mapping[str, list[z3.ExprRef]]) -> None:
        self.terms = terms
        self.made: dict[str, dict[int, z3.ExprRef]] = {}
        self._verdicts: dict[int, tuple[z3.ExprRef, bool]] = {}

    def premise(self, formula: z3.BoolRef, path: str) -> z3.BoolRef:
        """A formula that the premise entails, but for the new constants.

        They stand for the elements that exist by the premise.
        """
        return self._at_terms(formula, path, goal=False)

    def goal(self, formula: z3.BoolRef, path: str) -> z3.BoolRef:
        """A formula that entails the goal, if it holds for all new constants."""
        return self._at_terms(formula, path, goal=True)

    def _at_terms(self, formula: z3.BoolRef, path: str, goal: bool) -> z3.BoolRef:
        if not self._has_quantifier(formula):
            return formula
        if z3.is_quantifier(formula):
            if formula.is_forall() == goal:
                return self._at_terms(taken_at(formula, self._constants(formula, path)), path, goal)
            choices = [
                self.terms.get(formula.var_sort(index).name(), [])
                for index in range(formula.num_vars())
            ]
            join = z3.Or if goal else z3.And
            if not self._has_quantifier(formula.body()):
                return join([taken_at(formula, values) for values in product(*choices)])
            return join(
                [
                    self._at_terms(taken_at(formula, values), f"{path}_{number}", goal)
                    for number, values in enumerate(product(*choices))
                ]
            )
        if z3.is_and(formula) or z3.is_or(formula):
            join = z3.And if z3.is_and(formula) else z3.Or
            return join(
                [
                    self._at_terms(child, f"{path}.{number}", goal)
                    for number, child in enumerate(formula.children())
                ]
            )
        if z3.is_not(formula):
            return z3.Not(self._at_terms(formula.arg(0), f"{path}n", not goal))
        if z3.is_implies(formula):
            return z3.Implies(
                self._at_terms(formula.arg(0), f"{path}p", not goal),
                self._at_terms(formula.arg(1), f"{path}c", goal),
            )
        return formula

    def _has_quantifier(self, term: z3.ExprRef) -> bool:
        """Whether a quantifier is in the term: a term without any is left as it is."""
        entry = self._verdicts.get(term.get_id())
        if entry is None:
            verdict = z3.is_quantifier(term) or (
                z3.is_app(term) and any(map(self._has_quantifier, term.children()))
            )
            # The term is kept, so that its number stays its own.
            entry = self._verdicts[term.get_id()] = (term, verdict)
        return entry[1]

    def _constants(self, formula: z3.QuantifierRef, path: str) -> list[z3.ExprRef]:
        constants = [
            z3.Const(f"{path}!{index}", formula.var_sort(index))
            for index in range(formula.num_vars())
        ]
        for constant in constants:
            self.made.setdefault(constant.sort().name(), {})[constant.get_id()] = constant
        return constants


def deeply_grounded(system: System, condition: Condition) -> Condition:
    """Like ``grounded``, at any depth, at the terms of a first round of instances too."""
    sorts = {item.name: item.z3 for item in system.SORTS}
    nulls = [item.null for item in system.SORTS if item.null is not None]
    opening = Deep({})
    exact = [condition.premises[name] for name in condition.premises if name.startswith("guard")]
    skolem = opening.goal(condition.goal, "goal")
    terms = terms_of([skolem, *exact, *nulls], sorts)
    for name, constants in opening.made.items():
        terms.setdefault(name, []).extend(
            constant
            for constant in constants.values()
            if not any(constant.eq(term) for term in terms[name])
        )
    first = Deep(terms)
    once = [
        first.premise(premise, name.replace(" ", "_"))
        for name, premise in condition.premises.items()
    ]
    wider = terms_of([*once, skolem, *nulls], sorts)
    second = Deep(wider)
    premises = {
        name: second.premise(premise, name.replace(" ", "_"))
        for name, premise in condition.premises.items()
    }
    return Condition(
        condition.name, condition.kind, premises, Deep(wider).goal(condition.goal, "goal")
    )


@trusted()
def taken(
    system: System, condition: Condition, numbers: Sequence[Sequence[int]]
) -> Condition | None:
    """A condition that entails the given one, with the instances of these numbers alone.

    None where there are no such instances. The goal need not follow from them.
    """
    ground = Ground(system, condition)
    instances = ground.chosen(numbers)
    return None if instances is None else ground.with_premises(instances)


@trusted()
def needed(system: System, condition: Condition) -> tuple[Condition, list[tuple[int, ...]]]:
    """A condition that entails the given one, with the instances of one proof alone.

    None of them can be left out, so that any solver is quick. The second value has their numbers.
    It is empty where the proof needs instances of inner quantifiers.

    Where no proof is found from instances, the premises stay beside them.
    """
    ground = Ground(system, condition)
    every = [*ground.instances()]
    if (places := fewest([instance.formula for instance in every], ground.goal)) is not None:
        instances = [*map(every.__getitem__, places)]
        return ground.with_premises(instances), [instance.number for instance in instances]
    if (core_ := core(deeply_grounded(system, condition))) is not None:
        return core_, []
    return grounded(system, condition, whole=True), []


def cores(
    system: System,
    premises: Mapping[str, z3.BoolRef],
    goals: Mapping[str, z3.BoolRef],
    hints: Sequence[z3.ExprRef] = (),
    late: Container[str] = (),
    instances: Instances | None = None,
    only: Mapping[str, Sequence[z3.ExprRef]] = {},
) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef, list[str]]:
    """Instances of the premises from which all goals follow, those goals, and the other goals.

    ``hints``: further terms to take the premises at, of any form.

    ``late``: premises that are left out at first, and tried where a goal does not follow without.
    ``instances``: those of all premises but the guards, for several calls. ``only``: the terms that
    stand for a bound variable of this name, and no others.
    """
    sorts = {item.name: item.z3 for item in system.SORTS}
    exact = [premise for name, premise in premises.items() if name.startswith("guard")]
    nulls = [item.null for item in system.SORTS if item.null is not None]
    premise_instances = (instances or Instances({})).beside(premises)
    core_instances: dict[str, dict[int, z3.BoolRef]] = {}
    conclusions, missing = [], []
    for name, goal in goals.items():
        conclusion = z3.simplify(arbitrary(goal))
        terms = terms_of([conclusion, *exact, *nulls, *hints], sorts)
        for hint in hints:
            of_sort = terms.get(hint.sort().name())
            if of_sort is not None and not any(hint.eq(term) for term in of_sort):
                of_sort.append(hint)
        first = [premise for premise in premises if premise not in late]
        for names in (first, list(premises)) if name not in late else (list(premises),):
            core_ = _core_of([*premise_instances.at(names, terms, only)], conclusion)
            if core_ is not None:
                break
        if core_ is None:
            missing.append(name)
            continue
        conclusions.append(conclusion)
        for premise, formula in core_:
            core_instances.setdefault(premise, {})[formula.get_id()] = formula
    return (
        {name: [*formulas.values()] for name, formulas in core_instances.items()},
        z3.And(conclusions),
        missing,
    )


class Instances:
    """The instances of premises, each made once."""

    def __init__(self, premises: Mapping[str, z3.BoolRef]) -> None:
        self.parts = {name: [*parts(premise)] for name, premise in premises.items()}
        self.made: dict[tuple[int, ...], z3.BoolRef] = {}
        self._kept: dict[int, z3.ExprRef] = {}

    def beside(self, premises: Mapping[str, z3.BoolRef]) -> Instances:
        """These and further premises: of those that are known already, the same instances."""
        copy = Instances({})
        copy.parts = {
            name: self.parts.get(name) or [*parts(premise)] for name, premise in premises.items()
        }
        copy.made, copy._kept = self.made, self._kept
        return copy

    def at(
        self,
        names: Iterable[str],
        terms: Mapping[str, list[z3.ExprRef]],
        only: Mapping[str, Sequence[z3.ExprRef]],
    ) -> Iterator[tuple[str, z3.BoolRef]]:
        """The instances of these premises at the terms, by premise."""
        for name in names:
            for part in self.parts[name]:
                if not (z3.is_quantifier(part) and part.is_forall()):
                    yield name, part
                    continue
                choices = [
                    only.get(part.var_name(index)) or terms.get(part.var_sort(index).name(), [])
                    for index in range(part.num_vars())
                ]
                for values in product(*choices):
                    key = part.get_id(), *[value.get_id() for value in values]
                    if key not in self.made:
                        self.made[key] = taken_at(part, values)
                        # Terms are kept, so that their numbers stay their own.
                        self._kept |= {value.get_id(): value for value in (part, *values)}
                    yield name, self.made[key]


def _core_of(
    flat: list[tuple[str, z3.BoolRef]], goal: z3.BoolRef
) -> list[tuple[str, z3.BoolRef]] | None:
    """The formulas of one proof of a goal, by premise; None if there is none within the limit."""
    places = refuting([formula for _, formula in flat], goal)
    return None if places is None else [*map(flat.__getitem__, places)]


def fewest(formulas: Sequence[z3.BoolRef], goal: z3.BoolRef) -> list[int] | None:
    """The places of formulas that entail a goal, where no proof is found without one of them.

    None if there is no proof within the limit.
    """
    if (core_ := refuting(formulas, goal)) is None:
        return None
    places, at = sorted(core_), 0
    while at < len(places):
        rest = [*places[:at], *places[at + 1 :]]
        core_ = refuting([*map(formulas.__getitem__, rest)], goal)
        if core_ is None:
            at += 1
        else:
            places = [rest[place] for place in sorted(core_)]
    return places


@cache
def _tracker(place: int) -> z3.BoolRef:
    return z3.Bool(f"instance!{place}")


def refuting(formulas: Sequence[z3.BoolRef], goal: z3.BoolRef) -> list[int] | None:
    """The places of the formulas of one proof of a goal; None if there is none within the limit."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)  # units, not time: the same instances on every machine
    for number, formula in enumerate(formulas):
        solver.assert_and_track(formula, _tracker(number))
    solver.add(z3.Not(goal))
    if solver.check() != z3.unsat:
        return None
    return [int(tracker.decl().name().partition("!")[2]) for tracker in solver.unsat_core()]


def refutes(formulas: Sequence[z3.BoolRef], goal: z3.BoolRef) -> bool:
    """Whether the formulas entail a goal, as far as is found within the limit."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(*formulas, z3.Not(goal))
    return bool(solver.check() == z3.unsat)


def core(condition: Condition) -> Condition | None:
    """The condition with the premises of one unsat core; None if there is none within the limit."""
    flat = [(name, part) for name, premise in condition.premises.items() for part in parts(premise)]
    places = refuting([formula for _, formula in flat], condition.goal)
    if places is None:
        return None
    premises: dict[str, list[z3.BoolRef]] = {}
    for name, part in map(flat.__getitem__, sorted(places)):
        premises.setdefault(name, []).append(part)
    return Condition(
        condition.name,
        condition.kind,
        {
            name: z3.And(formulas) if len(formulas) > 1 else formulas[0]
            for name, formulas in premises.items()
        },
        condition.goal,
    )
