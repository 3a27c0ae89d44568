"""`python -m benchmarks.campaign [MASTER ...]`: campaigns, and constants for a plan of a cluster.

The drawn programs of the suite's oracle run in blocks of two sizes, without Spark and on each
master: local[1] and local[2], and those that are named. The sum must be the same each time.
Constants are measured beside it: shipping, a task, a block's processes, a row. Prints Markdown.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wheelproof import temporary
from wheelproof.campaign import driver, shipping, summary
from wheelproof.campaign import manifest as manifests
from wheelproof.campaign.kind import Campaign, Request, campaign
from wheelproof.campaign.manifest import Manifest
from wheelproof.commands import campaigning
from wheelproof.pipeline.session import SessionOptions, session
from wheelproof.plain import progress

ROOT = Path(__file__).resolve().parents[1]
ORACLE = "tests.wheelproof.plain.campaign:Oracle"
SEEDS, LONG, SHORT = (0, 24), 27, 3
"""Programs, and the units of a large and of a small block: the oracle's faults are units too."""

HEAD = ["way", "units", "blocks", "wall s", "CPU s of blocks", "CPU beside one block"]

CONSTANTS = (
    "files of project and tool, packed",
    "to pack them, once",
    "to unpack them, once for each executor",
    "an empty task of Spark, on one of two threads",
    "the processes of a block",
    "the file of a block with one row",
    "each further row of it",
)

TASKS = 64
"""Empty tasks."""


@dataclass(frozen=True)
class Cost:
    """Seconds of the clock, and of all processes."""

    wall: float
    cpu: float


def costs(work: Callable[[], Any]) -> Cost:
    before, start = _cpu(), time.monotonic()
    work()
    return Cost(time.monotonic() - start, _cpu() - before)


def _cpu() -> float:
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in times)


def begun(folder: Path, seeds: tuple[int, int], size: int) -> tuple[Campaign, Manifest]:
    subject = campaign(Request("programs", (ORACLE,), seeds), ROOT)
    return subject, campaigning.prepared(subject, folder, size, 600.0, False)


def perform(folder: Path, numbers: Iterable[int], root: Path) -> None:
    """Run blocks as executors do, one after the other and without Spark."""
    reading, writing = os.pipe()
    try:
        for number in numbers:
            subprocess.run(
                [sys.executable, "-m", "wheelproof.campaign", str(folder), str(number)],
                cwd=root,
                env=os.environ | {"PYTHONPATH": str(root)},
                stdin=reading,
                stdout=subprocess.DEVNULL,
                check=True,
            )
    finally:
        os.close(reading)
        os.close(writing)


def on_spark(folder: Path, manifest: Manifest, options: SessionOptions) -> Cost:
    """Run all blocks on a master. The CPU time is that of the blocks, as their tasks measure it."""
    start = time.monotonic()
    outcomes = driver.run(folder, manifest, options, progress.on_stderr())
    return Cost(time.monotonic() - start, sum(outcome.cpu for outcome in outcomes))


def runs(folder: Path, masters: list[str]) -> Iterator[tuple[str, Manifest, Cost, str]]:
    """Each way with its cost and its sum."""
    for name, size in (("without Spark", LONG), ("without Spark", SHORT)):
        place = folder / f"alone{size}"
        subject, manifest = begun(place, SEEDS, size)
        root = place / "project"
        shutil.unpack_archive(place / manifests.ARCHIVE, root)
        cost = costs(partial(perform, place, range(manifest.blocks), root))
        yield name, manifest, cost, summary.read(place, manifest, subject).digest
    for master in masters:
        place = folder / "".join(filter(str.isalnum, master))
        subject, manifest = begun(place, SEEDS, SHORT)
        cost = on_spark(place, manifest, SessionOptions(master, "1g"))
        yield master, manifest, cost, summary.read(place, manifest, subject).digest


def constants(folder: Path) -> Iterator[tuple[str, str]]:
    """The constants of the plan on paper, each with its unit."""
    target = folder / "shipped.zip"

    def pack() -> None:
        with shipping.packed(ROOT, folder, target):
            pass

    packing = costs(pack)
    yield CONSTANTS[0], f"{target.stat().st_size / 1e6:.1f} MB"
    yield CONSTANTS[1], f"{packing.cpu:.1f} CPU s"
    root = folder / "unpacked"
    unpacking = costs(lambda: shutil.unpack_archive(target, root))
    yield CONSTANTS[2], f"{unpacking.cpu:.1f} CPU s"
    yield from _of_spark()
    yield from _of_blocks(folder, root)


def _of_spark() -> Iterator[tuple[str, str]]:
    """The cost of a task that does nothing."""
    with session(SessionOptions("local[2]", "1g")) as spark:
        context = spark.sparkContext

        def empty() -> None:
            context.parallelize(range(TASKS), TASKS).map(lambda number: number).collect()

        empty()
        cost = costs(empty)
    yield CONSTANTS[3], f"{2e3 * cost.wall / TASKS:.0f} ms"


def _of_blocks(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """The cost of a block beside its programs, and the size of its file."""
    place = folder / "few"
    begun(place, (0, 2), 1)
    first, second = (costs(partial(perform, place, [3 + at], root)) for at in range(2))
    with_both = folder / "both"
    begun(with_both, (0, 2), 3)  # the three faults are the first block
    both = costs(partial(perform, with_both, [1], root))
    yield CONSTANTS[4], f"{first.cpu + second.cpu - both.cpu:.1f} CPU s"
    sizes = [
        sum(file.stat().st_size for file in (folder / name / manifests.BLOCKS).iterdir())
        for name in ("few", f"alone{LONG}")
    ]
    of_one = sizes[0] / 2
    yield CONSTANTS[5], f"{of_one:,.0f} bytes"
    yield CONSTANTS[6], f"{(sizes[1] - of_one) / (LONG - 1):.0f} bytes"


def main(masters: list[str]) -> None:
    with temporary.folder("benchmark") as folder:
        _print(HEAD, rule=True)
        first, sums = 0.0, set()
        for way, manifest, cost, digest in runs(folder, ["local[1]", "local[2]", *masters]):
            first = first or cost.cpu
            sums.add(digest)
            counts = [str(len(manifest.units)), str(manifest.blocks)]
            _print([way, *counts, f"{cost.wall:.1f}", f"{cost.cpu:.1f}", f"{cost.cpu / first:.2f}"])
        if len(sums) != 1:
            sys.exit("the ways have come to different results")
        print()
        _print(["constant", "measured"], rule=True)
        for pair in constants(folder):
            _print(pair)


def _print(cells: Iterable[str], rule: bool = False) -> None:
    cells = list(cells)
    print(f"| {' | '.join(cells)} |", flush=True)
    if rule:
        print(f"|{'---|' * len(cells)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
