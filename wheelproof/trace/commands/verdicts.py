"""``wheelproof trace check``, ``replay`` and ``shrink``: verdicts on traces, and their reasons."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace import declared
from wheelproof.trace.commands import shown
from wheelproof.trace.commands.options import (
    EXIT,
    Subject,
    TraceFile,
    app,
    files_of,
    named_as_trace,
    write,
)
from wheelproof.trace.judges import Engine, Judges

if TYPE_CHECKING:
    from wheelproof.trace.format.heads import Header
    from wheelproof.trace.format.parts import TraceError
    from wheelproof.trace.judging.verdict import Finding, Verdict

Judged: TypeAlias = "list[tuple[Path, Verdict]]"
"""Traces with their verdicts."""
Unreadable: TypeAlias = "list[tuple[Path, TraceError]]"
"""Files that are no traces, with the reasons."""


Traces = Annotated[
    list[Path],
    typer.Argument(
        metavar="TRACE", help="Traces, or folders, which are searched all the way down."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Verdicts as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print the verdict line only.")]
ChosenEngine = Annotated[
    Engine | None,
    typer.Option(
        "--engine",
        help="The model's own steps alone; or the table of rules in bulk, on Spark or in memory. "
        "Without: the table for traces of events, and the model where a program is named, as in "
        "recordings of labelled operations.",
    ),
]
Master = Annotated[
    str,
    typer.Option(
        "--master", metavar="URL", help="Spark's master; without, this machine's processors."
    ),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="Heap of Spark's driver; 2g without."),
]
Scratch = Annotated[
    Path | None,
    typer.Option(
        "--scratch",
        metavar="DIR",
        help="Where Spark puts what does not fit into memory; all machines of a cluster must "
        "share it.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--output", metavar="DIR", help="Where Spark's report goes, as trace-check.json."),
]


@app.command()
def check(
    paths: Traces,
    as_json: Json = False,
    quiet: Quiet = False,
    engine: ChosenEngine = None,
    master: Master = "",
    memory: Memory = None,
    scratch: Scratch = None,
    output: Report = None,
    root: Subject = Path("."),
) -> None:
    """Say of each trace whether it conforms, by the model's own steps or by rules, and why not."""
    if not root.is_dir():
        raise UsageError(
            f"{root}: there is no such folder.",
            "Give the folder that holds spec/ with --subject, or leave it away.",
        )
    declared.use(root)
    if engine in (Engine.SPARK, Engine.MEMORY):
        from wheelproof.pipeline import command

        project_actions = known_actions(root)
        if engine is Engine.SPARK:
            heap = "2g" if memory is None else memory
            options = command.options_of(master, heap, scratch)
            raise typer.Exit(
                command.run(paths, options, output, as_json, quiet, labels=project_actions)
            )
        if master or memory is not None or scratch:
            raise UsageError(
                "--master, --memory and --scratch are Spark's.", "Write --engine spark."
            )
        raise typer.Exit(command.run_here(paths, output, as_json, quiet, project_actions))
    if master or memory is not None or scratch or output:
        raise UsageError(
            "--master, --memory, --scratch and --output are Spark's.", "Add --engine spark."
        )
    verdicts, unreadable = _row_of(paths, Judges(root, engine))
    if as_json:
        _print_json(verdicts, unreadable)
    else:
        _print_text(verdicts, unreadable, quiet)
    for _, error in unreadable:
        print(f"wheelproof: {error}", file=sys.stderr)
    codes = {EXIT[verdict.verdict] for _, verdict in verdicts} | ({2} if unreadable else set())
    raise typer.Exit(min(codes - {0}, default=0))


def known_actions(root: Path) -> Mapping[str, frozenset[str]]:
    """The actions of a project's mechanisms; empty where there is no project.

    Traces of any producer are checked there too, and then no one knows which actions they lack.
    """
    from wheelproof import project
    from wheelproof.pipeline import actions

    return actions.table(project.find(root)) if any((root / "spec").glob("*.toml")) else {}


