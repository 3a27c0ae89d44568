"""Style rules against state that is neither in an object's slots nor in a frame's locals.

Such state could live in a module, a class, a function or a cache.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import chain

from wheelproof.python.findings import Faults
from wheelproof.python.labels import Labels
from wheelproof.python.parsed import KEPT
from wheelproof.python.style import reflection, standard
from wheelproof.python.style.definitions import TABLES
from wheelproof.python.style.suspension import (
    COMPREHENSIONS,
    Function,
    called_name,
    functions,
    in_function,
    lines_of,
    own_nodes,
)

_CONSTANT_CALLS = frozenset(
    {
        "frozenset",
        "tuple",
        "TypeVar",
        "NewType",
        "ParamSpec",
        "int",
        "float",
        "str",
        "range",
        "object",
        "getLogger",
    }
)


def set_up_only(tree: ast.Module) -> set[Function]:
    """The functions of a harness that no operation of ``Harness`` reaches: no thread runs them.

    Operations are the methods of a class ``Harness`` whose names do not begin with an underscore.
    Only methods of such a class, and functions of the module, can be for set-up alone; those of all
    other classes belong to the implementation.
    """
    harnesses = [
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Harness"
    ]
    if not harnesses:
        return set()
    methods = [m for harness in harnesses for m in harness.body if isinstance(m, ast.FunctionDef)]
    free = [*methods, *(f for f in tree.body if isinstance(f, ast.FunctionDef))]
    reachable, todo = set(), [m for m in methods if not m.name.startswith("_")]
    while todo:
        function = todo.pop()
        if function in reachable:
            continue
        reachable.add(function)
        names = {
            n.id if isinstance(n, ast.Name) else n.attr
            for n in ast.walk(function)
            if isinstance(n, (ast.Name, ast.Attribute))
        }
        todo += [f for f in free if f.name in names]
    return {inner for f in free if f not in reachable for inner in functions(f)}


def rules(
    tree: ast.Module,
    marks: Labels,
    suspendable: frozenset[str],
    slots: Collection[str],
    exempt: Collection[int],
    file: str,
    project: standard.Project,
) -> Faults:
    """The findings of one file, as (line, rule, message, remedy).

    ``slots``: the names of all slots of the implementation; ``exempt``: lines of
    imports for production only; ``project``: the names that files hand on to each other.
    """
    aside = set_up_only(tree)
    before = {line for function in aside for line in lines_of(function)}
    yield from (
        fault
        for fault in _everywhere(tree, slots, file, project)
        if not (
            (fault[1] == "uncontrolled" and fault[0] in exempt)
            or (fault[1] == "hidden-state" and fault[0] in before)
        )
    )
    yield from _module_state(tree)
    for function in functions(tree):
        if function not in aside:
            yield from in_function(function, marks, suspendable)


def slots_in(trees: Iterable[ast.Module]) -> frozenset[str]:
    """The slots that classes of these files declare, also by type(), and their properties."""
    return frozenset().union(*map(_slots_in, trees))


@lru_cache(KEPT)
def _slots_in(tree: ast.Module) -> frozenset[str]:
    slots: set[str] = set()
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.ClassDef):
            values = [
                s.value
                for s in node.body
                if isinstance(s, ast.Assign)
                and any(getattr(t, "id", "") == "__slots__" for t in s.targets)
            ]
        elif isinstance(node, ast.Dict):
            values = [
                value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == "__slots__"
            ]
        elif isinstance(node, ast.FunctionDef) and any(
            isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list
        ):
            slots.add(node.name)
        constants = (n for v in values for n in ast.walk(v) if isinstance(n, ast.Constant))
        slots.update(n.value for n in constants if isinstance(n.value, str))
    return frozenset(slots)


def _own_attribute(node: ast.Attribute, harnesses: Collection[range]) -> bool:
    """An attribute of Harness itself; a run finds its changes."""
    return (
        isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and any(node.lineno in lines for lines in harnesses)
    )


def _everywhere(
    tree: ast.Module, slots: Collection[str], file: str, project: standard.Project
) -> Faults:
    nodes = list(ast.walk(tree))
    harnesses = [lines_of(n) for n in nodes if isinstance(n, ast.ClassDef) and n.name == "Harness"]
    definitions = {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for n in nodes
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for alias in n.names
    }
    yield from standard.uses(tree, nodes, file, slots, project)
    yield from standard.kept_faults(tree, file, project)
    yield from reflection.rules(tree, nodes)
    for node in nodes:
        if isinstance(node, ast.Global):
            yield (
                node.lineno,
                "module-state",
                "a global statement: state in a module is not seen",
                "keep the state in a slot of an object of the scenario",
            )
        elif isinstance(node, ast.ExceptHandler) and (
            node.type is None or "BaseException" in ast.unparse(node.type)
        ):
            yield (
                node.lineno,
                "catches-all",
                "a handler for every exception: it would catch the end of the thread",
                "catch Exception or a narrower class",
            )
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _in_definition(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield from _set_attribute(node, slots, definitions, harnesses)
        elif (
            isinstance(node, ast.Call)
            and called_name(node) == "register"
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in definitions | modules
        ):
            yield (
                node.lineno,
                "hidden-state",
                "a class or a function registers another one: that state is not seen",
                "inherit from the class, or write a plain function",
            )
        elif isinstance(node, ast.Call) and called_name(node) == "type" and len(node.args) > 1:
            yield (
                node.lineno,
                "hidden-state",
                "type makes a class, whose attributes are not seen",
                "define classes at the head of the file",
            )
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from standard.import_faults(node, file, project)


def _in_definition(node: Function) -> Faults:
    """Defaults, decorators and imports of a function."""
    for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
        if _mutable(default):
            yield (
                default.lineno,
                "module-state",
                "a mutable default argument: its state is not seen",
                "use None or a tuple",
            )
    for decorator in node.decorator_list:
        if {
            n.id if isinstance(n, ast.Name) else n.attr
            for n in ast.walk(decorator)
            if isinstance(n, (ast.Name, ast.Attribute))
        } & standard.CACHES:
            yield (
                decorator.lineno,
                "module-state",
                "a cache: its state is not seen",
                "compute the value, or keep it in a slot",
            )
    for inner in own_nodes(node):
        if isinstance(inner, (ast.Import, ast.ImportFrom)):
            yield (
                inner.lineno,
                "late-import",
                "an import inside a function: it would get the production module",
                "import at the head of the file",
            )


def _set_attribute(
    node: ast.Attribute,
    slots: Collection[str],
    definitions: Collection[str],
    harnesses: Collection[range],
) -> Faults:
    """An attribute that is set or deleted: it must be a slot of an object."""
    owner = node.value
    is_class = isinstance(owner, ast.Name) and (owner.id in definitions or owner.id == "cls")
    if (
        is_class
        or called_name(owner) == "type"
        or (isinstance(owner, ast.Attribute) and owner.attr == "__class__")
    ):
        yield (
            node.lineno,
            "module-state",
            "an attribute of a class or of a function is set: that state is not seen",
            "keep it in a slot of an object",
        )
    elif node.attr not in slots and not _own_attribute(node, harnesses):
        yield (
            node.lineno,
            "hidden-state",
            f"an attribute {node.attr} is set, which is no slot of any class here",
            "keep state in slots of objects; an exception, a function, a module or an enum "
            "member holds none",
        )


def _mutable(value: ast.expr | None) -> bool:
    if isinstance(value, (ast.List, ast.Dict, ast.Set, *COMPREHENSIONS)):
        return True
    if isinstance(value, ast.Tuple):
        return any(map(_mutable, value.elts))
    if isinstance(value, ast.Call):
        elements = (a.elts for a in value.args if isinstance(a, (ast.List, ast.Tuple, ast.Set)))
        return called_name(value) not in _CONSTANT_CALLS or any(map(_mutable, chain(*elements)))
    return False


def _module_state(tree: ast.Module) -> Faults:
    classes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    for body in [tree.body, *(cls.body for cls in classes)]:
        for statement in body:
            if not isinstance(
                statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)
            ) or not _mutable(statement.value):
                continue
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if all(
                isinstance(t, ast.Name) and (t.id.startswith("__") or t.id in TABLES)
                for t in targets
            ):
                continue  # __all__, __slots__, a harness's tables of atomic modules: read once
            yield (
                statement.lineno,
                "module-state",
                "a mutable object in a module or in a class body: its state is not seen",
                "use a tuple or a frozenset, or keep it in a slot of an object",
            )
