"""``wheelproof explore``: a pytest test, a function or a harness of Java, in every order."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wheelproof.commands import INTERRUPTED
from wheelproof.errors import NothingChecked, ToolError, UsageError

if TYPE_CHECKING:
    import pytest

    from wheelproof.commands.explored import Report
    from wheelproof.plain.under_pytest import Command, Outcome

WORST = (1, 2, 4, 5, 3, 0)
"""Exit codes of several tests: the first that one of them has."""


def explore(
    test: Annotated[
        str,
        typer.Argument(metavar="FILE::TEST", help="A test of pytest, or FILE::FUNCTION."),
    ] = "",
    harness: Annotated[
        Path | None,
        typer.Option("--harness", metavar="FILE.java", help="Explore this class of Java instead."),
    ] = None,
    jars: Annotated[
        list[Path] | None,
        typer.Option("--jar", metavar="FILE", help="A jar, or a folder, of the harness's classes."),
    ] = None,
    into: Annotated[
        list[str] | None,
        typer.Option("--into", metavar="MODULE", help="Look into this module or package, too."),
    ] = None,
    bound: Annotated[
        int | None,
        typer.Option("--bound", metavar="N", min=0, help="Only orders with N preemptions."),
    ] = None,
    executions: Annotated[
        int | None, typer.Option("--executions", metavar="N", min=1, help="The most executions.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Of the random executions.")
    ] = None,
    races: Annotated[
        bool, typer.Option("--races", help="Show both accesses of each race, with their locks.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write a test that runs a failing order."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Write results and review.html there."),
    ] = None,
    schedule: Annotated[
        Path | None, typer.Option("--schedule", hidden=True, help="Run this order instead.")
    ] = None,
) -> None:
    """Call a test of plain threads, in Python or in Java, in every order that matters."""
    from wheelproof.plain import saved
    from wheelproof.plain.settings import Settings, settings

    if harness is not None:
        from wheelproof.commands import exploring_java

        exploring_java.check_options({"FILE::TEST": test, "--into": into, "--races": races})
        if schedule is not None:
            raise typer.Exit(exploring_java.run_again(harness, jars or [], schedule))
        java = settings((), bound, executions or Settings().executions, seed or 0)
        raise typer.Exit(exploring_java.run(harness, jars or [], java, output, save))
    if jars:
        raise UsageError("--jar is for a harness of Java.", "Give it with --harness FILE.java.")
    file, _, name = test.partition("::")
    if not name:
        raise UsageError(f"{test!r} names no test.", "Give it as FILE::TEST, or give --harness.")
    if not Path(file).is_file():
        raise UsageError(f"There is no file {file}.")
    choices = {"into": into, "bound": bound, "executions": executions, "seed": seed}
    options: dict[str, object] = {key: value for key, value in choices.items() if value is not None}
    settings(into or (), bound, executions or 1, seed or 0)
    if save is not None:
        saved.check_writable(save)
    from wheelproof.commands import explored

    with explored.report(output, test) as report:
        raise typer.Exit(run(test, options, into or [], save, schedule, races, report))


def run(
    test: str,
    options: dict[str, object],
    into: list[str],
    save: Path | None,
    schedule: Path | None,
    races: bool = False,
    report: Report | None = None,
) -> int:
    """Explore the tests of a node id, and print their answers; the exit code."""
    from wheelproof.plain import saved
    from wheelproof.plain.answers import Answer, Exploration
    from wheelproof.plain.progress import Progress
    from wheelproof.plain.under_pytest import Command

    # pytest takes the descriptor of the standard error while a test runs.
    with os.fdopen(os.dup(2), "w") as stream:

        def write(text: str) -> None:
            stream.write(text)
            stream.flush()

        steps = None if schedule is None else saved.read(schedule)
        command = Command(options, lambda: Progress(write, stream.isatty()), steps, races)
        session = _Session(command)
        status, output = _pytest(test, session)
    codes = [_print(name, outcome) for name, outcome in command.outcomes]
    bugs = [
        (name, outcome)
        for name, outcome in command.outcomes
        if isinstance(outcome, Exploration) and outcome.answer is Answer.BUG
    ]
    if save is not None and bugs:
        name, outcome = bugs[0]
        case = name.rpartition("::")[2].partition("[")
        saved.save(save, test.partition("[")[0] + case[1] + case[2], outcome, into)
        print(f"written: {save}")
    elif save is not None:
        print(f"wheelproof: there is no failure to save in {save}", file=sys.stderr)
    signalled = next((code for code in codes if code > 128), 0)
    if report is not None:
        complete = bool(codes) and not signalled
        print(f"written: {report.write(command.outcomes, into, complete)}")
    if signalled or (status == 2 and not codes):
        return signalled or INTERRUPTED
    if session.refusals and not codes:
        raise session.refusals[0]
    if session.errors:
        print(*session.errors, sep="\n", file=sys.stderr)
        raise UsageError(f"pytest cannot set up or tear down {test}.")
    if not codes and status == 4:
        reports = [line for line in output.splitlines() if line.startswith("ERROR")]
        raise UsageError(f"pytest cannot collect {test}.", " ".join(reports))
    if status == 3:
        raise ToolError(f"pytest failed on {test}.", output.strip())
    if not codes:
        if not session.skipped:
            print(output.strip(), file=sys.stderr)
        raise NothingChecked(f"No test of {test} was explored.", "\n".join(session.skipped))
    return next(code for code in WORST if code in codes)


def _print(name: str, outcome: Outcome) -> int:
    """Print the outcome of a test; its exit code."""
    from wheelproof.plain import columns, saved
    from wheelproof.plain.answers import EXIT_CODES

    print(name)
    if isinstance(outcome, KeyboardInterrupt):
        print(outcome)
        return outcome.code
    if isinstance(outcome, UsageError):
        print(outcome)
        return outcome.exit_code
    if isinstance(outcome, saved.Again):
        print(outcome.note)
        if outcome.exploration is not None:
            print(columns.text(outcome.exploration))
        return outcome.exit_code
    print(columns.text(outcome))
    return EXIT_CODES[outcome.answer]


class _Session:
    """A plugin of pytest: every test is explored, in this process, and none is timed."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.errors: list[str] = []
        self.refusals: list[UsageError] = []
        self.skipped: list[str] = []

    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        plugins = early_config.pluginmanager
        if not plugins.has_plugin("wheelproof"):  # as the entry point names it
            plugins.import_plugin("wheelproof.pytest_plugin")

    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        from wheelproof.plain.under_pytest import COMMAND

        config.stash[COMMAND] = self.command
        config.option.wheelproof_explores_all = True
        for option, value in (("numprocesses", 0), ("dist", "no"), ("tx", []), ("timeout", 0)):
            if hasattr(config.option, option):
                setattr(config.option, option, value)

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        if call.excinfo is not None and isinstance(call.excinfo.value, UsageError):
            self.refusals.append(call.excinfo.value)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(str(report.longrepr))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when != "call":
            self.errors.append(f"{report.nodeid}, {report.when}:\n{report.longreprtext}")
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skipped.append(f"{report.nodeid}: {report.longrepr[2]}.")


def _pytest(test: str, session: _Session) -> tuple[int, str]:
    """Run pytest without its output; its exit code, and that output."""
    import pytest

    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    function = test.rpartition("::")[2].partition("[")[0]
    arguments = [test, "-o", f"python_functions={function}", "-p", "no:cacheprovider"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stream:  # pytest wants a descriptor
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            status = pytest.main(arguments, [session])
        stream.seek(0)
        return int(status), stream.read()
