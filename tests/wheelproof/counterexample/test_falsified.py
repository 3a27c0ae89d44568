"""Of a property that is violated the false part is shown, with the values that it reads."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.wheelproof.tla.conftest import SPECS
from wheelproof import project
from wheelproof.checks import mutant
from wheelproof.checks.context import Context
from wheelproof.counterexample import columns, document, falsified
from wheelproof.counterexample.places import places
from wheelproof.errors import ToolError
from wheelproof.graph.explorer import explore, first_violation
from wheelproof.tla import export
from wheelproof.tla.model import Compiled
from wheelproof.tla.syntax import OutsideSubset, Place

ONE_SHOT = Path(__file__).parents[3] / "examples/one_shot"
CONSTANTS = {"Workers": frozenset({"v", "w"}), "Boxes": frozenset({"x", "y"}), "NULL": "null"}


@pytest.fixture(scope="module")
def graph():
    model = Compiled(export.load(SPECS / "Choices.tla")).model(CONSTANTS, ("w", "watcher", "v"))
    return explore(model)


@pytest.fixture
def mechanism(graph):
    return SimpleNamespace(
        spec=SPECS / "Choices.tla",
        specs={},
        scenarios={"two": {}},
        compiled_model=lambda program: graph.model,
    )


def run(graph, name):
    """The steps of the shortest run to a violation, and the values in its last state."""
    path = graph.path(first_violation(graph, name))
    taken = [(graph.model.threads[thread], label) for thread, label, _ in path]
    return taken, places(graph.model, graph.states[path[-1][2]])


@pytest.mark.parametrize(
    ("name", "false", "reads"),
    [
        ("Small", "False: total.count <= 1", ["total[count] = 2"]),
        (
            "Quiet",
            'False for w = "v": \\A w \\in Workers : pc[w] = "Done" => tries[w] = 0',
            ['pc[v] = "Done"', "tries[v] = 1"],
        ),
        (
            "Nested",
            'False for w = "v", v = "w", b = "x": b # NULL => w = v',
            ['mine[w] = "x"'],
        ),
    ],
)
def test_the_false_part_is_named_with_its_values(graph, mechanism, name, false, reads):
    first, second = falsified.statement(mechanism, "two", name, *run(graph, name))
    assert first.startswith(f"{false} (Choices.tla:"), first
    for read in reads:
        assert read in second, second


def test_the_part_is_false_and_its_neighbours_are_true(graph):
    """Of four conjuncts and two workers the one is named that is false."""
    state = graph.states[first_violation(graph, "Nested")]
    part = falsified.find(graph.model, "Nested", state)
    assert part.value(graph.model, state) is False
    turned = replace(part, values=tuple("v" for _ in part.values))
    assert turned.value(graph.model, state) is True


def test_nothing_is_stated_of_a_property_that_holds(graph, mechanism):
    assert falsified.find(graph.model, "Small", graph.states[0]) is None
    start = places(graph.model, graph.states[0])
    assert falsified.statement(mechanism, "two", "Small", [], start) == ()


def test_nothing_is_stated_of_a_run_that_ends_elsewhere(graph, mechanism):
    taken, last = run(graph, "Small")
    assert falsified.statement(mechanism, "two", "Small", taken, last)
    assert falsified.statement(mechanism, "two", "Small", taken, {**last, "log": "other"}) == ()
    assert falsified.statement(mechanism, "two", "Small", [*taken, ("v", "No")], last) == ()


@pytest.mark.parametrize(
    "error", [OutsideSubset("a real", Place("Choices", 3)), ToolError("There is no Java.")]
)
def test_without_the_front_end_nothing_is_stated(graph, mechanism, error):
    def refused(program):
        raise error

    found = run(graph, "Small")
    assert falsified.statement(mechanism, "two", "Small", *found)
    mechanism.compiled_model = refused
    assert falsified.statement(mechanism, "two", "Small", *found) == ()


def test_a_text_ends_where_the_next_formula_begins(mechanism):
    lines = mechanism.spec.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "b \\in both" in text)
    shown = falsified.text_at(mechanism, Place("Choices", line))
    assert shown == "\\A b \\in both : b # NULL => w = v"
    mechanism.specs = {"Choices.tla": "\n" * (line - 1) + "Other == 1"}
    assert falsified.text_at(mechanism, Place("Choices", line)) == "1"


def test_a_counterexample_keeps_what_its_property_says(trace, tmp_path):
    reported = replace(trace, says=("Safe: one is inside", 'It reads inside = "null".'))
    reported.write(tmp_path / "t.json")
    assert document.read(tmp_path / "t.json") == reported
    lines = [line.plain for line in columns.render(reported, 120, tmp_path)]
    place = lines.index("Safe is violated after step 2.")
    assert lines[place + 1 : place + 3] == ["  Safe: one is inside", "  It reads inside = None."]
    assert "says" not in trace.document()


def test_the_counterexample_of_a_mutant_has_the_false_part(tmp_path, monkeypatch):
    subject = project.find(ONE_SHOT)["one_shot"]

    def sentences(name):
        context = Context(subject, tmp_path, "fast")
        (row,) = mutant.check(context, [subject.mutants[name]]).rows
        return document.read(tmp_path / row.trace).says

    words, false, read = sentences("Unlocked")
    assert words.startswith("RunsOnce: ") and read == "It reads runs = 2."
    assert false.startswith("False: runs <= 1 (OneShot.tla:")
    assert len(sentences("KeepsLock")) == 1, "a deadlock has no formula"
    monkeypatch.setattr(falsified, "find", lambda model, name, state: None)
    assert len(sentences("Unlocked")) == 1, "the control"
