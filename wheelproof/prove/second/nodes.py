"""Formulas of Z3 as plain nodes, each there once: their meaning, without any text of Z3's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import z3

from wheelproof.prove.solvers import SolverError

BOOL, INT = "Bool", "Int"
FORALL, EXISTS = "forall", "exists"

_OPERATORS = {
    z3.Z3_OP_TRUE: "true",
    z3.Z3_OP_FALSE: "false",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_IMPLIES: "=>",
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_IFF: "=",
    z3.Z3_OP_ITE: "ite",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_UMINUS: "-",
    z3.Z3_OP_MUL: "*",
    z3.Z3_OP_IDIV: "div",
    z3.Z3_OP_MOD: "mod",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_GE: ">=",
}

_ARRAYS = {
    z3.Z3_OP_SELECT: "select",
    z3.Z3_OP_STORE: "store",
    z3.Z3_OP_CONST_ARRAY: "everywhere",
}

RESERVED = frozenset(
    {*_OPERATORS.values(), *_ARRAYS.values(), FORALL, EXISTS, "distinct", "let", "abs", "xor"}
    | {"select", "store", "const", "lambda", "choice", "as", "par", "is", "div", "mod", "!", "_"}
)
"""Names that SMT-LIB, or a part of this text, takes for itself."""


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """A term. ``kind``: "" for an operator of SMT-LIB or a quantifier, "number", "variable",
    "symbol", "value" (of an enumeration), "select", "store" or "everywhere".

    ``bound``: the variables of a quantifier; ``free``: those that occur free.
    """

    kind: str
    head: str
    arguments: tuple[Node, ...]
    sort: str
    bound: tuple[Node, ...] = ()
    free: frozenset[Node] = frozenset()


@dataclass
class Nodes:
    """The nodes of one text, and the sorts and symbols that they need.

    ``values``: enumeration -> all its values. ``arrays``: sort -> those of index and element.
    ``symbols``: name -> sorts of its arguments, and its own.
    """

    sorts: dict[str, None] = field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    arrays: dict[str, tuple[str, str]] = field(default_factory=dict)
    symbols: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    _nodes: dict[object, Node] = field(default_factory=dict)
    _names: dict[object, str] = field(default_factory=dict)
    _translations: dict[object, tuple[z3.ExprRef, Node]] = field(default_factory=dict)

    def node(
        self,
        kind: str,
        head: str,
        arguments: Iterable[Node],
        sort: str,
        bound: tuple[Node, ...] = (),
    ) -> Node:
        operands = tuple(arguments)
        key = (kind, head, operands, sort, bound)
        node = self._nodes.get(key)
        if node is None:
            free = frozenset[Node]().union(*(operand.free for operand in operands)) - set(bound)
            node = self._nodes[key] = Node(kind, head, operands, sort, bound, free)
            if kind == "variable":
                object.__setattr__(node, "free", frozenset({node}))
        return node

    def logical(self, head: str, *arguments: Node) -> Node:
        """A formula; ``(and a)`` and ``(or a)`` are a."""
        if head in ("and", "or") and len(arguments) == 1:
            return arguments[0]
        return self.node("", head, arguments, BOOL)

    def equal(self, first: Node, second: Node) -> Node:
        return self.logical("=", first, second)

    def select(self, array: Node, index: Node) -> Node:
        sorts = self.arrays[array.sort]
        return self.applied("select", f"select.{array.sort}", (array, index), sorts[1])

    def applied(self, kind: str, head: str, arguments: tuple[Node, ...], sort: str) -> Node:
        """A declared symbol, applied."""
        self.symbols.setdefault(head, (tuple(argument.sort for argument in arguments), sort))
        return self.node(kind, head, arguments, sort)

    # -- from Z3

    def sort(self, sort: z3.SortRef) -> str:
        """A sort's name. SolverError: it is of no kind that is known here."""
        match sort.kind():
            case z3.Z3_BOOL_SORT:
                return BOOL
            case z3.Z3_INT_SORT:
                return INT
            case z3.Z3_ARRAY_SORT:
                index, element = self.sort(sort.domain()), self.sort(sort.range())
                name = f"{f'<{index}>' if '->' in index else index}->{element}"
                self.arrays[name] = index, element
            case z3.Z3_DATATYPE_SORT:
                name = sort.name()
                constructors = [
                    sort.constructor(number) for number in range(sort.num_constructors())
                ]
                if any(constructor.arity() for constructor in constructors):
                    raise SolverError(f"{name} is no enumeration: its values have parts")
                self.values[name] = tuple(constructor.name() for constructor in constructors)
            case z3.Z3_UNINTERPRETED_SORT:
                name = sort.name()
            case _:
                raise SolverError(f"the sort {sort} has no second text")
        self.sorts.setdefault(name)
        return name

    def of(self, term: z3.ExprRef, bound: tuple[Node, ...] = ()) -> Node:
        """A term of Z3. ``bound``: the variables around it, the innermost last."""
        key = (term.get_id(), bound)
        if key not in self._translations:
            # The term is kept, so that its number stays its own.
            self._translations[key] = (term, self._translation(term, bound))
        return self._translations[key][1]

    def _translation(self, term: z3.ExprRef, bound: tuple[Node, ...]) -> Node:
        if z3.is_var(term):
            return bound[-1 - int(z3.get_var_index(term))]
        if z3.is_quantifier(term):
            return self._quantifier(term, bound)
        kind, operands = term.decl().kind(), [self.of(child, bound) for child in term.children()]
        if kind == z3.Z3_OP_ANUM:
            return self.node("number", str(term.as_long()), (), INT)
        if kind == z3.Z3_OP_DISTINCT:
            pairs = [(a, b) for place, a in enumerate(operands) for b in operands[place + 1 :]]
            return self.logical("and", *(self.logical("not", self.equal(*pair)) for pair in pairs))
        if kind in _OPERATORS:
            sort = self.sort(term.sort())
            if kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
                return self.logical(_OPERATORS[kind], *operands)
            return self.node("", _OPERATORS[kind], operands, sort)
        if kind in _ARRAYS:
            name = _ARRAYS[kind]
            sort = self.sort(term.sort())
            array = sort if name == "everywhere" else operands[0].sort
            return self.applied(name, f"{name}.{array}", tuple(operands), sort)
        if kind == z3.Z3_OP_DT_CONSTRUCTOR:
            sort = self.sort(term.sort())
            return self.applied("value", f"{sort}.{term.decl().name()}", (), sort)
        if kind == z3.Z3_OP_UNINTERPRETED:
            sort = self.sort(term.sort())
            name = self._name(term.decl().name(), tuple(operand.sort for operand in operands), sort)
            return self.applied("symbol", name, tuple(operands), sort)
        raise SolverError(f"{term.decl().name()} has no second text")

    def _quantifier(self, term: z3.QuantifierRef, bound: tuple[Node, ...]) -> Node:
        if term.is_lambda():
            raise SolverError("a lambda has no second text")
        variables = tuple(
            self.node(
                "variable",
                f"{term.var_name(number)}.{len(bound) + number}",
                (),
                self.sort(term.var_sort(number)),
            )
            for number in range(term.num_vars())
        )
        if any(variable.sort in self.values for variable in variables):
            raise SolverError("a quantifier over an enumeration has no second text")
        body = self.of(term.body(), (*bound, *variables))
        return self.node("", FORALL if term.is_forall() else EXISTS, (body,), BOOL, variables)

    def _name(self, name: str, arguments: tuple[str, ...], sort: str) -> str:
        """The symbol's name in this text. One that is taken, or has a dot, gets a sign more.

        Names with a dot inside are those of values, variables, and functions on arrays.
        """
        key = (name, arguments, sort)
        if key not in self._names:
            symbol, symbols = (
                f"~{name}" if "." in name else name,
                {*self._names.values(), *RESERVED},
            )
            while symbol in symbols:
                symbol += "~"
            self._names[key] = symbol
        return self._names[key]


def within(
    roots: Iterable[Node], enters: Callable[[Node], bool] = lambda node: True
) -> Iterator[Node]:
    """Every node below the roots, each once, an argument before its uses.

    ``enters``: whether the arguments of a node count.
    """
    nodes: set[Node] = set()
    for root in roots:
        waiting = [(root, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready:
                yield node
            elif node not in nodes:
                nodes.add(node)
                waiting.append((node, True))
                if enters(node):
                    waiting += [(argument, False) for argument in reversed(node.arguments)]
