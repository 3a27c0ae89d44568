"""SystemTimer as the mechanism under test."""

from __future__ import annotations

from tests.model.artefacts import Artefacts

ARTEFACTS = Artefacts("system_timer")
STEM, MECHANISM = ARTEFACTS.stem, ARTEFACTS.mechanism