def _row_of(paths: list[Path], judges: Judges) -> tuple[Judged, Unreadable]:
    """The verdict on each trace, and the error of each file that is none."""
    from wheelproof.trace.judging.verdict import Verdict

    verdicts: Judged = []
    unreadable: Unreadable = []
    for path, verdict in judged(files_of(paths), judges):
        if isinstance(verdict, Verdict):
            verdicts.append((path, verdict))
        else:
            unreadable.append((path, verdict))
    return verdicts, unreadable


def judged(paths: Iterable[Path], judges: Judges) -> Iterator[tuple[Path, Verdict | TraceError]]:
    """The verdict on each trace, or why its file is none, in the order of the paths.

    Traces of events that follow each other are judged by the table together.
    """
    from wheelproof.pipeline import law
    from wheelproof.trace.format.parts import TraceError

    waiting: list[Path] = []
    for path in paths:
        try:
            verdict: Verdict | TraceError | None = judges.alone(path)
        except TraceError as error:
            verdict = error
        if verdict is None:
            waiting.append(path)
            continue
        yield from law.verdicts(waiting, judges.followed)
        waiting.clear()
        yield path, verdict
    yield from law.verdicts(waiting, judges.followed)


def verdict_on(path: Path, judges: Judges) -> Verdict:
    """The verdict on one trace. Raises TraceError where the file is none."""
    from wheelproof.trace.judging.verdict import Verdict

    ((_, verdict),) = judged([path], judges)
    if not isinstance(verdict, Verdict):
        raise verdict
    return verdict


def _print_json(verdicts: Judged, unreadable: Unreadable) -> None:
    rows: list[dict[str, object]] = [
        {
            "file": str(path),
            "verdict": verdict.verdict,
            "events": verdict.events,
            "applied": dict(sorted(verdict.applied.items())),
            "findings": [shown.as_data(finding) for finding in verdict.findings],
            "notes": list(verdict.notes),
        }
        for path, verdict in verdicts
    ]
    rows += [
        {
            "file": str(path),
            "verdict": None,
            "line": error.line,
            "field": error.field,
            "message": error.message,
        }
        for path, error in unreadable
    ]
    sys.stdout.write(
        json.dumps({"schema": "wheelproof.trace.verdicts/1", "verdicts": rows}, indent=1) + "\n"
    )


def _print_text(verdicts: Judged, unreadable: Unreadable, quiet: bool) -> None:
    """A row for each verdict unless ``quiet``, then how many there are of each."""
    from wheelproof.trace.judging.verdict import VERDICTS

    if not quiet:
        for path, verdict in verdicts:
            shown.print_row(path, verdict)
    counts = {name: sum(verdict.verdict == name for _, verdict in verdicts) for name in VERDICTS}
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    if unreadable:
        parts.append(f"{len(unreadable)} unreadable")
    print(
        f"{', '.join(parts)} of {len(verdicts) + len(unreadable)} traces, "
        f"{sum(verdict.events for _, verdict in verdicts):,} events"
    )


@app.command()
def replay(
    trace: TraceFile,
    model: Annotated[
        bool,
        typer.Option("--model", help="Follow it with the model's own steps instead of the rules."),
    ] = False,
    oracle: Annotated[
        bool,
        typer.Option(
            "--oracle", help="Do so, and ask TLC about the events up to the failure, or to the end."
        ),
    ] = False,
    last: Annotated[
        int | None,
        typer.Option("--last", metavar="N", min=1, help="How many events TLC checks."),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            "--window", metavar="A:B", help="Ask TLC about the events of these lines instead."
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            metavar="NAME=VALUE",
            help="With --model: a field of the program that is inferred from the events.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the module for TLC goes.")
    ] = Path("build/slices"),
    root: Subject = Path("."),
) -> None:
    """Take one trace through the rules or the model: where it leaves them, and the events
    before."""
    declared.use(root)
    if (last is not None or window is not None) and not oracle:
        raise UsageError("--last and --window choose events for TLC.", "Add --oracle.")
    if last is not None and window is not None:
        raise UsageError("--last and --window cannot be given both.", "Choose one.")
    if fields and (oracle or not model):
        raise UsageError("--field is of an inferred program.", "Add --model, without --oracle.")
    from wheelproof.trace.steps.format import is_recording

    if is_recording(trace):
        if oracle:
            raise UsageError(f"{trace}: TLC checks traces of events only.", "Leave --oracle.")
        if fields:
            raise UsageError(f"{trace}: its program is in its header.", "Leave --field.")
        _replay_steps(trace, root)
    if model or oracle:
        from wheelproof import project
        from wheelproof.trace.model import report

        mechanisms = project.find(root)
        verdict, lines = (
            report.by_oracle(trace, mechanisms, output, last, window)
            if oracle
            else report.by_model(trace, mechanisms, _pairs(fields or []))
        )
        print("\n".join(lines))
        raise typer.Exit(EXIT[verdict])
    _replay_by_rules(trace, root)


