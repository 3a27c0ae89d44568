"""``wheelproof locks``: the graph of a project's locks, documented or collected."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wheelproof.commands.options import Drawn, Output, Subject
from wheelproof.errors import NothingChecked

if TYPE_CHECKING:
    from wheelproof.report.lock_graph import LockGraph


def locks(
    to: Annotated[Drawn, typer.Option("--to", help="What to print it as.")] = Drawn.TEXT,
    root: Subject = Path("."),
    output: Output = Path("build"),
) -> None:
    """Print in which order the implementation takes its locks, as text or as a picture."""
    from wheelproof import project
    from wheelproof.project import lock_order
    from wheelproof.report import lock_graph

    declaration = lock_order.read(root, project.find(root))
    graph = (
        collection(root, output) if declaration is None else lock_graph.documentation(declaration)
    )
    writers = {Drawn.TEXT: lock_graph.text, Drawn.SVG: lock_graph.svg, Drawn.DOT: lock_graph.dot}
    sys.stdout.write(writers[to](graph))


def collection(root: Path, output: Path) -> LockGraph:
    """The graph of the last run in a folder; raises NothingChecked where it has none."""
    from wheelproof import reading
    from wheelproof.project.lock_order import FILE
    from wheelproof.report import lock_graph
    from wheelproof.verdict import RESULTS_FILE, read_results

    file = output / RESULTS_FILE
    rows = []
    if reading.there(file):
        rows = [row for row in read_results(file).rows if row.name == "lock_order"]
    if not rows:
        raise NothingChecked(
            f"{root} has no {FILE}, and {file} has no row lock_order.",
            "Run `wheelproof verify`, which collects the order of locks.",
        )
    return lock_graph.collection(rows)
