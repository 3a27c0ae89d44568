"""Style rules of functions in which a thread can be suspended.

A suspended frame's evaluation stack cannot be read. So no state may live there while a thread is
suspended: the iterator of a ``for``, of a comprehension or of a built-in that calls back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from wheelproof.python.findings import Faults
from wheelproof.python.labels import Labels
from wheelproof.python.parsed import KEPT

_ITERATING = frozenset(
    {
        "map",
        "filter",
        "sorted",
        "min",
        "max",
        "sum",
        "any",
        "all",
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "reduce",
        "next",
        "iter",
        "zip",
        "sort",
        "join",
        "update",
        "extend",
    }
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function of a file, nested ones and methods included."""
    return (
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function, and the parts of nested ones that run at their definition.

    These are the defaults and decorators of a function, and the bases and decorators of a class.
    """
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            todo += [] if isinstance(node, ast.Lambda) else node.decorator_list
        elif isinstance(node, ast.ClassDef):
            todo += [*node.bases, *(word.value for word in node.keywords), *node.decorator_list]
        else:
            todo += list(ast.iter_child_nodes(node))


def own_lines(function: Function) -> set[int]:
    """The lines of a function that belong to no function nested in it."""
    lines = set(lines_of(function))
    for node in ast.walk(function):
        if node is not function and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines -= set(lines_of(node))
    return lines


def lines_of(node: ast.stmt) -> range:
    """The lines of a statement of a parsed file."""
    assert node.end_lineno is not None
    return range(node.lineno, node.end_lineno + 1)


def called_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Call):
        return (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else getattr(node.func, "id", None)
        )
    return None


def _variables(function: Function) -> set[str]:
    arguments = function.args
    parameters = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        *filter(None, (arguments.vararg, arguments.kwarg)),
    ]
    targets = {
        n.id
        for n in own_nodes(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return {a.arg for a in parameters} | targets


def suspendable_names(
    trees: Mapping[str, ast.Module], marks: Mapping[str, Labels]
) -> frozenset[str]:
    """Names of functions, and of classes with such an ``__init__``, in which a thread can stop.

    Over-approximated by name: a labelled function, one that calls a variable of its own (a
    callback), and one that calls a name that is in the set.
    """
    calls: dict[str, set[str]] = {}
    names: set[str] = set()
    for file, tree in trees.items():
        for name, callees, stops in _calls_of(tree, frozenset(marks[file])):
            calls.setdefault(name, set()).update(callees)
            if stops:
                names.add(name)
    while True:
        more = {name for name, callees in calls.items() if name not in names and callees & names}
        if not more:
            return frozenset(names)
        names |= more


@lru_cache(KEPT)
def _calls_of(
    tree: ast.Module, label_lines: frozenset[int]
) -> tuple[tuple[str, frozenset[str], bool], ...]:
    """Of each function its name, the names that it calls, and whether a thread can stop in it.

    ``label_lines``: lines with a label. Calls of functions that can stop are not followed.
    """
    constructors: dict[Function, str] = {
        m: c.name
        for c in ast.walk(tree)
        if isinstance(c, ast.ClassDef)
        for m in c.body
        if isinstance(m, ast.FunctionDef) and m.name == "__init__"
    }
    calls = []
    for function in functions(tree):
        nodes = list(own_nodes(function))
        variables = _variables(function)
        stops = bool(own_lines(function) & label_lines) or any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in variables
            for n in nodes
        )
        callees = frozenset(filter(None, map(called_name, nodes)))
        calls.append((constructors.get(function, function.name), callees, stops))
    return tuple(calls)


def in_function(function: Function, marks: Labels, suspendable: frozenset[str]) -> Faults:
    variables = _variables(function)

    def suspends(node: ast.AST) -> bool:
        for n in ast.walk(node):
            if isinstance(n, (ast.Yield, ast.YieldFrom)):  # a handler waits there
                return True
            if isinstance(n, (ast.stmt, ast.expr)) and n.lineno in marks:
                return True
            if isinstance(n, ast.Call) and (
                called_name(n) in suspendable
                or (isinstance(n.func, ast.Name) and n.func.id in variables)
            ):
                return True
        return False

    for node in own_nodes(function):
        if isinstance(node, (ast.For, ast.AsyncFor)) and any(
            map(suspends, [*node.body, *node.orelse, node.iter])
        ):
            fault = _loop_fault(node)
            if fault:
                yield (
                    node.lineno,
                    "loop-position",
                    f"a thread can be suspended inside this for, {fault}",
                    "write for i in range(..) or for i, x in enumerate(..) and leave i alone in "
                    "the loop, or use while with a local",
                )
        if isinstance(node, COMPREHENSIONS) and suspends(node):
            yield (
                node.lineno,
                "loop-position",
                "a thread can be suspended inside this comprehension, whose position is hidden",
                "write a loop over range(..)",
            )
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) and (
            function.name in suspendable or own_lines(function) & set(marks)
        ):
            yield (
                node.lineno,
                "generator",
                f"{function.name} is a generator or a coroutine in which a thread can be suspended",
                "write a plain function",
            )
        if (
            isinstance(node, ast.Call)
            and called_name(node) in _ITERATING
            and called_name(node) not in suspendable
        ):
            inside = [*node.args, *(k.value for k in node.keywords)]
            callables = [
                n
                for part in inside
                for n in ast.walk(part)
                if (isinstance(n, ast.Name) and n.id in suspendable)
                or (isinstance(n, ast.Attribute) and n.attr in suspendable)
            ]
            if callables and not all(
                isinstance(part, ast.Call) and any(part.func is n for n in callables)
                for part in inside
            ):
                yield (
                    node.lineno,
                    "loop-position",
                    f"{called_name(node)} calls back a function in which a thread can be "
                    "suspended: "
                    "its position is hidden",
                    "write a loop over range(..)",
                )


def _loop_fault(loop: ast.For | ast.AsyncFor) -> str:
    """Why the loop's position is not in a local, or the empty string."""
    name = (
        loop.iter.func.id
        if isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name)
        else None
    )
    target = loop.target
    if (
        name == "enumerate"
        and isinstance(target, ast.Tuple)
        and isinstance(target.elts[0], ast.Name)
    ):
        target = target.elts[0]
    elif name != "range":
        return "and its iterator hides how far it has come"
    if not isinstance(target, ast.Name):
        return "and its index is in no local"
    inside = [n for part in [*loop.body, *loop.orelse] for n in ast.walk(part)]
    if any(
        isinstance(n, ast.Name) and n.id == target.id and not isinstance(n.ctx, ast.Load)
        for n in inside
    ):
        return f"and its index {target.id} is assigned in the loop"
    return ""
