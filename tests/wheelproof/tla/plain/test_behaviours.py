"""Behaviours in ITF are written and followed; the state graph is JSON."""

import json

import pytest

from tests.wheelproof.tla.plain.modules import MODULES, subject
from wheelproof.errors import UsageError
from wheelproof.tla.plain import behaviours, exploration
from wheelproof.tlc.itf import decoded, encoded
from wheelproof.tlc.values import Function, ModelValue


@pytest.fixture
def machine(tmp_path):
    return subject(tmp_path, "Broken", *MODULES["Broken"]).machine()


def written(machine, folder, change=lambda document: None):
    trace = exploration.explore(machine).trace()
    document = json.loads(behaviours.itf(machine, trace, "Alone is violated"))
    change(document)
    file = folder / "trace.itf.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return behaviours.read(file, machine.variables)


def test_a_written_behaviour_is_followed(machine, tmp_path):
    labels, refusal = behaviours.follow(machine, written(machine, tmp_path))
    assert refusal is None
    assert [behaviours.text(label) for label in labels] == [
        "Init",
        'Enter("left")',
        'Enter("right")',
    ]


def test_a_changed_behaviour_is_refused_at_its_state(machine, tmp_path):
    def change(document):
        document["states"][2]["pc"]["left"] = "out"

    _, refusal = behaviours.follow(machine, written(machine, tmp_path, change))
    assert refusal.index == 2 and refusal.possible == ('Leave("left")', 'Enter("right")')
    assert set(refusal.differences) == {"pc"}


def test_a_file_without_a_variable_is_refused(machine, tmp_path):
    def change(document):
        del document["states"][1]["pc"]

    with pytest.raises(UsageError, match="state 1: pc is absent"):
        written(machine, tmp_path, change)


def test_a_graph_has_the_states_and_edges_of_the_exploration(machine):
    machine.invariants.clear()
    explored = exploration.explore(machine)
    document = json.loads(behaviours.graph(machine, explored))
    assert document["variables"] == ["pc"] and document["initial"] == [0]
    assert len(document["states"]) == 4 and len(document["edges"]) == 8
    assert [0, 'Enter("left")', 1] in document["edges"]


@pytest.mark.parametrize(
    "value",
    [
        True,
        -3,
        2**70,
        "text",
        (1, (2,)),
        frozenset({(1,), ()}),
        Function({"a": 1, "b": frozenset()}),
        Function({0: "x", -1: "y"}),
    ],
)
def test_a_value_comes_back_from_itf(value):
    assert decoded(json.loads(json.dumps(encoded(value)))) == value


def test_a_model_value_is_its_name_in_itf():
    assert encoded(ModelValue("p1")) == "p1"


def test_a_fraction_is_no_value():
    with pytest.raises(ValueError, match="no value of ITF"):
        decoded({"#set": [0.5]})
