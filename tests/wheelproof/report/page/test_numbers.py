"""A step has one number: in a row's text, in each view and in an export."""

import json
import re
from dataclasses import replace
from pathlib import Path

from tests.wheelproof.report.page.test_page import parsed
from wheelproof import project
from wheelproof.counterexample import columns, export
from wheelproof.counterexample.document import Step
from wheelproof.python.search.difference import Difference
from wheelproof.report import page

QUIET = Step("a", "T0", "silent")
STEPS = (QUIET, Step("a", "A1", "lock"), QUIET, QUIET, Step("b", "A2", "read"), QUIET)


def numbered(trace, good, folder):
    """The number of the last step that the code takes, in each view of a counterexample."""
    shown = "\n".join(line.plain for line in columns.render(trace, 120, folder, full=True))
    name = "counterexamples/M1.json"
    made = page.render(good, project.find(folder), {name: trace}, folder, Path("build"))
    stepped = json.loads(parsed(made).scripts[f"trace:{name}"])
    states = json.loads(export.itf(trace))["states"]
    schedule = tuple((step.thread, step.label) for step in trace.steps if step.kind != "silent")
    row = str(Difference("label", "another step", schedule))
    return {
        "row": re.search(r"after step (\d+), b.A2", row)[1],
        "show": re.search(r"violated after step (\d+)", shown)[1],
        "its columns": re.search(r"(\d+) .*A2 read", shown)[1],
        "page": next(step["at"] for step in stepped["steps"] if step["label"] == "A2"),
        "its head": str(stepped["count"]),
        "ITF": str(next(state["#meta"]["step"] for state in states if state["label"] == "A2")),
        "test": str(len(export.schedule_of(trace))),
    }


def test_each_view_has_the_same_number(trace, good, subject_folder):
    found = numbered(replace(trace, steps=STEPS), good, subject_folder)
    assert set(found.values()) == {"2"}, found


def test_a_view_that_counts_silent_steps_is_seen(trace, good, subject_folder, monkeypatch):
    monkeypatch.setattr(columns, "count", len)
    found = numbered(replace(trace, steps=STEPS), good, subject_folder)
    assert {name for name, number in found.items() if number != "2"} == {"show"}
