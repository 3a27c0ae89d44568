"""Sound traces without columns that a kind of event can do without."""

from __future__ import annotations

from wheelproof.trace.format import schema

TELLING = {
    ("list_remove", "cause"): "by nothing that has a name of its own",
    ("dq_poll", "list"): "none was due",
    ("wheel_place", "level"): "the first level",
    ("bucket_expiry_set", "lseq"): "without the bucket's monitor",
}
"""Columns whose absence says something, so that leaving one out says another thing."""

PAIRS = [{"on_complete_begin", "on_complete_end"}, {"try_watch_begin", "try_watch_end"}]
"""Kinds that open and close one thing. Both name it, or neither does."""

ALWAYS = {field.name for field in schema.COLUMNS if field.required} | {"lc", "phase", "ord"}

Columns = frozenset[tuple[str, str]]
"""(kind, column)"""


def columns_of(run: list[dict]) -> list[Columns]:
    """What can be left out, by itself or in both halves of a pair."""
    found = set()
    for kind, name in {(event["k"], name) for event in run for name in event}:
        kinds = next((pair for pair in PAIRS if kind in pair), {kind})
        if (
            name not in ALWAYS
            and not any(name in schema.REQUIRED_IDS.get(each, ()) for each in kinds)
            and (kind, name) not in TELLING
        ):
            found.add(frozenset((each, name) for each in kinds))
    return sorted(found, key=sorted)


def without(events: list[dict], columns: Columns) -> list[dict]:
    """The events without these columns."""
    return [
        {name: value for name, value in event.items() if (event["k"], name) not in columns}
        for event in events
    ]


def runs(run: list[dict], turns: int = 3) -> dict[str, list[dict]]:
    """Column by column, of the kinds that do without it: every third in one run of ``turns``."""
    by_name: dict[str, list[Columns]] = {}
    for columns in columns_of(run):
        by_name.setdefault(next(name for _, name in columns), []).append(columns)
    return {
        f"{name}-{turn}": without(run, frozenset().union(*many[turn::3]))
        for name, many in by_name.items()
        for turn in range(min(turns, len(many)))
    }
