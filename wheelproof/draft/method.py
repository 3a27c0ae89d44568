"""One method while it becomes steps: its labels, its locals, the blocks around a statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wheelproof.draft import containers
from wheelproof.draft.expressions import Expressions, Untranslated
from wheelproof.draft.steps import Hold, Leave, Loop, Node
from wheelproof.draft.subject import Guard, Subject, attribute_of
from wheelproof.mapping import RESERVED


class Method:
    """The names and the places of one method."""

    def __init__(self, subject: Subject, method: ast.FunctionDef, prefix: str) -> None:
        """``prefix``: the letters of its labels."""
        self.subject, self.method, self.prefix = subject, method, prefix
        self.count = 0
        self.held: list[str] = []
        """The locks of the blocks around the present statement."""
        self.blocks: list[Hold | Loop] = []
        """The blocks and loops around it."""
        self.depth = 0
        self.raises: list[str] = []
        self.unguarded: set[str] = set()
        """The fields that it sees outside of all locks."""
        self.variables: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.expressions = Expressions(subject, {}, self.variables, self.kinds)
        names = {
            node.arg if isinstance(node, ast.arg) else node.id
            for item in subject.methods.values()
            for node in ast.walk(item)
            if isinstance(node, ast.arg | ast.Name)
        }
        self.result, self.value, self.condition = (
            name if name not in names else f"{name}_of_step" for name in ("result", "value", "test")
        )
        """Locals that the class does not have: of a result, a value on its way, a condition."""

    def label(self) -> str:
        """The next label."""
        self.count += 1
        return f"{self.prefix}{self.count}"

    def variable(self, name: str, kind: str) -> str:
        """The variable of a local, which now has a value of this kind."""
        if name == self.result:
            self.variables[name] = "result"
        elif name not in self.variables:
            names = {*RESERVED, *(field.variable for field in self.subject.fields.values())}
            names |= {guard.owner for guard in self.subject.guards.values()}
            self.variables[name] = f"{name}_" if name in names else name
        before = self.kinds.get(name, kind)
        self.kinds[name] = kind if before == kind else "any"
        return self.variables[name]

    def see(self, *attributes: str) -> None:
        """Note fields that are seen here: outside of all locks they are no plain ones."""
        if not self.held:
            self.unguarded |= set(attributes)

    def field(self, node: ast.expr, kind: str = "") -> str:
        """The variable of a shared container. Raises Untranslated."""
        attribute = attribute_of(node)
        item = self.subject.fields.get(attribute)
        if item is None or not item.container or kind not in ("", item.kind):
            raise Untranslated(f"{ast.unparse(node)} is no {kind or 'container'} of the class")
        self.see(attribute)
        return item.variable

    def guard(self, item: ast.withitem) -> Guard:
        """The lock of a ``with``. Raises Untranslated."""
        attribute = attribute_of(item.context_expr)
        if attribute not in self.subject.guards or item.optional_vars is not None:
            raise Untranslated(f"{ast.unparse(item)} is no lock of the class")
        return self.subject.guards[attribute]

    def simple(self, node: ast.expr) -> Iterator[Node]:
        """Refuse an argument that reads shared fields: it needs a line of its own."""
        if self.expressions.reads(node):
            raise Untranslated(f"{ast.unparse(node)} is read on the line of a change")
        yield from ()

    def apart(self, node: ast.expr, reads: set[str]) -> None:
        """Refuse several reads outside of all locks: they are not one step."""
        if len(reads) > 1 and not self.held:
            raise Untranslated(f"{ast.unparse(node)} reads several fields without a lock")
        self.see(*reads)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and not isinstance(inner.func, ast.Name):
                continue
            if (
                isinstance(inner, ast.IfExp | ast.Lambda | ast.ListComp | ast.GeneratorExp)
                and reads
            ):
                raise Untranslated(f"{ast.unparse(node)} may read or not")

    def is_own(self, call: ast.Call) -> bool:
        """Whether a call is one of the class's own methods."""
        return attribute_of(call.func) in self.subject.methods

    def acts(self, value: ast.expr) -> bool:
        """Whether an expression is a call that takes steps: of a method, or of a container."""
        match value:
            case ast.Call(func=ast.Attribute(value=whole, attr=name)):
                changes = attribute_of(whole) in self.subject.fields and name in containers.CHANGING
                return changes or self.is_own(value)
        return False

    def composite(self, node: ast.expr) -> bool:
        """Whether a condition takes several steps: parts of it are read only if others hold."""
        if isinstance(node, ast.Call) and self.is_own(node):
            return True
        return isinstance(node, ast.BoolOp) and bool(self.expressions.reads(node))

    def leave(self, way: str, python: str) -> Leave:
        """An early end; the locks that are given back on the way take note of it."""
        for block in reversed(self.blocks):
            if isinstance(block, Loop) and way != "return":
                break
            if isinstance(block, Hold):
                block.exits.add(way)
        return Leave(way, python)
