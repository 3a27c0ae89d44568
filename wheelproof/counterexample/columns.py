"""A counterexample as text: time runs down, one column per thread, the effect of a step beside it.

From 100 columns on each thread has a column; below, each step is an entry with its thread's name in
brackets. A dashed rule marks a context switch. The same lines go to a terminal (with colour) and
into a Markdown block (without).
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from wheelproof.console import visible
from wheelproof.counterexample.deadlock import drawn_circle, waiting
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.counterexample.folding import Fold, folded
from wheelproof.counterexample.glyphs import ASCII, UNICODE, Glyphs
from wheelproof.counterexample.numbering import SILENT, count, numbers
from wheelproof.counterexample.places import plain
from wheelproof.counterexample.source import changed_texts, source_text

__all__ = ["ASCII", "UNICODE", "Glyphs", "describe", "outcome", "render"]

DECLARED = "The mutant's file says:"
"""Above a text that was written before the run, and may be about another one."""

COLUMNS_FROM = 100  # columns
_COLUMN_MOST = 24
_PANE_LEAST = 48
_TAG_MOST = 16
_VALUE_MOST = 160  # characters of one change, unless everything is shown


def render(
    trace: Counterexample,
    width: int,
    root: Path,
    file: str | None = None,
    full: bool = False,
    glyphs: Glyphs = UNICODE,
) -> list[Text]:
    """The lines of the picture, at most `width` wide but for names and commands.

    `root` is the project's folder, where the source lines are read from; `file` is the trace's
    path, for the replay command. `full` keeps repeated blocks, long values and constant variables.
    """
    picture = _Picture(trace, width, root, full, glyphs)
    return [*picture.heading(), *picture.initial(), *picture.body(), *picture.ending(file)]


def describe(trace: Counterexample) -> str:
    """Length, threads and context switches in one phrase. Silent steps do not count."""
    steps = [step for step in trace.steps if step.kind != SILENT]
    switches = sum(before.thread != after.thread for before, after in pairwise(steps))
    active = len({step.thread for step in steps})
    return ", ".join(
        (
            _count(len(steps), "step"),
            _count(active, "thread"),
            _count(switches, "context switch"),
        )
    )


def outcome(trace: Counterexample) -> str:
    """Where the run violates its property, in one sentence."""
    steps = count(trace.steps)
    head = f"{trace.property} is violated"
    if trace.loop is None:
        return f"{head} after step {steps}." if steps else f"{head} in the initial state."
    if trace.loop == len(trace.steps):
        return f"{head}: the run stays in this state for ever."
    first = count(trace.steps[: trace.loop]) + 1
    if first > steps:
        return f"{head}: silent steps repeat for ever after step {steps}."
    if first == steps:
        return f"{head}: step {steps} repeats for ever."
    return f"{head}: steps {first} to {steps} repeat for ever."


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}" + (plural if number != 1 else "")


class _Picture:
    def __init__(
        self, trace: Counterexample, width: int, root: Path, full: bool, glyphs: Glyphs
    ) -> None:
        self.trace, self.root, self.full, self.glyphs = trace, root, full, glyphs
        self.texts = (
            changed_texts(root, trace.mechanism, trace.impl_without) if trace.impl_without else {}
        )
        self.width = max(width, 40)
        columns = [
            index
            for index, step in enumerate(trace.steps)
            if full or step.changes or step.kind != SILENT
        ]
        self.steps = [trace.steps[index] for index in columns]
        self.folded = len(trace.steps) - len(columns)
        self.loop = None if trace.loop is None else sum(index < trace.loop for index in columns)
        of_all = numbers(trace.steps)
        self.numbers = [of_all[index] for index in columns]
        moving = {step.thread for step in self.steps}
        self.threads = [thread for thread in trace.threads if thread in moving]
        self.idle = [thread for thread in trace.threads if thread not in moving]
        self.digits = max(2, len(str(count(trace.steps))))
        self.gutter = self.digits + 4  # loop mark, blank, number, two blanks
        widest = max(
            (cell_len(text) for text in [*map(_act, self.steps), *map(visible, self.threads)]),
            default=0,
        )
        self.column = min(widest, _COLUMN_MOST) + 2
        pane = self.width - self.gutter - self.column * len(self.threads)
        self.columns = width >= COLUMNS_FROM and pane >= _PANE_LEAST
        self.indent = self.gutter + (self.column * len(self.threads) if self.columns else 0)

    # What stands above and below.

    def heading(self) -> list[Text]:
        trace = self.trace
        first = self._wrap(f"{trace.property} is violated: {describe(trace)}", 0, "bold red")
        where = f"{trace.mechanism} / {trace.layer} / {trace.name}, scenario {trace.scenario}"
        if trace.impl_without:
            where += f", without {trace.impl_without}"
            where += "" if trace.model_without else " (the model has it)"
        lines = [*first, *self._wrap(where, 0, "")]
        if self.idle:
            lines += self._wrap(f"never moves: {', '.join(self.idle)}", 0, "dim")
        if self.folded:
            note = f"{_count(self.folded, 'silent step')} without a change: --full"
            lines += self._wrap(note, 0, "dim")
        return [*lines, Text()]

    def initial(self) -> list[Text]:
        """The initial values; only of the variables that change, unless everything is shown."""
        variables = {_variable(place) for step in self.trace.steps for place in step.changes}
        values = {
            name: value
            for name, value in self.trace.initial.items()
            if self.full or _variable(name) in variables
        }
        if not self.trace.initial:
            return []
        lines = [Text("initially", style="bold")]
        for name, value in values.items():
            text = f"{name} = {self._short(plain(value))}"
            lines += self._wrap(text, 2, "", hang=len(name) + 3)
        if rest := len(self.trace.initial) - len(values):
            lines += self._wrap(
                f"{_count(rest, 'variable')} that never change{'s' if rest == 1 else ''}: --full",
                2,
                "dim",
            )
        return [*lines, Text()]

    def ending(self, file: str | None) -> list[Text]:
        trace = self.trace
        text = outcome(trace)
        lines = [Text(), *self._wrap(text, 0, "bold red")]
        for sentence in [*map(plain, trace.says), *waiting(trace)]:
            lines += self._wrap(sentence, 2, "")
        for line in drawn_circle(trace, self.glyphs):
            mark = len(line) - len(line.lstrip())
            lines += self._wrap(line.lstrip(), 2 + mark, "", hang=8)
        if trace.is_declared():
            lines.append(Text(DECLARED, style="dim"))
        for paragraph in trace.explanation.splitlines():
            lines += self._wrap(paragraph, 0, "")
        if file is not None:
            lines += [
                Text(),
                Text.assemble(
                    ("replay: ", "dim"), visible(f"wheelproof replay {shlex.quote(file)}")
                ),
            ]
        return lines

    # The steps.

    def body(self) -> Iterator[Text]:
        if self.columns:
            head = Text(" " * (self.gutter - 3) + "#  ")
            for thread in self.threads:
                head.append(_cell(visible(thread), self.column), style="bold")
            yield head.append("source and changes", style="dim")
        last: str | None = None
        for item in self._items():
            if isinstance(item, Fold):
                yield from self._fold(item)
                continue  # its last step is one of the same thread as that before it
            step = self.steps[item]
            if step.kind != SILENT:
                if last is not None and step.thread != last:
                    yield self._rule(item)
                last = step.thread
            yield from self._step(item, step)

    def _items(self) -> Sequence[int | Fold]:
        if self.full:
            return range(len(self.steps))
        return folded(self.steps, self.loop)

    def _rule(self, index: int) -> Text:
        reach = self.indent - self.gutter if self.columns else 30
        dashes = " ".join([self.glyphs.rule] * (reach // 2))
        return self._margin(index) + Text(dashes, style="dim")

    def _fold(self, fold: Fold) -> Iterator[Text]:
        times = _count(fold.period, "step")
        end = fold.first + fold.times * fold.period
        numbers = [number for number in self.numbers[fold.first : end] if number is not None]
        range_text = f"steps {numbers[0]} to {numbers[-1]}" if numbers else "silent ones"
        text = (
            f"{self.glyphs.more} the last {times} repeated {_count(fold.times, 'time')} more: "
            f"{range_text}: --full"
        )
        for line in self._wrap(text, 0, "dim italic", within=self.width - self.gutter):
            yield self._margin(fold.first) + line

    def _step(self, index: int, step: Step) -> Iterator[Text]:
        mark = self._loop_mark(index)
        number = Text.assemble(
            (mark, "magenta"), (f" {self.numbers[index] or '':>{self.digits}}  ", "dim")
        )
        follow = self._margin(index + 1)
        if self.columns:
            column = self.threads.index(step.thread)
            head = number + self._columns(column, _act(step))
            follow += self._columns(column, self.glyphs.column)
        else:
            tag = f"[{_clip(visible(step.thread), _TAG_MOST)}] "
            act = _clip(_act(step), self.width - self.gutter - cell_len(tag) - 2)
            head = number + Text.assemble((tag, "cyan"), (act, "bold"), "  ")
            follow += Text("  ")
        pane = self._pane(
            step,
            self.width - self.indent - (0 if self.columns else 2),
            self.width - cell_len(head.plain),
        )
        for line in [head + pane[0] if pane else head, *(follow + line for line in pane[1:])]:
            line.rstrip()
            yield line

    def _columns(self, column: int, act: str) -> Text:
        """One row of columns: the act in the thread's own, a line in the others."""
        row = Text()
        for place in range(len(self.threads)):
            text = act if place == column else self.glyphs.column
            row.append(
                _cell(text, self.column), style="dim" if text == self.glyphs.column else "bold"
            )
        return row

    def _pane(self, step: Step, width: int, first: int) -> list[Text]:
        """The text beside a step: source, then changes, in lines of `width`.

        The first line has `first` cells.
        """
        lines: list[Text] = []
        if step.source:
            place, code = (
                visible(step.source),
                source_text(self.root, step.source, step.label, self.texts),
            )
            if code and len(place) + 2 + cell_len(code) <= first:
                lines.append(Text.assemble((place, "dim"), "  ", (code, "cyan")))
            else:
                lines += self._wrap(place, 0, "dim", within=width, hang=4)
                if code:
                    lines += self._wrap(code, 0, "cyan", within=width, hang=4)
        for place, (before, after) in step.changes.items():
            old, new = self._short(plain(before)), self._short(plain(after))
            text = f"{place}: {old} {self.glyphs.arrow} {new}"
            lines += self._wrap(text, 0, "yellow", within=width, hang=4)
        if step.choice:
            text = f"chooses {', '.join(step.choice)}"
            lines += self._wrap(text, 0, "green", within=width, hang=4)
        if step.access:
            lines += self._wrap(step.access, 0, "bold red", within=width, hang=4)
        if lines and cell_len(lines[0].plain) > first:
            lines.insert(0, Text())
        return lines

    def _margin(self, index: int) -> Text:
        """The text left of a line without a number, before step `index`: a loop's bar or blanks."""
        inside = self.loop is not None and self.loop < index < len(self.steps)
        return Text(
            (self.glyphs.loop[1] if inside else " ") + " " * (self.gutter - 1), style="magenta"
        )

    def _loop_mark(self, index: int) -> str:
        loop, last = self.loop, len(self.steps) - 1
        first, between, end, only = self.glyphs.loop
        if loop is None or index < loop:
            return " "
        if loop == last:
            return only
        return first if index == loop else end if index == last else between

    # Text.

    def _short(self, value: str) -> str:
        if self.full or len(value) <= _VALUE_MOST:
            return value
        return f"{value[:_VALUE_MOST]}{self.glyphs.more} ({len(value):,} characters: --full)"

    def _wrap(
        self, text: str, indent: int, style: str, within: int | None = None, hang: int = 2
    ) -> list[Text]:
        """Lines of at most `within` cells (None: the whole width); the next ones hang by `hang`."""
        room = max((within if within is not None else self.width) - indent, 12)
        lines: list[Text] = []
        rest, hang = visible(text), min(hang, room // 3)
        while rest or not lines:
            lead = " " * (indent + (hang if lines else 0))
            cut = _cut(rest, room - (hang if lines else 0))
            lines.append(Text(lead + rest[:cut].rstrip(), style=style))
            rest = rest[cut:].lstrip()
        return lines


def _cut(text: str, room: int) -> int:
    """The index at which to break a text: its first part has at most `room` cells.

    It is broken at a blank if there is one, else anywhere.
    """
    if cell_len(text) <= room:
        return len(text)
    end = start = 0
    while start + cell_len(text[end]) <= room:
        start += cell_len(text[end])
        end += 1
    blank = text.rfind(" ", 1, end + 1)
    return blank if blank > 0 and text[:blank].strip() else max(end, 1)


def _clip(text: str, limit: int) -> str:
    """A text in at most `limit` cells; a tilde stands for the rest."""
    return text if cell_len(text) <= limit else set_cell_size(text, limit - 1).rstrip() + "~"


def _cell(text: str, width: int) -> str:
    """A text in exactly `width` cells, with two blanks at the end at least."""
    return set_cell_size(_clip(text, width - 2), width)


def _act(step: Step) -> str:
    return visible(f"{step.label} {step.kind}".strip())


def _variable(place: str) -> str:
    return re.split(r"[\[.]", place, maxsplit=1)[0]
