"""The implementation's side: controlled runs of the real source, compared with the model.

* :class:`ControlledImplementation` loads an implementation a second time, under control;
  :meth:`ControlledImplementation.begin` starts a :class:`Run`.
* :func:`bisimulate` compares all that a scenario can reach with the model's graph; its
  :class:`PairGraph` answers at which depth a property first fails in the implementation.
* :func:`replay` and :func:`random_schedules` run single schedules, with a :class:`RaceDetector` if
  one is given.
* :func:`check_style` checks the sources for the style that this needs.

The files, from the bottom up:

* words and sources: `findings` (errors), `labels` (names of steps), `difference` (comparisons with
  a model), `lint`, `suspension`, `hidden` and `dropped` (style rules);
* running: `threads`, `controlled` (the scheduler), `fields` (marked fields), `bound` and `registry`
  (a class of a primitive for each scheduler), `locks`, `virtual_time`, `conditions`, `alternatives`
  (choices) and `primitives` (the controlled runtime), `own` (primitives of a project), `atomic`
  (operations that are one step), `store_buffer` (weak memory), `watchdog`, `race`;
* loading: `loading`, `production` and `branches` (changed sources), `definitions`, `created`;
* states: `run` (one run), `kinds` (the types that are compared), `canonical` with `callables`,
  `exceptions` and `generators` (values), `slots`, `fingerprint`, `stack` (values that Python does
  not show), `finalizers`;
* searching: `search` (all states), `pairs` and `bisimulation` (with a model), `second_way` and
  `unread` (checks of the search itself), `composed_search` and `composition` (two mechanisms),
  `states` (without a model), `schedules` and `runner` (single schedules).
"""

from wheelproof.explore.bisimulation import Bisimulation, bisimulate
from wheelproof.explore.difference import Difference, Rows, Step
from wheelproof.explore.findings import (
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
from wheelproof.explore.lint import check, check_style
from wheelproof.explore.pairs import PairGraph, Violation
from wheelproof.explore.race import Access, Race, RaceDetector
from wheelproof.explore.run import ControlledImplementation, Run
from wheelproof.explore.schedules import RandomSchedules, Replay, Taken, random_schedules, replay

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
