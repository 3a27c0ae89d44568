"""Branch coverage: outcomes of the implementation's conditions, and functions that are called.

The sources of the implementation are compiled with each condition wrapped in a function that notes
its outcome and returns it, and with a note at the head of each function. Lines and steps stay as
they are. The truth of a condition is worked out once: an object's ``__bool__`` may have steps.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType

from wheelproof.python.findings import ExploreError
from wheelproof.python.parsed import KEPT

NAME = "__wheelproof_branch__"

Outcomes = tuple[str, str]
"""The texts of a condition that is true and of one that is false; of a function the same twice."""

_OUTCOMES: list[Outcomes] = []
"""By number. A text that is loaded again keeps its code, and so its numbers."""


class Branches:
    """The branches of the loaded modules."""

    def __init__(self) -> None:
        self.declared: set[str] = set()
        """Every outcome that the sources have, as text, such as ``impl.module:

        Class.method: test is true`` or ``impl.module: Class.method is called``.
        """
        self.met: set[str] = set()
        """The outcomes that a run came to, setting up a scenario included."""
        self._seen: set[tuple[int, bool]] = set()

    def compile_file(self, name: str, text: str, file: str) -> CodeType:
        """The code of a module whose branches are noted."""
        code, numbers = _compile(name, text, file)
        for number in numbers:
            self.declared.update(_OUTCOMES[number])
        return code

    def note(self, number: int, value: object, is_kept: bool = False) -> object:
        """Called by the wrapped code. Returns the truth of ``value``, or ``value`` if it is kept.

        Raises ExploreError where a value is kept whose truth the code would work out again.
        """
        if is_kept:
            _refuse_own_truth(value)
        truth = bool(value)
        self._seen.add((number, truth))
        return value if is_kept else truth

    def collect(self) -> set[str]:
        """``met``, brought up to date."""
        self.met.update(_OUTCOMES[number][0 if outcome else 1] for number, outcome in self._seen)
        return self.met


@lru_cache(KEPT)
def _compile(name: str, text: str, file: str) -> tuple[CodeType, range]:
    """The code of a module, and the numbers of its outcomes."""
    first = len(_OUTCOMES)
    tree = ast.parse(text, file)
    for owner, function in list(_functions(tree)):
        if not _abstract(function):
            _Wrapping(f"{name}: {owner}").function(function)
    # The loader binds the name once the module is there; a function that its import calls needs
    # it before.
    tree.body.insert(
        _after_head(tree.body),
        *ast.parse(
            f"{NAME} = globals().get({NAME!r}, lambda number, value, kept=False: value)"
        ).body,
    )
    code: CodeType = compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
    return code, range(first, len(_OUTCOMES))


def _refuse_own_truth(value: object) -> None:
    kind = type(value)
    for name in ("__bool__", "__len__"):
        if isinstance(getattr(kind, name, None), FunctionType):
            raise ExploreError(
                f"the truth of a {kind.__qualname__} is worked out by its {name}, which coverage "
                "would call a second time.",
                "Write the condition as an if statement, or call a method.",
            )


def _number(place: str, text: str | None) -> int:
    """The number of a new condition; ``text`` None: of a function."""
    _OUTCOMES.append(
        (f"{place} is called",) * 2
        if text is None
        else (f"{place}: {text} is true", f"{place}: {text} is false")
    )
    return len(_OUTCOMES) - 1


class _Wrapping(ast.NodeTransformer):
    def __init__(self, place: str) -> None:
        self._place = place

    def function(self, node: ast.FunctionDef) -> None:
        body = [self.visit(part) for part in node.body]
        first = (
            1
            if isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and len(body) > 1
            else 0
        )
        call = self._call(
            _number(self._place, None),
            ast.copy_location(ast.Constant(True), body[first]),
            body[first],
        )
        node.body = [*body[:first], ast.copy_location(ast.Expr(call), body[first]), *body[first:]]

    def _call(self, number: int, value: ast.expr, where: ast.AST, *more: ast.expr) -> ast.Call:
        return ast.copy_location(
            ast.Call(
                ast.copy_location(ast.Name(NAME, ast.Load()), where),
                [ast.copy_location(ast.Constant(number), where), value, *more],
                [],
            ),
            where,
        )

    def _test(self, test: ast.expr) -> ast.expr:
        """A condition of which nothing but its truth is used."""
        if isinstance(test, ast.Constant):
            return test
        number = _number(self._place, ast.unparse(test))
        return self._call(number, self._truth(test), test)

    def _truth(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp):
            *tests, last = test.values
            test.values = [*[self._test(part) for part in tests], self._truth(last)]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._truth(test.operand)
            return test
        expression: ast.expr = self.visit(test)
        return expression

    def _kept_value(self, test: ast.expr) -> ast.expr:
        """A condition whose value may be that of the whole expression."""
        if isinstance(test, ast.Constant):
            return test
        number = _number(self._place, ast.unparse(test))
        flag = ast.copy_location(ast.Constant(True), test)
        return self._call(number, self.visit(test), test, flag)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # wrapped by itself

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        test = self._test(node.test)
        node.test = ast.Constant(None)
        self.generic_visit(node)
        node.test = test
        return node

    visit_While = visit_IfExp = visit_If

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        *tests, last = node.values
        node.values = [*[self._kept_value(test) for test in tests], self.visit(last)]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        tests = [self._test(test) for test in node.ifs]
        node.ifs = []
        self.generic_visit(node)
        node.ifs = tests
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        self._head(node.body, f"case {ast.unparse(node.pattern)}")
        guard = node.guard and self._test(node.guard)
        node.guard = None
        self.generic_visit(node)
        node.guard = guard
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        self._head(node.body, f"except {ast.unparse(node.type) if node.type else ''}")
        return node

    def _head(self, body: list[ast.stmt], text: str) -> None:
        """Note at the head of a block that it is run."""
        number = _number(f"{self._place}: {text}", None)
        constant = ast.copy_location(ast.Constant(True), body[0])
        call = self._call(number, constant, body[0])
        body.insert(0, ast.copy_location(ast.Expr(call), body[0]))


def _after_head(body: list[ast.stmt]) -> int:
    """The index behind a module's docstring and its imports from ``__future__``."""
    place = 0
    for part in body:
        docstring = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        future = isinstance(part, ast.ImportFrom) and part.module == "__future__"
        if not (future or (docstring and place == 0)):
            break
        place += 1
    return place


def _functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield owner + node.name, node
            yield from _functions(node, f"{owner}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            if not any("Protocol" in ast.unparse(base) for base in node.bases):
                yield from _functions(node, f"{owner}{node.name}.")
        else:
            yield from _functions(node, owner)


def _abstract(function: ast.FunctionDef) -> bool:
    """Whether its body only raises NotImplementedError, for a subclass to replace it."""
    body = [
        part
        for part in function.body
        if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
    ]
    return (
        len(body) == 1
        and isinstance(body[0], ast.Raise)
        and "NotImplementedError" in ast.unparse(body[0])
    )
