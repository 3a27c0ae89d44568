"""Shows a defect of released Kafka, or that its fix removes it: ``python -m real.findings NAME``.

The exit code is 0 if the program and the test show the defect, or with ``--fixed`` neither does;
1 if they do not; 2 for bad usage; 4 where a tool fails and 5 where Java or a jar is absent.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.races import finding as packages
from real.findings import catalog, shown
from real.findings.catalog import NAMED
from wheelproof.errors import WheelproofError

EPILOG = f"Races of Python packages, by a command of the same form: {', '.join(packages.names())}."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m real.findings", description=__doc__, epilog=EPILOG
    )
    parser.add_argument("name", help="a folder of real/findings")
    parser.add_argument("--fixed", action="store_true", help="with the fix applied and compiled")
    parser.add_argument("--release", default=NAMED, help=f"another release, the program ({NAMED})")
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder (build)")
    options = parser.parse_args(arguments)
    try:
        shown_defects = outcomes(options.name, options.release, options.fixed, options.output)
    except WheelproofError as error:
        print(f"finding: {error}", file=sys.stderr)
        return error.exit_code
    return 0 if shown_defects == {not options.fixed} else 1


def outcomes(name: str, release: str, fixed: bool, folder: Path) -> set[bool]:
    """Print the runs of a finding; returns whether they show the defect."""
    finding = catalog.finding(name)
    classes = shown.classes(finding, release, fixed, folder)
    suffix = f" with {finding.fix.relative_to(catalog.HERE.parents[1])}" if fixed else ""
    print(f"Kafka {release}{suffix}", flush=True)
    program = shown.by_program(finding, classes)
    print(program.text, flush=True)
    if release != NAMED:
        return {program.shows}
    test = shown.by_test(finding, classes, folder)
    print(test.text, flush=True)
    return {program.shows, test.shows}


def by_name(arguments: Sequence[str]) -> int:
    """Run the command for Kafka, or that of Python packages where a race of one is named."""
    named = set(arguments) & set(packages.names())
    return packages.main(arguments) if named else main(arguments)


if __name__ == "__main__":
    sys.exit(by_name(sys.argv[1:]))
