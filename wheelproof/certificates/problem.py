"""Obligations in SMT-LIB, and terms as they are written in them and in certificates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from wheelproof.certificates.expressions import (
    Expression,
    Refused,
    Wrong,
    commands,
    items,
    need,
    text_of,
    token,
)
from wheelproof.certificates.terms import BINDERS, BOOL, Sort, Term, Terms

_NUMBER = re.compile(r"-?\d+")
_SKIPPED = ("set-logic", "set-info", "set-option", "check-sat", "exit")


@dataclass
class Reader:
    """Reads terms."""

    terms: Terms = field(default_factory=Terms)
    names: dict[str, Term] = field(default_factory=dict)
    """Names that a text gave to terms on its way."""

    def name(self, name: str, term: Term) -> None:
        """Give a term a name. Raises Wrong where that is taken by another one."""
        is_declared = name in self.terms.functions or self.names.get(name, term) is not term
        need(not is_declared, f"{name} is the name of another term")
        self.names[name] = term

    def sort(self, expression: Expression) -> Sort:
        """Raises Wrong for an unknown sort."""
        if isinstance(expression, str):
            need(expression in self.terms.sorts, f"the sort {expression} is unknown")
            return expression
        need(
            len(expression) == 3 and expression[0] == "Array",
            f"the sort {text_of(expression)} is unknown",
        )
        return ("Array", self.sort(expression[1]), self.sort(expression[2]))

    def variables(self, expression: Expression) -> list[Term]:
        """Those of ``((x Int) (y Bool))``."""
        pairs = [items(pair) for pair in items(expression)]
        need(all(len(pair) == 2 for pair in pairs), "a variable is written with its sort")
        return [self.terms.variable(token(name), self.sort(sort)) for name, sort in pairs]

    def term(self, expression: Expression, bindings: Mapping[str, Term] | None = None) -> Term:
        """``bindings``: local names. Raises Wrong for a text that is no term of a sort."""
        bindings = {} if bindings is None else bindings
        while isinstance(expression, list) and len(expression) == 3 and expression[0] == "let":
            pairs = [items(pair) for pair in items(expression[1])]
            need(all(len(pair) == 2 for pair in pairs), "let gives each name a term")
            bindings = {**bindings, **{token(name): self.term(to, bindings) for name, to in pairs}}
            expression = expression[2]
        if isinstance(expression, str):
            return self._token(expression, bindings)
        need(expression, "here is no term")
        head = token(expression[0])
        if head == "!":
            if len(expression) != 4 or expression[2] != ":named":
                raise Wrong(f"{text_of(expression)} has no name")
            term = self.term(expression[1], bindings)
            self.name(token(expression[3]), term)
            return term
        if head in BINDERS:
            need(len(expression) == 3, f"{head} has variables and a body")
            bound = self.variables(expression[1])
            inner = {**bindings, **{variable.head: variable for variable in bound}}
            return self.terms.binds(head, bound, self.term(expression[2], inner))
        need(head not in bindings, f"the variable {head} is no function")
        return self.terms.apply(
            head, [self.term(argument, bindings) for argument in expression[1:]]
        )

    def _token(self, text: str, bindings: Mapping[str, Term]) -> Term:
        if text in bindings:
            return bindings[text]
        if text in self.names:
            return self.names[text]
        if _NUMBER.fullmatch(text):
            return self.terms.number(int(text))
        return self.terms.apply(text, ())


@dataclass(frozen=True)
class Problem:
    """An obligation: its assertions cannot hold together."""

    reader: Reader
    """Knows its declarations."""
    assertions: frozenset[Term]


def problem(text: str) -> Problem:
    """Read an obligation. Raises Refused for a text outside of the supported language."""
    reader, assertions, questions = Reader(), set(), 0
    for line, head, rest in commands(text):
        try:
            need(not questions or head == "exit", "something follows the question")
            match head, rest:
                case "declare-sort", [str(name), "0"]:
                    need(name not in reader.terms.sorts, f"the sort {name} is declared already")
                    reader.terms.sorts.add(name)
                case "declare-fun", [str(name), list(arguments), result]:
                    sorts = [reader.sort(sort_) for sort_ in arguments]
                    reader.terms.declare(name, sorts, reader.sort(result))
                case "declare-const", [str(name), result]:
                    reader.terms.declare(name, (), reader.sort(result))
                case "assert", [expression]:
                    term = reader.term(expression)
                    need(term.sort == BOOL and not term.free, "it asserts no closed formula")
                    assertions.add(term)
                case _, _ if head in _SKIPPED:
                    questions += head == "check-sat"
                case _:
                    raise Wrong("the command is unknown")
        except Wrong as wrong:
            raise Refused(line, head, str(wrong)) from None
        except RecursionError:
            raise Refused(line, head, "its terms are too deep") from None
    if questions != 1:
        raise Refused(1, "", "the obligation does not ask whether it can be satisfied, once")
    return Problem(reader, frozenset(assertions))
