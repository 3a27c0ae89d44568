"""Printing to a terminal or a log: width, colour, and escapes for untrusted text.

Text from a project or a trace is untrusted: it goes through `visible` and is printed as
`rich.text.Text`, never as Rich markup.
"""

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

PLAIN_WIDTH = 120
"""Columns where there is no terminal, as in CI."""


_SAFE = "\n\t"
"""Unprintable characters that are printed all the same."""


class Guarded(io.TextIOWrapper):
    """A stream that lets no control character through.

    Names of files and values of a project may have any. Rich styles its text by control
    sequences: ``Output`` guards it before, and writes to ``unguarded``.
    """

    def write(self, text: str) -> int:
        super().write(guarded(text))
        return len(text)

    @property
    def unguarded(self) -> "Unguarded":
        return Unguarded(self)


class Unguarded:
    """The stream behind a guard."""

    def __init__(self, stream: Guarded) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return io.TextIOWrapper.write(self._stream, text)


def guard(stream: TextIO) -> TextIO:
    """The same stream, guarded; one without a buffer, or a guarded one, as it is."""
    if isinstance(stream, Guarded) or not isinstance(stream, io.TextIOWrapper):
        return stream
    by_line = stream.line_buffering
    encoding = stream.encoding
    return Guarded(stream.detach(), encoding, errors="backslashreplace", line_buffering=by_line)


class Output(Console):
    """A console that raises BrokenPipeError when its reader has gone.

    Rich would exit with 1, which means a finding here. Texts reach the stream without control
    characters; the console's own sequences stay.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(guarded(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(stream: TextIO | None = None, width: int | None = None) -> Console:
    """A console on a stream (standard output where None) that prints text as it is.

    Its width is the given one, else the terminal's, else COLUMNS, else PLAIN_WIDTH. NO_COLOR
    removes every style, not only colours: a log should hold no bold escapes either.
    """
    stream = stream or sys.stdout
    terminal = is_terminal(stream)
    if isinstance(stream, io.TextIOWrapper):
        # A log in ASCII loses no line over one character.
        stream.reconfigure(errors="backslashreplace")
    if width is None and not terminal:
        columns = os.environ.get("COLUMNS", "")
        width = (
            int(columns)
            if columns.isascii() and columns.isdigit() and int(columns) > 0
            else PLAIN_WIDTH
        )
    has_style = not os.environ.get("NO_COLOR") and (terminal or bool(os.environ.get("FORCE_COLOR")))
    return Output(
        file=cast(TextIO, stream.unguarded) if isinstance(stream, Guarded) else stream,
        width=width,
        color_system="auto" if has_style else None,
        force_terminal=has_style or None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def is_terminal(stream: TextIO) -> bool:
    """Whether a person watches the stream; an unusable (closed) stream does not count."""
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False


def visible(text: str) -> str:
    """The text with every unprintable character (control, direction) written as an escape."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def guarded(text: str) -> str:
    """The text as ``visible``, but for ends of lines and tabs."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in _SAFE else ascii(char)[1:-1] for char in text
    )


def print_lines(target: Console, lines: list[Text]) -> None:
    """Prints prepared lines as they are: no wrapping, no markup."""
    for line in lines:
        target.print(line, soft_wrap=True)


def can_encode(stream: TextIO, text: str) -> bool:
    """Whether the stream's encoding has all the characters of the text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
