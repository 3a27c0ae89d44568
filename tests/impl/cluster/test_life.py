"""A cluster's life drawn by Hypothesis, and planted faults, each found by what it breaks."""

from __future__ import annotations

import pytest

from tests.impl.cluster.life import Life, UncleanLife


@pytest.mark.fuzz
class TestLife(Life.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


@pytest.mark.fuzz
class TestUncleanLife(UncleanLife.TestCase):
    """The same with unclean elections."""
