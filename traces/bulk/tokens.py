"""Rules of one order token, and of a class of them: every token is dense and in order, and the
events bear as many as the footer says."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import ENDS, EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Finding, Rule, is_one_of, text
from wheelproof.trace.format.totals import MODULUS, NAMES

COUNTER = "counter:"
"""How the id of a counter's word begins."""

START, SHARE, WRITE, READ, END = range(5)
"""Of a row at a token: the header's value, a read/write lock's reader, a write or a hold, a word's
reader, the footer's value. Of equal numbers the lesser comes first: a word's version is written
before it is read, and the readers of an epoch come before the writer that ends it."""

LOCK, EPOCH, WORD, COUNT = 1, 2, 3, 4
"""Sorts of tokens: the number of a lock, the epoch of a read/write lock, the version of a word,
that of a counter's word."""

_GREATEST = 2**63 - 1
"""The number of a row that comes after all numbers."""


def prepare_tokens() -> Frame:
    """Each event once for each of its exact tokens, ``of`` a sort (:data:`LOCK` and so on) and with
    an id, beside the event before it at the same token.

    The header's row of a counter comes first, the footer's row of a token last. ``value``:
    the counter's after the event; of a word whether a timer has the task now, 1 or 0; of a footer
    the token's last number.
    """
    events = EVENTS.where(F.size("ord") > 0).select(
        *WHICH, F.col("post.counter").alias("counter"), F.explode("ord").alias("t")
    )
    sort_of_token, writes = _sort(F.col("t.kind"), F.col("t.id")), F.col("t.mode").isin("w", "cas+")
    events = events.where(F.col("t.upto").isNull()).select(
        "run",
        sort_of_token.alias("of"),
        F.col("t.id").alias("id"),
        F.col("t.seq").alias("seq"),
        F.when(writes, WRITE).when(sort_of_token == EPOCH, SHARE).otherwise(READ).alias("mode"),
        "lc",
        "tid",
        "tseq",
        "k",
        F.when(sort_of_token == COUNT, F.col("counter"))
        .when((sort_of_token == WORD) & is_one_of("add_request"), 1)
        .when((sort_of_token == WORD) & is_one_of("cancel", "task_run"), 0)
        .alias("value"),
    )
    of_header, sort, name = (
        F.col("kind") == "counter",
        F.regexp_replace("id", " .*$", ""),
        F.regexp_replace("id", "^[^ ]* ", ""),
    )
    ends = ENDS.where(F.col("kind").isin("counter", "token")).select(
        "run",
        _sort(sort, name).alias("of"),
        name.alias("id"),
        F.when(of_header, 0).otherwise(_GREATEST).alias("seq"),
        F.when(of_header, START).otherwise(END).alias("mode"),
        F.lit(None).cast("long").alias("lc"),
        F.lit(None).cast("int").alias("tid"),
        F.lit(None).cast("long").alias("tseq"),
        F.when(of_header, "header").otherwise("footer").alias("k"),
        F.col("last").alias("value"),
    )
    # Ids begin alike: their hash is what is sorted by its first eight bytes, and the id is looked
    # at only where that is the same.
    rows = events.unionByName(ends).withColumn("hash", F.xxhash64("id"))
    order = Window.partitionBy("hash", "id", "of", "run").orderBy(
        "seq", "mode", *STAMP, "k", "value"
    )
    return rows.select(
        "*",
        *[F.lag(name).over(order).alias(f"was_{name}") for name in ("seq", "mode", "lc", "value")],
    )


def _sort(kind: Column, name: Column) -> Column:
    return (
        F.when(kind == "L", LOCK)
        .when(kind == "RW", EPOCH)
        .when(name.startswith(COUNTER), COUNT)
        .otherwise(WORD)
    )


def _token() -> dict[str, Column]:
    """The token as a header or a footer names it."""
    return {
        "token": F.concat(
            F.when(F.col("of") == LOCK, "L ").when(F.col("of") == EPOCH, "RW ").otherwise("V "),
            F.col("id"),
        )
    }


def _is_event() -> Column:
    return F.col("mode").between(SHARE, READ)


def _before() -> Column:
    return F.coalesce(F.col("was_seq"), F.lit(0))


def _is_shared_read() -> Column:
    """A read of a word that the event before only read as well."""
    return (
        (F.col("mode") != WRITE)
        & (F.col("was_mode") == F.col("mode"))
        & (F.col("seq") == F.col("was_seq"))
    )


def _now() -> Column:
    mode = F.when(F.col("mode") == WRITE, "w ").otherwise("r ")
    return text("{mode}{seq} at lc {lc} after {was_seq} at lc {was_lc}", mode=mode)


def _says_what_the_timer_has(kind: str) -> Column:
    """An event of this kind writes the word, and the write before it was recorded too."""
    follows = F.col("seq") == _before() + 1
    is_known = F.col("was_seq").isNull() | F.col("was_value").isNotNull()
    writes = (F.col("of") == WORD) & (F.col("mode") == WRITE)
    return is_one_of(kind) & writes & follows & is_known


