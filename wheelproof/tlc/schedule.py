"""The schedule of an error trace: which process takes which label, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from wheelproof.errors import ToolError
from wheelproof.tlc.result import TlcResult, TraceState


def schedule_of(result: TlcResult, pc: str) -> list[tuple[str, str]]:
    """TLC's trace as (process, label), by the changes of the program counters.

    A step from a label to itself is found by the name of its action. Stuttering and Terminating are
    left out. Raises ToolError where the trace does not say which process has moved.
    """
    return [(name, label) for name, label, _ in steps_of(result, pc)]


def steps_of(result: TlcResult, pc: str) -> list[tuple[str, str, TraceState]]:
    """The same, each step with the state after it."""
    out: list[tuple[str, str, TraceState]] = []
    for before, after in pairwise(result.trace):
        old, new = before.variables[pc], after.variables[pc]
        movers = [name for name in old if old[name] != new[name]]
        if after.process is not None:
            movers = [after.process]
        elif not movers and after.action in old.values():
            movers = [_looping_process(before, after, pc)]
        out.extend((name, old[name], after) for name in movers)
    return out


def _looping_process(before: TraceState, after: TraceState, pc: str) -> str:
    """The process that took a step from a label to itself: the only one there that can have."""
    at = before.variables[pc]
    there = [name for name in at if at[name] == after.action]
    if len(there) > 1:
        local_names = [
            variable
            for variable, value in before.variables.items()
            if isinstance(value, Mapping) and value.keys() == at.keys()
        ]
        there = [
            name
            for name in there
            if any(
                before.variables[local][name] != after.variables[local][name]
                for local in local_names
            )
        ]
    if len(there) != 1:
        raise ToolError(
            f"TLC's trace does not say which process takes {after.action} before state "
            f"{after.number}. Let the step change a variable of its process."
        )
    return str(there[0])
