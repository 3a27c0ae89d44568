"""Codes of kinds, causes and results: each text has one, each is named by its own text, and what
has none is null."""

import pytest

from wheelproof.pipeline import codes, on_spark
from wheelproof.trace.format import schema


@pytest.mark.parametrize(
    ("made", "column", "table", "values"),
    [
        (lambda: codes.kind(*schema.KINDS), "k", codes.KIND, tuple(schema.KINDS)),
        (codes.cause, "cause", codes.CAUSE, schema.CAUSES),
        (codes.result, "res", codes.RESULT, schema.RESULTS),
    ],
    ids=("kinds", "causes", "results"),
)
def test_each_text_has_a_code_and_is_named_by_it_again(spark, made, column, table, values):
    rows = spark.createDataFrame(
        [(value,) for value in (*values, "unheard of", None)], f"{column} string"
    ).select(column, on_spark.column(made().alias("code")))
    found = {
        row[column]: (row.code, row.named)
        for row in rows.select(
            column, "code", on_spark.column(codes.named("code", table).alias("named"))
        ).collect()
    }
    assert found == {value: (number, value) for number, value in enumerate(values, 1)} | {
        "unheard of": (None, None),
        None: (None, None),
    }


def test_another_table_would_name_another_text(spark):
    """The control of the test above."""
    rows = spark.createDataFrame([("flush",)], "cause string").select(
        on_spark.column(codes.cause().alias("code"))
    )
    assert (
        rows.select(on_spark.column(codes.named("code", codes.KIND).alias("named"))).head().named
        != "flush"
    )


def test_a_coded_column_is_read_by_name(spark):
    rows = spark.createDataFrame(
        [("list_add",), ("list_remove",), ("dq_poll",)], "k string"
    ).select("k", on_spark.column(codes.kind("list_add", "list_remove")))
    coded = {
        row.k: (row.one, row.two)
        for row in rows.select(
            "k",
            on_spark.column(codes.is_kind("list_add").alias("one")),
            on_spark.column(codes.is_kind("list_add", "list_remove").alias("two")),
        ).collect()
    }
    assert coded == {
        "list_add": (True, True),
        "list_remove": (False, True),
        "dq_poll": (None, None),
    }
    with pytest.raises(KeyError):
        codes.is_kind("no kind")
