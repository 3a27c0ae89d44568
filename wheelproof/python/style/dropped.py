"""Dropped results: an operation of ``Harness`` may drop a returned value only if it is None.

Each call of the harness that is a statement, or whose value goes into names that nothing reads, is
compiled as ``check(call)``. A controlled thread whose call returns another value breaks a rule
there, because the result would not be compared. In ``Harness`` itself, calls of controlled
primitives on labelled lines are not checked; in other classes of its module, no call of a
controlled primitive is. A callback, which the implementation calls, is no operation: there ``_ =``
says that a result is dropped.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from functools import lru_cache
from types import CodeType, FrameType, ModuleType

from wheelproof.python import labels
from wheelproof.python.findings import Faults
from wheelproof.python.parsed import KEPT
from wheelproof.python.runtime.controlled import Scheduler

NAME = "__wheelproof_dropped__"


class _Checked(ast.NodeTransformer):
    """Wraps calls that are statements, in classes called Harness or everywhere."""

    def __init__(
        self, lines: Collection[int], primitive: Collection[str], everywhere: bool
    ) -> None:
        self._marked, self._primitive, self._inside = lines, primitive, everywhere
        self._function = self._harness = False
        self._read: frozenset[str] = frozenset()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before = self._inside, self._harness
        self._harness = node.name == "Harness"
        self._inside = self._inside or self._harness
        self.generic_visit(node)
        self._inside, self._harness = before
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before, self._function = (self._function, self._read), True
        names = [leaf for leaf in ast.walk(node) if isinstance(leaf, ast.Name)]
        self._read = frozenset(leaf.id for leaf in names if not isinstance(leaf.ctx, ast.Store))
        self.generic_visit(node)
        self._function, self._read = before
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        names = [target.id if isinstance(target, ast.Name) else None for target in node.targets]
        if all(name is not None and name not in self._read for name in names):
            return self._check(node, names == ["_"])
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return self._check(node, False)

    def _check(self, node: ast.Expr | ast.Assign, says_so: bool) -> ast.AST:
        """``says_so``: the value goes into the name ``_`` alone."""
        self.generic_visit(node)
        call = node.value
        if not (self._inside and self._function and isinstance(call, ast.Call)):
            return node
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in self._primitive
            and (node.lineno in self._marked or not self._harness)
        ):
            return node
        check = ast.copy_location(ast.Name(NAME, ast.Load()), call)
        flag = ast.copy_location(ast.Constant(says_so), call)
        node.value = ast.copy_location(ast.Call(check, [call, flag], []), call)
        return node


def compile_file(name: str, text: str, file: str, primitives: Collection[type]) -> CodeType:
    """The code of a module; a harness is compiled with checks of its dropped results."""
    methods = frozenset(method for cls in primitives for method in vars(cls))
    return _compile(text, file, methods if name.partition(".")[0] == "harness" else None)


@lru_cache(KEPT)
def _compile(text: str, file: str, methods: frozenset[str] | None) -> CodeType:
    """The code of a text; ``methods``: of a harness, the names of the primitives' methods."""
    if methods is None:
        return compile(text, file, "exec", dont_inherit=True)
    tree = _Checked(labels.of_source(text, file), methods, True).visit(ast.parse(text, file))
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code


def guard(module: ModuleType, scheduler: Scheduler) -> None:
    """Give a loaded module the function that its compiled calls are checked with."""

    def called_back(frame: FrameType | None) -> bool:
        while frame is not None:
            file = frame.f_code.co_filename
            if file in scheduler.files and file != module.__file__:
                return True
            frame = frame.f_back
        return False

    def check(value: object, says_so: bool) -> None:
        if value is None or scheduler.running is None:
            return
        if not (says_so and called_back(sys._getframe(2))):
            scheduler.fail(
                f"{scheduler.place_of(sys._getframe(1))}: the harness drops {value!r}, which this "
                "call returned; "
                "return it from the operation, or use it: a result that is dropped is compared "
                "with nothing"
            )

    vars(module)[NAME] = check


def swallow_faults(tree: ast.Module) -> Faults:
    """Style findings in a harness: handlers that swallow an exception.

    Each is (line, rule, message, remedy).
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and not _passed_on(node):
            yield (
                node.lineno,
                "swallowed",
                "a handler of the harness that neither returns the exception nor raises",
                "end it with raise, or with a return of the exception, such as `except Closed as "
                "error: return type(error).__name__`: an exception is a result, which the model "
                "compares",
            )


def _passed_on(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    if isinstance(last, ast.Raise):
        return True
    return (
        handler.name is not None
        and isinstance(last, ast.Return)
        and last.value is not None
        and any(isinstance(n, ast.Name) and n.id == handler.name for n in ast.walk(last.value))
    )
