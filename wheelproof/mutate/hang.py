"""A pytest plugin: writes failures to a file, and names a test that exceeds its limit.

Each failure is a line of JSON; the run ends at the first.

A test that plants a fault of its own by replacing a text fails where a change has altered that
text. Such a failure says nothing of the changed code: it is written as ``text``, and the
run goes on.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

FILE, SECONDS = "WHEELPROOF_TEST_REPORT", "WHEELPROOF_TEST_SECONDS"
HUNG = 97
"""The exit code of a run that a test did not let end."""

SET_UP = 5
"""How many times as long the fixtures of a test may take, which many tests share."""

STATUS = pytest.StashKey[int]()
TEXT = "text"
TEXTUAL = re.compile(
    r"built-in method count of str|\.count\(|\bis there \d+ times\b|\bis once in\b"
)
"""How a test says that a text which it replaces is not there once."""


def _write(**record: str) -> None:
    with open(os.environ[FILE], "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def patience(seconds: float) -> float:
    """So many seconds of a machine that has a processor for each process."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@contextmanager
def _limit(item: pytest.Item, seconds: float) -> Iterator[None]:
    limit = patience(seconds)

    def expire() -> None:
        _write(test=item.nodeid, when="hung", message=f"did not end within {limit:.0f} s")
        os._exit(HUNG)

    timer = threading.Timer(limit, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with _limit(item, SET_UP * float(os.environ[SECONDS])):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with _limit(item, float(os.environ[SECONDS])):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    with _limit(item, float(os.environ[SECONDS])):
        return (yield)


class Reporter:
    """Writes the failures of one session."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            message = str(crash.message if crash else report.longrepr)
            textual = TEXTUAL.search(message) is not None
            _write(test=report.nodeid, when=TEXT if textual else report.when, message=message[:300])
            if not textual:
                self.session.shouldfail = "a test has failed"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            _write(test=report.nodeid, when="collect", message=str(report.longrepr)[-300:])


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(Reporter(session))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[STATUS] = int(exitstatus)


@pytest.hookimpl(wrapper=True)
def pytest_unconfigure(config: pytest.Config) -> Iterator[None]:
    """End the process: a thread that a changed implementation has left would keep it for ever."""
    yield
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash.get(STATUS, int(pytest.ExitCode.INTERNAL_ERROR)))
