"""Commands of the tool, each in a process that is forked from one that has imported the tool.

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
from collections.abc import Mapping, Sequence
from pathlib import Path

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "jinja2",
        "markdown_it",
        "wheelproof.checks.verify",
        "wheelproof.cli",
        "wheelproof.commands.mutant",
        "wheelproof.commands.verification",
        "wheelproof.doctor",
    ]
)
"""Modules of the tool and of its libraries; the subject's are imported by each command."""


def run(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    out: Path,
    err: Path | None = None,
    timeout: float = 600,
) -> int:
    """The exit code of `wheelproof ARGUMENTS`, minus the signal where one ended it.

    ``out``, ``err``: files for what it says; without ``err`` the first has both. Raises
    TimeoutError.
    """
    process = CONTEXT.Process(
        target=_command, args=(list(arguments), folder, dict(environment), out, err)
    )
    process.start()
    process.join(timeout)
    if process.is_alive():
        process.kill()
        process.join()
        raise TimeoutError(f"wheelproof {' '.join(arguments)}: {timeout} s are over")
    return process.exitcode


def _command(
    arguments: list[str], folder: Path, environment: dict[str, str], out: Path, err: Path | None
) -> None:
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
    sys.argv = ["wheelproof", *arguments]
    from wheelproof.cli import main

    try:
        main()
    finally:
        atexit._run_exitfuncs()


def _opened(number: int, file: Path) -> None:
    made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    os.dup2(made, number)
    os.close(made)
