"""The theorems of the whole timer: invariants of module SystemTimer, and their consequences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

import z3

from proofs.system_timer.dues import Dues
from proofs.system_timer.entries import Entries
from proofs.system_timer.module import THEORY as PROVED
from proofs.system_timer.module import Conditions as OfModule
from proofs.system_timer.module import module_digest
from proofs.system_timer.runs import NAME, system, witnesses
from proofs.system_timer.theory import OF_MODULE
from proofs.system_timer.view import ACTIONS
from proofs.system_timer.whole import (
    OF_ENTRIES,
    OF_QUEUE,
    KeptDues,
    KeptEntries,
    cited,
)
from proofs.system_timer.whole_planted import FAULTS
from wheelproof.prove.kernel import VC, Control, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.solvers import trusted
from wheelproof.prove.ts.instances import Instances, cores

SEEN = {
    "Timer.FiredOnce": "E1_to_E2",
    "Timer.RunsOncePerAdd": "E2_to_T0",
    "Timer.CancelWins": "X1_to_back",
    "Timer.NotEarly": "K2_to_back",
    "Timer.KeyBeforeDeadline": "R1_to_R2",
    "Timer.QueuedOnceWithItsKey": "R1_to_R2",
    "Timer.LatenessBound": "C1_to_T0",
}
"""A way that can be taken in the state which shows that a theorem's premises can hold."""

CALLS = ("entering_is_called", "calls_return", "kafka_is_elsewhere")
"""The conjuncts about the label that a procedure returns to: nearly every goal needs it."""


