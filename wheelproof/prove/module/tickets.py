"""A condition's tickets as the set of the threads that may take one: `shapes.Tickets`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module.scopes import Names
from wheelproof.prove.module.shapes import ON_TICKETS, Tickets
from wheelproof.prove.module.values import Value
from wheelproof.tla.syntax import Call, Expression

if TYPE_CHECKING:
    from wheelproof.prove.module.terms import Terms


def read(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """How the value of an operator on tickets is made; None where it is none."""
    match node:
        case Call(_, (tickets, argument)) if node.name in ON_TICKETS:
            shape = terms.shape(tickets, names)
            if isinstance(shape, Tickets):
                return lambda: _value(terms, node.name, tickets, argument, shape, names)
    return None


def _value(
    terms: Terms,
    operator: str,
    tickets: Expression,
    argument: Expression,
    shape: Tickets,
    names: Names,
) -> Value:
    if operator == "NotifiedAll":
        return terms.plain(argument, names)
    offers, thread = terms.plain(tickets, names), terms.of(argument, shape.of, names)
    return offers[thread] if operator == "Offered" else z3.Store(offers, thread, False)
