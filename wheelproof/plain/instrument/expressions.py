"""Expressions: loads of attributes, items and shared variables, calls, tests, iteration."""

from __future__ import annotations

import ast
from typing import Any

from wheelproof.plain.instrument.rewriter import Base
from wheelproof.plain.instrument.scopes import Scope

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Mod: "mod",
    ast.BitOr: "or_",
    ast.BitAnd: "and_",
    ast.BitXor: "xor",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.MatMult: "matmul",
}

UNPACKED = (ast.Tuple, ast.List)
"""Targets that a value is unpacked into."""

_OF_CONTAINERS = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Mod, ast.Mult)


def _plain(node: ast.expr) -> bool:
    """Whether a value is surely no container, and not compared or joined with one."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, bytes)
    return isinstance(node, ast.JoinedStr | ast.Lambda)


class Expressions(Base):
    """The rewriter of expressions."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and self.is_shared(node.id):
            announcement = self.hook(
                "read_variable", self.variable(node.id), self.site(node, node.id)
            )
            return ast.IfExp(announcement, node, ast.Constant(None))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        text = self.text(node)
        value = self.visit(node.value)
        name = ast.Constant(self.mangled(node.attr))
        return self.hook("load", value, name, self.site(node, text))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        text = self.text(node)
        value, item = self.visit(node.value), self.visit(node.slice)
        return self.hook("get_item", value, item, self.site(node, text))

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        parts = (node.lower, node.upper, node.step)
        return self.hook("slice", *(self.visit(p) if p else ast.Constant(None) for p in parts))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function, text = node.func, self.text(node)
        new: ast.expr
        if isinstance(function, ast.Attribute):
            value = self.visit(function.value)
            arguments, keywords = self._arguments(node)
            if arguments or keywords:
                self.leave()
            name = ast.Constant(self.mangled(function.attr))
            new = self.hook("method", value, name, self.site(node, text))
        else:
            reader = self._names_variables(node)
            new = self.visit(ast.Name("locals", ast.Load()) if reader == "vars" else function)
            arguments, keywords = self._arguments(node)
            new = self.hook("function", new, self.site(node, text))
            if reader:
                self.leave()
                return self.hook("of_program", ast.Call(new, [], []))
        self.leave()
        return ast.Call(new, arguments, keywords)

    def _names_variables(self, node: ast.Call) -> str:
        """The builtin function that names the variables of a function, where one is called."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ("dir", "locals", "vars") or node.args or node.keywords:
            return ""
        builtin = self.scopes[-1].owner(name) is None and name not in self.shared.module.bound
        return name if builtin and len(self.scopes) > 1 and not self.in_class() else ""

    def _arguments(self, node: ast.Call) -> tuple[list[ast.expr], list[ast.keyword]]:
        arguments = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            value = self.visit(keyword.value)
            if keyword.arg is None:
                value = self.hook(
                    "whole", value, self.site(keyword, "**" + self.text(keyword.value))
                )
            keyword.value = value
        return arguments, node.keywords

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        if isinstance(node.ctx, ast.Load):
            text = self.text(node)
            node.value = self.hook("spread", self.visit(node.value), self.site(node, text))
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            if key is not None:
                node.keys[index] = self.visit(key)
                node.values[index] = self.visit(value)
            else:
                text = "**" + self.text(value)
                node.values[index] = self.hook("whole", self.visit(value), self.site(value, text))
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        text = self.text(node.value)
        value = self.visit(node.value)
        if not _plain(node.value):
            value = self.hook("shown", value, self.site(node, text))
        node.value = value
        if node.format_spec is not None:
            node.format_spec = self.visit(node.format_spec)
        return node

    def test(self, node: ast.expr) -> ast.expr:
        """An expression whose truth is tested."""
        new: ast.expr = self.visit(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.NamedExpr):
            return self.hook("truth", new, self.site(node, self.text(node)))
        return new

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        is_not = isinstance(node.op, ast.Not)
        node.operand = self.test(node.operand) if is_not else self.visit(node.operand)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node.values = [self.test(value) for value in node.values]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self.test(node.test)
        before = self.region
        node.body = self.visit(node.body)
        after, self.region = self.region, before
        node.orelse = self.visit(node.orelse)
        self.join(after, self.region)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        text = self.text(node)
        first: ast.expr = self.visit(node.left)
        first_is_plain = _plain(node.left)
        if len(node.ops) > 1 and (self.in_class() or self.assigns_nothing):
            operands = (first, *map(self.visit, node.comparators))
            shown: list[ast.expr] = [
                self.hook("shown", operand, self.site(node, text)) for operand in operands
            ]
            return ast.Compare(shown[0], node.ops, shown[1:])
        parts: list[ast.expr] = []
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            second: ast.expr = self.visit(operand)
            value, is_plain = second, _plain(operand)
            if operand is not node.comparators[-1] and not isinstance(operand, ast.Constant):
                name = self.temporary()
                second = ast.NamedExpr(ast.Name(name, ast.Store()), second)
                value = ast.Name(name, ast.Load())
            site = self.site(node, text)
            parts.append(self._compared(operator, first, second, first_is_plain or is_plain, site))
            first, first_is_plain = value, is_plain
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    def _compared(
        self, operator: ast.cmpop, first: ast.expr, second: ast.expr, is_plain: bool, site: ast.expr
    ) -> ast.expr:
        """One comparison. ``is_plain``: one of its sides is no container."""
        if isinstance(operator, ast.In | ast.NotIn):
            inside: ast.expr = self.hook("contains", first, second, site)
            return ast.UnaryOp(ast.Not(), inside) if isinstance(operator, ast.NotIn) else inside
        name = _COMPARISONS.get(type(operator))
        if name is None or is_plain:
            return ast.Compare(first, [operator], [second])
        return self.hook("binary", ast.Constant(name), first, second, site)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        text = self.text(node)
        plain = _plain(node.left) and not isinstance(node.op, ast.Mod | ast.Mult)
        plain = plain or (_plain(node.right) and not isinstance(node.op, ast.Mult))
        node.left, node.right = self.visit(node.left), self.visit(node.right)
        if plain or not isinstance(node.op, _OF_CONTAINERS):
            return node
        name = ast.Constant(OPERATORS[type(node.op)])
        return self.hook("binary", name, node.left, node.right, self.site(node, text))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        value = self.visit(node.value)
        name = node.target.id
        if self.is_shared(name):
            site = self.site(node, f"{name} :=")
            value = self.hook("write_variable", self.variable(name), value, site)
        node.value = value
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.defaults(node.args)
        outside = self.region
        self.leave()
        self.scopes.append(self.scopes[-1].inner[node])
        self.names.append("<lambda>")
        self.of_class.append(False)
        node.body = self.visit(node.body)
        self.of_class.pop()
        self.names.pop()
        self.scopes.pop()
        self.region = outside
        return node

    def defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [d and self.visit(d) for d in arguments.kw_defaults]

    def _comprehension(self, node: Any) -> ast.expr:
        lazy = isinstance(node, ast.GeneratorExp)
        scope: Scope | None = self.scopes[-1].inner[node] if lazy else None
        self.assigns_nothing += lazy
        for index, generator in enumerate(node.generators):
            text = "for in " + self.text(generator.iter)
            self.assigns_nothing += 1
            iterable = self.visit(generator.iter)
            self.assigns_nothing -= 1
            generator.iter = self.hook("iterate", iterable, self.site(generator.iter, text))
            if isinstance(generator.target, UNPACKED):
                site = self.site(generator.target, self.text(generator.target))
                generator.iter = self.hook("unpacked", generator.iter, site)
            self.leave()
            if index == 0 and scope:  # its first iterable is evaluated outside
                self.scopes.append(scope)
                self.of_class.append(False)
            generator.ifs = [self.test(condition) for condition in generator.ifs]
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        if lazy:
            node.elt = self.running(node, "goes_on", node.elt)
        if scope:
            self.scopes.pop()
            self.of_class.pop()
        self.assigns_nothing -= lazy
        self.leave()
        return node  # type: ignore[no-any-return]

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        node.value = node.value and self.visit(node.value)
        return self.running(node, "goes_on", node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        text = "yield from " + self.text(node.value)
        node.value = self.hook("delegate", self.visit(node.value), self.site(node, text))
        return self.running(node, "goes_on", node)

    def running(self, node: Any, hook: str, *value: ast.expr) -> ast.expr:
        """A generator runs from here: an access, since no second thread may run it meanwhile."""
        self.leave()
        text = self.text(node)
        return self.hook(hook, *value, self.site(node, text))
