"""Which variables two threads can share: names of a source, resolved.

A local variable belongs to one thread, unless an inner function uses it. A module's variable is
shared once a function rebinds it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


class Scope:
    """The names of a module or of a function.

    ``bound`` counts the places that bind a name; a binding within a loop or a branch counts twice,
    as it may come after the function that captures the name. ``first`` is the line of the first.
    ``yields``: it is that of a generator.
    """

    def __init__(self, name: str, parent: Scope | None) -> None:
        self.name, self.parent = name, parent
        self.bound: Counter[str] = Counter()
        self.first: dict[str, int] = {}
        self.declared_global: set[str] = set()
        self.declared_nonlocal: set[str] = set()
        self.used: set[str] = set()
        self.captured: dict[str, int] = {}  # name -> line of the first inner function that uses it
        self.inner: dict[ast.AST, Scope] = {}
        self.line = 0
        self.yields = False

    def owner(self, name: str) -> Scope | None:
        """The function whose variable a name is; None for a module's."""
        if self.parent is None or name in self.declared_global:
            return None
        if name in self.bound and name not in self.declared_nonlocal:
            return self
        return self.parent.owner(name)

    def everything(self) -> Iterator[Scope]:
        yield self
        for scope in self.inner.values():
            yield from scope.everything()


class _Reader(ast.NodeVisitor):
    """Fills a scope from the statements of a function or a module."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.loops = scope, 0

    def bind(self, name: str, line: int, certain: bool = False) -> None:
        self.scope.bound[name] += 1 if certain or not self.loops else 2
        self.scope.first.setdefault(name, line)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.scope.used.add(node.id)
        else:
            self.bind(node.id, node.lineno)

    def _yields(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.scope.yields = True
        self.generic_visit(node)

    visit_Yield = visit_YieldFrom = _yields

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.bind(node.target.id, node.lineno)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.declared_global.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.declared_nonlocal.update(node.names)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name, node.lineno)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.bind((node.asname or node.name).partition(".")[0], node.lineno, certain=True)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.bind(node.name, node.lineno)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.bind(node.name, node.lineno)

    def _loop(self, node: ast.AST) -> None:
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1

    visit_For = visit_AsyncFor = visit_While = visit_If = visit_Try = visit_Match = _loop
    visit_TryStar = _loop

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name, node.lineno, certain=not self.loops)
        for part in (*node.decorator_list, *_defaults(node.args)):
            self.visit(part)
        self.enter(node, node.name, node.body, node.args)

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in _defaults(node.args):
            self.visit(part)
        self.enter(node, "<lambda>", [node.body], node.args)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        parts: list[ast.AST] = [node.elt]
        for index, generator in enumerate(node.generators):
            parts.extend((generator.target, *generator.ifs))
            if index:
                parts.append(generator.iter)
        self.enter(node, "<genexpr>", parts, None)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name, node.lineno, certain=not self.loops)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        # Names of a class's body are attributes, but functions in it see the scopes around it.
        body = _Reader(Scope(node.name, self.scope))
        for statement in node.body:
            body.visit(statement)
        self.scope.used |= body.scope.used
        self.scope.inner |= body.scope.inner
        for scope in body.scope.inner.values():
            scope.parent = self.scope

    def enter(
        self,
        node: Function,
        name: str,
        body: Sequence[ast.AST],
        arguments: ast.arguments | None,
    ) -> None:
        scope = self.scope.inner[node] = Scope(name, self.scope)
        scope.line = node.lineno
        reader = _Reader(scope)
        if arguments is not None:
            for argument in _arguments(arguments):
                reader.bind(argument.arg, node.lineno, certain=True)
        for part in body:
            reader.visit(part)


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    if arguments.vararg:
        yield arguments.vararg
    if arguments.kwarg:
        yield arguments.kwarg


class Shared:
    """The variables of a module that threads can share."""

    def __init__(self, tree: ast.Module, rebound: frozenset[str]) -> None:
        self.module = Scope("", None)
        _Reader(self.module).generic_visit(tree)
        self.globals = set(rebound)
        for scope in self.module.everything():
            self.globals |= {name for name in scope.declared_global if scope.bound[name]}
        for scope in self.module.everything():
            for name in scope.used | set(scope.bound):
                owner = scope.owner(name)
                if owner is None or owner is scope:
                    continue
                line = owner.captured.get(name, scope.line)
                owner.captured[name] = min(line, scope.line)
                if name in scope.declared_nonlocal and scope.bound[name]:
                    owner.bound[name] += 2

    def is_shared(self, scope: Scope, name: str) -> bool:
        """Whether accesses of a name in a scope are to be announced."""
        owner = scope.owner(name)
        if owner is None:
            return scope.parent is not None and name in self.globals
        return name in owner.captured and _is_rebound(owner, name)

    def has_shared(self, scope: Scope) -> bool:
        """Whether a function has variables whose accesses are to be announced."""
        return any(scope.owner(name) is scope and _is_rebound(scope, name)
                   for name in scope.captured)  # fmt: skip


def _is_rebound(owner: Scope, name: str) -> bool:
    """Whether a captured variable may get a value after it was captured."""
    return owner.bound[name] > 1 or owner.first[name] > owner.captured[name]
