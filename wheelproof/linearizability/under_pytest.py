"""Declared classes and factories as tests of pytest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wheelproof.errors import UsageError
from wheelproof.linearizability.campaign import checked
from wheelproof.linearizability.options import Declaration
from wheelproof.plain.calling import passes
from wheelproof.plain.progress import Progress
from wheelproof.plain.searching import Interrupted
from wheelproof.plain.under_pytest import COMMAND, Failed, written


def check(item: pytest.Function, declaration: Declaration) -> None:
    """Check a declaration. Raises the failure that pytest is to report."""
    command = item.config.stash.get(COMMAND, None)
    try:
        if command is None:
            reporter = item.config.pluginmanager.get_plugin("terminalreporter")
            over = reporter is not None and bool(reporter.isatty)
            progress = Progress(lambda text: written(item, text), over)
        else:
            progress = command.progress()
            if command.schedule is not None:
                raise UsageError(
                    f"{item.nodeid} draws its programs: a schedule fits one of them alone.",
                    "Run the test that was printed for the program.",
                )
            options = dict(command.options)
            if "into" in options:
                options["into"] = tuple(options["into"])
            given_options = replace(declaration.options, **options)
            declaration = Declaration(declaration.factory, given_options, declaration.explicit)
        exploration = checked(declaration, None, progress)
    except (UsageError, Interrupted) as error:
        if command is not None:
            command.outcomes.append((item.nodeid, error))
        elif isinstance(error, Interrupted):
            written(item, f"\n{error}\n")
        if isinstance(error, Interrupted):
            raise
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    if command is not None:
        command.outcomes.append((item.nodeid, exploration))
    if not passes(exploration):
        raise Failed(exploration)
