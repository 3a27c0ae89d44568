"""Runs a finding's program and its test, on a release as it is or with the fix."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from real.d1.classes import JUNIT, Classes
from real.findings import catalog
from real.findings.catalog import NAMED, TESTS, Finding
from wheelproof import java
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.patch import with_patch
from wheelproof.jvm.setup import MINIMUM

SHOWN = 9
"""Exit code of a program that shows its defect: none that Java itself gives."""
PATIENCE_S = 120

_COUNT = re.compile(r"^\[ +(\d+) tests (started|successful|failed) ", re.MULTILINE)
_FAILURE = re.compile(r"^ +=> (?:[\w$]+\.)*(.+)$", re.MULTILINE)
WIDTH = 100
"""Of a failure's message, in columns."""


@dataclass(frozen=True)
class Outcome:
    """A run: its output, and whether it shows the defect."""

    text: str
    shows: bool


def classes(finding: Finding, release: str, fixed: bool, folder: Path) -> Classes:
    """The class path of a release; with ``fixed`` the classes of fix.diff stand before its jars.

    Raises UsageError for a release that is not pinned, NotHere where Java or a jar is absent,
    ToolError where the diff does not apply. ``folder`` is for scratch.
    """
    if fixed and release != NAMED:
        raise UsageError(f"The fix is a diff against {NAMED}.", "Leave --release out.")
    artifacts = catalog.jars(release)
    try:
        runtime = java.locate("Kafka", MINIMUM, f"Install Java {MINIMUM} or newer.")
    except ToolError as error:
        raise NotHere(error.message, error.remedy) from error
    released = Classes(runtime.executable, tuple(locate(artifacts, fetch=True)))
    if not fixed:
        return released
    (sources,) = locate([catalog.sources(finding, "sources")], fetch=True)
    with with_patch(finding.fix, folder, sources) as source:
        return Classes(released.java, (released.compile([source]), *released.path))


def by_program(finding: Finding, classes: Classes) -> Outcome:
    """The program of a finding on these classes; ToolError where it ends with another code."""
    program = classes.compile([finding.source])
    path = class_path([program, *classes.path])
    done = classes.run("-cp", path, finding.main_class, finding.name, patience_s=PATIENCE_S)
    if done.returncode not in (0, SHOWN):
        last = done.stderr.strip() or done.stdout.strip()
        raise ToolError(f"{finding.source.name} ended with {done.returncode}: {last}")
    return Outcome(done.stdout.rstrip(), done.returncode == SHOWN)


def by_test(finding: Finding, classes: Classes, folder: Path) -> Outcome:
    """The test that test.diff adds, on these classes: the defect shows where all its cases fail.

    ToolError where not just these cases run, or where some fail and others pass.
    """
    junit, sources, *helpers = locate(
        [JUNIT, catalog.sources(finding, "test-sources"), *catalog.jars(TESTS)], fetch=True
    )
    with with_patch(finding.test_diff, folder, sources) as source:
        test = classes.compile([source], *helpers, junit)
    path = class_path([test, *classes.path, *helpers])
    options = ["--disable-banner", "--disable-ansi-colors", "--details=tree"]
    selection = ["-cp", path, "-m", finding.test]
    done = classes.run("-jar", junit, "execute", *options, *selection, patience_s=PATIENCE_S)
    return judged(finding, done.returncode, done.stdout, done.stderr)


def judged(finding: Finding, code: int, output: str, errors: str) -> Outcome:
    """The outcome of a run of JUnit; ToolError where its cases do not all end alike."""
    counts = {state: int(number) for number, state in _COUNT.findall(output)}
    failures = counts.get("failed", 0)
    if counts.get("started") != finding.cases or failures not in (0, finding.cases):
        raise ToolError(f"JUnit failed: {(errors or output).strip()}")
    if (code == 0) is not (failures == 0):
        raise ToolError(f"JUnit ended with {code} and {failures} failures.")
    cases = "1 test" if finding.cases == 1 else f"{finding.cases} tests"
    lines = [f"{finding.method}: {cases} {'failed' if failures else 'passed'}"]
    return Outcome("\n".join(lines + reasons(output)), failures > 0)


def reasons(output: str) -> list[str]:
    """Why tests failed: each message once."""
    messages = (
        textwrap.shorten(text, WIDTH, placeholder=" ...") for text in _FAILURE.findall(output)
    )
    return [f"  {message}" for message in dict.fromkeys(messages)]


def class_path(entries: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, entries))
