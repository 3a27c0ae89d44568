"""Rules against state that is neither in an object's slots nor in a frame's locals.

A suspended frame's evaluation stack cannot be read. So nothing that counts may live there while a
thread is suspended: the iterator of a ``for``, of a comprehension or of a built-in that calls back;
nor in a module, a class, a function or a cache.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping

from wheelproof.explore.definitions import TABLES
from wheelproof.explore.labels import Labels
from wheelproof.isolated import ARTEFACTS

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
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CACHES = frozenset({"cache", "lru_cache", "cached_property"})
_STATELESS = frozenset(
    {
        "__future__",
        "abc",
        "bisect",
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "heapq",
        "itertools",
        "math",
        "numbers",
        "operator",
        "string",
        "types",
        "typing",
    }
)
"""Modules of the standard library that keep no state out of sight: an implementation may import them."""
_REFLECTION = frozenset(
    {
        "setattr",
        "delattr",
        "vars",
        "globals",
        "locals",
        "exec",
        "eval",
        "compile",
        "__import__",
        "__setattr__",
        "__delattr__",
    }
)
_DUNDERS = frozenset(
    {
        "__init__",
        "__enter__",
        "__exit__",
        "__call__",
        "__name__",
        "__qualname__",
        "__class__",
        "__doc__",
        "__module__",
        "__slots__",
    }
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
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function of a file, nested ones and methods included."""
    return (
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def _own(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function, without nested functions but for their defaults and decorators."""
    todo = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            todo += [*node.decorator_list]
        elif not isinstance(node, ast.Lambda):
            todo += list(ast.iter_child_nodes(node))


def own_lines(function: Function) -> set[int]:
    """The lines of a function that belong to no function nested in it."""
    lines = set(range(function.lineno, function.end_lineno + 1))
    for node in ast.walk(function):
        if node is not function and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return lines


def _called(node: ast.AST) -> str | None:
    if isinstance(node, ast.Call):
        return (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else getattr(node.func, "id", None)
        )
    return None


def _variables(function: Function) -> set[str]:
    arguments = function.args
    named = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        *filter(None, (arguments.vararg, arguments.kwarg)),
    ]
    stored = {
        n.id for n in _own(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return {a.arg for a in named} | stored


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
        constructors = {
            m: c.name
            for c in ast.walk(tree)
            if isinstance(c, ast.ClassDef)
            for m in c.body
            if isinstance(m, ast.FunctionDef) and m.name == "__init__"
        }
        for function in functions(tree):
            name = constructors.get(function, function.name)
            own = list(_own(function))
            calls.setdefault(name, set()).update(filter(None, map(_called, own)))
            variables = _variables(function)
            if own_lines(function) & marks[file].keys() or any(
                isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in variables
                for n in own
            ):
                names.add(name)
    while True:
        more = {name for name, called in calls.items() if name not in names and called & names}
        if not more:
            return frozenset(names)
        names |= more


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
    reached, todo = set(), [m for m in methods if not m.name.startswith("_")]
    while todo:
        function = todo.pop()
        if function in reached:
            continue
        reached.add(function)
        used = {
            n.id if isinstance(n, ast.Name) else n.attr
            for n in ast.walk(function)
            if isinstance(n, (ast.Name, ast.Attribute))
        }
        todo += [f for f in free if f.name in used]
    return {inner for f in free if f not in reached for inner in functions(f)}


def rules(
    tree: ast.Module,
    marks: Labels,
    suspendable: frozenset[str],
    slots: Collection[str],
    spared: Collection[int] = (),
) -> Iterator[tuple[int, str, str, str]]:
    """The findings of one file, as (line, rule, what is wrong, what to do).

    ``slots``: the names of all slots of the implementation; ``spared``: lines of imports for production
    only.
    """
    aside = set_up_only(tree)
    before = {
        line for function in aside for line in range(function.lineno, function.end_lineno + 1)
    }
    yield from (
        found
        for found in _everywhere(tree, slots)
        if not (
            (found[1] == "uncontrolled" and found[0] in spared)
            or (found[1] == "hidden-state" and found[0] in before)
        )
    )
    yield from _module_state(tree)
    for function in functions(tree):
        if function not in aside:
            yield from _in_function(function, marks, suspendable)


def _in_function(
    function: Function, marks: Labels, suspendable: frozenset[str]
) -> Iterator[tuple[int, str, str, str]]:
    variables = _variables(function)

    def suspends(node: ast.AST) -> bool:
        for n in ast.walk(node):
            if isinstance(n, (ast.stmt, ast.expr)) and n.lineno in marks:
                return True
            if isinstance(n, ast.Call) and (
                _called(n) in suspendable
                or (isinstance(n.func, ast.Name) and n.func.id in variables)
            ):
                return True
        return False

    for node in _own(function):
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
        if isinstance(node, _COMPREHENSIONS) and suspends(node):
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
        if _called(node) in _ITERATING and _called(node) not in suspendable:
            inside = [*node.args, *(k.value for k in node.keywords)]
            handed = [
                n
                for part in inside
                for n in ast.walk(part)
                if (isinstance(n, ast.Name) and n.id in suspendable)
                or (isinstance(n, ast.Attribute) and n.attr in suspendable)
            ]
            if handed and not all(
                isinstance(part, ast.Call) and any(part.func is n for n in handed)
                for part in inside
            ):
                yield (
                    node.lineno,
                    "loop-position",
                    f"{_called(node)} calls back a function in which a thread can be suspended: "
                    "its position is hidden",
                    "write a loop over range(..)",
                )


def _loop_fault(loop: ast.For) -> str:
    """Why the loop's position is not in a local, or the empty string."""
    called = (
        loop.iter.func.id
        if isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name)
        else None
    )
    target = loop.target
    if (
        called == "enumerate"
        and isinstance(target, ast.Tuple)
        and isinstance(target.elts[0], ast.Name)
    ):
        target = target.elts[0]
    elif called != "range":
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


def slots_in(trees: Iterable[ast.Module]) -> frozenset[str]:
    """The slots that classes of these files declare, also by type(), and their properties."""
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
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
            found.add(node.name)
        found.update(
            n.value
            for value in values
            for n in ast.walk(value)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
    return frozenset(found)


def _own_attribute(node: ast.Attribute, harnesses: Collection[range]) -> bool:
    """An attribute of Harness itself; a run finds its changes."""
    return (
        isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and any(node.lineno in lines for lines in harnesses)
    )


def _everywhere(tree: ast.Module, slots: Collection[str]) -> Iterator[tuple[int, str, str, str]]:
    harnesses = [
        range(n.lineno, n.end_lineno + 1)
        for n in ast.walk(tree)
        if isinstance(n, ast.ClassDef) and n.name == "Harness"
    ]
    definitions = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
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
                } & _CACHES:
                    yield (
                        decorator.lineno,
                        "module-state",
                        "a cache: its state is not seen",
                        "compute the value, or keep it in a slot",
                    )
            for inner in _own(node):
                if isinstance(inner, (ast.Import, ast.ImportFrom)):
                    yield (
                        inner.lineno,
                        "late-import",
                        "an import inside a function: it would get the production module",
                        "import at the head of the file",
                    )
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            owner = node.value
            named = isinstance(owner, ast.Name) and (owner.id in definitions or owner.id == "cls")
            if (
                named
                or _called(owner) == "type"
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
        elif (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("__")
            and node.attr.endswith("__")
            and node.attr not in _DUNDERS
        ):
            yield (
                node.lineno,
                "hidden-state",
                f"{node.attr} reaches state that is not seen",
                "use the object's own slots and methods",
            )
        elif isinstance(node, ast.Call) and _called(node) in _REFLECTION:
            yield (
                node.lineno,
                "hidden-state",
                f"{_called(node)} reaches state that is not seen",
                "name the slot in the code",
            )
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
            for module in modules:
                if module.partition(".")[0] not in _STATELESS | ARTEFACTS:
                    yield (
                        node.lineno,
                        "uncontrolled",
                        f"{module} is out of the scheduler's control, or keeps state that is not "
                        "seen",
                        "take locks, threads, clocks and chance from impl.runtime; if no scenario "
                        "uses it, write '# production only' "
                        "behind the import at the head of the file",
                    )


def _mutable(value: ast.AST | None) -> bool:
    if isinstance(value, (ast.List, ast.Dict, ast.Set, *_COMPREHENSIONS)):
        return True
    if isinstance(value, ast.Tuple):
        return any(map(_mutable, value.elts))
    if isinstance(value, ast.Call):
        return _called(value) not in _CONSTANT_CALLS
    return False


def _module_state(tree: ast.Module) -> Iterator[tuple[int, str, str, str]]:
    for scope in [tree, *(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]:
        for statement in scope.body:
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
