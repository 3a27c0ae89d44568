"""The test files of a run, rewritten by several processes, each of which takes a share.

Every process of a run collects all tests. On a fresh clone each process would rewrite the
assertions of all files, which takes longer than many of these files run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from _pytest.assertion import rewrite as of_pytest
from _pytest.assertion.rewrite import assertstate_key

PATTERN = "test_*.py"


def files(arguments: Iterable[str]) -> list[Path]:
    """The test files of these arguments of pytest: files, folders, and names of tests in files."""
    found: set[Path] = set()
    for argument in arguments:
        path = Path(argument.partition("::")[0]).resolve()
        found.update(path.rglob(PATTERN) if path.is_dir() else [path] if path.is_file() else [])
    return sorted(found)


def share(config: pytest.Config, of: Sequence[Path]) -> Sequence[Path]:
    """This process's share of files; none where it runs all tests alone."""
    given = getattr(config, "workerinput", None)
    if given is None or sys.dont_write_bytecode:
        return []
    number = int(given["workerid"].removeprefix("gw"))
    return of[number :: given["workercount"]]


def rewrite(config: pytest.Config, chosen: Iterable[Path]) -> list[Path]:
    """Rewrite and compile the files whose compiled form is absent or stale; those files.

    Pytest finds the compiled form when it imports the file.
    """
    state = config.stash[assertstate_key]
    made = []
    for file in chosen:
        compiled = of_pytest.get_cache_dir(file) / (file.name[:-3] + of_pytest.PYC_TAIL)
        if of_pytest._read_pyc(file, compiled, state.trace) is None:
            of_pytest.try_makedirs(compiled.parent)
            source, code = of_pytest._rewrite_test(file, config)
            of_pytest._write_pyc(state, code, source, compiled)
            made.append(file)
    return made
