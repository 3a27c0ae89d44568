"""How late entries were handed over: a histogram of exact counts, the same for every partitioning
of the events.

Lateness is counted on the clock that the event read (``now_ms``) or else on the wheel's.
Percentiles are bounds of the histogram's classes, twice as wide each; a sketch would give closer
ones that change with the partitions.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.document import Lateness, LatenessClass
from wheelproof.pipeline.tally import times

EDGES_MS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
"""Lower ends of the classes above the first, which is below 0 (handed over before the deadline, in
the deadline's tick)."""


def late() -> dict[str, Column]:
    """The column by which the rows of events are counted: the lateness in milliseconds, null where
    nothing was handed over."""
    return {
        "late": F.when(
            F.col("k") == "expire_submit",
            F.coalesce(F.col("now_ms"), F.col("wheel_ms")) - F.col("exp_ms"),
        )
    }


def lateness_measures() -> dict[str, Column]:
    """Aggregates over those counts: the classes, least, greatest and sum in milliseconds."""
    value = F.col("late")
    bounds = (None, *EDGES_MS, None)
    classes = {}
    for index, (low, high) in enumerate(itertools.pairwise(bounds)):
        inside = value.isNotNull() if low is None else value >= low
        classes[f"late_{index}"] = times(inside if high is None else inside & (value < high))
    return classes | {
        "late_min": F.min(value),
        "late_max": F.max(value),
        "late_sum": F.sum(value * F.col("times")),
    }


def summary(measures: Mapping[str, int]) -> Lateness:
    """Plain data of the measures: ``count`` 0 and nothing else where no entry was handed over."""
    counts = [measures[f"late_{index}"] for index in range(len(EDGES_MS) + 1)]
    total = sum(counts)
    if not total:
        return {"count": 0}
    classes: list[LatenessClass] = [
        {"from_ms": low, "below_ms": high, "count": count}
        for low, high, count in zip((None, *EDGES_MS), (*EDGES_MS, None), counts)
        if count
    ]
    return {
        "count": total,
        "least_ms": measures["late_min"],
        "greatest_ms": measures["late_max"],
        "mean_ms": measures["late_sum"] / total,
        "p50_below_ms": _percentile(counts, 0.5, measures["late_max"]),
        "p99_below_ms": _percentile(counts, 0.99, measures["late_max"]),
        "classes": classes,
    }


def _percentile(counts: list[int], share: float, greatest: int) -> int:
    """The upper end of the class in which the share is reached; of the last class the greatest
    value, plus one."""
    below, rank = 0, share * sum(counts)
    for count, high in zip(counts, (*EDGES_MS, None)):
        below += count
        if below >= rank:
            return greatest + 1 if high is None else high
    raise AssertionError("the counts add up to less than their sum")
