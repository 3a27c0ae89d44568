"""One change on its way through the checks, in a process and a copy of the tree of its own.

A check rejects it by name, or none does.

A verdict of a check that is not in order rejects the change. So does an exception that the
project's own code raises, and a refusal that names what is wrong with the project. An exception of
the tool rejects nothing: it is an error. So is TLC's own failure, unless TLC reports that it could
not evaluate the specification.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import cast

import wheelproof
from wheelproof import guest, kept, project
from wheelproof.checks import coverage
from wheelproof.checks.context import Context, Report
from wheelproof.checks.jobs import Job, dispatch
from wheelproof.counterexample.build import Diverged
from wheelproof.decisions import DoesNotFit
from wheelproof.errors import ToolError, UsageError, WheelproofError
from wheelproof.explore.findings import StyleError
from wheelproof.graph.explorer import BudgetSpent
from wheelproof.mutate import hang
from wheelproof.mutate.finding import Finding, Judged
from wheelproof.mutate.group import Check
from wheelproof.mutate.tlc_runs import KeptRuns, most
from wheelproof.mutate.tree import copied
from wheelproof.tlc.refusals import EVALUATED, REFUSED, unevaluated
from wheelproof.tlc.result import Outcome
from wheelproof.verdict import Row, Verdict

CPU_SECONDS = 150.0
"""What one check may take of this process's CPU time."""

TEST_SECONDS, NIGHTLY_TEST_SECONDS = 60.0, 1200.0
"""Wall time that one unit test may take."""
UNLOADED = re.compile(r"ImportError while loading conftest|Error importing plugin \"wheelproof")
"""How pytest says that no test can begin, since a changed tool cannot be imported."""

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
        self.contexts: dict[str, Context] = {}
        self.reports: dict[Job, Report] = {}
        self.done = Judged(Finding("passed"))

    def run(self, checks: list[Check], whole_of: bool = False) -> Judged:
        """Run checks until one rejects the change; ``whole_of``: run all of them."""
        first: Finding | None = None
        for check in checks:
            before = _spent()
            with self.limited(check, CPU_SECONDS * (1 + len(check.needs))):
                finding = self.one(check)
            self.done.seconds[check.title] = _spent() - before
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

    # -- limits

    def limited(self, check: Check, seconds: float) -> _Limit:
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

    def one(self, check: Check) -> Finding:
        try:
            if check.kind == "tests":
                return self.tests(check)
            return self.judged(check, self.report(check))
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
            return self.raised(check, error)

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
        KeptRuns.seen = []
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
        report = self.reports[job] = dispatch(
            replace(self.context(job.mechanism), layers=frozenset(job.layers)), job
        )
        return report

    def judged(self, check: Check, report: Report) -> Finding:
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
            declared = config.distinct if config else cast(int, row.figures.get("states", 0))
            seen = re.search(r"after (\d+) distinct states", why)
            if seen and declared and int(seen[1]) > most(declared):
                return Finding(
                    "rejected",
                    row.title(),
                    "StateCount",
                    f"TLC has found {int(seen[1]):,} states of {declared:,} and goes on",
                )
            return Finding("inconclusive", row.title(), "", why)
        if row.verdict in (Verdict.ERROR, Verdict.REFUSED):
            failed = [result for result in KeptRuns.seen if result.outcome is Outcome.ERROR]
            if any(map(unevaluated, failed)) or failed and EVALUATED.search(why):
                return Finding("rejected", row.title(), "evaluation error", why)
            if any(result.exit_code in REFUSED for result in failed):
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

    def raised(self, check: Check, error: Exception) -> Finding:
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
        """A text without the copy's path."""
        return re.sub(r"\s+", " ", text.replace(f"{self.root}/", "").replace(str(self.root), "."))[
            :400
        ]

    @cached_property
    def cache(self) -> Path:
        """A copy of the user's cache: a changed tool may write what is wrong into it.

        What is pruned meanwhile is made again.
        """
        own = self.root.with_name("cache")
        with suppress(shutil.Error, FileNotFoundError):
            shutil.copytree(kept.cache(), own)
        return own

    def tests(self, check: Check) -> Finding:
        there = {path.name for path in self.root.iterdir()}
        if missing := frozenset(path.name for path in self.base.iterdir()) - there:
            copied(self.base, self.root, missing)
        # A tree with the tool's own package, which may be changed, is tested with that.
        own = (self.root / "wheelproof").is_dir()
        shim = self.root / ".tool"
        if not own and not shim.is_dir():
            shim.mkdir()
            (shim / "wheelproof").symlink_to(
                Path(wheelproof.__file__).parent, target_is_directory=True
            )
        failures = self.root / "build" / "tests.jsonl"
        failures.parent.mkdir(exist_ok=True)
        failures.unlink(missing_ok=True)
        environment = os.environ | {
            hang.FILE: str(failures),
            hang.SECONDS: f"{NIGHTLY_TEST_SECONDS if check.nightly else TEST_SECONDS:g}",
            "PYTHONPATH": str(self.root if own else shim),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "HYPOTHESIS_PROFILE": "fast",
        }
        if own:
            environment["WHEELPROOF_CACHE"] = str(self.cache)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "wheelproof.mutate.hang",
                "-p",
                "no:cacheprovider",
                "--hypothesis-seed=0",
                *(("-m", "nightly") if check.nightly else ()),
                check.tests,
            ],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        failed = (
            [json.loads(line) for line in failures.read_text(encoding="utf-8").splitlines()]
            if failures.is_file()
            else []
        )
        by_text = [each for each in failed if each["when"] == hang.TEXT]
        failed = [each for each in failed if each["when"] != hang.TEXT]
        if failed:
            return Finding(
                "rejected",
                check.title,
                failed[0]["test"].partition("::")[2] or failed[0]["when"],
                self.plain(f"{failed[0]['when']}: {failed[0]['message']}"),
            )
        if done.returncode in (0, 5) or done.returncode == 1 and by_text:
            return Finding("passed", check.title)
        output = done.stdout + done.stderr
        return Finding(
            "unloadable" if own and UNLOADED.search(output) else "error",
            check.title,
            "pytest",
            self.plain(f"exit code {done.returncode}: {output[-300:]}"),
        )


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


def _spent() -> float:
    """CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
