"""The driver of a campaign: blocks as tasks of Spark, and progress by the files that come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof.campaign import manifest as manifests
from wheelproof.campaign.manifest import Manifest
from wheelproof.errors import ToolError
from wheelproof.pipeline import cluster
from wheelproof.pipeline.session import SessionOptions, session
from wheelproof.plain.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOKS = 0.5
"""Seconds between two looks at the folder of blocks."""


@dataclass(frozen=True)
class Ending:
    """How a block ended on an executor."""

    number: int
    code: int
    seconds: float
    cpu: float
    """CPU seconds of all its processes."""
    says: str


def run(
    folder: Path, manifest: Manifest, options: SessionOptions, progress: Progress
) -> list[Ending]:
    """Run the blocks that are not finished. Raises as a session does, and ToolError.

    The session has ended when this does, also by Ctrl-C. Blocks that had begun are lost then, and
    no others.
    """
    waiting = sorted(set(range(manifest.blocks)) - manifests.finished(folder, manifest))
    if not waiting:
        return []
    with session(options) as spark:
        if not cluster.in_one_process(options.master):
            with cluster.impatience(spark, cluster.PATIENCE_SECONDS):
                spark.sparkContext.parallelize([0], 1).count()  # until an executor has come
        outcomes = _perform(spark, folder, manifest, waiting, progress)
    _check(folder, manifest, outcomes)
    return outcomes


def _perform(
    spark: SparkSession,
    folder: Path,
    manifest: Manifest,
    waiting: Sequence[int],
    progress: Progress,
) -> list[Ending]:
    """A task for each block; this thread shows how far they are, and takes signals."""
    context = spark.sparkContext
    context.addArchive(f"{(folder / manifests.ARCHIVE).resolve()}#project")
    task = _task(str(folder.resolve()))
    outcomes: list[Ending] = []
    errors: list[BaseException] = []

    def collect() -> None:
        try:
            parts = context.parallelize(waiting, len(waiting)).map(task).collect()
            outcomes.extend(Ending(*part) for part in parts)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    watched = _Watched(folder, manifest, progress)
    while thread.is_alive():
        thread.join(LOOKS)
        watched.look()
    progress.end()
    if errors:
        raise errors[0]
    return outcomes


def _task(folder: str) -> Callable[[int], tuple[int, int, float, float, str]]:
    """The task of a block. It is sent as it stands here, so that executors need no package for it.

    The block's process holds the other end of a pipe, which closes when the executor is killed.
    """

    def task(number: int) -> tuple[int, int, float, float, str]:
        import os
        import subprocess
        import sys
        import time

        from pyspark import SparkFiles

        root, start = SparkFiles.get("project"), time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "wheelproof.campaign", folder, str(number)],
            cwd=root,
            env=os.environ | {"PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None and process.stdin is not None
        says = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdin.close()
        cpu = used.ru_utime + used.ru_stime
        return number, process.returncode, time.monotonic() - start, cpu, says[-2000:]

    return task


class _Watched:
    """The files of blocks, counted as they come."""

    def __init__(self, folder: Path, manifest: Manifest, progress: Progress) -> None:
        self.folder, self.manifest, self.progress = folder, manifest, progress
        self.before = self._units()
        self.begun = time.monotonic()

    def _units(self) -> int:
        return sum(
            self.manifest.many(number) for number in manifests.finished(self.folder, self.manifest)
        )

    def look(self) -> None:
        if self.progress.due():
            units = self._units()
            seconds = time.monotonic() - self.begun
            self.progress.line(line(units, len(self.manifest.units), units - self.before, seconds))


def line(units: int, total: int, new: int, seconds: float) -> str:
    """How far a campaign is. ``new``: the units of these seconds, by which the rest is reckoned."""
    rate = new / seconds if seconds else 0.0
    rest = f", {duration((total - units) / rate)} left" if rate else ""
    return f"campaign: {units:,} of {total:,} units, {rate:,.1f}/s{rest}"


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {seconds:.0f} s"
    if seconds < 5_400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3_600:.0f} h"


def _check(folder: Path, manifest: Manifest, outcomes: Sequence[Ending]) -> None:
    """ToolError where a block has no file: it failed, or the executors write somewhere else."""
    there = manifests.finished(folder, manifest)
    for outcome in outcomes:
        if outcome.number not in there:
            if outcome.code:
                reason = outcome.says.strip().splitlines() or [f"exit code {outcome.code}"]
                raise ToolError(
                    f"Block {outcome.number} has failed on its executor: {reason[-1]}",
                    "The same command goes on with the blocks that are not finished.",
                )
            raise ToolError(
                f"The executors do not share the folder {folder} with the driver: they have "
                f"written block {outcome.number}, and it is not here.",
                "Give --output a folder that all of them have at the same path.",
            )
