"""Commands of the tool and of pytest, each in a process forked from one that imported the tool.

Such a process has a folder, an environment, files for its output and an exit code of its own, as
one that Python starts, and it begins at once: to start Python and import the tool takes longer than
most of the commands that tests run.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "jinja2",
        "markdown_it",
        "pytest",
        "wheelproof.checks.verify",
        "wheelproof.cli",
        "wheelproof.commands.mutant",
        "wheelproof.commands.verification",
        "wheelproof.doctor",
    ]
)
"""Modules of the tool and of its libraries; the subject's are imported by each command."""


def nothing() -> None:
    """What most commands begin with."""


def run(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    out: Path,
    err: Path | None = None,
    timeout: float = 600,
    before: Callable[[], None] = nothing,
) -> int:
    """The exit code of `wheelproof ARGUMENTS`, minus the signal where one ended it.

    ``out``, ``err``: files for what it says; without ``err`` the first has both. ``before``: is
    called in the process first, as to plant a fault in the tool. Raises TimeoutError.
    """
    given = (list(arguments), folder, dict(environment), out, err, before)
    return _ended(_command, given, timeout)


def run_pytest(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    out: Path,
    timeout: float = 600,
) -> int:
    """The exit code of `python -m pytest ARGUMENTS`; ``out`` gets all that it prints.

    The process has not imported any plugin, nor a module of tests. Raises TimeoutError.
    """
    return _ended(_pytest, (list(arguments), folder, dict(environment), out), timeout)


def _ended(target: Callable[..., None], given: tuple[object, ...], timeout: float) -> int:
    """The exit code of a function that ends the process which is forked for it."""
    process = CONTEXT.Process(target=target, args=given)
    process.start()
    process.join(timeout)
    if process.is_alive():
        process.kill()
        process.join()
        raise TimeoutError(f"{given[0]}: {timeout} s are over")
    assert process.exitcode is not None
    return process.exitcode


def _pytest(arguments: list[str], folder: Path, environment: dict[str, str], out: Path) -> None:
    _prepared(folder, environment, out)
    sys.path.insert(0, str(folder))
    sys.argv = ["pytest", *arguments]
    import pytest

    try:
        raise SystemExit(int(pytest.main(arguments)))
    finally:
        atexit._run_exitfuncs()


def _command(
    arguments: list[str],
    folder: Path,
    environment: dict[str, str],
    out: Path,
    err: Path | None,
    before: Callable[[], None],
) -> None:
    _prepared(folder, environment, out, err)
    sys.argv = ["wheelproof", *arguments]
    from wheelproof.__main__ import main

    before()
    try:
        main()
    finally:
        atexit._run_exitfuncs()


def _prepared(
    folder: Path, environment: Mapping[str, str], out: Path, err: Path | None = None
) -> None:
    """Make the process the command's own: its folder, its environment and its output."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    tempfile.tempdir = None
    _opened(1, out)
    if err is None:
        os.dup2(1, 2)
    else:
        _opened(2, err)
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(encoding=environment.get("PYTHONIOENCODING", "utf-8"))


def _opened(number: int, file: Path) -> None:
    made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    os.dup2(made, number)
    os.close(made)
