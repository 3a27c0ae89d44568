"""Rules of one list: it is emptied by its flush, and queued with its key."""

from __future__ import annotations

from traces.schema import NOT_QUEUED
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, Frame
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Rule, is_one_of, text

_LIST_KINDS = (
    "bucket_new",
    "list_add",
    "list_remove",
    "flush_begin",
    "flush_end",
    "bucket_expiry_set",
    "dq_offer",
    "dq_poll",
    "checkpoint",
)


_LIST = Window.partitionBy("list", "run")


def _has_monitors() -> Column:
    """Of a link or an unlink whether its tokens show the monitors of the list and of the entry."""

    def has_monitor(role: str) -> Column:
        monitor = F.concat(F.lit(f"{role}:"), F.col(role))
        return F.exists(
            "ord", lambda token: (token.field("kind") == "L") & (token.field("id") == monitor)
        )

    return F.when(_links() & F.col("ord").isNotNull(), has_monitor("list") & has_monitor("entry"))


def _links() -> Column:
    return is_one_of("list_add", "list_remove")


def prepare_lists() -> Frame:
    """The events of a list with ``linked`` (entries in it after the event), ``left`` (those that
    the flush before left), ``key`` (its key before), ``queued`` (its key in the queue) and
    ``flushed`` (the number of its lock when its last flush began or ended), ``held`` (whether
    it shows both monitors) and ``shown`` (whether another event does)."""
    events = EVENTS.where(F.col("list").isNotNull() & is_one_of(*_LIST_KINDS)).select(
        *WHICH,
        "entry",
        "list",
        "exp_ms",
        "key_ms",
        "cause",
        "lseq",
        F.col("pre.key_ms").alias("seen_key"),
        _has_monitors().alias("held"),
    )
    order = _LIST.orderBy(*STAMP, "k", "entry", "key_ms", "exp_ms", "cause", "seen_key", "lseq")
    so_far, before = (order.so_far(), order.before())
    # A checkpoint amid the events repeats what is known: it changes something only where events
    # were lost, and then this rule is not trusted.
    begins = is_one_of("checkpoint") & (F.col("lc") == 0) & F.col("entry").isNotNull()
    step = F.when(is_one_of("list_add") | begins, 1).when(is_one_of("list_remove"), -1).otherwise(0)
    queue = F.when(is_one_of("dq_offer", "dq_poll"), F.struct("k", "key_ms"))
    return (
        events.withColumn("linked", F.sum(step).over(so_far))
        .withColumn(
            "left",
            F.coalesce(
                F.last_where(is_one_of("flush_end"), F.col("linked")).over(before), F.lit(0)
            ),
        )
        .withColumn(
            "key",
            F.last(
                F.when(is_one_of("bucket_expiry_set", "checkpoint"), F.col("key_ms")).when(
                    is_one_of("bucket_new"), NOT_QUEUED
                )
            ).over(before),
        )
        .withColumn("was", F.lag("k").over(order))
        .withColumn("shown", F.max(F.when(F.is_true("held"), 1)).over(_LIST))
        .withColumn("queued", F.last(queue).over(before))
        .withColumn(
            "flushed",
            F.last_where(is_one_of("flush_begin", "flush_end"), F.coalesce("lseq", F.lit(0))).over(
                before
            ),
        )
    )


def _is_in_queue() -> Column:
    """The bucket is in the queue before the event."""
    return F.col("queued.k").eqNullSafe("dq_offer")


def _resets() -> Column:
    return is_one_of("bucket_expiry_set") & (F.col("key_ms") < 0)


LIST_RULES = (
    Rule(
        "FreshList",
        "a bucket is made once, before anything happens to it",
        is_one_of("bucket_new"),
        F.col("was").isNull(),
        text("made after {was}"),
        alone=True,
    ),
    # One link or unlink that is missing is counted in every flush of the list that follows: the
    # flush that changes what is left is rejected.
    Rule(
        "FlushEmpties",
        "when a flush ends the list is empty, but for what the flush before left",
        is_one_of("flush_end"),
        (F.col("linked") == 0) | (F.col("linked") == F.col("left")),
        text("{linked} entries are left, {left} by the flush before"),
    ),
    Rule(
        "LinkedUnderMonitors",
        "who links or unlinks an entry holds its monitor and the list's, where another event of the"
        " list shows both",
        _links() & F.col("held").isNotNull() & F.col("shown").isNotNull(),
        F.is_true("held"),
        text("{k} of entry {entry} shows fewer monitors than others of the list"),
        alone=True,
    ),
    Rule(
        "KeyObserved",
        "who sets a bucket's key saw the one that was set before",
        (is_one_of("bucket_expiry_set") & F.col("seen_key").isNotNull() & F.col("key").isNotNull()),
        F.col("seen_key") == F.col("key"),
        text("saw {seen_key}, key was {key}"),
    ),
    Rule(
        "KeyBeforeDeadline",
        "an entry leaves a flushed bucket whose key was not after the entry's deadline",
        (
            is_one_of("list_remove")
            & (F.col("cause") == "flush")
            & F.col("exp_ms").isNotNull()
            & F.col("key").isNotNull()
            & (F.col("key") >= 0)
        ),
        F.col("key") <= F.col("exp_ms"),
        text("key {key} ms, deadline {exp_ms} ms"),
    ),
    Rule(
        "ResetWhenEmpty",
        "a bucket's key is reset only when no entry is in the bucket, but for what the flush"
        " before left",
        _resets(),
        (F.col("linked") == 0) | (F.col("linked") == F.col("left")),
        text("{linked} entries are in the bucket, and no thread queues it again"),
    ),
    Rule(
        "ResetUnderMonitor",
        "a bucket's key is reset under the bucket's monitor, where its flush shows that monitor",
        _resets() & (F.col("flushed") > 0),
        F.col("lseq").isNotNull(),
        text("the flush has the monitor's number {flushed}, the reset none"),
        alone=True,
    ),
    Rule(
        "QueuedOnceWithItsKey",
        "a bucket is put into the queue only when it is not in it, and leaves it with the key with "
        "which it went in",
        is_one_of("dq_offer") | (is_one_of("dq_poll") & F.col("key_ms").isNotNull()),
        F.when(is_one_of("dq_offer"), ~_is_in_queue()).otherwise(
            _is_in_queue() & (F.col("queued.key_ms") == F.col("key_ms"))
        ),
        text(
            "{k} with key {key_ms} ms, last {queued.k} with key {queued.key_ms} ms{defect}",
            defect=F.when(
                _is_in_queue() & (F.col("queued.key_ms") != F.col("key_ms")),
                F.lit(": the key of a queued bucket changed, as in D1 (docs/D1.md)"),
            ).otherwise(F.lit("")),
        ),
    ),
)

LISTS = Family("lists", "event of a list", ("run", "list"), prepare_lists(), LIST_RULES)
