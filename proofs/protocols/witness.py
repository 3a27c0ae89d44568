"""States that a system reaches, as constraints: for each action one in which it can be taken.

A condition whose premises no state satisfies would hold for want of anything to check. The solver
looks for a model of the premises that is such a state, with exactly the scope's elements: there
is one, and it is soon found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from proofs.protocols.faults import Scope
from proofs.solvers import trusted
from proofs.ts import WHOLE, System
from proofs.ts_concrete import Compiled, Instance, Move, State


class Witnesses:
    """A depth-first search from the scope's start until every action was taken.

    ``missing``: the actions that it did not find.
    """

    def __init__(self, system: System, scope: Scope, bound: int = 200_000) -> None:
        self.system = system
        self.instance = Instance(Compiled(system), scope.elements, scope.rigid, scope.numbers)
        self.start = self.instance.state(scope.start)
        self.roles = scope.roles
        self.taken: dict[str, tuple[State, Move]] = {}
        self.missing = frozenset(system.actions())
        self.last = self.start
        self._search(bound)

    def _search(self, bound: int) -> None:
        begins = {name: action.begins for name, action in self.system.actions().items()}
        threads = self.instance.elements[self.system.SORTS[0].name]
        first = (self.start, (0,) * len(threads))
        seen, waiting = {first}, [first]
        while waiting:
            state, begun = waiting.pop()
            for move in self.instance.moves(state):
                mover, after = move.arguments[0], begun
                if begins[move.action]:
                    if begun[
                        mover
                    ] >= self.roles.operations or move.action not in self.roles.begins.get(
                        threads[mover], ()
                    ):
                        continue
                    after = (*begun[:mover], begun[mover] + 1, *begun[mover + 1 :])
                if move.action not in self.taken:
                    self.taken[move.action] = (state, move)
                    self.missing -= {move.action}
                    self.last = state
                if (move.after, after) not in seen:
                    seen.add((move.after, after))
                    waiting.append((move.after, after))
            if not self.missing or len(seen) > bound:
                return

    # -- as constraints

    def size(self) -> Iterator[z3.BoolRef]:
        """Every sort has the scope's elements and its null, and no others."""
        for sort in self.system.SORTS:
            if sort == WHOLE:
                continue
            elements = [
                self.element(sort.name, number) for number in self.instance.places[sort.name]
            ]
            every = z3.Const(f"every_{sort.name}", sort.z3)
            yield z3.Distinct(*elements)
            yield z3.ForAll([every], z3.Or([every == one for one in elements]))

    def element(self, sort: str, number: int) -> z3.ExprRef:
        """The constant that stands for an element."""
        of = self.instance.sorts[sort]
        if of == WHOLE:
            return z3.IntVal(number)
        return (
            of.null
            if number == -1
            else z3.Const(f"{sort}_{self.instance.elements[sort][number]}", of.z3)
        )

    def equal(self, term: z3.ExprRef, value: Any) -> Iterator[z3.BoolRef]:
        """That a term has a value."""
        of = term.sort()
        if isinstance(of, z3.ArraySortRef):
            index = of.domain().name()
            for number in self.instance.places[index]:
                yield from self.equal(term[self.element(index, number)], value[number])
        elif isinstance(of, z3.DatatypeSortRef):
            yield term == of.constructor(value)()
        elif of.name() in self.instance.sorts and of != WHOLE.z3:
            yield term == self.element(of.name(), value)
        else:
            yield term == value

    @trusted()
    def in_state(self, state: State) -> list[z3.BoolRef]:
        """The constraints of a state."""
        s = self.system.symbols()
        found = [*self.size()]
        for name, value in zip(self.system.VARIABLES, state, strict=True):
            found += self.equal(getattr(s, name), value)
        for name in self.system.RIGID:
            found += self.equal(getattr(s, name), self.instance.rigid[name])
        return found

    @trusted()
    def before(self, action: str) -> list[z3.BoolRef]:
        """The constraints of a state in which an action can be taken, with its arguments.

        They are False where no run takes it.
        """
        if action not in self.taken:
            return [z3.BoolVal(False)]
        state, move = self.taken[action]
        arguments = self.system.arguments(self.system.actions()[action])
        found = self.in_state(state)
        for term, value in zip(arguments.values(), move.arguments, strict=True):
            found += self.equal(term, value)
        return found
