"""The heap of ``impl/delay_queue.py``: its methods on symbols do as the theorems say.

A list has its elements at places from 0, and the theorems count from 1. Within a loop the element
that moves is in no place yet. The sequence that a theorem is about is the list with that element
put at the loop's index. Any element may stand there meanwhile.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any

import z3

from impl import delay_queue
from proofs.heap.conditions import KEY, NEW, PLACE, Heap, S
from proofs.heap.counting import THEORY as COUNTING
from proofs.heap.planted import ELEMENTS, ORDER, Planted
from proofs.heap.planted_code import Text
from proofs.heap.sequences import Key, Sequence, either, places
from proofs.heap.submitted import operators
from proofs.heap.turns import Element, Elements, Moved, method, plain, queue
from proofs.heap.unfolding import Called, Keys, Unfolding
from wheelproof.prove.kernel import VC, ProofError, Theory
from wheelproof.prove.symbolic import Symbol, paths

LEFT = z3.Function("delay", z3.IntSort(), z3.IntSort())
"""How long it is until an element is due."""
HOLE = z3.Int("hole")
METHODS = {"Up": "_up", "Down": "_down"}


@dataclass(frozen=True)
class Run:
    """One path of a method. ``result``: its value."""

    path: z3.BoolRef
    heap: Elements
    moved: list[Moved]
    result: Any


@dataclass(frozen=True)
class Code(Heap):
    """The same of the methods in a module's text, which ``load`` gives.

    A loop is begun at a place of the list, since it puts the element there.
    """

    OFFER = ("places", *Heap.OFFER)
    POLL = (*Heap.POLL, "first")
    MORE = " It hands out the first element, if that is due. Else the list stays as it is."
    ASSUMES = (*Heap.ASSUMES, "A-PYTHON")
    LOOPS = {name: replace(loop, may=Sequence.has) for name, loop in Heap.LOOPS.items()}

    def title(self, operator: str) -> str:
        return f"{self.prefix}.{self.shown(operator).strip('_')}"

    def shown(self, operator: str) -> str:
        return METHODS.get(operator, operator)

    def read(self, operator: str, *arguments: Any) -> tuple[Unfolding, Sequence]:
        """A method's paths as one value, with the calls that it makes or the turn that follows."""
        reading = Unfolding()
        runs = self.runs(operator, *arguments)
        if operator == self.poll:
            runs = [run for run in runs if run.result is not None]
            reading.given["taken"] = z3.Or([run.path for run in runs])
        results = [(run.path, self.value(operator, run, reading)) for run in runs]
        for run in runs:
            reading.obligations += [z3.Implies(run.path, claim) for claim in run.heap.read]
        *rest, (_, value) = results
        for path, result in reversed(rest):
            value = either(path, result, value)
        return reading, value

    def runs(self, operator: str, s: Sequence, *more: Any) -> list[Run]:
        """Every path of a method on a list of the sequence's elements."""
        name, at = operator, s.at
        inputs: list[Any] = [Element(term, KEY, LEFT) for term in more]
        if operator in METHODS:
            (place,) = more
            name, inputs = METHODS[operator], [Symbol(place - 1), Element(s.at(place), KEY, LEFT)]
            at = with_hole(s, place)
        code = method(self.load(), name)

        def run() -> tuple[Elements, list[Moved], Any]:
            heap = Elements(s.length, lambda index: at(index + 1), KEY, LEFT)
            moves: list[Moved] = []
            return heap, moves, code(queue(heap, moves), *inputs)

        return [Run(plain(path), *outcome) for path, outcome in paths(run)]

    def value(self, operator: str, run: Run, reading: Unfolding) -> Sequence:
        """The sequence that a path makes."""
        if operator in METHODS and run.result is not None:
            index, moving = run.result["index"], run.result["element"]
            heap = run.heap
            turn = Moved(operator, plain(index.term), moving.of, heap.length, heap.at)
            return self.goes_on(turn, run.path, reading)
        if run.moved:
            (move,) = run.moved
            if move.at is not run.heap.at or move.length is not run.heap.length:
                raise ProofError(f"{operator} changes the list behind a call of {move.operator}.")
            return self.goes_on(move, run.path, reading)
        end = reading.sequence(run.heap.length, from_one(run.heap.at))
        reading.ended.append(end)
        return end

    def goes_on(self, move: Moved, path: z3.BoolRef, reading: Unfolding) -> Sequence:
        """A call of a loop, or a turn that another one follows."""
        at = lambda j: z3.If(j == move.index + 1, move.element, move.at(j - 1))  # noqa: E731
        t = reading.sequence(move.length, at)
        result = Sequence.any(reading.fresh("result"))
        arguments = (t, move.index + 1, Keys(KEY))
        reading.called.append(Called(move.operator, path, arguments, result))
        return result

    def offers(self) -> list[VC]:
        reading, _ = self.read(self.offer, S, NEW)
        length = {"length": S.length >= 0}
        return [self.vc("places", length, z3.And(reading.obligations)), *super().offers()]

    def polls(self) -> list[VC]:
        return [*super().polls(), self.first()]

    def first(self) -> VC:
        """The first element is handed out, if it is due; else the list stays as it is."""
        claims = []
        for run in self.runs(self.poll, S):
            first = S.at(z3.IntVal(1))
            if run.result is not None:
                claim = z3.And(S.length >= 1, run.result.of == first, LEFT(first) <= 0)
            else:
                at = from_one(run.heap.at)
                claim = z3.And(
                    z3.Or(S.length == 0, LEFT(first) > 0),
                    run.heap.length == S.length,
                    places(S, lambda j, at=at: at(j) == S.at(j)),  # type: ignore[misc]
                )
            claims.append(z3.Implies(run.path, claim))
        return self.vc("first", {"length": S.length >= 0}, z3.And(claims))


