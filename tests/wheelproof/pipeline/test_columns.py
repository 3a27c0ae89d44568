"""Expressions and frames as data: what they refuse, and that DuckDB treats nulls as Spark does."""

from __future__ import annotations

import checked
import duckdb
import inputs as all_inputs
import pytest

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from traces.bulk import lists, trace
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import on_duckdb, on_spark
from wheelproof.pipeline.columns import Window
from wheelproof.pipeline.frames import EVENTS, RUNS
from wheelproof.pipeline.rule import Family, Rule, text

ROWS = [{"a": a, "b": b} for a in (True, False, None) for b in (True, False, None)]


def _numbers() -> F.Column:
    """One to three, with nulls where ``a`` or ``b`` are not true."""
    return F.transform(
        F.sequence(F.lit(1), F.lit(3)),
        lambda each: (
            F.when(each == 1, F.when(F.col("a"), 1))
            .when(each == 2, F.when(F.col("b"), 2))
            .otherwise(each)
        ),
    )


EXPRESSIONS = {
    "and": F.col("a") & F.col("b"),
    "or": F.col("a") | F.col("b"),
    "not": ~F.col("a"),
    "equal": F.col("a") == F.col("b"),
    "other": F.col("a") != F.col("b"),
    "same": F.col("a").eqNullSafe(F.col("b")),
    "first": F.coalesce("a", "b"),
    "when": F.when(F.col("a"), 1).when(F.col("b"), 2).otherwise(3),
    "no other": F.when(F.col("a"), 1),
    "among": F.when(F.col("a"), 1).isin(1, 2),
    "text": F.concat(F.lit("x"), F.col("a").cast("string")),
    "greatest": F.greatest(F.when(F.col("a"), 1), F.when(F.col("b"), 2)),
    "remainder": F.pmod(F.when(F.col("a"), -7), F.when(F.col("b"), 4)),
    "quoted": F.when(F.col("a"), "it's").otherwise("\\"),
    "element": F.get(F.split(F.lit("x y"), " "), F.when(F.col("a"), 1).when(F.col("b"), -1)),
    "replaced": F.regexp_replace(F.when(F.col("a"), "k a b").otherwise("k"), " .*$", ""),
    "begins": F.when(F.col("a"), "xy").otherwise("y").startswith("x"),
    "bits": F.when(F.col("a"), 5).otherwise(2).bitwiseAND(F.lit(4)),
    "less": F.when(F.col("a"), 1) - F.when(F.col("b"), 3) * F.lit(2) + F.abs(F.lit(-1)),
    "power": (F.pow(F.lit(2).cast("double"), F.lit(40)) * F.when(F.col("a"), 3)).cast("long"),
    "number": F.when(F.col("a"), "-17").when(F.col("b"), "1x").otherwise("9999999999").cast("int"),
    "some": F.exists(_numbers(), lambda each: each == 1),
    "how many": F.size(F.filter(_numbers(), lambda each: each > 1)),
    "no list": F.size(F.when(F.col("a"), _numbers())),
    "there": F.array_contains(_numbers(), 2),
    "last": F.get(F.sort_array(_numbers()), F.lit(2)),
    "before": F.struct(F.when(F.col("a"), 1).alias("x"), F.lit(2).alias("y"))
    < F.struct(F.when(F.col("b"), 1).alias("x"), F.lit(3).alias("y")),
}


def test_each_expression_has_one_value_in_spark_and_on_duckdb(spark):
    """But for structs with a null in them, which DuckDB compares in another way."""
    rows = spark.createDataFrame([(row["a"], row["b"]) for row in ROWS], "a boolean, b boolean")
    columns = [on_spark.column(column).alias(name) for name, column in EXPRESSIONS.items()]
    in_spark = [row.asDict() for row in rows.select("a", "b", *columns).collect()]
    given = ", ".join(f"({row['a']}, {row['b']})" for row in ROWS).replace("None", "NULL")
    chosen = on_duckdb.select(*[column.alias(name) for name, column in EXPRESSIONS.items()])
    with duckdb.connect() as connection:
        values = connection.execute(
            f"SELECT {chosen} FROM (VALUES {given}) AS given (a, b)"
        ).fetchall()
    assert len(values) == len(in_spark) == len(ROWS)
    for row, by_duckdb in zip(in_spark, values, strict=True):
        one_is_null = (row["a"] is True) != (row["b"] is True)
        unlike = {
            name for name, value in zip(EXPRESSIONS, by_duckdb, strict=True) if value != row[name]
        }
        assert unlike == ({"before"} if one_is_null else set()), row


def test_a_thread_of_a_footer_that_is_no_number_breaks_a_rule_and_ends_no_check():
    events = Simulator(all_inputs.SEED, all_inputs.OPERATIONS).run()
    head = header("x")
    footer = checked.footer_of(head, events)
    footer["per_thread_last_tseq"]["main"] = 3
    assert checked.rules(head, footer, events, [trace.FAMILY]) == {"ThreadEnd": 1}


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: EVENTS.where(F.col("lamport") > 0), "no column 'lamport'"),
        (lambda: EVENTS.select("run", F.col("lc") + 1), "a name of its own"),
        (lambda: EVENTS.join(RUNS, "lc"), "no join"),
        (lambda: EVENTS.unionByName(RUNS), "differ"),
        (lambda: RUNS.withColumn("x", F.lag("y").over(Window.partitionBy("run"))), "'y'"),
        (lambda: text("key {key_ms} ms", key=F.col("key_ms")), "no place for key"),
        (lambda: F.lag("k").over(Window.partitionBy("run").before()), "no bounds"),
    ],
)
def test_a_frame_that_cannot_be_is_refused_when_it_is_written(made, says):
    with pytest.raises(ValueError, match=says):
        made()


def test_a_rule_over_a_column_that_its_family_does_not_have_is_refused():
    rule = Rule("X", "", F.col("k") == "drop", F.col("keys") > 0, F.lit(""))
    with pytest.raises(ValueError, match="no column 'keys'"):
        Family("lists", "", ("run",), lists.LISTS.rows, (rule,))


def test_a_column_is_no_truth_value():
    with pytest.raises(TypeError, match="combine columns"):
        bool(F.col("a") == 1)
