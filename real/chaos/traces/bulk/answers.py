"""The rule of answers to brokers: they are in the history."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.frames import EVENTS, Frame
from wheelproof.pipeline.rule import STAMP, Family, Rule, is_one_of, text

NODES = ("node_create", "node_put", "node_delete", "node_check")


def prepare() -> Frame:
    """Each part that was acknowledged, beside the one that the history has in its place."""
    place = ("run", "zxid", "part")
    there = EVENTS.where(is_one_of(*NODES))
    parts = there.select(
        *place,
        F.col("tid").alias("made_by"),
        F.col("node").alias("made_node"),
        F.coalesce("data", F.lit("")).alias("made_data"),
    )
    many = there.groupBy("run", "zxid").agg(
        F.count_if(F.col("part").isNotNull()).alias("made_parts")
    )
    return (
        EVENTS.where(is_one_of("acknowledged"))
        .select(
            *place, *STAMP, "k", "parts", "by", "node", F.coalesce("data", F.lit("")).alias("data")
        )
        .join(parts, place, "left")
        .join(many, ("run", "zxid"), "left")
    )


RULES = (
    Rule(
        "Acknowledged",
        "what a broker got a reply to is there, made by the same session",
        F.lit(True),
        (F.col("made_by") == F.col("by"))
        & (F.col("made_parts") == F.col("parts"))
        & (F.col("made_node") == F.col("node"))
        & (F.col("made_data") == F.col("data")),
        text("part {part}, of {node}, was acknowledged, and is not there"),
    ),
)

FAMILY = Family("answers", "acknowledged part", ("run", "zxid"), prepare(), RULES, shuffles=3)
