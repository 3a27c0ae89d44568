"""A module whose invariant is proved of itself: its systems, its small runs, and its theorems.

A mechanism gives names, a vocabulary and conjuncts. Scenarios are those of its declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any

import z3

from wheelproof.project.mechanism import Mechanism
from wheelproof.prove import variants
from wheelproof.prove.invariant import conditions as own_invariant
from wheelproof.prove.invariant import planted as own_planted
from wheelproof.prove.invariant.runs import START, Reached, violated
from wheelproof.prove.kernel import VC, Found, ProofError, Theorem, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module import systems
from wheelproof.prove.module.shapes import Vocabulary, Words
from wheelproof.prove.module.starts import starts
from wheelproof.prove.module.states import Placed
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.prove.ts.instances import cores
from wheelproof.prove.variants import Changes
from wheelproof.tla.model import Compiled as Specification

STOPPED = "no thread can step"
SUBJECTS: dict[type[Own], Subject] = {}
"""The subject of each system."""


class Own(Generated):
    """The generated system of a module, and what its conjuncts speak of."""

    def initially(self, s: Any) -> list[z3.BoolRef]:
        """What Init says."""
        return starts(self, s, self.WORDS.unread)

    def at(self, s: Any, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
        """The thread is at one of these labels."""
        return z3.Or([s.pc[t] == self.label(each) for each in labels])

    def label(self, name: str) -> z3.ExprRef:
        words = self.WORDS.variables["pc"]
        assert isinstance(words, Words)
        value = words.value(name)
        assert value is not None, name
        return value

    def waits(self, s: Any, t: z3.ExprRef) -> z3.BoolRef:
        """The thread waits: its label has no step for it."""
        raise NotImplementedError

    def assumed(self, s: Any) -> dict[str, z3.BoolRef]:
        """What is assumed of programs, by the assumption, where no thread can step."""
        return {}


@dataclass(frozen=True, eq=False)
class Subject:
    """A module, and how it is proved.

    ``name``: its mechanism. ``theorems``: each system's theorem, the earlier ones first.
    ``words``: may have variables of modules without a decision.
    ``scenarios``: of the mechanism, those in which every label is taken. ``ghosts``: values at the
    start of what a system has beside the module's variables. ``rigid``: a scenario -> the values of
    a system's further constants. ``sizes``: a scenario -> elements of further sorts. ``hints``: the
    system and a way -> terms that conjuncts are taken at. ``facts``: the same -> instances of
    theorems, by "theorem #number".
    """

    name: str
    words: Vocabulary
    theorems: Mapping[type[Own], str]
    scenarios: Sequence[str]
    ghosts: Mapping[str, Any] = field(default_factory=dict)
    rigid: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _: {}
    sizes: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _: {}
    hints: Callable[[Own, str], Sequence[z3.ExprRef]] = lambda *_: ()
    facts: Callable[[Own, str], Mapping[str, z3.BoolRef]] = lambda *_: {}

    def __post_init__(self) -> None:
        SUBJECTS.update(dict.fromkeys(self.theorems, self))
        for name in ("specification", "system", "compiled", "witnesses"):
            object.__setattr__(self, name, cache(getattr(self, name)))

    @property
    def mechanism(self) -> Mechanism:
        return variants.mechanisms()[self.name]

    @property
    def last(self) -> type[Own]:
        """The system with all conjuncts."""
        return [*self.theorems][-1]

    def specification(self, changes: Changes | str = ()) -> Specification:
        """The module, compiled. ``changes``: texts, or the name of a decision that it lacks."""
        if isinstance(changes, str):
            return self.mechanism.without(changes).compiled
        return variants.specification(self.name, changes)

    def system(self, of: type[Own], changes: Changes | str = ()) -> type[Own]:
        """The module's system, with the ghosts and conjuncts of ``of``."""
        module = self.specification(changes).module
        own = {n: shape for n, shape in self.words.variables.items() if n in module.variables}
        words = replace(self.words, variables=own)
        found = systems.made(f"{module.name}Module", module, words, of)
        assert issubclass(found, Own)
        return found

    def compiled(self, of: type[Own], changes: Changes | str = ()) -> Compiled:
        return Compiled(self.system(of, changes)())

    def placed(
        self, program: Mapping[str, Any], of: type[Own], changes: Changes | str = ()
    ) -> Placed:
        """The system at a scenario's size. ValueError: the scenario is assumed away."""
        constants = self.mechanism.constants_of(program)
        model = self.specification(changes).model(constants, tuple(program["threads"]))
        rigid = {name: of_ for name, of_ in self.rigid(program).items() if name in of.RIGID}
        return Placed(self.compiled(of, changes), model, constants, self.sizes(program), **rigid)

    def reached(
        self,
        program: Mapping[str, Any],
        of: type[Own],
        changes: Changes | str = (),
        bound: int = 20_000,
    ) -> Reached:
        """The states of the compiled module in a scenario, with the ghosts."""
        ghosts = {name: start for name, start in self.ghosts.items() if name in of.VARIABLES}
        return Reached(self.placed(program, of, changes), ghosts, bound)

    def witnesses(self, of: type[Own]) -> dict[str, tuple[Reached, State]]:
        """For each label a scenario, and in it a state, in which it is taken; and a start."""
        found: dict[str, tuple[Reached, State]] = {}
        for name in self.scenarios:
            run = self.reached(self.mechanism.scenarios[name], of)
            found.setdefault(START, (run, run.start))
            for edge in run.edges():
                found.setdefault(edge.label, (run, edge.before))
        return found

    def submit(
        self,
        theory: Theory,
        of: type[Own],
        says: str,
        faults: Sequence[Fault],
        assumes: Sequence[str] = (),
        rests_on: Sequence[str] = (),
        moves: str = "",
        moves_assume: Sequence[str] = (),
    ) -> list[Theorem]:
        """Register the theorem of a system.

        ``rests_on``: the theorems of whose statements it has instances. ``moves``: the name of the
        one about waits, if there is one, which assumes ``moves_assume`` beside ``assumes``.
        """
        conditions, labels = Conditions(self, of), self.labels
        found = [
            theory.theorem(
                self.theorems[of],
                says,
                [
                    LateVC(START, partial(conditions.begin, labels)),
                    *[LateVC(each, partial(conditions.step, each)) for each in labels],
                ],
                [each.control() for each in faults if each.of is of and not each.stops],
                rests_on=[*[self.theorems[base] for base in conditions.earlier()], *rests_on],
                assumes=(*ATOMIC, *assumes),
                profile="nightly",
            )
        ]
        if moves:
            waits = Waits(self, of)
            found.append(
                theory.theorem(
                    moves,
                    f"NoDeadlock of module {self.mechanism.module}: where no thread "
                    "can step, all have ended",
                    [
                        LateVC(STOPPED, partial(waits.stopped, labels)),
                        *[LateVC(each, partial(waits.moves, each)) for each in labels],
                    ],
                    [each.control() for each in faults if each.of is of and each.stops],
                    rests_on=[self.theorems[of]],
                    assumes=(*ATOMIC, *assumes, *moves_assume),
                    profile="nightly",
                )
            )
        return found

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.mechanism.labels)

    @property
    def read(self) -> str:
        """How a theorem names the module."""
        digest = own_invariant.digest(self.name)
        return f"of module {self.mechanism.module}, as SANY has read it (SHA-256 {digest})"


