"""The form of ``config`` and ``initial`` of a header."""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.trace.format.header import Judge, Wrong, is_number, of_object


@of_object
def _config(config: dict[str, object], newer: bool) -> Wrong:
    bound = config.get("bound")
    if not (is_number(bound) and bound >= 1):
        yield "bound must be an integer from 1 on"


def _initial(initial: object, newer: bool) -> Wrong:
    if initial:
        yield "must be empty: a history begins with the folder of the run"


JUDGES: Mapping[str, Judge] = {"config": _config, "initial": _initial}
"""Field of a header -> the judge of its content."""
