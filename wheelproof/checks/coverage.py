"""Coverage over all scenarios of a mechanism: labels, branches, fields and witnesses.

Without it, a property could hold because no scenario comes to the states that it is about.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wheelproof import reading
from wheelproof.checks.context import Context, Report
from wheelproof.draft import copies
from wheelproof.project.inferred import labels_of_spec
from wheelproof.project.mechanism import Label, Mechanism
from wheelproof.python import labels as comments
from wheelproof.tlc import mc, translation
from wheelproof.verdict import Row, Verdict

WORD = re.compile(r"\w+")


def translated(context: Context) -> Row:
    """TLC checks the translation, not the algorithm: the two must belong together."""
    start = context.begin("tlc", "translation")
    spec, configs = context.mechanism.spec, context.mechanism.configs.values()
    modules = {
        spec,
        *(spec.with_name(f"{config.module}.tla") for config in configs if config.module),
    }
    rejections: dict[str, bool] = {}
    for module in sorted({module for file in modules for module in mc.closure(file)}):
        translation.require_current(module)
        rejections |= translation.planted_changes(module)
    return context.row(
        "tlc",
        "translation",
        start,
        expected="exhaustive",
        verdict=Verdict.EXHAUSTIVE,
        why="the committed translation is that of the algorithm",
        controls=rejections,
    )


@dataclass(frozen=True)
class Labels:
    """The labels of each artefact, and those that some scenario exercises."""

    table: Mapping[str, Label]
    silent: frozenset[str]
    spec: frozenset[str]
    model: frozenset[str]
    kinds: Mapping[str, str]
    """Label of the implementation -> its kind."""
    exercised: frozenset[str]

    def faults(self) -> list[str]:
        """The differences of the artefacts."""
        table = set(self.table)
        faults = [
            differs("the spec", self.spec, table),
            differs("the model", self.model, table),
            differs("the implementation", frozenset(self.kinds), table - self.silent),
        ]
        faults += [
            f"{name} is {kind} in the implementation and {self.table[name].kind} in the table"
            for name, kind in sorted(self.kinds.items())
            if name in table and self.table[name].kind != kind
        ]
        return [*filter(None, faults)]

    def idle(self) -> str:
        """The labels that no scenario exercises, in a sentence; "" for none."""
        idle = sorted(set(self.table) - self.exercised)
        return f"no scenario exercises {', '.join(idle)}" if idle else ""

    def controls(self) -> dict[str, bool]:
        """Planted fault -> whether it is rejected by name: each label left out of each part."""
        rejections = {}
        for name, label in self.table.items():
            single = frozenset({name})
            rest = {key: item for key, item in self.table.items() if key != name}
            changes = {
                "the table": replace(self, table=rest),
                "the spec": replace(self, spec=self.spec - single),
                "the model": replace(self, model=self.model - single),
            }
            if name in self.kinds:
                kinds = {key: kind for key, kind in self.kinds.items() if key != name}
                changes["the implementation"] = replace(self, kinds=kinds)
                other_kind = {**self.table, name: replace(label, kind=f"no {label.kind}")}
                changes["its kind"] = replace(self, table=other_kind)
            for place, change in changes.items():
                rejections[f"{name} not in {place}"] = any(
                    name in WORD.findall(fault) for fault in change.faults()
                )
            rejections[f"{name} not exercised"] = name in WORD.findall(
                replace(self, exercised=self.exercised - single).idle()
            )
        return rejections


@dataclass(frozen=True)
class Copy:
    """The labelled copy of a class, and the copy that a draft of the class has today."""

    file: str
    source: str
    text: str
    drafted: str

    @classmethod
    def read(cls, mechanism: Mechanism) -> Copy:
        """The copy of a mechanism that names its class."""
        root, file = mechanism.root, f"impl/{mechanism.name}.py"
        source, _, name = mechanism.source.rpartition(":")
        draft = copies.of_class(root / source, name, mechanism.name, mechanism.module)
        return cls(file, mechanism.source, reading.text(root / file), draft)

    def faults(self) -> list[str]:
        """The first difference of the two."""
        difference = next(copies.differences(self.drafted, self.text), None)
        if difference is None:
            return []
        line, text = difference
        return [
            f"{self.file}:{line} is no copy of {self.source}, of which a draft has "
            f"{text!r} there; draft it anew in another folder, and take the copy over"
        ]

    def controls(self) -> dict[str, bool]:
        """Planted fault -> whether it is rejected: each labelled line left out of the copy."""
        lines = self.text.splitlines(keepends=True)
        return {
            f"{', '.join(names.values())} not in the copy": bool(
                replace(self, text="".join(lines[: number - 1] + lines[number:])).faults()
            )
            for number, names in comments.of_source(self.text, self.file).items()
        }


def labels(context: Context, reports: Iterable[Report]) -> Row:
    """Table, spec, model and implementation have equal labels of equal kinds, all exercised.

    The figure ``scenarios`` has the labels that each scenario exercises.
    """
    mechanism = context.mechanism
    start = context.begin("coverage", "labels")
    kinds: dict[str, str] = {}
    implementation = context.implementation()
    for of_line in implementation.labels.values():
        kinds |= comments.kinds_by_name(of_line)
    reports = list(reports)
    parts = Labels(
        mechanism.labels,
        mechanism.silent,
        frozenset(labels_of_spec(reading.text(mechanism.spec))),
        mechanism.model(next(iter(mechanism.scenarios))).labels,
        kinds,
        frozenset().union(*(report.labels for report in reports)),
    )
    faults = parts.faults()
    if strays := implementation.modules_without_subject:
        faults.append(
            f"the harness names {', '.join(strays)} neither in SUBJECT nor in ATOMIC, and it has "
            "labels"
        )
    rejections = parts.controls()
    if mechanism.source:
        copy = Copy.read(mechanism)
        faults += copy.faults()
        rejections |= copy.controls()
    why = parts.idle()
    return context.row(
        "coverage",
        "labels",
        start,
        expected="exhaustive",
        verdict=Verdict.VACUOUS if why else Verdict.EXHAUSTIVE,
        why=why,
        fault="; ".join(faults),
        controls=rejections,
        figures={
            "declared": len(parts.table),
            "silent": len(parts.silent),
            "exercised": len(parts.exercised & set(parts.table)),
            **by_scenario(reports, list(mechanism.scenarios), list(mechanism.labels)),
        },
    )


def by_scenario(
    reports: Iterable[Report], scenarios: Sequence[str], table: Sequence[str]
) -> dict[str, dict[str, str]]:
    """The figure ``scenarios``: scenario -> its labels, both in the order of the declaration.

    No figure where no report knows its scenario.
    """
    pairs: set[tuple[str, str]] = set().union(*(report.by_scenario for report in reports))
    ran = {scenario for scenario, _ in pairs}
    labels = {
        scenario: ", ".join(label for label in table if (scenario, label) in pairs)
        for scenario in scenarios
        if scenario in ran
    }
    return {"scenarios": labels} if labels else {}


def branches(context: Context, reports: Iterable[Report]) -> Row:
    """Some bisimulation runs every function of the implementation and every outcome of conditions.

    The harness's NOT_RUN names the exceptions, each with its reason: an outcome, or the beginning
    of several. An entry without any such outcome is a fault.
    """
    start = context.begin("coverage", "branches")
    implementation = context.implementation()
    outcomes, _ = implementation.branches()
    ran = outcomes & set().union(*(report.branches for report in reports))
    reasons = implementation.not_run
    unmet, why, fault = not_run(outcomes - ran, reasons)
    _, sentence, _ = not_run(outcomes, reasons)
    exceptions = {name for name in ran if any(map(name.startswith, reasons))}
    return context.row(
        "coverage",
        "branches",
        start,
        expected="exhaustive",
        verdict=Verdict.VACUOUS if unmet else Verdict.EXHAUSTIVE,
        why=why,
        fault=fault,
        controls={f"{name} not run": name in sentence for name in sorted(ran - exceptions)}
        | stale_controls(reasons, lambda more: not_run(outcomes - ran, more)[2]),
        figures={
            "declared": len(outcomes),
            "run": len(ran),
            "excepted": len(outcomes) - len(ran) - len(unmet),
        },
    )


def not_run(outcomes: Collection[str], reasons: Mapping[str, str]) -> tuple[list[str], str, str]:
    """The outcomes that are left without a reason, the sentence on them, and that on reasons."""
    unmet = sorted(
        outcome for outcome in outcomes if not any(outcome.startswith(name) for name in reasons)
    )
    why = (
        f"no scenario runs {'; '.join(unmet)}; add a scenario, or name it in the harness's "
        "NOT_RUN with the reason"
    )
    fault = (
        "the harness's NOT_RUN has entries that run, that do not exist or that have no reason: "
        + "; ".join(stale(outcomes, reasons))
    )
    return unmet, why if unmet else "", fault if stale(outcomes, reasons) else ""


def stale(outcomes: Collection[str], reasons: Mapping[str, str]) -> list[str]:
    """The entries that name nothing that is left, or have no reason."""
    return sorted(
        name
        for name, reason in reasons.items()
        if not reason.strip() or not any(outcome.startswith(name) for outcome in outcomes)
    )


def stale_controls(
    reasons: Mapping[str, str], judge: Callable[[Mapping[str, str]], str]
) -> dict[str, bool]:
    """Planted entry -> whether it is rejected by name: one that names nothing, one for no reason.

    ``judge``: the sentence on these reasons.
    """
    rejections = {"an entry that names nothing": "planted" in judge({**reasons, "planted": "why"})}
    for name in reasons:
        rejections[f"{name} without a reason"] = name in judge({**reasons, name: " "})
    return rejections


def fields(context: Context, reports: Iterable[Report]) -> Row:
    """The harness reads every slot of a shared object that changes in some bisimulation.

    The harness's UNREAD names the exceptions, each with its reason: a slot, or the beginning of
    several. An entry without any such slot is a fault.
    """
    start = context.begin("coverage", "fields")
    changes: set[str] = set()
    unread: dict[str, tuple[str, str]] = {}
    for report in reports:
        changes |= report.changed
        unread = report.unread | unread
    reasons = context.implementation().unread
    faults = not_read(unread, reasons)
    exceptions = {name for name in changes if any(map(name.startswith, reasons))}
    all_slots = dict.fromkeys(changes, ("planted", "planted")) | unread
    sentences = " ".join(not_read(all_slots, reasons))
    rejections = {
        f"{name} not read": f"{name} (" in sentences
        for name in sorted(changes - set(unread) - exceptions)
    } | stale_controls(reasons, lambda more: " ".join(not_read(unread, more)))
    return context.row(
        "coverage",
        "fields",
        start,
        expected="exhaustive",
        verdict=Verdict.EXHAUSTIVE if changes else Verdict.VACUOUS,
        why="" if changes else "no scenario changes a slot of a shared object",
        fault="; ".join(faults),
        controls=rejections,
        figures={
            "changed": len(changes),
            "read": len(changes) - len(unread),
            "excepted": len(exceptions & set(unread)),
        },
    )


def not_read(unread: Mapping[str, tuple[str, str]], reasons: Mapping[str, str]) -> list[str]:
    """The sentences on slots that are not read without a reason, and on reasons of no such slot."""
    unmet = sorted(
        name for name in unread if not any(name.startswith(prefix) for prefix in reasons)
    )
    faults = []
    if unmet:
        places = "; ".join(f"{name} ({unread[name][1]} in {unread[name][0]})" for name in unmet)
        faults.append(
            f"the harness does not read slots that change: {places}; add them to shared(), or to "
            "UNREAD with the reason"
        )
    if wrong := stale(unread, reasons):
        faults.append(
            "the harness's UNREAD has entries that are read, that do not change or that have no "
            f"reason: {'; '.join(wrong)}"
        )
    return faults


def differs(artefact: str, labels: set[str] | frozenset[str], table: set[str]) -> str:
    """The declared labels that an artefact lacks, and those that it has besides; "" for none."""
    lacks, extra = sorted(table - labels), sorted(labels - table)
    parts = ([f"lacks {', '.join(lacks)}"] if lacks else []) + (
        [f"has {', '.join(extra)} besides"] if extra else []
    )
    return f"{artefact} {' and '.join(parts)}" if parts else ""


def witnesses(context: Context, reports: Iterable[Report]) -> Row:
    """Every witness of the model is reached in some scenario."""
    start = time.monotonic()
    context.begin("graph", "witnesses")
    names = context.mechanism.witnesses
    reach: dict[str, str] = {}
    for report in reports:
        reach = report.witnesses | reach
    missing = unreached(names, reach)
    why = f"no scenario reaches {', '.join(missing)}" if missing else ""
    rejections = {
        f"{name} not reached": name in unreached(names, {*reach} - {name}) for name in names
    }
    if not names:
        why = (
            "the model has no witness; list in Model.WITNESSES a state that some scenario must "
            "reach"
        )
    return context.row(
        "graph",
        "witnesses",
        start,
        expected="exhaustive",
        verdict=Verdict.VACUOUS if missing or not names else Verdict.EXHAUSTIVE,
        why=why,
        controls=rejections,
        figures=dict(sorted(reach.items())),
    )


def unreached(names: Iterable[str], reach: Collection[str]) -> list[str]:
    """The witnesses that no scenario reaches."""
    return [name for name in names if name not in reach]