class Conditions(own_invariant.Conditions):
    """Those of a subject's system. ``without``: conjuncts that are no premise."""

    def __init__(
        self,
        subject: Subject,
        of: type[Own],
        changes: Changes | str = (),
        without: Sequence[str] = (),
    ) -> None:
        super().__init__(of, ())
        self.subject, self.THEOREMS = subject, subject.theorems
        self.changed, self.without = changes, without

    def system(self) -> type[Own]:
        return self.subject.system(self.of, self.changed)

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        s = self.module.symbols()
        given = {f"given {i}": each for i, each in enumerate(self.module.given(s), 1)}
        known = self.module.invariant(s)
        return given | {name: each for name, each in known.items() if name not in self.without}

    def begin(self, labels: Collection[str]) -> VC:
        """The start. ``labels``: those that the theorem's other conditions are about."""
        self.covered(labels)
        return self.start()

    def covered(self, labels: Collection[str]) -> None:
        """ProofError: a label of the module is in no condition."""
        if missing := [each for each in self.module.LABELS if each not in labels]:
            raise ProofError(f"{self.subject.name}: no condition is about {', '.join(missing)}")

    def lemmas(self, name: str) -> Mapping[str, z3.BoolRef]:
        assert isinstance(self.module, Own)
        return self.subject.facts(self.module, name)

    def way(self, name: str) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """As in the base class, with the facts that the way needs."""
        guards, goals = self.goals(name)
        known = {**self.premises, **self.lemmas(name), **guards}
        made = self.instances.beside(known)
        kept, goal, missing = cores(self.module, known, goals, self.hints(name), made=made)
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        needed = [each for premise in guards for each in kept.pop(premise, [])]
        return kept, z3.Implies(own_invariant.all_of(needed), goal)

    def condition(self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef) -> VC:
        made = super().condition(name, premises, goal)
        facts = {each: each.partition(" #")[0] for each in premises if " #" in each}
        return replace(made, cites={**made.cites, **facts})

    def witnesses(self) -> Mapping[str, tuple[Reached, State]]:
        return self.subject.witnesses(self.of)

    def hints(self, name: str) -> Sequence[z3.ExprRef]:
        assert isinstance(self.module, Own)
        return self.subject.hints(self.module, name)


