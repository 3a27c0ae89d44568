"""Coverage over all scenarios of a mechanism: labels, branches, fields and witnesses.

Without it, a property could hold because no scenario comes to the states that it is about.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence

from wheelproof import reading
from wheelproof.checks.context import Context, Report
from wheelproof.explore import labels as comments
from wheelproof.tlc import mc, translation
from wheelproof.verdict import Row, Verdict

STEP = re.compile(r'^(\w+)(?:\(self\))? == /\\ pc(?:\[(?:self|"\w+")\])? = "(\w+)"', re.MULTILINE)


def labels_of_spec(text: str) -> set[str]:
    """The labels of a translated PlusCal algorithm."""
    return {label for name, label in STEP.findall(text) if name == label}


def translated(context: Context) -> Row:
    """TLC checks the translation, not the algorithm: the two must belong together."""
    started = context.begin("tlc", "translation")
    spec, configs = context.mechanism.spec, context.mechanism.configs.values()
    modules = {
        spec,
        *(spec.with_name(f"{config.module}.tla") for config in configs if config.module),
    }
    for module in sorted({each for file in modules for each in mc.closure(file)}):
        translation.require_current(module)
    return context.row(
        "tlc",
        "translation",
        started,
        expected="exhaustive",
        verdict=Verdict.EXHAUSTIVE,
        why="the committed translation is that of the algorithm",
    )


def labels(context: Context, reports: Iterable[Report]) -> Row:
    """Table, spec, model and implementation have equal labels of equal kinds, all exercised.

    The figure ``scenarios`` has the labels that each scenario exercises.
    """
    mechanism = context.mechanism
    started = context.begin("coverage", "labels")
    spec = labels_of_spec(reading.text(mechanism.spec))
    table, silent = set(mechanism.labels), mechanism.silent
    model = mechanism.model(next(iter(mechanism.scenarios))).labels
    kinds: dict[str, str] = {}
    implementation = context.implementation()
    for of_line in implementation.labels.values():
        kinds |= comments.kinds_by_name(of_line)
    reports = list(reports)
    exercised: set[str] = set().union(*(report.labels for report in reports))
    faults = [
        differs("the spec", spec, table),
        differs("the model", model, table),
        differs("the implementation", set(kinds), table - silent),
    ]
    faults += [
        f"{name} is {kind} in the implementation and {mechanism.labels[name].kind} in the table"
        for name, kind in sorted(kinds.items())
        if name in table and mechanism.labels[name].kind != kind
    ]
    if unnamed := implementation.unnamed:
        faults.append(
            f"the harness names {', '.join(unnamed)} neither in SUBJECT nor in ATOMIC, and it has "
            "labels"
        )
    idle = table - exercised
    fault = "; ".join(filter(None, faults))
    verdict, why = Verdict.EXHAUSTIVE, ""
    if idle:
        verdict, why = Verdict.VACUOUS, f"no scenario exercises {', '.join(sorted(idle))}"
    return context.row(
        "coverage",
        "labels",
        started,
        expected="exhaustive",
        verdict=verdict,
        why=why,
        fault=fault,
        figures={
            "declared": len(table),
            "silent": len(silent),
            "exercised": len(exercised & table),
            **by_scenario(reports, list(mechanism.scenarios), list(mechanism.labels)),
        },
    )


def by_scenario(
    reports: Iterable[Report], scenarios: Sequence[str], table: Sequence[str]
) -> dict[str, dict[str, str]]:
    """The figure ``scenarios``: scenario -> its labels, both in the order of the declaration.

    No figure where no report knows its scenario.
    """
    found: set[tuple[str, str]] = set().union(*(report.by_scenario for report in reports))
    ran = {scenario for scenario, _ in found}
    made = {
        scenario: ", ".join(label for label in table if (scenario, label) in found)
        for scenario in scenarios
        if scenario in ran
    }
    return {"scenarios": made} if made else {}


def branches(context: Context, reports: Iterable[Report]) -> Row:
    """Some bisimulation runs every function of the implementation and every outcome of conditions.

    The harness's NOT_RUN names the exceptions, each with its reason: an outcome, or the beginning
    of several. An entry without any such outcome is a fault.
    """
    started = context.begin("coverage", "branches")
    implementation = context.implementation()
    declared, _ = implementation.branches()
    left = declared - set().union(*(report.branches for report in reports))
    reasons = implementation.not_run
    unmet = sorted(each for each in left if not any(each.startswith(name) for name in reasons))
    stale = sorted(
        name
        for name, reason in reasons.items()
        if not reason.strip() or not any(each.startswith(name) for each in left)
    )
    verdict, why = Verdict.EXHAUSTIVE, ""
    if unmet:
        verdict = Verdict.VACUOUS
        why = (
            f"no scenario runs {'; '.join(unmet)}; add a scenario, or name it in the harness's "
            "NOT_RUN with the reason"
        )
    fault = ""
    if stale:
        fault = (
            "the harness's NOT_RUN has entries that run, that do not exist or that have no reason: "
            + "; ".join(stale)
        )
    return context.row(
        "coverage",
        "branches",
        started,
        expected="exhaustive",
        verdict=verdict,
        why=why,
        fault=fault,
        figures={
            "declared": len(declared),
            "run": len(declared) - len(left),
            "excepted": len(left) - len(unmet),
        },
    )


def fields(context: Context, reports: Iterable[Report]) -> Row:
    """The harness reads every slot of a shared object that changes in some bisimulation.

    The harness's UNREAD names the exceptions, each with its reason: a slot, or the beginning of
    several. An entry without any such slot is a fault.
    """
    started = context.begin("coverage", "fields")
    changed: set[str] = set()
    unread: dict[str, tuple[str, str]] = {}
    for report in reports:
        changed |= report.changed
        unread = report.unread | unread
    reasons = context.implementation().unread
    unmet = sorted(
        name for name in unread if not any(name.startswith(excepted) for excepted in reasons)
    )
    stale = sorted(
        name
        for name, reason in reasons.items()
        if not reason.strip() or not any(each.startswith(name) for each in unread)
    )
    faults = []
    if unmet:
        places = "; ".join(f"{name} ({unread[name][1]} in {unread[name][0]})" for name in unmet)
        faults.append(
            f"the harness does not read slots that change: {places}; add them to shared(), or to "
            "UNREAD with the reason"
        )
    if stale:
        faults.append(
            "the harness's UNREAD has entries that are read, that do not change or that have no "
            f"reason: {'; '.join(stale)}"
        )
    return context.row(
        "coverage",
        "fields",
        started,
        expected="exhaustive",
        verdict=Verdict.EXHAUSTIVE if changed else Verdict.VACUOUS,
        why="" if changed else "no scenario changes a slot of a shared object",
        fault="; ".join(faults),
        figures={
            "changed": len(changed),
            "read": len(changed) - len(unread),
            "excepted": len(unread) - len(unmet),
        },
    )


def differs(artefact: str, found: set[str] | frozenset[str], declared: set[str]) -> str:
    """The declared labels that an artefact lacks, and those that it has besides; "" for none."""
    lacks, extra = sorted(declared - found), sorted(found - declared)
    parts = ([f"lacks {', '.join(lacks)}"] if lacks else []) + (
        [f"has {', '.join(extra)} besides"] if extra else []
    )
    return f"{artefact} {' and '.join(parts)}" if parts else ""


def witnesses(context: Context, reports: Iterable[Report]) -> Row:
    """Every witness of the model is reached in some scenario."""
    started = time.monotonic()
    context.begin("graph", "witnesses")
    names = context.mechanism.witnesses
    reached: dict[str, str] = {}
    for report in reports:
        reached = report.witnesses | reached
    missing = [name for name in names if name not in reached]
    why = f"no scenario reaches {', '.join(missing)}" if missing else ""
    if not names:
        why = (
            "the model has no witness; list in Model.WITNESSES a state that some scenario must "
            "reach"
        )
    return context.row(
        "graph",
        "witnesses",
        started,
        expected="exhaustive",
        verdict=Verdict.VACUOUS if missing or not names else Verdict.EXHAUSTIVE,
        why=why,
        figures=dict(sorted(reached.items())),
    )
