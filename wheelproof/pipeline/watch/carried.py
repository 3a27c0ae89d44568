"""A family's rows for the events of one micro-batch, beside the carries of the events before.

Each look along a key is put together as over the pieces of a large key: a piece here is the part
of the key in one micro-batch, and all pieces before it are one row, the *carry*. A key's rows must
come in the order of the look. A key of which a row comes late is given up (:data:`LATE`): its rows
are judged when the run has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wheelproof.pipeline import columns as F
from wheelproof.pipeline import splitting
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import Frame
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.watch.moments import Moment, looks_back, moments

LATE = "_late"
"""The column that is true of a row that cannot be judged as it comes."""

_KEY, _AT, _BAD = "_key", "_at", "_bad"
_PLACES = 3


@dataclass(frozen=True)
class Carry:
    """One row for each key of some looks, in a table. ``empty``: a frame with its columns, of
    any rows; ``looking``: the rows that look, beside the carries of their keys, for a table
    that later frames read; ``after``: the rows of the table after the micro-batch."""

    table: str
    empty: Frame
    looking: Frame
    after: Frame

    @property
    def rows(self) -> str:
        """The table of the rows that look."""
        return f"{self.table}_rows"


@dataclass
class Carried:
    """A family over one micro-batch. ``family``: over rows that can be judged as they come, with
    the rules that can be; ``rows``: all rows, with :data:`LATE`; ``carries``: in the order in which
    they are to be made."""

    family: Family
    rows: Frame
    carries: list[Carry] = field(default_factory=list)


def carried(family: Family) -> Carried | None:
    """The family as it is judged while events come; None where no rule of it can be."""
    at = moments(family)
    if min(at.values()) == Moment.END:
        return None
    carries: list[Carry] = []
    rows = _with_late(_rebuilt(family.rows, family.name, carries, {}))
    rules = tuple(
        replace(rule, applies=F.lit(False)) if at[rule.name] == Moment.END else rule
        for rule in family.rules
    )
    on_time = rows.where(~F.col(LATE))
    return Carried(replace(family, rows=on_time, rules=rules), rows, carries)


def _with_late(frame: Frame) -> Frame:
    return frame if LATE in frame.columns else frame.withColumn(LATE, F.lit(False))


def _rebuilt(frame: Frame, name: str, carries: list[Carry], memo: dict[int, Frame]) -> Frame:
    if id(frame) not in memo:
        parts = [_rebuilt(part, name, carries, memo) for part in frame.frames]
        memo[id(frame)] = _operation(frame, parts, name, carries)
    return memo[id(frame)]


def _operation(frame: Frame, parts: list[Frame], name: str, carries: list[Carry]) -> Frame:
    arguments = frame.arguments
    match frame.operation:
        case "source":
            return frame
        case "where":
            return parts[0].where(*arguments)
        case "select" | "withColumns":
            base, look_values = _with_looks(parts[0], splitting.looks_in(frame), name, carries)
            columns = [splitting.exchanged(column, look_values) for column in arguments]
            if frame.operation == "withColumns":
                return base.withColumns({column.name: column for column in columns})
            return base.select(*columns, *[LATE] * (LATE in base.columns))
        case "agg":
            keys, aggregates = arguments
            return parts[0].groupBy(*keys).agg(*aggregates)
        case "join":
            keys, how = arguments
            return _join(parts[0], parts[1], keys, how)
        case "unionByName":
            if any(LATE in part.columns for part in parts):
                parts = [_with_late(part) for part in parts]
            return parts[0].unionByName(parts[1])
        case "broadcast":
            return Frame("broadcast", (parts[0],), (), parts[0].columns)
    raise AssertionError(f"no frame is made by {frame.operation}")


def _join(frame: Frame, right: Frame, keys: tuple[str, ...], how: str) -> Frame:
    if LATE not in right.columns:
        return frame.join(right, keys, how)
    there = f"{LATE}_there"
    right = right.withColumn(there, F.col(LATE)).drop(LATE)
    rows = _with_late(frame).join(right, keys, how)
    return rows.withColumn(LATE, F.col(LATE) | F.is_true(there)).drop(there)


def _with_looks(
    base: Frame, looks: Sequence[Column], name: str, carries: list[Carry]
) -> tuple[Frame, dict[Column, Column]]:
    """The rows beside the carries of their keys, and the columns with the values of the looks."""
    look_values: dict[Column, Column] = {}
    for group in _groups([look for look in looks if looks_back(look)]):
        base, by = _with_carry(base, group, f"{name}_{len(carries)}", carries)
        look_values |= by
    return base, look_values


def _groups(looks: Sequence[Column]) -> list[list[Column]]:
    """Looks by their key and order."""
    groups: dict[tuple[tuple[object, ...], tuple[object, ...]], list[Column]] = {}
    for look in looks:
        window = look.arguments[1]
        groups.setdefault((_shape(window.partition), _shape(window.order)), []).append(look)
    return list(groups.values())


def _shape(columns: Sequence[object]) -> tuple[object, ...]:
    """Expressions as data that can be compared."""
    return tuple(
        (part.function, _shape(part.arguments)) if isinstance(part, Column) else repr(part)
        for part in columns
    )


def _with_carry(
    base: Frame, looks: list[Column], table: str, carries: list[Carry]
) -> tuple[Frame, dict[Column, Column]]:
    window: Window = looks[0].arguments[1]
    names = {look: f"_{table}_{number}" for number, look in enumerate(looks)}
    key, first = f"{_KEY}_{table}", f"_first_{table}"
    leaves = {
        names[look] + "_left": splitting.way(look).leaves(
            tuple(column.name for column in window.order), [look.arguments[0].arguments[0]]
        )
        for look in looks
    }
    at = F.struct(*window.order[:_PLACES])
    key_rows = base.withColumn(key, _text(window.partition))
    carry = Frame(
        "source", (), (f"carry_{table}",), ("run", key, _AT + table, _BAD + table, *leaves)
    )
    beside = key_rows.withColumns(
        {name: look for look, name in names.items()}
        | {first: F.lag(F.lit(1)).over(replace(window, upto=None)).isNull()}
    ).join(carry, ("run", key), "left")
    behind = F.is_true(at <= F.col(_AT + table))
    if LATE in base.columns:
        behind = behind | F.col(LATE)
    along = Window.partitionBy("run", key)
    late = F.coalesce(F.max(F.when(behind, 1)).over(along), F.col(_BAD + table)).isNotNull()
    looking = beside.withColumn(LATE, late)
    rows = Frame("source", (), (f"carry_{table}_rows",), looking.columns)
    aggregates = [
        F.max(at).alias(_AT + table),
        *[column.alias(name) for name, column in leaves.items()],
    ]
    bad = F.max(F.when(F.col(LATE), 1)).alias(_BAD + table)
    grown = carry.unionByName(rows.groupBy("run", key).agg(bad, *aggregates))
    sums = {names[look] + "_left" for look in looks if look.arguments[0].function == "sum"}
    after = grown.groupBy("run", key).agg(
        *[
            (F.sum if name in sums else F.max)(name).alias(name)
            for name in (_AT + table, _BAD + table, *leaves)
        ]
    )
    empty = key_rows.groupBy("run", key).agg(F.max(F.lit(1)).alias(_BAD + table), *aggregates)
    carries.append(Carry(f"carry_{table}", empty, looking, after))
    look_values = {
        look: _mend(look, F.col(name), _got(look, name + "_left"), F.col(first))
        for look, name in names.items()
    }
    return rows, look_values


def _mend(look: Column, within: Column, got: Column, first: Column) -> Column:
    """The value of a look. ``first``: whether the row is the key's first in the micro-batch."""
    if look.arguments[0].function == "lag":
        return F.when(first, got).otherwise(within)
    return splitting.way(look).mends(within, got)


def _got(look: Column, name: str) -> Column:
    """The part of a carry for a look."""
    in_row = look.arguments[0].function in ("lag", "last")
    return F.col(f"{name}.{splitting.VALUE}0") if in_row else F.col(name)


def _text(columns: Sequence[Column]) -> Column:
    """Values as one text, of which nulls are a part too."""
    pieces: list[Column] = []
    for column in columns:
        pieces += [F.coalesce(column.cast("string"), F.lit("none")), F.lit("|")]
    return F.concat(*pieces)
