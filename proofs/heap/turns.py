"""Methods of ``impl/delay_queue.py`` on symbols: one turn of a loop, and each whole method.

The text is taken as it is, but that a method returns after one turn of its loop, with its names. So
it ends after a turn, or the loop is over and the statements behind it have run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import z3

from proofs.heap.sequences import Key
from wheelproof.prove.arithmetic import meaning
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.symbolic import Condition, Symbol, term

CLASS = "DelayQueue"


class Element:
    """An element of the queue. ``of``: its number. ``left``: how long until an element is due."""

    def __init__(self, value: Any, key: Key, remainder: Key) -> None:
        self.of, self.key, self.left = value, key, remainder

    def compare_to(self, element: Element) -> Symbol:
        return Symbol(self.key(self.of) - self.key(element.of))

    def get_delay(self) -> Symbol:
        return Symbol(self.left(self.of))


class Elements:
    """A list of any length, from 0 on. ``read``: claims that a place is one of the list."""

    def __init__(self, length: Any, at: Key, key: Key, remainder: Key) -> None:
        self.length, self.at, self.key, self.left = length, at, key, remainder
        self.read: list[z3.BoolRef] = []

    def place(self, index: Any) -> Any:
        position = plain(term(index))
        self.read.append(z3.And(0 <= position, position < self.length))
        return position

    def __getitem__(self, index: Any) -> Element:
        return Element(self.at(self.place(index)), self.key, self.left)

    def __setitem__(self, index: Any, new: Element) -> None:
        self.put(self.place(index), new.of)

    def put(self, place: Any, new: Any) -> None:
        before = self.at
        self.at = lambda slot: z3.If(slot == place, new, before(slot))

    def append(self, new: Element) -> None:
        end, self.length = self.length, self.length + 1
        self.put(end, new.of)

    def pop(self) -> Element:
        last = self[Symbol(self.length - 1)]
        self.length = self.length - 1
        return last

    def __bool__(self) -> bool:
        return bool(Condition(self.length > 0))

    def size(self) -> Symbol:
        return Symbol(self.length)


def plain(formula: Any) -> Any:
    """A term with quotients as SMT-LIB has them (A-DIV)."""
    return meaning(formula)


def method(text: str, name: str) -> Callable[..., Any]:
    """A method of the class in a module's text. One with a loop returns after one turn, with names.

    ProofError: there is no such method, or its loop is none that a turn can be taken of.
    """
    methods = [
        definition
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == CLASS
        for definition in node.body
        if isinstance(definition, ast.FunctionDef) and definition.name == name
    ]
    if len(methods) != 1:
        raise ProofError(f"{CLASS} has {len(methods)} methods {name}.")
    (definition,) = methods
    loops = [node for node in ast.walk(definition) if isinstance(node, ast.While | ast.For)]
    if loops:
        _one_turn(definition, loops)
    later = ast.parse("from __future__ import annotations").body
    whole = ast.fix_missing_locations(ast.Module([*later, definition], []))
    names: dict[str, Any] = {"len": lambda elements: elements.size()}
    exec(compile(whole, f"{CLASS}.{name}", "exec"), names)
    function: Callable[..., Any] = names[name]
    return function


def _one_turn(definition: ast.FunctionDef, loops: list[ast.While | ast.For]) -> None:
    """Have a method return its names after a turn.

    The next turn is then the method again, with the index and the element of these names: the
    statements before its loop must not depend on turns.
    """
    (loop, *more), name = loops, definition.name
    if more or not isinstance(loop, ast.While) or loop.orelse or loop not in definition.body:
        raise ProofError(f"{CLASS}.{name} has another loop than one `while`.")
    if any(isinstance(node, ast.Continue) for node in ast.walk(loop)):
        raise ProofError(f"{CLASS}.{name} has a `continue`, which the turn would miss.")
    before = definition.body[: definition.body.index(loop)]
    if common := _names(before) & _names([loop], ast.Store):
        raise ProofError(f"{CLASS}.{name} changes {', '.join(sorted(common))} in its loop.")
    loop.body.append(ast.parse("return locals()").body[0])


def _names(
    nodes: Sequence[ast.AST], context: type[ast.expr_context] = ast.expr_context
) -> set[str]:
    """The names that are used within nodes, or set: ``ast.Store``."""
    return {
        child.id
        for node in nodes
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, context)
    }


class Gate:
    """A gate of which nothing is known but that it can be taken and notified."""

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...

    def notify(self) -> None: ...


@dataclass(frozen=True)
class Moved:
    """A call of a loop, and the list at that moment."""

    operator: str
    index: Any
    element: Any
    length: Any
    at: Key


def queue(heap: Elements, moves: list[Moved]) -> SimpleNamespace:
    """A queue with this heap. ``moves``: takes the calls of its loops."""

    def recorder(name: str) -> Callable[[Any, Element], None]:
        def record(index: Any, element: Element) -> None:
            place = plain(term(index))
            moves.append(Moved(name, place, element.of, heap.length, heap.at))

        return record

    return SimpleNamespace(heap=heap, gate=Gate(), _up=recorder("Up"), _down=recorder("Down"))
