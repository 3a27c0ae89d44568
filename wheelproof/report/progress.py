"""What a run shows while it works: a live display on a terminal, plain lines everywhere else.

Both are listeners for the notices of `wheelproof.events`, are called in the parent process only,
and start no thread, so that they stay safe beside worker processes. They print to standard error.
"""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TextIO

from wheelproof.console import console, is_terminal, visible
from wheelproof.events import Beat, Check, Ended, Notice, Planned, Started

INTERVAL = 25.0  # seconds between two lines about the same running check


@dataclass
class Running:
    """A check that has begun. Times are the clock's, in seconds."""

    started: float
    reported: float
    budget: float | None
    states: int | None = None
    waiting: int | None = None

    def describe(self, now: float) -> str:
        """States, rate and time of the check so far."""
        spent = now - self.started
        parts = []
        if self.states is not None:
            parts.append(f"{self.states:,} states")
            if spent >= 1:
                parts.append(f"{self.states / spent:,.0f}/s")
        if self.waiting is not None:
            parts.append(f"{self.waiting:,} waiting")
        parts.append(f"{spent:.0f} s")
        if self.budget is not None:
            parts.append(f"{max(0.0, self.budget - spent):.0f} s of the budget left")
        return ", ".join(parts)


class Progress(AbstractContextManager["Progress"]):
    """The state of both displays: the running checks, and the number that ended.

    It is used as a context and as a listener.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.stream = stream or sys.stderr
        self.clock = clock
        self.planned = self.ended = 0
        self.running: dict[Check, Running] = {}

    def __exit__(self, *ending: Any) -> None:
        self.close()

    def __call__(self, notice: Notice) -> None:
        now = self.clock()
        match notice:
            case Planned(checks):
                self.planned += checks
            case Started(check, budget):
                self.running[check] = Running(now, now, budget)
                self.on_start(check)
            case Beat(check, states, waiting):
                # A worker's notices may arrive after its check was given up.
                if running := self.running.get(check):
                    running.states, running.waiting = states, waiting
            case Ended(row):
                self.running.pop(Check(row.mechanism, row.layer, row.name), None)
                self.ended += 1
                self.on_end(row)
        self.refresh(now)

    def count(self) -> str:
        """How many checks ended, of how many where that is known."""
        return f"{self.ended}/{self.planned}" if self.planned else str(self.ended)

    def on_start(self, check: Check) -> None: ...
    def on_end(self, row: Any) -> None: ...
    def refresh(self, now: float) -> None: ...
    def close(self) -> None: ...


class Lines(Progress):
    """A line where a check starts or ends, and for each long check every INTERVAL seconds."""

    def on_start(self, check: Check) -> None:
        self._say(f"start  {_title(check)}")

    def on_end(self, row: Any) -> None:
        mark = "ok" if row.ok else "NOT OK"
        self._say(f"{mark:<6} {_title(row)}: {row.verdict}, {row.seconds:.1f} s ({self.count()})")

    def refresh(self, now: float) -> None:
        for check, running in self.running.items():
            if now - running.reported >= INTERVAL:
                running.reported = now
                self._say(f"...    {_title(check)}: {running.describe(now)}")

    def _say(self, line: str) -> None:
        print(line, file=self.stream, flush=True)


class Live(Progress):
    """The running checks, redrawn in place; a row that is not in order stays on the screen."""

    def __enter__(self) -> "Live":
        from rich.live import Live as Display

        self.console = console(self.stream)
        # Without a refresh thread: a notice or a tick redraws, at most four times a second.
        self.display = Display(
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.drawn = float("-inf")
        self.display.start()
        return self

    def on_end(self, row: Any) -> None:
        if not row.ok:
            from rich.text import Text

            self.console.print(Text(f"not in order: {_title(row)}: {row.verdict}", style="red"))

    def refresh(self, now: float) -> None:
        if now - self.drawn >= 0.25:
            from rich.text import Text

            self.drawn = now
            lines = [f"{self.count()} checks done"]
            lines += [
                f"  {_title(check)}: {running.describe(now)}"
                for check, running in self.running.items()
            ]
            self.display.update(
                Text("\n".join(lines), no_wrap=True, overflow="ellipsis"), refresh=True
            )

    def close(self) -> None:
        self.display.stop()


class Silent(Progress):
    """Shows nothing."""


def progress(quiet: bool = False, stream: TextIO | None = None) -> Progress:
    """The display that suits the stream (standard error where None)."""
    stream = stream or sys.stderr
    if quiet:
        return Silent(stream)
    return Live(stream) if is_terminal(stream) else Lines(stream)


def _title(item: Any) -> str:
    return visible(f"{item.mechanism} / {item.layer} / {item.name}")
