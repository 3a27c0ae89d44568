"""An implementation under control with its model beside it: the model is the oracle of what an operation does."""
from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from model.pluscal import Machine
from wheelproof.explore import StepError, Subject
from wheelproof.explore.difference import compare_enabled, compare_shared
from wheelproof.graph.reduced import settle


class Beside:
    """A scenario on both sides. After every step the two are compared: who can move, with which step, and all shared variables.

    ``rests``: the labels at which a thread is between two rounds of an operation that it repeats. Its methods raise AssertionError where the
    two sides differ, where the implementation breaks down, and where the model's state violates one of its properties.
    """

    def __init__(self, subject: Subject, model: Machine, silent: frozenset[str], scenario: Mapping[str, Any], rests: Collection[str]) -> None:
        self.model, self.rests = model, frozenset(rests)
        self.names = list(scenario["threads"])
        self._settled = settle(model, silent)
        self.state = self._settled(model.initial())
        self.run = subject.begin(scenario)
        self._compare("at the start")

    def can_move(self, name: str) -> bool:
        return self.run.threads[self.names.index(name)].enabled

    def step(self, name: str) -> None:
        """The thread takes one step, on both sides; it must be able to."""
        index = self.names.index(name)
        thread = self.run.threads[index]
        after = f"after {name}.{thread.label}"
        try:
            self.run.step(index)
        except StepError as error:
            raise AssertionError(f"{after}: {error.message}") from None
        # the two could take the same steps before this one: that has been compared
        self.state = self._settled(next(state for thread, _, state in self.model.successors(self.state) if thread == index))
        self._compare(after)

    def let(self, name: str) -> bool:
        """The thread takes one operation, or one round of one; False if somebody else keeps it from ending that."""
        thread = self.run.threads[self.names.index(name)]
        position = thread.position
        while thread.enabled:
            self.step(name)
            if thread.position != position or thread.label in self.rests:
                return True
        return thread.label in self.rests or thread.label == "Done"

    def end(self) -> None:
        self.run.end()

    def _compare(self, after: str) -> None:
        mine, theirs = self.run.shared(), self._shared()
        if compare_shared(mine, theirs):
            cells = [f"{name}[{at}] is {one!r}, {two!r} in the model" for name in mine
                     for at, (one, two) in enumerate(zip(mine[name], theirs[name], strict=True), 1) if one != two]
            raise AssertionError(f"{after}: {'; '.join(cells)}")
        row = {index: (label, 0) for index, label, _ in self.model.successors(self.state)}
        parted = compare_enabled(self.run.enabled(), row, self.names, self.run.labels)
        assert parted is None, f"{after}: {parted[1]}"
        violated = [name for name in self.model.INVARIANTS if not self.model.holds(name, self.state)]
        assert not violated, f"{after}: the model violates {', '.join(violated)}"

    def _shared(self) -> dict[str, tuple]:
        pieces = dict(zip(self.model.variables, self.model.pieces(self.state)))
        return {name: piece for name, piece in pieces.items() if name not in self.model.AUXILIARY}
