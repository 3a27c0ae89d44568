"""`make bench-traces ARGS="--recorded EVENTS [RECORDING]"`: the gain of looking at a hot key in
pieces, on a run that is made of a recording of Kafka (``recorded``). Prints Markdown, of one run of
Spark.

Both ways of a family take turns, so that other work of the machine falls on both. The rows that
the largest task reads are the same on each machine. The further cost of a hot key depends on how
many cores wait for it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import bulk, recorded
from benchmarks.bulk import HERE, Meter, row
from traces.bulk import FAMILIES
from wheelproof.pipeline import ingest, skew, validate
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.skew import Limits
from wheelproof.pipeline.splitting import Cut

MEASURED = ("threads", "program", "tokens")
"""Families that look along threads and along tokens."""
TURNS = 2
WARM = 100_000
"""Events of the run with which the queries are compiled, before a longer one is measured."""
EACH = Limits(costs=0)
"""A key is cut if it is large, however few the cores are."""


@dataclass(frozen=True)
class Largest:
    """The task that read most rows of a shuffle: rows, the share of those of its stage, seconds."""

    rows: int
    share: float
    seconds: float


class Tasks:
    """The tasks since the last call, as Spark's own status has them."""

    def __init__(self, spark: Any) -> None:
        self._context, self._group = spark.sparkContext, 0
        self._store = self._context._jsc.sc().statusStore()

    def largest(self, work: Callable[[], Any]) -> Largest:
        """Of the shuffle that most rows went through. ``work`` is done once."""
        self._group += 1
        group = f"largest-{self._group}"
        self._context.setJobGroup(group, group)
        work()
        tracker = self._context.statusTracker()
        stages = {
            stage
            for job in tracker.getJobIdsForGroup(group)
            for stage in tracker.getJobInfo(job).stageIds
        }
        return max(filter(None, map(self._of_stage, sorted(stages))), key=self._all_rows)

    @staticmethod
    def _all_rows(largest: Largest) -> float:
        return largest.rows / largest.share

    def _of_stage(self, stage: int) -> Largest | None:
        tasks = self._store.taskList(stage, 0, 1 << 20)
        read: list[tuple[int, float]] = []
        for index in range(tasks.size()):
            metrics = tasks.apply(index).taskMetrics()
            if metrics.isDefined():
                metric = metrics.get()
                read.append(
                    (
                        int(metric.shuffleReadMetrics().recordsRead()),
                        metric.executorRunTime() / 1000,
                    )
                )
        rows = sum(many for many, _ in read)
        if not rows:
            return None
        maximum, seconds = max(read)
        return Largest(maximum, maximum / rows, seconds)


def _violations(spark: Any, family: Family, inputs: Any, cuts: Sequence[Cut]) -> int:
    return sum(validate.ask(spark, family, inputs, HERE / "staged", cuts).broken.values())


def compared(spark: Any, path: Path, limits: Limits, quiet: bool = False) -> None:
    """Each family both ways, in turns."""
    read = ingest.read(spark, [path], HERE / "staged")
    sample = skew.sample(spark, read.inputs, read.events, HERE, limits)
    assert sample is not None
    meter, tasks, ratios = Meter(spark), Tasks(spark), []
    for family in (family for family in FAMILIES if family.name in MEASURED):
        ways = {"one window": (), "pieces": skew.cuts(family, sample)}
        least: dict[str, tuple[float, float, str, Largest]] = {}
        for _ in range(1 if quiet else TURNS):
            for way, cuts in ways.items():
                work = partial(_violations, spark, family, read.inputs, cuts)
                wall, cpu, peak, largest = meter.measure(partial(tasks.largest, work))
                if way not in least or wall < least[way][0]:
                    least[way] = wall, cpu, peak, largest
        if quiet:
            continue
        for way, (wall, cpu, peak, largest) in least.items():
            pieces = sum(len(cut.at) + 1 for cut in ways[way])
            title = f"{pieces} {way} of {len(ways[way])} keys" if pieces else way
            row(
                *(family.name, title, read.events, wall, cpu, read.events / wall / 1e6),
                *(f"{100 * largest.share:.1f} %", largest.seconds, peak),
            )
        whole, in_pieces = least.values()
        ratios.append(
            f"* {family.name}, pieces / one window: events per wall second "
            f"{whole[0] / in_pieces[0]:.2f}, CPU seconds {in_pieces[1] / whole[1]:.2f}, "
            f"rows of the largest task {in_pieces[3].rows / whole[3].rows:.2f}"
        )
    if not quiet:
        print("\n" + "\n".join(ratios), flush=True)


def main(events: int, name: str) -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    recording = recorded.Recording(recorded.FOLDER / f"{name}.jsonl.gz")
    if events > WARM:
        recorded.write(HERE / "warm", "warm", recording, WARM, WARM)
    path = HERE / "recorded"
    copies = recorded.write(path, "recorded", recording, events, bulk.PART)
    hottest = recording.hottest(copies)
    print(
        f"The recording `{name}` and {copies:,} copies of it: {hottest.token} has "
        f"{100 * hottest.of_tokens:.1f} % of all order tokens, the thread {hottest.thread} "
        f"{100 * hottest.of_events:.1f} % of all events.\n\n"
        "| family | looked at in | events | wall s | CPU s | M ev/s | rows of the largest task "
        "| its s | peak MiB: resident / heap |\n|---|---|---|---|---|---|---|---|---|",
        flush=True,
    )
    with bulk.spark_on(2) as spark:
        if events > WARM:
            compared(spark, HERE / "warm", replace(EACH, least=1000), quiet=True)
        compared(spark, path, replace(EACH, least=min(EACH.least, events // 100)))
    with bulk.spark_on(2) as spark:
        wall, cpu, peak, report = Meter(spark).measure(
            lambda: validate.check(spark, [path], HERE / "checked")
        )
    print(
        f"\nAll rules: {report.events:,} events, {report.violated} violations, verdict "
        f"{report.runs[0]['verdict']}, {wall:.0f} s, {cpu:.0f} CPU s, "
        f"{report.events / wall / 1e6:.2f} M ev/s, peak {peak} MiB.",
        flush=True,
    )
    shutil.rmtree(HERE, ignore_errors=True)


def arguments(words: list[str]) -> tuple[int, str]:
    """How many events, and the name of a recording of ``recorded.FOLDER``."""
    events, name = (*words, *("1000000", "load")[len(words) :])
    return int(events), name


if __name__ == "__main__":
    main(*arguments(sys.argv[1:]))
