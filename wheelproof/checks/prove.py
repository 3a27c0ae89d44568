"""Theorems: those of the project's folder ``proofs``, checked one by one.

A module below ``proofs`` takes part if it has, at its top, ``THEORY = ...``, a :class:`Theory`.
``wheelproof.prove`` proves them, and nothing else does: a theory has no say in its evidence. This
module checks that the evidence is complete.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wheelproof import reading
from wheelproof.checks import certified, proof_edges
from wheelproof.checks.complete import defect, unnoticed
from wheelproof.checks.context import Context, Report
from wheelproof.errors import ToolError, UsageError, installation
from wheelproof.isolated import ARTEFACTS, Finder, apart, present
from wheelproof.project.inputs import TAKES_PART
from wheelproof.prove.variants import PROOFS, Project, within
from wheelproof.verdict import PROVES_NOTHING, Row, Verdict, judge

if TYPE_CHECKING:
    from wheelproof.prove.kernel import Theory

SOLVERS = ("z3", "cvc5")
KINDS = {"trace": " (trace from the initial state)", "cti": " (counterexample to induction)"}
"""Notes in tables on controls that no plain counterexample refutes."""


@dataclass(frozen=True)
class Declared:
    """One theorem as its theory declares it, with the assumptions of all that it rests on.

    ``system``: the name of the transition system that it is about. ``enabled``: it is about the
    actions that are enabled, not only about states. ``certified``: the profile from which on its
    conditions have certificates, "" for none. ``conditions``: their numbers by label.
    """

    mechanism: str
    theory: str
    name: str
    says: str
    profile: str
    is_lemma: bool
    assumes: tuple[str, ...]
    rests_on: tuple[str, ...]
    controls: tuple[str, ...]
    system: str = ""
    enabled: bool = False
    certified: str = ""
    conditions: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Kept:
    """Theories with all modules that they came with, and a hash of the project's sources."""

    content: str
    project: Project
    theories: dict[str, Theory]
    modules: dict[str, ModuleType]


_cache: dict[Path, _Kept] = {}
"""Those of the last project. Importing theories takes longer than proving most theorems."""


@contextmanager
def loaded(root: Path) -> Iterator[dict[str, Theory]]:
    """The project's theories by name, their modules imported from its folder alone.

    They are those of an earlier call in this process, where no source has changed since. Raises
    UsageError where a module cannot be loaded.
    """
    content = _content(root)
    cached_project = _cache.get(root)
    fresh = cached_project is None or cached_project.content != content
    project = Project(root) if cached_project is None or fresh else cached_project.project
    with apart(Finder(root)), within(project):
        if cached_project is None or fresh:
            theories = _theories_of(root)
        else:
            theories = cached_project.theories
            sys.modules.update(cached_project.modules)
        _cache.clear()
        try:
            yield theories
        finally:
            _cache[root] = _Kept(content, project, theories, present())


def _content(root: Path) -> str:
    """A hash of the sources that an import apart can come to."""
    digest = hashlib.sha256()
    for folder in sorted(ARTEFACTS):
        for file in sorted((root / folder).rglob("*.py")):
            text = file.read_bytes()
            digest.update(f"{file.relative_to(root)} {len(text)} ".encode() + text)
    return digest.hexdigest()


def _theories_of(root: Path) -> dict[str, Theory]:
    from wheelproof.prove.kernel import Theory

    theories: dict[str, Theory] = {}
    for file in sorted((root / PROOFS).rglob("*.py")):
        if not TAKES_PART.search(reading.text(file)):
            continue
        place = file.relative_to(root)
        theory = importlib.import_module(".".join(place.with_suffix("").parts)).THEORY
        if not isinstance(theory, Theory):
            raise UsageError(
                f"{place}: THEORY is of type {type(theory).__name__}, which the tool cannot prove.",
                "Make it a Theory of wheelproof.prove.kernel, or give it another name.",
            )
        theories[theory.name] = theory
    return theories


def declared(root: Path) -> list[Declared]:
    """Every theorem of the project, each behind those that it builds on; none without proofs.

    Raises UsageError for a module that cannot be loaded, and for two theorems of one mechanism with
    one name; ToolError where a solver is absent.
    """
    if not (root / PROOFS).is_dir():
        return []
    if absent := [name for name in SOLVERS if importlib.util.find_spec(name) is None]:
        raise ToolError(f"Theorems need {' and '.join(absent)}.", installation("proofs"))
    with loaded(root) as theories:
        theorems = [
            _declaration(theory, name) for theory in _built_up(theories) for name in theory.theorems
        ]
    counts = Counter((item.mechanism, item.name) for item in theorems)
    if twice := [" / ".join(key) for key, times in counts.items() if times > 1]:
        raise UsageError(
            f"Several theorems are called {', '.join(twice)}.", "Give each a name of its own."
        )
    return theorems


def _built_up(theories: Mapping[str, Theory]) -> list[Theory]:
    """The theories, each after those whose theorems it uses."""
    order: list[Theory] = []

    def visit(theory: Theory) -> None:
        if theory in order:
            return
        for name in theory.theorems:
            for lemma in theory.closure(name):
                if lemma.theory not in theories:
                    raise UsageError(
                        f"{theory.name}: {name} rests on {lemma.name} of {lemma.theory}, which no "
                        f"module below {PROOFS} has as its THEORY."
                    )
                if lemma.theory != theory.name:
                    visit(theories[lemma.theory])
        order.append(theory)

    for theory in theories.values():
        visit(theory)
    return order


