"""A counterexample of compiled Java classes, run again in the JVM beside the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wheelproof.counterexample.document import Counterexample
from wheelproof.errors import ToolError
from wheelproof.explore.difference import compare_enabled
from wheelproof.graph.reduced import settle
from wheelproof.jvm.process import FAILED, MOVES, Jvm
from wheelproof.jvm.setup import prepare
from wheelproof.jvm.tasks import CHANGE, FINE, tasks
from wheelproof.jvm.values import Encoder, lines
from wheelproof.project.mechanism import Mechanism

LAYER = "jvm"


class CompiledRun:
    """The schedule of a counterexample on compiled classes; ``difference`` compares one state."""

    def __init__(self, mechanism: Mechanism, found: Counterexample, model: Any) -> None:
        task = tasks(mechanism).get(found.name)
        if task is None or task.kind == FINE:
            raise ToolError(f"No check {found.name} can be replayed.", "Run `wheelproof jvm`.")
        self.model, self.settled = model, settle(model, mechanism.silent)
        program = mechanism.scenarios[found.scenario]
        self.encoder = Encoder(model, program)
        schedule = [
            model.threads.index(step.thread)
            for step in found.steps
            if step.label not in mechanism.silent
        ]
        setup = prepare(mechanism.root, Path("build"), task.binding, task.release, fetch=True)
        with Jvm(setup) as jvm:
            jvm.load(task.binding, task.subject if task.kind == CHANGE else "")
            jvm.scenario(lines(program, task.binding.sites(fine=False), fine=False))
            answer = jvm.replay(schedule)
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
