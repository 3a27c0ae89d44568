"""Runs in which a system took each of its actions once: they spare a proof the search for them.

`tools/instances.py` writes them. Each step of a run is taken again, and if one is not a step of the
system any more, or an action is missing, the proof searches anew. So no run can be wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[1] / "runs.json"
"""System -> its runs, each a list of steps: the action's name, and its arguments as numbers."""

Step = tuple[str, tuple[int, ...]]
Run = Sequence[Step]

_heard: list[Callable[[str, list[Run]], None]] = []


@contextmanager
def heard(listener: Callable[[str, list[Run]], None]) -> Iterator[None]:
    """Within, the listener gets each system's name, and the runs in which it took its actions."""
    _heard.append(listener)
    try:
        yield
    finally:
        _heard.remove(listener)


def hear(system: str, runs: list[Run]) -> None:
    """Hand a system's runs to the listeners."""
    for listener in _heard:
        listener(system, runs)


@cache
def known() -> dict[str, list[Run]]:
    """The content of the file; nothing where there is none."""
    if not FILE.is_file():
        return {}
    return {
        system: [[(action, tuple(arguments)) for action, *arguments in run] for run in runs]
        for system, runs in json.loads(FILE.read_text(encoding="utf-8")).items()
    }
