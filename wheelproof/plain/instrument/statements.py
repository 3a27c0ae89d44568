"""Statements: stores, deletions, branches and loops, definitions."""

from __future__ import annotations

import ast
from typing import Any

from wheelproof.plain.instrument.cases import Cases
from wheelproof.plain.instrument.expressions import OPERATORS, UNPACKED

CALLED_BACK = frozenset(
    f"__{name}__"
    for name in ("bool", "del", "eq", "ge", "gt", "hash", "index", "iter", "le", "len", "lt", "ne")
)
"""Methods that code in C calls in the middle of an access."""


def _is_object(bases: list[ast.expr]) -> bool:
    return len(bases) == 1 and isinstance(bases[0], ast.Name) and bases[0].id == "object"


class Statements(Cases):
    """The rewriter of statements, and so of a module."""

    # -- definitions

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = self.body(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        if not node.keywords and (not node.bases or _is_object(node.bases)):
            node.bases = [self.helper("identified")]
        else:
            node.bases = [self.visit(part) for part in node.bases]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        self.classes.append(node.name)
        self.names.append(node.name)
        self.of_class.append(True)
        node.body = self.body(node.body)
        self.of_class.pop()
        self.names.pop()
        self.classes.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        self.defaults(node.args)
        outside = self.region
        self.leave()
        self.scopes.append(self.scopes[-1].inner[node])
        self.names.append(node.name)
        method = self.of_class[-1] and node.name in CALLED_BACK
        self.of_class.append(False)
        self.called_back.append(method)
        begin = self.running(node, "begins") if self.scopes[-1].yields else None
        first = self.begins_call(self.scopes[-1])
        node.body = self.body(node.body)
        if begin is not None:
            first.append(ast.Expr(begin))
        body_start = int(ast.get_docstring(node, clean=False) is not None)
        node.body[body_start:body_start] = first
        if method:
            node.body.append(ast.Expr(self.hook("returns", ast.Constant(None))))
        self.called_back.pop()
        self.of_class.pop()
        self.names.pop()
        self.scopes.pop()
        self.region = outside
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = self.visit(node.value)
        if self.called_back[-1]:
            node.value = self.hook("returns", node.value or ast.Constant(None))
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        text = f"async def {node.name}"
        begin = ast.Expr(self.hook("asynchronous", self.site(node, text)))
        has_docstring = ast.get_docstring(node, clean=False) is not None
        node.body.insert(int(has_docstring), ast.copy_location(begin, node))
        return node

    # -- control

    def _parts(self, node: Any, *fields: str) -> None:
        """Rewrite blocks of which one is run."""
        before, after = self.region, []
        for field in fields:
            self.region = before
            setattr(node, field, self.body(getattr(node, field)))
            after.append(self.region)
        self.join(*after)

    def visit_If(self, node: ast.If) -> ast.If:
        node.test = self.test(node.test)
        self._parts(node, "body", "orelse")
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self.leave()
        node.test = self.test(node.test)
        self._parts(node, "body", "orelse")
        self.leave()
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        text = "for in " + self.text(node.iter)
        iterable = self.visit(node.iter)
        node.iter = self.hook("iterate", iterable, self.site(node.iter, text))
        node.target, stores = self.target(node.target)
        self.leave()
        self._parts(node, "body", "orelse")
        node.body = stores + node.body
        self.leave()
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        node.test = self.test(node.test)
        if node.msg is not None:
            before = self.region
            node.msg = self.visit(node.msg)
            self.region = before
        return node

    def _try(self, node: Any) -> Any:
        node.body = self.body(node.body)
        for handler in node.handlers:
            self.leave()
            if handler.type is not None:
                handler.type = self.visit(handler.type)
            handler.body = self.body(handler.body)
        self.leave()
        node.orelse = self.body(node.orelse)
        node.finalbody = self.body(node.finalbody)
        self.leave()
        return node

    visit_Try = visit_TryStar = _try

    def visit_With(self, node: ast.With) -> ast.With:
        stores: list[ast.stmt] = []
        for item in node.items:
            text = self.text(item.context_expr)
            manager = self.visit(item.context_expr)
            item.context_expr = self.hook("manager", manager, self.site(item.context_expr, text))
            self.leave()
            if item.optional_vars is not None:
                item.optional_vars, later = self.target(item.optional_vars)
                stores.extend(later)
        node.body = stores + self.body(node.body)
        self.leave()
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """In a function: a variable is read again once its module is loaded."""
        statements: list[ast.stmt] = [node]
        for part in node.names if len(self.scopes) > 1 and not self.in_class() else ():
            bound = part.asname or part.name
            where = (ast.Constant(node.module or ""), ast.Constant(node.level))
            text = f"import {part.name}"
            value = self.hook(
                "imported", ast.Name(bound, ast.Load()), *where, ast.Constant(part.name),
                self.site(node, text),
            )  # fmt: skip
            target = ast.copy_location(ast.Name(bound, ast.Store()), node)
            statements += [ast.copy_location(ast.Assign([target], value), node)]
        return statements

    # -- stores

    def target(self, node: Any, is_read: bool = False) -> tuple[Any, list[ast.stmt]]:
        """A target whose fields, items and shared variables are stored afterwards.

        ``is_read``: the value that is unpacked into it has been announced. Those that are unpacked
        into its parts are announced there.
        """
        stores: list[ast.stmt] = []

        def replace(part: Any, is_read: bool = False) -> Any:
            if isinstance(part, UNPACKED) and not is_read:
                name, text = self.temporary(), self.text(part)
                new, later = self.target(part, is_read=True)
                value = self.hook("whole", ast.Name(name, ast.Load()), self.site(part, text))
                stores.append(ast.copy_location(ast.Assign([new], value), part))
                stores.extend(later)
                return ast.copy_location(ast.Name(name, ast.Store()), part)
            if isinstance(part, ast.Attribute | ast.Subscript) or (
                isinstance(part, ast.Name) and self.is_shared(part.id)
            ):
                name = self.temporary()
                stores.extend(self.store(part, ast.Name(name, ast.Load())))
                return ast.copy_location(ast.Name(name, ast.Store()), part)
            if isinstance(part, UNPACKED):
                part.elts = [replace(element) for element in part.elts]
            elif isinstance(part, ast.Starred):
                part.value = replace(part.value)
            return part

        return replace(node, is_read), stores

    def store(self, target: Any, value: ast.expr) -> list[ast.stmt]:
        """Announced stores of a value that is evaluated already."""
        text = self.text(target) + " ="
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self.mangled(target.attr))
            holder = self.visit(target.value)
            call = self.hook("store", holder, name, value, self.site(target, text))
            return [ast.copy_location(ast.Expr(call), target)]
        if isinstance(target, ast.Subscript):
            holder, item = self.visit(target.value), self.visit(target.slice)
            call = self.hook("set_item", holder, item, value, self.site(target, text))
            return [ast.copy_location(ast.Expr(call), target)]
        if not self.is_shared(target.id):
            bound = ast.Name(target.id, ast.Store())
            return [ast.copy_location(ast.Assign([bound], value), target)]
        announcement = self.hook(
            "write_variable", self.variable(target.id), value, self.site(target, text)
        )
        bound = ast.Name(target.id, ast.Store())
        return [ast.copy_location(ast.Assign([bound], announcement), target)]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        text = self.text(node.value)
        literal = isinstance(node.value, ast.Tuple | ast.List | ast.Constant)
        value = self.visit(node.value)
        if any(isinstance(target, UNPACKED) for target in node.targets) and not literal:
            value = self.hook("whole", value, self.site(node.value, text))
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            if self.is_shared(target.id):
                return self.store(target, value)
            if isinstance(value, ast.Constant) and value.value is None:
                forgotten = self.hook("forget", self.site(target, self.text(target) + " ="))
                return [ast.copy_location(ast.Expr(forgotten), node), node]
            node.value = value
            return node
        if len(node.targets) == 1 and isinstance(target, ast.Attribute | ast.Subscript):
            name = self.temporary()
            bound = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)
            return [bound, *self.store(target, ast.Name(name, ast.Load()))]
        targets, stores = [], []
        for target in node.targets:
            new, later = self.target(target, is_read=True)
            targets.append(new)
            stores.extend(later)
        return [ast.copy_location(ast.Assign(targets, value), node), *stores]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return node
        target = node.target
        if isinstance(target, ast.Name) and not self.is_shared(target.id):
            node.value = self.visit(node.value)
            return node
        assignment = ast.copy_location(ast.Assign([target], node.value), node)
        return self.visit_Assign(assignment)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        target, operator = node.target, ast.Constant("i" + OPERATORS[type(node.op)].strip("_"))
        statement = self.text(node)
        if isinstance(target, ast.Name):
            if isinstance(node.value, ast.Constant) and not self.is_shared(target.id):
                return node
            old = self.visit(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            value = self.visit(node.value)
            new = self.hook("in_place", operator, old, value, self.site(node, statement))
            if self.is_shared(target.id):
                return self.store(target, new)
            return ast.copy_location(ast.Assign([ast.Name(target.id, ast.Store())], new), node)
        statements: list[ast.stmt] = []

        def keep(value: ast.expr) -> str:
            name = self.temporary()
            statements.append(
                ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)
            )
            return name

        def again(name: str) -> ast.expr:
            return ast.Name(name, ast.Load())

        text = self.text(target)
        holder = keep(self.visit(target.value))
        if isinstance(target, ast.Attribute):
            inside: ast.expr = ast.Constant(self.mangled(target.attr))
            kind = "load", "store"
        else:
            item = keep(self.visit(target.slice))
            inside = again(item)
            kind = "get_item", "set_item"
        old = keep(self.hook(kind[0], again(holder), inside, self.site(target, text)))
        value = self.visit(node.value)
        site = self.site(node, statement)
        new_name = keep(self.hook("in_place", operator, again(old), value, site))
        store_call = self.hook(
            kind[1], again(holder), inside, again(new_name), self.site(target, text + " =")
        )
        statements.append(ast.copy_location(ast.Expr(store_call), node))
        return statements

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for target in node.targets:
            text = "del " + self.text(target)
            deletion: ast.stmt
            if isinstance(target, ast.Attribute):
                name = ast.Constant(self.mangled(target.attr))
                holder = self.visit(target.value)
                deletion = ast.Expr(self.hook("delete", holder, name, self.site(target, text)))
            elif isinstance(target, ast.Subscript):
                holder, item = self.visit(target.value), self.visit(target.slice)
                deletion = ast.Expr(self.hook("delete_item", holder, item, self.site(target, text)))
            else:
                deletion = ast.Delete([target])
                if not isinstance(target, ast.Name) or not self.is_shared(target.id):
                    announcement = self.hook("forget", self.site(target, text))
                    statements.append(ast.copy_location(ast.Expr(announcement), node))
                else:
                    where = self.variable(target.id), ast.Constant(None)
                    announcement = self.hook("write_variable", *where, self.site(target, text))
                    statements.append(ast.copy_location(ast.Expr(announcement), node))
            statements.append(ast.copy_location(deletion, node))
        return statements
