"""One change on its way through the checks, in a process and a copy of the tree of its own.

A check rejects it by name, or none does.

A verdict of a check that is not in order rejects the change. So does an exception that the
project's own code raises, and a refusal that names a fault of the project. An exception of
the tool rejects nothing: it is an error. So is TLC's own failure, unless TLC reports that it could
not evaluate the specification.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import cast

from wheelproof import guest, project
from wheelproof.checks import coverage
from wheelproof.checks.context import Context, Report
from wheelproof.checks.job import Job
from wheelproof.counterexample.build import Diverged
from wheelproof.decisions import DoesNotFit
from wheelproof.errors import ToolError, UsageError, WheelproofError
from wheelproof.graph.explorer import BudgetSpent
from wheelproof.mutate.finding import Finding, Judged, plain
from wheelproof.mutate.group import Check
from wheelproof.mutate.pytest_runs import PytestRuns
from wheelproof.mutate.tlc_runs import KeptRuns, limit_of
from wheelproof.python.findings import StyleError
from wheelproof.tlc.refusals import EVALUATED, REFUSED, unevaluated
from wheelproof.tlc.result import Outcome
from wheelproof.verdict import Row, Verdict

CPU_SECONDS = 150.0
"""The limits of one check in this process's CPU time."""

TOGETHER = 4
"""Files of tests of one folder that are worth a process in common."""

SAMPLES, EVERY = 12, 0.25
"""CPU seconds between two samples of the stack after a check's limit: does one call return?"""


