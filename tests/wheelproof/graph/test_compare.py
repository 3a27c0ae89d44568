"""TLC = model: a real dump against the model, then with one thing changed in either, in memory."""

from array import array
from copy import copy

import pytest

from tests.model.timer import MECHANISM, model_graph, tlc_graph
from wheelproof.errors import UsageError
from wheelproof.graph.compare import compare, texts_of
from wheelproof.graph.explorer import explore

SCENARIO = "two_adders"
N = 300  # of an edge in the middle


@pytest.fixture
def tlc():
    """A copy that a test may change."""
    graph = copy(tlc_graph(SCENARIO))
    for name in "states", "values", "texts", "initial", "labels", "sources", "actions", "targets":
        setattr(graph, name, copy(getattr(graph, name)))
    return graph


@pytest.fixture
def model():
    graph = copy(model_graph(SCENARIO))
    graph.edges = [list(row) for row in graph.edges]
    graph.states, graph.keyed = list(graph.states), None
    return graph


def test_equal_graphs(tlc, model):
    found = compare(tlc, model)
    assert found.equal and found.difference == "" and not found.only_tlc and not found.only_model
    assert (found.states, found.edges) == (model.distinct, model.generated - 1) == (411, 720)


def only_tlc(found):
    assert (found.only_tlc, found.only_model) == (1, 0) and not found.equal
    assert found.difference.startswith("1 edges in TLC's graph alone, such as ")


def only_model(found):
    assert (found.only_tlc, found.only_model) == (0, 1) and not found.equal
    assert found.difference.startswith("1 edges in the model's graph alone, such as ")


def both(found):
    assert (found.only_tlc, found.only_model) == (1, 1)
    assert (
        "in TLC's graph alone, such as" in found.difference
        and "in the model's graph alone, such as" in found.difference
    )


# -- TLC's side changed


def drop(tlc):
    for edges in tlc.sources, tlc.actions, tlc.targets:
        del edges[N]


def double(tlc):
    for edges in tlc.sources, tlc.actions, tlc.targets:
        edges.append(edges[N])


def retarget(tlc):
    """To another state with the same program counters: otherwise the edge would be no step."""
    column = tlc.variables.index("pc")
    for n, target in enumerate(tlc.targets):
        other_end = next(
            (
                other
                for other, state in enumerate(tlc.states)
                if other != target and state[column] == tlc.states[target][column]
            ),
            None,
        )
        if other_end is not None:
            tlc.targets[n] = other_end
            return
    raise AssertionError("no two states have the same program counters")


def other_value(tlc):
    """One wrong variable of one state, as in a misread dump: its edges are not the model's."""
    column, target = tlc.variables.index("taskCounter"), tlc.targets[N]
    state = list(tlc.states[target])
    state[column] = next(
        number for number in (tlc.texts.index("0"), tlc.texts.index("1")) if number != state[column]
    )
    tlc.states[target] = tuple(state)


@pytest.mark.parametrize(
    "change, shown", [(drop, only_model), (double, only_tlc), (retarget, both)]
)
def test_a_change_in_tlcs_graph_is_a_difference(tlc, model, change, shown):
    change(tlc)
    shown(compare(tlc, model))


def test_another_value_in_one_state_is_a_difference(tlc, model):
    other_value(tlc)
    found = compare(tlc, model)
    assert found.only_tlc == found.only_model >= 2 and "taskCounter" in found.difference


def test_terminating_loops_count(tlc, model):
    loop = next(n for n, action in enumerate(tlc.actions) if tlc.labels[action] == "Terminating")
    for edges in tlc.sources, tlc.actions, tlc.targets:
        del edges[loop]
    found = compare(tlc, model)
    only_model(found)
    assert "no process takes Terminating: nothing changes" in found.difference


def test_another_initial_state_is_a_difference(tlc, model):
    tlc.initial = [tlc.initial[0] + 1]
    assert "the initial states differ" in compare(tlc, model).difference
    tlc.initial = []
    assert "the initial states differ" in compare(tlc, model).difference


def test_a_variable_that_one_side_lacks_is_refused(tlc, model):
    column = tlc.variables.index("taskCounter")
    tlc.variables = tlc.variables[:column] + tlc.variables[column + 1 :]
    tlc.states = [state[:column] + state[column + 1 :] for state in tlc.states]
    with pytest.raises(UsageError, match=r"unknown \['taskCounter'\]"):
        compare(tlc, model)


def test_a_variable_that_the_model_lacks_is_refused(tlc, model):
    model.model = copy(model.model)
    model.model._spans = {
        name: span for name, span in model.model._spans.items() if name != "taskCounter"
    }
    with pytest.raises(UsageError, match=r"missing \['taskCounter'\]"):
        compare(tlc, model)


# -- the model's side changed


def edge_of(model):
    """A state with two threads that can move, and its row."""
    return next((n, row) for n, row in enumerate(model.edges) if n > 50 and len(row) == 2)


@pytest.mark.parametrize(
    "name, shown",
    [
        ("an edge less", only_tlc),
        ("an edge twice", only_model),
        ("another label", both),
        ("another process", both),
        ("another target", both),
    ],
)
def test_a_change_in_the_models_graph_is_a_difference(tlc, model, name, shown):
    number, [(thread, label, target), second] = edge_of(model)
    model.edges[number] = {
        "an edge less": [second],
        "an edge twice": [(thread, label, target), second, second],
        "another label": [(thread, "U9", target), second],
        "another process": [(1 - thread, label, target), second],
        "another target": [(thread, label, number), second],
    }[name]
    shown(compare(tlc, model))


def test_a_state_that_the_model_alone_has_is_a_difference(tlc, model):
    shared, processes = model.states[-1]
    model.states[-1] = ((*shared[:-1], 7), processes)
    found = compare(tlc, model)
    assert found.only_tlc and found.only_model and "owed" in found.difference


def test_two_states_of_the_model_with_one_meaning_are_refused(tlc, model):
    model.states[-1] = model.states[-2]
    with pytest.raises(UsageError, match="distinguishes states that the spec does not"):
        compare(tlc, model)


def test_the_witness_has_thread_step_and_changes(tlc):
    switched = explore(MECHANISM.without("M3").model(SCENARIO))
    found = compare(tlc, switched)
    assert "a takes A3: " in found.difference or "b takes A3: " in found.difference
    assert "pc [a |-> " in found.difference


def test_the_texts_of_a_state_are_in_the_models_order(tlc, model):
    texts = texts_of(model.model, model.states[0], {})
    column = tlc.variables.index("next")
    assert texts[0] == tlc.texts[tlc.states[tlc.initial[0]][column]]


def test_the_copies_leave_the_originals_alone():
    found = compare(tlc_graph(SCENARIO), model_graph(SCENARIO))
    assert found.equal and isinstance(tlc_graph(SCENARIO).sources, array)
