"""A scenario's graph as a document: every state, every step, every formula."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.checks import safety
from wheelproof.checks.context import Context
from wheelproof.counterexample import stepping
from wheelproof.counterexample.places import places, thread_values
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import explore

MECHANISM = project.find(Path(__file__).parents[3] / "examples/one_shot")["one_shot"]
MODELS = {"by hand": MECHANISM.model, "compiled": lambda scenario: MECHANISM.compiled_model(
    MECHANISM.scenarios[scenario])}  # fmt: skip
SOURCES = {"O1": "impl/one_shot.py:7"}


@pytest.fixture(params=MODELS)
def graph(request):
    return explore(MODELS[request.param]("three"))


@pytest.fixture
def document(graph):
    return stepping.of_graph(MECHANISM, "three", "three", graph, SOURCES)


def states(document):
    """The values of each state by place, put together again from the changes."""
    parents = {}
    for before, row in enumerate(document.edges):
        for after in row[2::3]:
            parents.setdefault(after, before)
    values = []
    for number, row in enumerate(document.changes):
        now = dict(values[parents[number]]) if number else {}
        now |= {
            document.places[place]: document.values[value]
            for place, value in zip(row[::2], row[1::2], strict=True)
        }
        values.append(now)
    return values


def wrong(document, graph):
    """The states that are other ones than those of the model."""
    model = graph.model
    for state, values in zip(graph.states, states(document), strict=True):
        expected = places(model, state)
        for index, thread in enumerate(model.threads):
            expected[f"pc[{thread}]"] = f'"{state[1][index][0]}"'
            for name, text in thread_values(model, state, index).items():
                expected[f"{name}[{thread}]"] = text
        if any(values[place] != text for place, text in expected.items()):
            yield values


def test_every_state_and_every_step_is_in_it(graph, document):
    assert list(wrong(document, graph)) == []
    for row, flat in zip(graph.edges, document.edges, strict=True):
        steps = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
        assert [(mover, document.labels[kind].name, after) for mover, kind, after in steps] == [
            (thread, str(label), after) for thread, label, after in row
        ]
    assert {kind.label: kind.source for kind in document.labels}["O1"] == SOURCES["O1"]
    changed = list(document.changes)
    changed[1] = changed[1][:-2]
    assert list(wrong(replace(document, changes=tuple(changed)), graph)) != [], "the control"


def test_a_formula_has_its_value_in_each_state(graph, document):
    assert {"RunsOnce", "RanBeforeReturn", "ComesTooLate"} <= document.watches.keys()
    for name in ("RunsOnce", "ComesTooLate"):
        texts = [document.values[value] for value in document.watches[name]]
        assert texts == [str(graph.model.holds(name, state)).upper() for state in graph.states]
    assert not {"Init", "vars", "Next", "Spec", "Threads"} & document.watches.keys()


def test_a_file_is_read_as_it_was_written(document, tmp_path):
    document.write(tmp_path / "graph.json")
    assert stepping.read(tmp_path / "graph.json") == document


@pytest.mark.parametrize(
    ("field", "first", "message"),
    [
        ("edges", ["0 0 999999"], "edges has a number that is no index"),
        ("edges", ["0 0"], "edges has a number that is no index"),
        ("edges", [], "changes must have a row for each state"),
        ("changes", ["0 x"], "changes must have rows of numbers"),
        ("labels", ["O1"], "labels must have 4 lines each"),
        ("watches", {"RunsOnce": "0"}, "watches must have a value for each state"),
    ],
)
def test_a_damaged_file_is_refused(document, tmp_path, field, first, message):
    file = tmp_path / "graph.json"
    document.write(file)
    content = json.loads(file.read_text())
    damaged = first if field == "watches" else [*first, *content[field][1:]]
    file.write_text(json.dumps(content | {field: damaged}))
    with pytest.raises(UsageError, match=message):
        stepping.read(file)


def test_a_check_writes_the_graph_of_a_config_that_holds(tmp_path, monkeypatch):
    context = Context(MECHANISM, tmp_path, "fast", frozenset({"tlc", "graph"}))

    def written(name):
        return safety.check(context, MECHANISM.configs[name]).graphs

    file = "graphs/one_shot.graph.two.json"
    assert written("two") == {file}
    document = stepping.read(tmp_path / file)
    assert (document.scenario, len(document.edges)) == (
        "two",
        explore(MECHANISM.model("two")).distinct,
    )
    assert {kind.label: kind.source for kind in document.labels}["O1"].startswith("impl/one_shot")
    monkeypatch.setattr(stepping, "MOST", 10)
    assert written("two") == set(), "a graph that is too large"
    monkeypatch.setattr(stepping, "MOST", 10_000)
    monkeypatch.setattr(safety, "formulas", lambda graph, holds, fails: ["a fault"])
    assert written("two") == {file}, "a counterexample leads into it"


def test_steps_have_their_places_among_the_enabled_ones(graph, document):
    state, run, places = 0, [], []
    while graph.edges[state]:
        places.append(len(graph.edges[state]) - 1)
        mover, label, state = graph.edges[state][places[-1]]
        run.append((graph.model.threads[mover], str(label)))
    assert document.choices(run) == tuple(places) and len(run) > 9
    assert document.choices([*run[:5], ("a", "no label"), *run[5:]]) == tuple(places[:5])
