"""Faults planted in impl/atomic.py: the comparison with the model must find and name each."""

from __future__ import annotations

import pytest

from impl.atomic import Atomic
from tests.impl.planting import Control, bisimulated, noticed, planted
from tests.model.artefacts import Artefacts

ATOMIC = Artefacts("atomic")
SAME = (
    "            if current is not expected and not (\n"
    "                type(current) is type(expected) is int and current == expected\n"
    "            ):\n"
)


def unlocked(first: str, last: str):
    """One operation without its lock: what it did under the lock it does at once."""
    return ((f"        with self._lock:  # lock {first}, unlock {last}\n", "        if True:\n"),)


FAULTS = {
    "add_and_get takes no lock": Control(
        "two_adds", "label", "takes A2 next, A1 in the model", unlocked("A1", "A4")
    ),
    "get_and_set takes no lock": Control(
        "objects", "label", "takes E2 next, E1 in the model", unlocked("E1", "E4")
    ),
    "compare_and_set takes no lock": Control(
        "objects", "label", "takes C2 next, C1 in the model", unlocked("C1", "C4")
    ),
    "set takes no lock": Control(
        "numbers", "label", "takes S2 next, S1 in the model", unlocked("S1", "S3")
    ),
    "objects are compared by equality": Control(
        "objects",
        "label",
        "takes C3 next, C4 in the model",
        ((SAME, "            if current != expected:\n"),),
    ),
    "numbers are compared by identity": Control(
        "numbers",
        "label",
        "takes C4 next, C3 in the model",
        ((SAME, "            if current is not expected:\n"),),
    ),
    "a refusal is reported as success": Control(
        "objects",
        "shared",
        "got is",
        (("                return False\n", "                return True\n"),),
    ),
    "a success is reported as refusal": Control(
        "objects",
        "shared",
        "got is",
        (("            return True\n", "            return False\n"),),
    ),
    "the old sum is returned": Control(
        "two_adds",
        "shared",
        "got is",
        (("            return total\n", "            return total - delta\n"),),
    ),
    "the new value is returned": Control(
        "objects", "shared", "got is", (("            return old\n", "            return value\n"),)
    ),
    "an addition is not stored": Control(
        "two_adds",
        "shared",
        "held is",
        (
            (
                "            self._value = total  # write A3",
                "            self._value = total - delta  # write A3",
            ),
        ),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_noticed(name):
    noticed(ATOMIC, FAULTS[name])


@pytest.mark.parametrize(
    ("held", "expected", "value", "stored"),
    [
        (5_000, int("5000"), "text", True),
        (5_000, 5_000.0, 1, False),
        (1, True, 2, False),
        (True, 1, False, False),
        (2.5, float("2.5"), 1, False),
    ],
)
def test_only_whole_numbers_are_compared_by_value(held, expected, value, stored):
    """Any value to be stored. Equal objects of other types differ, as references are."""
    variable = Atomic(held)
    assert variable.compare_and_set(expected, value) is stored
    assert variable.get() is (value if stored else held)


@pytest.mark.parametrize("scenario", ATOMIC.mechanism.scenarios)
def test_the_variable_is_its_model(scenario):
    found = bisimulated(ATOMIC, planted(ATOMIC, ()), scenario)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
