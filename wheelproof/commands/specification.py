"""``wheelproof tla``: any module of TLA+ with a cfg file, explored here and by TLC."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wheelproof.errors import Inconclusive, NothingChecked, ToolError, UsageError, WheelproofError

if TYPE_CHECKING:
    from wheelproof.counterexample.document import Counterexample
    from wheelproof.tla.driving.adapter import Adapter
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
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Write results and review.html there."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="FILE", help="Explain a log in NDJSON instead.")
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", metavar="FILE", help="What the events of the log mean: TOML."),
    ] = None,
    drive: Annotated[
        str | None,
        typer.Option(
            "--drive", metavar="FILE:CLASS", help="Drive an adapter of a program instead."
        ),
    ] = None,
    jar: Annotated[
        list[Path] | None,
        typer.Option("--jar", metavar="FILE", help="A jar that an adapter in Java needs."),
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option("--examples", metavar="DIR", help="Compare all small models of a clone."),
    ] = None,
) -> None:
    """Explore a specification, have TLC check it, and compare the counts of states."""
    from wheelproof.tla.plain.comparison import Subject

    if examples is not None:
        from wheelproof.commands import examples as many

        raise typer.Exit(many.run(examples, states, timeout))
    if spec is None:
        raise NothingChecked("No specification is named.", "Name a module: SPEC.")
    config = config or spec.with_suffix(".cfg")
    if not config.is_file():
        raise UsageError(f"There is no file {config}.", "Name the cfg file.")
    subject = Subject.with_libraries(spec, config, tuple(library or ()))
    if log is not None:
        if mapping is None:
            raise UsageError("A log needs a mapping to the specification.", "Name one: --mapping.")
        raise typer.Exit(_explain(subject, log, mapping, timeout))
    if drive is not None:
        with _adapter(drive, jar or ()) as adapter:
            raise typer.Exit(_drive(subject, adapter, follow, states))
    if follow is not None:
        raise typer.Exit(_follow(subject, follow))
    raise typer.Exit(_check(subject, states, timeout, itf, graph, output))


def _check(
    subject: Subject,
    limit: int,
    timeout: float,
    itf: Path | None,
    graph: Path | None,
    output: Path | None,
) -> int:
    """Explore and compare; the exit code."""
    from wheelproof import documents
    from wheelproof.tla.plain import behaviours
    from wheelproof.tla.plain.comparison import Agreement, compare

    machine = subject.machine()
    comparison = compare(subject, machine, limit, timeout)
    exploration = comparison.explored
    if exploration is None:
        assert comparison.refusal is not None
        raise comparison.refusal
    _print(subject, comparison)
    if graph is not None:
        documents.write_text(graph, behaviours.graph(machine, exploration), "Name another file.")
        print(f"written: {graph}")
    if exploration.violated and itf is not None:
        about = f"{exploration.violated} is violated"
        text = behaviours.itf(machine, exploration.trace(), about)
        documents.write_text(itf, text, "Name another file.")
        print(f"written: {itf}")
    trace = _trace(subject, machine, comparison) if exploration.violated else None
    if output is not None:
        from wheelproof.commands import specified

        print(f"written: {specified.publish(output, subject, comparison, trace)}")
    match comparison.agreement:
        case Agreement.NO_TLC if not comparison.tlc.property:
            raise _no_verdict(comparison)
        case Agreement.DIFFERENT:
            raise ToolError(
                f"The counts of {subject.module} differ from TLC's.",
                "One of both is wrong: report it with the module and the cfg file.",
            )
    if trace is not None:
        _show(subject, trace)
    return int(bool(exploration.violated or comparison.tlc.property))


def _no_verdict(comparison: Comparison) -> WheelproofError:
    from wheelproof.tlc.result import Outcome

    reason = f"TLC gives no verdict: {comparison.tlc.explanation}"
    if comparison.tlc.outcome is Outcome.INCONCLUSIVE:
        return Inconclusive(reason, "Raise --timeout.")
    return ToolError(reason, "Correct the specification, or choose another jar: TLA2TOOLS_JAR.")


def _print(subject: Subject, comparison: Comparison) -> None:
    """The counts of both, and the properties that TLC alone has judged."""
    from wheelproof.tla.plain.comparison import Agreement

    exploration, result = comparison.explored, comparison.tlc
    assert exploration is not None
    lines = [
        ("", "distinct", "generated", "ended"),
        (
            "wheelproof",
            f"{exploration.distinct:,}",
            f"{exploration.generated:,}",
            f"{exploration.violated} violated" if exploration.violated else "nothing violated",
        ),
        (
            "TLC",
            "-" if result.distinct is None else f"{result.distinct:,}",
            "-" if result.generated is None else f"{result.generated:,}",
            f"{result.property} violated" if result.property else str(result.outcome),
        ),
    ]
    print(f"{subject.module.stem}, {subject.config.name}: {comparison.agreement}")
    for name, distinct, state_count, outcome in lines:
        print(f"  {name:<10} {distinct:>12} {state_count:>12}  {outcome}")
    if comparison.agreement is Agreement.DISTINCT and comparison.uncounted:
        places = "; ".join(map(str, comparison.uncounted))
        print(f"  TLC takes the body of a function apart: {places}")
    if comparison.properties:
        print(f"  by TLC alone: {', '.join(comparison.properties)}")


def _trace(subject: Subject, machine: Machine, comparison: Comparison) -> Counterexample:
    """The violating behaviour, as counterexamples are."""
    from wheelproof.counterexample import specified
    from wheelproof.tlc import mc

    assert comparison.explored is not None
    files = {file.stem: file for file in mc.closure(subject.module, subject.libraries)}
    return specified.counterexample(machine, comparison.explored, files)


def _show(subject: Subject, trace: Counterexample) -> None:
    """A behaviour in columns."""
    from wheelproof.console import can_encode, console, print_lines
    from wheelproof.counterexample import columns

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


def _explain(subject: Subject, file: Path, mapping: Path, timeout: float) -> int:
    """Search a behaviour that explains a log; 1 where there is none."""
    from wheelproof.tla.logs import confirmed, refusals
    from wheelproof.tla.logs import mapping as mappings
    from wheelproof.tla.logs.search import Search

    machine = subject.machine()
    rules = mappings.rules(mapping, machine)
    events = mappings.read(file, rules)
    search = Search(machine, rules.hidden)
    verdict = search.run(events)
    if verdict.pending:
        print(f"{file}: no behaviour of {machine.module.name}", end="")
        print(f" explains more than {verdict.explained} of {len(events)} events")
        print("\n".join(refusals.explain(search, events, verdict).lines()))
    else:
        print(f"{file}: explained by {machine.module.name}, {len(events)} events")
    try:
        by_tlc = confirmed.explained(subject, machine, events, rules.hidden, timeout)
    except confirmed.Unconfirmed as reason:
        print(f"not confirmed by TLC: {reason}")
    else:
        if by_tlc == bool(verdict.pending):
            raise ToolError(
                f"TLC finds {'a' if by_tlc else 'no'} behaviour that explains {file}.",
                "One of both is wrong: report it with the module, the log and the mapping.",
            )
        print("confirmed by TLC")
    return int(bool(verdict.pending))


def _adapter(place: str, jars: Sequence[Path]) -> AbstractContextManager[Adapter]:
    """The adapter ``FILE:CLASS``, in Python or in Java."""
    from wheelproof.tla.driving import adapter

    if place.rpartition(":")[0].endswith(".java"):
        from wheelproof.jvm import driven

        return driven.run(place, jars)
    return nullcontext(adapter.load(place))


def _drive(subject: Subject, adapter: Adapter, follow: Path | None, limit: int) -> int:
    """Drive a program by the edges of the graph, or by one behaviour; 1 for a difference."""
    from wheelproof.tla.driving.driver import Driver
    from wheelproof.tla.plain import behaviours, exploration

    machine = subject.machine()
    driver = Driver(machine, adapter)
    if follow is None:
        graph = exploration.explore(machine, limit)
        if graph.violated:
            raise UsageError(
                f"{machine.module.name} breaks {graph.violated}, so its graph is not whole.",
                "Correct the specification before a program is compared with it.",
            )
        report = driver.cover(graph)
    else:
        states = behaviours.read(follow, machine.variables)
        labels, refusal = behaviours.follow(machine, states)
        if refusal is not None:
            raise UsageError(
                f"{follow}, state {refusal.index}, is none of a behaviour.",
                "Follow the file without --drive to see why.",
            )
        report = driver.behaviour(labels, states)
    print(
        f"{machine.module.name} drives {adapter.name}: {report.covered} of {report.edges}", end=""
    )
    print(f" edges, {report.runs} runs, {report.steps} steps")
    if not report.difference:
        return 0
    print(f"different after {', '.join(report.trail) or 'the beginning'}:")
    print("\n".join(f"  {line}" for line in report.difference))
    return 1
