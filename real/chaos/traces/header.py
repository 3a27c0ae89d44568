"""What ``config`` and ``initial`` of a header must look like inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wheelproof.trace.format.header import Wrong, is_number, must_be_object


def _config(found: Any, newer: bool) -> Wrong:
    yield from must_be_object(found)
    bound = found.get("bound")
    if not (is_number(bound) and bound >= 1):
        yield "bound must be an integer from 1 on"


def _initial(found: Any, newer: bool) -> Wrong:
    if found:
        yield "must be empty: a history begins with the folder of the run"


JUDGES: Mapping[str, Callable[[Any, bool], Wrong]] = {"config": _config, "initial": _initial}
"""Field of a header -> what is wrong with it."""
