"""The names that an expression takes from outside, and how a reader writes operators."""

from __future__ import annotations

from collections.abc import Container

from wheelproof.tla.syntax import (
    At,
    Builtin,
    Call,
    Expression,
    Let,
    Operator,
    Parameter,
    children,
)


def free(node: Expression, local: Container[int]) -> set[object]:
    """The parameters, definitions of a LET and ``@`` that stand outside of an expression.

    ``local``: the identities of the LET definitions that are in scope.
    """

    def free_in(*nodes: Expression) -> set[object]:
        return set().union(*(free(node, local) for node in nodes))

    match node:
        case Parameter():
            return {node.formal} | free_in(*node.arguments)
        case At():
            return {"@"}
        case Builtin():
            inside = free_in(*node.arguments)
            for bound in node.bounds:
                inside -= set(bound.formals)
            return inside | free_in(*(b.domain for b in node.bounds if b.domain is not None))
        case Let():
            inside = free_in(node.body)
            for definition in node.definitions:
                inside |= free_in(definition.body) - set(definition.formals)
            return inside - set(node.definitions)
        case Call():
            names: set[object] = {node.definition} if id(node.definition) in local else set()
            return names | free_in(*node.arguments)
        case Operator():
            if id(node.definition) in local:
                return {node.definition}
            if node.definition.name == "LAMBDA":
                return free_in(node.definition.body) - set(node.definition.formals)
    return set()


def has_at(node: Expression) -> bool:
    """Whether ``@`` is in an expression."""
    return isinstance(node, At) or any(map(has_at, children(node)))


SHOWN = {
    "$BoundedChoose": "CHOOSE",
    "$BoundedExists": "\\E",
    "$BoundedForall": "\\A",
    "$CartesianProd": "\\X",
    "$Case": "CASE",
    "$ConjList": "/\\",
    "$DisjList": "\\/",
    "$Except": "EXCEPT",
    "$FcnApply": "f[x]",
    "$FcnConstructor": "[x \\in S |-> e]",
    "$IfThenElse": "IF",
    "$RcdConstructor": "[field |-> e]",
    "$RcdSelect": "r.field",
    "$SetEnumerate": "{e, ...}",
    "$SetOfAll": "{e : x \\in S}",
    "$SubsetOf": "{x \\in S : P}",
    "$Tuple": "<<e, ...>>",
    "$UnboundedChoose": "CHOOSE without a set",
    "$UnboundedExists": "\\E without a set",
    "$UnboundedForall": "\\A without a set",
    "$TemporalExists": "\\EE",
    "$TemporalForall": "\\AA",
    "$SquareAct": "[A]_v",
    "$AngleAct": "<<A>>_v",
    "$WF": "WF_",
    "$SF": "SF_",
    "$SetOfFcns": "a set of functions that is enumerated",
    "$SetOfRcds": "a set of records that is enumerated",
    "SUBSET": "SUBSET of a set, enumerated,",
    "<>": "<>",
    "[]": "[]",
}
"""How a reader writes the operators that have SANY's own names, or that are no expression."""
