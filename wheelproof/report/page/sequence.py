"""The sequence diagram of an explored order, as plain geometry: lifelines, bars and preemptions.

Time runs down. A bar is an operation of a program that was drawn, from its call to its result;
without operations it is a thread's turn between two switches. The template draws it as SVG. Sizes
are in pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.cells import cell_len, set_cell_size

from wheelproof.console import visible
from wheelproof.counterexample.explored import Explored, Operation, Shown
from wheelproof.report.page.pictures import LETTER

COLUMN, ROW, HEAD, EDGE = 250, 19, 30, 8
"""The width of a thread's column, the height of a row, that of the names, and a margin."""

BAR = 10
"""The width of a bar, which stands on the lifeline."""

ROOM = (COLUMN - BAR - 3 * EDGE) // LETTER
"""Letters of a row's text; its tooltip has the others."""


@dataclass(frozen=True)
class Bar:
    """An operation, or a turn."""

    x: float
    y: float
    height: float
    name: str
    is_open: bool
    """Whether the operation has not returned."""


@dataclass(frozen=True)
class Text:
    """A line of text beside a lifeline. ``kind``: call, result, or step."""

    x: float
    y: float
    text: str
    whole: str
    kind: str


@dataclass(frozen=True)
class Diagram:
    """The parts of the picture."""

    lifelines: tuple[tuple[str, float], ...]
    """Each thread with the place of its lifeline."""
    bars: tuple[Bar, ...]
    texts: tuple[Text, ...]
    preemptions: tuple[tuple[float, float, str], ...]
    """The height of each, and the lifeline and name of the thread that is preempted."""
    width: int
    height: int
    words: str
    """The operations in words, "" without them."""


@dataclass(frozen=True)
class Row:
    """A row: an event of a thread. ``bar``: the number of its bar, None for a preemption."""

    thread: str
    kind: str
    text: str
    bar: int | None


@dataclass(frozen=True)
class Span:
    """A bar before it has a place: the steps from ``first`` to ``last``."""

    thread: str
    name: str
    result: str
    first: int
    last: int
    is_open: bool = False


def diagram(run: Explored) -> Diagram:
    """The diagram of an order."""
    spans = _spans(run)
    rows = list(_rows(run.order.steps, spans))
    threads = list(dict.fromkeys((*run.order.threads, *(span.thread for span in spans))))
    lifelines = {name: EDGE + BAR + COLUMN * at for at, name in enumerate(threads)}
    texts, preemptions = [], []
    ends: dict[int, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        y = HEAD + ROW * number + ROW
        if row.bar is None:
            preemptions.append((y - ROW / 2, lifelines[row.thread], row.thread))
            continue
        begin, _ = ends.get(row.bar, (y - ROW + 3.0, 0.0))
        ends[row.bar] = begin, y + 3
        text = _shorten(row.text)
        texts.append(Text(lifelines[row.thread] + BAR + 2, y - 4, text, row.text, row.kind))
    height = HEAD + ROW * len(rows) + EDGE
    bars = tuple(
        Bar(
            lifelines[span.thread] - BAR / 2,
            ends[at][0],
            (height - EDGE if span.is_open else ends[at][1]) - ends[at][0],
            span.name,
            span.is_open,
        )
        for at, span in enumerate(spans)
        if at in ends
    )
    words = "; ".join(f"{span.thread} {span.name} {span.result}" for span in spans if span.name)
    width = 2 * EDGE + COLUMN * len(threads)
    return Diagram(
        tuple(lifelines.items()), bars, tuple(texts), tuple(preemptions), width, height, words
    )


def _spans(run: Explored) -> list[Span]:
    """The bars: the operations, or else the turns of the threads."""
    if run.order.operations:
        return [_span(operation, run.order.steps) for operation in run.order.operations]
    visible_steps = [(at, step) for at, step in enumerate(run.order.steps) if not step.folded]
    spans = []
    for thread, group in groupby(visible_steps, key=lambda pair: pair[1].thread):
        numbers = [at for at, _ in group]
        spans.append(Span(thread, "", "", numbers[0], numbers[-1]))
    return spans


def _span(operation: Operation, steps: Sequence[Shown]) -> Span:
    """The bar of an operation. One that does not return ends with its thread's last step."""
    first, last = operation.first, operation.last
    if last is not None:
        result = f"returns {operation.result}"
        return Span(operation.thread, operation.text, result, first, last)
    own_steps = [at for at, step in enumerate(steps) if step.thread == operation.thread]
    last = max(first - 1, *own_steps, -1)
    return Span(operation.thread, operation.text, "waits for ever", first, last, True)


def _rows(steps: Sequence[Shown], spans: Sequence[Span]) -> Iterator[Row]:
    """The events in their order: results, preemptions, calls, steps."""
    for number in range(len(steps) + 1):
        for at, span in enumerate(spans):
            if span.first <= span.last == number - 1 and span.name:
                yield Row(span.thread, "result", span.result, at)
        step = steps[number] if number < len(steps) else None
        if step is not None and step.preempts and number:
            yield Row(steps[number - 1].thread, "preempted", "", None)
        for at, span in enumerate(spans):
            if span.first == number and span.name:
                yield Row(span.thread, "call", span.name, at)
                if span.last < number:
                    yield Row(span.thread, "result", span.result, at)
        if step is not None and not step.folded:
            bar = _bar(step.thread, number, spans)
            for text in step.says:
                yield Row(step.thread, "step", f"{step.line}  {text}", bar)


def _bar(thread: str, number: int, spans: Sequence[Span]) -> int:
    """The bar of a step; that of no operation has the number after the last."""
    return next(
        (
            at
            for at, span in enumerate(spans)
            if span.thread == thread and span.first <= number <= span.last
        ),
        len(spans),
    )


def _shorten(text: str) -> str:
    clean = visible(text)
    return clean if cell_len(clean) <= ROOM else set_cell_size(clean, ROOM - 1).rstrip() + "…"
