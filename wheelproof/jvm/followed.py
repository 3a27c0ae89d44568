"""One schedule of a scenario on compiled classes, compared with the model state by state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wheelproof.explore.difference import compare_enabled
from wheelproof.graph.reduced import settle
from wheelproof.jvm.process import FAILED, MOVES
from wheelproof.jvm.values import Encoder
from wheelproof.project.mechanism import Mechanism


class Followed:
    """The answer of :meth:`wheelproof.jvm.process.Jvm.replay`, beside a scenario's model.

    ``states``: of the classes, the initial one first. ``fault``: why the schedule could not be
    followed to its end; "" where it could.
    """

    def __init__(
        self, mechanism: Mechanism, scenario: str, model: Any, answer: Mapping[str, Any]
    ) -> None:
        self.model, self.settled = model, settle(model, mechanism.silent)
        self.encoder = Encoder(model, mechanism.scenarios[scenario])
        self.states: list[dict[str, Any]] = answer["states"]
        self.fault: str = answer["fault"] or ""

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
            if label != process[0]:
                return f"{thread} is at {label}, in the model at {process[0]}"
        able = {
            index: thread["label"]
            for index, thread in enumerate(mine["threads"])
            if thread["standing"] == MOVES
        }
        row = {index: (label, 0) for index, label, _ in self.model.successors(state)}
        parted = compare_enabled(able, row, self.model.threads, labels)
        return parted[1] if parted else ""
