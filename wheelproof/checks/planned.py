"""The plan of a project: made of its declarations, and compared with the rows of a run.

The jobs are made of the same declarations. So the plan is a file that stays as it is
(:mod:`wheelproof.project.planned`): a job, a theorem or a file that is lost leaves a row there that
no run makes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from wheelproof import temporary
from wheelproof.checks import (
    agreement,
    controls,
    overall,
    proof_edges,
    prove,
    refinement,
    samples,
    sensitivity,
)
from wheelproof.checks.context import COMPARED, Context
from wheelproof.checks.jobs import plan, proofs
from wheelproof.checks.machine import Machine
from wheelproof.events import VerifyOptions
from wheelproof.jvm.tasks import CHANGE, tasks
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.project.planned import (
    COMMAND,
    FILE,
    PROFILES,
    Number,
    Plan,
    Planned,
    Rows,
    unlike,
)
from wheelproof.verdict import Row, Verdict

FIGURES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("tlc", "controls"): ("properties", "non_properties"),
    ("graph", agreement.NAME): ("properties", "witnesses"),
    ("graph", sensitivity.NAME): ("pairs",),
    ("coverage", "labels"): ("declared",),
    ("mutant", ""): ("mutants",),
    ("jvm", ""): ("scenarios",),
    ("proof", proof_edges.NAME): ("systems", "formulas"),
    ("proof", ""): ("conditions", "controls", "certificates"),
}
"""Layer and name of rows -> the figures that the plan has of them; "" stands for every name."""


def declarations(mechanism: Mechanism, theorems: Sequence[prove.Declared]) -> Rows:
    """The rows of one mechanism by its declarations. ``theorems``: the project's, in their order.

    A graph that may be too large to be compared is explored for that.
    """

    def wants(*layers: str) -> bool:
        return True

    own_theorems = [item for item in theorems if item.mechanism == mechanism.name]
    profiles: dict[tuple[str, str], str] = {}
    for row in overall.rows(mechanism, wants):
        profiles[row.layer, row.name] = "fast"
    for profile in PROFILES:
        for job in (*plan(mechanism, profile, wants), *proofs(own_theorems, profile)):
            for key in job.makes:
                profiles.setdefault(key, profile)
    for config in mechanism.configs.values():
        key = "bisimulation", config.name
        if key in profiles and too_large(mechanism, config):
            del profiles[key]
    numbers = figures(mechanism, own_theorems)
    return {key: Planned(profile, numbers.get(key, {})) for key, profile in profiles.items()}


def too_large(mechanism: Mechanism, config: Config) -> bool:
    """Whether a config has no bisimulation: its graph without silent steps has too many states."""
    if config.distinct is not None and config.distinct <= COMPARED:
        return False
    with temporary.folder("plan") as scratch:
        context = Context(mechanism, scratch).without(config.without)
        return Machine(context, config).reduced is None


def figures(
    mechanism: Mechanism, theorems: Iterable[prove.Declared]
) -> dict[tuple[str, str], dict[str, dict[str, Number]]]:
    """(layer, name) -> profile -> the numbers that rows have by their declarations."""
    claims, denials = controls.claims(mechanism)
    by_row: dict[tuple[str, str], dict[str, dict[str, Number]]] = {
        ("tlc", "controls"): _by_day(properties=len(claims), non_properties=len(denials)),
        ("graph", agreement.NAME): _by_day(
            properties=len(samples.invariants(mechanism)),
            witnesses=len(samples.witnesses(mechanism)),
        ),
        ("coverage", "labels"): _by_day(declared=len(mechanism.labels)),
    }
    if (pairs := sensitivity.listing(mechanism)) is not None:
        by_row["graph", sensitivity.NAME] = _by_day(pairs=len(pairs))
    for config in mechanism.configs.values():
        if config.keeps is not None:
            by_row["mutant", config.name] = {
                profile: {"mutants": len(refinement.machines(mechanism, config, profile))}
                for profile in PROFILES
            }
    for task in tasks(mechanism).values():
        if task.kind == CHANGE:
            scenarios = task.binding.changes[task.subject].scenarios
            by_row["jvm", task.name] = _by_day(scenarios=len(scenarios))
    if proof_edges.declared(mechanism):
        by_row["proof", proof_edges.NAME] = _by_day(**proof_edges.parts(mechanism))
    for item in theorems:
        numbers = _by_day(conditions=dict(item.conditions), controls=len(item.controls))
        if item.certified:
            more = {"certificates": sum(item.conditions.values())}
            numbers[item.certified] = {**numbers.get(item.certified, {}), **more}
        by_row["proof", item.name] = numbers
    return by_row


def _by_day(**numbers: Number) -> dict[str, dict[str, Number]]:
    return {"fast": {figure: number for figure, number in numbers.items() if number}}


def part(
    whole: Plan, options: VerifyOptions, absent: Collection[str] = (), stale: Collection[str] = ()
) -> Plan:
    """The rows that a run with these options has to make.

    ``absent``: the layers that cannot run on this machine. ``stale``: the mechanisms whose
    translation is stale, which ends their verification. A theorem that is named is proved in either
    profile, and no row over all scenarios is made then.
    """
    partial = overall.partial(options.layers, bool(options.only))
    rows_due: Plan = {}
    for mechanism, rows in whole.items():
        for key, row in rows.items():
            layer, name = key
            over_all = next((row_ for row_ in overall.ROWS if (row_.layer, row_.name) == key), None)
            if over_all:
                is_due = over_all.made_by(partial, bool(options.only)) and not options.theorems
            else:
                is_due = options.covers(mechanism, layer, name)
            if (
                is_due
                and (not options.mechanisms or mechanism in options.mechanisms)
                and (options.layers is None or layer in options.layers)
                and (options.profile == "nightly" or row.profile == "fast" or options.theorems)
                and not (options.theorems and key == ("proof", proof_edges.NAME))
                and layer not in absent
                and mechanism not in stale
            ) or (mechanism, *key) in options.lost:
                rows_due.setdefault(mechanism, {})[key] = row
    return rows_due


def compare(
    rows: Iterable[Row], whole: Plan, due: Plan, profile: str, stale: Collection[str] = ()
) -> tuple[list[Row], list[Row]]:
    """The rows, and those that are missing, each with the verdict error.

    ``due``: the part of the ``whole`` plan that the run has to make. A row in order that the plan
    does not have, or that has other numbers of parts, has the verdict error, too.
    """
    keys: dict[str, set[tuple[str, str]]] = {}
    judgement = []
    for row in rows:
        keys.setdefault(row.mechanism, set()).add((row.layer, row.name))
        plan = whole.get(row.mechanism, {}).get((row.layer, row.name))
        if row.ok and row.mechanism not in stale and (fault := differs(row, plan, profile)):
            why = "; ".join(filter(None, [fault, row.why]))
            row = replace(row, ok=False, verdict=Verdict.ERROR, property=None, why=why)
        judgement.append(row)
    missing = [
        Row(
            mechanism,
            layer,
            name,
            Verdict.EXHAUSTIVE,
            Verdict.ERROR,
            why=f"spec/{FILE} has this check, and the run did not carry it out; where that is "
            f"meant: `{COMMAND}`",
        )
        for mechanism, plan in due.items()
        for layer, name in plan
        if (layer, name) not in keys.get(mechanism, ())
    ]
    return judgement, missing


def differs(row: Row, plan: Planned | None, profile: str) -> str:
    """How a row differs from its plan; "" where it does not."""
    if plan is None:
        return f"spec/{FILE} does not have this check; where it is meant: `{COMMAND}`"
    names = FIGURES.get((row.layer, row.name)) or FIGURES.get((row.layer, ""), ())
    numbers = {figure: row.figures[figure] for figure in names if figure in row.figures}
    if not (changes := list(unlike(plan.numbers(profile), numbers))):
        return ""
    return f"not as spec/{FILE} has it: {', '.join(changes)}; where that is meant: `{COMMAND}`"
