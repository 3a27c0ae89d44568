"""The checks of every theorem, and their outcome: the evidence, and one word of verdict.

Per VC: the premises are satisfiable, with a model that is no trivial one; Z3 refutes the negated
goal for every seed within the cap on resources; cvc5 refutes the same text; the text is written
with its hash. Per control: a counterexample, confirmed by plain Python. Per link, a theorem that
this one rests on: its statement is a premise of some VC, which has a counterexample without it. So
a link is no label, and a theorem that is weakened until it says nothing takes with it all that rest
on it.

The verdict is the worst that applies, in the order violated, error, vacuous, inconclusive, proved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import z3

from wheelproof import files
from wheelproof.prove import second, solvers
from wheelproof.prove.second import back

if TYPE_CHECKING:
    from wheelproof.prove.kernel import Control, Obligation, Theorem

ORDER = ("violated", "error", "vacuous", "inconclusive", "proved")
"""Verdicts, the worst first: no defect elsewhere makes a counterexample to the theorem doubtful."""


class Unproved(Exception):
    """A condition that is not made, since a goal does not follow. The message names the goal."""


@dataclass
class Evidence:
    """The evidence for one theorem. ``faults``: (verdict, why); the worst verdict counts.

    ``unmade``: the names of conditions of which a goal does not follow.
    """

    theorem: Theorem
    seeds: int
    faults: list[tuple[str, str]] = field(default_factory=list)
    resources: int = 0
    second: set[str] = field(default_factory=set)
    models: dict[str, str] = field(default_factory=dict)
    cores: dict[str, frozenset[str]] = field(default_factory=dict)
    witnesses: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    undeclared: tuple[str, ...] = ()
    unmade: set[str] = field(default_factory=set)

    @property
    def verdict(self) -> str:
        return min((verdict for verdict, _ in self.faults), key=ORDER.index, default="proved")

    @property
    def why(self) -> str:
        return "; ".join(f"{why}" for verdict, why in self.faults if verdict == self.verdict)

    @property
    def unused(self) -> tuple[str, ...]:
        """Hypotheses of the statement which no VC's unsat core has: it holds without them."""
        core = frozenset().union(*self.cores.values())
        return tuple(name for name in self.theorem.hypotheses if name not in core)

    def sums(self) -> str:
        """The hashes of the SMT-LIB files for `sha256sum --check`; the list's stands for all."""
        return "".join(f"{digest}  {name}\n" for name, digest in self.hashes.items())

    def report(self) -> str:
        """All of it for people: per condition a model and the core, per control its refutation."""
        versions = ", ".join(f"{name} {version}" for name, version in solvers.versions().items())
        lines = [
            f"{self.theorem.name}: {self.theorem.says}",
            f"{self.verdict}{': ' if self.why else ''}{self.why}",
            f"{versions}; {self.seeds} seeds; at most {self.resources:,} units of Z3's resources; "
            f"cvc5: {', '.join(sorted(self.second)) or 'not run'}",
        ]
        for vc in self.theorem.vcs:
            if vc.name in self.unmade:
                lines += ["", f"condition {vc.name}", "    is not made"]
                continue
            core = (
                ", ".join(name for name in vc.premises if name in self.cores.get(vc.name, ()))
                or "nothing"
            )
            lines += [
                "",
                f"condition {vc.name}",
                f"    premises hold for  {self.models.get(vc.name, 'nothing that was found')}",
                f"    refutation uses    {core}",
            ]
        for control in self.theorem.controls:
            lines += [
                "",
                f"control {control.name}: {control.says}",
                f"    refuted by         {self.witnesses.get(control.name, 'nothing')}",
            ]
        lines += [
            "",
            *(f"rests on {link}: without it {vc} does not hold" for link, vc in self.links.items()),
        ]
        if self.unused:
            lines += ["", f"hypotheses that no condition uses: {', '.join(self.unused)}"]
        return "\n".join(lines) + "\n"

    def figures(self) -> dict[str, object]:
        """Counts and words for a report: plain JSON values.

        ``conditions``: those that were refuted with every seed. ``lacks``: theorems that are cited
        although this one does not rest on them.
        """
        lacking = {"lacks": ", ".join(self.undeclared)} if self.undeclared else {}
        return lacking | {
            "vcs": len(self.theorem.vcs),
            "conditions": dict.fromkeys(self.cores, 1),
            "seeds": self.seeds,
            "rlimit_max": self.resources,
            "second": ", ".join(sorted(self.second)) or "not run",
            "controls": len(self.witnesses),
            "links": len(self.links),
            "unused": list(self.unused),
            "sha256": hashlib.sha256(self.sums().encode()).hexdigest(),
        }