class Conditions(OfModule):
    """The conditions of an invariant of the module, and of each property that follows from it."""

    BASE: type = Entries
    KEEPS: type[KeptEntries] = KeptEntries

    @cached_property
    def simulation(self) -> KeptEntries:
        return self.KEEPS(system(self.old, self.new, self.BASE)())

    @cached_property
    def instances(self) -> Instances:
        return Instances(self.premises)

    @trusted()
    def proved(
        self,
        name: str,
        guards: Mapping[str, z3.BoolRef],
        goals: Mapping[str, z3.BoolRef],
        premises: Mapping[str, z3.BoolRef],
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """As in the base class. A goal is tried with itself alone first, then with its like."""
        simulation = self.simulation
        pool = {**premises, **simulation.instances(name), **guards}
        near = {premise: f for premise, f in pool.items() if not premise.startswith("proof ")}
        table: dict[str, dict[int, z3.BoolRef]] = {}
        conclusions, missing = [], []
        for goal_name, goal in goals.items():
            first = {goal_name, *guards, *CALLS}
            alone = {premise: formula for premise, formula in pool.items() if premise in first}
            for candidates in alone, near, pool:
                by_premise, conclusion, failures = cores(
                    simulation.module,
                    candidates,
                    {goal_name: goal},
                    simulation.terms(name),
                    (),
                    self.instances,
                )
                if not failures:
                    break
            missing += failures
            conclusions.append(conclusion)
            for premise, formulas in by_premise.items():
                table.setdefault(premise, {}).update(
                    {formula.get_id(): formula for formula in formulas}
                )
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        return {premise: [*formulas.values()] for premise, formulas in table.items()}, z3.And(
            conclusions
        )

    def start(self) -> VC:
        """The conjuncts hold where Init does."""
        simulation = self.simulation
        givens = {f"given {i}": f for i, f in enumerate(simulation.module.given(simulation.s), 1)}
        start = {
            f"initially {i}": f for i, f in enumerate(simulation.module.initially(simulation.s), 1)
        }
        goals = {
            name: simple(simulation.module.formula(name, simulation.s)) for name in simulation.OWN
        }
        by_premise, goal = self.proved("start", {}, goals, givens | start)
        conjunctions = {premise: z3.And(parts) for premise, parts in by_premise.items()}
        witness = witnesses(self.BASE)["T0_to_A1"]
        return VC(
            "start",
            conjunctions,
            goal,
            witness.in_state(witness.start),
            cites=self.cites(conjunctions),
        )

    def safe(self, name: str) -> VC:
        """A property follows from the invariant."""
        simulation = self.simulation
        goals = {name: simple(simulation.module.formula(name, simulation.s))}
        pool = {
            premise: formula
            for premise, formula in self.premises.items()
            if premise not in OF_ENTRIES or premise in OF_QUEUE.get(name, OF_ENTRIES)
        }
        by_premise, goal = self.proved(name, {}, goals, pool)
        conjunctions = {premise: z3.And(parts) for premise, parts in by_premise.items()}
        way = SEEN[simulation.module.safety()[name].theorem]
        witness = witnesses(self.BASE)[way]
        vivid = witness.in_state(witness.taken[way][0])
        return VC(name, conjunctions, goal, vivid, cites=cited(conjunctions, ()))

    def cites(self, premises: Mapping[str, z3.BoolRef]) -> dict[str, str]:
        return cited(premises, self.simulation.OWN)


class ConditionsOfDues(Conditions):
    """The same, of the corrected timer's keys and deadlines."""

    BASE, KEEPS = Dues, KeptDues


OF, OF_DUES = Conditions(), ConditionsOfDues()
THEORY = Theory("protocols.system_timer_whole_module", mechanism=NAME, after=(PROVED,))
READ = f"module SystemTimer, as SANY has read it (SHA-256 {module_digest()})"


def invariant(
    name: str,
    says: str,
    conditions: Conditions,
    rests_on: tuple[str, ...],
    assumes: tuple[str, ...],
) -> None:
    """Register an invariant of the module as a lemma: the start, and each label."""
    THEORY.theorem(
        name,
        f"{says} of {READ}: it holds at the start, and each step of each label keeps it",
        [
            LateVC("start", conditions.start),
            *[LateVC(action, partial(conditions.step, action)) for action in ACTIONS],
        ],
        is_lemma=True,
        rests_on=rests_on,
        assumes=(*ATOMIC, *assumes),
        profile="nightly",
    )


def follows(
    conditions: Conditions, name: str, rests_on: tuple[str, ...], assumes: tuple[str, ...]
) -> None:
    """Register a theorem: the properties of this name, which an invariant implies."""
    properties = {key: f for key, f in Dues.safety().items() if f.theorem == name}
    THEORY.theorem(
        name,
        " ".join(formula.says for formula in properties.values()),
        [LateVC(key, partial(conditions.safe, key)) for key in properties],
        [
            Control(fault.name, fault.says, fault.find, "trace")
            for fault in FAULTS
            if name == f"Timer.{fault.property}"
        ],
        rests_on=rests_on,
        assumes=(*ATOMIC, *assumes),
        profile="nightly",
    )


EITHER = OF_MODULE
CORRECTED = (*OF_MODULE, "A-HEAP", "A-REAPER")
invariant(
    "Inv.Entries",
    "the invariant of entries, with Kafka's timer and the corrected one,",
    OF,
    ("divmod", "mono", "dist", "zero_one", "comm", "quotient_unique", "T1"),
    EITHER,
)
for theorem in ("Timer.FiredOnce", "Timer.RunsOncePerAdd", "Timer.CancelWins"):
    follows(OF, theorem, ("Inv.Entries",), EITHER)
invariant(
    "Inv.Dues",
    "the invariant of keys and deadlines, with the corrected timer,",
    OF_DUES,
    (
        *("Inv.Entries", "Spec.SystemTimer", "P10", "zero_one", "comm", "quotient_unique"),
        *("from_zero", "trimmed", "T5-advance", "T8", "T17-clock"),
    ),
    CORRECTED,
)
follows(OF_DUES, "Timer.NotEarly", ("Inv.Dues",), CORRECTED)
follows(OF_DUES, "Timer.KeyBeforeDeadline", ("Inv.Dues", "Inv.Entries", "trimmed"), CORRECTED)
follows(
    OF_DUES,
    "Timer.QueuedOnceWithItsKey",
    ("Inv.Dues", "Inv.Entries", "Spec.SystemTimer"),
    CORRECTED,
)
follows(
    OF_DUES,
    "Timer.LatenessBound",
    ("Inv.Dues", "Spec.SystemTimer", "from_zero"),
    CORRECTED,
)
