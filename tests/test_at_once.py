"""A failure is named before the run is over, also by xdist."""

import pytest

pytest_plugins = "pytester"

TESTS = """
def test_wrong():
    assert 1 == 2, "one is not two"

def test_right():
    pass
"""
HOOK = """
def pytest_configure(config):
    from tests import at_once
    at_once.watch(config)
"""
NAMED = "FAILED test_one.py::test_wrong (call): AssertionError: one is not two"


@pytest.mark.parametrize("hook", [HOOK, ""], ids=["with", "without"])
@pytest.mark.parametrize("processes", [("-p", "no:xdist"), ("-n", "1")], ids=["one", "xdist"])
def test_a_failure_is_named_before_the_summary(pytester, hook, processes):
    """The control: without the hook no line before the summary names it."""
    pytester.makeconftest(hook)
    pytester.makepyfile(test_one=TESTS)
    result = pytester.runpytest("-q", "-p", "no:cacheprovider", *processes)
    result.assert_outcomes(passed=1, failed=1)
    end = next(at for at, line in enumerate(result.outlines) if "FAILURES" in line)
    named = [line for line in result.outlines[:end] if line.startswith("FAILED")]
    assert named == ([NAMED] if hook else [])
