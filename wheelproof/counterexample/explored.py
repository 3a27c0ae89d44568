"""An order of plain threads in which a test fails, as a document.

The file has the schema `wheelproof.exploration/1`. It has the contents of the columns, and the
schedule, by which the order is run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wheelproof import documents, reading
from wheelproof.plain import columns
from wheelproof.plain.answers import Exploration, Operation, Schedule, Switch
from wheelproof.plain.columns import is_same_line
from wheelproof.plain.shown import Order, Shown, order

__all__ = [
    "Explored",
    "Operation",
    "Shown",
    "from_exploration",
    "is_one",
    "is_same_line",
    "read",
]

SCHEMA = "wheelproof.exploration/1"


@dataclass(frozen=True)
class Explored:
    """A failing order."""

    test: str
    """The node id."""
    message: str
    order: Order
    schedule: Schedule
    bound: int
    into: tuple[str, ...] = ()
    """Modules that were looked into beside its imports."""

    @property
    def steps(self) -> tuple[Shown, ...]:
        return self.order.steps

    def text(self, width: int) -> str:
        """The columns, as a terminal shows them."""
        head = columns.wrapped(f"bug: {self.message}", width)
        return "\n".join([*head, *columns.of_order(self.order, width)])

    def document(self) -> dict[str, Any]:
        """The document of the schema."""
        order = self.order
        return {
            "schema": SCHEMA,
            "test": self.test,
            "message": self.message,
            "threads": list(order.threads),
            "facts": list(order.facts),
            "ends": list(order.ends),
            "steps": [
                {
                    "thread": step.thread,
                    "source": step.source,
                    "code": step.code,
                    "text": step.text,
                    "says": list(step.says),
                    "holds": list(step.holds),
                    "preempts": step.preempts,
                    "folded": step.folded,
                }
                for step in order.steps
            ],
            "operations": [asdict(operation) for operation in order.operations],
            "bound": self.bound,
            "into": list(self.into),
            "switches": [
                [switch.thread, switch.place, switch.visit, switch.following]
                for switch in self.schedule.switches
            ],
            "places": list(self.schedule.places),
        }

    def write(self, path: Path) -> None:
        """Writes the file, whole or not at all."""
        documents.write(path, self.document())


def from_exploration(test: str, exploration: Exploration, into: Sequence[str]) -> Explored:
    """The failing order of an exploration."""
    failure, schedule = exploration.failure, exploration.schedule
    assert failure is not None and schedule is not None
    return Explored(
        test, failure.message, order(failure), schedule, failure.preemptions, tuple(into)
    )


def is_one(path: Path) -> bool:
    """Whether a file says that it has the schema. Raises UsageError where it cannot be read."""
    return f'"{SCHEMA}"'.encode() in reading.content(path)[:200]


def read(path: Path) -> Explored:
    """The order in a file; a UsageError names the file and the field that is wrong."""
    document = documents.read(path, SCHEMA)
    order = Order(
        document.texts("threads"),
        tuple(_step(record, document.texts("threads")) for record in document.objects("steps")),
        document.texts("facts"),
        document.texts("ends"),
        tuple(_operations(document)),
    )
    return Explored(
        document.text("test"),
        document.text("message"),
        order,
        Schedule(_switches(document), document.texts("places")),
        int(document.number("bound")),
        document.texts("into"),
    )


def _step(record: documents.Record, threads: tuple[str, ...]) -> Shown:
    is_folded, thread = record.flag("folded"), record.text("thread")
    if not is_folded and thread not in threads:
        raise record.fault("thread", f"must be one of the threads {', '.join(threads)}")
    file, _, line = record.text("source").rpartition(":")
    if not line.isdecimal():
        raise record.fault("source", "must be a path, a colon and a line number")
    return Shown(
        thread,
        file,
        int(line),
        record.text("code"),
        record.text("text"),
        record.texts("says"),
        record.texts("holds"),
        record.flag("preempts"),
        is_folded,
    )


def _operations(document: documents.Record) -> Iterator[Operation]:
    """The operations, none in a file without them."""
    steps = len(list(document.objects("steps")))
    for record in document.objects("operations") if "operations" in document.value else ():
        first = record.optional_index("first", steps)
        last = record.value.get("last")
        if (
            first is None
            or last is not None
            and (type(last) is not int or not first - 1 <= last < steps)
        ):
            raise record.fault("last", "must be a step from the one before ``first`` on, or null")
        yield Operation(
            record.text("thread"), record.text("text"), record.text("result"), first, last
        )


def _switches(document: documents.Record) -> tuple[Switch, ...]:
    rows = document.value.get("switches")
    kinds = (str, str, int, str)
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == len(kinds) and all(map(isinstance, row, kinds))
        for row in rows
    ):
        raise document.fault(
            "switches", "must be an array of arrays of a thread, a place, a visit and a thread"
        )
    return tuple(Switch(*row) for row in rows)
