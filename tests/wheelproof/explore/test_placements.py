"""Wrong placements of a truth value, judged by the bisimulation of a small project.

The control is the same project with a correct use of the value: all that is compared by contents
or by identity is equal there.
"""

from __future__ import annotations

import re
from collections import deque

import pytest

from tests.wheelproof.explore.placements import DIFFERENT, HARNESS, REFUSED, source
from wheelproof.explore import ControlledImplementation, ExploreError, bisimulate
from wheelproof.explore.difference import Rows


def scenario(first: bool):
    return {"threads": {"a": [["arm", first]], "b": [["arm", not first]], "u": [["use"]]}}


def graph():
    """The model's: (armed, open, what each thread waits at)."""

    def step(state, thread):
        armed, opened, labels = state
        label = labels[thread]
        if label == "Done":
            return None
        after = {"A1": "A2", "A2": "Done", "U2": "U3", "U3": "Done"}.get(label)
        if label == "U1":
            after = "U2" if armed == 2 else "Done"
        new = (*labels[:thread], after, *labels[thread + 1 :])
        return label, (armed + (label == "A2"), opened or label == "U3", new)

    first = (0, False, ("A1", "A1", "U1"))
    number, states, rows, todo = {first: 0}, [first], Rows([], []), deque([first])
    while todo:
        before, row, results = todo.popleft(), {}, {}
        for thread in range(3):
            if (taken := step(before, thread)) is not None:
                label, after = taken
                if after not in number:
                    number[after] = len(states)
                    states.append(after)
                    todo.append(after)
                row[thread] = (label, number[after])
                if after[2][thread] == "Done":
                    results[thread] = (None,)
        rows.append(row)
        rows.results.append(results)
    return rows, lambda index: {"armed": states[index][0], "open": states[index][1]}


def judged(folder, text, first):
    """What refuses an implementation, or ``equal``."""
    for artefact, content in (("impl", text), ("harness", HARNESS)):
        (folder / artefact).mkdir(exist_ok=True)
        (folder / artefact / "switch.py").write_text(content, encoding="utf-8")
    try:
        implementation = ControlledImplementation.load(folder, "switch", lint=False)
        found = bisimulate(implementation, scenario(first), *graph())
    except ExploreError as error:
        return str(error)
    if found.difference is None:
        return found.outcome
    return f"{found.difference.kind}: {found.difference.message}"


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_bisimulation_sees_a_wrong_use_of_a_value(tmp_path, name, first):
    assert judged(tmp_path, source(DIFFERENT[name]), first).startswith(("enabled:", "label:"))


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_correct_use_of_the_same_value_is_equal(tmp_path, name):
    right = f"{DIFFERENT[name]}\ndef correct(held):\n    return reads(held) in (True, False)\n"
    text = source(right).replace("if reads(held):", "if correct(held):")
    for first in (True, False):
        assert judged(tmp_path, text, first) == "equal"


@pytest.mark.parametrize("name", REFUSED)
def test_a_placement_that_cannot_be_compared_is_refused_by_name(tmp_path, name):
    text, message = REFUSED[name]
    for first in (True, False):
        assert re.search(message, found := judged(tmp_path, source(text), first)), found
