"""The few events of a trace in a file that show why it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wheelproof.trace import declared
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Header
from wheelproof.trace.format.parts import CutOff
from wheelproof.trace.judging.replay import AnyReader, key_of, reader_of

if TYPE_CHECKING:
    from wheelproof.trace.provided import Shrunk


class Tried(NamedTuple):
    """``events``: how many the trace has; ``small``: None where none of them is refused."""

    header: Header
    events: int
    small: Shrunk | None


def shrunk(path: Path, seconds: float | None = None) -> Tried:
    """The trace in a file, shrunk for so many seconds at most. Where the file is cut off the events
    before count."""
    reader = reader_of(path)
    events = sorted(before_a_cut(reader), key=lambda item: key_of(item[1]))
    cut = None if reader.footer is None else reader.footer.get("cut")
    small = declared.part("shrink").shrink(reader.header, events, cut, seconds)
    return Tried(reader.header, len(events), small)


def before_a_cut(reader: AnyReader) -> Iterator[tuple[int, Event]]:
    """The events of a file, up to where it is cut off."""
    try:
        yield from reader
    except CutOff:
        return
