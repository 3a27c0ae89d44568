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

    def __init__(self, of: str, goals: Sequence[str]) -> None:
        super().__init__(f"{of}: {', '.join(goals)} does not follow")
        self.goals = tuple(goals)


class Conditions:
    """The verification conditions of one system: the start, one for each label and each property.

    ``changes``: texts of the module's translation, or a decision that it lacks. ``without``:
    conjuncts that are no premise.
    """

    def __init__(
        self,
        subject: Subject,
        of: type[Invariant] | None = None,
        changes: Changes | str = (),
        without: Collection[str] = (),
    ) -> None:
        self.subject, self.of = subject, of or subject.last
        self.changes, self.without = changes, without

    @cached_property
    def module(self) -> Invariant:
        return self.subject.system(self.of, self.changes)()

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        s = self.module.symbols()
        given = {f"given {i}": each for i, each in enumerate(self.module.given(s), 1)}
        known = self.module.invariant(s)
        return given | {name: each for name, each in known.items() if name not in self.without}

    @cached_property
    def instances(self) -> Instances:
        return Instances(self.premises)

    @cached_property
    def new(self) -> list[str]:
        """The conjuncts that no earlier theorem is about."""
        known = {name for base in self.earlier() for name in base.conjuncts()}
        return [name for name in self.of.conjuncts() if name not in known]

    def earlier(self) -> Iterator[Any]:
        theorems, mine = self.subject.theorems, own(self.of)
        return (base for base in theorems if issubclass(self.of, base) and base is not mine)

    def goals(self, name: str) -> tuple[dict[str, z3.BoolRef], dict[str, z3.BoolRef]]:
        """The guards of a way, and what must hold where it is taken and after it.

        What its terms oblige to is a goal of the first theorem.
        """
        of, s = self.module, self.module.symbols()
        _, made = of.step(name, s)
        constants: set[str] = set()
        guards = {
            f"guard {i}": given(simple(each), f"guard_{i}", constants)
            for i, each in enumerate(made.guards, 1)
        }
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
        known = {**self.premises, **guards, **self.facts(name)}
        kept, goal, missing = cores(
            self.module, known, goals, self.hints(name), made=self.instances
        )
        if missing:
            raise NotEntailed(name, missing)
        needed = [each for premise in guards for each in kept.pop(premise, [])]
        return kept, z3.Implies(all_of(needed), goal)

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
        of, s = self.module, self.module.symbols()
        read = stated(of, name, s)
        described = {f"described {i}": each for i, each in enumerate(read.premises, 1)}
        firsts = of.first(s, read.firsts)
        described |= {f"first {i}": each for i, each in enumerate(firsts, 1)}
        premises = {**self.premises, **described, **self.facts(name, *read.sets)}
        goals = {name: opened(read.formula)}
        hints = [*self.hints(name)]
        terms = terms_of([*goals.values(), *hints], {sort.name: sort.z3 for sort in of.SORTS})
        hints += [
            function[term]
            for function in (*read.functions, *of.pointers(s))
            for term in terms[function.domain().name()]
        ]
        kept, goal, missing = cores(of, premises, goals, hints, made=self.instances)
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
                used.setdefault(premise, {}).update(
                    {formula.get_id(): formula for formula in formulas}
                )
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
        premises |= self.facts("")
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
        witnesses = self.subject.witnesses(self.of)
        reached, state = witnesses.get(name, witnesses[START])
        cited = {premise: premise.partition(" #")[0] for premise in premises if " #" in premise}
        cited |= {
            premise: theorem
            for base, theorem in reversed([*self.subject.theorems.items()])
            if base in self.earlier()
            for premise in premises
            if premise in base.conjuncts()
        }
        sized = partial(sizes.interpreted, reached)
        return VC(name, premises, goal, reached.in_state(state), sized, cited)


class Waits(Conditions):
    """Where a thread does not wait it can step, and where all wait or have ended, all have ended.

    The invariant is that of the theorem before.
    """

    def moves(self, label: str) -> VC:
        """A thread at the label that does not wait has a way whose guards hold."""
        of, s = self.module, self.module.symbols()
        mover = z3.Const("t!", of.WORDS.threads.z3)
        ways = [of.way(name) for name in of.LABELS.get(label, ())]
        free = z3.Or([z3.And(way.guards) for way in ways])
        here = z3.And(mover != of.WORDS.threads.null, of.at(s, mover, label))
        return self.shown(label, z3.Implies(z3.And(here, z3.Not(of.waits(s, mover))), free), {})

    def stopped(self, labels: Collection[str]) -> VC:
        """Where each thread waits or has ended, each has ended. ``labels``: as for `begin`."""
        self.covered(labels)
        of, s = self.module, self.module.symbols()
        (t,) = of.WORDS.threads.consts("thread")
        none = t == of.WORDS.threads.null
        over = z3.Or(none, of.at(s, t, "Done"))
        still = {STOPPED: z3.ForAll([t], z3.Or(over, of.waits(s, t)))}
        return self.shown(STOPPED, z3.ForAll([t], over), still | of.assumed(s))

    def shown(self, name: str, goal: z3.BoolRef, more: Mapping[str, z3.BoolRef]) -> VC:
        """That a goal follows. ProofError: it does not."""
        kept, made, missing = cores(
            self.module, {**self.premises, **more}, {name: goal}, self.hints("")
        )
        if missing:
            raise NotEntailed("moves", missing)
        premises = {each: z3.And(of) for each, of in kept.items()}
        reached, state = self.witness(name)
        cited = dict.fromkeys(
            set(premises) & set(self.of.conjuncts()), self.subject.theorems[self.of]
        )
        return VC(name, premises, made, reached.in_state(state), cites=cited)

    def witness(self, name: str) -> tuple[Reached, State]:
        """A reached state: one in which the label is taken, or one in which all threads ended."""
        witnesses = self.subject.witnesses(self.of)
        if name != STOPPED:
            return witnesses[name]
        reached, _ = witnesses[START]
        return reached, next(
            edge.move.after
            for edge in reached.edges()
            if not any(reached.model.successors(edge.frozen))
        )


def numbered(name: str, facts: Sequence[z3.BoolRef]) -> dict[str, z3.BoolRef]:
    """Facts for a way, a property or the start (""), by names of their own."""
    return {f"fact {number} of {name or START}": fact for number, fact in enumerate(facts, 1)}


def all_of(formulas: list[z3.BoolRef]) -> z3.BoolRef:
    """Their conjunction. SMT-LIB has no empty one."""
    return z3.And(formulas) if formulas else z3.BoolVal(True)
