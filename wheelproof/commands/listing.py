"""``wheelproof list``: the declarations of a project, and the command that rewrites counts.

Counts come from two independent explorers. They are rewritten only where TLC's and the model's are
equal, and the difference to the declared ones is printed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from wheelproof import documents, project
from wheelproof.checks import prove, refinement
from wheelproof.checks.context import Context, counts_of, graph_config
from wheelproof.checks.jobs import kind_of
from wheelproof.console import console
from wheelproof.errors import ToolError, UsageError
from wheelproof.graph.explorer import explore
from wheelproof.project import counts
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.tlc.result import Outcome


def run(
    root: Path,
    names: Sequence[str] = (),
    *,
    configs: Sequence[str] = (),
    update_counts: bool = False,
    as_json: bool = False,
) -> int:
    """Print the inventory of mechanisms, or rewrite their configs' counts; the exit code.

    ``names``: of mechanisms, all where empty.

    ``configs``: the configs whose counts are rewritten, all without. Raises UsageError on one that
    no mechanism has.
    """
    mechanisms = {stem: m for stem, m in project.find(root).items() if stem in names or not names}
    if unknown := [
        name for name in configs if not any(name in m.configs for m in mechanisms.values())
    ]:
        raise UsageError(
            f"there is no config {', '.join(unknown)}.", "`wheelproof list` prints their names."
        )
    if update_counts:
        return max([update(mechanism, configs) for mechanism in mechanisms.values()])
    theorems = prove.declared(root)
    if as_json:
        print(
            documents.encode(
                {
                    "schema": "wheelproof.list/1",
                    "mechanisms": {
                        stem: {
                            "title": m.title,
                            "properties": {n: asdict(p) for n, p in m.properties.items()},
                            "configs": {n: asdict(c) for n, c in m.configs.items()},
                            "mutants": {n: asdict(x) for n, x in m.mutants.items()},
                            "composed": {n: asdict(x) for n, x in m.composed.items()},
                            "faults": {n: asdict(x) for n, x in m.faults.items()},
                            "theorems": {
                                item.name: asdict(item)
                                for item in theorems
                                if item.mechanism == stem
                            },
                        }
                        for stem, m in mechanisms.items()
                    },
                }
            ),
            end="",
        )
    else:
        for mechanism in mechanisms.values():
            show(mechanism, [item for item in theorems if item.mechanism == mechanism.stem])
    return 0


def show(mechanism: Mechanism, theorems: Sequence[prove.Declared] = ()) -> None:
    """One mechanism's configs, mutants and theorems as tables."""
    out = console()
    configs = Table(
        "config",
        "kind",
        "profile",
        "must show",
        "distinct",
        "what it is",
        title=f"{mechanism.title} ({mechanism.stem})",
    )
    for config in mechanism.configs.values():
        kind = kind_of(mechanism, config)
        shows = (
            config.expect
            if config.expect == "exhaustive" and not config.property
            else f"{config.expect}: {config.property}"
        )
        shows += f", but for {', '.join(config.fails)}" if config.fails else ""
        about = config.about or mechanism.scenarios[config.scenario].get("about", "")
        configs.add_row(
            config.name,
            "safety" if kind == "config" else kind,
            config.profile,
            shows,
            f"{config.distinct:,}" if config.distinct else "",
            about,
        )
    for entry in mechanism.composed.values():
        shows = "violated: Composition" if entry.mutant and not entry.equivalent else "exhaustive"
        configs.add_row(
            entry.name,
            "composed",
            entry.profile,
            shows,
            "",
            entry.about or mechanism.scenarios[entry.scenario].get("about", ""),
        )
    for fault in mechanism.faults.values():
        configs.add_row(
            fault.name, "fault", fault.profile, f"violated: {fault.property}", "", fault.about
        )
    mutants = Table("mutant", "decision", "killed by", "in scenario", "what goes wrong")
    for mutant in mechanism.mutants.values():
        mutants.add_row(
            mutant.name,
            mutant.decision,
            mutant.property or "equivalent",
            mutant.scenario,
            mutant.race or mutant.equivalent,
        )
    out.print(configs)
    out.print(mutants)
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


def update(mechanism: Mechanism, only: Sequence[str] = ()) -> int:
    """Measure the counts of each config (or of ``only``) twice and rewrite ``counts.json``.

    Returns 1 if TLC and the model differ anywhere, else 0.
    """
    folder, failed = mechanism.spec.parent, False
    known = counts.read(folder)
    mine = known.setdefault(mechanism.stem, {})
    with tempfile.TemporaryDirectory(prefix="wheelproof-counts-") as scratch:
        context = Context(mechanism, Path(scratch), "nightly")
        for config in mechanism.configs.values():
            if only and config.name not in only:
                continue
            found, fault = measure(context.without(config.without), config)
            old = {name: getattr(config, name) for name in counts.NAMES}
            if fault:
                failed = True
                print(f"{config.name}: not rewritten: {fault}", flush=True)
            elif found and found != old:
                changes = ", ".join(
                    f"{name} {old[name]} -> {found[name]}"
                    for name in counts.NAMES
                    if old[name] != found[name]
                )
                print(f"{config.name}: {changes}", flush=True)
                mine[config.name] = found
            else:
                print(f"{config.name}: as declared", flush=True)
    known[mechanism.stem] = {name: mine[name] for name in mechanism.configs if name in mine}
    counts.write(folder, known)
    return int(failed)


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
            config.name, config, deadlock=False, **refinement.stated(context, config)
        )
    else:
        result = context.tlc(config.name, plain, deadlock=False)
    if result.outcome is not Outcome.COMPLETED:
        raise ToolError(f"{config.name}: {result.explanation}")
    theirs = {name: count for name, count in counts_of(result).items() if count is not None}
    if kind == "refinement":
        return theirs, ""  # another module's states, which no model has
    graph = explore(context.mechanism.model(config.scenario))
    mine = {"generated": graph.generated, "distinct": graph.distinct, "depth": graph.depth}
    return theirs, "" if mine == theirs else f"TLC has {theirs}, the model {mine}"
