"""Rules of the controller's node, its epoch and the partitions: one key, the run.

Of an event ``holder`` is the session that has ``/controller`` before it, ``reign`` the clock of the
node's creation (0 without a node), and ``epoch_now`` the current one.
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, Family, Finding, Rule, is_one_of, text

from ..schema import CONTROLLER
from .candidates import number, ticks

CHANGES = ("node_create", "node_put", "node_delete", "node_check")
NOTHING = -1


def _last(value: Column, window: Window, default: int = 0) -> Column:
    return F.coalesce(F.last(value).over(window), F.lit(default))


def _first(*values: object) -> Column:
    """The value of the first condition that is true, of pairs; null without one."""
    (condition, value), *rest = zip(values[::2], values[1::2], strict=True)
    assert isinstance(condition, Column)
    chain = F.when(condition, value)
    for condition, value in rest:
        assert isinstance(condition, Column)
        chain = chain.when(condition, value)
    return chain


def _window(*keys: str) -> Window:
    """The events of a run with the same keys, in order."""
    return Window.partitionBy("run", *keys).orderBy(*STAMP)


BEFORE, SO_FAR = _window().before(), _window().so_far()


def prepare() -> Frame:
    """Sessions that end, and changes of nodes, with the state before each."""
    rows = _with_elections(_with_counts(_with_reign(_with_maker(_changes()))))
    waits = F.sum(number(F.col("waits")))
    return (
        rows.withColumn("without_work", waits.over(_window("work").so_far()))
        .withColumn("unchanged", waits.over(_window("office_kept").so_far()))
        .join(broadcast(RUNS.select("run", "bound")), "run")
    )


def _changes() -> Frame:
    """Sessions that end, and changes of nodes: the kind of each event."""
    node = F.col("node").eqNullSafe(CONTROLLER)
    return EVENTS.where((F.col("lc") > 0) & is_one_of("session_close", *CHANGES)).select(
        "run",
        *STAMP,
        "k",
        "zxid",
        "node",
        "epoch",
        "leader_epoch",
        "controller_epoch",
        "isr",
        "calm",
        F.col("post.version").alias("version"),
        (F.col("res") == "true").alias("ephemeral"),
        node.alias("office"),
        (is_one_of("node_create") & node).alias("created"),
        (is_one_of("node_put") & F.col("epoch").isNotNull()).alias("raises"),
        (
            is_one_of("node_put")
            & F.col("leader_epoch").isNotNull()
            & (F.col("cause") == "candidate")
        ).alias("writes"),
        ticks().alias("tick"),
    )


def _with_maker(rows: Frame) -> Frame:
    """With the last transaction, epoch and calm before each event, and the maker of
    ``/controller``.
    """
    creation = F.struct("lc", "tid", "ephemeral")
    return (
        rows.withColumn("was_zxid", F.lag("zxid").over(_window()))
        .withColumn("was_tid", F.lag("tid").over(_window()))
        .withColumn("made", F.last_where(F.col("created"), creation).over(BEFORE))
        .withColumn("epoch_now", F.last("epoch").over(BEFORE))
        .withColumn("was_calm", F.last("calm").over(BEFORE))
        .withColumn(
            "gone", _last(F.when(is_one_of("node_delete") & F.col("office"), F.col("lc")), BEFORE)
        )
        .withColumn(
            "closed",
            _last(
                F.when(is_one_of("session_close"), F.col("lc")),
                _window("tid").before(),
            ),
        )
    )


def _with_reign(rows: Frame) -> Frame:
    """With the reign and its holder before each event, and the epoch that it is about."""
    # The end of a session deletes the node that it has made, if that is still there.
    is_owner = (F.col("made.tid") == F.col("tid")) & F.col("made.ephemeral")
    still = (F.col("made.lc") > F.col("gone")) & (F.col("made.lc") > F.col("closed"))
    ends = (is_one_of("node_delete") & F.col("office")) | F.is_true(
        is_one_of("session_close") & is_owner & still
    )
    return (
        rows.withColumn("ends", ends)
        .withColumn(
            "reign", _last(_first(F.col("created"), F.col("lc"), F.col("ends"), F.lit(0)), BEFORE)
        )
        .withColumn(
            "holder",
            _last(
                _first(F.col("created"), F.col("tid"), F.col("ends"), F.lit(NOTHING)),
                BEFORE,
                NOTHING,
            ),
        )
        .withColumn("held", (F.col("reign") > 0) & (F.col("holder") == F.col("tid")))
        .withColumn(
            "of_epoch",
            _first(F.col("raises"), F.col("epoch"), F.col("writes"), F.col("controller_epoch")),
        )
    )


def _with_counts(rows: Frame) -> Frame:
    """With how often the epoch was raised before each event, and its node's state."""
    return (
        rows.withColumn(
            "raised",
            F.coalesce(
                F.sum(number(F.col("raises") & F.col("held"))).over(_window("reign").before()),
                F.lit(0),
            ),
        )
        .withColumn(
            "elected_before",
            F.coalesce(
                F.sum(number(F.col("raises"))).over(_window("of_epoch").before()),
                F.lit(0),
            ),
        )
        .withColumn("was_state", F.lag(F.struct("leader_epoch", "isr")).over(_window("node")))
        .withColumn("was_version", _last(_version(), _window("node").before(), NOTHING))
    )


