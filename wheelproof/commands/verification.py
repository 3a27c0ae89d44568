"""A verification as the command line runs it: progress, files, and a report at the end."""

import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace

from wheelproof import doctor, documents
from wheelproof.commands import INTERRUPTED
from wheelproof.commands.options import check_apart
from wheelproof.console import console
from wheelproof.events import Ended, NoPlan, Notice, NotRun, ToolFound, VerifyOptions
from wheelproof.project.mechanism import Mechanism
from wheelproof.report import files, since
from wheelproof.report.progress import Earlier, Progress, progress
from wheelproof.report.terminal import print_report
from wheelproof.verdict import RESULTS_FILE, Results, Row, exit_code

_WRITE_EVERY = 1.0  # seconds
_SHARE = 20
"""The results of thousands of checks take long to write: so many times that passes in between."""


class Verification:
    """One run. Ended checks are on disk within about a second, as a partial run until all ended."""

    def __init__(
        self,
        options: VerifyOptions,
        mechanisms: Mapping[str, Mechanism],
        quiet: bool = False,
        as_json: bool = False,
        aside: bool = False,
        verbose: bool = False,
    ) -> None:
        """``aside``: the report goes to standard error, as standard output has other content."""
        check_apart(options.root, options.output)
        self.options = replace(options, listen=self._hear)
        self.mechanisms = mechanisms
        self.quiet, self.as_json, self.aside, self.verbose = quiet, as_json, aside, verbose
        self.display: Progress = progress(quiet)
        self.due = float("-inf")
        self.rows: list[Row] = []
        # Notices of workers may come from a thread that gathers them.
        self.lock = threading.Lock()
        self.ended = False
        self.planned = True

    def run(self) -> int:
        """Run, report, and return the exit code. An error is raised again once rows are saved."""
        # Loaded before there is a report: a signal meanwhile would leave it without an end.
        from wheelproof.checks import verify

        self.verify = verify.run
        options = self.options
        with files.alone(options.output):
            self.reports = files.folder(options.output, options.limits)
            self.results = Results.begin(doctor.versions(), options.limits, options.profile)
            self.before = files.earlier(options.output)
            self.earlier = Earlier(files.seconds(options.output, options.covers), options.jobs)
            files.begin(self.reports, self.results)
            return self._check()

    def _check(self) -> int:
        try:
            with self.display:
                files.remove_traces(self.options.output, self.options.covers)
                self.display.expect(self.earlier)
                try:
                    rows = self.verify(self.options)
                finally:
                    self._stop_hearing()
            self.results = replace(self.results, rows=tuple(rows), complete=True)
        except KeyboardInterrupt:
            print("wheelproof: interrupted", file=sys.stderr)
            self.results = self._store()
            self._report()
            return INTERRUPTED
        except BaseException:
            self.results = self._store()
            self._report()
            raise
        self._report()
        return exit_code(self.results.rows)

    def _hear(self, notice: Notice) -> None:
        with self.lock:
            if self.ended:
                return
            match notice:
                case Ended(row):
                    self._keep(row)
                case ToolFound(name, version):
                    self.results = replace(
                        self.results, tools={**self.results.tools, name: version}
                    )
                case NoPlan():
                    self.planned = False
                case NotRun(layer, why):
                    self.results = replace(
                        self.results, not_run={**self.results.not_run, layer: why}
                    )
            self.display(notice)

    def _stop_hearing(self) -> None:
        """Close the results: notices of workers that come later are dropped."""
        with self.lock:
            self.ended = True

    def _keep(self, row: Row) -> None:
        self.rows.append(row)
        if time.monotonic() >= self.due:
            start = time.monotonic()
            self._store().write(self.reports / RESULTS_FILE)
            now = time.monotonic()
            self.due = now + max(_WRITE_EVERY, _SHARE * (now - start))

    def _store(self) -> Results:
        """The results so far."""
        return replace(self.results, rows=tuple(self.rows))

    def _report(self) -> None:
        places = files.publish(
            self.options.output,
            self.results,
            self.mechanisms,
            self.options.root,
            self.reports,
        )
        if self.as_json:
            sys.stdout.write(documents.encode(self.results.document()))
            sys.stdout.flush()
        print_report(
            console(sys.stderr if self.as_json or self.aside else sys.stdout),
            self.results,
            self.options.output,
            places,
            self.quiet,
            self.verbose,
            since.since(self.before, self.results, self.options.covers),
            self.planned,
        )
        files.annotate(self.results, self.options.output, self.options.root)
