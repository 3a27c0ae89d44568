"""Whether a harness reads a slot: its answer differs where the slot has another value."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from wheelproof.python.search import unread
from wheelproof.python.search.unread import _Slot


class Cell:
    __slots__ = ("item", "other")


def slot(name, *value):
    """A slot of a new cell; without a value it has none."""
    cell = Cell()
    for given in value:
        setattr(cell, name, given)
    return _Slot(cell, vars(Cell)[name])


@pytest.mark.parametrize(
    ("values", "others", "read", "decides"),
    [
        ((1,), (2,), True, True),
        ((1,), (2,), False, False),
        ((1,), (), True, True),  # the value at the beginning is another one
        ((), (2,), True, False),  # without a value there is nothing to compare
        ((), (2,), False, False),
    ],
)
def test_a_slot_decides_where_another_value_gives_another_answer(values, others, read, decides):
    item = slot("item", *values)
    slots = {"cell.item": item} | {
        f"more.{number}": slot("item", value) for number, value in enumerate(others)
    }
    run = SimpleNamespace(shared=lambda: {"item": item.get()} if read else {})
    before = {"cell.item": 0}
    view = run.shared()
    assert unread._decides(run, "cell.item", slots, before, view) is decides
    assert run.shared() == view, "the slot has its value again"
