"""A second text read back: whether it says the same as its formulas, and nothing more.

It is read by the checker of certificates, not by its writer. Each of its assertions must be one of
the formulas, or hold under every meaning of its symbols. The meaning of a symbol is known by its
name: a value of an enumeration, or a read of an array and a write to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import z3

from wheelproof.certificates.expressions import Refused
from wheelproof.certificates.problem import problem
from wheelproof.certificates.terms import BOOL, BOUND, INT, NUMBER, VARIABLE, Term
from wheelproof.prove.solvers import RESOURCES, SolverError, trusted

_OPERATORS = {
    "not": z3.Not,
    "and": lambda *terms: z3.And(*terms),
    "or": lambda *terms: z3.Or(*terms),
    "=>": z3.Implies,
    "=": lambda first, second: first == second,
    "ite": z3.If,
    "+": lambda first, *rest: sum(rest, first),
    "-": lambda first, *rest: first - sum(rest[1:], rest[0]) if rest else -first,
    "*": lambda first, *rest: z3.Product(first, *rest),
    "div": lambda first, second: first / second,
    "mod": lambda first, second: first % second,
    "<": lambda first, second: first < second,
    "<=": lambda first, second: first <= second,
    ">": lambda first, second: first > second,
    ">=": lambda first, second: first >= second,
}
_ARRAYS = {"select": z3.Select, "store": z3.Store}


@dataclass
class Meanings:
    """The meanings of the names of a text: sorts and symbols of the formulas that it is of."""

    sorts: dict[str, z3.SortRef] = field(default_factory=dict)
    symbols: dict[str, list[z3.FuncDeclRef]] = field(default_factory=dict)
    _cache: dict[Term, z3.ExprRef] = field(default_factory=dict)

    def learn(self, formulas: Iterator[z3.ExprRef]) -> None:
        """Take the sorts and symbols of formulas of Z3."""
        waiting, ids = [*formulas], set()
        while waiting:
            term = waiting.pop()
            if term.get_id() in ids:
                continue
            ids.add(term.get_id())
            if z3.is_quantifier(term):
                for number in range(term.num_vars()):
                    self._sort(term.var_sort(number))
                waiting.append(term.body())
                continue
            self._sort(term.sort())
            if z3.is_app(term):
                if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                    declarations = self.symbols.setdefault(term.decl().name(), [])
                    if not any(term.decl().eq(declaration) for declaration in declarations):
                        declarations.append(term.decl())
                waiting += term.children()

    def _sort(self, sort: z3.SortRef) -> str:
        if sort.kind() == z3.Z3_ARRAY_SORT:
            index, element = self._sort(sort.domain()), self._sort(sort.range())
            name = f"{f'<{index}>' if '->' in index else index}->{element}"
        else:
            name = sort.name()
        if sort.kind() == z3.Z3_DATATYPE_SORT:
            for number in range(sort.num_constructors()):
                value = sort.constructor(number)
                self.symbols[f"{name}.{value.name()}"] = [value]
        self.sorts[name] = sort
        return name

    def of(self, term: Term, around: frozenset[str] = frozenset()) -> z3.ExprRef:
        """A term of the text in Z3. SolverError: a name in it stands for nothing."""
        meaning = self._cache.get(term)
        if meaning is None:
            meaning = self._cache[term] = self._meaning(term, around)
        return meaning

    def _meaning(self, term: Term, around: frozenset[str]) -> z3.ExprRef:
        if term.kind == NUMBER:
            return z3.IntVal(term.value)
        if term.kind == VARIABLE:
            return z3.Const(term.head.rpartition(".")[0], self._sort_of(term.sort))
        if term.kind == BOUND:
            names = {variable.head.rpartition(".")[0] for variable in term.bound}
            if names & around or len(names) < len(term.bound):
                raise SolverError(f"{', '.join(sorted(names))}: bound twice")
            body = self.of(term.arguments[0], around | names)
            quantifier = {"forall": z3.ForAll, "exists": z3.Exists}[term.head]
            return quantifier([self.of(variable) for variable in term.bound], body)
        arguments = [self.of(argument, around) for argument in term.arguments]
        head, _, array = term.head.partition(".")
        if term.head in ("true", "false"):
            return z3.BoolVal(term.head == "true")
        if term.head in _OPERATORS:
            return _OPERATORS[term.head](*arguments)
        if array and head in _ARRAYS:
            return _ARRAYS[head](*arguments)
        if array and head == "everywhere":
            return z3.K(self._sort_of(array).domain(), arguments[0])
        signature = [argument.sort() for argument in arguments], self._sort_of(term.sort)
        for declaration in (
            self.symbols.get(term.head) or self.symbols.get(term.head.strip("~")) or []
        ):
            if (
                [declaration.domain(n) for n in range(declaration.arity())],
                declaration.range(),
            ) == signature:
                return declaration(*arguments)
        raise SolverError(f"{term.head} stands for nothing in the condition")

    def _sort_of(self, sort: object) -> z3.SortRef:
        if sort in (INT, BOOL):
            return z3.IntSort() if sort == INT else z3.BoolSort()
        if sort not in self.sorts:
            raise SolverError(f"the sort {sort} is none of the condition")
        return self.sorts[str(sort)]


def differs(text: str, formulas: Mapping[str, z3.BoolRef]) -> str:
    """ "" where the text says the same as the formulas; else the difference."""
    try:
        assertions = problem(text).assertions
    except Refused as refusal:
        return f"the second text cannot be read: {refusal}"
    meanings = Meanings()
    meanings.learn(iter(formulas.values()))
    lacking = {name: z3.simplify(formula) for name, formula in formulas.items()}
    rest: list[tuple[Term, z3.BoolRef]] = []
    try:
        for term in sorted(assertions, key=lambda assertion: assertion.serial):
            meaning = meanings.of(term)
            plain = z3.simplify(meaning)
            same = [name for name, formula in lacking.items() if formula.eq(plain)]
            if same:
                lacking = {name: formula for name, formula in lacking.items() if name not in same}
            else:
                rest.append((term, meaning))
    except SolverError as error:
        return f"the second text says something else: {error}"
    for name in [*lacking]:
        for pair in rest:
            if _valid(pair[1] == formulas[name]):
                rest.remove(pair)
                del lacking[name]
                break
    if lacking:
        return f"the second text lacks {', '.join(lacking)}"
    if rest and not _valid(z3.And(*(meaning for _, meaning in rest))):
        # Z3 may also have given up on all of them at once.
        for term, meaning in rest:
            if not _valid(meaning):
                return f"the second text asserts what need not hold: {term}"
    return ""


@trusted()
def _valid(formula: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(z3.Not(formula))
    return bool(solver.check() == z3.unsat)