def _declaration(theory: Theory, name: str) -> Declared:
    theorem = theory.theorems[name]
    return Declared(
        theory.mechanism,
        theory.name,
        name,
        theorem.says,
        theorem.profile,
        theorem.is_lemma,
        tuple(sorted({claim for lemma in theory.closure(name) for claim in lemma.assumes})),
        theorem.rests_on,
        tuple(
            f"{control.name}: {control.says}{KINDS.get(control.kind, '')}"
            for control in theorem.controls
        ),
        theorem.system,
        theorem.enabled,
        theorem.certified,
        theorem.conditions,
    )


def check(context: Context, names: tuple[str, ...], seeds: int, first: int = 0) -> Report:
    """The rows of these theorems of the context's mechanism.

    ``seeds``: how many each is checked with, from ``first`` on.

    A theorem that rests on one that is not proved is not in order either.
    """
    from wheelproof.prove import evidence

    report, folder = Report(), context.output / PROOFS
    with loaded(context.mechanism.root) as theories:
        home = {
            name: theory
            for theory in theories.values()
            if theory.mechanism == context.mechanism.name
            for name in theory.theorems
        }
        if unknown_names := [name for name in names if name not in home]:
            raise UsageError(
                f"No theory about {context.mechanism.name} has the theorem {unknown_names[0]}.",
                "`wheelproof list` names those that there are.",
            )
        verdicts: dict[tuple[str, str], str] = {}
        for name in names:
            start = context.begin("proof", name)
            theory = home[name]
            lacking: list[str] = []
            for lemma in theory.closure(name)[:-1]:
                key = (lemma.theory, lemma.name)
                if key not in verdicts:
                    verdicts[key] = evidence.check(lemma, seeds, first=first).verdict
                if verdicts[key] != Verdict.PROVED:
                    lacking.append(lemma.name)
            theorem = theory.theorems[name]
            evidence_of_theorem = evidence.check(theorem, seeds, folder, first=first)
            verdicts[theory.name, name] = evidence_of_theorem.verdict
            verdict, why = evidence_of_theorem.verdict, evidence_of_theorem.why
            figures = evidence_of_theorem.figures() | {"lemma": theorem.is_lemma}
            if verdict == Verdict.PROVED and lacking:
                verdict = Verdict.INCONCLUSIVE
                why = f"it rests on {', '.join(lacking)}, which is not proved"
            needs = seeds, theorem.is_lemma, len(theorem.rests_on)
            fault = defect(verdict, figures, *needs) or unnoticed(verdict, figures, *needs)
            within_profile = theorem.certified in certified.WITHIN[context.profile]
            if within_profile and verdict == Verdict.PROVED and not fault:
                certificates = evidence.certificates(theorem, folder)
                more, fault = certified.checked(certificates, figures)
                figures |= more
            if fault:
                verdict, why, figures = Verdict.ERROR, fault, figures | {"lacks": fault}
            report.rows.append(
                context.row(
                    "proof",
                    name,
                    start,
                    expected="proved",
                    verdict=verdict,
                    why=why,
                    figures=figures,
                    bound="none",
                    property=name if verdict == Verdict.VIOLATED else None,
                )
            )
    return report


def carried_over(rows: Sequence[Row], theorems: Sequence[Declared]) -> list[Row]:
    """The rows; a theorem about a transition system is proved only where that system is the model.

    The row `edges` of a mechanism has the differences of its models and systems. A theorem is
    inconclusive where its system differs, where it is about enabled actions and the model waits,
    where the models were not compared, or where it rests on such a theorem. Without that row (in a
    run of chosen theorems) models play no part. A system without any model is named in the row.
    """
    edges = {
        row.mechanism: row for row in rows if (row.layer, row.name) == ("proof", proof_edges.NAME)
    }
    losses: dict[tuple[str, str], str] = {}
    for item in theorems:  # in the order in which they build on each other
        if item.mechanism in edges:
            lacking = [name for name in item.rests_on if (item.mechanism, name) in losses]
            if why := not_carried(item, edges[item.mechanism]) or (
                lacking and f"it rests on {lacking[0]}, which is not the model's"
            ):
                losses[item.mechanism, item.name] = why
    alone = {
        (item.mechanism, item.name): item.system
        for item in theorems
        if item.system
        and item.mechanism in edges
        and item.system not in edges[item.mechanism].figures.get("compared", ())
    }
    judged_rows = []
    for row in rows:
        key = row.mechanism, row.name
        if row.layer == "proof" and row.verdict == Verdict.PROVED and key in losses:
            row = judge(
                row.mechanism,
                row.layer,
                row.name,
                expected=row.expected,
                verdict=Verdict.INCONCLUSIVE,
                why=losses[key],
                bound=row.bound,
                figures=row.figures,
                seconds=row.seconds,
            )
        elif row.layer == "proof" and row.ok and key in alone:
            row = replace(row, why=f"no model is compared with {alone[key]}")
        judged_rows.append(row)
    return judged_rows


def not_carried(item: Declared, edges: Row) -> str:
    """Why a theorem does not carry over from its system to the models; "" where it does.

    A theorem about no system carries over.
    """
    figures = edges.figures
    if not item.system:
        return ""
    if edges.verdict in PROVES_NOTHING:
        return f"the models were not compared with {item.system}: {edges.why}"
    if item.system in figures.get("unlike", {}):
        difference = figures["unlike"][item.system]
        return f"it is proved of {item.system}, which is not the model: {difference}"
    waits = dict(figures.get("excused", {}).get(item.system, {}))
    for assumption in item.assumes:
        waits.pop(assumption, None)
    reasons = [*filter(None, [figures.get("waiting", {}).get(item.system)]), *waits.values()]
    if item.enabled and reasons:
        return f"it is proved of {item.system}, which goes on where the model waits: {reasons[0]}"
    return ""
