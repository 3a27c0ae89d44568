"""A copy of the example project, and a folder for runs of TLC on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the subject, whose files a test may edit."""
    return Path(
        shutil.copytree(
            ROOT / "examples/one_shot",
            tmp_path / "subject",
            ignore=shutil.ignore_patterns("build", "__pycache__"),
        )
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """TLC's runs on the subject, shared by the tests."""
    return tmp_path_factory.mktemp("runs")
