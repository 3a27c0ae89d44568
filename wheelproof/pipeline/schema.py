"""Spark's types of an event and of a violation, made from ``wheelproof.trace.format.schema``."""

from __future__ import annotations

from pyspark.sql import types as t

from wheelproof.trace.format import schema as trace

_TYPES: dict[str, t.DataType] = {
    "int32": t.IntegerType(),
    "int64": t.LongType(),
    "text": t.StringType(),
    "enum": t.StringType(),
    "bool": t.BooleanType(),
}


def _struct(fields: tuple[trace.Field, ...]) -> t.StructType:
    return t.StructType([t.StructField(field.name, _type(field)) for field in fields])


def _type(field: trace.Field) -> t.DataType:
    if field.type == "token":
        return t.ArrayType(_struct(trace.TOKEN))
    if field.type == "observed":
        return _struct(trace.OBSERVED)
    return _TYPES[field.type]


EVENT = _struct(trace.COLUMNS)
"""The columns of ``wheelproof.trace/1``, all nullable: required columns are checked when it is
read."""

PLACE = t.StructType(
    [
        t.StructField("run", t.IntegerType(), False),
        t.StructField("address", t.StringType()),
        t.StructField("row", t.LongType()),
    ]
)
"""Where an event came from: index of its run, address of its file, and its line (JSON Lines) or row
(Parquet), from 1."""

VIOLATION = t.StructType(
    [
        t.StructField("run", t.IntegerType()),
        t.StructField("rule", t.StringType()),
        t.StructField("tid", t.IntegerType()),
        t.StructField("tseq", t.LongType()),
        t.StructField("lc", t.LongType()),
        t.StructField("k", t.StringType()),
        *[t.StructField(name, t.LongType()) for name in trace.OBJECTS],
        t.StructField("token", t.StringType()),
        t.StructField("detail", t.StringType()),
    ]
)
"""One rule broken by one event, which (run, tid, tseq) names, or by one object, whose id is given
then and no event."""
