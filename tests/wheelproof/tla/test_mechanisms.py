"""The specification of every mechanism, compiled: its graphs are those of the model by hand."""

from functools import cache

import pytest

from tests.found import mechanisms
from tests.nights import of_each_mechanism
from wheelproof.checks.jobs import kind_of
from wheelproof.graph import same
from wheelproof.graph.compare import names_of
from wheelproof.graph.explorer import explore, first_violation

MECHANISMS = mechanisms()
STATES = 600
SMALL = [
    (mechanism, name)
    for mechanism, declared in MECHANISMS.items()
    for name, config in declared.configs.items()
    if kind_of(declared, config) == "config" and 0 < (config.distinct or 0) <= STATES
]
NAMES = "the model", "the compiled specification"


@cache
def graphs(mechanism, name):
    config = MECHANISMS[mechanism].configs[name]
    declared = MECHANISMS[mechanism].without(config.without)
    program = declared.scenarios[config.scenario]
    return (
        declared,
        explore(declared.model_of(program)),
        explore(declared.compiled_model(program)),
    )


def depth(graph, name):
    place = first_violation(graph, name)
    return None if place is None else graph.levels[place]


@pytest.mark.daily(2)
@pytest.mark.parametrize("mechanism, name", of_each_mechanism(SMALL))
def test_the_graph_is_that_of_the_model_by_hand(mechanism, name):
    _, model, compiled = graphs(mechanism, name)
    assert same.difference(model, compiled, NAMES) == ""


@pytest.mark.parametrize("mechanism, name", of_each_mechanism(SMALL))
def test_each_property_fails_at_the_same_depth_or_nowhere(mechanism, name):
    declared, *both = graphs(mechanism, name)
    for item in declared.properties.values():
        if item.kind in ("invariant", "liveness", "deadlock"):
            depths = [
                None
                if (place := first_violation(graph, item.name)) is None
                else graph.levels[place]
                for graph in both
            ]
            assert depths[0] == depths[1], item.name


def test_every_mechanism_is_among_them():
    assert {mechanism for mechanism, _ in SMALL} == set(MECHANISMS)


@pytest.mark.parametrize("name", MECHANISMS)
def test_labels_and_variables_are_those_of_the_model(name):
    mechanism = MECHANISMS[name]
    program = next(iter(mechanism.scenarios.values()))
    model, compiled = mechanism.model_of(program), mechanism.compiled_model(program)
    assert compiled.labels == model.labels
    assert set(compiled.variables) - compiled.LOCAL == set(model.variables)
    assert set(names_of(compiled)) == set(names_of(model))
