"""Chaos on a real ensemble of ZooKeeper: ``python -m real.chaos --help``."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from impl.controller import Place
from real.chaos import pipeline, recording
from real.chaos.candidate import NOTED, PARTITIONS
from real.chaos.ensemble import NODES, Ensemble
from real.chaos.judge import Violation
from real.chaos.processes import group
from real.chaos.round import CANDIDATES, Outcome, Round
from real.chaos.variants import AS_IT_IS, CONTROLS, Variant, without
from real.zookeeper.server import RELEASE
from wheelproof.errors import NothingChecked, ToolError, WheelproofError

SHOWN = 5
LONGEST_S = 90.0
"""How long a control runs, if its property is not broken before."""

START_S, PATIENCE = 180, 2
"""The whole run ends within the time that it takes to start, and so many times its length."""

INTERRUPTED = 130
WON = NOTED[Place.CHECK_EPOCH]


def main(arguments: list[str] | None = None) -> int:
    """0 where the elector holds and each control is found, 1 where it does not hold.

    Else an error's code: 5 if a control is not found, nothing happened, or nothing can run here.
    """
    parser = argparse.ArgumentParser(
        prog="python -m real.chaos",
        description="Run the elector of the controller on a real ensemble, with faults.",
    )
    parser.add_argument(
        "--seconds", type=float, default=30, help="how long the elector as it is runs (default: 30)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the faults (default: 1)")
    parser.add_argument(
        "--without",
        action="append",
        metavar="DECISION",
        help="run the elector without a decision of mutants/controller alone; several may be given",
    )
    parser.add_argument(
        "--engine",
        choices=pipeline.ENGINES,
        default=pipeline.ENGINES[0],
        help="what checks the histories as traces (default: memory)",
    )
    parser.add_argument(
        "--traces", type=Path, metavar="DIR", help="keep the histories there, as traces"
    )
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder for the logs")
    options = parser.parse_args(arguments)
    if not 1 <= options.seconds <= 3600:
        parser.error("--seconds: give a number from 1 to 3600")
    options.output.mkdir(parents=True, exist_ok=True)
    output = Path(tempfile.mkdtemp(prefix="chaos-", dir=options.output)).resolve()
    code = ToolError.exit_code
    try:
        code = run(output, options)
    except WheelproofError as error:
        print(f"real.chaos: {error}", file=sys.stderr)
        code = int(error.exit_code)
    except KeyboardInterrupt:
        print("real.chaos: interrupted", file=sys.stderr)
        code = INTERRUPTED
    finally:
        if code and any(output.iterdir()):
            print(f"real.chaos: the logs are in {output}", file=sys.stderr)
        else:
            shutil.rmtree(output)
    return code


def run(output: Path, options: argparse.Namespace) -> int:
    """Run the elector and the controls, or the named controls alone."""
    names: Sequence[str] | None = options.without
    seconds, seed = options.seconds, options.seed
    controls = [without(name, output) for name in dict.fromkeys(names or CONTROLS)]
    bound = START_S + PATIENCE * (seconds + len(controls) * LONGEST_S)
    outcomes: dict[str, Outcome] = {}
    with time_limit(bound), group() as processes:
        ensemble = Ensemble(processes, output)
        print(
            f"ZooKeeper {RELEASE}, {NODES} nodes, {len(CANDIDATES)} candidates, "
            f"{PARTITIONS} partitions, seed {seed}",
            flush=True,
        )
        violations = 0
        if not names:
            outcome = Round(ensemble, processes, AS_IT_IS, seed, output).run(seconds, False)
            print("\n".join(describe(outcome)), flush=True)
            violations = len(outcome.judge.violations)
            outcomes[AS_IT_IS.name] = outcome
        misses = []
        for control in controls:
            outcome = Round(ensemble, processes, control, seed, output).run(LONGEST_S, True)
            print(control_line(control, outcome), flush=True)
            misses += [] if expected_violations(control, outcome) else [control.name]
            outcomes[control.name] = outcome
        print(as_traces(outcomes, options.traces or output / "traces", options.engine), flush=True)
    if misses and not violations:
        raise NothingChecked(
            f"Chaos does not find {', '.join(misses)}.", "Take another --seed, or leave it to TLC."
        )
    return 1 if violations else 0


def as_traces(outcomes: Mapping[str, Outcome], folder: Path, engine: str) -> str:
    """Write the histories as traces, and have them checked; the result is a sentence.

    Raises ToolError where the rules and the judge differ about one of them.
    """
    files = []
    for name, outcome in outcomes.items():
        files.append(folder / f"{name.replace(' ', '-')}.jsonl.gz")
        recording.write(files[-1], name, outcome.evidence)
    result = pipeline.check(files, engine)
    for name, outcome in outcomes.items():
        pipeline.compare(name, outcome.judge.violations, result)
    violations = sum(map(len, result.broken.values()))
    return (
        f"as traces: {len(files)} runs, {result.events:,} events, engine {engine}: "
        f"{violations:,} violations, the same ones"
    )


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises ToolError where the block has not ended in time."""

    def late(number: int, frame: FrameType | None) -> None:
        raise ToolError(f"The run has not ended within {seconds:.0f} s.")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def describe(outcome: Outcome) -> list[str]:
    """The counts of the history of the elector as it is, and its violations."""
    counts, facts = outcome.judge.counts, outcome.facts
    violations = outcome.judge.violations
    return [
        f"the elector as it is, {outcome.seconds:.0f} s: {len(violations):,} violations",
        f"  history: {counts['transactions']:,} transactions, {counts['elections']:,} elections, "
        f"{counts['writes']:,} writes, {counts['changes of an ISR']:,} changes of an ISR, "
        f"{counts['acknowledged']:,} transactions acknowledged",
        f"  refused: {counts['refused']:,} transactions; {facts[WON]:,} elections were won "
        f"although the reply was lost",
        *(f"  faults: {number:,} {kind}" for kind, number in sorted(outcome.faults.items())),
        *(f"  {violation}" for violation in violations[:SHOWN]),
    ]


def expected_violations(control: Variant, outcome: Outcome) -> list[Violation]:
    """The violations of the properties that the control is to break."""
    return [
        violation for violation in outcome.judge.violations if violation.property in control.broken
    ]


def control_line(control: Variant, outcome: Outcome) -> str:
    """The result of a control, in a line."""
    begin = f"without {control.name}, {outcome.seconds:.0f} s"
    elections = f"{outcome.judge.counts['elections']:,} elections"
    first = expected_violations(control, outcome)[:1] or outcome.judge.violations[:1]
    return f"{begin}, {elections}: {first[0] if first else 'no violation'}"


if __name__ == "__main__":
    sys.exit(main())
