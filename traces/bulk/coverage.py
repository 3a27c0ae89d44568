"""Coverage by traces: which kinds of event, and which (abstract state, action) edges of an entry
and of an operation, were exercised.

The abstract state of an entry is the last thing that happened to it; of an operation, how far its
completion has come. Which edges there are is a closed table here, taken from the classes; an edge
that no trace took is listed, so that a green check of traces that exercise little does not look
like one of traces that exercise all. An edge outside the table is a violation of a rule, or
unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.codes import CAUSE, KIND, any_of
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.document import Coverage
from wheelproof.pipeline.tally import times

ENTRY_STATES = {
    "absent": None,
    "made": "entry_new",
    "linked": "list_add",
    "unlinked": "list_remove",
    "handed_over": "expire_submit",
}
"""Abstract state of an entry -> the kind of event that leads to it."""

ENTRY_EDGES = (
    ("absent", "entry_new", ""),
    ("absent", "list_add", ""),
    ("absent", "wheel_place", ""),
    ("absent", "wheel_reject", ""),
    ("absent", "expire_submit", ""),
    ("made", "wheel_place", ""),
    ("made", "list_add", ""),
    ("made", "wheel_reject", "cancel"),
    ("made", "wheel_reject", "due"),
    ("made", "expire_submit", ""),
    ("linked", "list_remove", "cancel"),
    ("linked", "list_remove", "readd"),
    ("linked", "list_remove", "flush"),
    ("linked", "list_add_retry", ""),
    ("unlinked", "reinsert", ""),
    ("unlinked", "wheel_place", ""),
    ("unlinked", "list_add", ""),
    ("unlinked", "wheel_reject", "cancel"),
    ("unlinked", "wheel_reject", "due"),
    ("unlinked", "expire_submit", ""),
)
"""(abstract state, kind, cause where the edge is one cause's) of an entry."""

OPERATION_EDGES = (
    ("open", "try", "false"),
    ("open", "try", "true"),
    ("open", "note", ""),
    ("open", "force_cas", "event"),
    ("open", "force_cas", "expiry"),
    ("open", "force_cas", "forced"),
    ("completed", "force_cas", "lost"),
    ("completed", "on_complete", ""),
    ("completed", "on_expire", ""),
    ("open", "end", ""),
)
"""Of an operation: the steps while it was open, and after it was completed; ``end``: the trace
ended while it was open."""


def _measure_name(prefix: str, edge: tuple[str, str, str]) -> str:
    return "|".join((prefix, *edge))


def entry_steps() -> dict[str, Column]:
    """The columns by which the events of entries are counted."""
    found_linked = any_of("was", KIND, "checkpoint") & (F.col("was_list") != 0)
    return {
        "before": F.when(found_linked, KIND["list_add"]).otherwise(F.col("was")),
        "step": F.col("kind"),
        "why": F.col("cause"),
    }


def entry_measures() -> dict[str, Column]:
    """Sums over those counts: one for each edge."""
    measures = {}
    for state, kind, cause in ENTRY_EDGES:
        made_by = ENTRY_STATES[state]
        here = F.col("before").isNull() if made_by is None else any_of("before", KIND, made_by)
        step = here & any_of("step", KIND, kind)
        measures[_measure_name("entry", (state, kind, cause))] = times(
            step & any_of("why", CAUSE, cause) if cause else step
        )
    return measures


def operation_steps() -> dict[str, Column]:
    """The column by which operations are counted: one bit for each edge that an operation took at
    least once."""
    cause = F.col("winner.cause")
    conditions = {
        ("open", "try", "false"): (F.col("tried") > 0)
        & ((F.col("won") == 0) | (F.col("tried") > 1)),
        ("open", "try", "true"): (F.col("tried") > 0) & (F.col("won") > 0) & (cause == "event"),
        ("open", "note", ""): F.col("notes") > 0,
        ("open", "force_cas", "event"): cause == "event",
        ("open", "force_cas", "expiry"): cause == "expiry",
        ("open", "force_cas", "forced"): cause == "forced",
        ("completed", "force_cas", "lost"): (F.col("attempts") > F.col("won")) & (F.col("won") > 0),
        ("completed", "on_complete", ""): F.col("begun") > 0,
        ("completed", "on_expire", ""): F.col("expired") > 0,
        ("open", "end", ""): (F.col("won") == 0) & F.col("whole"),
    }
    edges = F.lit(0)
    for bit, edge in enumerate(OPERATION_EDGES):
        edges = edges + F.when(conditions[edge], F.lit(1 << bit)).otherwise(F.lit(0))
    return {"edges": edges}


def operation_measures() -> dict[str, Column]:
    """Sums over those counts: one for each edge."""
    return {
        _measure_name("op", edge): times(F.col("edges").bitwiseAND(F.lit(1 << bit)) != 0)
        for bit, edge in enumerate(OPERATION_EDGES)
    }


def summary(kinds: Mapping[str, int], measures: Mapping[str, int]) -> Coverage:
    """Plain data: events by kind, kinds never seen, edges taken with their counts, and those never
    taken."""
    from wheelproof.trace.format.schema import KINDS

    edges = {
        name: measures[name]
        for prefix, table in (("entry", ENTRY_EDGES), ("op", OPERATION_EDGES))
        for edge in table
        if (name := _measure_name(prefix, edge)) in measures
    }
    return {
        "kinds": {kind: kinds[kind] for kind in KINDS if kinds.get(kind)},
        "kinds_unseen": [kind for kind in KINDS if not kinds.get(kind)],
        "edges": {name: count for name, count in edges.items() if count},
        "edges_untaken": [name for name, count in edges.items() if not count],
    }
