"""The option that replays one scenario, and the share of drawn scenarios that were too large."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--scenario",
        type=Path,
        metavar="FILE",
        default=None,
        help="compare model and implementation in the scenario of this file; draw none",
    )


def scenario_of(config) -> Path | None:
    """The file given by the option.

    pytest knows the option only where the command line names a file or folder in tests/impl.
    """
    return config.getoption("scenario", default=None)


def pytest_collection_modifyitems(config, items):
    if scenario_of(config) is not None:
        wanted = [
            item for item in items if item.name == "test_model_and_implementation_are_one_machine"
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted


@pytest.fixture
def drawn(record_property) -> Iterator[list[bool]]:
    """Per drawn scenario: whether it was small enough to be compared. Reported at the end."""
    seen: list[bool] = []
    yield seen
    if seen:
        large = seen.count(False)
        record_property(
            "report",
            f"drawn scenarios: {len(seen) - large} compared, "
            f"{large} ({large / len(seen):.0%}) rejected as too large",
        )
