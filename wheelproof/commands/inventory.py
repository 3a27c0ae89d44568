"""The command ``wheelproof list``, with its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wheelproof.commands.options import (
    Configs,
    Json,
    Mutants,
    Profile,
    Scenarios,
    Subject,
    mechanisms_of,
)
from wheelproof.errors import UsageError


def list_(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(metavar="MECHANISM", help="Which to list; all without.")
    ] = None,
    config: Configs = None,
    mutant: Mutants = None,
    scenario: Scenarios = None,
    root: Subject = Path("."),
    update_counts: Annotated[
        bool,
        typer.Option(
            "--update-counts",
            help="Rewrite the declared state counts, and what breaks each property; "
            "--config sensitivity: the latter alone.",
        ),
    ] = False,
    update_plan: Annotated[
        bool,
        typer.Option(
            "--update-plan",
            help="Rewrite spec/plan.json, the checks that a run is compared with, and print what "
            "differs: after a check, a theorem or a condition was added or taken away.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """List mechanisms, scenarios, configs and mutants, with the expected result of each."""
    from wheelproof.commands import listing, planning
    from wheelproof.commands.selection import selection, split_names

    mechanisms_there = mechanisms_of(root, mechanisms or [])
    configs = split_names("--config", config)
    mutants, scenarios = split_names("--mutant", mutant), split_names("--scenario", scenario)
    if update_counts and (mutants or scenarios or as_json):
        raise UsageError("--update-counts rewrites counts of configs.", "Name them by --config.")
    if update_plan and (configs or mutants or scenarios or as_json or update_counts):
        raise UsageError("--update-plan rewrites the plan of mechanisms.", "Name mechanisms alone.")
    if update_plan:
        raise typer.Exit(planning.update(root, mechanisms_there, not mechanisms))
    names = [name_ for name_ in configs if not update_counts or name_ != listing.SENSITIVITY]
    only = selection(mechanisms_there, Profile.NIGHTLY.value, names, mutants, scenarios)
    raise typer.Exit(
        listing.update_all(mechanisms_there, configs)
        if update_counts
        else listing.run(root, mechanisms_there, only, as_json=as_json)
    )
