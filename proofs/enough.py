"""Which instances were enough once: numbers that spare a proof its search.

`tools/instances.py` writes them. A proof tries them first, and searches again where they are not
enough. So they cannot make a false condition pass: both solvers refute it from the instances alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from proofs.ts import Condition, System
from proofs.ts_instances import needed

FILE = Path(__file__).parent / "generated" / "instances.json"
"""System -> condition -> the numbers of instances, as `ts_ground.Instance` has them."""

Numbers = Sequence[Sequence[int]]

_heard: list[Callable[[str, str, Numbers, Numbers], None]] = []


@contextmanager
def heard(listener: Callable[[str, str, Numbers, Numbers], None]) -> Iterator[None]:
    """Within, the listener gets system, condition, the known numbers and those now enough."""
    _heard.append(listener)
    try:
        yield
    finally:
        _heard.remove(listener)


@cache
def known() -> dict[str, dict[str, list[list[int]]]]:
    """The content of the file; nothing where there is none."""
    if not FILE.is_file():
        return {}
    read: dict[str, dict[str, list[list[int]]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def instantiated(system: System, condition: Condition) -> Condition:
    """The condition with the instances that it needs: see `ts_instances.needed`."""
    name = type(system).__name__
    tried = known().get(name, {}).get(condition.name, [])
    made, used = needed(system, condition, tried)
    for listener in _heard:
        listener(name, condition.name, tried, used)
    return made
