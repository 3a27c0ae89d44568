"""A key that has too many rows, looked at in pieces: the same values without one sort of them all.

The rows of a key are cut at places of their order. Each piece is a window of its own. A piece
leaves little to the others: its first and last row, the last value that is not null, a sum. These
values are combined piece by piece, and then beside the rows. All that rules ask of a window is
associative (:data:`WAYS`), so that it does not matter where the cuts are.

Spark splits large keys of joins by itself, and none of windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import Frame, broadcast

PLACES = 3
"""So many columns of the order say where a cut is. Rows that are equal in them stay together."""

_OF, _PIECE, _FIRST, _LAST = "_of", "_piece", "_first", "_last"
VALUE = "_value"
"""How the fields of a row that is compared begin behind its place."""

_ALONG = Window.partitionBy(_OF).orderBy(_PIECE)
_BEFORE = _ALONG.before()


@dataclass(frozen=True)
class Sorting:
    """The operation of a frame that looks along keys. ``rows``: those that it sorts by ``order``
    within each ``key``."""

    operation: Frame
    key: tuple[str, ...]
    order: tuple[str, ...]

    @property
    def rows(self) -> Frame:
        return self.operation.frames[0]

    @property
    def place(self) -> tuple[str, ...]:
        """The columns that say where a cut is."""
        return self.order[:PLACES]


@dataclass(frozen=True)
class Cut:
    """A key in pieces. ``at``: the places at which all but the first begin, which rise."""

    key: tuple[Any, ...]
    at: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Way:
    """How a function of a window is put together. ``leaves``: an aggregate of a piece, of the order
    and the values looked at; ``gets``: the value from other pieces, by the pieces' order;
    ``mends``: the value within the piece joined with that of the others. ``bounded``: whether the
    window of the function ends at or before the row at hand.
    """

    leaves: Callable[[tuple[str, ...], list[Column]], Column]
    gets: Callable[[Column], Column]
    mends: Callable[[Column, Column], Column]
    bounded: bool


def _row(order: tuple[str, ...], values: list[Column]) -> Column:
    """Values behind their place, by which they are compared."""
    columns = [value.alias(f"{VALUE}{number}") for number, value in enumerate(values)]
    return F.struct(*order, *columns)


WAYS = {
    "lag": Way(
        leaves=lambda order, values: F.max(_row(order, values)),
        gets=lambda leavings: F.lag(leavings).over(_ALONG),
        mends=lambda look, got: F.when(F.col(_FIRST), got).otherwise(look),
        bounded=False,
    ),
    "lead": Way(
        leaves=lambda order, values: F.min(_row(order, values)),
        gets=lambda leavings: F.lead(leavings).over(_ALONG),
        mends=lambda look, got: F.when(F.col(_LAST), got).otherwise(look),
        bounded=False,
    ),
    "last": Way(
        leaves=lambda order, values: F.max(F.when(values[0].isNotNull(), _row(order, values))),
        gets=lambda leavings: F.last(leavings).over(_BEFORE),
        mends=lambda look, got: F.coalesce(look, got),
        bounded=True,
    ),
    "sum": Way(
        leaves=lambda order, values: F.sum(values[0]),
        gets=lambda leavings: F.sum(leavings).over(_BEFORE),
        mends=lambda look, got: (
            F.when(look.isNull(), got).when(got.isNull(), look).otherwise(look + got)
        ),
        bounded=True,
    ),
    "max": Way(
        leaves=lambda order, values: F.max(values[0]),
        gets=lambda rows: F.max(rows).over(_BEFORE),
        mends=lambda look, got: F.greatest(look, got),
        bounded=True,
    ),
}
_TOGETHER = ("lag", "lead")
"""All values of these are of one row."""


def sorting(frame: Frame) -> Sorting | None:
    """The sorting that can be cut in a frame; None where nothing looks along keys, something looks
    in a way that is not of :data:`WAYS`, or keys of several kinds are looked along: each cut makes
    the frames below it twice."""
    looking = [frame for frame in _all(frame) if looks_in(frame)]
    if len(looking) != 1:
        return None
    kinds: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for look in looks_in(looking[0]):
        inner, window = look.arguments
        way = WAYS.get(inner.function)
        if way is None or way.bounded != (window.upto is not None):
            return None
        kinds.add((_names(window.partition), _names(window.order)))
    ((key, order), *further_kinds) = kinds
    explodes = any(argument.function == "explode" for argument in looking[0].arguments)
    if further_kinds or explodes or not key or not order or "" in (*key, *order):
        return None
    return Sorting(looking[0], key, order)


def split(frame: Frame, cuts: Sequence[Cut]) -> Frame:
    """A frame of the same rows, which looks along the keys of ``cuts`` in pieces.

    Raises ValueError for a frame that :func:`sorting` does not find.
    """
    if not cuts:
        return frame
    sort = sorting(frame)
    if sort is None:
        raise ValueError("the frame does not look along keys of one kind")
    return _with(frame, sort.operation, _in_pieces(sort, cuts))


# -- frames as trees


def _all(frame: Frame) -> list[Frame]:
    by_id = {id(frame): frame}
    for part in frame.frames:
        by_id.update((id(frame), frame) for frame in _all(part))
    return list(by_id.values())


def looks_in(frame: Frame) -> list[Column]:
    """The looks along keys of a frame's operation."""
    if frame.operation not in ("select", "withColumns"):
        return []
    return F.looks(frame.arguments)


