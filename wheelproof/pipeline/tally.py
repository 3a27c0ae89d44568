"""Counts of rows that are alike: a condition on a group counts for each of its rows."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column

TIMES = "times"
"""The column that says how many rows a group stands for."""


def times(condition: Column) -> Column:
    """An aggregate over groups: how many rows the condition is true of."""
    return F.coalesce(F.sum(F.when(condition, F.col(TIMES))), F.lit(0))
