"""One schedule of a scenario on compiled classes, compared with the model state by state."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from wheelproof.explore.difference import Results, compare_enabled, compare_results
from wheelproof.graph.reduced import settle, settled_with_results
from wheelproof.jvm.process import FAILED, MOVES, STUTTER, frozen
from wheelproof.jvm.values import Encoder
from wheelproof.project.mechanism import Mechanism


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
        model: Any,
        answer: Mapping[str, Any],
        names: Iterable[str] = (),
        pairs: Collection[tuple[str, str]] = (),
    ) -> None:
        self.pairs = pairs
        self.model, self.silent = model, mechanism.silent
        self.settled = settle(model, mechanism.silent)
        self.encoder = Encoder(model, mechanism.scenarios[scenario], names)
        self.states: list[dict[str, Any]] = answer["states"]
        self.results = [frozen(json.loads(text)) for text in answer["results"]]
        self.fault: str = answer["fault"] or ""

    def stutters(self, steps: int, thread: int) -> bool:
        """Whether a thread's next step, after so many, is one that the model lacks."""
        if steps >= len(self.states):
            return False
        return bool(self.states[steps]["threads"][thread]["label"] == STUTTER)

    def result(self, steps: int, thread: int, before: Any) -> str:
        """How the results of a step differ from the model's; "" if they do not.

        ``steps``: how many came before it. ``before``: the model's state then.
        """
        if steps >= len(self.results):
            return ""
        ended, theirs = getattr(self.model, "outcomes", None), None
        if ended is not None:
            before = self.settled(before)
            moves = [move[2] for move in self.model.successors(before) if move[0] == thread]
            _, theirs = settled_with_results(
                self.model, self.silent, ended, thread, before, moves[0]
            )
        mine: Results = self.results[steps]
        return compare_results(mine, theirs, self.model.threads[thread]) or ""

    def difference(self, steps: int, state: Any) -> str:
        """How the classes differ from a model state after so many steps; "" if they do not."""
        if steps >= len(self.states):
            return self.fault or "the run ended before this step"
        mine, state = self.states[steps], self.settled(state)
        for thread in mine["threads"]:
            if thread["standing"] == FAILED:
                return f"{thread['thread']} ends with {thread['failure']}"
        shared, expected = tuple(mine["shared"]), self.encoder.shared(state)
        if shared != expected:
            ours, theirs = self.encoder.split(shared), self.encoder.split(expected)
            return ", ".join(name for name in theirs if ours.get(name) != theirs[name]) + " differs"
        labels = [thread["label"] for thread in mine["threads"]]
        for thread, label, process in zip(self.model.threads, labels, state[1]):
            if label not in (STUTTER, process[0]):
                return f"{thread} is at {label}, in the model at {process[0]}"
        able = {
            index: thread["label"]
            for index, thread in enumerate(mine["threads"])
            if thread["standing"] == MOVES and thread["label"] != STUTTER
        }
        row = {
            index: (label, 0)
            for index, label, _ in self.model.successors(state)
            if labels[index] != STUTTER
        }
        parted = compare_enabled(able, row, self.model.threads, labels)
        return parted[1] if parted else ""
