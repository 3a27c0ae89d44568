"""A mechanism whose invariant is proved of its module: systems, small runs, and the theorems.

A mechanism gives names, a vocabulary and conjuncts. All else is here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import z3

from wheelproof.project.mechanism import Mechanism
from wheelproof.prove import variants
from wheelproof.prove.invariant.conditions import STOPPED, Conditions, Waits
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.invariant.runs import START, Reached, Scheduled
from wheelproof.prove.invariant.system import SUBJECTS, Invariant
from wheelproof.prove.kernel import Theorem, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module import systems
from wheelproof.prove.module.shapes import Vocabulary
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.prove.ts.extremes import Determined
from wheelproof.prove.ts.system import WHOLE
from wheelproof.prove.variants import Changes
from wheelproof.tla import export
from wheelproof.tla.model import Compiled as Specification

Program = Mapping[str, Any]
"""A scenario as plain data."""


class Here(Placed):
    """A system at a scenario's size. A place that a step determines is computed."""

    INSTANCE = Determined


def numbers(program: Program) -> dict[str, Any]:
    """The numbers up to a few more than threads and their operations."""
    threads = program["threads"]
    return {WHOLE.name: range(max(len(threads), *map(len, threads.values())) + 3)}


@dataclass(frozen=True, eq=False)
class Subject:
    """A module, and how it is proved.

    ``name``: its mechanism. ``words``: may have variables of modules without a decision.
    ``theorems``: each system's theorem, the earlier ones first. ``scenarios``: those in which every
    label is taken, by name or as data. ``ghosts``: variables of a system beside the module's, with
    values at the start, or functions that give them for a scenario. ``rigid``: a scenario -> the
    values of a system's further constants. ``sizes``: a scenario -> elements of further sorts. For
    a way, a property, or "" for the start: ``hints``: terms that conjuncts are taken at; ``facts``:
    premises by name, an instance of a theorem by "theorem #number"; of a property these get the
    sets that it describes too. ``properties``: those that follow from the last system. ``near``: of
    many conjuncts those that a goal is tried from first: a goal, or "" for each -> the conjuncts
    beside itself. ``placing``: how a system is placed in a scenario.
    """

    name: str
    words: Vocabulary
    theorems: Mapping[type[Invariant], str]
    scenarios: Sequence[str | Program]
    ghosts: Mapping[str, Any] = field(default_factory=dict)
    rigid: Callable[[Program], Mapping[str, Any]] = lambda _: {}
    sizes: Callable[[Program], Mapping[str, Any]] = lambda _: {}
    hints: Callable[[Any, str], Sequence[z3.ExprRef]] = lambda *_: ()
    facts: Callable[..., Mapping[str, z3.BoolRef]] = lambda *_: {}
    properties: Sequence[str] = ()
    near: Mapping[str, Collection[str]] = field(default_factory=dict)
    placing: type[Placed] = Here

    def __post_init__(self) -> None:
        SUBJECTS.update(dict.fromkeys(self.theorems, self))
        for name in ("specification", "system", "compiled", "witnesses"):
            object.__setattr__(self, name, cache(getattr(self, name)))

    @property
    def mechanism(self) -> Mechanism:
        return variants.mechanisms()[self.name]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.mechanism.labels)

    @property
    def last(self) -> type[Invariant]:
        """The system with all conjuncts."""
        return [*self.theorems][-1]

    @property
    def read(self) -> str:
        """How a theorem names the module."""
        return (
            f"of module {self.mechanism.module}, as SANY has read it (SHA-256 {digest(self.name)})"
        )

    def specification(self, changes: Changes | str = ()) -> Specification:
        """The module, compiled. ``changes``: texts, or the name of a decision that it lacks."""
        if isinstance(changes, str):
            return variants.specification(self.name, decision=changes)
        return variants.specification(self.name, changes)

    def system(self, base: type[Invariant], changes: Changes | str = ()) -> type[Invariant]:
        """The module's system, with the ghosts and conjuncts of ``base``."""
        module = self.specification(changes).module
        variables = {n: shape for n, shape in self.words.variables.items() if n in module.variables}
        words = replace(self.words, variables=variables)
        system = systems.made(f"{module.name}Module", module, words, base)
        assert issubclass(system, Invariant)
        return system

    def compiled(self, invariant: type[Invariant], changes: Changes | str = ()) -> Compiled:
        return Compiled(self.system(invariant, changes)())

    def placed(
        self, program: Program, base: type[Invariant] | None = None, changes: Changes | str = ()
    ) -> Placed:
        """The system at a scenario's size. ValueError: the scenario is assumed away."""
        base = base or self.last
        constants = self.mechanism.constants_of(program)
        model = self.specification(changes).model(constants, tuple(program["threads"]))
        rigid = {name: value for name, value in self.rigid(program).items() if name in base.RIGID}
        return self.placing(
            self.compiled(base, changes), model, constants, self.sizes(program), **rigid
        )

    def reached(
        self,
        program: Program,
        invariant: type[Invariant] | None = None,
        changes: Changes | str = (),
        bound: int = 20_000,
        schedule: Sequence[str] = (),
    ) -> Reached:
        """The states of the compiled module in a scenario, with the ghosts.

        ``schedule``: those of one run alone, by the thread that takes each step.
        """
        placement = self.placed(program, invariant, changes)
        ghosts = {
            name: start(program) if callable(start) else start
            for name, start in self.ghosts.items()
            if name in placement.system.VARIABLES
        }
        if not schedule:
            return Reached(placement, ghosts, bound)
        exploration = Scheduled(placement, ghosts, bound)
        exploration.schedule = schedule
        return exploration

    def small(self, invariant: type[Invariant]) -> Sequence[Program]:
        """The scenarios in which every label of a system is taken."""
        scenarios = self.mechanism.scenarios
        return [
            scenarios[scenario] if isinstance(scenario, str) else scenario
            for scenario in self.scenarios
        ]

    def witnesses(self, invariant: type[Invariant]) -> dict[str, tuple[Reached, State]]:
        """For each label a scenario, and in it a state, in which it is taken; and a start."""
        witnesses: dict[str, tuple[Reached, State]] = {}
        for program in self.small(invariant):
            run = self.reached(program, invariant)
            witnesses.setdefault(START, (run, run.start))
            for edge in run.edges():
                witnesses.setdefault(edge.label, (run, edge.before))
        return witnesses

    def submit(
        self,
        theory: Theory,
        invariant: type[Invariant],
        says: str,
        faults: Sequence[Fault],
        assumes: Sequence[str] = (),
        rests_on: Sequence[str] = (),
        moves: str = "",
        moves_assume: Sequence[str] = (),
        grain: Sequence[str] = ATOMIC,
        profile: str = "nightly",
    ) -> list[Theorem]:
        """Register the theorem of a system, with the properties if it is the last one.

        ``rests_on``: the theorems of whose statements it has instances. ``moves``: the name of the
        one about waits, if there is one, which assumes ``moves_assume`` beside ``assumes``.
        ``grain``: the assumptions about memory and steps.
        """
        conditions, labels = Conditions(self, invariant), self.labels
        properties = self.properties if invariant is self.last else ()
        theorems = [
            theory.theorem(
                self.theorems[invariant],
                says,
                [
                    LateVC(START, partial(conditions.begin, labels)),
                    *[LateVC(label, partial(conditions.step, label)) for label in labels],
                    *[LateVC(name, partial(conditions.follows, name)) for name in properties],
                ],
                [
                    fault.control()
                    for fault in faults
                    if fault.theorem() is invariant and not fault.stops
                ],
                rests_on=[*[self.theorems[base] for base in conditions.earlier()], *rests_on],
                assumes=(*grain, *assumes),
                profile=profile,
            )
        ]
        if moves:
            waits = Waits(self, invariant)
            theorems.append(
                theory.theorem(
                    moves,
                    f"NoDeadlock of module {self.mechanism.module}: where no thread "
                    "can step, all have ended",
                    [
                        LateVC(STOPPED, partial(waits.stopped, labels)),
                        *[LateVC(label, partial(waits.moves, label)) for label in labels],
                    ],
                    [
                        fault.control()
                        for fault in faults
                        if fault.theorem() is invariant and fault.stops
                    ],
                    rests_on=[self.theorems[invariant]],
                    assumes=(*grain, *assumes, *moves_assume),
                    profile=profile,
                )
            )
        return theorems


def digest(name: str) -> str:
    """The start of the SHA-256 of a module's text without comments."""
    source = export.source(variants.mechanisms()[name].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]
