"""Which keys have too many rows for one task, and where to cut them: estimated from a sample.

The cuts decide how long a check takes, and nothing that it finds: see ``splitting``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from wheelproof.pipeline import on_spark, splitting
from wheelproof.pipeline.outcomes import Inputs
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.splitting import Cut

_SEED = 0


@dataclass(frozen=True)
class Limits:
    """When a key is cut. ``larger``: than so many partitions of a shuffle, if all were equal;
    ``costs``: the cost of a row in pieces, in rows of a window, so that a key is cut only if its
    window would take longer than all pieces on all cores; ``least``: rows of a piece, so that a
    smaller key is never cut; ``pieces``: of all rows of a family, for each partition; ``most``: of
    all rows, since each cut is looked at for each row; ``sampled``: events to estimate from."""

    larger: float = 1.0
    costs: float = 2.0
    least: int = 250_000
    pieces: int = 4
    most: int = 64
    sampled: int = 20_000


LIMITS = Limits()


@dataclass(frozen=True)
class Sample:
    """Some of the events, which are the ``share`` of all. ``partitions``: of a shuffle.
    ``cores``: of all executors."""

    inputs: Inputs
    share: float
    limits: Limits
    partitions: int
    cores: int


def sample(
    spark: SparkSession, inputs: Inputs, events: int, folder: Path, limits: Limits = LIMITS
) -> Sample | None:
    """A sample, written to ``folder``: it is read by each family. None where there are so few
    events that no key is cut."""
    if events < 2 * limits.least:
        return None
    share = min(1.0, limits.sampled / events)
    sample_events = inputs.events.sample(withReplacement=False, fraction=share, seed=_SEED)
    target = str(folder / "sample")
    sample_events.write.mode("overwrite").parquet(target)
    # What footers say is one row for each key, and no part of a sample.
    sample_inputs = replace(
        inputs,
        events=spark.read.schema(sample_events.schema).parquet(target),
        ends=inputs.ends.limit(0),
    )
    partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    return Sample(sample_inputs, share, limits, partitions, spark.sparkContext.defaultParallelism)


def cuts(family: Family, sample: Sample | None) -> tuple[Cut, ...]:
    """Where the keys of a family are to be cut, the largest key first."""
    sorting = splitting.sorting(family.rows) if sample is not None else None
    if sample is None or sorting is None:
        return ()
    rows: DataFrame = on_spark.frame(sorting.rows, vars(sample.inputs))
    by_key: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    width = len(sorting.key)
    for row in rows.select(*sorting.key, *[rows[name] for name in sorting.place]).collect():
        by_key[tuple(row[:width])].append(tuple(row[width:]))
    return chosen(by_key, sample.limits, sample.share, sample.partitions, sample.cores)


def chosen(
    by_key: Mapping[tuple[Any, ...], list[tuple[Any, ...]]],
    limits: Limits,
    share: float,
    partitions: int,
    cores: int,
) -> tuple[Cut, ...]:
    """Where to cut which keys, whose places are those of a ``share`` of the rows."""
    total = sum(map(len, by_key.values()))
    piece = max(limits.least * share, total / min(limits.most, limits.pieces * partitions), 1)
    large = max(2 * piece, limits.larger * total / partitions, limits.costs * total / cores)
    key_cuts = [
        Cut(key, places)
        for key, many in by_key.items()
        if len(many) >= large and (places := _places(many, round(len(many) / piece)))
    ]
    return tuple(sorted(key_cuts, key=lambda cut: (-len(by_key[cut.key]), order(cut.key))))


def _places(places: list[tuple[Any, ...]], pieces: int) -> tuple[tuple[Any, ...], ...]:
    """Where pieces of equal size begin, but for the first."""
    rising = sorted(places, key=order)
    beginnings = [rising[len(rising) * number // pieces] for number in range(1, pieces)]
    return tuple(place for place in dict.fromkeys(beginnings) if place != rising[0])


def order(place: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    """A key that sorts places as the engines sort them: nulls come first."""
    return [(value is not None, value) for value in place]
