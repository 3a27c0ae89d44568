"""``wheelproof init``: a project that is in order from the start."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from wheelproof.commands.options import Subject


def init(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Such as my_lock.")] = "",
    root: Subject = Path("."),
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FILE:CLASS",
            help="Draft the specification of this class, which uses threading.",
        ),
    ] = "",
) -> None:
    """Write a small mechanism that is in order from the start, to be changed step by step."""
    from wheelproof import project, starter
    from wheelproof.commands import drafting, planning
    from wheelproof.errors import UsageError
    from wheelproof.project import planned

    if not name and not source:
        raise UsageError("There is no name.", "Give one, such as my_lock, or --from FILE:CLASS.")
    planned.read(root / "spec")
    at = "" if root == Path(".") else f" --subject {shlex.quote(str(root))}"
    if source:
        mechanism = drafting.write(root, source, name)
        print(f"\nCheck it:\n\n    wheelproof verify {mechanism.name}{at}")
        return
    for file in starter.write(root, name):
        print(file)
    planning.add(root, project.read(root / "spec" / f"{starter.module_of(name)}.toml"))
    module = root / "spec" / f"{starter.module_of(name)}.tla"
    print(
        f"\nEach labelled step of impl/{name}.py is one of spec/{module.name}.\n"
        "Check them, and look at a decision taken away:\n"
        f"\n    wheelproof verify {name}{at}"
        f"\n    wheelproof mutant {name}/Unlocked{at}\n"
        "\nThen change both by a step, and run these again.\n"
        "After a change of the specification:\n"
        f"\n    wheelproof translate {shlex.quote(str(module))}"
        f"\n    wheelproof list --update-counts{at}"
        f"\n    wheelproof list --update-plan{at}"
    )
