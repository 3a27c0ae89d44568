"""Where a thread is suspended, whichever instructions CPython has put there."""

import pytest

from wheelproof.python import bisimulate
from wheelproof.python.state.positions import Positions, places

DRAIN = "        while self.full:  # read D1\n            self.take()\n"
CLAIM = "    def claim(self)"
CALLS = {
    "len": ("len(self)", "__len__", "", "1 if full else 0"),
    "an element": ("self[0]", "__getitem__", ", index", "full"),
    "contains": ("0 in self", "__contains__", ", value", "full"),
    "a truth value": ("self", "__bool__", "", "full"),
    "bool": ("bool(self)", "__bool__", "", "full"),
    "str": ('str(self) == "full"', "__str__", "", '"full" if full else "empty"'),
    "int": ("int(self)", "__int__", "", "1 if full else 0"),
    "a sum": ("self + 1", "__add__", ", other", "1 if full else 0"),
    "a comparison": ("self < 1", "__lt__", ", other", "full"),
    "a call": ("self()", "__call__", "", "full"),
    "a method": ("self.there()", "there", "", "full"),
    "a property": ("self.there", "there", "", "full"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_step_within_a_call_is_at_one_place_however_often_it_runs(cell, name):
    """CPython 3.11 replaces instructions that run often, and then calls from another one."""
    expression, method, parameters, value = CALLS[name]
    decorator = "    @property\n" if name == "a property" else ""
    implementation = cell.planted(
        (DRAIN, f"        while {expression}:\n            self.take()\n"),
        (
            CLAIM,
            f"{decorator}    def {method}(self{parameters}):\n"
            "        full = self.full  # read D1\n"
            f"        return {value}\n\n{CLAIM}",
        ),
    )
    for _ in range(3):
        found = bisimulate(
            implementation,
            cell.scenarios["refilled"],
            (graph := cell.graph("refilled")).rows,
            graph.shared_of,
        )
        assert found.difference is None, found.difference


def called(values):
    return len(values) + values[0]


def test_each_instruction_of_a_call_has_the_place_of_the_call():
    table = places(called.__code__)
    assert table[-1] == -1, "a frame that has not begun is at no instruction"
    assert len(table) == len(called.__code__.co_code) // 2 + 1
    assert list(table[:-1]) == sorted(table[:-1])


def test_a_table_is_made_once_for_a_code():
    positions = Positions()
    first = positions.offsets_of(called.__code__)
    assert positions.offsets_of(called.__code__) is first
