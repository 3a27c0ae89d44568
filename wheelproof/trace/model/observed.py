"""How the events of a mechanism's traces show its model's steps: ``traces/<mechanism>.toml``.

The label table gives each label its kind of event. This table gives each column of that event the
expression that it must equal. A label without an event, or whose ``when`` is false, is a step that
a trace does not show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wheelproof import reading
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism
from wheelproof.trace.format.event import Event, columns
from wheelproof.trace.format.heads import Header
from wheelproof.trace.format.schema import COLUMN, IDS, KINDS, NONE, OBSERVED, OBSERVED_IDS, RESULTS
from wheelproof.trace.model.expressions import Expression

Column = tuple[str, str | None]
"""A column of an event, or ("pre" or "post", a field of it)."""

NAMED = frozenset((column, None) for column in IDS)
"""The ids of an event: a step whose row lacks one of them that the event has is another step."""

START, STOP = "thread_start", "thread_stop"
"""Kinds that are no step of any mechanism. A thread that stops has ended its program."""

BEFORE, AFTER = "before", "after"

HELD, OPENED = ("held", None), ("opened", None)
"""Values of an event beside its columns: whether it has an exact token of a lock of an object that
it names; whether it closes a bracket of its thread, or is of a kind that closes none."""

CLOSES = "_end"
"""How the names of kinds end that close a bracket."""

WAITS = "lock_wait"
"""A thread stands in front of a lock: no step, but it says where the thread is."""

_SEEN = {field.name for field in OBSERVED}


class Unknown(Exception):
    """An event names a thing that the model lacks: the message says which."""


@dataclass(frozen=True)
class Row:
    """One label: its ``kind`` of event ("" for none), whether it takes a ``lock``, ``when`` it
    shows itself, and the columns of its event.

    ``columns``: (column, None) or ("pre" or "post", field) -> expression. ``floats``: a result with
    which the event has no token of its observation, as that a lock was another thread's: it may
    then have been at any moment between its neighbours in its thread. ``recorded``: of an event
    that floats, ``before`` or ``after`` where it is known to be so of its step. ``marks``: kinds of
    event that are no step, and come from a thread that stands here; those that close a bracket
    close one of their own.
    """

    label: str
    kind: str
    lock: bool
    eager: bool
    when: Expression | None
    columns: Mapping[Column, Expression]
    floats: str | None = None
    recorded: str = ""
    marks: Mapping[str, Mapping[Column, Expression]] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """The rows of one mechanism. ``stutter``: kinds that are no step of this model, and are passed
    over; ``beside``: columns that name things it lacks; ``passes``: labels whose steps are taken
    where the inferred run says so, and at no other moment."""

    mechanism: Mechanism
    rows: Mapping[str, Row]
    stutter: frozenset[str]
    beside: frozenset[str] = frozenset()
    passes: frozenset[str] = frozenset()

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of event that the mechanism's steps show themselves as."""
        return frozenset(kind for row in self.rows.values() for kind in (row.kind, *row.marks)) - {
            ""
        }

    def understands(self, kind: str) -> bool:
        """Whether an event of this kind can be judged."""
        return kind in self.kinds or kind in self.stutter or kind in (START, STOP, WAITS)

    def stutters(self, kind: str) -> bool:
        return kind not in self.kinds and (kind in self.stutter or kind == START)


def read(mechanism: Mechanism, name: str = "") -> Table:
    """The table of a mechanism, of a ``name`` of its own or the mechanism's. Raises UsageError:
    there is none, or a label, column or expression in it is wrong."""
    file = mechanism.root / "traces" / f"{name or mechanism.name}.toml"
    try:
        data = reading.tables(file)
    except reading.Absent as error:
        raise UsageError(
            f"{file} {error.fault}, so that the events of {mechanism.module} "
            "have no meaning for its model.",
            "Write that file; docs/trace-replay.md says how.",
        ) from error
    if extra := sorted(set(data) - {"eager", "stutter", "beside", "passes", "labels"}):
        raise UsageError(
            f"{file}: unknown field {', '.join(extra)}.",
            "Known fields: eager, stutter, beside, passes, labels.",
        )
    if extra := sorted(set(data.get("beside", [])) - IDS):
        raise UsageError(
            f"{file}: beside names {', '.join(extra)}.",
            f"It is for columns of ids: {', '.join(sorted(IDS))}.",
        )
    eager, labels = data.get("eager", []), data.get("labels", {})
    passes = data.get("passes", [])
    mutant_labels = {
        label for decision in mechanism.decisions.values() for label in decision.labels
    }
    if unknown := sorted((set(labels) | {*eager, *passes}) - set(mechanism.labels) - mutant_labels):
        raise UsageError(
            f"{file}: {mechanism.module} has no label {', '.join(unknown)}.",
            f"Labels are declared in {mechanism.toml.name}.",
        )
    rows = {
        name: _row(file, mechanism, name, labels.get(name, {}), name in eager)
        for name in mechanism.labels
    }
    return Table(
        mechanism,
        rows,
        frozenset(data.get("stutter", [])),
        frozenset(data.get("beside", [])),
        frozenset(passes),
    )


