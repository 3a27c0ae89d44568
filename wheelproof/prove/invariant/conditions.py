"""The verification conditions of an invariant of a module itself, which no other system is between.

A system is a class of conjuncts, and each of its subclasses has more of them. A class's theorem is
about those that no earlier theorem has, which are its premises.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import z3

from wheelproof.prove.evidence import Unproved
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.invariant.system import Invariant, own
from wheelproof.prove.kernel import VC, ProofError
from wheelproof.prove.module import sizes
from wheelproof.prove.module.properties import given, opened, stated
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.ground import terms_of
from wheelproof.prove.ts.instances import Instances, cores
from wheelproof.prove.variants import Changes

if TYPE_CHECKING:
    from wheelproof.prove.invariant.subject import Subject

STOPPED = "no thread can step"


class NotEntailed(ProofError, Unproved):
    """Goals that do not follow. ``goals``: their names."""

    def __init__(self, name: str, goals: Sequence[str]) -> None:
        super().__init__(f"{name}: {', '.join(goals)} does not follow")
        self.goals = tuple(goals)


class Conditions:
    """The verification conditions of one system: the start, one for each label and each property.

    ``changes``: texts of the module's translation, or a decision that it lacks. ``without``:
    conjuncts that are no premise.
    """

    def __init__(
        self,
        subject: Subject,
        invariant: type[Invariant] | None = None,
        changes: Changes | str = (),
        without: Collection[str] = (),
    ) -> None:
        self.subject, self.of = subject, invariant or subject.last
        self.changes, self.without = changes, without

    @cached_property
    def module(self) -> Invariant:
        return self.subject.system(self.of, self.changes)()

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        s = self.module.symbols()
        givens = {f"given {i}": formula for i, formula in enumerate(self.module.given(s), 1)}
        conjuncts = self.module.invariant(s)
        return givens | {
            name: formula for name, formula in conjuncts.items() if name not in self.without
        }

    @cached_property
    def instances(self) -> Instances:
        return Instances(self.premises)

    @cached_property
    def new(self) -> list[str]:
        """The conjuncts that no earlier theorem is about."""
        names = {name for base in self.earlier() for name in base.conjuncts()}
        return [name for name in self.of.conjuncts() if name not in names]

    def earlier(self) -> Iterator[Any]:
        theorems, origin = self.subject.theorems, own(self.of)
        return (base for base in theorems if issubclass(self.of, base) and base is not origin)

    def goals(self, name: str) -> tuple[dict[str, z3.BoolRef], dict[str, z3.BoolRef]]:
        """The guards of a way, and the formulas that must hold where it is taken and after it.

        The obligations of its terms are goals of the first theorem.
        """
        module, s = self.module, self.module.symbols()
        _, step = module.step(name, s)
        constants: set[str] = set()
        guards = {
            f"guard {i}": given(simple(guard), f"guard_{i}", constants)
            for i, guard in enumerate(step.guards, 1)
        }
        obligations = [] if [*self.earlier()] else module.obligations(name)
        goals = {
            f"obligation {i}": simple(obligation) for i, obligation in enumerate(obligations, 1)
        }
        updates = [(getattr(s, variable), value) for variable, value in step.updates.items()]
        for conjunct in self.new:
            before = module.formula(conjunct, s)
            after = z3.substitute(before, *updates)
            if not after.eq(before):
                goals[conjunct] = simple(after)
        return guards, goals

    def way(self, name: str) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The instances that a way needs, and that it keeps the conjuncts.

        ProofError: it does not keep one, by its name.
        """
        guards, goals = self.goals(name)
        premises = {**self.premises, **guards, **self.facts(name)}
        instances: dict[str, list[z3.BoolRef]] = {}
        conclusions, missing = [], []
        for group in self.groups(goals):
            late = self.late(group)
            parts, conclusion, failures = cores(
                self.module, premises, group, self.hints(name), late, self.instances
            )
            conclusions.append(conclusion)
            missing += failures
            for premise, formulas in parts.items():
                instances.setdefault(premise, []).extend(formulas)
        if missing:
            raise NotEntailed(name, missing)
        guard_instances = [
            instance for premise in guards for instance in instances.pop(premise, [])
        ]
        return instances, z3.Implies(all_of(guard_instances), all_of(conclusions))

    def groups(self, goals: Mapping[str, z3.BoolRef]) -> list[dict[str, z3.BoolRef]]:
        """The goals that the same premises are tried for first: each alone, or all of them."""
        if self.subject.near:
            return [{name: goal} for name, goal in goals.items()]
        return [dict(goals)]

    def late(self, goals: Collection[str]) -> Collection[str]:
        """The premises that are tried where a goal does not follow from those that are near."""
        near = self.subject.near
        if not near:
            return ()
        first = {*near[""], *goals, *(premise for goal in goals for premise in near.get(goal, ()))}
        return set(self.premises) - first

    def hints(self, name: str) -> Sequence[z3.ExprRef]:
        return self.subject.hints(self.module, name)

    def facts(self, name: str, *sets: z3.ExprRef) -> Mapping[str, z3.BoolRef]:
        return self.subject.facts(self.module, name, *sets)

    def covered(self, labels: Collection[str]) -> None:
        """ProofError: a label of the module is in no condition, or there is no such label."""
        if missing := [label for label in self.module.LABELS if label not in labels]:
            raise ProofError(f"{self.subject.name}: no condition is about {', '.join(missing)}")
        if spare := [label for label in labels if label not in self.module.LABELS]:
            raise ProofError(f"{self.subject.name}: the module has no label {', '.join(spare)}")

    def begin(self, labels: Collection[str]) -> VC:
        """The start. ``labels``: those that the theorem's other conditions are about."""
        self.covered(labels)
        return self.start()

    def follows(self, name: str) -> VC:
        """A property, as SANY has read it, follows from the conjuncts.

        ProofError: it does not.
        """
        module, s = self.module, self.module.symbols()
        read = stated(module, name, s)
        descriptions = {f"described {i}": formula for i, formula in enumerate(read.premises, 1)}
        firsts = module.first(s, read.firsts)
        descriptions |= {f"first {i}": formula for i, formula in enumerate(firsts, 1)}
        premises = {**self.premises, **descriptions, **self.facts(name, *read.sets)}
        goals = {name: opened(read.formula)}
        hints = [*self.hints(name)]
        terms = terms_of([*goals.values(), *hints], {sort.name: sort.z3 for sort in module.SORTS})
        hints += [
            function[term]
            for function in (*read.functions, *module.pointers(s))
            for term in terms[function.domain().name()]
        ]
        instances, goal, missing = cores(
            module, premises, goals, hints, self.late(goals), self.instances
        )
        if missing:
            raise NotEntailed(name, missing)
        return self.condition(name, {premise: z3.And(f) for premise, f in instances.items()}, goal)

    def step(self, label: str) -> VC:
        """The ways of one label: each keeps the conjuncts, and its terms are the module's."""
        instances: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        for name in self.module.LABELS[label]:
            way_instances, goal = self.way(name)
            goals.append(goal)
            for premise, formulas in way_instances.items():
                instances.setdefault(premise, {}).update(
                    {formula.get_id(): formula for formula in formulas}
                )
        premises = {name: z3.And([*members.values()]) for name, members in instances.items()}
        return self.condition(label, premises, all_of(goals))

    def start(self) -> VC:
        """Init gives each conjunct."""
        module, s = self.module, self.module.symbols()
        premises = {
            name: premise for name, premise in self.premises.items() if name.startswith("given")
        }
        premises |= {f"initially {i}": formula for i, formula in enumerate(module.initially(s), 1)}
        premises |= {
            name: module.formula(name, s) for base in self.earlier() for name in base.conjuncts()
        }
        premises |= self.facts("")
        goals = {name: module.formula(name, s) for name in self.new}
        instances, goal, missing = cores(module, premises, goals, self.hints(""))
        if missing:
            raise NotEntailed(START, missing)
        conjunctions = {name: z3.And(parts) for name, parts in instances.items()}
        return self.condition(START, conjunctions, goal)

    def condition(self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef) -> VC:
        """A condition whose premises hold in a reached state: where its label is taken, if it is.

        A conjunct of an earlier theorem is cited, as the first one that has it.
        """
        witnesses = self.subject.witnesses(self.of)
        exploration, state = witnesses.get(name, witnesses[START])
        citations = {premise: premise.partition(" #")[0] for premise in premises if " #" in premise}
        citations |= {
            premise: theorem
            for base, theorem in reversed([*self.subject.theorems.items()])
            if base in self.earlier()
            for premise in premises
            if premise in base.conjuncts()
        }
        interpretation = partial(sizes.interpreted, exploration)
        return VC(name, premises, goal, exploration.in_state(state), interpretation, citations)


