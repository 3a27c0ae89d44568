"""The text of an exploration: its answer, and a failure as columns of threads."""

from __future__ import annotations

from wheelproof.plain.answers import Exploration


def text(exploration: Exploration) -> str:
    return f"{exploration.answer}: {exploration.reason}"
