"""The plugin of pytest that records the order of locks, and reports it at the end of a run."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest

from wheelproof.plain.lock_order import findings, wrappers
from wheelproof.plain.lock_order.text import report

NAME = "wheelproof-locks"
SENT = "wheelproof_locks"
"""The key under which a process of pytest-xdist sends its findings."""


class LockOrder:
    """Records from its creation on, until pytest ends. ``strict``: opposite orders fail, too."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.analysis = findings.Analysis()
        self.findings: findings.Findings | None = None
        self.sent: list[dict[str, Any]] = []
        self.silent: list[str] = []
        self._installed = ExitStack()
        self._installed.enter_context(wrappers.installed(self.analysis.recorder))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.analysis.recorder.test = item.nodeid
        try:
            return (yield)
        finally:
            self.analysis.recorder.ends_test()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """A process of pytest-xdist has ended."""
        document = getattr(node, "workeroutput", {}).get(SENT)
        if document is None:
            self.silent.append(node.gateway.id)
        else:
            self.sent.append(document)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        if self.sent or self.silent:
            result = findings.Findings()
            for document in self.sent:
                result.merge(findings.read(document))
        else:
            result = self.analysis.end()
        output = getattr(config, "workeroutput", None)
        if output is not None:
            output[SENT] = result.document()
            return
        result.compare_tests()
        self.findings = result
        if not self._passes(result) and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _passes(self, result: findings.Findings) -> bool:
        faults = result.cycles if self.strict else result.inversions
        return not faults and result.complete and not self.silent

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.findings is None:
            return
        passes = self._passes(self.findings)
        terminalreporter.section("order of locks", sep="=", red=not passes)
        width = max(40, terminalreporter._tw.fullwidth)
        every = terminalreporter.config.get_verbosity() > 0
        for line in report(self.findings, width, every):
            terminalreporter.write_line(line)
        for process in self.silent:
            terminalreporter.write_line(f"incomplete: {process} ended without a report", red=True)

    def pytest_unconfigure(self) -> None:
        self._installed.close()
