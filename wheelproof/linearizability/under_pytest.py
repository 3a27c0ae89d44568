"""Declared classes and factories as tests of pytest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wheelproof.errors import UsageError
from wheelproof.linearizability.campaign import checked
from wheelproof.linearizability.options import Declaration
from wheelproof.plain.answers import Exploration
from wheelproof.plain.progress import Progress
from wheelproof.plain.under_pytest import COMMAND, Command, report, written


def check(item: pytest.Function, declaration: Declaration) -> None:
    """Check a declaration. Raises the failure that pytest is to report."""
    command = item.config.stash.get(COMMAND, None)

    def run() -> Exploration:
        if command is not None:
            return checked(_as_commanded(item, declaration, command), None, command.progress())
        reporter = item.config.pluginmanager.get_plugin("terminalreporter")
        over = reporter is not None and bool(reporter.isatty)
        return checked(declaration, None, Progress(lambda text: written(item, text), over))

    report(item, run)


def _as_commanded(item: pytest.Function, declaration: Declaration, command: Command) -> Declaration:
    """The declaration with the options of the command line. Raises UsageError for a schedule."""
    if command.schedule is not None:
        raise UsageError(
            f"{item.nodeid} draws its programs: a schedule fits one of them alone.",
            "Run the test that was printed for the program.",
        )
    options = dict(command.options)
    if "into" in options:
        options["into"] = tuple(options["into"])
    return Declaration(
        declaration.factory, replace(declaration.options, **options), declaration.explicit
    )