def _with_elections(rows: Frame) -> Frame:
    """With the session elected in each event's epoch, and the stretches without a change."""
    first = F.col("raises") & (F.col("elected_before") == 0)
    calm = F.coalesce("calm", F.lit(""))
    changes = F.col("tick") & (calm != F.coalesce("was_calm", F.lit("")))
    works = F.col("writes") & F.col("held") & _current()
    return (
        rows.withColumn(
            "elected",
            F.last_where(first, F.col("tid")).over(_window("of_epoch").so_far()),
        )
        .withColumn("waits", F.col("tick") & (calm != ""))
        .withColumn("work", F.sum(number(changes | works)).over(SO_FAR))
        .withColumn(
            "office_kept",
            F.sum(number(changes | works | F.col("created") | F.col("ends"))).over(SO_FAR),
        )
    )


def _current() -> Column:
    """A write is made in the current epoch."""
    return F.is_true(F.col("controller_epoch") == F.col("epoch_now"))


def _version() -> Column:
    """The version of a node after the event, NOTHING after its deletion; null of a check."""
    return _first(
        is_one_of("node_create"),
        F.lit(0),
        is_one_of("node_put"),
        F.col("version"),
        is_one_of("node_delete"),
        F.lit(NOTHING),
    )


def _follows() -> Column:
    """A node is made where there is none, changed where there is one, version by version."""
    there = F.when(F.col("office"), F.col("reign") > 0).otherwise(F.col("was_version") >= 0)
    next_one = ~is_one_of("node_put") | (F.col("version") == F.col("was_version") + 1)
    return F.when(is_one_of("node_create"), ~there).otherwise(there & next_one)


def _ticks_since(column: str) -> Column:
    return F.col("waits") & (F.col(column) <= F.col("bound"))


def _for_ticks(subject: str, column: str) -> Column:
    return text(f"{subject} for {{{column}}} ticks of {{calm}}")


RULES = (
    Rule(
        "InOrder",
        "the numbers of transactions rise, and one session makes one transaction",
        F.col("was_zxid").isNotNull(),
        (F.col("zxid") > F.col("was_zxid"))
        | ((F.col("zxid") == F.col("was_zxid")) & (F.col("tid") == F.col("was_tid"))),
        text("transaction {zxid} comes after {was_zxid}"),
    ),
    Rule(
        "Follows",
        "a node is made where there is none, and changed from one version to the next",
        is_one_of(*CHANGES),
        _follows(),
        text("{node}: version {version} after {was_version}"),
        finding=Finding.INCOMPLETE,
    ),
    Rule(
        "TypeOK",
        "/controller goes with a session",
        F.col("created"),
        F.col("ephemeral"),
        text("/controller goes with no session"),
        alone=True,
    ),
    Rule(
        "EpochIncreases",
        "each election raises the epoch by one, once",
        F.col("raises") | (F.col("ends") & (F.col("reign") > 0)),
        F.when(
            F.col("raises"),
            (F.col("epoch") == F.col("epoch_now") + 1) & F.col("held") & (F.col("raised") == 0),
        ).otherwise(F.col("raised") > 0),
        text(
            "the epoch {epoch_now} becomes {epoch}; the node was made at {reign}, and the epoch"
            " raised {raised} times since"
        ),
    ),
    Rule(
        "OneController",
        "one session is elected in an epoch, and writes in it",
        F.col("raises") | (F.col("writes") & _current()),
        F.col("elected").eqNullSafe(F.col("tid")),
        text("in the epoch {of_epoch} the session {elected} is elected"),
    ),
    Rule(
        "FencedWrites",
        "a write is made in the current epoch",
        F.col("writes"),
        _current(),
        text("{node} is written in epoch {controller_epoch}, and {epoch_now} is on"),
    ),
    Rule(
        "NoLostUpdate",
        "a write has the leader epoch after, and the ISR of, the state that it replaces",
        F.col("writes"),
        (F.col("leader_epoch") == F.col("was_state.leader_epoch") + 1)
        & (F.col("isr") == F.col("was_state.isr")),
        text(
            "{node}: leader epoch {leader_epoch} after {was_state.leader_epoch}, ISR {isr} after"
            " {was_state.isr}"
        ),
    ),
    Rule(
        "NoOrphan",
        "/controller names a session that works, within a bound of a calm's ticks",
        _ticks_since("unchanged") & (F.col("reign") > 0),
        F.col("unchanged") < F.col("bound"),
        _for_ticks("/controller names a session that does not work", "unchanged"),
    ),
    Rule(
        "NoVacancy",
        "there is a controller, within a bound of a calm's ticks",
        _ticks_since("unchanged") & (F.col("reign") == 0),
        F.col("unchanged") < F.col("bound"),
        _for_ticks("there is no controller", "unchanged"),
    ),
    Rule(
        "Elects",
        "a controller works, within a bound of a calm's ticks",
        _ticks_since("without_work"),
        F.col("without_work") < F.col("bound"),
        _for_ticks("no controller works", "without_work"),
    ),
)

FAMILY = Family("elections", "part of a transaction", ("run",), prepare(), RULES)
