"""The places of a state: each element of each shared variable, as text in TLA+ notation."""

from __future__ import annotations

from wheelproof.graph.compare import NULL
from wheelproof.protocols import Model, State
from wheelproof.tlc.values import format_tla, freeze


def places(model: Model, state: State) -> dict[str, str]:
    """Every place of the shared variables, such as ``next[e1]``, with its value as TLA+ text."""
    out = {}
    for variable, piece in zip(model.variables, model.pieces(state)):
        value = model.tla(variable, piece)
        if isinstance(value, dict):
            for name, part in value.items():
                out[f"{variable}[{name}]"] = format_tla(freeze(part, NULL))
        else:
            out[variable] = format_tla(freeze(value, NULL))
    return out
