"""The common part of the commands of ``wheelproof trace``: the group, its options and files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from wheelproof import reading
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.folders import SUFFIXES, below, is_trace
from wheelproof.trace.format.heads import Footer, Header

app = typer.Typer(
    no_args_is_help=True,
    help="Recordings: what real threads did, checked by the model or by rules. "
    "Counterexamples are for `wheelproof show` and `replay`.",
)

Subject = Annotated[
    Path,
    typer.Option(
        "--subject", metavar="DIR", help="The folder with spec, model, impl, harness and mutants."
    ),
]
TraceFile = Annotated[
    Path, typer.Argument(metavar="TRACE", help="A trace: .jsonl, .jsonl.gz or .parquet.")
]


EXIT = {"conforms": 0, "violates": 1, "incomplete": 3, "out-of-model": 3, "vacuous": 5}
"""Verdict -> exit code."""


def named_as_trace(path: Path) -> None:
    """A trace under another name would be found in no folder, and read as something else."""
    if not is_trace(path):
        raise UsageError(
            f"{path} is no trace by its name.", f"Names of traces end in {', '.join(SUFFIXES)}."
        )


def write(path: Path, header: Header, events: Iterable[Event], footer: Footer) -> None:
    """Write a trace in the form that its name says."""
    from wheelproof.trace.format import jsonl

    if path.suffix == ".parquet":
        from wheelproof.trace.format import parquet

        parquet.write(path, header, events, footer)
    else:
        jsonl.write(path, header, events, footer)


def files_of(paths: Iterable[Path]) -> list[Path]:
    traces = []
    for path in paths:
        if path.is_dir():
            traces += below(path)
        elif reading.there(path):
            traces.append(path)
        else:
            raise UsageError(
                f"{path}: there is no such file or folder.", "Give the path of a trace."
            )
    if not traces:
        raise NothingChecked(
            "No trace was found.", f"A folder's traces are its files {', '.join(SUFFIXES)}."
        )
    return traces
