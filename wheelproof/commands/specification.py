"""``wheelproof tla``: any module of TLA+ with a cfg file, explored here and by TLC."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wheelproof.errors import Inconclusive, NothingChecked, ToolError, UsageError, WheelproofError

if TYPE_CHECKING:
    from wheelproof.tla.plain.comparison import Comparison, Subject
    from wheelproof.tla.plain.machine import Machine

STATES = 1_000_000
SECONDS = 3600.0


def tla(
    spec: Annotated[Path | None, typer.Argument(metavar="SPEC", help="A module of TLA+.")] = None,
    config: Annotated[
        Path | None, typer.Argument(metavar="CFG", help="Its cfg file; by default beside it.")
    ] = None,
    library: Annotated[
        list[Path] | None,
        typer.Option("--library", metavar="DIR", help="A folder with modules that it extends."),
    ] = None,
    states: Annotated[
        int, typer.Option("--states", metavar="N", min=1, help="The most states.")
    ] = STATES,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=1, help="The seconds that TLC has.")
    ] = SECONDS,
    follow: Annotated[
        Path | None,
        typer.Option("--follow", metavar="FILE", help="Follow a behaviour in ITF instead."),
    ] = None,
    itf: Annotated[
        Path | None,
        typer.Option("--itf", metavar="FILE", help="Write the violating behaviour in ITF."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="FILE", help="Write the state graph in JSON.")
    ] = None,
) -> None:
    """Explore a specification, have TLC check it, and compare the counts of states."""
    from wheelproof.tla.plain.comparison import Subject

    if spec is None:
        raise NothingChecked("No specification is named.", "Name a module: SPEC.")
    subject = Subject(spec, config or spec.with_suffix(".cfg"), tuple(library or ()))
    if not subject.config.is_file():
        raise UsageError(f"There is no file {subject.config}.", "Name the cfg file.")
    if follow is not None:
        raise typer.Exit(_follow(subject, follow))
    raise typer.Exit(_check(subject, states, timeout, itf, graph))


def _check(
    subject: Subject, limit: int, timeout: float, itf: Path | None, graph: Path | None
) -> int:
    """Explore and compare; the exit code."""
    from wheelproof import documents
    from wheelproof.tla.plain import behaviours
    from wheelproof.tla.plain.comparison import Agreement, compare

    machine = subject.machine()
    comparison = compare(subject, machine, limit, timeout)
    explored = comparison.explored
    if explored is None:
        assert comparison.refusal is not None
        raise comparison.refusal
    _print(subject, comparison)
    if graph is not None:
        documents.write_text(graph, behaviours.graph(machine, explored), "Name another file.")
        print(f"written: {graph}")
    if explored.violated and itf is not None:
        about = f"{explored.violated} is violated"
        text = behaviours.itf(machine, explored.trace(), about)
        documents.write_text(itf, text, "Name another file.")
        print(f"written: {itf}")
    match comparison.agreement:
        case Agreement.NO_TLC:
            raise _no_verdict(comparison)
        case Agreement.DIFFERENT:
            raise ToolError(
                f"The counts of {subject.module} differ from TLC's.",
                "One of both is wrong: report it with the module and the cfg file.",
            )
    if explored.violated:
        _show(subject, machine, comparison)
    return int(bool(explored.violated or comparison.tlc.property))


def _no_verdict(comparison: Comparison) -> WheelproofError:
    from wheelproof.tlc.result import Outcome

    reason = f"TLC gives no verdict: {comparison.tlc.explanation}"
    if comparison.tlc.outcome is Outcome.INCONCLUSIVE:
        return Inconclusive(reason, "Raise --timeout.")
    return ToolError(reason, "Correct the specification, or choose another jar: TLA2TOOLS_JAR.")


def _print(subject: Subject, comparison: Comparison) -> None:
    """The counts of both, and the properties that TLC alone has judged."""
    from wheelproof.tla.plain.comparison import Agreement

    explored, result = comparison.explored, comparison.tlc
    assert explored is not None
    lines = [
        ("", "distinct", "generated", "ended"),
        (
            "wheelproof",
            f"{explored.distinct:,}",
            f"{explored.generated:,}",
            f"{explored.violated} violated" if explored.violated else "nothing violated",
        ),
        (
            "TLC",
            "-" if result.distinct is None else f"{result.distinct:,}",
            "-" if result.generated is None else f"{result.generated:,}",
            f"{result.property} violated" if result.property else str(result.outcome),
        ),
    ]
    print(f"{subject.module.stem}, {subject.config.name}: {comparison.agreement}")
    for name, distinct, generated, ended in lines:
        print(f"  {name:<10} {distinct:>12} {generated:>12}  {ended}")
    if comparison.agreement is Agreement.DISTINCT and comparison.uncounted:
        places = "; ".join(map(str, comparison.uncounted))
        print(f"  TLC takes the body of a function apart: {places}")
    if comparison.properties:
        print(f"  by TLC alone: {', '.join(comparison.properties)}")


def _show(subject: Subject, machine: Machine, comparison: Comparison) -> None:
    """The violating behaviour in columns."""
    from wheelproof.console import can_encode, console, print_lines
    from wheelproof.counterexample import columns, specified
    from wheelproof.tlc import mc

    assert comparison.explored is not None
    files = {file.stem: file for file in mc.closure(subject.module, subject.libraries)}
    trace = specified.counterexample(machine, comparison.explored, files)
    target = console()
    glyphs = columns.UNICODE if can_encode(sys.stdout, columns.UNICODE.all()) else columns.ASCII
    lines = columns.render(trace, target.width, subject.module.parent, None, False, glyphs)
    print_lines(target, lines)


def _follow(subject: Subject, file: Path) -> int:
    """Follow a behaviour of a file; 1 where it is none of the module."""
    from wheelproof.tla.plain import behaviours

    machine = subject.machine()
    states = behaviours.read(file, machine.variables)
    _, refusal = behaviours.follow(machine, states)
    if refusal is None:
        print(f"{file}: a behaviour of {machine.module.name}, {len(states) - 1} steps")
        return 0
    print(f"{file}, state {refusal.index}: no behaviour of {machine.module.name}")
    print(f"  possible steps: {', '.join(refusal.possible) or 'none'}")
    if refusal.nearest:
        print(f"  nearest: {refusal.nearest}, and there")
        for name, (there, here) in refusal.differences.items():
            print(f"    {name} is {here}, not {there}")
    return 1
