"""SystemTimer as the mechanism under test."""

from __future__ import annotations

from tests.model.artefacts import Artefacts

ARTEFACTS = Artefacts("system_timer")
NAME, MECHANISM = ARTEFACTS.name, ARTEFACTS.mechanism
