"""A harness beside its model: the variables that both have, and their ends after one program."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tests.found import mechanisms

MECHANISMS = mechanisms()


def visible(model: Any, state: Any) -> dict[str, Any]:
    """A model's variables in a state without its history, as the harness shows them."""
    pieces = dict(zip(model.variables, model.pieces(state)))
    return {name: value for name, value in pieces.items() if name not in model.AUXILIARY}


def ends(mechanism: str, of: Mapping[str, Any], decision: str = "") -> tuple[Any, Any]:
    """The ends of thread a alone: of production classes, and of the model without a decision."""
    module, model = (
        import_module(f"harness.{mechanism}"),
        MECHANISMS[mechanism].without(decision).model_of(of),
    )
    harness = module.Harness(of)
    for operation, *arguments in of["threads"]["a"]:
        getattr(harness, operation)(*arguments)
    while model.step(0):
        pass
    assert model.final(model.freeze())
    return module.shared(harness), visible(model, model.freeze())
