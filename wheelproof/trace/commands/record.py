"""``wheelproof trace record`` and ``examples``: the steps of real threads, written down."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace import declared
from wheelproof.trace.commands import shown
from wheelproof.trace.commands.options import Subject, app, named_as_trace, write
from wheelproof.trace.commands.verdicts import judged, print_reasons
from wheelproof.trace.judges import Judges

if TYPE_CHECKING:
    from wheelproof.project.mechanism import Mechanism

Steps = list[tuple[str, str]]
"""A schedule: the thread and the label of each step that is not silent."""


MechanismName = Annotated[str, typer.Argument(metavar="MECHANISM", help="Whose scenario to run.")]
ScenarioName = Annotated[
    str | None,
    typer.Argument(metavar="SCENARIO", help="Its name in the TOML; not needed with --schedule."),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where the trace goes; .parquet needs the extra data.",
    ),
]
Decision = Annotated[
    str | None,
    typer.Option(
        "--mutant", metavar="DECISION", help="Run the implementation without this decision."
    ),
]
Schedule = Annotated[
    Path | None,
    typer.Option(
        "--schedule",
        metavar="COUNTEREXAMPLE",
        help="Run the steps of a counterexample, one by one.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--random",
        metavar="SEED",
        min=0,
        help="Run a random schedule of the model; without, threads run freely.",
    ),
]
KindNames = Annotated[
    str | None, typer.Option("--kinds", metavar="A,B", help="Record only these kinds of event.")
]
ByLabels = Annotated[
    bool,
    typer.Option(
        "--steps",
        help="Record labelled operations; without, only where no label names an event.",
    ),
]


@app.command()
def record(
    mechanism: MechanismName,
    scenario: ScenarioName = None,
    output: Output = Path("build/traces/recording.jsonl"),
    mutant: Decision = None,
    schedule: Schedule = None,
    random: Seed = None,
    kinds: KindNames = None,
    labels: ByLabels = False,
    root: Subject = Path("."),
) -> None:
    """Run a scenario on real threads and write down their operations."""
    declared.use(root)
    from wheelproof import project

    named_as_trace(output)
    if schedule is not None and (scenario is not None or random is not None):
        raise UsageError(
            "A counterexample has its own scenario and steps.",
            "Leave the scenario and --random away, or --schedule.",
        )
    kind_names = None if kinds is None else _kinds_of(kinds)
    mechanisms = project.find(root)
    _check_mechanism(mechanism, mechanisms)
    subject = mechanisms[mechanism]
    steps: Steps | None = None
    if schedule is not None:
        scenario, decision, steps = _of_counterexample(schedule, subject)
        mutant = mutant or decision
    scenario = _scenario_of(subject, scenario)
    if steps is None and random is not None:
        from wheelproof.trace.examples import random_schedule

        steps = random_schedule(subject, scenario, random)
    if not labels and has_events(subject):
        _record_events(output, mechanisms, mechanism, scenario, mutant, steps, kind_names)
        return
    if kind_names is not None:
        raise UsageError(f"{mechanism} is recorded by its labels.", "Leave --kinds away.")
    _record_steps(output, subject, scenario, mutant, steps)


def _kinds_of(text: str) -> list[str]:
    """The kinds of event that an option names, at least one. UsageError for an unknown one."""
    from wheelproof.trace.format.schema import KINDS

    catalogue = f"Known kinds: {', '.join(KINDS)}."
    selection = [name.strip() for name in text.split(",") if name.strip()]
    if not selection:
        raise UsageError("--kinds names no kind of event.", catalogue)
    for name in selection:
        if name not in KINDS:
            raise UsageError(f"There is no kind of event {name!r}.", catalogue)
    return selection


def _check_mechanism(name: str, mechanisms: Mapping[str, Mechanism]) -> None:
    if name not in mechanisms:
        raise UsageError(
            f"There is no mechanism {name!r}.", f"Known mechanisms: {', '.join(mechanisms)}."
        )


def _of_counterexample(path: Path, mechanism: Mechanism) -> tuple[str, str, Steps]:
    """Scenario, decision and visible steps of a mechanism's counterexample."""
    from wheelproof.counterexample import document

    story = document.read(path)
    if story.mechanism != mechanism.name:
        raise UsageError(
            f"{path} is a counterexample of {story.mechanism}.",
            f"Record {story.mechanism}.",
        )
    steps = [
        (step.thread, step.named) for step in story.steps if step.label not in mechanism.silent
    ]
    return story.scenario, story.impl_without, steps