def _names(columns: tuple[Column, ...]) -> tuple[str, ...]:
    """The names of plain columns; "" for any other."""
    plain = [column.function == "col" and "." not in column.arguments[0] for column in columns]
    return tuple(
        column.arguments[0] if is_plain else ""
        for column, is_plain in zip(columns, plain, strict=True)
    )


def _with(frame: Frame, old: Frame, new: Frame) -> Frame:
    """The frame with another one in the place of one of its parts."""
    if frame is old:
        return new
    parts = tuple(_with(part, old, new) for part in frame.frames)
    return frame if parts == frame.frames else replace(frame, frames=parts)


def exchanged(expression: Column, by: dict[Column, Column]) -> Column:
    """The expression with others in the place of its parts."""
    if expression in by:
        return by[expression].alias(expression.name)
    arguments = [
        exchanged(argument, by) if isinstance(argument, Column) else argument
        for argument in expression.arguments
    ]
    return Column(expression.function, tuple(arguments), expression.name)


# -- pieces


def _in_pieces(sort: Sorting, cuts: Sequence[Cut]) -> Frame:
    """The operation, with each look along a key put together from the pieces of the key."""
    operation, looks = sort.operation, looks_in(sort.operation)
    piece_rows, groups = _with_pieces(sort, cuts), _groups(looks)
    numbers = {look: number for number, look in enumerate(looks)}
    along = replace(looks[0].arguments[1], upto=None)
    within = piece_rows.withColumns(
        {f"_look{number}": _within(look) for look, number in numbers.items()}
        | {
            name: _within(function(F.lit(1)).over(along)).isNull()
            for name, function in ((_FIRST, F.lag), (_LAST, F.lead))
        }
    )
    frame = _leavings(sort, piece_rows, groups)
    got = frame.select(
        _PIECE,
        *[
            way(group[0]).gets(F.col(f"_left{number}")).alias(f"_got{number}")
            for number, group in enumerate(groups)
        ],
    )
    look_values = {
        look: way(look).mends(F.col(f"_look{numbers[look]}"), F.col(_name_of(look, number, place)))
        for number, group in enumerate(groups)
        for place, look in enumerate(group)
    }
    outputs = {argument.name: exchanged(argument, look_values) for argument in operation.arguments}
    rows = within.join(broadcast(got), _PIECE, "left")
    return rows.select(*[outputs.get(name, F.col(name)) for name in operation.columns])


def way(look: Column) -> Way:
    """How the value of a look is put together."""
    return WAYS[look.arguments[0].function]


def _name_of(look: Column, group: int, place: int) -> str:
    """The name of the value got for a look."""
    in_row = look.arguments[0].function != "sum"
    return f"_got{group}.{VALUE}{place}" if in_row else f"_got{group}"


def _with_pieces(sort: Sorting, cuts: Sequence[Cut]) -> Frame:
    """The rows with the number of their piece, and of the cut that it is of; 0 for neither."""
    cut_numbers: list[tuple[Column, Column]] = []
    pieces: list[tuple[Column, Column]] = []
    first = 1
    for number, cut in enumerate(cuts, 1):
        is_key = F.lit(True)
        for name, value in zip(sort.key, cut.key, strict=True):
            is_key = is_key & F.col(name).eqNullSafe(value)
        at = [
            (_is_reached(sort.place, place), F.lit(first + index))
            for index, place in enumerate(cut.at, 1)
        ]
        cut_numbers.append((is_key, F.lit(number)))
        pieces.append((is_key, _first_of(at[::-1], first)))
        first += len(cut.at) + 1
    return sort.rows.withColumns({_OF: _first_of(cut_numbers, 0), _PIECE: _first_of(pieces, 0)})


def _first_of(pairs: list[tuple[Column, Column]], otherwise: int) -> Column:
    """The value of the first condition that holds."""
    if not pairs:
        return F.lit(otherwise)
    chain = F.when(*pairs[0])
    for condition, value in pairs[1:]:
        chain = chain.when(condition, value)
    return chain.otherwise(otherwise)


def _is_reached(names: tuple[str, ...], place: tuple[Any, ...]) -> Column:
    """A row is at a place or after it; nulls come first."""
    here, value = F.col(names[0]), place[0]
    rest = _is_reached(names[1:], place[1:]) if names[1:] else F.lit(True)
    if value is None:
        return here.isNotNull() | rest
    return F.coalesce(here > value, F.lit(False)) | (here.eqNullSafe(value) & rest)


def _within(look: Column) -> Column:
    """A look that does not leave the piece."""
    inner, window = look.arguments
    within: Column = inner.over(replace(window, partition=(*window.partition, F.col(_PIECE))))
    return within


def _groups(looks: list[Column]) -> list[list[Column]]:
    """Looks by the values that pieces leave for them."""
    groups = [
        [look for look in looks if look.arguments[0].function == together] for together in _TOGETHER
    ]
    groups += [[look] for look in looks if look.arguments[0].function not in _TOGETHER]
    return [group for group in groups if group]


def _leavings(sort: Sorting, piece_rows: Frame, groups: list[list[Column]]) -> Frame:
    """The values that each piece leaves: one row of it."""
    leaves = [
        way(group[0])
        .leaves(sort.order, [look.arguments[0].arguments[0] for look in group])
        .alias(f"_left{number}")
        for number, group in enumerate(groups)
    ]
    pieces = piece_rows.where(F.col(_PIECE) > 0).groupBy(_PIECE)
    return pieces.agg(F.max(_OF).alias(_OF), *leaves)
