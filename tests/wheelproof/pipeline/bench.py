"""`make bench-traces`: the pipeline's speed beside DuckDB, the plain Python machine and the floor, in one run. Prints Markdown; asserts nothing.

Ratios hold across machines, times do not. Wall seconds are beside the CPU seconds of the JVM: on a shared machine trust the latter.
Sizes are events, as in `python tests/wheelproof/pipeline/bench.py 1000000 10000000`.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import duck
import machine
import mutations

from wheelproof.pipeline import generate, ingest, validate
from wheelproof.pipeline.checks import FAMILIES
from wheelproof.pipeline.session import SessionOptions, session
from wheelproof.pipeline.simulate import TICK_MS, WHEEL_SIZE, header
from wheelproof.trace.jsonl import Tally

OPERATIONS = 1500
ROW_AND_ENTRY = ("rows", "entries")
FAULTS = (("wheel_place", "retime"), ("list_add", "duplicate"), ("expire_submit", "duplicate"), ("on_complete_begin", "duplicate"), ("list_remove", "drop"))
HERE = Path("build/bench-traces")


class Meter:
    """Wall seconds, CPU seconds and the peak of resident memory of a JVM, read from /proc (Linux)."""

    def __init__(self, spark: Any) -> None:
        self.process = Path(f"/proc/{spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()}")

    def cpu(self) -> float:
        fields = (self.process / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, work: Callable[[], Any]) -> tuple[float, float, int, Any]:
        (self.process / "clear_refs").write_text("5")
        wall, cpu = time.perf_counter(), self.cpu()
        result = work()
        wall, cpu = time.perf_counter() - wall, self.cpu() - cpu
        peak = next(int(line.split()[1]) for line in (self.process / "status").read_text().splitlines() if line.startswith("VmHWM"))
        return wall, cpu, peak // 1024, result


def row(*cells: Any) -> None:
    print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells) + " |", flush=True)


def said(what: str, events: int, wall: float, cpu: float, peak: int | str) -> None:
    row(what, events, wall, cpu, events / wall / 1e6, events / cpu / 1e6 if cpu else 0.0, peak)


def families(spark: Any, inputs: Any, names: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Ask families; how many violations each found."""
    out = {}
    for family in FAMILIES:
        if names is None or family.name in names:
            out[family.name] = validate.ask(spark, family, inputs, HERE / "asked").violations.count()
    return out


def floor(inputs: Any) -> int:
    """What any check by entry has to do: read, shuffle by entry, sort, count."""
    columns = inputs.events.select("run", "entry", "lc", "tid", "tseq", "k", "list")
    return columns.repartition("run", "entry").sortWithinPartitions("run", "entry", "lc", "tid", "tseq").where("list > 0").count()


def on_duck(folder: Path, queries: tuple[str, ...], threads: int) -> tuple[float, float, int]:
    before, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    found = duck.violations([str(folder / "events" / "*.parquet")], TICK_MS, WHEEL_SIZE, queries, threads)
    wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, sum(found.values())


def on_machine(base: generate.Block) -> float:
    """Events a second of the plain machine, on events that are in memory as dicts."""
    head, tally = header("m"), Tally(header("m"))
    for event in base.events:
        tally.count(event)
    footer, began = tally.footer(), time.process_time()
    assert machine.violations(head, footer, base.events) == []
    return base.length / (time.process_time() - began)


