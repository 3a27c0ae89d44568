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
    """A term. ``value``: of a number. ``bound``: the variables of one that binds some.

    ``free``: the variables that occur free. ``serial``: in the order in which terms were made.
    """

    kind: str
    head: str
    arguments: tuple[Term, ...]
    sort: Sort
    serial: int
    value: int = 0
    bound: tuple[Term, ...] = ()
    free: frozenset[Term] = frozenset()

    def __str__(self) -> str:
        if self.kind == NUMBER:
            return str(self.value)
        if self.bound:
            pairs = " ".join(f"({each.head} {each.sort})" for each in self.bound)
            return f"({self.head} ({pairs}) {self.arguments[0]})"
        if not self.arguments:
            return self.head
        return f"({' '.join([self.head, *map(str, self.arguments)])})"


@dataclass
class Terms:
    """The terms of one obligation, over its sorts and functions.

    ``sorts``: declared ones. ``functions``: name -> sorts of the arguments, and of the result.
    """

    sorts: set[str] = field(default_factory=lambda: {INT, BOOL})
    functions: dict[str, tuple[tuple[Sort, ...], Sort]] = field(default_factory=dict)
    _made: dict[object, Term] = field(default_factory=dict)

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
        made = self._made.get(key)
        if made is None:
            made = self._term(key, VARIABLE, name, (), sort)
            object.__setattr__(made, "free", frozenset({made}))
        return made

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
        given = tuple(arguments)
        if head in ("and", "or") and len(given) == 1 and given[0].sort == BOOL:
            return given[0]
        key = (APPLIED, head, *given)
        if (known := self._made.get(key)) is not None:
            return known
        return self._term(key, APPLIED, head, given, self._sort(head, given))

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
        known = self._made.get(key)
        if known is None:
            free = frozenset[Term]().union(*(each.free for each in arguments)) - set(bound)
            known = Term(kind, head, arguments, sort, len(self._made), value, bound, free)
            self._made[key] = known
        return known

    def _sort(self, head: str, given: tuple[Term, ...]) -> Sort:
        sorts = [each.sort for each in given]
        if head in self.functions:
            wanted, result = self.functions[head]
            need(tuple(sorts) == wanted, f"{head} is applied to {_listed(sorts)}")
            return result
        if head in ("true", "false"):
            need(not given, f"{head} has no arguments")
            return BOOL
        for table, sort in ((_NUMERIC, INT), (_LOGICAL, BOOL)):
            if head in table:
                least, most = table[head]
                fits = least <= len(given) and (not most or len(given) <= most)
                need(fits and set(sorts) == {sort}, f"{head} is applied to {_listed(sorts)}")
                return sort
        if head in _COMPARING:
            need(sorts == [INT, INT], f"{head} is applied to {_listed(sorts)}")
            return BOOL
        if head in ("=", "distinct"):
            fits = len(given) > 1 and len(set(sorts)) == 1
            need(fits, f"{head} is applied to {_listed(sorts)}")
            return BOOL
        if head == "ite":
            fits = len(given) == 3 and sorts[0] == BOOL and sorts[1] == sorts[2]
            need(fits, f"ite is applied to {_listed(sorts)}")
            return sorts[1]
        if head in ("select", "store") and sorts and isinstance(sorts[0], tuple):
            _, index, element = sorts[0]
            wanted = (index,) if head == "select" else (index, element)
            need(tuple(sorts[1:]) == wanted, f"{head} is applied to {_listed(sorts)}")
            return element if head == "select" else sorts[0]
        raise Wrong(f"{head} is unknown")

    def substitute(self, term: Term, by: Mapping[Term, Term]) -> Term:
        """The term with these variables replaced where they are free.

        Raises Wrong where a quantifier would catch a variable of what replaces them.
        """
        memo: dict[Term, Term] = {}

        def replaced(each: Term) -> Term:
            if not any(variable in by for variable in each.free):
                return each
            if each in memo:
                return memo[each]
            if each.kind == VARIABLE:
                return by[each]
            if each.kind == BOUND:
                inner = {name: to for name, to in by.items() if name in each.free}
                caught = frozenset[Term]().union(*(to.free for to in inner.values()))
                need(not caught & set(each.bound), f"{each.head} would catch a variable")
                body = self.substitute(each.arguments[0], inner)
                made = self.binds(each.head, each.bound, body)
            else:
                made = self.apply(each.head, map(replaced, each.arguments))
            memo[each] = made
            return made

        for variable, to in by.items():
            need(variable.sort == to.sort, f"{variable} is replaced by a term of another sort")
        return replaced(term)


def _listed(sorts: Sequence[Sort]) -> str:
    return ", ".join(map(str, sorts)) or "nothing"


def is_(term: Term, head: str, many: int = 0) -> bool:
    """Whether an operator is applied at the top, to so many arguments, to any number for 0."""
    return term.kind == APPLIED and term.head == head and (not many or len(term.arguments) == many)


def equation(term: Term) -> tuple[Term, Term]:
    """The sides of ``(= a b)``; Wrong where it is none."""
    need(is_(term, "=", 2), "it is no equation of two sides")
    return term.arguments[0], term.arguments[1]


def denied(term: Term) -> Term:
    """``a`` of ``(not a)``; Wrong where it is none."""
    need(is_(term, "not"), "it is no negation")
    return term.arguments[0]
