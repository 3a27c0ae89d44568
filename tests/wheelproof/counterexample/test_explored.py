"""The document of a failing order: written, read, and refused where it is damaged."""

import json
from dataclasses import replace

import pytest

from tests.wheelproof.plain import faulty
from wheelproof.counterexample import document, explored
from wheelproof.errors import UsageError
from wheelproof.plain import saved
from wheelproof.plain.exploration import explore_program


@pytest.fixture(scope="module")
def exploration():
    return explore_program(faulty.locks_in_two_orders)


@pytest.fixture(scope="module")
def order(exploration):
    return explored.from_exploration("tests/test_it.py::test_it[a-b]", exploration, ["queue"])


def test_what_is_written_is_read(order, tmp_path):
    file = tmp_path / "order.json"
    order.write(file)
    again = explored.read(file)
    assert again.document() == order.document() and again.text(80) == order.text(80)
    assert again.schedule == order.schedule and again.into == ("queue",)


def test_a_document_is_a_schedule_that_the_command_runs(order, exploration, tmp_path):
    file = tmp_path / "order.json"
    order.write(file)
    assert saved.read(file) == (exploration.schedule, exploration.failure.preemptions)


def test_the_text_has_the_columns_and_who_waits(order):
    lines = order.text(80)
    assert lines.startswith("bug: deadlock: ") and "cycle of waits: " in lines
    assert max(map(len, lines.splitlines())) <= 80


def test_its_schema_tells_it_from_a_counterexample(order, tmp_path):
    file = tmp_path / "order.json"
    order.write(file)
    assert explored.is_one(file)
    with pytest.raises(UsageError, match="expected 'wheelproof.counterexample/2'"):
        document.read(file)
    file.write_text('{"schema": "wheelproof.counterexample/2"}')
    assert not explored.is_one(file)
    with pytest.raises(UsageError, match="expected 'wheelproof.exploration/1'"):
        explored.read(file)
    with pytest.raises(UsageError):
        explored.is_one(tmp_path / "nowhere.json")


def damaged(old, *path):
    """A document in which one value is another one."""
    document = json.loads(json.dumps(old))
    *outer, last = path[:-1]
    place = document
    for key in outer:
        place = place[key]
    place[last] = path[-1]
    return document


@pytest.mark.parametrize(
    ("path", "named"),
    [
        (("test", 1), "test"),
        (("threads", [1]), "threads"),
        (("steps", 0, "thread", "none"), "thread must be one of the threads"),
        (("steps", 0, "source", "no line"), "source must be a path, a colon"),
        (("steps", 0, "says", "text"), "says"),
        (("steps", 0, "folded", "no"), "folded"),
        (("bound", -1), "bound"),
        (("switches", [["a", "b", "c", "d"]]), "switches must be an array of arrays"),
        (("switches", {}), "switches must be an array of arrays"),
        (("places", None), "places"),
        (("into", {}), "into"),
    ],
)
def test_a_damaged_document_is_refused_by_its_field(order, tmp_path, path, named):
    shown = replace(order.order, steps=tuple(s for s in order.steps if not s.folded))
    text = json.dumps(damaged(replace(order, order=shown).document(), *path))
    file = tmp_path / "order.json"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        explored.read(file)
    assert "order.json: field " in str(caught.value) and named in str(caught.value)
