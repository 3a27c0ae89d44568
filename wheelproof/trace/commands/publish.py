"""``wheelproof trace publish``: recordings into a topic of Kafka."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wheelproof.errors import UsageError
from wheelproof.trace import topics
from wheelproof.trace.commands.options import app, files_of


@app.command()
def publish(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... TOPIC",
            help="Recordings .jsonl or .jsonl.gz, or folders of them, and kafka://HOST:PORT/TOPIC.",
        ),
    ],
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Follow files .jsonl that grow, also some that are not there yet, until each has "
            "its footer.",
        ),
    ] = False,
    create: Annotated[
        int | None,
        typer.Option(
            "--create",
            metavar="PARTITIONS",
            min=1,
            help="Make the topic with so many partitions where it is absent.",
        ),
    ] = None,
) -> None:
    """Send recordings to a topic, each line as a record, for `trace watch`."""
    *names, last = words
    address = topics.parsed(last)
    if not names:
        raise UsageError("No recording is named.", f"Name files before {last}.")
    paths = [Path(word) for word in names]
    from wheelproof.trace.publishing import run

    files = paths if follow else files_of(paths)
    raise typer.Exit(run(files, address, follow, create))
