"""One schedule of a scenario on compiled classes, compared with the model state by state."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from wheelproof.choices import Move
from wheelproof.graph.reduced import settle, settled_with_results
from wheelproof.jvm.answers import Replayed, Shown
from wheelproof.jvm.process import FAILED, MOVES, STUTTER, freeze
from wheelproof.jvm.values import Encoder
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State, outcomes_of
from wheelproof.python.search.difference import compare_enabled, compare_results


class Followed:
    """The answer of :meth:`wheelproof.jvm.process.Jvm.replay`, beside a scenario's model."""

    pairs: Collection[tuple[str, str]]
    """Labels of steps that are one step of the classes."""
    states: list[Shown]
    """The states of the classes, the initial one first."""
    fault: str
    """Why the schedule could not be followed to its end; "" where it could."""

    def __init__(
        self,
        mechanism: Mechanism,
        scenario: str,
        model: Model,
        answer: Replayed,
        names: Iterable[str] = (),
        pairs: Collection[tuple[str, str]] = (),
    ) -> None:
        self.pairs = pairs
        self.model, self.silent = model, mechanism.silent
        self.settled = settle(model, mechanism.silent)
        self.encoder = Encoder(model, mechanism.scenarios[scenario], names)
        self.states = answer["states"]
        self.results = [tuple(map(freeze, json.loads(text))) for text in answer["results"]]
        self.fault = answer["fault"] or ""

    def stutters(self, steps: int, thread: int) -> bool:
        """Whether a thread's next step, after so many, is one that the model lacks."""
        if steps >= len(self.states):
            return False
        return self.states[steps]["threads"][thread]["label"] == STUTTER

    def result(self, steps: int, thread: int, before: State) -> str:
        """How the results of a step differ from the model's; "" if they do not.

        ``steps``: how many came before it. ``before``: the model's state then.
        """
        if steps >= len(self.results):
            return ""
        outcomes, theirs = outcomes_of(self.model), None
        if outcomes is not None:
            before = self.settled(before)
            moves = [move[2] for move in self.model.successors(before) if move[0] == thread]
            _, theirs = settled_with_results(
                self.model, self.silent, outcomes, thread, before, moves[0]
            )
        ours = self.results[steps]
        return compare_results(ours, theirs, self.model.threads[thread]) or ""

    def difference(self, steps: int, state: State) -> str:
        """How the classes differ from a model state after so many steps; "" if they do not."""
        if steps >= len(self.states):
            return self.fault or "the run ended before this step"
        answer, state = self.states[steps], self.settled(state)
        for standing in answer["threads"]:
            if standing["standing"] == FAILED:
                return f"{standing['thread']} ends with {standing['failure']}"
        in_classes, in_model = tuple(answer["shared"]), self.encoder.shared(state)
        if in_classes != in_model:
            ours, theirs = self.encoder.split(in_classes), self.encoder.split(in_model)
            return ", ".join(name for name in theirs if ours.get(name) != theirs[name]) + " differs"
        labels = [standing["label"] for standing in answer["threads"]]
        for thread, label, process in zip(self.model.threads, labels, state[1]):
            if label not in (STUTTER, process[0]):
                return f"{thread} is at {label}, in the model at {process[0]}"
        able = {
            index: standing["label"]
            for index, standing in enumerate(answer["threads"])
            if standing["standing"] == MOVES and standing["label"] != STUTTER
        }
        row: dict[Move, tuple[str, int]] = {
            index: (label, 0)
            for index, label, _ in self.model.successors(state)
            if labels[index] != STUTTER
        }
        message = compare_enabled(able, row, self.model.threads, labels)
        return message[1] if message else ""
