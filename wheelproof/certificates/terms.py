"""Terms with sorts. Each is there once, so that two are the same where they are one object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from wheelproof.certificates.expressions import Wrong, need

Sort: TypeAlias = "str | tuple[str, Sort, Sort]"
"""``"Int"``, ``"Bool"``, a declared sort, or ``("Array", index, element)``."""

INT, BOOL = "Int", "Bool"
NUMBER, VARIABLE, APPLIED, BOUND = "number", "variable", "applied", "bound"
"""The kinds of terms; the last one binds variables."""

BINDERS = ("forall", "exists", "choice")

_NUMERIC = {"+": (2, 0), "*": (2, 0), "-": (1, 0), "abs": (1, 1), "div": (2, 2), "mod": (2, 2)}
_COMPARING = ("<", "<=", ">", ">=")
_LOGICAL = {"not": (1, 1), "and": (1, 0), "or": (1, 0), "=>": (2, 2)}
"""Operators -> the least and the largest number of arguments; 0: any."""

KNOWN = {*_NUMERIC, *_COMPARING, *_LOGICAL, *BINDERS, "=", "distinct", "ite", "select", "store"}
RESERVED = KNOWN | {"true", "false", "let", "!", "_", "as", "par"}


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """A term."""

    kind: str
    head: str
    arguments: tuple[Term, ...]
    sort: Sort
    serial: int
    """Its number in the order in which terms were made."""
    value: int = 0
    """The value of a number."""
    bound: tuple[Term, ...] = ()
    """The variables of a term that binds some."""
    free: frozenset[Term] = frozenset()
    """The variables that occur free."""

    def __str__(self) -> str:
        if self.kind == NUMBER:
            return str(self.value)
        if self.bound:
            pairs = " ".join(f"({variable.head} {variable.sort})" for variable in self.bound)
            return f"({self.head} ({pairs}) {self.arguments[0]})"
        if not self.arguments:
            return self.head
        return f"({' '.join([self.head, *map(str, self.arguments)])})"


@dataclass
class Terms:
    """The terms of one obligation, over its sorts and functions."""

    sorts: set[str] = field(default_factory=lambda: {INT, BOOL})
    """Declared sorts."""
    functions: dict[str, tuple[tuple[Sort, ...], Sort]] = field(default_factory=dict)
    """Name -> sorts of the arguments, and of the result."""
    _table: dict[object, Term] = field(default_factory=dict)

    def declare(self, name: str, arguments: Sequence[Sort], result: Sort) -> None:
        """Raises Wrong for a name that is taken, or reads like a number."""
        need(name not in self.functions and name not in RESERVED, f"{name} is declared already")
        need(not name.lstrip("-").isdecimal(), f"{name} is a number")
        self.functions[name] = tuple(arguments), result

    def number(self, value: int) -> Term:
        return self._term((NUMBER, value), NUMBER, "", (), INT, value=value)

    def variable(self, name: str, sort: Sort) -> Term:
        """A variable of a quantifier or an anchor. Those of one name and sort are the same."""
        key = (VARIABLE, name, sort)
        term = self._table.get(key)
        if term is None:
            term = self._term(key, VARIABLE, name, (), sort)
            object.__setattr__(term, "free", frozenset({term}))
        return term

    def truth(self, value: bool) -> Term:
        return self.apply("true" if value else "false", ())

    def binds(self, head: str, bound: Sequence[Term], body: Term) -> Term:
        """``forall``, ``exists`` or ``choice``. Raises Wrong where it has no sort."""
        need(head in BINDERS and bound, f"{head} binds no variables")
        need(len(set(bound)) == len(bound), f"{head} binds a variable twice")
        need(body.sort == BOOL, f"the body of {head} is of sort {body.sort}")
        need(head != "choice" or len(bound) == 1, "choice has one variable")
        return self._term(
            (BOUND, head, *bound, body),
            BOUND,
            head,
            (body,),
            bound[0].sort if head == "choice" else BOOL,
            bound=tuple(bound),
        )

    def apply(self, head: str, arguments: Iterable[Term]) -> Term:
        """A function or operator, applied; ``(and a)`` and ``(or a)`` are a.

        Raises Wrong where it has no sort.
        """
        operands = tuple(arguments)
        if head in ("and", "or") and len(operands) == 1 and operands[0].sort == BOOL:
            return operands[0]
        key = (APPLIED, head, *operands)
        if (term := self._table.get(key)) is not None:
            return term
        return self._term(key, APPLIED, head, operands, self._sort(head, operands))

    def _term(
        self,
        key: object,
        kind: str,
        head: str,
        arguments: tuple[Term, ...],
        sort: Sort,
        value: int = 0,
        bound: tuple[Term, ...] = (),
    ) -> Term:
        term = self._table.get(key)
        if term is None:
            free = frozenset[Term]().union(*(argument.free for argument in arguments)) - set(bound)
            term = Term(kind, head, arguments, sort, len(self._table), value, bound, free)
            self._table[key] = term
        return term

    def _sort(self, head: str, operands: tuple[Term, ...]) -> Sort:
        sorts = [operand.sort for operand in operands]
        if head in self.functions:
            parameters, result = self.functions[head]
            need(tuple(sorts) == parameters, f"{head} is applied to {_list(sorts)}")
            return result
        if head in ("true", "false"):
            need(not operands, f"{head} has no arguments")
            return BOOL
        for table, sort in ((_NUMERIC, INT), (_LOGICAL, BOOL)):
            if head in table:
                least, greatest = table[head]
                fits = least <= len(operands) and (not greatest or len(operands) <= greatest)
                need(fits and set(sorts) == {sort}, f"{head} is applied to {_list(sorts)}")
                return sort
        if head in _COMPARING:
            need(sorts == [INT, INT], f"{head} is applied to {_list(sorts)}")
            return BOOL
        if head in ("=", "distinct"):
            fits = len(operands) > 1 and len(set(sorts)) == 1
            need(fits, f"{head} is applied to {_list(sorts)}")
            return BOOL
        if head == "ite":
            fits = len(operands) == 3 and sorts[0] == BOOL and sorts[1] == sorts[2]
            need(fits, f"ite is applied to {_list(sorts)}")
            return sorts[1]
        if head in ("select", "store") and sorts and isinstance(sorts[0], tuple):
            _, index, element = sorts[0]
            parameters = (index,) if head == "select" else (index, element)
            need(tuple(sorts[1:]) == parameters, f"{head} is applied to {_list(sorts)}")
            return element if head == "select" else sorts[0]
        raise Wrong(f"{head} is unknown")

    def substitute(self, term: Term, by: Mapping[Term, Term]) -> Term:
        """The term with these variables replaced where they are free.

        Raises Wrong where a quantifier would catch a variable of the terms in their place.
        """
        memo: dict[Term, Term] = {}

        def replace(part: Term) -> Term:
            if not any(variable in by for variable in part.free):
                return part
            if part in memo:
                return memo[part]
            if part.kind == VARIABLE:
                return by[part]
            if part.kind == BOUND:
                inner = {name: to for name, to in by.items() if name in part.free}
                caught = frozenset[Term]().union(*(to.free for to in inner.values()))
                need(not caught & set(part.bound), f"{part.head} would catch a variable")
                body = self.substitute(part.arguments[0], inner)
                term_ = self.binds(part.head, part.bound, body)
            else:
                term_ = self.apply(part.head, map(replace, part.arguments))
            memo[part] = term_
            return term_

        for variable, to in by.items():
            need(variable.sort == to.sort, f"{variable} is replaced by a term of another sort")
        return replace(term)


def _list(sorts: Sequence[Sort]) -> str:
    return ", ".join(map(str, sorts)) or "nothing"


def is_(term: Term, head: str, many: int = 0) -> bool:
    """Whether an operator is applied at the top, to so many arguments, to any number for 0."""
    return term.kind == APPLIED and term.head == head and (not many or len(term.arguments) == many)


def equation(term: Term) -> tuple[Term, Term]:
    """The sides of ``(= a b)``; Wrong where it is none."""
    need(is_(term, "=", 2), "it is no equation of two sides")
    return term.arguments[0], term.arguments[1]


def denial(term: Term) -> Term:
    """``a`` of ``(not a)``; Wrong where it is none."""
    need(is_(term, "not"), "it is no negation")
    return term.arguments[0]
