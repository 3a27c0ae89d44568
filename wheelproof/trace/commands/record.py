"""``wheelproof trace record`` and ``examples``: what real threads do, written down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace import declared
from wheelproof.trace.commands import shown
from wheelproof.trace.commands.options import Subject, app, named_as_trace, write
from wheelproof.trace.judges import Judges

if TYPE_CHECKING:
    from wheelproof.project.mechanism import Mechanism


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
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
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
    root: Subject = Path("."),
) -> None:
    """Run a scenario on real threads and write down what they do."""
    declared.use(root)
    from wheelproof import project
    from wheelproof.trace.format.schema import KINDS
    from wheelproof.trace.recording.record import record as make

    named_as_trace(output)
    if schedule is not None and (scenario is not None or random is not None):
        raise UsageError(
            "A counterexample has its own scenario and steps.",
            "Leave the scenario and --random away, or --schedule.",
        )
    wanted = None if kinds is None else [name.strip() for name in kinds.split(",") if name.strip()]
    if wanted == []:
        raise UsageError("--kinds names no kind of event.", f"Known kinds: {', '.join(KINDS)}.")
    for name in wanted or ():
        if name not in KINDS:
            raise UsageError(
                f"There is no kind of event {name!r}.", f"Known kinds: {', '.join(KINDS)}."
            )
    mechanisms = project.find(root)
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
            (step.thread, step.named) for step in story.steps if step.label not in found.silent
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
    if steps is None and random is not None:
        from wheelproof.trace.examples import random_schedule

        steps = random_schedule(found, scenario, random)
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
        write(output, made.header, made.events, made.footer)
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
    root: Subject = Path("."),
) -> None:
    """Write a folder of traces to try the checks on: runs that conform, and one of each mutant."""
    declared.use(root)
    from wheelproof import project
    from wheelproof.trace import examples as of_events
    from wheelproof.trace.steps import examples as of_steps
    from wheelproof.trace.steps.format import Recording

    mechanisms = project.find(root)
    for name in names or ():
        if name not in mechanisms:
            raise UsageError(
                f"There is no mechanism {name!r}.", f"Known mechanisms: {', '.join(mechanisms)}."
            )
    judges = Judges(root)
    written: list[tuple[Path, Any]] = []
    for mechanism in names or mechanisms:
        if labels or not has_events(mechanisms[mechanism]):
            written += of_steps.write(output, mechanisms[mechanism], seed)
        else:
            written += of_events.write(output, mechanisms, mechanism, seed)
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
