"""No test is skipped silently: each reason is printed, with the tool that is missing."""

from pathlib import Path
from types import SimpleNamespace

import pytest

pytest_plugins = "pytester"

TESTS = """
import pytest

@pytest.mark.skipif(True, reason="there is no Chromium on PATH")
@pytest.mark.parametrize("number", range(3))
def test_in_a_browser(number):
    raise AssertionError

def test_with_java():
    pytest.skip("NOT RUN: no Java")

def test_that_runs():
    pass
"""
MODULE = "import pytest\npytest.importorskip('no_such', reason='the extra data is not installed')"
HOOK = """
def pytest_terminal_summary(terminalreporter):
    from tests import skips
    skips.show(terminalreporter)
"""
LINES = [
    "NOT RUN, 1 skipped: no Java",
    "NOT RUN, 1 skipped: the extra data is not installed",
    "NOT RUN, 3 skipped: there is no Chromium on PATH",
]


@pytest.mark.parametrize("hook", [HOOK, ""], ids=["with", "without"])
def test_the_reasons_are_printed(pytester, hook):
    """The control: without the hook a quiet run prints no reason."""
    pytester.makeconftest(hook)
    pytester.makepyfile(test_one=TESTS, test_other=MODULE)
    result = pytester.runpytest_inprocess("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, skipped=5)
    printed = [line for line in result.outlines if line.startswith("NOT RUN")]
    assert printed == (LINES if hook else [])


class Terminal:
    """A terminal with the report of one skipped test, as a process of xdist sends it."""

    def __init__(self):
        skipped = SimpleNamespace(longrepr=["f.py", 1, "Skipped: no tool"], user_properties=[])
        self.stats, self.lines = {"skipped": [skipped]}, []

    def write_line(self, line):
        self.lines.append(line)


def test_this_suite_prints_them(pytestconfig):
    terminal = Terminal()
    (own,) = (
        plugin
        for plugin in pytestconfig.pluginmanager.get_plugins()
        if Path(str(getattr(plugin, "__file__", ""))) == Path(__file__).with_name("conftest.py")
    )
    own.pytest_terminal_summary(terminal)
    assert terminal.lines == ["NOT RUN, 1 skipped: no tool"]
