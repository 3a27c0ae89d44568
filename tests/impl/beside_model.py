"""An implementation under control with its model beside it, as the oracle of each operation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from model.pluscal import Machine
from wheelproof.graph.reduced import settle
from wheelproof.python import ControlledImplementation, StepError
from wheelproof.python.runtime.threads import Thread
from wheelproof.python.search.difference import compare_enabled, compare_shared


class Beside:
    """A scenario on both sides, compared after every step.

    Compared are the enabled threads, their steps and all shared variables. After the last step of
    a call the model's properties are checked too.

    ``rests``: the labels between two rounds of an operation that repeats. The methods raise
    AssertionError where the sides differ, the implementation breaks down, or a property fails.
    """

    def __init__(
        self,
        subject: ControlledImplementation,
        model: Machine,
        silent: frozenset[str],
        scenario: Mapping[str, Any],
        rests: Collection[str],
    ) -> None:
        self.model, self.rests = model, frozenset(rests)
        self.names = list(scenario["threads"])
        self._settled = settle(model, silent)
        self.state = self._settled(model.initial())
        self.run = subject.begin(scenario)
        self._compare("at the start")

    def can_move(self, name: str) -> bool:
        return self.run.threads[self.names.index(name)].enabled

    def at_rest(self, name: str) -> bool:
        """The thread is before an operation or a round of one, or at its end."""
        thread = self.run.threads[self.names.index(name)]
        return thread.label in self.rests or thread.label == "Done"

    def let(self, name: str) -> bool:
        """The thread takes one operation, or a round of one; False if another thread blocks it."""
        thread = self.run.threads[self.names.index(name)]
        position = thread.position
        while thread.enabled:
            after = self._step(thread)
            if thread.position != position or thread.label in self.rests or not thread.enabled:
                self._properties(after)
                break
        return thread.position != position or thread.label in self.rests or thread.label == "Done"

    def some_steps(self, name: str, count: int) -> None:
        """The thread takes so many steps, or as many of them as it can."""
        thread, after = self.run.threads[self.names.index(name)], "before"
        while count and thread.enabled:
            after, count = self._step(thread), count - 1
        self._properties(after)

    def end(self) -> None:
        self.run.end()

    def _step(self, thread: Thread) -> str:
        after = f"after {thread.name}.{thread.label}"
        try:
            self.run.step(thread.index)
        except StepError as error:
            raise AssertionError(f"{after}: {error.message}") from None
        # both could take the same steps before this one: that has been compared
        self.state = self._settled(
            next(
                state
                for index, _, state in self.model.successors(self.state)
                if index == thread.index
            )
        )
        self._compare(after)
        return after

    def _compare(self, after: str) -> None:
        mine, theirs = self.run.shared(), self._shared()
        if compare_shared(mine, theirs):
            cells = [
                f"{name}[{at}] is {one!r}, {two!r} in the model"
                for name in mine
                for at, (one, two) in enumerate(zip(mine[name], theirs[name], strict=True), 1)
                if one != two
            ]
            raise AssertionError(f"{after}: {'; '.join(cells)}")
        row = {index: (label, 0) for index, label, _ in self.model.successors(self.state)}
        parted = compare_enabled(self.run.enabled(), row, self.names, self.run.labels)
        assert parted is None, f"{after}: {parted[1]}"

    def _properties(self, after: str) -> None:
        violated = [
            name for name in self.model.INVARIANTS if not self.model.holds(name, self.state)
        ]
        assert not violated, f"{after}: the model violates {', '.join(violated)}"

    def _shared(self) -> dict[str, tuple]:
        pieces = dict(zip(self.model.variables, self.model.pieces(self.state)))
        return {name: piece for name, piece in pieces.items() if name not in self.model.AUXILIARY}
