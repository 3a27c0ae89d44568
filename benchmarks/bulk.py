"""`make bench-traces`: the pipeline's speed beside DuckDB and the least work that Spark can do, in
one run. Prints Markdown; asserts nothing.

Ratios hold across machines, times do not. Wall seconds are beside the CPU seconds of the JVM (of
this process for the work that is not Spark's): on a shared machine trust the latter. Sizes are
events, as in `python -m benchmarks.bulk 1000000 10000000`; all but the last table is of the first
and the last of them.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import duck, generate, mutations
from traces.bulk import FAMILIES, RULES
from wheelproof.pipeline import answers, ingest, validate
from wheelproof.pipeline.session import SessionOptions, session

OPERATIONS = 1500
ROW_AND_ENTRY = ("rows", "entries")
FAULTS = (
    ("list_add", "retarget"),
    ("list_add", "duplicate"),
    ("expire_submit", "duplicate"),
    ("on_complete_begin", "duplicate"),
    ("list_remove", "drop"),
)
HERE = Path("build/bench-traces")
PART = 2_500_000
"""Events in a file."""
SMALL_HEAP = "1g"
WARM = 2
"""Runs of the same rules before one is called warm; the last of them is printed."""


class Meter:
    """Wall seconds, CPU seconds, the peak of resident memory and the heap in use after a collection
    of a JVM, read from /proc (Linux) and from Java."""

    def __init__(self, spark: Any) -> None:
        java = spark.sparkContext._jvm.java
        self.process = Path(f"/proc/{java.lang.ProcessHandle.current().pid()}")
        self.java = java.lang
        self.pools = [
            pool
            for pool in java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
            if str(pool.getType()) == "Heap memory"
        ]

    def cpu(self) -> float:
        fields = (self.process / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, work: Callable[[], Any]) -> tuple[float, float, str, Any]:
        """Wall, CPU, "peak of resident memory / peak of the heap" in MiB, and the result of
        ``work``."""
        (self.process / "clear_refs").write_text("5")
        for pool in self.pools:
            pool.resetPeakUsage()
        wall, cpu = time.perf_counter(), self.cpu()
        result = work()
        wall, cpu = time.perf_counter() - wall, self.cpu() - cpu
        resident = next(
            int(line.split()[1])
            for line in (self.process / "status").read_text().splitlines()
            if line.startswith("VmHWM")
        )
        heap = sum(pool.getPeakUsage().getUsed() for pool in self.pools)
        return wall, cpu, f"{resident // 1024:,} / {heap >> 20:,}", result


class Times:
    """The printed rows, and the wall seconds of those that ratios are made of."""

    def __init__(self) -> None:
        self.wall: dict[tuple[str, int], float] = {}

    def say(
        self, title: str, events: int, wall: float, cpu: float, peak: str, size: int | None = None
    ) -> None:
        if size is not None:
            self.wall[title, size] = wall
        row(title, events, wall, cpu, events / wall / 1e6, events / cpu / 1e6 if cpu else 0.0, peak)

    def ratio(self, says: str, over: tuple[str, int], under: tuple[str, int]) -> None:
        if over in self.wall and under in self.wall:
            print(f"* {says}: {self.wall[over] / self.wall[under]:.2f}")


def row(*cells: Any) -> None:
    print(
        "| "
        + " | ".join(
            f"{cell:.2f}"
            if isinstance(cell, float)
            else f"{cell:,}"
            if isinstance(cell, int)
            else str(cell)
            for cell in cells
        )
        + " |",
        flush=True,
    )


def families(spark: Any, inputs: Any, names: tuple[str, ...] | None = None) -> int:
    """Ask families as `validate.check` does; how many violations they found."""
    return sum(
        sum(validate.ask(spark, family, inputs, HERE / "staged").broken.values())
        for family in FAMILIES
        if names is None or family.name in names
    )


def least(inputs: Any) -> None:
    """The work of any check by entry: read, shuffle by entry, sort, look at each row. A count
    alone would be made without the sort."""
    columns = inputs.events.select("run", "entry", "lc", "tid", "tseq", "k", "list")
    columns.repartition("run", "entry").sortWithinPartitions(
        "entry", "run", "lc", "tid", "tseq"
    ).where("list > 0").write.format("noop").mode("overwrite").save()


def on_duck(times: Times, folder: Path, size: int, events: int) -> None:
    """The families that Spark is compared in, on DuckDB with as many threads as Spark has cores."""
    import duckdb

    with duckdb.connect(config={"threads": 2}) as database:
        duck.load(database, [folder])
        for title, names in (("row and entry rules", ROW_AND_ENTRY), ("tokens", ("tokens",))):
            before, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
            answers.ask(database, [family for family in FAMILIES if family.name in names])
            wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_SELF)
            times.say(
                f"DuckDB: {title}",
                events,
                wall,
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                f"{after.ru_maxrss // 1024:,}",
                size,
            )


def faults_of(base: generate.Block, blocks: int) -> dict[int, list[Any]]:
    """One fault in each of five blocks, spread over the run."""
    faults = {}
    for index, (kind, operator) in enumerate(FAULTS):
        events = mutations.mutate(base.events, kind, operator, "log", 1)
        assert events is not None
        faults[blocks * (index + 1) // (len(FAULTS) + 1)] = events
    return faults


@contextmanager
def spark_on(cores: int, memory: str = "2g") -> Iterator[Any]:
    with session(
        SessionOptions(
            master=f"local[{cores}]", memory=memory, partitions=8, scratch=HERE / "spark"
        )
    ) as spark:
        yield spark


def written(times: Times, base: generate.Block, sizes: list[int]) -> dict[int, Path]:
    """Runs with faults, one of each size."""
    paths = {}
    for size in sizes:
        blocks = max(len(FAULTS) + 1, size // base.length)
        paths[size], faults = HERE / f"run-{size}", faults_of(base, blocks)
        wall, cpu = time.perf_counter(), time.process_time()
        count = generate.write(
            paths[size], f"run-{size}", base, blocks, max(2, size // PART), faults, threads=2
        )
        times.say(
            "written by the generator",
            count,
            time.perf_counter() - wall,
            time.process_time() - cpu,
            "",
        )
    return paths


def sized(spark: Any, times: Times, paths: dict[int, Path], heat: str) -> None:
    """Everything at each size, the smallest first: of that the first run is of a cold session."""
    meter = Meter(spark)
    for size, path in paths.items():
        wall, cpu, peak, read = meter.measure(partial(ingest.read, spark, [path], HERE / "staged"))
        times.say("reading: is each row an event, kinds", read.events, wall, cpu, peak)
        for run in range(WARM + 1):
            wall, cpu, peak, _ = meter.measure(partial(families, spark, read.inputs, ROW_AND_ENTRY))
            if run in (0, WARM):
                title = "row and entry rules, warm" if run else f"row and entry rules, {heat}"
                times.say(title, read.events, wall, cpu, peak, size)
        heat = "first of this size"
        for family in FAMILIES:
            if size == min(paths):  # the queries of a smaller run are compiled
                families(spark, read.inputs, (family.name,))
            wall, cpu, peak, violations = meter.measure(
                partial(families, spark, read.inputs, (family.name,))
            )
            times.say(
                f"{family.name}, warm ({violations} violations)", read.events, wall, cpu, peak
            )
            times.wall[family.name, size] = wall
        wall, cpu, peak, _ = meter.measure(partial(least, read.inputs))
        times.say("minimum: read, shuffle, sort", read.events, wall, cpu, peak, size)
        on_duck(times, path, size, read.events)


def shapes(spark: Any, times: Times, base: generate.Block, size: int) -> None:
    """Runs of other shapes: one key that is all, and one run that is nearly all."""
    meter, hot = Meter(spark), generate.hot_block(20_000)
    event_count = generate.write(HERE / "hot", "hot", hot, max(1, size // hot.length), 2)
    wall, cpu, peak, _ = meter.measure(
        lambda: families(
            spark, ingest.read(spark, [HERE / "hot"], HERE / "staged").inputs, ("entries",)
        )
    )
    times.say("one hot entry has all events: reading, entry rules", event_count, wall, cpu, peak)
    blocks = max(10, size // base.length)
    counts = (blocks * 9 // 10, *[max(1, blocks // 40)] * 4)
    many = sum(
        generate.write(HERE / "skew" / f"run-{index}", f"skew-{index}", base, count, 2)
        for index, count in enumerate(counts)
    )
    wall, cpu, peak, _ = meter.measure(
        lambda: families(
            spark, ingest.read(spark, [HERE / "skew"], HERE / "staged").inputs, ROW_AND_ENTRY
        )
    )
    times.say(
        "one of five traces has 90 % of the events: reading, row and entry rules",
        many,
        wall,
        cpu,
        peak,
    )


def quiet(base: generate.Block, size: int) -> tuple[Path, int]:
    """A run without faults."""
    path = HERE / "quiet"
    return path, generate.write(
        path, "quiet", base, max(1, size // base.length), max(2, size // PART), threads=2
    )


def alarms(report: validate.Report) -> None:
    """The table of rules on a run without faults: the rows of each, and that none was broken."""
    print(
        f"\nA conforming run of {report.events:,} events: {report.violated} violations, verdict "
        f"{report.runs[0]['verdict']}, "
        f"{sum(report.seconds.values()):.0f} s in all. Rules by what they applied to; of "
        "brackets, operations and tokens it is those that are counted, beside the events:\n"
    )
    print("| family | rule | applied to | of all events | broken |\n|---|---|---|---|---|")
    for name in RULES:
        rule = report.rules[name]
        row(
            rule["family"],
            f"`{name}`",
            rule["applied"],
            f"{100 * rule['applied'] / report.events:.2f} %",
            rule["broken"],
        )


def main(sizes: list[int]) -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    base, times = generate.block(1, OPERATIONS), Times()
    least, greatest = sizes[0], sizes[-1]
    print(
        "| what | events | wall s | CPU s | M ev/s | M ev/CPU-s | peak MiB: resident / heap "
        "|\n|---|---|---|---|---|---|---|",
        flush=True,
    )
    paths = written(times, base, sizes)
    with spark_on(2) as spark:
        sized(spark, times, paths, "cold")
        shapes(spark, times, base, least)
    with spark_on(1) as spark:
        meter = Meter(spark)
        inputs = ingest.read(spark, [paths[greatest]], HERE / "staged").inputs
        for _ in range(WARM):
            wall, cpu, peak, _ = meter.measure(lambda: families(spark, inputs, ROW_AND_ENTRY))
        times.say("row and entry rules, warm, one core", greatest, wall, cpu, peak, greatest)
    path, event_count = quiet(base, greatest)
    with spark_on(2, SMALL_HEAP) as spark:
        wall, cpu, peak, report = Meter(spark).measure(
            lambda: validate.check(spark, [path], HERE / "checked")
        )
        times.say(
            f"all rules and reading, no faults, cold, heap of {SMALL_HEAP}",
            event_count,
            wall,
            cpu,
            peak,
        )
    print()
    for title in ("row and entry rules, warm", "tokens"):
        if least != greatest:
            times.ratio(
                f"time({greatest:,}) / time({least:,}), {title}", (title, greatest), (title, least)
            )
    times.ratio(
        f"Spark / DuckDB, row and entry rules, {greatest:,} events",
        ("row and entry rules, warm", greatest),
        ("DuckDB: row and entry rules", greatest),
    )
    times.ratio(
        f"Spark / DuckDB, token rules, {greatest:,} events",
        ("tokens", greatest),
        ("DuckDB: tokens", greatest),
    )
    times.ratio(
        f"Spark / minimum, row and entry rules, {greatest:,} events",
        ("row and entry rules, warm", greatest),
        ("minimum: read, shuffle, sort", greatest),
    )
    times.ratio(
        f"one core / two cores, row and entry rules, {greatest:,} events",
        ("row and entry rules, warm, one core", greatest),
        ("row and entry rules, warm", greatest),
    )
    alarms(report)
    shutil.rmtree(HERE, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--recorded"]:
        from benchmarks import skew

        skew.main(*skew.arguments(sys.argv[2:]))
    else:
        main([int(size) for size in sys.argv[1:]] or [1_000_000, 10_000_000])
