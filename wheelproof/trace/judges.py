"""Who gives the verdict on a trace.

The reference is the **model**: each event must be a step that the mechanism's own model can take.
It judges recordings of labelled operations, and traces of events whose header has a program. The
**rules** of a project check the same on events alone, from any recorder and in any number;
``spark`` and ``memory`` ask a table of rules in bulk. Where two of them differ the model is right,
and a rule is to be corrected: ``tests/wheelproof/trace`` holds them to each other.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wheelproof.project.mechanism import Mechanism
    from wheelproof.trace.judging.verdict import Verdict


class Engine(StrEnum):
    """What checks traces: the model's own steps, rules event by event, or rules in bulk."""

    MODEL = "model"
    RULES = "rules"
    SPARK = "spark"
    MEMORY = "memory"


class Judges:
    """The judges of one project's traces. ``engine``: None for the model where the trace is a
    recording of labelled operations, and for the rules elsewhere."""

    def __init__(self, root: Path, engine: Engine | None = None) -> None:
        self.root, self.engine = root, engine

    @cached_property
    def mechanisms(self) -> Mapping[str, Mechanism]:
        """The mechanisms of the project."""
        from wheelproof import project

        return project.find(self.root)

    def verdict(self, path: Path) -> Verdict:
        """The verdict on the trace in a file. Raises UsageError where it is no trace, or one that
        the engine does not know."""
        from wheelproof.trace.steps import format

        if format.is_recording(path):
            if self.engine is Engine.RULES:
                raise UsageError(
                    f"{path}: rules are about events, and this is a recording of labels.",
                    "Leave --engine away, or write --engine model.",
                )
            from wheelproof.trace.steps.follow import follow

            return follow(self.mechanisms, format.read(path))
        if self.engine is Engine.MODEL:
            from wheelproof.trace.model import report

            return report.follow(path, self.mechanisms, properties=True)[0]
        from wheelproof.trace.judging.replay import replay

        return replay(path)
