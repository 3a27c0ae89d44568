"""The cost of a verification in a project of many mechanisms, from nothing and again.

``python -m benchmarks.mechanisms [MECHANISMS ...] [--jobs N] [--layer A,B]``

Each project is made of the starter of ``wheelproof init`` under many names. A first run checks all
of it, or these layers of it, and a second one finds every result kept. CPU seconds are those of
the command with its workers and JVMs, so that other work of the machine counts little. Growth is
the time of a mechanism in a project beside that in the one before: 1.00 where the time is linear.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import documents, starter
from wheelproof.project import counts
from wheelproof.verdict import RESULTS_FILE, read_results

SIZES = (50, 100, 200)
LETTERS = "abcdefghij"


@dataclass(frozen=True)
class Measured:
    """One run: CPU seconds of all its processes, and the greatest resident size of one of them."""

    cpu: float
    mib: int


def names(number: int) -> list[str]:
    """The names of so many mechanisms."""
    digits = len(str(number - 1))
    return [
        "number_" + "".join(LETTERS[int(digit)] for digit in f"{index:0{digits}}")
        for index in range(number)
    ]


def project(folder: Path, number: int) -> None:
    """Write a project of so many mechanisms; the counts are written once."""
    mechanism_names = names(number)
    for name in mechanism_names:
        for place, text in starter.files(name).items():
            documents.write_text(folder / place, text)
    counts.write(
        folder / "spec",
        dict.fromkeys(mechanism_names, starter.COUNTS),
        dict.fromkeys(mechanism_names, starter.BROKEN),
    )


def verified(folder: Path, output: Path, more: Sequence[str]) -> Measured:
    """Run the command; RuntimeError where not every check is in order."""
    words = [sys.executable, "-m", "wheelproof", "verify", "--subject", str(folder)]
    words += ["--output", str(output), "--quiet", *more]
    child = os.posix_spawn(sys.executable, words, os.environ)
    _, status, usage = os.wait4(child, 0)
    if (code := os.waitstatus_to_exitcode(status)) != 0:
        raise RuntimeError(f"verify ended with exit code {code}; its files are in {output}")
    return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10)


def lines(sizes: Iterable[int], more: Sequence[str]) -> Iterator[str]:
    """The table, line by line."""
    yield "| mechanisms | checks | run | CPU s | CPU ms per mechanism | growth | peak MiB |"
    yield "|---|---|---|---|---|---|---|"
    before: dict[str, float] = {}
    for number in sizes:
        with tempfile.TemporaryDirectory(prefix="wheelproof-many-") as scratch:
            folder, output = Path(scratch, "project"), Path(scratch, "output")
            project(folder, number)
            for turn in ("first", "kept"):
                run = verified(folder, output, more)
                checks = len(read_results(output / RESULTS_FILE).rows)
                cost = run.cpu / number
                growth = f"{cost / before[turn]:.2f}" if turn in before else ""
                before[turn] = cost
                yield (
                    f"| {number:,} | {checks:,} | {turn} | {run.cpu:,.1f} | {1000 * cost:,.0f} "
                    f"| {growth} | {run.mib:,} |"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mechanisms", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--layer", default="")
    options = parser.parse_args()
    more = ["--jobs", str(options.jobs), *(["--layer", options.layer] if options.layer else [])]
    for line in lines(options.mechanisms, more):
        print(line, flush=True)


if __name__ == "__main__":
    main()
