"""Style rules about imports: the modules that a file may import, and the names that it may take
from them.

A module of the standard library without hidden state may be imported. Such a module still holds
others that it has imported itself: ``enum.sys``, ``dataclasses.inspect``. So the linter imports the
module and looks up each name that a file takes from it. A name is allowed if it is in the module's
``__all__``; in a module that has none, if it does not begin with an underscore. It may be neither a
module nor a lock or a thread. Access to attributes by their text is refused too.

A module of the standard library stands before a dot only. As a value it could get into a slot, a
default or ``getattr``, where the names that are taken from it are not seen.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from types import ModuleType
from typing import NamedTuple

from wheelproof.isolated import ARTEFACTS, DISTRIBUTION
from wheelproof.python.findings import Faults
from wheelproof.python.parsed import KEPT
from wheelproof.python.runtime import production
from wheelproof.python.style import scopes
from wheelproof.python.style.reflection import is_getattr, text_of

STATELESS = frozenset(
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
"""Modules of the standard library without hidden state, which an implementation may import."""
SUBMODULES = frozenset({"collections.abc", "string.templatelib"})
"""Modules in them that may be imported too. They are not in ``__all__``."""
ALLOWED = STATELESS | SUBMODULES
CACHES = frozenset(
    {"cache", "lru_cache", "cached_property", "singledispatch", "singledispatchmethod"}
)
_LOOKED_AT = ARTEFACTS - {"model"}
"""The packages of a project whose files the linter reads when a mechanism is loaded."""
_REFUSED = {
    ("abc", "get_cache_token"): "reads a count that all classes share",
    ("dataclasses", "make_dataclass"): "makes a class, whose attributes are not seen",
    ("enum", "global_enum"): "writes names into a module",
    ("enum", "global_enum_repr"): "reads names of a module",
    ("enum", "global_flag_repr"): "reads names of a module",
    ("operator", "attrgetter"): "reaches attributes by their text",
    ("operator", "methodcaller"): "reaches methods by their text",
    ("string", "Formatter"): "reaches attributes by their text",
    ("types", "CodeType"): "makes code that the linter does not read",
    ("types", "new_class"): "makes a class, whose attributes are not seen",
    ("types", "prepare_class"): "makes a class, whose attributes are not seen",
    ("typing", "ForwardRef"): "evaluates a text",
    ("typing", "evaluate_forward_ref"): "evaluates a text",
    ("typing", "get_type_hints"): "evaluates texts",
    ("typing", "clear_overloads"): "changes a table of the module",
    ("typing", "get_overloads"): "reads a table of the module",
}
"""Names in ``__all__`` that are refused all the same, each with the reason."""
_UNCONTROLLED = frozenset({"_thread", "threading"})
_TAKE = "take only what the module's __all__ names, and no module, lock or thread"


class Project(NamedTuple):
    """The names that files of a project hand on to each other, by names of modules."""

    modules: frozenset[str] = frozenset()
    held: frozenset[tuple[str, str]] = frozenset()
    """(module, name): the name is a module of the standard library."""
    marked: frozenset[tuple[str, str]] = frozenset()
    """(module, name): the name is for production only."""


def project_of(trees: Mapping[str, ast.Module], texts: Mapping[str, str]) -> Project:
    """The names that files hand on. ``trees`` and ``texts``: by their shown names."""
    modules = {file: _module_of(file) for file in trees}
    return Project(
        frozenset(modules.values()),
        frozenset((modules[file], name) for file in trees for name in _stores(trees[file])),
        frozenset(
            (modules[file], name)
            for file, tree in trees.items()
            for names in production.marked_lines(tree, texts[file]).values()
            for name in names
        ),
    )


def import_faults(node: ast.Import | ast.ImportFrom, file: str, project: Project) -> Faults:
    """An import: it must bring names without hidden state, of modules that are looked at."""
    base = None if isinstance(node, ast.Import) else _base(node, file)
    for module in [alias.name for alias in node.names] if base is None else [base]:
        top = module.partition(".")[0]
        if top not in STATELESS | _LOOKED_AT | {DISTRIBUTION} or (
            top in STATELESS and module not in ALLOWED
        ):
            yield (
                node.lineno,
                "uncontrolled",
                f"{module} is out of the scheduler's control, or keeps state that is not seen",
                "take locks, threads, clocks and chance from the project's runtime, such as "
                f"{DISTRIBUTION}; if no scenario "
                "uses it, write '# production only' "
                "behind the import at the head of the file",
            )
            return
    for alias in node.names if base is not None else ():
        if alias.name == "*":
            yield (
                node.lineno,
                "uncontrolled",
                f"a star import from {base}: which names it brings is not seen",
                "import each name by itself",
            )
        else:
            yield from _name_faults(base or "", alias.name, node.lineno, project)


def _name_faults(module: str, name: str, line: int, project: Project) -> Faults:
    """The faults of a name of a module."""
    if (module, name) in project.held | project.marked:
        yield (
            line,
            "uncontrolled",
            f"{name} of {module} is what that module imports for itself",
            f"{module} may use it, and no other module may take it from there; import what you "
            "need at the head of this file",
        )
    elif module in ALLOWED and f"{module}.{name}" not in SUBMODULES:
        if name in CACHES:
            yield (
                line,
                "module-state",
                "a cache: its state is not seen",
                "compute the value, or keep it in a slot",
            )
        elif reason := refusal(module, name):
            yield line, "uncontrolled", f"{name} of {module} {reason}", _TAKE


@lru_cache(KEPT)
def refusal(module: str, name: str) -> str:
    """Why a name of an allowed module is refused, or the empty string."""
    if (module, name) in _REFUSED:
        return _REFUSED[module, name]
    imported_module = importlib.import_module(module)
    value = getattr(imported_module, name, None)
    if isinstance(value, ModuleType):
        return "is a module: what it holds is out of the scheduler's control"
    if name.startswith("_"):
        return "begins with an underscore: it is the module's own"
    for kind in (value, type(value)):
        if str(getattr(kind, "__module__", "")).partition(".")[0] in _UNCONTROLLED:
            return "is a lock or a thread, out of the scheduler's control"
    if name not in getattr(imported_module, "__all__", vars(imported_module)):
        return "is not in the module's __all__: it is what that module imports for itself"
    return ""


def uses(
    tree: ast.Module,
    nodes: Collection[ast.AST],
    file: str,
    slots: Collection[str],
    project: Project,
) -> Faults:
    """Names that a file takes out of modules by a dot, and modules that it uses as values.

    ``nodes``: all nodes of the tree. ``slots``: names of slots, which are no modules.
    """
    modules = dict(_modules(tree, file, project))
    method_names = frozenset(name for _, name in project.held) - frozenset(slots)
    if not (modules or method_names):
        return
    shadows = scopes.variables(tree, modules)
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    before_dots = {id(node.value) for node in attributes}

    def module_of(node: ast.expr) -> str | None:
        """The module that an expression is, or None."""
        if isinstance(node, ast.Name):
            return None if id(node) in shadows else modules.get(node.id)
        if isinstance(node, ast.Attribute) and (owner := module_of(node.value)) is not None:
            inner = f"{owner}.{node.attr}"
            return inner if inner in SUBMODULES | project.modules else None
        return None

    names = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    for node in [*names, *attributes]:
        module = module_of(node)
        if module is None and isinstance(node, ast.Attribute):
            owner = module_of(node.value)
            if owner is not None:
                yield from _name_faults(owner, node.attr, node.lineno, project)
            elif node.attr in method_names:
                yield _as_value(node.lineno, node.attr)
        elif (
            module is not None
            and id(node) not in before_dots
            and (module in ALLOWED or file.startswith("impl/"))
        ):
            yield _as_value(node.lineno, module)
    for call in filter(is_getattr, nodes):
        name = text_of(call)
        if name is not None and name in method_names:
            yield _as_value(call.lineno, name)


def kept_faults(tree: ast.Module, file: str, project: Project) -> Faults:
    """Names for production only that are read when the file is loaded, before they are guarded.

    Such a line would keep the object that the guard replaces. A base of a class and an annotation
    keep none.
    """
    module = _module_of(file)
    names = {name for home, name in project.marked if home == module}
    todo: list[ast.AST] = [*tree.body] if names else []
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            yield (
                node.lineno,
                "uncontrolled",
                f"{node.id}, which is for production only, is kept when the file is loaded",
                "write '# production only' behind this line too",
            )
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            todo += getattr(node, "decorator_list", [])
        elif isinstance(node, ast.ClassDef):
            todo += [*node.body, *node.decorator_list]
        elif isinstance(node, ast.AnnAssign):
            todo += filter(None, [node.value])
        else:
            todo += ast.iter_child_nodes(node)


def _as_value(line: int, module: str) -> tuple[int, str, str, str]:
    return (
        line,
        "uncontrolled",
        f"the module {module} as a value: which of its names are taken is not seen",
        "import the module at the head of the file, and name what you take behind a dot",
    )


def _base(node: ast.ImportFrom, file: str) -> str:
    """The module that names are imported from, a relative one resolved."""
    package = PurePosixPath(file).parts[: -node.level] if node.level else ()
    return ".".join([*package, *filter(None, (node.module,))])


def _module_of(file: str) -> str:
    path = PurePosixPath(file).with_suffix("")
    return ".".join(path.parts[:-1] if path.name == "__init__" else path.parts)


@lru_cache(KEPT)
def _imports(tree: ast.Module) -> tuple[ast.Import | ast.ImportFrom, ...]:
    return tuple(n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))


def _stores(tree: ast.Module) -> Iterator[str]:
    """The names of a file that are modules of the standard library."""
    return (name for name, module in _modules(tree, "", Project()) if module in ALLOWED)


def _modules(tree: ast.Module, file: str, project: Project) -> Iterator[tuple[str, str]]:
    """(name, module) of each name of a file that an import binds to a module."""
    for node in _imports(tree):
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                module = f"{_base(node, file)}.{alias.name}"
                if module in SUBMODULES | project.modules:
                    yield alias.asname or alias.name, module
                continue
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            if module.partition(".")[0] in STATELESS | _LOOKED_AT:
                yield alias.asname or module, module
