"""Conforming traces of any length, with faults where they are wanted: one simulated block of events, put one after the other by Spark.

A block ends as it began, with an empty timer and whole turns of the wheel. So the next one is the same block with later clocks, later
numbers of threads, of locks that stay and of words that stay, and new ids for all that does not. The shift is an expression over
``range``: 10^8 events are made as fast as they are written. A fault is another block in the place of one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as t

from wheelproof import documents
from wheelproof.pipeline import runs, simulate
from wheelproof.pipeline.schema import EVENT
from wheelproof.pipeline.simulate import FIRST_ID, TICK_MS, WHEEL_SIZE, Event, Simulator

_TIMES = ("exp_ms", "now_ms", "wheel_ms", "key_ms")
_IDS = ("task", "entry", "op")
_SPANS = ("span", "parent")
_TOKEN = t.StructType([t.StructField("kind", t.StringType()), t.StructField("before", t.StringType()), t.StructField("number", t.LongType()),
                       t.StructField("after", t.StringType()), t.StructField("seq", t.LongType()), t.StructField("mode", t.StringType()), t.StructField("step", t.LongType())])
_SHIFT = t.StructType([t.StructField(name, t.LongType()) for name in ("tseq_step", "lseq_step", "vid_step")])


@dataclass(frozen=True)
class Block:
    """Events, and by how much each thing moves from one block to the next: ids, events of each thread, numbers of each token that stays."""

    events: list[Event]
    ids: int
    spans: int
    period_ms: int
    threads: Mapping[str, int]
    tokens: Mapping[str, int]

    @property
    def length(self) -> int:
        return len(self.events)


def block(seed: int, operations: int) -> Block:
    """A block of about 33 events for each operation."""
    simulator = Simulator(seed, operations)
    events = simulator.run()
    threads = {name[2:]: count for name, count in simulator.numbers.items() if name.startswith("t ")}
    stays = {token: count for token, count in simulator.numbers.items() if not token.startswith("t ") and _number(token.split(" ", 1)[1])[1] < FIRST_ID}
    return Block(events, simulator.next_id - FIRST_ID, simulator.spans, simulator.period_ms, threads, stays)


def hot_block(moves: int) -> Block:
    """One entry, moved from list to list: all events are of one key."""
    numbers: Counter[str] = Counter()
    events: list[Event] = []
    for index in range(moves):
        bucket, adds = 1 + index // 2 % 2, index % 2 == 0
        tokens = []
        for kind, name in (("L", f"list:{bucket}"), ("L", "entry:9"), ("V", "counter:1")):
            numbers[f"{kind} {name}"] += 1
            tokens.append((kind, name, numbers[f"{kind} {name}"], "w"))
        here, there = (0, bucket) if adds else (bucket, 0)
        events.append({"tid": 1, "tseq": index + 1, "lc": index + 1, "k": "list_add" if adds else "list_remove", "phase": "atomic", "entry": 9, "list": bucket,
                       "ord": tuple(tokens), "eseq": index + 1, "lseq": tokens[0][2], "pre": {"list": here}, "post": {"list": there, "counter": int(adds)},
                       **({} if adds else {"cause": "readd"})})
    assert moves % 4 == 0
    return Block(events, 0, 0, 0, {"1": moves}, dict(numbers))


def write(spark: SparkSession, folder: Path, run_id: str, base: Block, blocks: int, parts: int, faults: Mapping[int, list[Event]] | None = None) -> int:
    """Write a run of so many blocks as Parquet in ``parts`` files; how many events it has. ``faults``: the events of a block that is another one.

    The footer is that of the run without faults. It names the tokens that stay, and none of the many that last as long as an entry.
    """
    faults = faults or {}
    folder.mkdir(parents=True)
    template = _template(spark, base, base.events)
    positions = spark.range(0, blocks, 1, parts)
    if faults:
        positions = positions.where(~F.col("id").isin(*faults))
    frame = shifted(positions.crossJoin(F.broadcast(template)), base)
    for position, events in faults.items():
        frame = frame.unionByName(shifted(spark.range(position, position + 1, 1, 1).crossJoin(F.broadcast(_template(spark, base, events))), base))
    frame.write.mode("overwrite").parquet(str(folder / "events"))
    threads = {name: count * blocks for name, count in base.threads.items()}
    footer = {"events": base.length * blocks, "per_thread_last_tseq": threads, "per_token_last_seq": {
        name: count * blocks - name.startswith("RW") for name, count in base.tokens.items()}, "dropped": 0}
    head = simulate.header(run_id, {name: simulate.THREADS[name] for name in threads})
    documents.write_text(folder / runs.HEADER_FILE, json.dumps(head) + "\n")
    documents.write_text(folder / runs.FOOTER_FILE, json.dumps(footer) + "\n")
    changed = sum(len(events) - base.length for events in faults.values())
    return base.length * blocks + changed


def _number(name: str) -> tuple[str, int, str]:
    """A token's id in three parts: what is before the number, the number, and what is after it."""
    before, _, rest = name.partition(":")
    digits, dot, after = rest.partition(".")
    return f"{before}:", int(digits), dot + after


