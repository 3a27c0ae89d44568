"""Faults planted in the heap of a module, each with the condition that it breaks.

A counterexample is a short sequence. The module with the fault, compiled, computes from it what it
makes of the sequence, which must be wrong there, and right without the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from proofs.heap.conditions import Heap
from proofs.heap.values import Listed, differs, is_heap, is_heap_but
from proofs.kernel import Control, Found, refuted
from proofs.protocols import mutated
from wheelproof.tla import values
from wheelproof.tla.values import Undefined

ORDER, ELEMENTS = "order", "elements"


@dataclass(frozen=True)
class Planted:
    """A text of a module with what stands for it, and the operator of which a condition breaks.

    ``breaks``: the end of the condition's name. ``length``: of the counterexample. ``more``: what
    it is like, so that it is no state of a recursion that goes well all the same.
    """

    name: str
    says: str
    old: str
    new: str
    operator: str
    breaks: str
    length: int
    more: tuple[z3.BoolRef, ...] = ()

    def control(self, heap: Heap, mechanism: str) -> Control:
        def find(seed: int) -> Found:
            changed = heap.sized(lambda: _module(mechanism, self), self.length)
            made = {
                "Up": lambda: changed.loop("Up"),
                "Down": lambda: changed.loop("Down"),
                heap.offer: changed.offers,
                heap.poll: changed.polls,
            }[self.operator]()
            (vc,) = [each for each in made if each.name.endswith(self.breaks)]
            vc = replace(vc, vivid=[*vc.vivid, *self.more])
            return refuted(vc, self.says, self.replay(heap, mechanism)).find(seed)

        return Control(self.name, self.says, find)

    def replay(self, heap: Heap, mechanism: str) -> Callable[[z3.ModelRef], str]:
        def confirmed(model: z3.ModelRef) -> str:
            found = Listed(model, heap.keyed)
            case = Case(heap, self.operator, found)
            if self.breaks == ORDER and not case.allowed():
                return f"{case.shown()} is not what {self.operator} may be called with"
            wrong = case.fault(operator(mechanism, self.operator, self), self.breaks)
            right = case.fault(operator(mechanism, self.operator), self.breaks)
            if right:
                return f"it is wrong without the fault: {right}"
            return "" if wrong else f"of {case.shown()} it makes what it should"

        return confirmed


@dataclass(frozen=True)
class Case:
    """What an operator is called with, in a counterexample."""

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
        return [self.found.key(each) for each in elements]

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
        of = [self.elements, *more.get(self.operator, [])]
        if self.heap.keyed:
            of.append({each: self.found.key(each) for each in (*self.elements, self.new)})
        return of

    def expected(self) -> list[int]:
        """The elements that the result has, in some order."""
        added = [self.new] if self.operator == self.heap.offer else []
        return [*self.elements, *added][1 if self.operator == self.heap.poll else 0 :]

    def fault(self, compute: Callable[..., Sequence[int]], of: str) -> str:
        """What is wrong with the result; "" where nothing is."""
        try:
            made = compute(*self.arguments())
        except Undefined as error:
            return error.message
        if of == ELEMENTS and differs(made, self.expected()):
            return f"{list(made)} has other elements"
        if of == ORDER and not is_heap(self.keys(made)):
            return f"{self.keys(made)} is no heap"
        return ""


def _module(mechanism: str, fault: Planted) -> Any:
    return mutated.specification(mechanism, ((fault.old, fault.new),)).module


def operator(
    mechanism: str, name: str, fault: Planted | None = None
) -> Callable[..., Sequence[int]]:
    """An operator of a mechanism's module, compiled, as a function of plain data."""
    of = mutated.mechanisms()[mechanism]
    changes = ((fault.old, fault.new),) if fault else ()
    compiled = mutated.specification(mechanism, changes)
    scenario = next(iter(of.scenarios.values()))
    model = compiled.model(of.constants_of(scenario), tuple(scenario["threads"]))
    call = model.env.function(
        lambda program: program.define(compiled.module.definition(name))
    )
    plain = model.env.values.from_plain

    def compute(*given: Any) -> Sequence[int]:
        found: Sequence[int] = values.as_plain(call(*model.initial(), *map(plain, given)))
        return found

    return compute
