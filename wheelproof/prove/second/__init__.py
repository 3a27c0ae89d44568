"""A second text of a condition, for cvc5: not of Z3's making, and with nothing built in but logic.

Values of enumerations and arrays are of sorts of which nothing is known, and so are the functions
on them. The needed parts of their meaning are added as formulas, each of which holds of it. Hence
an interpretation that makes the condition's formulas true makes the text true: if the text is
refuted, so is the condition. ``back`` reads a text and compares it with the condition.
"""

from __future__ import annotations

from collections.abc import Mapping

import z3

from wheelproof.prove.second import axioms
from wheelproof.prove.second.nodes import BOOL, INT, Nodes
from wheelproof.prove.second.text import name, render
from wheelproof.prove.solvers import trusted


@trusted()
def script(formulas: Mapping[str, z3.BoolRef], whole: bool = False) -> str:
    """The text of formulas by name.

    ``whole``: that a term of an enumeration is one of its values is added too, which few need.
    SolverError: something in them has no such text.
    """
    nodes = Nodes()
    roots = [nodes.of(formula) for formula in formulas.values()]
    facts = [*axioms.Reads(nodes, roots).axioms()]
    if whole:
        facts += axioms.exhausted(nodes, [*roots, *facts])
    facts += axioms.values(nodes)
    sorts = [name(sort) for sort in nodes.sorts if sort not in (BOOL, INT)]
    lines = ["(set-logic ALL)", *(f"(declare-sort {sort} 0)" for sort in sorts)]
    for symbol, (arguments, sort) in nodes.symbols.items():
        lines.append(
            f"(declare-fun {name(symbol)} ({' '.join(map(name, arguments))}) {name(sort)})"
        )
    for says, root in zip(formulas, roots, strict=True):
        lines += [f"; {says}", f"(assert {render(root)})"]
    lines += ["; what holds of values and arrays" for _ in facts[:1]]
    lines += [f"(assert {render(fact)})" for fact in facts]
    return "\n".join([*lines, "(check-sat)", ""])
