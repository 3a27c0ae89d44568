"""TLC's error trace as a schedule of the model. Its states show the choices of each step."""

from __future__ import annotations

from wheelproof.choices import choice_of, labelled
from wheelproof.graph.compare import NULL, names_of, texts_of
from wheelproof.protocols import Model, State
from wheelproof.tlc.result import TlcResult, TraceState
from wheelproof.tlc.schedule import steps_of
from wheelproof.tlc.values import format_tla, freeze


def schedule(model: Model, result: TlcResult, pc: str) -> list[tuple[int, str]]:
    """TLC's trace as (thread, label), silent steps included; a label with its choice.

    From a step on that the model cannot take, the labels are those of the trace alone.
    """
    state: State | None = model.initial()
    out = []
    for name, label, after in steps_of(result, pc):
        thread = model.threads.index(name)
        candidates = [
            (step, following)
            for mover, step, following in (() if state is None else model.successors(state))
            if mover == thread and step == label
        ]
        if len(candidates) > 1:
            candidates = [candidate for candidate in candidates if _is(model, *candidate, after)]
        state = None
        if candidates:
            step, state = candidates[0]
            label = labelled(label, choice_of(step))
        out.append((thread, label))
    return out


def _is(model: Model, label: str, state: State, trace_state: TraceState) -> bool:
    """Whether a step of the model is the one that leads to a state of the trace.

    A trace that was found on a compiled specification has the choice in the place of the values.
    """
    if choice := choice_of(trace_state.action or ""):
        return choice_of(label) == choice
    return all(
        text == format_tla(freeze(trace_state.variables[name], NULL))
        for name, text in zip(names_of(model), texts_of(model, state, {}), strict=True)
        if name in trace_state.variables
    )
