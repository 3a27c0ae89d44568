"""Records released Kafka, and checks the recordings: ``python -m real.record --help``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from real.d1.classes import HERE as D1
from real.record import broker, followed, report
from real.record.agent import HERE, Agent, build
from wheelproof.errors import WheelproofError
from wheelproof.pipeline import law
from wheelproof.trace import declared


@dataclass(frozen=True)
class Run:
    """One recording: ``expected`` is its verdict, ``found`` whether D1 must be in it. Without
    ``source`` it is one of brokers, ``nodes`` of them."""

    name: str
    source: Path | None
    program: Callable[[int], list[str]]
    expected: str
    has_occurrence: bool
    options: tuple[str, ...] = ("verify",)
    nodes: int = 1


RUNS = (
    Run(
        "load",
        HERE / "Load.java",
        lambda seconds: ["Load", str(1000 * seconds), "4", "400"],
        "conforms",
        False,
    ),
    Run("sound", D1 / "D1.java", lambda _: ["D1", "400", "1", "OTHER_SLOT"], "conforms", False),
    Run("d1", D1 / "D1.java", lambda _: ["D1", "400", "1", "STALLED"], "violates", True),
    Run("broker", None, lambda _: [], "conforms", False),
    Run("brokers", None, lambda _: [], "conforms", False, nodes=3),
)
PATIENCE_S = 600
"""The longest wait of D1 for its boundaries, and more;

the agent finds sooner that a program hangs.
"""
USUAL = ("load", "sound", "d1")
"""The recordings that are made where none is named: a broker needs 45 jars and a minute."""


def record_run(
    agent: Agent, run: Run, seconds: int, folder: Path, compress: bool = False
) -> list[Path]:
    """The files of one run of a program. Raises ToolError."""
    file = folder / f"{run.name}.jsonl{'.gz' if compress else ''}"
    if run.source is None:
        print(broker.record(agent, file, seconds, run.options, run.nodes))
        last = max(2, run.nodes)
        return [broker.file_of(file, node, run.nodes) for node in range(1, last)]
    path = agent.compile(run.source)
    agent.record(
        file, path, run.program(seconds), run.options, patience_s=PATIENCE_S + 10 * seconds
    )
    return [file]


def judge(run: Run, file: Path, bulk: str) -> bool:
    """Check a recording by the table and on the model, and print the results; whether all is as it
    must be."""
    contents = report.read(file)
    for line in contents.lines():
        print(line)
    verdict = verdict_of(file, bulk)
    print(f"  by the table ({bulk}): {verdict}")
    is_named = bool(contents.occurrences) == run.has_occurrence
    return follow_on_model(run, file) and verdict == run.expected and is_named


def follow_on_model(run: Run, file: Path) -> bool:
    """Follow a recording on the model of the timer, and print it; whether each event is a step in
    Kafka's order, and D1 none in the corrected one.

    A broker's timers may be out of the model, such as one that is closed; none may be refused.
    """
    kafka, second_order = (followed.follow(file, order) for order in followed.ORDERS)
    for line in followed.lines(kafka, second_order):
        print(line)
    sys.stdout.flush()
    possible = kafka.conforms if run.source else kafka.refused is None
    return possible and not (run.has_occurrence and second_order.refused is None)


def verdict_of(file: Path, engine: str) -> str:
    """The verdict of the table of rules, in memory or on Spark."""
    if engine == "memory":
        verdict = law.of_file(file)
        for finding in verdict.findings[: report.LISTED]:
            print(f"    {finding.property}: {finding.message}")
        return verdict.verdict
    from tempfile import TemporaryDirectory

    from wheelproof.pipeline import command

    with TemporaryDirectory() as folder:
        command.run([file], command.options_of("", "2g", None), Path(folder), quiet=True)
        document = json.loads((Path(folder) / "trace-check.json").read_text(encoding="utf-8"))
    return str(document["runs"][0]["verdict"])


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m real.record",
        description="Records the timer and the purgatory of released Kafka, and checks what they "
        "did: a busy run and a sound one conform, and D1 is named.",
        epilog="Exit codes: 0 all verdicts are as they must be, 1 one is not, 2 usage, 3 the "
        "machine is too slow for D1, 4 a tool failed or hangs, 5 Java or a jar is absent.",
    )
    parser.add_argument(
        "names",
        nargs="*",
        help=f"of {', '.join(run.name for run in RUNS)}; without any {', '.join(USUAL)}",
    )
    parser.add_argument(
        "--seconds", type=int, default=3, help="how long load and the clients of a broker run (3)"
    )
    parser.add_argument("--engine", choices=("memory", "spark"), default="memory")
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder (build)")
    parser.add_argument("--zip", action="store_true", help="write .jsonl.gz")
    options = parser.parse_args(arguments)
    runs = {run.name: run for run in RUNS}
    if unknown := sorted(set(options.names) - set(runs)):
        parser.error(f"no recording {unknown[0]}: choose of {', '.join(runs)}")
    if options.seconds < 1:
        parser.error("--seconds must be 1 or more")
    declared.use(Path(__file__).parents[2])
    try:
        agent = build(options.output)
        sound = True
        for name in options.names or USUAL:
            folder = options.output / "recordings"
            for file in record_run(agent, runs[name], options.seconds, folder, options.zip):
                sound = judge(runs[name], file, options.engine) and sound
        return 0 if sound else 1
    except WheelproofError as error:
        print(f"real.record: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