def main(sizes: list[int]) -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    base = generate.block(1, OPERATIONS)
    paths = {}
    print("| what | events | wall s | CPU s | M ev/s | M ev/CPU-s | peak MiB |\n|---|---|---|---|---|---|---|")
    options = SessionOptions(master="local[2]", memory="2g", partitions=8, scratch=HERE / "spark")
    warm: dict[tuple[str, int], float] = {}
    with session(options) as spark:
        meter = Meter(spark)
        for size in sizes:
            blocks = max(1, size // base.length)
            faults = {blocks * (index + 1) // (len(FAULTS) + 1): mutations.mutate(base.events, kind, operator, "log", 1) for index, (kind, operator) in enumerate(FAULTS)}
            paths[size] = HERE / f"run-{size}"
            wall, cpu, peak, made = meter.measure(lambda: generate.write(paths[size], f"run-{size}", base, blocks, max(2, size // 2_500_000), faults, threads=2))
            said("written by the generator", made, wall, cpu, peak)
    with session(options) as spark:
        meter = Meter(spark)
        for size in sizes:
            wall, cpu, peak, read = meter.measure(lambda: ingest.read(spark, [paths[size]], HERE / "asked"))
            events, inputs = read.events, read.inputs
            said("ingest: validity of each row, kinds", events, wall, cpu, peak)
            for heat in ("cold" if size == sizes[0] else "first", "warm"):
                wall, cpu, peak, found = meter.measure(lambda: families(spark, inputs, ROW_AND_ENTRY))
                said(f"row and entry rules, {heat}", events, wall, cpu, peak)
                warm["row and entry", size] = wall
            for name in [family.name for family in FAMILIES]:
                wall, cpu, peak, found = meter.measure(lambda: families(spark, inputs, (name,)))
                warm[name, size] = wall
                said(f"{name} ({sum(found.values())} violations)", events, wall, cpu, peak)
            wall, cpu, peak, _ = meter.measure(lambda: floor(inputs))
            said("floor: read, shuffle, sort, count", events, wall, cpu, peak)
            for what, queries in (("row and entry rules", ROW_AND_ENTRY), ("token rules", ("tokens",))):
                wall, cpu, found = on_duck(paths[size], queries, 2)
                said(f"DuckDB, {what} ({found} violations)", events, wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
                warm[f"DuckDB {what}", size] = wall
        size = sizes[0]
        hot = generate.hot_block(20_000)
        made = generate.write(HERE / "hot", "hot", hot, max(1, size // hot.length), 2)
        wall, cpu, peak, found = meter.measure(lambda: families(spark, ingest.read(spark, [HERE / "hot"], HERE / "asked").inputs, ("entries",)))
        said(f"one hot entry: entry rules ({sum(found.values())} violations)", made, wall, cpu, peak)
        blocks = max(10, size // base.length)
        many = sum(generate.write(HERE / "skew" / f"run-{index}", f"skew-{index}", base, count, 2) for index, count in enumerate((blocks * 9 // 10, *[max(1, blocks // 40)] * 4)))
        wall, cpu, peak, found = meter.measure(lambda: families(spark, ingest.read(spark, [HERE / "skew"], HERE / "asked").inputs, ROW_AND_ENTRY))
        said(f"one trace with 90 % of the events: row and entry rules ({sum(found.values())} violations)", many, wall, cpu, peak)
    with session(SessionOptions(master="local[1]", memory="2g", partitions=8, scratch=HERE / "spark")) as spark:
        meter, size = Meter(spark), sizes[-1]
        inputs = ingest.read(spark, [paths[size]], HERE / "asked").inputs
        families(spark, inputs, ROW_AND_ENTRY)
        wall, cpu, peak, _ = meter.measure(lambda: families(spark, inputs, ROW_AND_ENTRY))
        said("row and entry rules, warm, one core", size, wall, cpu, peak)
        one_core = wall
    print(f"\nThe plain Python machine, all rules, events in memory: {on_machine(base) / 1e6:.3f} M events per CPU second.")
    for name in ("row and entry", "tokens"):
        if len(sizes) > 1:
            print(f"time({sizes[-1]:,}) / time({sizes[0]:,}) of {name} rules, warm: {warm[name, sizes[-1]] / warm[name, sizes[0]]:.1f}")
        other = "DuckDB row and entry rules" if name == "row and entry" else "DuckDB token rules"
        print(f"Spark / DuckDB, {name} rules, {sizes[-1]:,} events, wall: {warm[name, sizes[-1]] / warm[other, sizes[-1]]:.1f}")
    print(f"one core / two cores, row and entry rules, {sizes[-1]:,} events, wall: {one_core / warm['row and entry', sizes[-1]]:.2f}")
    shutil.rmtree(HERE, ignore_errors=True)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000_000, 10_000_000])
