"""The verification conditions of a module's heap, from its operators as SANY has read them.

``Up`` and ``Down`` are recursive. A condition is about one unfolding: a call within it gives any
sequence for which the claim holds, if its place is nearer to the end of the recursion (A-INDUCTION)
and the call is one that the claim is about. ``Offer`` and ``Poll`` call them once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import z3

from proofs.heap import counting
from proofs.heap.reading import Reading
from proofs.heap.sequences import ELEMENT, Key, Sequence, is_heap, once, rises, sinks
from proofs.heap.unfolding import Called, Keys, Unfolding
from wheelproof.prove.kernel import VC, ProofError

NEW, PLACE = z3.Ints("new place")
S = Sequence.any("s")
KEY = z3.Function("key", z3.IntSort(), z3.IntSort())


@dataclass(frozen=True)
class Loop:
    """A recursive operator. ``but``: the heap but for one place that it is called with.

    ``may``: the places that it may be called with. ``nearer``: whether a call is nearer to the end.
    """

    but: Callable[[Sequence, Key, Any, int | None], z3.BoolRef]
    may: Callable[[Sequence, Any], z3.BoolRef]
    nearer: Callable[[Sequence, Any, Sequence, Any], z3.BoolRef]


LOOPS = {
    "Up": Loop(rises, lambda s, i: s.has(i), lambda t, j, s, i: j < i),
    # A place behind the end has no children, as one without children has none.
    "Down": Loop(
        sinks,
        lambda s, i: z3.And(1 <= i, 0 <= s.length),
        lambda t, j, s, i: z3.And(i <= s.length, t.length - j < s.length - i),
    ),
}


@dataclass(frozen=True)
class Heap:
    """The operators of a module's heap.

    ``load``: the module. ``prefix``: of its theorems' names. ``keyed``: elements have keys, which
    the operators are given; else an element is its own key. ``offer``, ``poll``: the names of the
    operators that put an element in and take the first one out. ``size``: bounds the places, for a
    control.

    LOOP, OFFER, POLL: the names of the conditions. MORE: further statements of the theorem about
    ``poll`` says.
    """

    LOOPS: ClassVar[Mapping[str, Loop]] = LOOPS
    LOOP: ClassVar[tuple[str, ...]] = ("places", "elements", "order")
    OFFER: ClassVar[tuple[str, ...]] = ("elements", "order")
    POLL: ClassVar[tuple[str, ...]] = LOOP
    MORE: ClassVar[str] = ""
    ASSUMES: ClassVar[tuple[str, ...]] = ("A-DIV", "A-INDUCTION")

    load: Callable[[], Any]
    prefix: str
    keyed: bool = True
    offer: str = "Offer"
    poll: str = "Poll"
    size: int | None = None

    @property
    def key(self) -> Key:
        return KEY if self.keyed else lambda element: element

    def title(self, operator: str) -> str:
        """The name of the theorem about an operator."""
        return f"{self.prefix}.{operator}"

    def shown(self, operator: str) -> str:
        """The operator's own name."""
        return operator

    def sized(self, load: Callable[[], Any], length: int) -> Heap:
        """The same of another module, for sequences of this length and one more."""
        return replace(self, load=load, size=length + 1)

    def read(self, operator: str, *arguments: Any) -> tuple[Unfolding, Sequence]:
        """An operator's unfolding, and its value."""
        reading = Reading(self.load())
        values = (*arguments, Keys(KEY)) if self.keyed else arguments
        value = reading.unfolded(operator, *values)
        loops = {operator} if operator in self.LOOPS else {*self.LOOPS}
        if strange := {call.operator for call in reading.called} - loops:
            raise ProofError(
                f"{self.prefix}: {operator} calls {', '.join(sorted(strange))}, which is another "
                "recursion. Give it a condition of its own."
            )
        return reading, value

    def vivid(self) -> list[z3.BoolRef]:
        """A small heap, in which the elements are their keys; or any of the bounded length."""
        if self.size is not None:
            length = S.length == self.size - 1
            if not self.keyed:
                return [length]
            elements = [S.at(z3.IntVal(number)) == number for number in range(1, self.size)]
            return [length, NEW == self.size, *elements]
        premises = [*counting.listed(S, 1, 2, 3), PLACE == 2, NEW == 4, ELEMENT == 2]
        return premises + [KEY(z3.IntVal(number)) == number for number in range(1, 5)]

    # -- Up and Down

    def loop(self, name: str) -> list[VC]:
        """The conditions of a recursive operator: its places, its elements, and its order."""
        return [self.places(name), self.keeps(name), self.orders(name)]

    def places(self, name: str) -> VC:
        """Each place that is read is one of the sequence."""
        reading, _ = self.read(name, S, PLACE)
        premises = {"place": self.LOOPS[name].may(S, PLACE), **reading.defined()}
        return self.vc(f"{name}: places", premises, z3.And(reading.obligations))

    def keeps(self, name: str) -> VC:
        """The elements are the same, each as often, under all keys."""
        loop = self.LOOPS[name]
        reading, value = self.read(name, S, PLACE)
        premises, cites = {"place": loop.may(S, PLACE), **reading.defined()}, {}
        for number, call in enumerate(reading.called, 1):
            t, j = self.called(call)
            premises[f"{call.operator} goes on #{number}"] = z3.Implies(
                z3.And(call.path, self.allowed(call), loop.nearer(t, j, S, PLACE)), kept(call)
            )
            lemma = f"Heap.Swap #{number}"
            premises[lemma] = counting.swap_keeps(S, t, PLACE, j, self.size)
            cites[lemma] = "Heap.Swap"
        for number, t in enumerate(reading.ended, len(reading.called) + 1):
            # Nothing has changed places: an element with itself.
            lemma = f"Heap.Swap #{number}"
            premises[lemma] = counting.swap_keeps(S, t, PLACE, PLACE, self.size)
            cites[lemma] = "Heap.Swap"
        goal = z3.And(value.length == S.length, value.total == S.total)
        return self.vc(f"{name}: elements", premises, goal, cites)

    def orders(self, name: str) -> VC:
        """The result is a heap, if the sequence was one but for the key at the place."""
        loop = self.LOOPS[name]
        reading, value = self.read(name, S, PLACE)
        premises = {
            "place": loop.may(S, PLACE),
            **reading.defined(),
            "heap but for the place": loop.but(S, self.key, PLACE, self.size),
        }
        for number, call in enumerate(reading.called, 1):
            t, j = self.called(call)
            nearer = loop.nearer(t, j, S, PLACE)
            premises[f"{call.operator} goes on #{number}"] = z3.Implies(
                z3.And(call.path, nearer), self.ordered(call)
            )
        return self.vc(f"{name}: order", premises, is_heap(value, self.key, self.size))

    # -- a call as a premise

    def called(self, call: Called) -> tuple[Sequence, Any]:
        """The sequence and the place of a call."""
        t, j, *keys = call.arguments
        if keys != ([Keys(KEY)] if self.keyed else []):
            raise ProofError(f"{self.prefix}: {call.operator} is called with other keys.")
        return t, j

    def allowed(self, call: Called) -> z3.BoolRef:
        return self.LOOPS[call.operator].may(*self.called(call))

    def ordered(self, call: Called) -> z3.BoolRef:
        """The statement of the operator's theorem on the order, of this call."""
        t, j = self.called(call)
        before = self.LOOPS[call.operator].but(t, self.key, j, self.size)
        after = is_heap(call.result, self.key, self.size)
        return z3.Implies(z3.And(self.allowed(call), before), z3.And(after, kept(call)))

    def citing(self, reading: Unfolding, order: bool) -> tuple[dict[str, Any], dict[str, str]]:
        """The statements about each call, and which theorem they are of."""
        premises, cites = {}, {}
        for number, call in enumerate(reading.called, 1):
            theorem = self.title(call.operator)
            claim = self.ordered(call) if order else z3.Implies(self.allowed(call), kept(call))
            premises[f"{theorem} #{number}"] = z3.Implies(call.path, claim)
            cites[f"{theorem} #{number}"] = theorem
        return premises, cites

    # -- Offer and Poll

    def offers(self) -> list[VC]:
        """A heap with one more element is a heap, and has this element once more."""
        length = {"length": S.length >= 0}
        reading, value = self.read(self.offer, S, NEW)
        order, cites = self.citing(reading, order=True)
        order_vc = self.vc(
            "order",
            {
                **length,
                **reading.defined(),
                "heap": is_heap(S, self.key, self.size),
                **order,
            },
            is_heap(value, self.key, self.size),
            cites,
        )
        premises, cites = self.citing(reading, order=False)
        for number, call in enumerate(reading.called, 1):
            lemma = f"Heap.Append #{number}"
            premises[lemma] = counting.append_adds(S, self.called(call)[0], self.size)
            cites[lemma] = "Heap.Append"
        read = [] if "places" in self.OFFER else reading.obligations
        goal = z3.And(value.length == S.length + 1, value.total == S.total + once(NEW), *read)
        return [
            self.vc("elements", {**length, **reading.defined(), **premises}, goal, cites),
            order_vc,
        ]

    def polls(self) -> list[VC]:
        """The rest of a heap is a heap, and lacks the first element once."""
        reading, value = self.read(self.poll, S)
        order, cites = self.citing(reading, order=True)
        order_vc = self.vc(
            "order",
            {
                "length": S.length >= 0,
                **reading.defined(),
                "heap": is_heap(S, self.key, self.size),
                **order,
            },
            is_heap(value, self.key, self.size),
            cites,
        )
        premises, cites = self.citing(reading, order=False)
        rests = [*(self.called(call)[0] for call in reading.called), *reading.ended]
        for number, t in enumerate(rests, 1):
            lemma = f"Heap.Rest #{number}"
            premises[lemma] = counting.rest_lacks_first(S, t, self.size)
            cites[lemma] = "Heap.Rest"
        removal = once(S.at(z3.IntVal(1)))
        goal = z3.And(value.length == S.length - 1, value.total == S.total - removal)
        nonempty = {"some": S.length >= 1, **reading.defined()}
        return [
            self.vc("places", nonempty, z3.And(reading.obligations)),
            self.vc("elements", {**nonempty, **premises}, goal, cites),
            order_vc,
        ]

    def vc(
        self,
        name: str,
        premises: dict[str, z3.BoolRef],
        goal: z3.BoolRef,
        cites: dict[str, str] | None = None,
    ) -> VC:
        return VC(name, premises, goal, self.vivid(), cites=cites or {})


def kept(call: Called) -> z3.BoolRef:
    """The result has the elements of the sequence, each as often."""
    t = call.arguments[0]
    return z3.And(call.result.length == t.length, call.result.total == t.total)
