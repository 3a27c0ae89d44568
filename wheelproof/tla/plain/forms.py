"""The form of a formula: the variables that it gives a value, and whether TLC takes it apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Let,
    Level,
    Operator,
    children,
    variables_of,
)

if TYPE_CHECKING:
    from wheelproof.tla.plain.moves import Inlined


class Forms:
    """The forms of formulas in Init or in a step, each computed once."""

    def __init__(self, inlining: Inlined, in_init: bool) -> None:
        self.inlined, self.in_init = inlining, in_init
        self._gives: dict[Expression, frozenset[str]] = {}
        self._branches: dict[Expression, bool] = {}
        self._open: set[Definition] = set()

    def gives(self, node: Expression) -> frozenset[str]:
        """The variables whose value, or next value, is in a formula."""
        if node not in self._gives:
            self._gives[node] = variables_of(node) if self.in_init else primed(node)
        return self._gives[node]

    def branches(self, node: Expression) -> bool:
        """Whether TLC may find a formula true in several ways."""
        if node not in self._branches:
            branching = self._branching(node)
            if self._open and not branching:
                return False  # a definition that calls itself is not decided yet
            self._branches[node] = branching
        return self._branches[node]

    def unfolds(self, function: Expression) -> bool:
        """Whether a function's results are formulas that TLC takes apart."""
        match function:
            case Call(Definition(standard=False) as definition) if not definition.recursive:
                return self.unfolds(definition.body)
            case Builtin("$FcnConstructor" | "$RecursiveFcnSpec" | "$NonRecursiveFcnSpec", (body,)):
                return body.level > Level.CONSTANT and self.branches(body)
        return False

    def _branching(self, node: Expression) -> bool:
        match node:
            case Builtin("$DisjList" | "\\lor" | "$BoundedExists"):
                return True
            case Builtin("$ConjList" | "\\land" | "$BoundedForall"):
                return any(map(self.branches, node.arguments))
            case Builtin("$IfThenElse" | "=>", (_, *parts)):
                return any(map(self.branches, parts))
            case Let():
                return self.branches(node.body)
            case Builtin("$FcnApply", (function, *_)) if self.unfolds(function):
                self.inlined.uncounted.add(node.place)
            case Builtin("$Case"):
                pairs = [pair for pair in node.arguments if isinstance(pair, Builtin)]
                return any(self.branches(pair.arguments[1]) for pair in pairs)
            case Call(definition) if definition.recursive:
                if definition in self._open:
                    return False
                self._open.add(definition)
                branching = self.branches(definition.body)
                self._open.remove(definition)
                return branching
            case Call(definition):
                return not definition.standard and self.branches(self.inlined.body(node)[0])
        return False


def primed(node: Expression) -> frozenset[str]:
    """The variables whose next value is in a formula, through the definitions that it uses."""
    names: frozenset[str] = frozenset()
    visits: set[int] = set()
    waiting = [node]
    while waiting:
        here = waiting.pop()
        match here:
            case Builtin("'" | "UNCHANGED"):
                names |= variables_of(here)
            case Builtin("$SquareAct" | "$AngleAct", (_, same)):
                names |= variables_of(same)
            case Call(definition) | Operator(definition):
                if not definition.standard and id(definition) not in visits:
                    visits.add(id(definition))
                    waiting.append(definition.body)
        waiting += children(here)
    return names
