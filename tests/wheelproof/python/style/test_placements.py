"""Wrong placements of a truth value, judged by the bisimulation of a small project.

The control is the same project with a correct use of the value: all that is compared by contents
or by identity is equal there.
"""

from __future__ import annotations

import re
from collections import deque

import pytest

from tests.nights import by_night
from tests.wheelproof.python.style.held_by_definitions import HELD
from tests.wheelproof.python.style.placements import DIFFERENT, HARNESS, REFUSED, source, value
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    bisimulate,
)
from wheelproof.python.search.difference import Rows


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


# The order in which the two values were one state before comes by day.
@pytest.mark.parametrize("first", [True, by_night(False)])
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_bisimulation_sees_a_wrong_use_of_a_value(tmp_path, name, first):
    assert judged(tmp_path, source(DIFFERENT[name]), first).startswith(("enabled:", "label:"))


@pytest.mark.daily(6)
@pytest.mark.parametrize("name", DIFFERENT)
def test_a_correct_use_of_the_same_value_is_equal(tmp_path, name):
    right = f"{DIFFERENT[name]}\ndef correct(held):\n    return reads(held) in (True, False)\n"
    text = source(right).replace("if reads(held):", "if correct(held):")
    for first in (True, False):
        assert judged(tmp_path, text, first) == "equal"


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("first", [True, by_night(False)])
@pytest.mark.parametrize("name", REFUSED | HELD)
def test_a_placement_that_cannot_be_compared_is_refused_by_name(tmp_path, name, first):
    text, message = (REFUSED | HELD)[name]
    assert re.search(message, found := judged(tmp_path, source(text), first)), found


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("right", [True, False])
def test_a_variable_that_a_suspended_frame_shares_with_a_function_is_seen(tmp_path, first, right):
    """The user's thread waits in a frame of ``use`` with a variable of its own. The function that
    is called changes it, or a variable of the same name of another call of ``use``."""
    text = source(value("None", "True"))
    for old, new in (
        (
            "        value = None\n",
            "        value = None\n"
            "        if not mode and self.armed.value == 0:\n"
            "            self.other = self.use(True)\n",
        ),
        (
            "    def use(self):\n",
            "    def use(self, again=False):\n"
            "        count = 0\n"
            "        def more():\n"
            "            nonlocal count\n"
            "            count += 1\n"
            "        if again:\n"
            "            return more\n"
            "        self.other = more\n"
            "        del more\n",
        ),
        (
            "        if reads(held):\n",
            "        more = self.other\n"
            "        more()\n"
            f"        if count {'<' if right else '=='} {2 if right else 1}:\n"
            "            del more\n",
        ),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    found = judged(tmp_path, text, first)
    assert found == "equal" if right else found.startswith(("enabled:", "label:"))
