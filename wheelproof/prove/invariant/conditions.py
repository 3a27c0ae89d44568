"""The verification conditions of an invariant of a module itself, which no other system is between.

A system is a class of conjuncts, and each of its subclasses has more of them. A class's theorem is
about those that no earlier theorem has, which are its premises.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import z3

from wheelproof.prove import variants
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.kernel import VC, ProofError
from wheelproof.prove.module import sizes
from wheelproof.prove.module.properties import opened, stated
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.instances import Instances, cores
from wheelproof.prove.variants import Changes
from wheelproof.tla import export


class NotEntailed(ProofError):
    """Goals that do not follow. ``goals``: their names."""

    def __init__(self, of: str, goals: Sequence[str]) -> None:
        super().__init__(f"{of}: {', '.join(goals)} does not follow")
        self.goals = tuple(goals)


class Conditions:
    """The verification conditions of one system: the start, and one for each label.

    THEOREMS: each system's theorem, the earlier ones first. ``changes``: texts of the module's
    translation with what stands for them.
    """

    THEOREMS: Mapping[Any, str] = {}

    def __init__(self, of: Any, changes: Changes = ()) -> None:
        self.of, self.changes = of, changes

    def system(self) -> type[Generated]:
        """The system with the changes."""
        raise NotImplementedError

    def witnesses(self) -> Mapping[str, tuple[Reached, State]]:
        """Reached states: for each label one in which it is taken, and a start."""
        raise NotImplementedError

    def hints(self, name: str) -> Sequence[z3.ExprRef]:
        """Terms that conjuncts are taken at, beside those of a way; "" for the start."""
        return ()

    def facts(self, name: str, *sets: z3.ExprRef) -> Sequence[z3.BoolRef]:
        """Theorems of mathematics that a way, a property or the start ("") needs.

        ``sets``: those that a property describes.
        """
        return ()

    @cached_property
    def module(self) -> Generated:
        return self.system()()

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        s = self.module.symbols()
        given = {f"given {i}": each for i, each in enumerate(self.module.given(s), 1)}
        return given | self.module.invariant(s)

    @cached_property
    def instances(self) -> Instances:
        return Instances(self.premises)

    @cached_property
    def new(self) -> list[str]:
        """The conjuncts that no earlier theorem is about."""
        known = {name for base in self.earlier() for name in base.conjuncts()}
        return [name for name in self.of.conjuncts() if name not in known]

    def earlier(self) -> Iterator[Any]:
        return (base for base in self.THEOREMS if issubclass(self.of, base) and base is not self.of)

    def goals(self, name: str) -> tuple[dict[str, z3.BoolRef], dict[str, z3.BoolRef]]:
        """The guards of a way, and what must hold where it is taken and after it.

        What its terms oblige to is a goal of the first theorem.
        """
        of, s = self.module, self.module.symbols()
        _, made = of.step(name, s)
        guards = {f"guard {i}": simple(each) for i, each in enumerate(made.guards, 1)}
        obliged = [] if [*self.earlier()] else of.obligations(name)
        goals = {f"obligation {i}": simple(each) for i, each in enumerate(obliged, 1)}
        updates = [(getattr(s, variable), value) for variable, value in made.updates.items()]
        for each in self.new:
            before = of.formula(each, s)
            after = z3.substitute(before, *updates)
            if not after.eq(before):
                goals[each] = simple(after)
        return guards, goals

    def way(self, name: str) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The instances that a way needs, and that it keeps the conjuncts.

        ProofError: it does not keep one, by its name.
        """
        guards, goals = self.goals(name)
        known = self.premises | guards | self.known(name)
        kept, goal, missing = cores(
            self.module, known, goals, self.hints(name), made=self.instances
        )
        if missing:
            raise NotEntailed(name, missing)
        needed = [each for premise in guards for each in kept.pop(premise, [])]
        return kept, z3.Implies(all_of(needed), goal)

    def known(self, name: str, *sets: z3.ExprRef) -> dict[str, z3.BoolRef]:
        """The facts for a way, as premises."""
        facts = enumerate(self.facts(name, *sets), 1)
        return {f"fact {number} of {name or START}": fact for number, fact in facts}

    def follows(self, name: str) -> VC:
        """A property, as SANY has read it, follows from the conjuncts.

        ProofError: it does not.
        """
        of, s = self.module, self.module.symbols()
        read = stated(of, name, s)
        described = {f"described {i}": each for i, each in enumerate(read.premises, 1)}
        premises = self.premises | described | self.known(name, *read.sets)
        goals = {name: opened(read.formula)}
        kept, goal, missing = cores(of, premises, goals, self.hints(name), made=self.instances)
        if missing:
            raise NotEntailed(name, missing)
        return self.condition(name, {each: z3.And(f) for each, f in kept.items()}, goal)

    def step(self, label: str) -> VC:
        """The ways of one label: each keeps the conjuncts, and its terms are the module's."""
        used: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        for name in self.module.LABELS[label]:
            kept, goal = self.way(name)
            goals.append(goal)
            for premise, formulas in kept.items():
                used.setdefault(premise, {}).update({each.get_id(): each for each in formulas})
        premises = {name: z3.And([*of.values()]) for name, of in used.items()}
        return self.condition(label, premises, all_of(goals))

    def start(self) -> VC:
        """What Init says gives each conjunct."""
        of, s = self.module, self.module.symbols()
        premises = {name: each for name, each in self.premises.items() if name.startswith("given")}
        premises |= {f"initially {i}": each for i, each in enumerate(of.initially(s), 1)}
        premises |= {
            name: of.formula(name, s) for base in self.earlier() for name in base.conjuncts()
        }
        premises |= self.known("")
        goals = {name: of.formula(name, s) for name in self.new}
        kept, goal, missing = cores(of, premises, goals, self.hints(""))
        if missing:
            raise NotEntailed(START, missing)
        used = {name: z3.And(parts) for name, parts in kept.items()}
        return self.condition(START, used, goal)

    def condition(self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef) -> VC:
        """A condition whose premises hold in a reached state: where its label is taken, if it is.

        What an earlier theorem is about is cited, as the first one that has it.
        """
        found = self.witnesses()
        reached, state = found.get(name, found[START])
        cited = {
            each: theorem
            for base, theorem in reversed([*self.THEOREMS.items()])
            if base in self.earlier()
            for each in premises
            if each in base.conjuncts()
        }
        sized = partial(sizes.interpreted, reached)
        return VC(name, premises, goal, reached.in_state(state), sized, cited)


def all_of(formulas: list[z3.BoolRef]) -> z3.BoolRef:
    """Their conjunction. SMT-LIB has no empty one."""
    return z3.And(formulas) if formulas else z3.BoolVal(True)


def digest(name: str) -> str:
    """The start of the SHA-256 of a module's text without comments."""
    source = export.source(variants.mechanisms()[name].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]
