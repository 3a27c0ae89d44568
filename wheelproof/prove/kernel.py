"""Theorems: their verification conditions, their controls, and the order of their uses.

A `VC` is a formula that must be unsatisfiable: named premises, and the negation of a goal. A
`Theorem` is a list of VCs with controls: mutants of it in which one thing is wrong, each of which
must have a counterexample. A `Theory` registers theorems; one may rest only on those that are
registered before it, so that no chain of uses closes.

A module states its own VCs like this, on Z3 terms of any sorts (both solvers get SMT-LIB texts, so
nested arrays or functions, no arrays with several indices):

    THEORY = Theory("some_protocol", mechanism="some_mechanism", after=())
    THEORY.theorem(
        "P0",
        "a sentence",
        vcs=[
            VC("init", {"Init": formula}, goal),
            VC("take keeps Mutex", {...}, goal),
        ],
        controls=[
            refuted(VC("without the lock: take keeps Mutex", {...}, goal), "no guard", replay),
        ],
                   assumes=("A-SC",))

where ``replay(model)`` computes in plain Python, from a Z3 model, whether the premises hold and the
goal fails there: "" or the contradiction. A control whose counterexample comes from a search of its
own (a trace from Init) is a `Control` with its own ``find``. `Theory.check` does all that
``evidence`` lists for every VC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import z3

from wheelproof.errors import Misused
from wheelproof.prove import evidence, second, solvers


class ProofError(Misused):
    """A theorem that is not put together as it must be. The message has its name and remedy."""


@dataclass(frozen=True)
class VC:
    """One verification condition: ``premises`` (by name) entail ``goal``.

    ``vivid``: more constraints for the model that shows the premises satisfiable, so that it is no
    trivial one (a tick above 1, two threads). ``meaning``: the meaning of the uninterpreted
    functions, put in their place for that model (see ``arithmetic``). ``cites``: which premises are
    another theorem's statement: the premise's name -> the theorem's.
    """

    name: str
    premises: Mapping[str, z3.BoolRef]
    goal: z3.BoolRef
    vivid: Sequence[z3.BoolRef] = ()
    meaning: Callable[[z3.BoolRef], z3.BoolRef] | None = None
    cites: Mapping[str, str] = field(default_factory=dict)

    def interpreted(self, formula: z3.BoolRef) -> z3.BoolRef:
        """The formula with every function given its meaning."""
        return self.meaning(formula) if self.meaning else formula

    def search(self) -> bool:
        """It has all of its premises, and none to search for."""
        return False


class Obligation(Protocol):
    """A verification condition as its evidence reads it: a `VC`, or one that is made when read."""

    @property
    def name(self) -> str: ...

    @property
    def premises(self) -> Mapping[str, z3.BoolRef]: ...

    @property
    def goal(self) -> z3.BoolRef: ...

    @property
    def vivid(self) -> Sequence[z3.BoolRef]: ...

    @property
    def cites(self) -> Mapping[str, str]: ...

    def interpreted(self, formula: z3.BoolRef) -> z3.BoolRef: ...

    def search(self) -> bool:
        """Have premises of a search from now on; False where they are such, or all, already."""


@dataclass(frozen=True)
class Found:
    """The outcome of the search for a control's counterexample.

    ``verdict``: "sat", "unsat" or "unknown"; ``witness``: the counterexample in words;
    ``contradiction``: "" where plain Python confirms it, else the part that does not fit.
    """

    verdict: str
    witness: str = ""
    contradiction: str = ""
    second: str = ""


@dataclass(frozen=True)
class Control:
    """A mutant of the theorem with one thing wrong, which must be refuted.

    ``find(seed)`` looks for its counterexample.

    ``kind``: "counterexample" (falsifies the mutant as it stands), "trace" (from the initial
    state), or "cti" (a counterexample to induction only: its state may not be reachable).
    """

    name: str
    says: str
    find: Callable[[int], Found]
    kind: str = "counterexample"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ProofError(
                f"The control {self.name!r} is of kind {self.kind!r}. Known: {', '.join(KINDS)}."
            )


KINDS = ("counterexample", "trace", "cti")

PROFILES = ("", "fast", "nightly")
"""From which profile on a theorem has certificates: never, always, by night."""


def refuted(
    vc: VC, says: str, replay: Callable[[z3.ModelRef], str], kind: str = "counterexample"
) -> Control:
    """The control that a VC is: Z3 finds a model, cvc5 agrees, ``replay`` confirms it."""

    def find(seed: int) -> Found:
        formulas = [
            *map(vc.interpreted, vc.premises.values()),
            *vc.vivid,
            z3.Not(vc.interpreted(vc.goal)),
        ]
        verdict, model = solvers.model(solvers.smt_lib(formulas), seed)
        if model is None:
            return Found(verdict)
        clauses = {str(number): formula for number, formula in enumerate(formulas)}
        opinion = solvers.second_opinion(second.script(clauses, whole=True))
        return Found(verdict, solvers.shown(model), replay(model), opinion)

    return Control(vc.name, says, find, kind)


@dataclass(frozen=True)
class Theorem:
    """A named statement with its VCs.

    ``is_lemma``: a step towards others, which needs no control of its own.

    ``rests_on``: the theorems that its VCs cite as premises. Each such link is controlled: without
    these premises some VC must fail.

    ``hypotheses``: names of premises which are the statement's own; one that no VC's unsat core has
    is reported as unused. ``system``: the transition system that it is about, by name; ``enabled``:
    it is about actions that can be taken, not only about states.

    ``certified``: the profile from which on cvc5's proof of each condition is checked by a program
    of its own; "" for never.
    """

    name: str
    says: str
    vcs: tuple[Obligation, ...]
    controls: tuple[Control, ...] = ()
    rests_on: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    hypotheses: tuple[str, ...] = ()
    is_lemma: bool = False
    mechanism: str = ""
    theory: str = ""
    profile: str = "fast"
    system: str = ""
    enabled: bool = False
    certified: str = ""

    @property
    def conditions(self) -> dict[str, int]:
        """Name of a verification condition, such as a label, -> how many have it."""
        return dict(Counter(vc.name for vc in self.vcs))


@dataclass
class Theory:
    """The theorems of one module, in the order in which they are registered.

    ``after``: theories whose theorems may be used.

    ``mechanism``: the name of the mechanism that they are about.
    """

    name: str
    mechanism: str
    after: tuple[Theory, ...] = ()
    theorems: dict[str, Theorem] = field(default_factory=dict)

    def theorem(
        self,
        name: str,
        says: str,
        vcs: Iterable[Obligation],
        controls: Iterable[Control] = (),
        *,
        rests_on: Iterable[str] = (),
        assumes: Iterable[str] = (),
        hypotheses: Iterable[str] = (),
        is_lemma: bool = False,
        profile: str = "fast",
        system: str = "",
        enabled: bool = False,
        certified: str = "",
    ) -> Theorem:
        """Register a theorem.

        ProofError: its name is taken, it lacks a VC or a control, or rests on an unregistered one.
        """
        theorem = Theorem(
            name,
            says,
            tuple(vcs),
            tuple(controls),
            tuple(dict.fromkeys(rests_on)),
            tuple(assumes),
            tuple(hypotheses),
            is_lemma,
            self.mechanism,
            self.name,
            profile,
            system,
            enabled,
            certified,
        )
        if certified not in PROFILES:
            raise ProofError(f"{name} has certificates in an unknown profile, {certified!r}.")
        entries = self.known()
        if name in entries:
            raise ProofError(f"{name} is registered twice. Give one of them another name.")
        if not theorem.vcs:
            raise ProofError(
                f"{name} has no verification condition: nothing would be checked. Give it one."
            )
        if not theorem.controls and not is_lemma:
            raise ProofError(
                f"{name} has no control: nothing shows that its check can fail. "
                "Give it a mutant that must be refuted."
            )
        for kind, names in (
            ("VC", [vc.name for vc in theorem.vcs]),
            ("control", [control.name for control in theorem.controls]),
        ):
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise ProofError(
                    f"{name} has several {kind}s called {', '.join(twice)}. "
                    "Give each a name of its own."
                )
        if missing := [link for link in theorem.rests_on if link not in entries]:
            raise ProofError(
                f"{name} rests on {', '.join(missing)}, which is not proved before it. "
                "Register that first; a lemma may use earlier ones only."
            )
        self.theorems[name] = theorem
        return theorem

    def known(self) -> dict[str, Theorem]:
        """Everything that the next theorem may rest on."""
        theorems: dict[str, Theorem] = {}
        for theory in self.after:
            theorems |= theory.known()
        return theorems | self.theorems

    def check(self, name: str, seeds: int = 3, folder: Path | None = None) -> evidence.Evidence:
        """The evidence for one theorem: see ``evidence.check``. KeyError: there is no such name."""
        return evidence.check(self.theorems[name], seeds, folder)

    def closure(self, name: str) -> list[Theorem]:
        """A theorem and all that it rests on, a lemma before its uses."""
        entries, order = self.known(), []

        def visit(theorem: str) -> None:
            for lemma in entries[theorem].rests_on:
                visit(lemma)
            if entries[theorem] not in order:
                order.append(entries[theorem])

        visit(name)
        return order
