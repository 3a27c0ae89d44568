"""A trace read from its file, put in order by its clocks, and judged."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.jsonl import Reader
from wheelproof.trace.format.parts import CutOff
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.judging import Judging
from wheelproof.trace.judging.verdict import Verdict

if TYPE_CHECKING:
    from wheelproof.trace.format import parquet

BUFFER = 1 << 16
"""How far from the order of their clocks the events of a file may be. Files beyond that are sorted
as a whole."""


AnyReader: TypeAlias = "Reader | parquet.Reader"
Item = tuple[int, Event]
"""Line, or row, and event."""


def key_of(event: Event) -> tuple[int, int, int]:
    """The sort key of events."""
    return event["lc"], event["tid"], event["tseq"]


def in_order(events: Iterable[Item]) -> Iterator[Item]:
    """Events by their clocks: a file that is nearly so, as a recorder's is, passes through a heap
    of bounded size."""
    heap: list[tuple[tuple[int, int, int], int, Event]] = []
    last = (0, 0, 0)
    for line, event in events:
        item = (key_of(event), line, event)
        if item[0] < last:
            raise _Far
        if len(heap) < BUFFER:
            heapq.heappush(heap, item)
            continue
        key, at, first = heapq.heappushpop(heap, item)
        last = key
        yield at, first
    while heap:
        _, at, event = heapq.heappop(heap)
        yield at, event


class _Far(Exception):
    """An event comes too late for the heap."""


def reader_of(path: Path) -> AnyReader:
    """A reader for a file by its name: Parquet, else JSON Lines."""
    if Path(path).suffix == ".parquet":
        from wheelproof.trace.format import parquet

        return parquet.Reader(path)
    return Reader(path)


class Judge(Protocol):
    """Makes a judging of one trace."""

    def __call__(self, header: Header, *, cut: Mapping[str, int] | None = None) -> Judging: ...


def before_a_cut(reader: AnyReader) -> Iterator[Item]:
    """The events of a file, up to where it is cut off."""
    try:
        yield from reader
    except CutOff:
        return


def replay(path: Path, judge: Judge) -> Verdict:
    """The verdict on the trace in a file. Raises TraceError where the file is no trace at all."""
    reader = reader_of(path)
    try:
        return _replay(reader, in_order, judge)
    except _Far:
        return _replay(
            reader, lambda events: iter(sorted(events, key=lambda item: key_of(item[1]))), judge
        )


def _replay(
    reader: AnyReader,
    sort_events: Callable[[Iterable[Item]], Iterator[Item]],
    judge: Judge,
    limits: Mapping[str, int] | None = None,
) -> Verdict:
    run, tally, cut = judge(reader.header, cut=limits), Tally(reader.header), []

    def count_events() -> Iterator[Item]:
        try:
            for line, event in reader:
                tally.count(event, reader.raw)  # most writers write the canonical line
                yield line, event
        except CutOff as error:
            cut.append(error)

    for line, event in sort_events(count_events()):
        run.take(line, event)
    if limits is None and reader.footer is not None and reader.footer.get("cut"):
        return _replay(
            reader, sort_events, judge, reader.footer["cut"]
        )  # the footer comes last: once more, with what it says
    if not cut:
        tally = true_tally(reader, tally)
    return run.end(reader.footer, tally, hashed=not reader.unknown, ended=cut[0] if cut else None)


def true_tally(reader: AnyReader, tally: Tally) -> Tally:
    """The tally of the canonical lines of a file that was read. ``tally``: of the lines as they
    stand there, which most writers write so."""
    if reader.footer is None or reader.footer.get("sha256") in (None, tally.sha256):
        return tally
    exact = Tally(reader.header)
    for _, event in reader:
        exact.count(event)
    return exact


def digest_differs(reader: AnyReader, tally: Tally) -> bool:
    """Whether the footer of a file that was read has the digest of another header or of other
    events. ``tally``: of the lines as they stand there."""
    if reader.footer is None or reader.footer.get("sha256") is None or reader.unknown:
        return False
    return true_tally(reader, tally).sha256 != reader.footer["sha256"]


def replay_events(
    header: Header,
    events: Iterable[Event],
    footer: Footer | None,
    judge: Judge,
) -> Verdict:
    """The verdict on events at hand, numbered from line 2 on as in a file."""
    run = judge(header, cut=None if footer is None else footer.get("cut"))
    for line, event in sorted(enumerate(events, 2), key=lambda item: key_of(item[1])):
        run.take(line, event)
    return run.end(footer)
