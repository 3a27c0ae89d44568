"""The progress of a run: a live display on a terminal, plain lines everywhere else.

Both are listeners for the notices of `wheelproof.events`, are called in the parent process only,
and start no thread, so that they stay safe beside worker processes. They print to standard error.
"""

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TextIO

from wheelproof.console import console, is_terminal, visible
from wheelproof.events import Beat, Check, Ended, Notice, Planned, Started
from wheelproof.verdict import CACHED

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
        seconds = now - self.started
        parts = []
        if self.states is not None:
            parts.append(f"{self.states:,} states")
            if seconds >= 1:
                parts.append(f"{self.states / seconds:,.0f}/s")
        if self.waiting is not None:
            parts.append(f"{self.waiting:,} waiting")
        parts.append(f"{seconds:.0f} s")
        if self.budget is not None:
            parts.append(f"{max(0.0, self.budget - seconds):.0f} s of the budget left")
        return ", ".join(parts)


@dataclass(frozen=True)
class Earlier:
    """The times of checks in an earlier run that came to its end."""

    seconds: Mapping[Check, float]
    """The time of each check."""
    jobs: int
    """The processes of that run."""


NOTHING = Earlier({}, 1)


class Ahead:
    """The checks that a run carries out, and the seconds that those of them need which are left.

    A check that the earlier run lacks counts as much as the others do on average.
    """

    def __init__(self, plan: Planned, earlier: Earlier) -> None:
        self.planned, self.jobs = plan, earlier.jobs
        self.known = {
            check: earlier.seconds[check] for check in plan.run if check in earlier.seconds
        }
        self.scale = len(plan.run) / len(self.known) if self.known else 0.0
        self.text = self._text()

    def end(self, check: Check) -> None:
        """Take a check that has ended away."""
        self.known.pop(check, None)

    def seconds(self) -> float:
        """About how long the checks take that are left: no less than the longest of them."""
        whole = sum(self.known.values()) * self.scale / self.jobs
        return max(whole, max(self.known.values(), default=0.0))

    def _text(self) -> str:
        checks, hits, run = self.planned.checks, self.planned.cached, len(self.planned.run)
        head = f"{checks} check{'' if checks == 1 else 's'}"
        if hits:
            head += f", {hits} cached"
            if not run:
                return head
        rest = f"the other {run}" if hits else "them"
        if not self.known:
            return f"{head}: no earlier run tells how long {rest if hits else 'they'} take"
        part = len(self.known)
        source = (
            "as an earlier run took" if part == run else f"by an earlier run of {part} of {rest}"
        )
        return f"{head}: about {minutes(self.seconds())}, {source}"


class Progress(AbstractContextManager["Progress"]):
    """The state of both displays: the running checks, and the number that ended.

    It is used as a context and as a listener.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.stream = stream or sys.stderr
        self.clock = clock
        self.began: float | None = None
        self.now = 0.0
        self.planned = self.ended = self.faults = 0
        self.earlier = NOTHING
        self.ahead: Ahead | None = None
        self.running: dict[Check, Running] = {}

    def expect(self, earlier: Earlier) -> None:
        """Take the times of an earlier run, before the first notice."""
        self.earlier = earlier

    def __exit__(self, *ending: Any) -> None:
        self.close()

    def __call__(self, notice: Notice) -> None:
        self.now = now = self.clock()
        self.began = now if self.began is None else self.began
        match notice:
            case Planned():
                self.planned += notice.checks
                if self.ahead is None:
                    self.ahead = Ahead(notice, self.earlier)
                    self.on_plan(self.ahead.text)
            case Started(check, budget):
                self.running[check] = Running(now, now, budget)
                self.on_start(check)
            case Beat(check, states, waiting):
                # A worker's notices may arrive after its check was given up.
                if running := self.running.get(check):
                    running.states, running.waiting = states, waiting
            case Ended(row):
                check = Check(row.mechanism, row.layer, row.name)
                self.running.pop(check, None)
                self.ended += 1
                self.faults += not row.ok
                if self.ahead:
                    self.ahead.end(check)
                self.on_end(row)
        self.refresh(now)

    def count(self) -> str:
        """How many checks ended, of how many where that is known, and the time.

        The time to the end is that of an earlier run.
        """
        parts = [f"{self.ended}/{self.planned}" if self.planned else str(self.ended)]
        if self.faults:
            parts.append(f"{self.faults} not in order")
        parts.append(minutes(self.now - (self.now if self.began is None else self.began)))
        if self.ahead and self.ahead.scale:
            parts.append(f"about {minutes(self.ahead.seconds())} left")
        return ", ".join(parts)

    def on_plan(self, text: str) -> None: ...
    def on_start(self, check: Check) -> None: ...
    def on_end(self, row: Any) -> None: ...
    def refresh(self, now: float) -> None: ...
    def close(self) -> None: ...


class Lines(Progress):
    """A line where a check starts or ends, and for each long check every INTERVAL seconds."""

    def on_plan(self, text: str) -> None:
        self._say(text)

    def on_start(self, check: Check) -> None:
        self._say(f"start  {_title(check)}")

    def on_end(self, row: Any) -> None:
        mark = "ok" if row.ok else "NOT OK"
        since = row.figures.get(CACHED)
        when = f"cached, of {since}" if since else f"{row.seconds:.1f} s"
        self._say(f"{mark:<6} {_title(row)}: {row.verdict}, {when} ({self.count()})")

    def refresh(self, now: float) -> None:
        for check, running in self.running.items():
            if now - running.reported >= INTERVAL:
                running.reported = now
                self._say(f"...    {_title(check)}: {running.describe(now)}")

    def _say(self, line: str) -> None:
        print(line, file=self.stream, flush=True)


class Live(Progress):
    """The running checks, redrawn in place; a row that is not in order stays on the screen."""

    def on_plan(self, text: str) -> None:
        self.console.print(text, style="dim")

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


def minutes(seconds: float) -> str:
    """A time as people say it: ``42 s``, ``3 min 5 s``, ``1 h 12 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _title(item: Any) -> str:
    return visible(f"{item.mechanism} / {item.layer} / {item.name}")
