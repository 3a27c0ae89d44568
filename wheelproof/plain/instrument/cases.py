"""``match`` statements: a case becomes a test of its pattern, and a store of its captures."""

from __future__ import annotations

import ast
from typing import Any

from wheelproof.plain.instrument import patterns
from wheelproof.plain.instrument.expressions import Expressions


class _Names:
    """The names in the patterns of a case: of values and classes, of variables, and its sites."""

    def __init__(self) -> None:
        self.values: list[ast.expr] = []
        self.sites: list[ast.expr] = []
        self.variables: list[str] = []

    def value(self, value: ast.expr) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def variable(self, name: str | None) -> str | None:
        if name is not None and name not in self.variables:
            self.variables.append(name)
        return name


class Cases(Expressions):
    """The rewriter of ``match`` statements."""

    def visit_Match(self, node: ast.Match) -> Any:
        if self.in_class():  # names of its body are hidden from the functions of values
            return self.generic_visit(node)
        subject, open_, captures = self.temporary(), self.temporary(), self.temporary()
        statements: list[ast.stmt] = [
            _assignment(subject, self.visit(node.subject)),
            _assignment(open_, ast.Constant(True)),
        ]
        for case in node.cases:
            self.leave()
            names = _Names()
            pattern = self.constant(self._pattern(case.pattern, names))
            values = [ast.Lambda(_NO_ARGUMENTS, self.visit(value)) for value in names.values]
            count = ast.Constant(len(values))
            call = self.hook("matched", _read(subject), pattern, count, *values, *names.sites)
            stores: list[ast.stmt] = [_assignment(captures, call)]
            block: list[ast.stmt] = []
            for name in names.variables:
                value = ast.Subscript(_read(captures), ast.Constant(name), ast.Load())
                target = ast.copy_location(ast.Name(name, ast.Store()), case.pattern)
                block += self.store(target, value)
            guard = case.guard and self.test(case.guard)
            body = [_assignment(open_, ast.Constant(False)), *self.body(case.body)]
            block += [ast.If(guard, body, [])] if guard else body
            matches = ast.Compare(_read(captures), [ast.IsNot()], [ast.Constant(None)])
            statements.append(ast.If(_read(open_), [*stores, ast.If(matches, block, [])], []))
        self.leave()
        for statement in statements:
            ast.copy_location(statement, node)
        return statements

    def store(self, target: Any, value: ast.expr) -> list[ast.stmt]:
        raise NotImplementedError

    def _pattern(self, node: Any, names: _Names) -> patterns.Pattern:
        names.sites.append(self.site(node, "case " + self.text(node)))
        site = len(names.sites) - 1

        def inner(parts: list[ast.pattern]) -> tuple[patterns.Pattern, ...]:
            return tuple(self._pattern(part, names) for part in parts)

        if isinstance(node, ast.MatchValue):
            return patterns.Equal(site, names.value(node.value))
        if isinstance(node, ast.MatchSingleton):
            return patterns.Same(site, names.value(ast.Constant(node.value)))
        if isinstance(node, ast.MatchAs):
            under = None if node.pattern is None else self._pattern(node.pattern, names)
            return patterns.Named(site, inner=under, name=names.variable(node.name))
        if isinstance(node, ast.MatchStar):
            return patterns.Named(site, name=names.variable(node.name))
        if isinstance(node, ast.MatchOr):
            return patterns.Either(site, parts=inner(node.patterns))
        if isinstance(node, ast.MatchSequence):
            stars = [isinstance(part, ast.MatchStar) for part in node.patterns]
            star = stars.index(True) if any(stars) else -1
            return patterns.InOrder(site, parts=inner(node.patterns), star=star)
        if isinstance(node, ast.MatchMapping):
            keys = tuple(names.value(key) for key in node.keys)
            parts, rest = inner(node.patterns), names.variable(node.rest)
            return patterns.ByKeys(site, keys=keys, parts=parts, rest=rest)
        return patterns.OfClass(
            site,
            names.value(node.cls),
            parts=inner([*node.patterns, *node.kwd_patterns]),
            names=tuple(self.mangled(name) for name in node.kwd_attrs),
        )


_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assignment(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)
