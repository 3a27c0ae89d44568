"""``wheelproof trace``: record a scenario or a folder of examples, check traces, replay one in detail, shrink one.

Exit codes: 0 all conform (or what was asked for was done); 1 a trace violates; 2 a file is no trace; 3 a trace is incomplete or out of the model; 5 nothing
was checked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace import declared, shown
from wheelproof.trace.folders import SUFFIXES, below, is_trace
from wheelproof.trace.judges import Engine, Judges

if TYPE_CHECKING:
    from wheelproof.project.mechanism import Mechanism

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


@app.command()
def record(
    mechanism: Annotated[str, typer.Argument(metavar="MECHANISM", help="Whose scenario to run.")],
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO", help="Its name in the TOML; not needed with --schedule."
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where the trace goes; .parquet needs the extra data.",
        ),
    ] = Path("build/traces/recording.jsonl"),
    mutant: Annotated[
        str | None,
        typer.Option(
            "--mutant", metavar="DECISION", help="Run the implementation without this decision."
        ),
    ] = None,
    schedule: Annotated[
        Path | None,
        typer.Option(
            "--schedule",
            metavar="COUNTEREXAMPLE",
            help="Run the steps of a counterexample, one by one.",
        ),
    ] = None,
    walk: Annotated[
        int | None,
        typer.Option(
            "--walk",
            metavar="SEED",
            min=0,
            help="Run a random schedule of the model; without, threads run freely.",
        ),
    ] = None,
    kinds: Annotated[
        str | None, typer.Option("--kinds", metavar="A,B", help="Record only these kinds of event.")
    ] = None,
    labels: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Record labelled operations; without, only where no label names an event.",
        ),
    ] = False,
    subject: Subject = Path("."),
) -> None:
    """Run a scenario on real threads and write down what they do."""
    declared.use(subject)
    from wheelproof import project
    from wheelproof.trace.record import record as make
    from wheelproof.trace.schema import KINDS

    _named_as_trace(output)
    if schedule is not None and (scenario is not None or walk is not None):
        raise UsageError(
            "A counterexample has its own scenario and steps.",
            "Leave the scenario and --walk away, or --schedule.",
        )
    wanted = None if kinds is None else [name.strip() for name in kinds.split(",") if name.strip()]
    if wanted == []:
        raise UsageError("--kinds names no kind of event.", f"Known kinds: {', '.join(KINDS)}.")
    for name in wanted or ():
        if name not in KINDS:
            raise UsageError(
                f"There is no kind of event {name!r}.", f"Known kinds: {', '.join(KINDS)}."
            )
    mechanisms = project.find(subject)
    if mechanism not in mechanisms:
        raise UsageError(
            f"There is no mechanism {mechanism!r}.", f"Known mechanisms: {', '.join(mechanisms)}."
        )
    found = mechanisms[mechanism]
    steps: list[tuple[str, str]] | None = None
    if schedule is not None:
        from wheelproof.counterexample import document

        story = document.read(schedule)
        if story.mechanism != mechanism:
            raise UsageError(
                f"{schedule} is a counterexample of {story.mechanism}.",
                f"Record {story.mechanism}.",
            )
        scenario, mutant = story.scenario, mutant or story.impl_without
        steps = [
            (step.thread, step.label) for step in story.steps if step.label not in found.silent
        ]
    if scenario is None:
        raise UsageError(
            "No scenario is named.", f"Scenarios of {mechanism}: {', '.join(found.scenarios)}."
        )
    if scenario not in found.scenarios:
        raise UsageError(
            f"{mechanism} has no scenario {scenario!r}.",
            f"Its scenarios: {', '.join(found.scenarios)}.",
        )
    if steps is None and walk is not None:
        from wheelproof.trace.examples import walked

        steps = walked(found, scenario, walk)
    if labels or not has_events(found):
        if wanted is not None:
            raise UsageError(f"{mechanism} is recorded by its labels.", "Leave --kinds away.")
        _record_steps(output, found, scenario, mutant, steps)
        return
    made = make(
        mechanisms,
        mechanism,
        scenario,
        output.name.partition(".")[0],
        mutant=mutant,
        schedule=steps,
        kinds=wanted,
    )
    if output.suffix == ".parquet":
        _write(output, made.header, made.events, made.footer)
    else:
        made.write(output)
    print(f"{output}: {len(made.events)} events of {len(made.header['threads'])} threads")


def _record_steps(
    output: Path,
    mechanism: Mechanism,
    scenario: str,
    mutant: str | None,
    schedule: list[tuple[str, str]] | None,
) -> None:
    from wheelproof.trace.steps.record import record as make

    if output.suffix == ".parquet":
        raise UsageError(f"{output}: labelled operations are written as JSON Lines.")
    run_id = output.name.partition(".")[0]
    made = make(mechanism, scenario, run_id, mutant=mutant or "", schedule=schedule)
    made.write(output)
    print(f"{output}: {len(made.events)} events of {len(made.header['threads'])} threads")


def has_events(mechanism: Mechanism) -> bool:
    """Whether some label of a mechanism says what kind of event it is."""
    return any(label.event for label in mechanism.labels.values())


@app.command()
def examples(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="MECHANISM", help="Whose examples; all without.")
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="The folder that the traces go to."),
    ] = Path("build/traces/examples"),
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Of the random runs.")
    ] = 1,
    checked: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Check and shrink each too: 0 if the mutants' are refused, and nothing else.",
        ),
    ] = False,
    labels: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Recordings of labelled operations; without, only where no label names an event.",
        ),
    ] = False,
    subject: Subject = Path("."),
) -> None:
    """Write a folder of traces to try the checks on: runs that conform, and one of each mutant."""
    declared.use(subject)
    from wheelproof import project
    from wheelproof.trace import examples as of_events
    from wheelproof.trace.steps import examples as of_steps
    from wheelproof.trace.steps.format import Recording

    mechanisms = project.find(subject)
    for name in names or ():
        if name not in mechanisms:
            raise UsageError(
                f"There is no mechanism {name!r}.", f"Known mechanisms: {', '.join(mechanisms)}."
            )
    judges = Judges(subject)
    written: list[tuple[Path, Any]] = []
    for stem in names or mechanisms:
        if labels or not has_events(mechanisms[stem]):
            written += of_steps.write(output, mechanisms[stem], seed)
        else:
            written += of_events.write(output, mechanisms, stem, seed)
    if not written:
        raise NothingChecked("No example was written.", "No scenario comes to an end.")
    wrong = []
    for path, trace in written:
        if not checked:
            print(f"{path}: {len(trace.events)} events")
            continue
        verdict = judges.verdict(path)
        shown.print_row(path, verdict)
        if verdict.verdict != ("violates" if trace.mutant else "conforms"):
            wrong.append(path)
        if verdict.verdict == "violates" and not isinstance(trace, Recording):
            shown.print_shrunk(path)
    if checked:
        mutants = sum(bool(trace.mutant) for _, trace in written)
        print(
            f"{len(written)} traces, {mutants} of mutants: "
            + (f"not as expected: {', '.join(map(str, wrong))}" if wrong else "each as expected")
        )
    raise typer.Exit(1 if wrong else 0)


@app.command()
def check(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE", help="Traces, or folders, which are searched all the way down."
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Verdicts as JSON on standard output.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the verdict line only.")] = False,
    engine: Annotated[
        Engine | None,
        typer.Option(
            "--engine",
            help="The model's own steps, rules event by event, or rules in bulk; without: the "
            "model for recordings of labelled operations, and rules for traces of events.",
        ),
    ] = None,
    master: Annotated[
        str,
        typer.Option(
            "--master", metavar="URL", help="Spark's master; without, this machine's processors."
        ),
    ] = "",
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="Heap of Spark's driver; 2g without."),
    ] = None,
    scratch: Annotated[
        Path | None,
        typer.Option(
            "--scratch",
            metavar="DIR",
            help="Where Spark puts what does not fit into memory; all machines of a cluster must share it.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="DIR", help="Where Spark's report goes, as trace-check.json."
        ),
    ] = None,
    subject: Subject = Path("."),
) -> None:
    """Say of each trace whether it conforms, by the model's own steps or by rules, and why not."""
    if not subject.is_dir():
        raise UsageError(
            f"{subject}: there is no such folder.",
            "Give the folder that holds spec/ with --subject, or leave it away.",
        )
    declared.use(subject)
    if engine is Engine.SPARK:
        from wheelproof import project
        from wheelproof.pipeline import actions, command

        # Traces of any producer are checked, also where no subject is: then it is not told which actions they lack.
        known = (
            actions.table(project.find(subject)) if any((subject / "spec").glob("*.toml")) else {}
        )
        raise typer.Exit(
            command.run(
                paths,
                command.options_of(master, "2g" if memory is None else memory, scratch),
                output,
                as_json,
                quiet,
                known=known,
            )
        )
    if master or memory is not None or scratch or output:
        raise UsageError(
            "--master, --memory, --scratch and --output are Spark's.", "Add --engine spark."
        )
    from wheelproof.trace.jsonl import TraceError
    from wheelproof.trace.replay import VERDICTS

    judges = Judges(subject, engine)
    verdicts, broken = [], []
    for path in _files(paths):
        try:
            verdicts.append((path, judges.verdict(path)))
        except TraceError as error:
            broken.append((path, error))
    counts = {name: sum(verdict.verdict == name for _, verdict in verdicts) for name in VERDICTS}
    if as_json:
        rows = [
            {
                "file": str(path),
                "verdict": verdict.verdict,
                "events": verdict.events,
                "applied": dict(sorted(verdict.applied.items())),
                "findings": [shown.as_data(finding) for finding in verdict.findings],
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
            for path, error in broken
        ]
        sys.stdout.write(
            json.dumps({"schema": "wheelproof.trace.verdicts/1", "verdicts": rows}, indent=1) + "\n"
        )
    else:
        if not quiet:
            for path, verdict in verdicts:
                shown.print_row(path, verdict)
        told = [f"{count} {name}" for name, count in counts.items() if count] + (
            [f"{len(broken)} unreadable"] if broken else []
        )
        print(
            f"{', '.join(told)} of {len(verdicts) + len(broken)} traces, {sum(verdict.events for _, verdict in verdicts):,} events"
        )
    for _, error in broken:
        print(f"wheelproof: {error}", file=sys.stderr)
    codes = {EXIT[verdict.verdict] for _, verdict in verdicts} | ({2} if broken else set())
    raise typer.Exit(min(codes - {0}, default=0))


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
        typer.Option("--last", metavar="N", min=1, help="How many events TLC is asked about."),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            "--window", metavar="A:B", help="Ask TLC about the events of these lines instead."
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the module for TLC goes.")
    ] = Path("build/slices"),
    subject: Subject = Path("."),
) -> None:
    """Take one trace through the rules or the model: where it leaves them, and what led there."""
    declared.use(subject)
    if (last is not None or window is not None) and not oracle:
        raise UsageError("--last and --window say what TLC is asked about.", "Add --oracle.")
    if last is not None and window is not None:
        raise UsageError("--last and --window cannot be given both.", "Choose one.")
    from wheelproof.trace.steps.format import is_recording

    if is_recording(trace):
        if oracle:
            raise UsageError(f"{trace}: TLC is asked about traces of events.", "Leave --oracle.")
        _replay_steps(trace, subject)
    if model or oracle:
        from wheelproof import project
        from wheelproof.trace import tiers

        mechanisms = project.find(subject)
        verdict, lines = (
            tiers.by_oracle(trace, mechanisms, output, last, window)
            if oracle
            else tiers.by_model(trace, mechanisms)
        )
        print("\n".join(lines))
        raise typer.Exit(EXIT[verdict])
    _replay_by_rules(trace)


