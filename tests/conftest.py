"""Hypothesis profiles, the order and the processes of tests, and their closing reports.

`fast` is the profile of every run of the suite, `long` that of a campaign (`make fuzz`), and `soak`
that of each round of a soak (`make fuzz MINUTES=...`). The last two keep their examples.
"""

import gc
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests import at_once, compiling, nights, rewriting, skips

settings.register_profile(
    "fast", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
KEPT = DirectoryBasedExampleDatabase(Path(__file__).parents[1] / "build" / "fuzz" / "examples")
for name, examples in {"long": 5000, "soak": 500}.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        database=KEPT,
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
# Texts are compared at the width of a log, whatever the terminal is or readline has set.
os.environ.pop("COLUMNS", None)


def heed_interrupts() -> None:
    """A shell without job control lets its background jobs ignore Ctrl-C, and so do all processes
    that they start: a test that interrupts one would wait for its end."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


heed_interrupts()

SHARING = (
    "tests/wheelproof/pipeline/",
    "tests/wheelproof/checks/",
    "tests/proofs/",
    "tests/docs/",
    "tests/wheelproof/trace/",
    "tests/claims/test_jdk",
)
"""How the names of files begin that share what is costly: one Spark session, the kept runs of TLC,
all theories, recorded runs, what the JDK's own classes do."""

LONG_BY_NIGHT = "tests/proofs/"
"""Where by night the tests take longer than what they share: each folder is by itself then."""

APART = ("tests/wheelproof/plain/test_oracle.py",)
"""Long files whose tests share nothing: each may go to another process."""

LONGEST = (
    "tests/wheelproof/pipeline/",
    "tests/wheelproof/checks/",
    "tests/proofs/",
    "tests/wheelproof/trace/",
    "tests/docs/",
    "tests/wheelproof/test_pytest_plugin.py",
    "tests/wheelproof/commands/test_watching_processes.py",
    "tests/wheelproof/tlc/test_server.py",
    "tests/impl/test_drawn_scenarios.py",
    "tests/impl/test_purgatory_drawn_runs.py",
    "tests/wheelproof/mutate/test_gate_limits.py",
    "tests/faults/test_interrupts.py",
    "tests/wheelproof/mutate/test_gate.py",
    "tests/examples/test_latch.py",
    "tests/examples/test_one_shot.py",
    "tests/faults/test_engine.py",
    "tests/wheelproof/jvm/test_released_jars.py",
    "tests/faults/test_subject.py",
    "tests/examples/test_starter.py",
    "tests/real/test_d1.py",
)
"""Files of few and long tests, which start first.

The others go by their number of tests: a long file with few tests would be the last to start, and
one process would wait for the other.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The night whose share of the nightly tests is run."""
    parser.addoption("--night", metavar="K/N", type=nights.parsed, default=(1, 1))


def pytest_configure(config: pytest.Config) -> None:
    """Name each failure at once."""
    at_once.watch(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is there when all tests are collected stays to the end: no search for garbage goes
    through it. Tests make much and drop little, so that searches are rare."""
    gc.disable()
    try:
        config = session.config
        compiling.compile_all(rewriting.share(config, compiling.files()))
        rewriting.rewrite(config, rewriting.share(config, rewriting.files(config.args)))
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Before tests are chosen by their markers."""
    nights.leave(items)
    items[:], others = nights.deal(items, *config.getoption("--night"))
    if others:
        config.hook.pytest_deselected(items=others)


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """`-n auto` is one process more than there are cores: one often waits for a JVM or a disk.
    `-n logical` is one for each core, for tests that need much memory."""
    cores = yield
    return cores + (config.option.numprocesses == "auto")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    """Tests of one file stay in one process: they share what their module has worked out once."""
    return ByFile(config, log)


class ByFile(LoadScopeScheduling):
    """Files are given out whole, those that share something together."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file in APART:
            return nodeid
        if file.startswith(LONG_BY_NIGHT) and self.config.option.markexpr == "nightly":
            return file.rpartition("/")[0]
        return next((shared for shared in SHARING if file.startswith(shared)), file)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if longest := next((scope for scope in LONGEST if scope in self.workqueue), None):
            self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)


def pytest_terminal_summary(terminalreporter) -> None:
    """Print the property ``report`` of tests, which reaches this process from every worker, and
    what was skipped."""
    skips.show(terminalreporter)
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, text in getattr(report, "user_properties", ()):
                if name == "report":
                    terminalreporter.write_line(text)
