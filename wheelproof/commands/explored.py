"""The files of `wheelproof explore --output`: results, failing orders, and the reports of them."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof import __version__
from wheelproof.counterexample import explored
from wheelproof.errors import UsageError
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.report import files
from wheelproof.verdict import EXPLORE, Results, Row, Verdict, judge

if TYPE_CHECKING:
    from wheelproof.plain.under_pytest import Outcome


class Report:
    """The files of one run, in a folder."""

    def __init__(self, output: Path, test: str) -> None:
        self.output = output
        self.reports = files.folder(output, test)
        tools = {"wheelproof": __version__, "python": platform.python_version()}
        self.results = Results.begin(tools, test)
        files.begin(self.reports, self.results)

    def write(
        self, outcomes: Sequence[tuple[str, Outcome]], into: Sequence[str], complete: bool
    ) -> str:
        """Write the files of the outcomes of tests; the path of the page."""
        rows = [row for test, outcome in outcomes for row in self._rows(test, outcome, into)]
        results = replace(self.results, rows=tuple(rows), complete=complete)
        page = files.publish(self.output, results, {}, Path(), self.reports)["page"]
        files.annotate(results, self.output, Path())
        return page

    def _rows(self, test: str, outcome: Outcome, into: Sequence[str]) -> Iterator[Row]:
        trace = Path(files.TRACES, f"{EXPLORE}.{_word(test)}.json")
        (self.output / trace).unlink(missing_ok=True)
        if isinstance(outcome, Exploration):
            if outcome.answer is Answer.BUG:
                explored.from_exploration(test, outcome, into).write(self.output / trace)
            yield _row(test, outcome, trace)
        elif isinstance(outcome, UsageError):
            file, _, name = test.partition("::")
            verdict = Verdict.REFUSED
            yield judge(
                file, EXPLORE, name, expected=Verdict.EXHAUSTIVE, verdict=verdict, why=str(outcome)
            )


@contextmanager
def report(output: Path | None, test: str) -> Iterator[Report | None]:
    """The report of a run, if it has a folder. Raises UsageError and ToolError."""
    if output is None:
        yield None
        return
    from wheelproof.commands.options import check_apart

    check_apart(Path(), output)
    with files.alone(output):
        yield Report(output, test)


def _word(test: str) -> str:
    """A test's name as that of a file."""
    digest = hashlib.sha256(test.encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9]+', '_', test).strip('_')[:80]}.{digest}"


def _row(test: str, exploration: Exploration, trace: Path) -> Row:
    file, _, name = test.partition("::")
    failure, bound = exploration.failure, exploration.bound
    figures = {
        "executions": exploration.executions,
        "racy_places": len(exploration.racy_places),
        **({} if failure is None else {"preemptions": failure.preemptions}),
    }
    return judge(
        file,
        EXPLORE,
        name,
        expected=Verdict.EXHAUSTIVE,
        verdict=exploration.verdict,
        property=None if failure is None else str(failure.kind),
        why="" if exploration.verdict is Verdict.EXHAUSTIVE else exploration.reason,
        bound="" if bound is None else f"{bound} preemption{'s' * (bound != 1)}",
        figures=figures,
        seconds=exploration.seconds,
        trace=None if failure is None else trace,
    )
