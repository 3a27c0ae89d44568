"""Rules of the values that events state of one object again and again.

An entry is one task's, an operation is one task, a bucket is one slot of one level.

Every event that names an object and such a value is a statement. A group of statements is about
one value of one object, wherever threads make them: their order does not matter.
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import EVENTS, Frame
from wheelproof.pipeline.rule import Family, Rule, is_one_of, text

ENTRY, OPERATION, LEVEL, SLOT = "entry", "operation", "level", "slot"
"""The value that statements are about."""


def prepare() -> Frame:
    """One row for each value of an object, with the ``least`` and the ``greatest`` that an event
    gives it."""
    writes = is_one_of("set_entry", "cancel")
    statements = (
        _statements(ENTRY, F.col("entry"), F.col("task"))
        .unionByName(_statements(ENTRY, F.when(writes, F.col("pre.entry")), F.col("task")))
        .unionByName(_statements(ENTRY, F.when(writes, F.col("post.entry")), F.col("task")))
        .unionByName(_statements(OPERATION, F.col("op"), F.col("task")))
        .unionByName(_statements(LEVEL, F.col("list"), F.col("level").cast("long")))
        .unionByName(_statements(SLOT, F.col("list"), F.col("bucket").cast("long")))
    )
    return statements.groupBy("run", "about", "object").agg(
        F.min("value").alias("least"), F.max("value").alias("greatest")
    )


def _statements(about: str, subject: Column, value: Column) -> Frame:
    events = EVENTS.where((F.col("lc") > 0) & ~is_one_of("checkpoint"))
    statements = events.select(
        "run", F.lit(about).alias("about"), subject.alias("object"), value.alias("value")
    )
    return statements.where((F.col("object") > 0) & F.col("value").isNotNull())


def _keeps(name: str, says: str, *about: str) -> Rule:
    return Rule(
        name,
        says,
        F.col("about").isin(*about),
        F.col("least") == F.col("greatest"),
        text("{about} {object}: {least} and {greatest}"),
        alone=True,
    )


RULES = (
    _keeps("EntryKeepsTask", "an entry is one of one task", ENTRY),
    _keeps("OperationKeepsTask", "an operation is one task of a timer", OPERATION),
    _keeps("ListKeepsPlace", "a bucket is in one slot of one level", LEVEL, SLOT),
)

FAMILY = Family("constants", "value of an object", ("run", "object"), prepare(), RULES)