def _pairs(fields: list[str]) -> dict[str, str]:
    if wrong := [field for field in fields if "=" not in field]:
        raise UsageError(f"--field {wrong[0]} is no NAME=VALUE.")
    return dict(field.split("=", 1) for field in fields)


def _replay_steps(trace: Path, root: Path) -> None:
    verdict = verdict_on(trace, Judges(root))
    shown.print_row(trace, verdict)
    if verdict.first is not None and verdict.first.event is not None:
        print(f"  possible here: {'; '.join(verdict.first.enabled) or 'nothing'}")
        shown.print_steps(trace, verdict.first.line)
    raise typer.Exit(EXIT[verdict.verdict])


def _replay_by_rules(trace: Path, root: Path) -> None:
    verdict = verdict_on(trace, Judges(root))
    shown.print_row(trace, verdict)
    finding = verdict.first
    if verdict.verdict == "violates" and finding is not None:
        if finding.event is not None:
            print(f"  {shown.Shown(_header(trace)).event(finding.event)}")
        _print_reasons(trace, finding)
    for further in verdict.findings[1:10]:
        print(f"  {shown.where(trace, further)}{further.property}: {further.message}")
    if not verdict.findings:
        rules = ", ".join(f"{name} {count:,}" for name, count in sorted(verdict.applied.items()))
        print(f"  looked at: {rules}")
    raise typer.Exit(EXIT[verdict.verdict])


def _header(trace: Path) -> Header:
    from wheelproof.trace.judging.replay import reader_of

    return reader_of(trace).header


def _print_reasons(trace: Path, finding: Finding) -> None:
    """Print the steps that the model could take instead, and the events that led there."""
    if finding.enabled:
        print(f"  possible here: {'; '.join(finding.enabled)}")
    print("  what led there:")
    print_reasons(trace)


def print_reasons(trace: Path) -> None:
    """Print the few events that show why a trace is refused."""
    from wheelproof.pipeline.shrinking import shrunk

    small = shrunk(trace)
    if small is not None:
        shown.print_shrunk(small)


@app.command()
def shrink(
    trace: TraceFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where the shrunk trace goes; beside the trace without.",
        ),
    ] = None,
    root: Subject = Path("."),
) -> None:
    """Find the few events that make a trace a violation."""
    declared.use(root)
    from wheelproof.pipeline.shrinking import shrunk
    from wheelproof.trace.judging.replay import before_a_cut, reader_of
    from wheelproof.trace.steps.format import is_recording

    if output is not None:
        named_as_trace(output)
    if is_recording(trace):
        raise UsageError(
            f"{trace}: a recording of labelled operations is not shrunk.",
            "`wheelproof trace replay` shows the step that is refused, and what led there.",
        )
    small = shrunk(trace)
    if small is None:
        raise NothingChecked(
            f"{trace}: no rule refuses it, so that there is nothing to shrink.",
            "`wheelproof trace check` says what else it lacks.",
        )
    target = output or trace.with_name(f"{trace.name.partition('.')[0]}-shrunk.jsonl")
    write(target, small.header, small.events, small.footer)
    events = sum(1 for _ in before_a_cut(reader_of(trace)))
    print(f"{target}: {len(small.events)} of {events:,} events")
    print(f"  {small.property}: {small.message}")
    shown.print_shrunk(small)
    raise typer.Exit(1)