@dataclass(frozen=True)
class Certificate:
    """cvc5's proof of a condition. ``obligation``: the condition's text, as `check` wrote it.

    ``text``: the second text, which the proof is of. ``proof``: its file, None where there is no
    proof; ``why`` then says why not.
    """

    condition: str
    obligation: Path
    text: Path
    proof: Path | None
    why: str = ""


def certificates(theorem: Theorem, folder: Path) -> list[Certificate]:
    """Have each condition's second text and its proof written beside the texts of `check`."""
    rows = []
    for vc in theorem.vcs:
        obligation = folder / theorem.theory / _text_name(theorem, vc)
        text = obligation.with_suffix(".second.smt2")
        proof, why = text.with_suffix(".alethe"), ""
        try:
            content, certificate = certified(vc)
            write(text, f"; {theorem.name}: {vc.name}\n{content}")
            write(proof, certificate)
        except solvers.SolverError as error:
            why = str(error)
        rows.append(Certificate(vc.name, obligation, text, None if why else proof, why))
    return rows


def certified(vc: Obligation) -> tuple[str, str]:
    """A condition's second text, and cvc5's proof of it.

    SolverError: there is none, or the text and the condition differ in meaning.
    """
    formulas = {**vc.premises, "the goal, denied": z3.Not(vc.goal)}
    text = second.script(formulas)
    try:
        proof = solvers.certificate(text)
    except solvers.NotRefuted:
        text = second.script(formulas, whole=True)
        proof = solvers.certificate(text)
    if fault := back.differs(text, formulas):
        raise solvers.SolverError(fault)
    return text, proof


def check(
    theorem: Theorem,
    seeds: int = 3,
    folder: Path | None = None,
    resources: int = solvers.RESOURCES,
    first: int = 0,
) -> Evidence:
    """All evidence for one theorem.

    ``seeds``: how many, from ``first`` on. ``folder``: where the SMT-LIB texts go, None for
    nowhere.
    """
    evidence = Evidence(theorem, seeds)
    for vc in theorem.vcs:
        try:
            _check_vc(evidence, vc, range(first, first + seeds), folder, resources)
        except Unproved as error:
            evidence.faults.append(("inconclusive", str(error)))
            evidence.unmade.add(vc.name)
    if not evidence.unmade:
        _check_links(evidence, resources)
    for control in theorem.controls:
        _check_control(evidence, control)
    if folder is not None:
        write(folder / theorem.theory / f"{_file_name(theorem.name)}.sha256", evidence.sums())
        write(folder / theorem.theory / f"{_file_name(theorem.name)}.txt", evidence.report())
    return evidence


def _check_vc(
    evidence: Evidence, vc: Obligation, seeds: Sequence[int], folder: Path | None, resources: int
) -> None:
    faults, context = len(evidence.faults), z3.Context()
    names, formulas = list(vc.premises), list(vc.premises.values())
    verdict, model = solvers.model(
        solvers.smt_lib([*map(vc.interpreted, formulas), *vc.vivid]), 0, resources, context
    )
    if verdict == "sat":
        evidence.models[vc.name] = solvers.shown(model)
    elif verdict == "unsat":
        evidence.faults.append(
            (
                "vacuous",
                f"{vc.name}: the premises contradict each other, or the non-trivial model that is "
                "required",
            )
        )
    else:
        evidence.faults.append(
            ("inconclusive", f"{vc.name}: no solver says whether the premises can hold")
        )
    text = solvers.smt_lib([*formulas, z3.Not(vc.goal)])
    heading = [
        f"; {evidence.theorem.name}: {vc.name}",
        *(f"; {number}: {name}" for number, name in enumerate([*names, "the goal, denied"])),
    ]
    content, name = "\n".join(heading) + "\n" + text, _text_name(evidence.theorem, vc)
    evidence.hashes[name] = hashlib.sha256(content.encode()).hexdigest()
    if folder is not None:
        write(folder / evidence.theorem.theory / name, content)
    core: frozenset[str] = frozenset()
    for seed in seeds:
        answer = solvers.refute(text, seed, resources, context)
        if answer.verdict != "unsat" and vc.search():
            del evidence.faults[faults:]
            return _check_vc(evidence, vc, seeds, folder, resources)
        evidence.resources = max(evidence.resources, answer.resources)
        if answer.verdict == "sat":
            evidence.faults.append(_not_entailed(vc, resources))
            return None
        if answer.verdict != "unsat":
            evidence.faults.append(
                ("inconclusive", f"{vc.name}: unknown with seed {seed} ({answer.reason})")
            )
            return None
        core |= frozenset(names[index] for index in answer.core if index < len(names))
    evidence.cores[vc.name] = core
    opinion = solvers.second_opinion(text)
    evidence.second.add(opinion.partition(":")[0])
    if opinion.startswith("error"):
        evidence.faults.append(("error", f"{vc.name}: cvc5 did not take it: {opinion}"))
    elif opinion == "sat":
        evidence.faults.append(
            ("error", f"{vc.name}: the solvers disagree: Z3 refutes it, cvc5 has a model")
        )
    elif opinion == "unknown":
        evidence.faults.append(("inconclusive", f"{vc.name}: cvc5 does not know"))


