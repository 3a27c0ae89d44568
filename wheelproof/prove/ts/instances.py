"""Conditions without quantifiers: the invariant instantiated at the terms of a condition.

A condition says that universal premises entail a universal goal. For the goal it is enough to take
arbitrary elements; of the premises a few instances are enough, at those elements and at the terms
of guards and updates. What follows from instances follows from the premises, so nothing is assumed;
and what is left has no quantifier, or few, and is decided in the same way for every seed. An
existential premise is taken at a new constant. A premise or goal of another form is left as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
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
        self._known: dict[int, tuple[z3.ExprRef, bool]] = {}

    def premise(self, formula: z3.BoolRef, path: str) -> z3.BoolRef:
        """A formula that the premise entails, but for the new constants.

        They stand for the elements that exist by the premise.
        """
        return self._instantiated(formula, path, goal=False)

    def goal(self, formula: z3.BoolRef, path: str) -> z3.BoolRef:
        """A formula that entails the goal, if it holds for all new constants."""
        return self._instantiated(formula, path, goal=True)

    def _instantiated(self, formula: z3.BoolRef, path: str, goal: bool) -> z3.BoolRef:
        if not self._quantified(formula):
            return formula
        if z3.is_quantifier(formula):
            if formula.is_forall() == goal:
                return self._instantiated(
                    taken_at(formula, self._constants(formula, path)), path, goal
                )
            choices = [
                self.terms.get(formula.var_sort(index).name(), [])
                for index in range(formula.num_vars())
            ]
            join = z3.Or if goal else z3.And
            if not self._quantified(formula.body()):
                return join([taken_at(formula, values) for values in product(*choices)])
            return join(
                [
                    self._instantiated(taken_at(formula, values), f"{path}_{number}", goal)
                    for number, values in enumerate(product(*choices))
                ]
            )
        if z3.is_and(formula) or z3.is_or(formula):
            join = z3.And if z3.is_and(formula) else z3.Or
            return join(
                [
                    self._instantiated(child, f"{path}.{number}", goal)
                    for number, child in enumerate(formula.children())
                ]
            )
        if z3.is_not(formula):
            return z3.Not(self._instantiated(formula.arg(0), f"{path}n", not goal))
        if z3.is_implies(formula):
            return z3.Implies(
                self._instantiated(formula.arg(0), f"{path}p", not goal),
                self._instantiated(formula.arg(1), f"{path}c", goal),
            )
        return formula

    def _quantified(self, term: z3.ExprRef) -> bool:
        """Whether a quantifier is in the term: a term without any is left as it is."""
        known = self._known.get(term.get_id())
        if known is None:
            found = z3.is_quantifier(term) or (
                z3.is_app(term) and any(map(self._quantified, term.children()))
            )
            # The term is kept, so that its number stays its own.
            known = self._known[term.get_id()] = (term, found)
        return known[1]

    def _constants(self, formula: z3.QuantifierRef, path: str) -> list[z3.ExprRef]:
        found = [
            z3.Const(f"{path}!{index}", formula.var_sort(index))
            for index in range(formula.num_vars())
        ]
        for each in found:
            self.made.setdefault(each.sort().name(), {})[each.get_id()] = each
        return found


def deeply_grounded(system: System, condition: Condition) -> Condition:
    """Like ``grounded``, at any depth, at the terms of a first round of instances too."""
    sorts = {item.name: item.z3 for item in system.SORTS}
    nulls = [item.null for item in system.SORTS if item.null is not None]
    opened = Deep({})
    exact = [condition.premises[name] for name in condition.premises if name.startswith("guard")]
    skolem = opened.goal(condition.goal, "goal")
    terms = terms_of([skolem, *exact, *nulls], sorts)
    for name, of in opened.made.items():
        terms.setdefault(name, []).extend(
            each for each in of.values() if not any(each.eq(other) for other in terms[name])
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
def taken(system: System, condition: Condition, known: Sequence[Sequence[int]]) -> Condition | None:
    """A condition that entails the given one, with the instances of these numbers alone.

    None where there are no such instances. The goal need not follow from them.
    """
    ground = Ground(system, condition)
    found = ground.chosen(known)
    return None if found is None else ground.with_premises(found)


@trusted()
def needed(system: System, condition: Condition) -> tuple[Condition, list[tuple[int, ...]]]:
    """A condition that entails the given one, with the instances of one proof alone.

    They are few, so that any solver is quick. The second value has their numbers. It is empty where
    the proof needs instances of inner quantifiers.

    Where no proof is found from instances, the premises stay beside them.
    """
    ground = Ground(system, condition)
    every = [*ground.instances()]
    if (used := refuting([each.formula for each in every], ground.goal)) is not None:
        chosen = [*map(every.__getitem__, sorted(used))]
        return ground.with_premises(chosen), [each.number for each in chosen]
    if (made := core(deeply_grounded(system, condition))) is not None:
        return made, []
    return grounded(system, condition, whole=True), []


def cores(
    system: System,
    premises: Mapping[str, z3.BoolRef],
    goals: Mapping[str, z3.BoolRef],
    hints: Sequence[z3.ExprRef] = (),
    late: Container[str] = (),
    made: Instances | None = None,
    only: Mapping[str, Sequence[z3.ExprRef]] = {},
) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef, list[str]]:
    """Instances of the premises from which all goals follow, those goals, and what does not follow.

    ``hints``: further terms to take the premises at, of any form.

    ``late``: premises that are left out at first, and tried where a goal does not follow without.
    ``made``: the instances of all premises but the guards, for several calls. ``only``: the terms
    that stand for a bound variable of this name, and no others.
    """
    sorts = {item.name: item.z3 for item in system.SORTS}
    exact = [premise for name, premise in premises.items() if name.startswith("guard")]
    nulls = [item.null for item in system.SORTS if item.null is not None]
    known = (made or Instances({})).beside(premises)
    used: dict[str, dict[int, z3.BoolRef]] = {}
    found, missing = [], []
    for name, goal in goals.items():
        one = z3.simplify(arbitrary(goal))
        terms = terms_of([one, *exact, *nulls, *hints], sorts)
        for hint in hints:
            of_sort = terms.get(hint.sort().name())
            if of_sort is not None and not any(hint.eq(each) for each in of_sort):
                of_sort.append(hint)
        first = [premise for premise in premises if premise not in late]
        for names in (first, list(premises)) if name not in late else (list(premises),):
            core_ = _core_of([*known.at(names, terms, only)], one)
            if core_ is not None:
                break
        if core_ is None:
            missing.append(name)
            continue
        found.append(one)
        for premise, each in core_:
            used.setdefault(premise, {})[each.get_id()] = each
    return {name: [*of.values()] for name, of in used.items()}, z3.And(found), missing


class Instances:
    """The instances of premises, each made once."""

    def __init__(self, premises: Mapping[str, z3.BoolRef]) -> None:
        self.parts = {name: [*parts(premise)] for name, premise in premises.items()}
        self.made: dict[tuple[int, ...], z3.BoolRef] = {}
        self._kept: dict[int, z3.ExprRef] = {}

    def beside(self, premises: Mapping[str, z3.BoolRef]) -> Instances:
        """These and further premises: of those that are known already, the same instances."""
        found = Instances({})
        found.parts = {
            name: self.parts.get(name) or [*parts(premise)] for name, premise in premises.items()
        }
        found.made, found._kept = self.made, self._kept
        return found

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
    used = refuting([each for _, each in flat], goal)
    return None if used is None else [*map(flat.__getitem__, used)]


def refuting(formulas: Sequence[z3.BoolRef], goal: z3.BoolRef) -> list[int] | None:
    """The places of the formulas of one proof of a goal; None if there is none within the limit."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)  # units, not time: the same instances on every machine
    for number, each in enumerate(formulas):
        solver.assert_and_track(each, f"instance!{number}")
    solver.add(z3.Not(goal))
    if solver.check() != z3.unsat:
        return None
    return [int(str(each).partition("!")[2]) for each in solver.unsat_core()]


def refutes(formulas: Sequence[z3.BoolRef], goal: z3.BoolRef) -> bool:
    """Whether the formulas entail a goal, as far as is found within the limit."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(*formulas, z3.Not(goal))
    return bool(solver.check() == z3.unsat)


def core(made: Condition) -> Condition | None:
    """The condition with the premises of one unsat core; None if there is none within the limit."""
    flat = [(name, part) for name, premise in made.premises.items() for part in parts(premise)]
    used = refuting([each for _, each in flat], made.goal)
    if used is None:
        return None
    premises: dict[str, list[z3.BoolRef]] = {}
    for name, each in map(flat.__getitem__, sorted(used)):
        premises.setdefault(name, []).append(each)
    return Condition(
        made.name,
        made.kind,
        {name: z3.And(of) if len(of) > 1 else of[0] for name, of in premises.items()},
        made.goal,
    )
