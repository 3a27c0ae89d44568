"""The files of counterexamples of compiled classes, with each thread's frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wheelproof.checks.context import Context
from wheelproof.counterexample.build import Diverged, build
from wheelproof.errors import ToolError
from wheelproof.jvm.declaration import BISIMULATION
from wheelproof.jvm.joined import Joined
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.tasks import Task
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model
from wheelproof.python.search.difference import Difference

LAYER = "jvm"


class Files:
    """Writes them, for the checks of one process.

    ``joined``: scenario and decision that it is without -> the graph without joined steps.
    """

    def __init__(self, context: Context, jvm: Jvm) -> None:
        self.context, self.jvm = context, jvm
        self.mechanism = context.mechanism
        self.joined: dict[tuple[str, str], Joined] = {}

    def counterexample(
        self,
        task: Task,
        key: tuple[str, str],
        model: Model,
        difference: Difference,
        schedule: Sequence[int],
    ) -> str | None:
        """The file of a difference; None where its steps are no steps of the model."""
        threads = {name: index for index, name in enumerate(model.threads)}
        steps = [(threads[thread], label) for thread, label in difference.schedule]
        if key in self.joined:
            steps = self.joined[key].schedule(steps)
        try:
            return self.counterexample_file(
                task, key[0], model, steps, schedule, BISIMULATION, difference.message
            )
        except (Diverged, ToolError):
            return None

    def counterexample_file(
        self,
        task: Task,
        scenario: str,
        model: Model,
        steps: Sequence[tuple[int, str]],
        schedule: Sequence[int],
        property_name: str,
        message: str,
        mechanism: Mechanism | None = None,
    ) -> str:
        """The file of a counterexample. ``steps``: the model's steps; ``schedule``: all."""
        counterexample = build(
            mechanism or self.mechanism,
            model,
            steps,
            layer=LAYER,
            name=task.name,
            scenario=scenario,
            property=property_name,
            explanation="\n".join(
                (f"{task.release}: {message}".removesuffix(": "), self.frames(schedule))
            ),
            sources=self.sources(),
        )
        silent = self.mechanism.silent
        if [thread for thread, label in steps if label not in silent] != list(schedule):
            names = tuple(model.threads[thread] for thread in schedule)
            counterexample = replace(counterexample, schedule=names)
        return self.context.keep(counterexample)

    def frames(self, schedule: Sequence[int]) -> str:
        """Where each thread stands after a schedule, with its frames' locals and operands."""
        states = self.jvm.replay(schedule)["states"]
        if not states:
            return ""
        out = []
        for thread in states[-1]["threads"]:
            failure = f", {thread['failure']}" if thread.get("failure") else ""
            out.append(f"{thread['thread']} at {thread['label']}{failure}")
            out += [
                f"  {frame['site']}({', '.join(frame['values'])})" for frame in thread["frames"]
            ]
        return "\n".join(out)

    def sources(self) -> dict[str, str]:
        """label -> "File.java:line" of its first site."""
        out: dict[str, str] = {}
        for key, _, line, label, _ in self.jvm.sites()["sites"]:
            if label and line:
                file = key.partition(".")[0].partition("$")[0]
                out.setdefault(label, f"{file}.java:{line}")
        return out