TOKEN_RULES = (
    # versions of other words may be made by writes that are not recorded
    Rule(
        "TokenDense",
        "the numbers of a lock, and the versions of a counter, have no gap",
        (_is_event() & ((F.col("of") == LOCK) | (F.col("of") == COUNT) & (F.col("mode") == WRITE))),
        F.col("seq") <= _before() + 1,
        _now(),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
    Rule(
        "TokenOnce",
        "no number of a lock, and no version of a word, is given twice",
        (F.col("mode") == WRITE) & (F.col("of") != EPOCH),
        ((F.col("seq") >= 1) & (F.col("was_seq").isNull() | (F.col("seq") > F.col("was_seq")))),
        _now(),
        alone=True,
    ),
    Rule(
        "TokenClock",
        "the Lamport clock rises along a token; those who only share it may be equal",
        _is_event() & F.col("was_lc").isNotNull(),
        (F.col("lc") > F.col("was_lc")) | (_is_shared_read() & (F.col("lc") == F.col("was_lc"))),
        _now(),
        alone=True,
    ),
    Rule(
        "TokenEnd",
        "where the footer names each token, as before minor version 2, a token ends where it says",
        F.col("mode") == END,
        _before() == F.col("value"),
        text("footer says {value}, last is {was_seq}"),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
    Rule(
        "CounterExact",
        "the count of linked entries goes up by one with a link and down by one with an unlink",
        (
            F.col("value").isNotNull()
            & F.col("was_value").isNotNull()
            & is_one_of("list_add", "list_remove")
        ),
        (F.col("value") - F.col("was_value") == F.when(is_one_of("list_add"), 1).otherwise(-1)),
        text("{k} left {value} after {was_value}"),
    ),
    # A timer that hands tasks over, and runs them later, writes no word as it gets or runs one.
    Rule(
        "TimedOnce",
        "a timer gets a task that it does not have, where a word says which tasks it has",
        _says_what_the_timer_has("add_request"),
        F.coalesce("was_value", F.lit(0)) == 0,
        text("write {seq} of the word, and the timer has the task"),
    ),
    Rule(
        "TakenWhileTimed",
        "a timer runs a task that it has, where a word says which tasks it has",
        _says_what_the_timer_has("task_run"),
        F.coalesce("was_value", F.lit(0)) == 1,
        text("write {seq} of the word, and the timer does not have the task"),
    ),
)

TOKENS = Family(
    "tokens", "token of an event", ("run", "token"), prepare_tokens(), TOKEN_RULES, made=_token()
)


def prepare_totals() -> Frame:
    """One row for each class of tokens: how many exact ones the events bear, their greatest number
    and their sum, beside the footer's figures."""
    events = (
        EVENTS.where(F.size("ord") > 0)
        .select("run", F.explode("ord").alias("t"))
        .where(F.col("t.upto").isNull())
        .select(
            "run",
            F.concat(F.col("t.kind"), F.lit(" "), F.regexp_replace("t.id", ":.*$", "")).alias(
                "class"
            ),
            F.lit("event").alias("source"),
            F.col("t.seq").alias("value"),
        )
    )
    ends = ENDS.where(F.col("kind").isin(*NAMES)).select(
        "run",
        F.col("id").alias("class"),
        F.col("kind").alias("source"),
        F.col("last").alias("value"),
    )
    rows = events.unionByName(ends)
    is_event = F.col("source") == "event"
    here = (
        F.count_if(is_event).alias("count"),
        F.coalesce(F.max(F.when(is_event, F.col("value"))), F.lit(0)).alias("max"),
        F.coalesce(F.sum(F.when(is_event, F.col("value"))), F.lit(0)).alias("sum"),
    )
    footer_columns = [
        F.max(F.when(F.col("source") == name, F.col("value"))).alias(f"stated_{name}")
        for name in NAMES
    ]
    runs = broadcast(RUNS.select("run", "totalled"))
    return rows.groupBy("run", "class").agg(*here, *footer_columns).join(runs, "run", "inner")


def _as_stated() -> Column:
    return (
        (F.col("count") == F.col("stated_count"))
        & (F.col("max") == F.col("stated_max"))
        & (F.pmod(F.col("sum"), F.lit(MODULUS)) == F.col("stated_sum"))
    )


TOTAL_RULES = (
    Rule(
        "TokenTotals",
        "the events bear as many tokens of each class, with the same greatest number and sum, as "
        "the footer says",
        F.col("totalled"),
        _as_stated(),
        text("{count} tokens to {max}, in the footer {stated_count} to {stated_max}"),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
)

TOTALS = Family(
    "totals",
    "class of tokens",
    ("run", "class"),
    prepare_totals(),
    TOTAL_RULES,
    made={"token": F.col("class")},
)
