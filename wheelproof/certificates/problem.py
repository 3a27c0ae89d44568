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
    shown,
    token,
)
from wheelproof.certificates.terms import BINDERS, BOOL, Sort, Term, Terms

_NUMBER = re.compile(r"-?\d+")
_SKIPPED = ("set-logic", "set-info", "set-option", "check-sat", "exit")


@dataclass
class Reader:
    """Reads terms. ``names``: those that a text gave to terms on its way."""

    terms: Terms = field(default_factory=Terms)
    names: dict[str, Term] = field(default_factory=dict)

    def name(self, name: str, term: Term) -> None:
        """Give a term a name. Raises Wrong where that is taken by another one."""
        taken = name in self.terms.functions or self.names.get(name, term) is not term
        need(not taken, f"{name} is the name of another term")
        self.names[name] = term

    def sort(self, found: Expression) -> Sort:
        """Raises Wrong for an unknown sort."""
        if isinstance(found, str):
            need(found in self.terms.sorts, f"the sort {found} is unknown")
            return found
        need(len(found) == 3 and found[0] == "Array", f"the sort {shown(found)} is unknown")
        return ("Array", self.sort(found[1]), self.sort(found[2]))

    def variables(self, found: Expression) -> list[Term]:
        """Those of ``((x Int) (y Bool))``."""
        pairs = [items(each) for each in items(found)]
        need(all(len(pair) == 2 for pair in pairs), "a variable is written with its sort")
        return [self.terms.variable(token(name), self.sort(sort)) for name, sort in pairs]

    def term(self, found: Expression, known: Mapping[str, Term] | None = None) -> Term:
        """``known``: local names. Raises Wrong for what is no term of a sort."""
        known = {} if known is None else known
        while isinstance(found, list) and len(found) == 3 and found[0] == "let":
            pairs = [items(each) for each in items(found[1])]
            need(all(len(pair) == 2 for pair in pairs), "let gives each name a term")
            known = {**known, **{token(name): self.term(to, known) for name, to in pairs}}
            found = found[2]
        if isinstance(found, str):
            return self._token(found, known)
        need(found, "here is no term")
        head = token(found[0])
        if head == "!":
            if len(found) != 4 or found[2] != ":named":
                raise Wrong(f"{shown(found)} has no name")
            term = self.term(found[1], known)
            self.name(token(found[3]), term)
            return term
        if head in BINDERS:
            need(len(found) == 3, f"{head} has variables and a body")
            bound = self.variables(found[1])
            inner = {**known, **{each.head: each for each in bound}}
            return self.terms.binds(head, bound, self.term(found[2], inner))
        need(head not in known, f"the variable {head} is no function")
        return self.terms.apply(head, [self.term(each, known) for each in found[1:]])

    def _token(self, found: str, known: Mapping[str, Term]) -> Term:
        if found in known:
            return known[found]
        if found in self.names:
            return self.names[found]
        if _NUMBER.fullmatch(found):
            return self.terms.number(int(found))
        return self.terms.apply(found, ())


@dataclass(frozen=True)
class Problem:
    """An obligation: its assertions cannot hold together. ``reader``: knows what it declares."""

    reader: Reader
    assertions: frozenset[Term]


def problem(text: str) -> Problem:
    """Read an obligation. Raises Refused for what is outside of what is understood."""
    reader, assertions, questions = Reader(), set(), 0
    for line, head, rest in commands(text):
        try:
            need(not questions or head == "exit", "something follows the question")
            match head, rest:
                case "declare-sort", [str(name), "0"]:
                    need(name not in reader.terms.sorts, f"the sort {name} is declared already")
                    reader.terms.sorts.add(name)
                case "declare-fun", [str(name), list(given), result]:
                    sorts = [reader.sort(each) for each in given]
                    reader.terms.declare(name, sorts, reader.sort(result))
                case "declare-const", [str(name), result]:
                    reader.terms.declare(name, (), reader.sort(result))
                case "assert", [found]:
                    term = reader.term(found)
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
