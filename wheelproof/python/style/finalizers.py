"""Finalizers: code that runs where an object is dropped, which is no step of a thread.

Under control each object lives to the end of its run, since its name in fingerprints must stay its
own. So a finalizer would never run, and its writes would be in no state. A class may have one
all the same if its objects live to the end in production too: a harness creates them at first and
names them in ``Harness.names``. All others are refused: objects that a thread creates, objects that
only others hold, and classes whose objects are not seen when they are created. A generator that
waits inside a ``with`` or a ``try`` is refused as well, since dropping it runs the block's end.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from wheelproof.python.findings import ExploreError, Faults
from wheelproof.python.style.definitions import MARK
from wheelproof.python.style.suspension import Function, functions, own_nodes

_NAME = "__del__"
MARKED = f"{MARK}finalizer__"
"""The attribute of a class that had a finalizer before it was put under control, and of a derived
one."""
_REMEDY = (
    "Let a method end the object's life, which a thread calls; or create it in Harness and give it "
    "a role in Harness.names, which keeps it to the end."
)


def taken_from(cls: Any) -> None:
    """Take the finalizer of a class body away, so that no collection of garbage runs it."""
    if _NAME in vars(cls):
        delattr(cls, _NAME)
        setattr(cls, MARKED, True)


def confirm(classes: Iterable[type], classes_watched: Iterable[type]) -> None:
    """Refuse classes with a finalizer whose objects are not noted when they are created.

    ``classes_watched``: the classes whose objects are noted. Raises ExploreError.
    """
    identities = {id(cls) for cls in classes_watched}
    for cls in classes:
        if hasattr(cls, _NAME) or (hasattr(cls, MARKED) and id(cls) not in identities):
            raise ExploreError(
                f"{cls.__module__}.{cls.__qualname__} has a finalizer (__del__), and its objects "
                "are not seen when they are created and dropped.",
                "Leave __del__ to classes with __slots__ that object.__new__ makes, or do without.",
            )


def created_by_thread(cls: type) -> str:
    """Why a thread may not create an object of a class that has a finalizer."""
    return (
        f"a thread creates an object of class {cls.__qualname__}, whose finalizer (__del__) runs "
        f"when the object is dropped, at no step. {_REMEDY}"
    )


def refuse_dropped(objects: Iterable[object], roots: Collection[object], where: str) -> None:
    """Refuse objects with a finalizer that were created at first and have no role.

    Raises ExploreError.
    """
    identities = {id(root) for root in roots}
    for value in objects:
        if id(value) not in identities:
            raise ExploreError(
                f"{where}: an object of class {type(value).__qualname__} has a finalizer (__del__) "
                "and no role in Harness.names: when it is dropped, no step runs it.",
                _REMEDY,
            )


def rules(tree: ast.Module) -> Faults:
    """Style findings of one file: finalizers that no run would see."""
    for node in ast.walk(tree):
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) else None
        if value is not None and _ends(value):
            yield (
                value.lineno,
                "finalizer",
                "another name for GeneratorExit or BaseException: which handlers run where a "
                "generator is dropped is not seen",
                "name the class where it is caught",
            )
    for function in functions(tree):
        for line in _within(function):
            yield (
                line,
                "finalizer",
                "__del__ in a class that a function makes: when its objects are dropped is not "
                "seen",
                "define the class at the head of the file, or let a method end the object's life",
            )
        for line in _waiting(function):
            yield (
                line,
                "finalizer",
                "a generator or a coroutine that waits inside a with or a try: where it is dropped "
                "it runs the end of the block, at no step",
                "wait outside of the block, or write a class with a method that ends it",
            )


def _within(function: Function) -> Iterator[int]:
    """Lines in a function, nested definitions included, that bind the name of a finalizer."""
    for node in ast.walk(function):
        if (
            (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == _NAME)
            or (isinstance(node, ast.Name) and node.id == _NAME)
            or (isinstance(node, ast.alias) and node.asname == _NAME)
        ) and node is not function:
            yield node.lineno


def _waiting(function: Function) -> Iterator[int]:
    """Lines of a function that wait inside a block whose end runs when the waiting is given up."""
    blocks = [block for node in own_nodes(function) for block in _blocks_with_end(node)]
    inside = {id(inner) for block in blocks for part in block for inner in ast.walk(part)}
    for node in own_nodes(function):
        waits = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
        if isinstance(node, waits) and id(node) in inside:
            yield node.lineno


def _blocks_with_end(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The statements after which a ``with`` or a ``try`` runs code in any case."""
    if isinstance(node, (ast.With, ast.AsyncWith)):
        yield node.body
    elif isinstance(node, ast.Try):
        caught = any(handler.type is None or _ends(handler.type) for handler in node.handlers)
        if node.finalbody:
            yield [*node.body, *node.orelse, *(s for h in node.handlers for s in h.body)]
        elif caught:
            yield node.body


def _ends(expression: ast.expr) -> bool:
    """Whether an expression names an exception that gives a generator up."""
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return bool(names & {"GeneratorExit", "BaseException"})