class Waits(Conditions):
    """Where a thread does not wait it can step, and where all wait or have ended, all have ended.

    The invariant is that of the theorem before.
    """

    def moves(self, label: str) -> VC:
        """A thread at the label that does not wait has a way whose guards hold."""
        module, s = self.module, self.module.symbols()
        mover = z3.Const("t!", module.WORDS.threads.z3)
        ways = [module.way(name) for name in module.LABELS.get(label, ())]
        free = z3.Or([z3.And(way.guards) for way in ways])
        here = z3.And(mover != module.WORDS.threads.null, module.at(s, mover, label))
        return self.shown(label, z3.Implies(z3.And(here, z3.Not(module.waits(s, mover))), free), {})

    def stopped(self, labels: Collection[str]) -> VC:
        """Where each thread waits or has ended, each has ended. ``labels``: as for `begin`."""
        self.covered(labels)
        module, s = self.module, self.module.symbols()
        (t,) = module.WORDS.threads.consts("thread")
        none = t == module.WORDS.threads.null
        over = z3.Or(none, module.at(s, t, "Done"))
        still = {STOPPED: z3.ForAll([t], z3.Or(over, module.waits(s, t)))}
        return self.shown(STOPPED, z3.ForAll([t], over), still | module.assumed(s))

    def shown(self, name: str, goal: z3.BoolRef, more: Mapping[str, z3.BoolRef]) -> VC:
        """That a goal follows. ProofError: it does not."""
        instances, conclusion, missing = cores(
            self.module, {**self.premises, **more}, {name: goal}, self.hints("")
        )
        if missing:
            raise NotEntailed("moves", missing)
        premises = {premise: z3.And(formulas) for premise, formulas in instances.items()}
        exploration, state = self.witness(name)
        citations = dict.fromkeys(
            set(premises) & set(self.of.conjuncts()), self.subject.theorems[self.of]
        )
        return VC(name, premises, conclusion, exploration.in_state(state), cites=citations)

    def witness(self, name: str) -> tuple[Reached, State]:
        """A reached state: one in which the label is taken, or one in which all threads ended."""
        witnesses = self.subject.witnesses(self.of)
        if name != STOPPED:
            return witnesses[name]
        exploration, _ = witnesses[START]
        return exploration, next(
            edge.move.after
            for edge in exploration.edges()
            if not any(exploration.model.successors(edge.frozen))
        )


def numbered(name: str, facts: Sequence[z3.BoolRef]) -> dict[str, z3.BoolRef]:
    """Facts for a way, a property or the start (""), by names of their own."""
    return {f"fact {number} of {name or START}": fact for number, fact in enumerate(facts, 1)}


def all_of(formulas: list[z3.BoolRef]) -> z3.BoolRef:
    """Their conjunction. SMT-LIB has no empty one."""
    return z3.And(formulas) if formulas else z3.BoolVal(True)