def _scenario_of(mechanism: Mechanism, name: str | None) -> str:
    """A scenario's name. UsageError where the mechanism has none of this name."""
    scenarios = ", ".join(mechanism.scenarios)
    if name is None:
        raise UsageError("No scenario is named.", f"Scenarios of {mechanism.name}: {scenarios}.")
    if name not in mechanism.scenarios:
        raise UsageError(
            f"{mechanism.name} has no scenario {name!r}.", f"Its scenarios: {scenarios}."
        )
    return name


def _record_events(
    output: Path,
    mechanisms: Mapping[str, Mechanism],
    mechanism: str,
    scenario: str,
    mutant: str | None,
    schedule: Steps | None,
    kinds: list[str] | None,
) -> None:
    from wheelproof.trace.recording.record import record as make

    recording = make(
        mechanisms,
        mechanism,
        scenario,
        output.name.partition(".")[0],
        mutant=mutant,
        schedule=schedule,
        kinds=kinds,
    )
    if output.suffix == ".parquet":
        write(output, recording.header, recording.events, recording.footer)
    else:
        recording.write(output)
    print(f"{output}: {len(recording.events)} events of {len(recording.header['threads'])} threads")


def _record_steps(
    output: Path,
    mechanism: Mechanism,
    scenario: str,
    mutant: str | None,
    schedule: Steps | None,
) -> None:
    from wheelproof.trace.steps.record import record as make

    if output.suffix == ".parquet":
        raise UsageError(f"{output}: labelled operations are written as JSON Lines.")
    run_id = output.name.partition(".")[0]
    recording = make(mechanism, scenario, run_id, mutant=mutant or "", schedule=schedule)
    recording.write(output)
    print(f"{output}: {len(recording.events)} events of {len(recording.header['threads'])} threads")


def has_events(mechanism: Mechanism) -> bool:
    """Whether some label of a mechanism names its kind of event."""
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
    check: Annotated[
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
    from wheelproof.trace.judging.verdict import Verdict
    from wheelproof.trace.recording.record import Recorded
    from wheelproof.trace.steps import examples as of_steps
    from wheelproof.trace.steps.format import Recording

    mechanisms = project.find(root)
    for name in names or ():
        _check_mechanism(name, mechanisms)
    judges = Judges(root)
    files: list[tuple[Path, Recorded | Recording]] = []
    for mechanism in names or mechanisms:
        if labels or not has_events(mechanisms[mechanism]):
            files += of_steps.write(output, mechanisms[mechanism], seed)
        else:
            files += of_events.write(output, mechanisms, mechanism, seed)
    if not files:
        raise NothingChecked("No example was written.", "No scenario comes to an end.")
    verdicts = dict(judged([path for path, _ in files], judges)) if check else {}
    wrong = []
    for path, trace in files:
        if not check:
            print(f"{path}: {len(trace.events)} events")
            continue
        verdict = verdicts[path]
        if not isinstance(verdict, Verdict):
            raise verdict
        shown.print_row(path, verdict)
        if verdict.verdict != ("violates" if trace.mutant else "conforms"):
            wrong.append(path)
        if verdict.verdict == "violates" and not isinstance(trace, Recording):
            print_reasons(path)
    if check:
        mutants = sum(bool(trace.mutant) for _, trace in files)
        print(
            f"{len(files)} traces, {mutants} of mutants: "
            + (f"not as expected: {', '.join(map(str, wrong))}" if wrong else "each as expected")
        )
    raise typer.Exit(1 if wrong else 0)
