"""``wheelproof list``: the declarations of a project, and the command that rewrites counts.

Counts come from two independent explorers. They are rewritten only where TLC's and the model's are
equal, and the difference to the declared ones is printed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from wheelproof import documents
from wheelproof.checks import prove, refinement, sensitivity
from wheelproof.checks.context import Context, counts_of, graph_config
from wheelproof.checks.jobs import kind_of
from wheelproof.checks.samples import invariants
from wheelproof.console import console
from wheelproof.errors import ToolError, UsageError
from wheelproof.graph.explorer import explore
from wheelproof.project import counts
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.tlc import mc, translation
from wheelproof.tlc.refusals import refuses
from wheelproof.tlc.result import Outcome

FOLDER = Path("build", "counts")
"""The folder of the measurements in that of the project. Messages name its logs."""

SENSITIVITY = sensitivity.NAME
"""The check that ``--update-counts`` rewrites beside the counts of configs."""


def run(
    root: Path,
    mechanisms: Mapping[str, Mechanism],
    only: Collection[tuple[str, str]] = (),
    *,
    as_json: bool = False,
) -> int:
    """Print the inventory of mechanisms; the exit code.

    ``only``: the checks that are listed, as (mechanism, name); all without. Theorems are listed
    where no checks are named.
    """
    theorems = [] if only else prove.declared(root)
    if as_json:
        print(
            documents.encode(
                {
                    "schema": "wheelproof.list/1",
                    "mechanisms": {
                        name: {
                            "title": m.title,
                            "properties": {n: asdict(p) for n, p in m.properties.items()},
                            "configs": _entries_of(m, m.configs, only),
                            "mutants": _entries_of(m, m.mutants, only),
                            "composed": _entries_of(m, m.composed, only),
                            "faults": _entries_of(m, {} if only else m.faults, only),
                            "theorems": {
                                item.name: asdict(item)
                                for item in theorems
                                if item.mechanism == name
                            },
                        }
                        for name, m in mechanisms.items()
                    },
                }
            ),
            end="",
        )
    else:
        for mechanism in mechanisms.values():
            if not only or any(name == mechanism.name for name, _ in only):
                own_theorems = [item for item in theorems if item.mechanism == mechanism.name]
                show(mechanism, own_theorems, only)
    return 0


def _entries_of(
    mechanism: Mechanism, entries: Mapping[str, Any], only: Collection[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    return {
        name: asdict(entry)
        for name, entry in entries.items()
        if not only or (mechanism.name, name) in only
    }


def show(
    mechanism: Mechanism,
    theorems: Sequence[prove.Declared] = (),
    only: Collection[tuple[str, str]] = (),
) -> None:
    """One mechanism's configs, mutants and theorems as tables; of the first two ``only`` some."""
    out = console()

    def is_listed(name: str) -> bool:
        return not only or (mechanism.name, name) in only

    configs = Table(
        "config",
        "kind",
        "profile",
        "must show",
        "distinct",
        "what it is",
    )
    for config in mechanism.configs.values():
        if not is_listed(config.name):
            continue
        kind = kind_of(mechanism, config)
        shows = (
            config.expect
            if config.expect == "exhaustive" and not config.property
            else f"{config.expect}: {config.property}"
        )
        shows += f", but for {', '.join(config.fails)}" if config.fails else ""
        about = config.about or _about(mechanism, config.scenario)
        configs.add_row(
            config.name,
            "safety" if kind == "config" else kind,
            config.profile,
            shows,
            f"{config.distinct:,}" if config.distinct else "",
            about,
        )
    for entry in mechanism.composed.values():
        if not is_listed(entry.name):
            continue
        shows = "violated: Composition" if entry.mutant and not entry.equivalent else "exhaustive"
        configs.add_row(
            entry.name,
            "composed",
            entry.profile,
            shows,
            "",
            entry.about or _about(mechanism, entry.scenario),
        )
    for fault in [] if only else mechanism.faults.values():
        configs.add_row(
            fault.name, "fault", fault.profile, f"violated: {fault.property}", "", fault.about
        )
    mutants = Table("mutant", "decision", "killed by", "in scenario", "what goes wrong")
    for mutant in filter(lambda mutant: is_listed(mutant.name), mechanism.mutants.values()):
        mutants.add_row(
            mutant.name,
            mutant.decision,
            mutant.property or "equivalent",
            mutant.scenario,
            mutant.race or mutant.equivalent,
        )
    tables = [table for table in (configs, mutants) if table.row_count or not only]
    tables[0].title = f"{mechanism.title} ({mechanism.name})"
    for table in tables:
        out.print(table)
    if theorems:
        proofs = Table("theorem", "kind", "profile", "controls", "what it says")
        for item in theorems:
            proofs.add_row(
                item.name,
                "lemma" if item.is_lemma else "theorem",
                item.profile,
                str(len(item.controls) or ""),
                item.says,
            )
        out.print(proofs)