class Waits(Conditions):
    """Where a thread does not wait it can step, and where all wait or have ended, all have ended.

    The invariant is that of the theorem before.
    """

    def moves(self, label: str) -> VC:
        """A thread at the label that does not wait has a way whose guards hold."""
        of, s = self.module, self.module.symbols()
        assert isinstance(of, Own)
        mover = z3.Const("t!", of.WORDS.threads.z3)
        ways = [of.way(name) for name in of.LABELS.get(label, ())]
        free = z3.Or([z3.And(way.guards) for way in ways])
        here = z3.And(mover != of.WORDS.threads.null, of.at(s, mover, label))
        return self.shown(label, z3.Implies(z3.And(here, z3.Not(of.waits(s, mover))), free), {})

    def stopped(self, labels: Collection[str]) -> VC:
        """Where each thread waits or has ended, each has ended. ``labels``: as for `begin`."""
        self.covered(labels)
        of, s = self.module, self.module.symbols()
        assert isinstance(of, Own)
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
            raise ProofError(f"moves: {name} does not follow")
        premises = {each: z3.And(of) for each, of in kept.items()}
        reached, state = self.witness(name)
        cited = dict.fromkeys(
            set(premises) & set(self.of.conjuncts()), self.subject.theorems[self.of]
        )
        return VC(name, premises, made, reached.in_state(state), cites=cited)

    def witness(self, name: str) -> tuple[Reached, State]:
        """A reached state: one in which the label is taken, or one in which all threads ended."""
        found = self.witnesses()
        if name != STOPPED:
            return found[name]
        reached, _ = found[START]
        return reached, next(
            edge.move.after
            for edge in reached.edges()
            if not any(reached.model.successors(edge.frozen))
        )


@dataclass(frozen=True)
class Fault(own_planted.Planted):
    """A fault in a subject's module. ``changes``: texts, or the decision that is left out.

    ``stops``: the module keeps its invariant, and has a state in which no thread can step.
    """

    changes: Changes | str  # type: ignore[assignment]
    stops: bool = False

    def reached(self) -> Reached:
        return SUBJECTS[self.of].reached(self.program, self.of, self.changes)

    def find(self, _seed: int = 0) -> Found:
        if not self.stops:
            return super().find()
        reached = self.reached()
        if (judged := stopped_at(reached)) is None:
            return Found("unsat", "every thread that does not wait can step")
        if judged != self.goal:
            return Found("sat", judged, f"{self.goal} was to fail first")
        return Found("sat", judged, violated(reached, self.property))


def stopped_at(reached: Reached) -> str | None:
    """The label of a thread that can not step and does not wait; None for none."""
    system, threads = reached.system, reached.model.threads
    assert isinstance(system, Own)
    mover = z3.Const("t!", system.WORDS.threads.z3)
    compiled = reached.instance.compiled
    code = compiled.code(system.waits(system.symbols(), mover), ("t",))
    waits = reached.instance.function(code)
    labels = system.WORDS.variables["pc"]
    assert isinstance(labels, Words)
    names = {called: name for name, called in labels.called.items()}
    for edge in reached.edges():
        places = reached.placed.values(edge.frozen)["pc"]
        moving = {thread for thread, _, _ in reached.model.successors(edge.frozen)}
        for number, thread in enumerate(threads):
            label = names[places[thread]]
            still = number not in moving and label != "Done"
            if still and not waits(edge.move.after, number):
                return label
    return None
