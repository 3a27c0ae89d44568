"""The real timer in the purgatory: its operations as single steps are the abstract timer's."""

from __future__ import annotations

import pytest

from model.purgatory import Model
from tests.model.artefacts import ROOT, Artefacts
from wheelproof.graph import reduced
from wheelproof.python import ControlledImplementation, bisimulate

MECHANISM = Artefacts("purgatory").mechanism
PROGRAMS = {
    "event and timeout": {"w": [["watch", "o"], ["deliver", "c", "k"]], "x": [["expire", "o"]]},
    "entered beside": {"w": [["watch", "o"]], "x": [["expire", "o"]]},
    "forced": {"w": [["watch", "o"], ["force", "o"]], "x": [["expire", "o"]]},
    "cancelled": {"w": [["watch", "o"], ["cancel_key", "k"]], "x": [["expire", "o"]]},
    "counted": {"w": [["watch", "o"], ["num_delayed"], ["deliver", "c", "k"], ["num_delayed"]]},
}


def compared(program, texts=None):
    """Model with the abstract timer, implementation with the real one, in a scenario."""
    scenario = MECHANISM.scenarios["real_timer"] | {"threads": PROGRAMS[program]}
    graph = reduced.reduce(Model(scenario), MECHANISM.silent)
    subject = ControlledImplementation.load(
        ROOT, "purgatory", texts=texts or {}, lint=texts is None
    )
    return bisimulate(subject, scenario, reduced.rows(graph), reduced.shared_of(graph), budget=60)


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_operation_of_the_real_timer_is_one_of_the_abstract_one(program):
    found = compared(program)
    assert found.outcome == "equal", found.difference or found.why
    assert found.figures["compared_edges"] == found.figures["model_edges"] and not found.uncovered


FAULTS = {
    "a cancel leaves the entry linked": (
        "counted",
        "impl.timer_task_list",
        "            if entry is not None:\n                entry.remove()\n            self.timer",
        "            self.timer",
    ),
    "an expiry hands nothing over": (
        "entered beside",
        "impl.system_timer",
        "            self.executor.submit(entry)  # update K2\n",
        "            pass\n",
    ),
    "an add is forgotten": (
        "cancelled",
        "impl.system_timer",
        "                self.add_timer_task_entry(entry)\n            done = True",
        "                pass\n            done = True",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_real_timer_is_a_difference(name):
    program, module, old, new = FAULTS[name]
    text = (ROOT / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{module}: {old!r} is there {text.count(old)} times"
    assert compared(program, {module: text.replace(old, new)}).outcome == "different"
