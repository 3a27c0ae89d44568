"""Theorems about module Controller itself: an invariant that each step of each label keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import z3

from proofs.kernel import VC, ProofError, Theory
from proofs.protocols import mutated
from proofs.protocols.controller_elected import Elected, Fenced
from proofs.protocols.controller_epochs import Epochs
from proofs.protocols.controller_planted import FAULTS
from proofs.protocols.controller_runs import START, system, witnesses
from proofs.protocols.controller_words import LABELS, NAME
from proofs.protocols.mutated import Changes
from proofs.protocols.theory import ATOMIC, LateVC
from proofs.protocols.timer_task_list_simulation import simple
from proofs.ts_instances import Instances, cores
from wheelproof.tla import export

THEOREMS: dict[type[Epochs], str] = {
    Epochs: "Spec.ControllerEpochs",
    Fenced: "Spec.ControllerFence",
    Elected: "Spec.Controller",
}
"""Each system's theorem. A later one has the conjuncts of those before it as premises."""


class Conditions:
    """The verification conditions of one system: the start, and one for each label.

    ``changes``: texts of the module's translation with what stands for them.
    """

    def __init__(self, of: Any = Elected, changes: Changes = ()) -> None:
        self.of, self.changes = of, changes

    @cached_property
    def module(self) -> Epochs:
        return system(self.of, self.changes)()

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

    def earlier(self) -> Iterator[type[Epochs]]:
        return (base for base in THEOREMS if issubclass(self.of, base) and base is not self.of)

    def goals(self, name: str) -> tuple[dict[str, z3.BoolRef], dict[str, z3.BoolRef]]:
        """The guards of a way, and what must hold where it is taken and after it."""
        of, s = self.module, self.module.symbols()
        _, made = of.step(name, s)
        guards = {f"guard {i}": simple(each) for i, each in enumerate(made.guards, 1)}
        obliged = of.obligations(name) if self.of is Epochs else []
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
        kept, goal, missing = cores(
            self.module, self.premises | guards, goals, self.hints(), made=self.instances
        )
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        needed = [each for premise in guards for each in kept.pop(premise, [])]
        return kept, z3.Implies(all_of(needed), goal)

    def hints(self) -> list[z3.ExprRef]:
        """Terms that conjuncts are taken at: the operation that a thread is in, the next epoch."""
        s = self.module.symbols()
        threads = z3.Consts("t! any_Broker_1", self.module.WORDS.threads.z3)
        return [s.turn[each] - 1 for each in threads]

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
        goals = {name: of.formula(name, s) for name in self.new}
        kept, goal, missing = cores(of, premises, goals)
        if missing:
            raise ProofError(f"start: {', '.join(missing)} does not follow")
        used = {name: z3.And(parts) for name, parts in kept.items()}
        return self.condition("start", used, goal)

    def condition(self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef) -> VC:
        """A condition whose premises hold in a reached state: where its label is taken, if it is.

        What an earlier theorem is about is cited, as the first one that has it.
        """
        found = witnesses(self.of)
        reached, state = found.get(name, found[START])
        cited = {
            each: theorem
            for base, theorem in reversed(THEOREMS.items())
            if base in self.earlier()
            for each in premises
            if each in base.conjuncts()
        }
        return VC(name, premises, goal, reached.in_state(state), cites=cited)


def all_of(formulas: list[z3.BoolRef]) -> z3.BoolRef:
    """Their conjunction. SMT-LIB has no empty one."""
    return z3.And(formulas) if formulas else z3.BoolVal(True)


def module_digest() -> str:
    """The start of the SHA-256 of the module's text without comments."""
    source = export.source(mutated.mechanisms()[NAME].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]


READ = f"of module Controller, as SANY has read it (SHA-256 {module_digest()})"
THEORY = Theory("protocols.controller_module", mechanism=NAME)


def submit(of: type[Epochs], says: str, assumes: tuple[str, ...]) -> None:
    """Register the theorem of a system."""
    conditions, name = Conditions(of), THEOREMS[of]
    THEORY.theorem(
        name,
        says,
        [
            LateVC(START, conditions.start),
            *[LateVC(label, partial(conditions.step, label)) for label in LABELS],
        ],
        [each.control() for each in FAULTS if each.of is of],
        rests_on=[THEOREMS[base] for base in conditions.earlier()],
        assumes=(*ATOMIC, "A-PROGRAM", *assumes),
        profile="nightly",
    )


submit(
    Epochs,
    f"In each state {READ}, whatever the electors are: EpochIncreases, NoLostUpdate and "
    "ActOnlyIfActive. Each epoch that a broker has, or a late server, was /controller_epoch with "
    "its version. What a broker knows of the partition is older than what there is, or the same.",
    ("A-FIRST",),
)
submit(
    Fenced,
    f"FencedWrites in each state {READ}, where every elector is that of 2.1.0 on.",
    ("A-ELECTOR", "A-FIRST"),
)
submit(
    Elected,
    f"OneController, DeletesOwnNode and NoPhantom in each state {READ}, where every elector is "
    "that of 2.1.0 on. /controller goes with the living session of the broker that has the last "
    "epoch. Who takes itself for the controller was elected.",
    ("A-CONNECT", "A-ELECTOR", "A-END", "A-FIRST", "A-WRITTEN"),
)
