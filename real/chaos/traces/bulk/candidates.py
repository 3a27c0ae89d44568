"""The rule of each broker: it has a session in the end. "In the end" is a bound on ticks."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, Family, Rule, is_one_of, text


def ticks() -> Column:
    """An event is a tick: of a calm, or of none."""
    return is_one_of("node_put") & F.col("calm").isNotNull()


def number(condition: Column) -> Column:
    """1 where a condition is true."""
    return F.when(condition, F.lit(1)).otherwise(F.lit(0))


def prepare() -> Frame:
    """Each tick beside each broker (``lives``: it has a session), with ``waited``: how many ticks
    of the calm it has been without one."""
    stamp = ("run", *STAMP, "k", "zxid")
    closing = Window.partitionBy("run", "tid").orderBy(*STAMP)
    sessions = (
        EVENTS.where(is_one_of("session_open", "session_close") & F.col("home").isNotNull())
        .select(*stamp, "home")
        .withColumn("was", F.lag("k").over(closing))
        .withColumn(
            "more",
            F.when(is_one_of("session_open"), F.lit(1))
            .when(F.col("was") == "session_open", F.lit(-1))
            .otherwise(F.lit(0)),
        )
        .withColumn("calm", F.lit(None).cast("string"))
        .drop("was")
    )
    brokers = EVENTS.where(is_one_of("candidate")).select("run", "home")
    of_each = (
        EVENTS.where(ticks())
        .select(*stamp, "calm")
        .join(broadcast(brokers), "run")
        .withColumn("more", F.lit(0))
    )
    order = Window.partitionBy("run", "home").orderBy(*STAMP)
    so_far = order.so_far()
    calm = F.coalesce("calm", F.lit(""))
    return (
        sessions.unionByName(of_each)
        .withColumn("tick", F.col("calm").isNotNull())
        .withColumn("lives", F.sum("more").over(so_far) > 0)
        .withColumn(
            "before",
            F.coalesce(F.last("calm").over(order.before()), F.lit("")),
        )
        .withColumn(
            "stretch",
            F.sum(number(F.col("tick") & (F.col("lives") | (calm != F.col("before"))))).over(
                so_far
            ),
        )
        .withColumn("waits", F.col("tick") & (calm != "") & ~F.col("lives"))
        .withColumn(
            "waited",
            F.sum(number(F.col("waits"))).over(
                Window.partitionBy("run", "home", "stretch").orderBy(*STAMP).so_far()
            ),
        )
        .join(broadcast(RUNS.select("run", "bound")), "run")
    )


RULES = (
    Rule(
        "NoDeadlock",
        "each broker has a session, within a bound of a calm's ticks",
        F.col("waits") & (F.col("waited") <= F.col("bound")),
        F.col("waited") < F.col("bound"),
        text("{home} has no session for {waited} ticks of {calm}"),
    ),
)

FAMILY = Family("candidates", "tick of a broker", ("run", "home"), prepare(), RULES, shuffles=2)