class Judge:
    """The checks on one tree. ``root``: the copy; ``base``: the whole unchanged tree.

    ``runs``: the folder of TLC's runs; ``send``: gets the end if a check exceeds its limit.
    """

    def __init__(
        self, root: Path, base: Path, runs: Path, send: Callable[[Judged], None], short_calls: bool
    ) -> None:
        """``short_calls``: no call into the project is long: one that never ends can be named."""
        self.root, self.base, self.runs, self.send, self.short_calls = (
            root,
            base,
            runs,
            send,
            short_calls,
        )
        self.tests = PytestRuns(root, base)
        self.contexts: dict[str, Context] = {}
        self.reports: dict[Job, Report] = {}
        self.done = Judged(Finding("passed"))

    def run(self, checks: list[Check], whole_of: bool = False) -> Judged:
        """Run checks until one rejects the change; ``whole_of``: run all of them."""
        first: Finding | None = None
        for check in checks if whole_of else self.apart(checks):
            before = _seconds()
            with self.limit(check, CPU_SECONDS * (1 + len(check.needs))):
                finding = self.single(check)
            self.done.seconds[check.title] = _seconds() - before
            if finding.word in ("rejected", "unloadable", "error") and first is None:
                first = finding
            if finding.word == "inconclusive":
                self.done.doubts.append(finding)
            if first is not None and not whole_of:
                break
        if first is None and self.done.doubts:
            first = self.done.doubts[0]
        self.done.finding = first or Finding("passed")
        return self.done

    def apart(self, checks: list[Check]) -> Iterator[Check]:
        """The checks in their order, without the files of tests that pass together.

        Many files of one folder run in one process, since each would start the work that they
        share. Where one of them fails there, each is judged by itself, that one first.
        """
        for _, group in itertools.groupby(checks, _folder):
            several = list(group)
            if several[0].kind == "tests" and len(several) >= TOGETHER:
                before = _seconds()
                finding = self.tests.judge(*several)
                if finding.word == "passed":
                    share = (_seconds() - before) / len(several)
                    self.done.seconds |= {check.title: share for check in several}
                    continue
                several.sort(key=lambda check: check.title != finding.check)
            yield from several

    # -- limits

    def limit(self, check: Check, seconds: float) -> _Limit:
        return _Limit(self, check, seconds)

    def expired(self, check: Check, seconds: float, frames: list[tuple[int, str]]) -> None:
        """End this process: a check exceeded its limit. The project could catch an exception."""
        if (
            self.short_calls
            and frames
            and frames[0][0]
            and len({number for number, _ in frames}) == 1
        ):
            self.done.finding = Finding(
                "rejected",
                check.title,
                "NonTermination",
                f"one call has not returned after {SAMPLES * EVERY:g} CPU seconds: {frames[-1][1]}",
            )
        else:
            self.done.finding = Finding(
                "inconclusive", check.title, "limit", f"{seconds:.0f} CPU seconds were not enough"
            )
        self.done.seconds[check.title] = seconds
        self.send(self.done)
        os._exit(0)

    # -- one check

    def single(self, check: Check) -> Finding:
        try:
            if check.kind == "tests":
                return self.tests.judge(check)
            return self.judge(check, self.report(check))
        except StyleError as error:
            first = error.findings[0]
            return Finding(
                "rejected", check.title, f"style rule {first.rule}", self.plain(str(first))
            )
        except DoesNotFit:  # the change removes a mutant's own lines: this mutant cannot judge it
            return Finding("passed", check.title)
        except UsageError as error:
            return Finding(
                "unloadable" if "cannot be imported" in str(error) else "rejected",
                check.title,
                type(error).__name__,
                self.plain(str(error)),
            )
        except BudgetSpent as error:
            return Finding(
                "rejected",
                check.title,
                "StateCount",
                f"the model has {error}, several times as many as it should",
            )
        except Diverged as error:
            return Finding(
                "rejected",
                check.title,
                "SameGraph",
                self.plain(f"TLC's trace cannot be followed on the model: {error}"),
            )
        except ToolError as error:
            return Finding("error", check.title, "ToolError", self.plain(str(error)))
        except WheelproofError as error:
            return Finding("rejected", check.title, type(error).__name__, self.plain(str(error)))
        except MemoryError:
            return Finding(
                "inconclusive", check.title, "MemoryError", "the process ran out of memory"
            )
        except Exception as error:
            return self.of_error(check, error)

    def context(self, mechanism: str) -> Context:
        if mechanism not in self.contexts:
            file = next(
                file
                for file in (self.root / "spec").glob("*.toml")
                if project.name_of(file.stem) == mechanism
            )
            context = KeptRuns(project.read(file), self.root / "build")
            type(context).runs = self.runs
            self.contexts[mechanism] = context
        return self.contexts[mechanism]

    def report(self, check: Check) -> Report:
        context = self.context(check.mechanism)
        KeptRuns.results = []
        if check.kind == "labels":
            every = Report(labels=set(context.mechanism.labels))
            return Report([coverage.labels(context, [every])])
        if check.kind == "whole":
            reports = [
                self.reports[job] if job in self.reports else self.carried_out(job)
                for job in check.needs
            ]
            return Report(
                [
                    rows(context, reports)
                    for rows in (coverage.labels, coverage.branches, coverage.fields)
                ]
            )
        assert check.job is not None, "checks of every other kind have a job"
        return self.carried_out(check.job)

    def carried_out(self, job: Job) -> Report:
        context = replace(self.context(job.mechanism), layers=frozenset(job.layers))
        report = self.reports[job] = job.run(context)
        return report

    def judge(self, check: Check, report: Report) -> Finding:
        if not report.rows:
            return Finding("passed", check.title)
        # A graph that was not compared is an error beside the verdict that TLC gave: the finding
        # counts, wherever it stands.
        bad = [self.of_row(check, row) for row in report.rows if not row.ok]
        order = ("rejected", "unloadable", "error", "inconclusive")
        return min(
            bad,
            key=lambda finding: order.index(finding.word),
            default=Finding("passed", check.title),
        )

    def of_row(self, check: Check, row: Row) -> Finding:
        why = self.plain(row.why)
        if row.verdict is Verdict.INCONCLUSIVE:
            config = self.context(check.mechanism).mechanism.configs.get(row.name)
            # A mutant's specification has to have as many as its model.
            count = config.distinct if config else cast(int, row.figures.get("states", 0))
            match = re.search(r"after (\d+) distinct states", why)
            if match and count and int(match[1]) > limit_of(count):
                return Finding(
                    "rejected",
                    row.title(),
                    "StateCount",
                    f"TLC has found {int(match[1]):,} states of {count:,} and goes on",
                )
            return Finding("inconclusive", row.title(), "", why)
        if row.verdict in (Verdict.ERROR, Verdict.REFUSED):
            failures = [result for result in KeptRuns.results if result.outcome is Outcome.ERROR]
            if any(map(unevaluated, failures)) or failures and EVALUATED.search(why):
                return Finding("rejected", row.title(), "evaluation error", why)
            if any(result.exit_code in REFUSED for result in failures):
                return Finding("unloadable", row.title(), "SANY", why)
            if row.layer == "proof" and row.figures.get("lacks"):
                return Finding("rejected", row.title(), "evidence", why)
            if row.layer == "proof" and "error" in str(row.figures.get("second")):
                return Finding(
                    "unloadable", row.title(), "SMT-LIB", why
                )  # the second solver cannot read what the changed proof makes
            return Finding("error", row.title(), "", why)
        if row.verdict is Verdict.VACUOUS:
            return Finding("rejected", row.title(), "vacuous", why)
        return Finding("rejected", row.title(), row.property or "figures", why)

    def of_error(self, check: Check, error: Exception) -> Finding:
        """The project's exception, or the tool's."""
        if (fault := guest.fault_of(error)) is not None:
            return Finding(
                "rejected",
                check.title,
                type(error).__name__,
                self.plain(f"the implementation raises at {fault.where}: {error}"),
            )
        place = traceback.extract_tb(error.__traceback__)[-1]
        return Finding(
            "error",
            check.title,
            type(error).__name__,
            self.plain(f"{error} (at {place.name}, line {place.lineno} of {place.filename})"),
        )

    def plain(self, text: str) -> str:
        return plain(text, self.root)


class _Limit:
    """Limit the block's CPU time; beyond it, sample the stack, then call `Judge.expired`."""

    def __init__(self, judge: Judge, check: Check, seconds: float) -> None:
        self.judge, self.check, self.seconds = judge, check, seconds
        self.frames: list[tuple[int, str]] = []

    def __enter__(self) -> None:
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, self.seconds, EVERY)

    def __exit__(self, *exception: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _look(self, number: int, frame: FrameType | None) -> None:
        outermost, where = 0, ""
        root = str(self.judge.root)
        while frame is not None:
            if frame.f_code.co_filename.startswith(root):
                outermost, where = (
                    id(frame),
                    f"{frame.f_code.co_name} at "
                    f"{frame.f_code.co_filename[len(root) + 1 :]}:{frame.f_lineno}",
                )
            frame = frame.f_back
        self.frames.append((outermost, where))
        if len(self.frames) >= SAMPLES:
            self.judge.expired(self.check, self.seconds, self.frames)


def _folder(check: Check) -> tuple[str, ...]:
    """The key of checks that may run in one process; no two others have an equal one."""
    if check.kind == "tests":
        return str(check.stage), str(check.nightly), str(Path(check.tests).parent)
    return (check.title,)


def _seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
