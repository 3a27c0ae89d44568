"""The judge of each kind of trace.

A **recording of labelled operations** is judged by the model of its mechanism. Traces of **events**
are judged by the project's table of rules, in this process, and where a header names a program by
the model too: it conforms if both say so. ``--engine`` names one judge alone; ``spark`` and
``memory`` give the report in bulk of the table.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wheelproof.project.mechanism import Mechanism
    from wheelproof.trace.judging.verdict import Verdict


class Engine(StrEnum):
    """One judge alone, or how the table of rules is evaluated in bulk."""

    MODEL = "model"
    SPARK = "spark"
    MEMORY = "memory"


class Judges:
    """The judges of one project's traces. ``engine``: one of them alone."""

    def __init__(self, root: Path, engine: Engine | None = None) -> None:
        self.root, self.engine = root, engine

    @cached_property
    def mechanisms(self) -> Mapping[str, Mechanism]:
        """The mechanisms of the project."""
        from wheelproof import project

        return project.find(self.root) if any((self.root / "spec").glob("*.toml")) else {}

    def alone(self, path: Path) -> Verdict | None:
        """The verdict of one judge on the trace in a file; None where it is the table's.

        Raises TraceError where it is no trace.
        """
        from wheelproof.trace.steps import format

        if format.is_recording(path):
            from wheelproof.trace.steps.follow import follow

            return follow(self.mechanisms, format.read(path))
        if self.engine is Engine.MODEL:
            from wheelproof.trace.model import report

            return report.follow(path, self.mechanisms, properties=True)[0]
        return None

    def followed(self, path: Path) -> Verdict | str:
        """The model's verdict on a trace of events that names a program; a text where no model of
        the project can follow it."""
        from wheelproof.trace.model import report
        from wheelproof.trace.model.replay import ModelReplay

        verdict, run = report.follow(path, self.mechanisms)
        if isinstance(run, ModelReplay) and run.steps is None:
            return verdict.first.message if verdict.first else "it cannot be followed"
        return verdict
