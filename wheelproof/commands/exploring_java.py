"""``wheelproof explore --harness``: classes of Java in every order of a harness's threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wheelproof.errors import UsageError
from wheelproof.plain import columns, saved
from wheelproof.plain.answers import EXIT_CODES, Schedule
from wheelproof.plain.settings import Settings


def check_options(options: Mapping[str, object]) -> None:
    """Raises UsageError for an option that is for Python alone."""
    for name, value in options.items():
        if value:
            raise UsageError(f"{name} is for tests in Python.", "Leave it out with --harness.")


def run(source: Path, jars: Sequence[Path], settings: Settings, output: Path | None) -> int:
    """Explore a harness, and print its answer; the exit code."""
    from wheelproof.commands import explored
    from wheelproof.jvm.explore import harness, searching

    name = f"{source}::{source.stem}"
    with explored.report(output, name) as report:
        exploration = searching.explore(harness.prepare(source, jars), settings)
        print(columns.text(exploration))
        if report is not None:
            path = [str(jar) for jar in jars]
            print(f"written: {report.write([(name, exploration)], path, True)}")
    return EXIT_CODES[exploration.answer]


def replay(test: str, jars: Sequence[Path], schedule: Schedule) -> int:
    """Run a failing order of a harness again, and print how it ends; the exit code."""
    from wheelproof.jvm.explore import harness, searching

    source = Path(test.partition("::")[0])
    replayed = searching.replay(harness.prepare(source, jars), schedule)
    if replayed.failure is None:
        print(saved.HOLDS if replayed.possible else saved.IMPOSSIBLE)
        return 0
    print("\n".join(columns.of_failure(replayed.failure, columns.WIDTH)))
    return 1
