"""The style rule against the order of a set: no code may depend on it.

Two equal sets can have their elements in different orders: the order depends on earlier elements,
and for texts on the process. A fingerprint compares the elements of a set, so two states that look
alike could go on differently. A set is known by a literal, a call, an operator, an annotation, or a
local, a field or a function that is always one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from wheelproof.python.findings import Faults
from wheelproof.python.parsed import KEPT
from wheelproof.python.style.hidden import set_up_only
from wheelproof.python.style.suspension import COMPREHENSIONS, called_name, lines_of

_TYPES = frozenset({"set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"})
_AROUND = frozenset({"Plain", "Volatile", "Final", "ClassVar", "Optional", "Annotated"})
_MAKING = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_UNORDERED = frozenset({"sorted", "set", "frozenset", "len", "sum", "min", "max", "any", "all"})
"""Functions whose result is the same for each order."""
_HANDING_ON = frozenset({"map", "filter", "list", "tuple"})
_MEMBERS = frozenset(
    {
        "union",
        "intersection",
        "difference",
        "symmetric_difference",
        "issubset",
        "issuperset",
        "isdisjoint",
        "intersection_update",
        "difference_update",
    }
)
"""Methods of sets for which only the elements of an argument count."""
_ORDERED = frozenset(
    {
        "iter",
        "list",
        "tuple",
        "enumerate",
        "zip",
        "map",
        "filter",
        "dict",
        "str",
        "repr",
        "deque",
        "reduce",
        "accumulate",
        "chain",
        "from_iterable",
        "cycle",
        "dropwhile",
        "takewhile",
        "islice",
        "groupby",
        "pairwise",
        "permutations",
        "combinations",
        "product",
        "join",
        "extend",
        "fromkeys",
    }
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OPERATORS = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)


class Named(NamedTuple):
    """Names that mean a set wherever the files have them."""

    fields: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()


class _Declared(NamedTuple):
    annotated: tuple[tuple[str, bool], ...]
    """(field, whether it is a set) of each annotation."""
    assigned: tuple[tuple[str, bool], ...]
    functions: tuple[tuple[str, bool], ...]
    constants: tuple[tuple[str, bool], ...]
    iterates: bool
    """Whether the file has an expression that is a set by itself, or an annotation of one."""


def names_of_sets(trees: Iterable[ast.Module]) -> Named:
    """The fields, functions and constants that are sets in all of these files."""
    declarations = [_declarations(tree) for tree in trees]
    annotations = [item for declaration in declarations for item in declaration.annotated]
    annotated_names = {name for name, _ in annotations}
    assignments = [
        e
        for declaration in declarations
        for e in declaration.assigned
        if e[0] not in annotated_names
    ]
    return Named(
        _always(annotations) | _always(assignments),
        _always(item for declaration in declarations for item in declaration.functions),
        _always(item for declaration in declarations for item in declaration.constants),
    )


def rules(tree: ast.Module, sets: Named) -> Faults:
    """The places of one file where the order of a set decides."""
    if not (any(sets) or _declarations(tree).iterates):
        return
    imports = {
        alias.asname or alias.name: True
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in sets.constants
    }
    before: set[int] | None = None
    for fault in _in_scope(tree, imports, sets):
        if before is None:
            before = {line for function in set_up_only(tree) for line in lines_of(function)}
        if fault[0] not in before:
            yield fault


def _in_scope(scope: ast.AST, outer: Mapping[str, bool], sets: Named) -> Faults:
    """The findings in a module or a function, and in those nested in it."""
    nodes, inner = _nodes_of(scope)
    local_sets = _locals(scope, nodes, outer, sets)
    yield from _places(nodes, local_sets, sets)
    for function in inner:
        yield from _in_scope(function, local_sets, sets)


def _nodes_of(scope: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """The nodes of a scope, and the functions nested in it. Class bodies belong to the scope."""
    nodes: list[ast.AST] = []
    inner: list[ast.AST] = []
    todo = [*ast.iter_child_nodes(scope)]
    while todo:
        node = todo.pop()
        if isinstance(node, _FUNCTIONS):
            inner.append(node)
        else:
            nodes.append(node)
            todo += ast.iter_child_nodes(node)
    return nodes, inner


def _locals(
    scope: ast.AST, nodes: list[ast.AST], outer: Mapping[str, bool], sets: Named
) -> dict[str, bool]:
    """Name -> whether it is a set: each name that the scope binds, and those around it."""
    values: dict[str, list[ast.expr | bool]] = {}
    plain: set[int] = set()
    if isinstance(scope, _FUNCTIONS):
        for argument in ast.walk(scope.args):
            if isinstance(argument, ast.arg):
                values.setdefault(argument.arg, []).append(_annotates(argument.annotation))
    for node in nodes:
        targets: list[ast.expr] = []
        value: ast.expr | bool = False
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.NamedExpr):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.AnnAssign):
            targets, value = [node.target], _annotates(node.annotation)
        elif isinstance(node, ast.AugAssign):
            plain.add(id(node.target))
        for target in targets:
            if isinstance(target, ast.Name):
                plain.add(id(target))
                if not (isinstance(value, ast.Constant) and value.value is None):
                    values.setdefault(target.id, []).append(value)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in plain:
            values.setdefault(node.id, []).append(False)
    local_sets = dict(outer) | dict.fromkeys(values, True)
    again = True
    while again:
        again = False
        for name, bound in values.items():
            if local_sets[name] and not all(
                bound_value
                if isinstance(bound_value, bool)
                else _is_set(bound_value, local_sets, sets)
                for bound_value in bound
            ):
                local_sets[name], again = False, True
    return local_sets


def _places(nodes: list[ast.AST], local_sets: Mapping[str, bool], sets: Named) -> Faults:
    exempt: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and _is_unordered(node, local_sets, sets):
            for argument in node.args:
                exempt.update(map(id, _elements(argument)))
        elif isinstance(node, (ast.Set, ast.SetComp)):
            exempt.update(map(id, _elements(node)))
    for node in nodes:
        for iterable in _iterables(node) if id(node) not in exempt else ():
            if _is_set(iterable, local_sets, sets):
                yield (
                    getattr(node, "lineno", iterable.lineno),
                    "set-order",
                    f"the order of the set {ast.unparse(iterable)} decides here: two equal sets "
                    "can have different orders",
                    "go through sorted(..) of it, or keep a tuple",
                )


def _is_unordered(call: ast.Call, local_sets: Mapping[str, bool], sets: Named) -> bool:
    """Whether only the elements of the call's arguments count."""
    name = called_name(call)
    if isinstance(call.func, ast.Attribute):
        return name in _MEMBERS or (name == "update" and _is_set(call.func.value, local_sets, sets))
    return name in _UNORDERED and not (name in ("min", "max") and call.keywords)


