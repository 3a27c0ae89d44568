"""The implementation's side: controlled runs of the real source, compared with the model.

* :class:`ControlledImplementation` loads an implementation a second time, under control;
  :meth:`ControlledImplementation.begin` starts a :class:`Run`.
* :func:`bisimulate` compares all that a scenario can reach with the model's graph; its
  :class:`PairGraph` answers at which depth a property first fails in the implementation.
* :func:`replay` and :func:`random_schedules` run single schedules, with a :class:`RaceDetector` if
  one is given.
* :func:`check_style` checks the sources for the style that this needs.

The files, from the bottom up: ``findings`` (errors), ``parsed`` (syntax trees), ``labels`` (names
of steps), then the packages ``state``, ``runtime``, ``style`` and ``search``.
"""

from wheelproof.python.findings import (
    Crashed,
    ExploreError,
    LabelError,
    RuleBroken,
    StepError,
    Stuck,
    StyleError,
    StyleFinding,
    Unnamed,
)
from wheelproof.python.runtime.race import Access, Race, RaceDetector
from wheelproof.python.search.bisimulation import Bisimulation, bisimulate
from wheelproof.python.search.difference import Difference, Rows, Step
from wheelproof.python.search.pairs import PairGraph, Violation
from wheelproof.python.search.run import ControlledImplementation, Run
from wheelproof.python.search.schedules import (
    RandomSchedules,
    Replay,
    Taken,
    random_schedules,
    replay,
)
from wheelproof.python.style.lint import check, check_style

__all__ = [
    "Access",
    "Bisimulation",
    "ControlledImplementation",
    "Crashed",
    "Difference",
    "ExploreError",
    "LabelError",
    "PairGraph",
    "Race",
    "RaceDetector",
    "RandomSchedules",
    "Replay",
    "Rows",
    "RuleBroken",
    "Run",
    "Step",
    "StepError",
    "Stuck",
    "StyleError",
    "StyleFinding",
    "Taken",
    "Unnamed",
    "Violation",
    "bisimulate",
    "check",
    "check_style",
    "random_schedules",
    "replay",
]
