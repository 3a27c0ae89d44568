"""The option that replays one scenario, and the share of drawn scenarios that were too large, at the end of a run."""
from __future__ import annotations

from pathlib import Path

import pytest

DRAWN = pytest.StashKey[list]()
"""Per drawn scenario: whether it was small enough to be compared."""


def pytest_addoption(parser):
    parser.addoption("--scenario", type=Path, metavar="FILE", default=None,
                     help="compare the model and the implementation in the scenario of this file, instead of drawing any")


def scenario_of(config) -> Path | None:
    """The file given by the option. It is known only where a file or folder in tests/impl is named on the command line."""
    return config.getoption("scenario", default=None)


def pytest_configure(config):
    config.stash[DRAWN] = []


def pytest_collection_modifyitems(config, items):
    if scenario_of(config) is not None:
        wanted = [item for item in items if item.name == "test_model_and_implementation_are_one_machine"]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted


@pytest.fixture(scope="session")
def drawn(pytestconfig) -> list[bool]:
    return pytestconfig.stash[DRAWN]


def pytest_terminal_summary(terminalreporter, config):
    seen = config.stash.get(DRAWN, [])
    if seen:
        large = seen.count(False)
        terminalreporter.write_line(f"drawn scenarios: {len(seen) - large} compared, {large} ({large / len(seen):.0%}) rejected as too large")
