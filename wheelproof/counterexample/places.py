"""The places of a state: each element of each shared variable, as text in TLA+ notation."""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.graph.compare import NULL
from wheelproof.protocols import Model, State, Values
from wheelproof.tlc.values import format_tla, freeze


def plain(text: str) -> str:
    """A value as it is shown: NULL is None, as in the implementation."""
    return text.replace(f'"{NULL}"', "None")


def thread_values(model: Model, state: State, index: int) -> dict[str, str]:
    """The variables that the algorithm declares for a thread, with their values as TLA+ text."""
    pieces = model.pieces(state)[len(model.variables) :]
    out = {}
    for variable, piece in list(zip(model.process_variables, pieces))[1:]:
        of_threads = model.tla(variable, piece)
        assert isinstance(of_threads, Mapping)
        if variable != "stack" and model.threads[index] in of_threads:
            out[variable] = format_tla(freeze(of_threads[model.threads[index]], NULL))
    return out


def places(model: Model, state: State) -> dict[str, str]:
    """Every place of the shared variables, such as ``next[e1]``, with its value as TLA+ text."""
    return place_texts(model, dict(zip(model.variables, model.pieces(state))))


def place_texts(model: Model, pieces: Mapping[str, Values]) -> dict[str, str]:
    """The same of the values of some variables, as a harness's ``shared`` gives them too."""
    out = {}
    for variable, piece in pieces.items():
        value = model.tla(variable, piece)
        if isinstance(value, dict):
            for name, part in value.items():
                out[f"{variable}[{name}]"] = format_tla(freeze(part, NULL))
        else:
            out[variable] = format_tla(freeze(value, NULL))
    return out