def _about(mechanism: Mechanism, scenario: str) -> str:
    return str(mechanism.scenarios[scenario].get("about", ""))


def update_all(mechanisms: Mapping[str, Mechanism], only: Sequence[str] = ()) -> int:
    """Rewrite the counts of all configs, or of ``only``; 1 where some could not be, else 0."""
    return max(update(mechanism, only) for mechanism in mechanisms.values())


def update(mechanism: Mechanism, only: Sequence[str] = ()) -> int:
    """Measure the counts of each config (or of ``only``) twice and rewrite ``counts.json``.

    Changes that break properties are drawn anew, unless ``only`` leaves out ``sensitivity``.
    Returns 1 if TLC and the model differ anywhere, else 0.
    """
    folder, failure = mechanism.spec.parent, False
    by_mechanism = counts.read(folder)
    own_counts = by_mechanism.setdefault(mechanism.name, {})
    for module in mc.closure(mechanism.spec):
        translation.require_current(module)
    context = Context(mechanism, mechanism.root / FOLDER, "nightly")
    for config in mechanism.configs.values():
        if only and config.name not in only:
            continue
        counts_of_run, fault = measure(context.without(config.without), config)
        old = {name: getattr(config, name) for name in counts.NAMES}
        if fault:
            failure = True
            print(f"{config.name}: not rewritten: {fault}", flush=True)
        elif counts_of_run and counts_of_run != old:
            changes = ", ".join(
                f"{name} {old[name]} -> {counts_of_run[name]}"
                for name in counts.NAMES
                if old[name] != counts_of_run[name]
            )
            print(f"{config.name}: {changes}", flush=True)
            own_counts[config.name] = counts_of_run
        else:
            print(f"{config.name}: as declared", flush=True)
    breaking = counts.read_broken(folder)
    if not only or SENSITIVITY in only:
        breaking[mechanism.name] = _what_breaks(context, breaking.get(mechanism.name, {}))
    by_mechanism[mechanism.name] = {
        name: own_counts[name] for name in mechanism.configs if name in own_counts
    }
    counts.write(folder, by_mechanism, breaking)
    return int(failure)


def _what_breaks(context: Context, old: counts.Breaking) -> counts.Breaking:
    """The changes that break each invariant; prints the difference from the old ones."""
    pairs, _, fault = sensitivity.in_both(context, sensitivity.breaking_pairs(context.mechanism))
    if fault:
        raise ToolError(f"{SENSITIVITY}: {fault['why']}")
    new = {
        name: sorted(change for invariant, change in pairs if invariant == name)
        for name in invariants(context.mechanism)
    }
    for name in dict.fromkeys([*old, *new]):
        before, after = set(old.get(name, ())), set(new.get(name, ()))
        for text, changes in (("no more", before - after), ("now", after - before)):
            if changes:
                print(f"{name}: {text} broken by {', '.join(sorted(changes))}", flush=True)
    if old == new:
        print(f"{SENSITIVITY}: as declared", flush=True)
    return new


def measure(context: Context, config: Config) -> tuple[dict[str, int], str]:
    """(counts, the difference between the explorers).

    A config that is expected to violate a temporal property has no whole graph and no counts.
    """
    kind = kind_of(context.mechanism, config)
    if config.expect == "violated" and kind != "config":
        return {}, ""
    plain = graph_config(config)
    if kind == "refinement":
        result = context.tlc(
            config.name, config, deadlock=False, **refinement.statement(context, config)
        )
    else:
        result = context.tlc(config.name, plain, deadlock=False)
    if result.outcome is not Outcome.COMPLETED:
        error = UsageError if refuses(result) else ToolError
        raise error(f"{config.name}: {result.explanation}")
    theirs = {name: count for name, count in counts_of(result).items() if count is not None}
    if kind == "refinement":
        return theirs, ""  # another module's states, which no model has
    graph = explore(context.mechanism.model(config.scenario))
    own_counts = {"generated": graph.generated, "distinct": graph.distinct, "depth": graph.depth}
    return theirs, "" if own_counts == theirs else f"TLC has {theirs}, the model {own_counts}"
