"""Which instances were enough once: numbers that spare a proof its search.

`tools/instances.py` writes them. A proof tries them first, and searches where they are not enough.
So they cannot make a false condition pass: both solvers refute it from the instances alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from wheelproof import reading
from wheelproof.prove import FOLDER
from wheelproof.prove.ts import Condition, System
from wheelproof.prove.ts_instances import needed, taken

FILE = "instances.json"
"""In that folder: system -> condition -> numbers of instances, as `ts_ground.Instance` has them."""

Numbers = Sequence[Sequence[int]]

_heard: list[Callable[[str, str, Numbers], None]] = []


@contextmanager
def heard(listener: Callable[[str, str, Numbers], None]) -> Iterator[None]:
    """Within, the listener gets system, condition and the numbers of the instances it is made of.

    The last ones count: those before were not enough.
    """
    _heard.append(listener)
    try:
        yield
    finally:
        _heard.remove(listener)


def known() -> dict[str, dict[str, list[list[int]]]]:
    """The content of the file; nothing where there is none."""
    return _read((FOLDER.get() / FILE).resolve())


@cache
def _read(file: Path) -> dict[str, dict[str, list[list[int]]]]:
    if not file.is_file():
        return {}
    read: dict[str, dict[str, list[list[int]]]] = json.loads(reading.text(file))
    return read


def instantiated(system: System, condition: Condition) -> Condition:
    """The condition with the instances that were enough once, or with those of a search.

    The former may not be enough any more: then `searched` finds others.
    """
    name = type(system).__name__
    tried = known().get(name, {}).get(condition.name)
    made = taken(system, condition, tried) if tried else None
    if tried is None or made is None:
        return searched(system, condition)
    _hear(name, condition.name, tried)
    return made


def searched(system: System, condition: Condition) -> Condition:
    """The condition with the instances that it needs: see `ts_instances.needed`."""
    made, used = needed(system, condition)
    _hear(type(system).__name__, condition.name, used)
    return made


def _hear(system: str, condition: str, numbers: Numbers) -> None:
    for listener in _heard:
        listener(system, condition, numbers)
