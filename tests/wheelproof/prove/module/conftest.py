"""The ring's specification as a generated system, once for all tests of a process."""

from __future__ import annotations

import pytest

from proofs.timer_task_list.words import WORDS
from wheelproof.graph.explorer import explore
from wheelproof.prove.module import states, systems
from wheelproof.prove.ts.concrete import Compiled
from wheelproof.prove.variants import mechanisms
from wheelproof.tla import export


@pytest.fixture(scope="session")
def ring():
    return mechanisms()["timer_task_list"]


@pytest.fixture(scope="session")
def system(ring):
    return systems.made("TimerTaskListSteps", ring.compiled.module, WORDS)


@pytest.fixture(scope="session")
def compared(ring):
    """A function: system, scenarios -> the differences on their graphs."""

    def done(system, *scenarios, bound=100_000):
        compiled, found = Compiled(system), states.Differences()
        for name in scenarios:
            program = ring.scenarios[name]
            model = ring.compiled_model(program)
            placed = states.Placed(compiled, model, ring.constants_of(program))
            states.compare(placed, explore(model, bound=bound), found)
        return found

    return done


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """A function: {name: text} -> {name: path}, each exported by one JVM and in the cache."""

    def made(texts):
        folder = tmp_path_factory.mktemp("modules")
        files = {name: folder / f"{name}.tla" for name in texts}
        for name, file in files.items():
            extends = "EXTENDS Integers, Sequences, FiniteSets"
            file.write_text(f"---- MODULE {name} ----\n{extends}\n{texts[name]}\n====\n")
        export.prepare(map(export.source, files.values()))
        return files

    return made
