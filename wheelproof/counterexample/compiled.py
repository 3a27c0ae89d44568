"""A counterexample of compiled Java classes, run again in the JVM beside the model."""

from __future__ import annotations

from pathlib import Path

from wheelproof.counterexample.document import Counterexample
from wheelproof.errors import ToolError
from wheelproof.jvm.followed import Followed
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.setup import prepare
from wheelproof.jvm.tasks import CHANGE, FINE, tasks
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model

LAYER = "jvm"


def follow(mechanism: Mechanism, counterexample: Counterexample, model: Model) -> Followed:
    """The schedule of a counterexample on the classes that it was found on.

    Raises ToolError where no check has its name.
    """
    task = tasks(mechanism).get(counterexample.name)
    if task is None:
        raise ToolError(f"No check is named {counterexample.name}.", "Run `wheelproof jvm`.")
    change = task.binding.changes[task.subject] if task.kind == CHANGE else None
    fine = task.kind == FINE or change is not None and change.fine
    setup = prepare(mechanism.root, Path("build"), task.binding, task.release, fetch=True)
    program = mechanism.scenarios[counterexample.scenario]
    with Jvm(setup) as jvm:
        jvm.load(task.binding, task.subject if task.kind == CHANGE else "")
        jvm.begin(task.binding.beside(counterexample.scenario), program, fine)
        answer = jvm.replay(schedule_of(mechanism, counterexample, model))
    names, pairs = task.binding.names, task.binding.pairs
    return Followed(mechanism, counterexample.scenario, model, answer, names, pairs)


def schedule_of(mechanism: Mechanism, counterexample: Counterexample, model: Model) -> list[int]:
    """The threads of a counterexample's run in the JVM, by their numbers."""
    names = counterexample.schedule or [
        step.thread for step in counterexample.steps if step.label not in mechanism.silent
    ]
    return [model.threads.index(name) for name in names]