def _template(spark: SparkSession, base: Block, events: list[Event]) -> DataFrame:
    rows = []
    for event in events:
        tokens = []
        for kind, name, seq, mode in event.get("ord", ()):
            before, number, after = _number(name)
            tokens.append((kind, before, number, after, seq, mode, base.tokens.get(f"{kind} {name}", 0)))
        tick = TICK_MS * WHEEL_SIZE ** (event.get("level", 1) - 1)
        row: list[Any] = [event.get(name) for name in EVENT.names]
        row[EVENT.names.index("ord")] = tokens or None
        for name in ("pre", "post"):
            row[EVENT.names.index(name)] = tuple(event[name].get(each) for each in EVENT[name].dataType.names) if name in event else None
        rows.append((*row, base.threads[str(event["tid"])], base.tokens.get(f"L list:{event.get('list')}", 0), base.period_ms // tick))
    columns = [t.StructField(each.name, t.ArrayType(_TOKEN) if each.name == "ord" else each.dataType) for each in EVENT]
    return spark.createDataFrame(rows, t.StructType([*columns, *_SHIFT]))


def shifted(frame: DataFrame, base: Block) -> DataFrame:
    """The template's rows at the block ``id``."""
    at = F.col("id")

    def moved(column: Column, step: Column | int) -> Column:
        return column + at * step

    def given(column: Column, step: int) -> Column:
        return F.when(column >= FIRST_ID, moved(column, step)).otherwise(column)

    def timed(column: Column) -> Column:
        return F.when(column >= 0, moved(column, base.period_ms)).otherwise(column)

    def observed(name: str) -> Column:
        changes: dict[str, Callable[[Column], Column]] = {"entry": lambda column: given(column, base.ids), "key_ms": timed}
        fields = [changes.get(each, lambda column: column)(F.col(f"{name}.{each}")).alias(each) for each in EVENT[name].dataType.names]
        return F.when(F.col(name).isNotNull(), F.struct(*fields))

    tokens = F.transform("ord", lambda token: F.struct(
        token.kind.alias("kind"), F.concat(token.before, given(token.number, base.ids).cast("string"), token.after).alias("id"),
        (token.seq + at * token.step).alias("seq"), token["mode"].alias("mode"), F.lit(None).cast("long").alias("upto")))
    made = {"tseq": moved(F.col("tseq"), F.col("tseq_step")), "lc": moved(F.col("lc"), base.length), "lseq": moved(F.col("lseq"), F.col("lseq_step")),
            "vid": moved(F.col("vid"), F.col("vid_step")), "ord": tokens, "pre": observed("pre"), "post": observed("post"),
            **{name: timed(F.col(name)) for name in _TIMES}, **{name: given(F.col(name), base.ids) for name in _IDS},
            **{name: moved(F.col(name), base.spans) for name in _SPANS}}
    # the entry that stays has numbers that go on
    made["eseq"] = F.col("eseq") + at * F.lit(base.tokens.get("L entry:9", 0))
    return frame.select(*[made.get(name, F.col(name)).cast(EVENT[name].dataType).alias(name) for name in EVENT.names])