def with_hole(s: Sequence, place: Any) -> Key:
    """The elements of a sequence, but at a place, where anything stands."""
    return lambda j: z3.If(j == place, HOLE, s.at(j))


def from_one(at: Key) -> Key:
    """Elements by places from 1, of those by places from 0."""
    return lambda j: at(j - 1)


def text() -> str:
    """The text of ``impl/delay_queue.py``."""
    return inspect.getsource(delay_queue)


HEAP = Code(text, "HeapCode", offer="offer", poll="_take")

FAULTS = (
    Planted(
        "stays below",
        "the loop ends where the key is below its parent's",
        "element.compare_to(heap[above]) >= 0",
        "element.compare_to(heap[above]) <= 0",
        "Up",
        ORDER,
        3,
    ),
    Planted(
        "another parent",
        "the parent of an index is half of it",
        "above = (index - 1) // 2",
        "above = index // 2",
        "Up",
        ORDER,
        5,
        (PLACE == 5, KEY(3) <= KEY(5)),
    ),
    Planted(
        "never put down",
        "an element that reaches the top is put nowhere",
        "            index = above\n        heap[index] = element",
        "            index = above\n        heap[index] = heap[index]",
        "Up",
        ELEMENTS,
        2,
    ),
    Planted(
        "the greater child",
        "the loop takes the child with the greater key",
        "heap[below].compare_to(heap[below + 1]) > 0",
        "heap[below].compare_to(heap[below + 1]) < 0",
        "Down",
        ORDER,
        3,
    ),
    Planted(
        "no last child",
        "the loop does not look at a right child that is the last element",
        "if below + 1 < size and",
        "if below + 2 < size and",
        "Down",
        ORDER,
        3,
    ),
    Planted(
        "stays at the end",
        "an element that is offered stays at the end",
        "self._up(len(self.heap) - 1, element)",
        "self._up(0, self.heap[0])",
        "offer",
        ORDER,
        1,
    ),
    Planted(
        "the last is lost",
        "what is taken off the end is put nowhere",
        "self._down(0, last)",
        "self._down(0, heap[0])",
        "_take",
        ELEMENTS,
        3,
    ),
)

THEORY = Theory("heap.code", mechanism="delay_queue", after=(COUNTING,))
operators(THEORY, HEAP, "impl/delay_queue.py, where compare_to goes by keys,", FAULTS, Text(text))
