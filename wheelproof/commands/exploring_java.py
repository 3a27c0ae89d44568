"""``wheelproof explore --harness``: classes of Java in every order of a harness's threads."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from wheelproof.errors import UsageError
from wheelproof.plain import columns, saved
from wheelproof.plain.answers import EXIT_CODES, Answer, Schedule
from wheelproof.plain.settings import Settings


def check_options(options: Mapping[str, object]) -> None:
    """Raises UsageError for an option that is for Python alone."""
    for name, value in options.items():
        if value:
            raise UsageError(f"{name} is for tests in Python.", "Leave it out with --harness.")


def run(
    source: Path, jars: Sequence[Path], settings: Settings, output: Path | None, save: Path | None
) -> int:
    """Explore a harness, print its answer, and write a failing order to a file; the exit code."""
    from wheelproof.commands import explored
    from wheelproof.jvm.explore import harness, searching
    from wheelproof.jvm.explore import saved as java

    if save is not None:
        java.check_writable(save)
    name = f"{source}::{source.stem}"
    with explored.report(output, name) as report:
        exploration = searching.explore(harness.prepare(source, jars), settings)
        print(columns.text(exploration))
        if save is not None and exploration.answer is Answer.BUG:
            java.save(save, source, jars, exploration)
            print(f"written: {save}")
        elif save is not None:
            print(f"wheelproof: there is no failure to save in {save}", file=sys.stderr)
        if report is not None:
            path = [str(jar) for jar in jars]
            print(f"written: {report.write([(name, exploration)], path, True)}")
    return EXIT_CODES[exploration.answer]


def run_again(source: Path, jars: Sequence[Path], schedule: Path) -> int:
    """Run a saved order of a harness, and print how it ends; the exit code."""
    from wheelproof.jvm.explore import harness
    from wheelproof.jvm.explore import saved as java

    again = java.again(harness.prepare(source, jars), *saved.read(schedule))
    print(again.note)
    if again.exploration is not None:
        print(columns.text(again.exploration))
    return again.exit_code


def replay(test: str, jars: Sequence[Path], schedule: Schedule) -> int:
    """Run a failing order of a harness again, and print how it ends; the exit code."""
    from wheelproof.jvm.explore import harness, searching

    source = Path(test.partition("::")[0])
    outcome = searching.replay(harness.prepare(source, jars), schedule)
    if outcome.failure is None:
        print(saved.HOLDS if outcome.possible else saved.IMPOSSIBLE)
        return 0
    print("\n".join(columns.of_failure(outcome.failure, columns.WIDTH)))
    return 1