def _elements(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that hand their elements on to it, itself included."""
    yield node
    parts: list[ast.expr] = []
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        parts = [element for element in node.elts if isinstance(element, ast.Starred)]
    elif isinstance(node, ast.Starred):
        parts = [node.value]
    elif isinstance(node, ast.Call) and called_name(node) in _HANDING_ON:
        parts = node.args[-1:]
    for part in parts:
        yield from _elements(part)


def _iterables(node: ast.AST) -> list[ast.expr]:
    """The expressions whose order this node makes visible."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter]
    if isinstance(node, COMPREHENSIONS):
        return [generator.iter for generator in node.generators]
    if isinstance(node, (ast.Starred, ast.YieldFrom, ast.FormattedValue)):
        return [node.value]
    if isinstance(node, ast.Assign):
        unpacks = any(
            isinstance(target, (ast.Tuple, ast.List))
            and (len(target.elts) > 1 or any(isinstance(e, ast.Starred) for e in target.elts))
            for target in node.targets
        )
        return [node.value] if unpacks else []
    if isinstance(node, ast.Call):
        name = called_name(node)
        if name == "pop" and isinstance(node.func, ast.Attribute) and not node.args:
            return [node.func.value]
        if name in _ORDERED or (name in ("min", "max") and node.keywords):
            return node.args
    return []


def _is_set(node: ast.expr, local_sets: Mapping[str, bool], sets: Named) -> bool:
    """Whether an expression is known to be a set."""
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.Name):
        return local_sets.get(node.id, False)
    if isinstance(node, ast.Attribute):
        return node.attr in sets.fields
    if isinstance(node, ast.NamedExpr):
        return _is_set(node.value, local_sets, sets)
    if isinstance(node, ast.IfExp):
        return any(_is_set(operand, local_sets, sets) for operand in (node.body, node.orelse))
    if isinstance(node, ast.BoolOp):
        return any(_is_set(operand, local_sets, sets) for operand in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        return any(
            _is_set(operand, local_sets, sets) or called_name(operand) in ("keys", "items")
            for operand in (node.left, node.right)
        )
    if isinstance(node, ast.Call):
        name = called_name(node)
        if isinstance(node.func, ast.Attribute) and name in _MAKING:
            return _is_set(node.func.value, local_sets, sets)
        is_call = isinstance(node.func, ast.Name) and name in ("set", "frozenset")
        return is_call or name in sets.functions
    return False


def _always(facts: Iterable[tuple[str, bool]]) -> frozenset[str]:
    """The names that are sets in each of the facts about them."""
    table: dict[str, bool] = {}
    for name, is_set in facts:
        table[name] = table.get(name, True) and is_set
    return frozenset(name for name, is_set in table.items() if is_set)


@lru_cache(KEPT)
def _declarations(tree: ast.Module) -> _Declared:
    """The statements of one file about names that may be sets."""
    annotations, assignments, functions = [], [], []
    iterates = False
    empty: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            target = node.target
            name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
            annotations.append((name, _annotates(node.annotation)))
            iterates = iterates or annotations[-1][1]
        elif isinstance(node, ast.Assign):
            value = node.value
            if not (isinstance(value, ast.Constant) and value.value is None):
                is_set = _is_set(value, empty, Named())
                assignments += [
                    (t.attr, is_set) for t in node.targets if isinstance(t, ast.Attribute)
                ]
        elif isinstance(node, _FUNCTIONS):
            functions.append((node.name, _annotates(node.returns)))
        elif isinstance(node, ast.arg):
            iterates = iterates or _annotates(node.annotation)
        elif (
            isinstance(node, (ast.Set, ast.SetComp))
            or (isinstance(node, ast.Name) and node.id in ("set", "frozenset"))
            or called_name(node) in ("keys", "items")
        ):
            iterates = True
    constants = [
        (target.id, _is_set(node.value, empty, Named()))
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return _Declared(
        tuple(annotations), tuple(assignments), tuple(functions), tuple(constants), iterates
    )


def _annotates(annotation: ast.expr | None) -> bool:
    """Whether an annotation says that a value is a set, or a set or None."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return False
    if isinstance(annotation, ast.BinOp):
        sides = [annotation.left, annotation.right]
        sides = [s for s in sides if not (isinstance(s, ast.Constant) and s.value is None)]
        return bool(sides) and all(map(_annotates, sides))
    if isinstance(annotation, ast.Subscript):
        if _head(annotation.value) in _AROUND:
            inner = annotation.slice
            return _annotates(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
        return _head(annotation.value) in _TYPES
    return _head(annotation) in _TYPES


def _head(node: ast.expr | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
