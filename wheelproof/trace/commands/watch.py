"""``wheelproof trace watch``: recordings in a folder, judged while they grow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wheelproof.trace import declared
from wheelproof.trace.commands.options import Subject, app
from wheelproof.trace.commands.verdicts import Master, Memory, Scratch, known_actions


@app.command()
def watch(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Folder in which recordings grow: every .jsonl below it."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Where violations.jsonl, trace-check.json and the state of the watch go. With "
            "the same folder a watch goes on where it was.",
        ),
    ] = Path("build/watch"),
    once: Annotated[
        bool, typer.Option("--once", help="End with the lines that are there, as trace check.")
    ] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Print when each rule is judged, and end.")
    ] = False,
    master: Master = "",
    memory: Memory = None,
    scratch: Scratch = None,
    root: Subject = Path("."),
) -> None:
    """Judge recordings as they grow, by the rules of the table, and print each violation."""
    declared.use(root)
    if rules:
        from wheelproof.pipeline.watch import moments

        print("\n".join(moments.table(declared.part("bulk").FAMILIES)))
        raise typer.Exit(0)
    from wheelproof.pipeline import command, session

    actions = known_actions(root)
    session.check()
    from wheelproof.pipeline.watch import stream  # which imports pyspark

    options = command.options_of(master, "2g" if memory is None else memory, scratch)
    raise typer.Exit(stream.run(source, options, output, actions, once))