def _not_entailed(vc: Obligation, resources: int) -> tuple[str, str]:
    """A counterexample with the functions' own meaning, or premises that are too few.

    The latter refutes nothing.
    """
    formulas = [*map(vc.interpreted, vc.premises.values()), z3.Not(vc.interpreted(vc.goal))]
    verdict, model = solvers.model(solvers.smt_lib(formulas), resources=resources)
    if model is not None:
        return "violated", f"{vc.name}: does not hold: {solvers.shown(model)}"
    return (
        "inconclusive",
        f"{vc.name}: does not follow from its premises alone, and no counterexample was found "
        f"({verdict}): an instance of a lemma may be missing",
    )


def _check_links(evidence: Evidence, resources: int) -> None:
    """Every theorem that is cited is one that it rests on, and each of those is needed."""
    theorem = evidence.theorem
    citations = {citation for vc in theorem.vcs for citation in vc.cites.values()}
    evidence.undeclared = tuple(sorted(citations - set(theorem.rests_on)))
    if evidence.undeclared:
        evidence.faults.append(
            (
                "error",
                f"it cites {', '.join(evidence.undeclared)}, "
                "which it does not say that it rests on",
            )
        )
    for link in theorem.rests_on:
        _check_link(evidence, link, resources)


def _check_link(evidence: Evidence, link: str, resources: int) -> None:
    """Some VC that cites ``link`` has a counterexample once its statement is no premise."""
    citing = [vc for vc in evidence.theorem.vcs if link in vc.cites.values()]
    if not citing:
        evidence.faults.append(
            ("vacuous", f"it claims to rest on {link}, which is a premise of no condition")
        )
        return
    verdicts, context = set(), z3.Context()
    for vc in citing:
        rest = [formula for name, formula in vc.premises.items() if vc.cites.get(name) != link]
        answer = solvers.refute(solvers.smt_lib([*rest, z3.Not(vc.goal)]), 0, resources, context)
        verdicts.add(answer.verdict)
        if answer.verdict == "sat":
            evidence.links[link] = vc.name
            return
    if verdicts == {"unsat"}:
        evidence.faults.append(("vacuous", f"it claims to rest on {link}, and holds without it"))
    else:
        evidence.faults.append(("inconclusive", f"no solver says whether it holds without {link}"))


def _check_control(evidence: Evidence, control: Control) -> None:
    result = control.find(0)
    if result.verdict == "unsat":
        evidence.faults.append(
            (
                "vacuous",
                f"the control {control.name!r} cannot be refuted: "
                f"{control.says} makes no difference",
            )
        )
    elif result.verdict != "sat":
        evidence.faults.append(
            (
                "inconclusive",
                f"the control {control.name!r}: no counterexample found, none excluded",
            )
        )
    elif result.contradiction:
        evidence.faults.append(
            (
                "vacuous",
                f"the control {control.name!r}: Python does not confirm the counterexample "
                f"{result.witness}: {result.contradiction}",
            )
        )
    elif result.second == "unsat" or result.second.startswith("error"):
        evidence.faults.append(
            (
                "error",
                f"the control {control.name!r}: the solvers disagree, cvc5 says {result.second}",
            )
        )
    else:
        evidence.witnesses[control.name] = result.witness


def _text_name(theorem: Theorem, vc: Obligation) -> str:
    return f"{_file_name(theorem.name)}.{_file_name(vc.name)}.smt2"


def _file_name(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_" else "_" for char in name)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises OSError."""
    files.replace(path, text.encode())
