"""``wheelproof trace watch``: recordings in a folder or in a topic, judged while they grow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wheelproof.trace import declared, topics
from wheelproof.trace.commands.options import Subject, app
from wheelproof.trace.commands.verdicts import Master, Memory, Scratch, known_actions


@app.command()
def watch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Folder in which recordings grow: every .jsonl below it. Or a topic of Kafka: "
            "kafka://HOST:PORT/TOPIC.",
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
    json_lines: Annotated[
        bool,
        typer.Option("--json-lines", help="Print violations as JSON Lines, and nothing else."),
    ] = False,
    violations: Annotated[
        str,
        typer.Option(
            "--violations",
            metavar="TOPIC",
            help="Also send violations to a topic: kafka://HOST:PORT/TOPIC.",
        ),
    ] = "",
    metrics: Annotated[
        int | None,
        typer.Option(
            "--metrics",
            metavar="PORT",
            help="Serve a page, and /metrics for Prometheus, on this port of 127.0.0.1; 0: a "
            "free one.",
        ),
    ] = None,
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

    origin = stream.source_of(source)
    options = command.options_of(master, "2g" if memory is None else memory, scratch)
    watching = stream.Options(
        once=once,
        as_json=json_lines,
        violations=topics.parsed(violations) if violations else None,
        port=metrics,
    )
    raise typer.Exit(stream.run(origin, options, output, actions, watching))
