"""Faults planted in the heap of a module, each with the condition that it breaks.

A counterexample is a short sequence. The module with the fault, compiled, computes from it a
result, which must be wrong there, and right without the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import z3

from proofs.heap.conditions import Heap
from proofs.heap.values import Listed, differs, is_heap, is_heap_but
from wheelproof.prove import variants
from wheelproof.prove.kernel import VC, Control, Found, refuted
from wheelproof.tla import values
from wheelproof.tla.values import Undefined

ORDER, ELEMENTS = "order", "elements"


Operator = Callable[..., Sequence[int]]
"""A function from a list, and further arguments, to another list."""


class Source(Protocol):
    """The source of an operator, as it is or with one text in the place of another."""

    def changed(self, old: str, new: str) -> Callable[[], Any]:
        """How a heap loads it."""

    def operator(self, name: str, old: str = "", new: str = "") -> Operator:
        """An operator, as a function of plain data."""


@dataclass(frozen=True)
class Planted:
    """A text of a module with its replacement, and the operator of which a condition breaks.

    ``breaks``: the end of the condition's name. ``length``: of the counterexample. ``more``: the
    constraints on it, so that it is no state of a recursion that goes well all the same.
    """

    name: str
    says: str
    old: str
    new: str
    operator: str
    breaks: str
    length: int
    more: tuple[z3.BoolRef, ...] = ()

    def control(self, heap: Heap, origin: Source) -> Control:
        def find(seed: int) -> Found:
            variant = heap.sized(origin.changed(self.old, self.new), self.length)
            conditions: Mapping[str, Callable[[], list[VC]]] = {
                "Up": partial(variant.loop, "Up"),
                "Down": partial(variant.loop, "Down"),
                heap.offer: variant.offers,
                heap.poll: variant.polls,
            }
            (vc,) = [vc for vc in conditions[self.operator]() if vc.name.endswith(self.breaks)]
            vc = replace(vc, vivid=[*vc.vivid, *self.more])
            return refuted(vc, self.says, self.replay(heap, origin)).find(seed)

        return Control(self.name, self.says, find)

    def replay(self, heap: Heap, origin: Source) -> Callable[[z3.ModelRef], str]:
        def contradiction(model: z3.ModelRef) -> str:
            case = Case(heap, self.operator, Listed(model, heap.keyed))
            if self.breaks == ORDER and not case.allowed():
                return f"{case.shown()} is not what {self.operator} may be called with"
            if right := case.fault(origin.operator(self.operator), self.breaks):
                return f"it is wrong without the fault: {right}"
            wrong = case.fault(origin.operator(self.operator, self.old, self.new), self.breaks)
            return "" if wrong else f"of {case.shown()} it makes what it should"

        return contradiction


@dataclass(frozen=True)
class Case:
    """The arguments of an operator, in a counterexample."""

    heap: Heap
    operator: str
    found: Listed

    @property
    def elements(self) -> list[int]:
        return self.found.elements("s")

    @property
    def place(self) -> int:
        return self.found.value("place")

    @property
    def new(self) -> int:
        return self.found.value("new")

    def shown(self) -> str:
        return f"keys {self.keys(self.elements)}, place {self.place}"

    def keys(self, elements: Sequence[int]) -> list[int]:
        return [self.found.key(element) for element in elements]

    def allowed(self) -> bool:
        """Whether the order is as the operator needs it."""
        keys = self.keys(self.elements)
        if self.operator in ("Up", "Down"):
            return 1 <= self.place <= len(keys) and is_heap_but(
                keys, self.place, lifts=self.operator == "Up"
            )
        return is_heap(keys)

    def arguments(self) -> list[Any]:
        more = {"Up": [self.place], "Down": [self.place], self.heap.offer: [self.new]}
        items = [self.elements, *more.get(self.operator, [])]
        if self.heap.keyed:
            items.append(
                {element: self.found.key(element) for element in (*self.elements, self.new)}
            )
        return items

    def expected(self) -> list[int]:
        """The elements that the result has, in some order."""
        additions = [self.new] if self.operator == self.heap.offer else []
        return [*self.elements, *additions][1 if self.operator == self.heap.poll else 0 :]

    def fault(self, compute: Operator, goal: str) -> str:
        """The fault of the result; "" where there is none."""
        try:
            result = compute(*self.arguments())
        except Undefined as error:
            return error.message
        if goal == ELEMENTS and differs(result, self.expected()):
            return f"{list(result)} has other elements"
        if goal == ORDER and not is_heap(self.keys(result)):
            return f"{self.keys(result)} is no heap"
        return ""


@dataclass(frozen=True)
class Specified:
    """The module of a mechanism, compiled."""

    mechanism: str

    def changed(self, old: str, new: str) -> Callable[[], Any]:
        return lambda: variants.specification(self.mechanism, ((old, new),)).module

    def operator(self, name: str, old: str = "", new: str = "") -> Operator:
        mechanism = variants.mechanisms()[self.mechanism]
        code = variants.specification(self.mechanism, ((old, new),) if old else ())
        scenario = next(iter(mechanism.scenarios.values()))
        threads: Any = scenario["threads"]
        model = code.model(mechanism.constants_of(scenario), tuple(threads))
        call = model.env.function(lambda program: program.define(code.module.definition(name)))
        plain = model.env.values.from_plain

        def compute(*arguments: Any) -> Sequence[int]:
            result: Sequence[int] = values.as_plain(call(*model.initial(), *map(plain, arguments)))
            return result

        return compute
