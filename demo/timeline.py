"""A timeline as text: lines of events, and a bar for each request that waited."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

WIDTH = 80
"""Columns of every line, at most."""

INDENT = 22
"""Columns of time and actor."""

BAR = 36
"""Columns of a bar."""


class Timeline:
    """What happened, in virtual time. ``now_ms``: the clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self.now_ms = now_ms
        self.lines: list[str] = []
        self.begun: dict[str, int] = {}
        self.bars: list[tuple[str, int, int, str]] = []

    def act(self, title: str) -> None:
        """Begin a new part."""
        self.lines += ["", title, "-" * len(title)]

    def note(self, who: str, what: str) -> None:
        """An event of now."""
        head = f"{self.now_ms():>7} ms  {who:<{INDENT - 12}}"
        wrapped = textwrap.wrap(what, WIDTH - INDENT)
        self.lines += [head + wrapped[0], *(" " * INDENT + each for each in wrapped[1:])]

    def begin(self, request: str) -> None:
        """A request comes."""
        self.begun[request] = self.now_ms()

    def end(self, request: str, how: str) -> None:
        """A request is answered."""
        self.bars.append((request, self.begun.pop(request), self.now_ms(), how))

    def text(self) -> str:
        """All lines, and the bars below them. A request without an end has none."""
        last = max((until for _, _, until, _ in self.bars), default=0) or 1
        lines = ["", f"{'request':<18}{'0':<{BAR - len(str(last))}}{last} ms  answered by"]
        for request, since, until, how in sorted(self.bars, key=lambda each: each[1]):
            begin, end = since * (BAR - 1) // last, until * (BAR - 1) // last
            bar = " " * begin + ("|" if begin == end else f"|{'=' * (end - begin - 1)}|")
            lines.append(f"{request:<18}{bar:<{BAR + 5}}{how}".rstrip())
        return "\n".join([*self.lines, *lines]).strip("\n") + "\n"
