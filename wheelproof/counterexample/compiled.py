"""A counterexample of compiled Java classes, run again in the JVM beside the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wheelproof.counterexample.document import Counterexample
from wheelproof.errors import ToolError
from wheelproof.jvm.followed import Followed
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.setup import prepare
from wheelproof.jvm.tasks import CHANGE, FINE, tasks
from wheelproof.jvm.values import lines
from wheelproof.project.mechanism import Mechanism

LAYER = "jvm"


def follow(mechanism: Mechanism, found: Counterexample, model: Any) -> Followed:
    """The schedule of a counterexample on the classes that it was found on.

    Raises ToolError where no check has its name.
    """
    task = tasks(mechanism).get(found.name)
    if task is None or task.kind == FINE:
        raise ToolError(f"No check {found.name} can be replayed.", "Run `wheelproof jvm`.")
    schedule = [
        model.threads.index(step.thread)
        for step in found.steps
        if step.label not in mechanism.silent
    ]
    setup = prepare(mechanism.root, Path("build"), task.binding, task.release, fetch=True)
    program = mechanism.scenarios[found.scenario]
    with Jvm(setup) as jvm:
        jvm.load(task.binding, task.subject if task.kind == CHANGE else "")
        jvm.scenario(lines(program, task.binding.sites(fine=False), fine=False))
        answer = jvm.replay(schedule)
    return Followed(mechanism, found.scenario, model, answer)
