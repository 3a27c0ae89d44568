"""Printing to a terminal or a log: width, colour, and escapes for untrusted text.

Text from a project or a trace is untrusted: it goes through `visible` and is printed as
`rich.text.Text`, never as Rich markup.
"""

import io
import os
import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text

PLAIN_WIDTH = 120
"""Columns where there is no terminal, as in CI."""


class Output(Console):
    """A console that raises BrokenPipeError when its reader has gone.

    Rich would exit with 1, which means a finding here.
    """

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
    styled = not os.environ.get("NO_COLOR") and (terminal or bool(os.environ.get("FORCE_COLOR")))
    return Output(
        file=stream,
        width=width,
        color_system="auto" if styled else None,
        force_terminal=styled or None,
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
