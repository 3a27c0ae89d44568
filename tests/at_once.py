"""A test that fails is named when it fails: a long run is not over for an hour."""

import pytest


class Failures:
    """A plugin that prints one line for each failure, with the first line of its reason."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            terminal = self.config.pluginmanager.getplugin("terminalreporter")
            terminal.write(f"\nFAILED {report.nodeid} ({report.when}): {reason(report)}\n")


def reason(report: pytest.TestReport) -> str:
    """The first line of what was raised. A process that crashed has only a text."""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = (crash.message if crash else str(report.longrepr)).splitlines()
    return lines[0] if lines else ""


def watch(config: pytest.Config) -> None:
    """Report failures at once in the process that prints. Workers of xdist print nothing."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))
