"""A condition's ground terms, and the instances of its premises at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from operator import ge
from typing import NamedTuple

import z3

from wheelproof.prove.ts.system import Condition, System


def parts(formula: z3.BoolRef) -> Iterator[z3.BoolRef]:
    """The conjuncts of a formula, a universal quantifier over a conjunction taken apart too."""
    if z3.is_and(formula):
        for child in formula.children():
            yield from parts(child)
    else:
        yield formula


def taken_at(formula: z3.QuantifierRef, values: Iterable[z3.ExprRef]) -> z3.BoolRef:
    """The body of a quantifier with its variables replaced, the first by the first value."""
    return z3.substitute_vars(formula.body(), *reversed(list(values)))


def arbitrary(goal: z3.BoolRef, prefix: str = "any") -> z3.BoolRef:
    """A goal for arbitrary elements: new constants in place of its outermost universal variables.

    Its conjuncts share them.
    """
    goals = []
    for part in parts(goal):
        if z3.is_quantifier(part) and part.is_forall():
            goals.append(taken_at(part, fresh(part, prefix)))
        elif z3.is_implies(part) and z3.is_quantifier(part.arg(1)) and part.arg(1).is_forall():
            goals.append(z3.Implies(part.arg(0), taken_at(part.arg(1), fresh(part.arg(1), prefix))))
        else:
            goals.append(part)
    return z3.And(goals)


def fresh(formula: z3.QuantifierRef, prefix: str) -> list[z3.ExprRef]:
    """One constant for each variable of a quantifier: its sort's first, second, and so on."""
    constants: list[z3.ExprRef] = []
    counts: dict[str, int] = {}
    for index in range(formula.num_vars()):
        sort = formula.var_sort(index)
        counts[sort.name()] = counts.get(sort.name(), 0) + 1
        constants.append(z3.Const(f"{prefix}_{sort.name()}_{counts[sort.name()]}", sort))
    return constants


def terms_of(
    formulas: Iterable[z3.ExprRef], sorts: Mapping[str, z3.SortRef]
) -> dict[str, list[z3.ExprRef]]:
    """The ground terms of each sort: constants, and the system's variables at such terms."""
    by_sort: dict[str, dict[int, z3.ExprRef]] = {name: {} for name in sorts}
    plain: dict[int, bool] = {}

    def visit(term: z3.ExprRef) -> bool:
        """Whether the term is ground and made of constants and selections alone."""
        number = term.get_id()
        if (verdict := plain.get(number)) is not None:
            return verdict
        good = False
        if z3.is_app(term):
            children = [visit(child) for child in term.children()]
            kind = term.decl().kind()
            good = all(children) and (
                kind == z3.Z3_OP_SELECT or (not children and kind == z3.Z3_OP_UNINTERPRETED)
            )
        plain[number] = good
        if good:
            sort = term.sort()
            if not isinstance(sort, z3.ArraySortRef) and sort.name() in by_sort:
                by_sort[sort.name()][number] = term
        return good

    for formula in formulas:
        visit(formula)
    return {name: list(terms.values()) for name, terms in by_sort.items()}


class Instance(NamedTuple):
    """One conjunct of an instance of a premise.

    ``number``: the premise's place, its part's, the places of the terms that the part is taken at,
    each among the terms of its sort, and the conjunct's place. It does not depend on earlier inputs
    of Z3.
    """

    premise: str
    number: tuple[int, ...]
    formula: z3.BoolRef


class Ground:
    """A condition's goal for arbitrary elements, and the instances of its premises.

    The terms of a sort are in the order of their texts.
    """

    def __init__(
        self, system: System, condition: Condition, hints: Iterable[z3.ExprRef] = ()
    ) -> None:
        self.condition = condition
        self.goal = z3.simplify(arbitrary(condition.goal))
        sorts = {item.name: item.z3 for item in system.SORTS}
        exact = [
            premise for name, premise in condition.premises.items() if name.startswith("guard")
        ]
        nulls = [item.null for item in system.SORTS if item.null is not None]
        by_sort = terms_of([self.goal, *exact, *nulls, *hints], sorts)
        self.terms = {name: sorted(terms, key=z3.ExprRef.sexpr) for name, terms in by_sort.items()}

    def instances(self) -> Iterator[Instance]:
        """All of them."""
        for place, (name, premise) in enumerate(self.condition.premises.items()):
            for number, part in enumerate(parts(premise)):
                choices = [range(len(choice)) for choice in self._choices(part)]
                for values in product(*choices):
                    formula = self._instance(name, number, part, values)
                    for index, piece in enumerate(parts(formula)):
                        yield Instance(name, (place, number, *values, index), piece)

    def chosen(self, keys: Iterable[Sequence[int]]) -> list[Instance] | None:
        """The instances with these numbers; None where there is no such one."""
        names = list(self.condition.premises)
        split: dict[int, list[z3.BoolRef]] = {}
        instances = []
        for place, number, *values, index in keys:
            if place >= len(names):
                return None
            if place not in split:
                split[place] = [*parts(self.condition.premises[names[place]])]
            if number >= len(split[place]):
                return None
            part = split[place][number]
            sizes = [len(choice) for choice in self._choices(part)]
            if len(sizes) != len(values) or any(map(ge, values, sizes)):
                return None
            pieces = [*parts(self._instance(names[place], number, part, values))]
            if index >= len(pieces):
                return None
            instances.append(Instance(names[place], (place, number, *values, index), pieces[index]))
        return instances

    def _choices(self, part: z3.BoolRef) -> list[list[z3.ExprRef]]:
        if not (z3.is_quantifier(part) and part.is_forall()):
            return []
        return [self.terms.get(part.var_sort(index).name(), []) for index in range(part.num_vars())]

    def _instance(
        self, name: str, number: int, part: z3.BoolRef, places: Iterable[int]
    ) -> z3.BoolRef:
        """A part at the terms of these places, or at a new constant if it is existential."""
        if z3.is_quantifier(part) and part.is_forall():
            return taken_at(part, map(list.__getitem__, self._choices(part), places))
        if z3.is_quantifier(part) and part.is_exists():
            return taken_at(part, fresh(part, f"some_{name}_{number}".replace(" ", "_")))
        return part

    def with_premises(self, instances: Iterable[Instance]) -> Condition:
        """The condition with these instances alone."""
        premises: dict[str, list[z3.BoolRef]] = {}
        for instance in instances:
            premises.setdefault(instance.premise, []).append(instance.formula)
        return Condition(
            self.condition.name,
            self.condition.kind,
            {
                name: z3.And(formulas) if len(formulas) > 1 else formulas[0]
                for name, formulas in premises.items()
            },
            self.goal,
        )


def grounded(
    system: System, condition: Condition, whole: bool = False, hints: Iterable[z3.ExprRef] = ()
) -> Condition:
    """A condition that entails the given one, with its premises instantiated.

    ``whole``: the premises themselves stay beside that. ``hints``: further terms to take them at.
    """
    ground = Ground(system, condition, hints)
    beside = (
        [Instance(name, (), premise) for name, premise in condition.premises.items()]
        if whole
        else []
    )
    return ground.with_premises([*ground.instances(), *beside])