def _row(
    file: Path, mechanism: Mechanism, name: str, values: Mapping[str, Any], eager: bool
) -> Row:
    label, place = mechanism.labels[name], f"{file}: [labels.{name}]"
    expressions = {
        key: value
        for key, value in values.items()
        if key not in ("when", "event", "floats", "recorded", "marks")
    }
    columns, kind, floats = (
        _columns(place, expressions),
        values.get("event", label.event),
        values.get("floats"),
    )
    if label.event and "event" in values:
        raise UsageError(
            f"{place}: the label table says that its event is {label.event}.",
            "Leave event out: it is for labels that no line of code has.",
        )
    marks = {
        mark: _columns(f"{place}: marks.{mark}", texts)
        for mark, texts in values.get("marks", {}).items()
    }
    if unknown := sorted({kind, *marks} - set(KINDS) - {""}):
        raise UsageError(
            f"{place}: there is no kind of event {', '.join(unknown)}.",
            f"Known kinds: {', '.join(KINDS)}.",
        )
    if floats is not None and (floats not in RESULTS or ("res", None) not in columns):
        raise UsageError(
            f"{place}: floats is {floats!r}.",
            f"It is a result, one of {', '.join(RESULTS)}, and res must say what the step's is.",
        )
    moment = values.get("recorded", "")
    if moment not in ("", BEFORE, AFTER) or (moment and floats is None):
        raise UsageError(
            f"{place}: recorded is {moment!r}.",
            f"It is {BEFORE} or {AFTER}, and of an event that floats.",
        )
    return Row(
        name,
        kind,
        label.kind == "lock",
        eager,
        Expression(values["when"]) if "when" in values else None,
        columns,
        floats,
        moment,
        marks,
    )


def _columns(place: str, values: Mapping[str, Any]) -> dict[Column, Expression]:
    columns: dict[Column, Expression] = {}
    for column, value in values.items():
        if column in ("pre", "post") and isinstance(value, dict):
            for column_field, text in value.items():
                if column_field not in _SEEN:
                    raise UsageError(
                        f"{place}: {column} has no {column_field}.",
                        f"It has: {', '.join(sorted(_SEEN))}.",
                    )
                columns[column, column_field] = Expression(text)
        elif column in COLUMN and isinstance(value, str):
            columns[column, None] = Expression(value)
        else:
            raise UsageError(
                f"{place}: an event has no column {column}.", f"Its columns: {', '.join(COLUMN)}."
            )
    return columns


class Names:
    """The header's ids and threads as the program has them. Raises Unknown where the header lacks
    one of them."""

    def __init__(self, header: Header) -> None:
        program = header.get("program")
        if not isinstance(program, dict) or not isinstance(program.get("threads"), dict):
            raise Unknown("the header has no program: the operations of the threads are not known")
        self.program = program
        self.threads = {int(tid): name for tid, name in header["threads"].items()}
        if len(set(self.threads.values())) < len(self.threads):
            raise Unknown("two threads of the header have one name")
        if strange := sorted(set(self.threads.values()) - set(program["threads"])):
            raise Unknown(f"the program has no thread {', '.join(strange)}")
        self.names = header.get("names", {})

    def thread(self, event: Event) -> str:
        """The name of an event's thread."""
        thread: str | None = self.threads.get(event["tid"])
        if thread is None:
            raise Unknown(f"the header names no thread {event['tid']}")
        return thread

    def values(self, event: Event, beside: frozenset[str] = frozenset()) -> dict[Column, object]:
        """The columns of an event, with names for ids and None for "none": column, or (pre or post,
        field) -> value. ``beside``: columns that are passed over."""
        out: dict[Column, object] = {}
        cells = columns(event)
        for column, value in cells.items():
            if column in beside:
                continue
            if column in ("pre", "post"):
                for field, value_seen in value.items():
                    out[column, field] = (
                        self._name(value_seen) if field in OBSERVED_IDS else value_seen
                    )
            else:
                out[column, None] = self._name(value) if column in IDS else value
        locks = {f"{column}:{cells[column]}" for column in IDS if column in cells}
        out[HELD] = any(
            token[0] == "L" and len(token) == 4 and token[1] in locks
            for token in event.get("ord", ())
        )
        return out

    def _name(self, number: int) -> str | int | None:
        if number == NONE:
            return None
        name = self.names.get(str(number))
        if name is None:
            raise Unknown(f"the header has no name for {number}")
        return name


def compared(
    columns: Mapping[Column, Expression], values: Mapping[Column, object]
) -> Iterator[tuple[Column, Expression, object]]:
    """(column, expression, the event's value) of each column that the event and the row have."""
    for column, expression in columns.items():
        if column in values:
            yield column, expression, values[column]


def spoken_column(column: Column) -> str:
    """A column for people: ``post.counter``."""
    return column[0] if column[1] is None else f"{column[0]}.{column[1]}"


def field_of(column: Column) -> str:
    """The field of an event as a record that holds a column."""
    return column[0] if column[1] is None else f"{column[0]}_{column[1]}"
