"""One schedule of a scenario on compiled classes, compared with the model state by state."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from wheelproof.choices import Move
from wheelproof.graph.reduced import settle, settled_with_results
from wheelproof.jvm.answers import Replayed
from wheelproof.jvm.process import FAILED, MOVES, STUTTER, frozen
from wheelproof.jvm.values import Encoder
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State, outcomes_of
from wheelproof.python.search.difference import compare_enabled, compare_results


class Followed:
    """The answer of :meth:`wheelproof.jvm.process.Jvm.replay`, beside a scenario's model.

    ``pairs``: labels of steps that are one step of the classes.

    ``states``: of the classes, the initial one first. ``fault``: why the schedule could not be
    followed to its end; "" where it could.
    """

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
        self.results = [tuple(map(frozen, json.loads(text))) for text in answer["results"]]
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
        ended, theirs = outcomes_of(self.model), None
        if ended is not None:
            before = self.settled(before)
            moves = [move[2] for move in self.model.successors(before) if move[0] == thread]
            _, theirs = settled_with_results(
                self.model, self.silent, ended, thread, before, moves[0]
            )
        mine = self.results[steps]
        return compare_results(mine, theirs, self.model.threads[thread]) or ""

    def difference(self, steps: int, state: State) -> str:
        """How the classes differ from a model state after so many steps; "" if they do not."""
        if steps >= len(self.states):
            return self.fault or "the run ended before this step"
        mine, state = self.states[steps], self.settled(state)
        for each in mine["threads"]:
            if each["standing"] == FAILED:
                return f"{each['thread']} ends with {each['failure']}"
        shared, expected = tuple(mine["shared"]), self.encoder.shared(state)
        if shared != expected:
            ours, theirs = self.encoder.split(shared), self.encoder.split(expected)
            return ", ".join(name for name in theirs if ours.get(name) != theirs[name]) + " differs"
        labels = [each["label"] for each in mine["threads"]]
        for thread, label, process in zip(self.model.threads, labels, state[1]):
            if label not in (STUTTER, process[0]):
                return f"{thread} is at {label}, in the model at {process[0]}"
        able = {
            index: each["label"]
            for index, each in enumerate(mine["threads"])
            if each["standing"] == MOVES and each["label"] != STUTTER
        }
        row: dict[Move, tuple[str, int]] = {
            index: (label, 0)
            for index, label, _ in self.model.successors(state)
            if labels[index] != STUTTER
        }
        parted = compare_enabled(able, row, self.model.threads, labels)
        return parted[1] if parted else ""