def _replay_steps(trace: Path, subject: Path) -> None:
    verdict = Judges(subject).verdict(trace)
    shown.print_row(trace, verdict)
    if verdict.first is not None and verdict.first.event is not None:
        print(f"  possible here: {'; '.join(verdict.first.enabled) or 'nothing'}")
        shown.print_steps(trace, verdict.first.line)
    raise typer.Exit(EXIT[verdict.verdict])


def _replay_by_rules(trace: Path) -> None:
    from wheelproof.trace.replay import key_of
    from wheelproof.trace.replay import replay as judge

    verdict = judge(trace)
    shown.print_row(trace, verdict)
    finding = verdict.first
    if finding is not None and finding.event is not None:
        reader = shown.reader_of(trace)
        told = shown.Shown(reader.header)
        print(f"  {told.event(finding.event)}")
        print(f"  possible here, on the same things: {', '.join(finding.enabled) or 'nothing'}")
        shrunk = declared.part("shrink").shrink(
            reader.header,
            sorted(shown.events_of(reader), key=lambda item: key_of(item[1])),
            (reader.footer or {}).get("cut"),
        )
        if shrunk is not None:
            print("  what led there:")
            for line, event in shrunk.slice[-20:]:
                print(f"    line {line}: {told.event(event)}")
            if len(shrunk.slice) > 20:
                print(f"    (the last 20 of {len(shrunk.slice)} events)")
            print(f"  cheapest repair: {shrunk.repair}")
    else:
        for other in verdict.findings[1:10]:
            print(f"  {shown.where(trace, other)}{other.property}: {other.message}")
    if not verdict.findings:
        rules = ", ".join(f"{name} {count:,}" for name, count in sorted(verdict.applied.items()))
        print(f"  looked at: {rules}")
    raise typer.Exit(EXIT[verdict.verdict])


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
    subject: Subject = Path("."),
) -> None:
    """Find the few events that make a trace a violation, and the cheapest edit that would repair it."""
    declared.use(subject)
    from wheelproof.trace.replay import key_of
    from wheelproof.trace.steps.format import is_recording

    if output is not None:
        _named_as_trace(output)
    if is_recording(trace):
        raise UsageError(
            f"{trace}: a recording of labelled operations is not shrunk.",
            "`wheelproof trace replay` shows the step that is refused, and what led there.",
        )
    reader = shown.reader_of(trace)
    events = sorted(shown.events_of(reader), key=lambda item: key_of(item[1]))
    found = declared.part("shrink").shrink(reader.header, events, (reader.footer or {}).get("cut"))
    if found is None:
        raise NothingChecked(
            f"{trace}: no event of it is refused, so that there is nothing to shrink.",
            "`wheelproof trace check` says what else it lacks.",
        )
    target = output or trace.with_name(f"{trace.name.partition('.')[0]}-shrunk.jsonl")
    _write(target, found.header, found.events, found.footer)
    told = shown.Shown(found.header)
    print(f"{target}: {len(found.events)} of {len(events):,} events")
    for line, event in zip(found.lines, found.events):
        print(f"  line {line}: {told.event(event)}")
    print(f"  {found.property}: {found.message}")
    print(f"  cheapest repair: {found.repair}")
    raise typer.Exit(1)


def _named_as_trace(path: Path) -> None:
    """A trace under another name would be found in no folder, and read as something else."""
    if not is_trace(path):
        raise UsageError(
            f"{path} is no trace by its name.", f"Names of traces end in {', '.join(SUFFIXES)}."
        )


def _write(
    path: Path, header: dict[str, Any], events: Iterable[dict[str, Any]], footer: dict[str, Any]
) -> None:
    """Write a trace in the form that its name says."""
    from wheelproof.trace import jsonl

    if path.suffix == ".parquet":
        from wheelproof.trace import parquet

        parquet.write(path, header, events, footer)
    else:
        jsonl.write(path, header, events, footer)


def _files(paths: Iterable[Path]) -> list[Path]:
    found = []
    for path in paths:
        if path.is_dir():
            found += below(path)
        elif path.exists():
            found.append(path)
        else:
            raise UsageError(
                f"{path}: there is no such file or folder.", "Give the path of a trace."
            )
    if not found:
        raise NothingChecked(
            "No trace was found.", f"A folder's traces are its files {', '.join(SUFFIXES)}."
        )
    return found
