"""TLC's graph holds every step of the model fast.

One guard or one update changed in any step makes another graph.
"""

import ast

import pytest

from model.pluscal import LABEL
from tests.model.artefacts import ROOT, Artefacts
from tests.model.changes import TABLES
from wheelproof import isolated
from wheelproof.graph.compare import compare
from wheelproof.graph.explorer import explore

EVERY = [(mechanism, label) for mechanism, table in TABLES.items() for label in table.changes]


def changed(text: str, label: str, old: str, new: str) -> str:
    """A model's text with a fragment of one label's method replaced. It must occur there once."""
    method = next(
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name == label
    )
    lines = text.splitlines(keepends=True)
    body = "".join(lines[method.lineno : method.end_lineno])
    assert body.count(old) == 1, f"{label} has {old!r} {body.count(old)} times"
    return (
        "".join(lines[: method.lineno])
        + body.replace(old, new)
        + "".join(lines[method.end_lineno :])
    )


def compared(of: Artefacts, text: str, scenario: str, decision: str = ""):
    """Compare TLC's graph of a scenario with that of a model with this text, without a decision."""
    name = f"model.{of.name}"
    model = isolated.load(ROOT, name, texts={name: text}).Model(of.mechanism.scenarios[scenario])
    return compare(of.tlc_graph(scenario, decision), explore(model, bound=50_000), of.mechanism.pc)


def text_of(of: Artefacts, decision: str = "") -> str:
    """The model's text without a decision."""
    return of.mechanism.without(decision).modules.get(f"model.{of.name}") or of.source("model")


def noticed(mechanism: str, label: str) -> None:
    of, scenario, _, changes = TABLES[mechanism]
    old, new, *place = changes[label]
    place = place or [scenario]
    text = text_of(of, *place[1:])
    assert label in of.model_graph(*place).labels
    assert compared(of, text, *place).equal
    found = compared(of, changed(text, label, old, new), *place)
    assert found.only_tlc and found.only_model
    for side in "in TLC's graph alone, such as", "in the model's graph alone, such as":
        assert side in found.difference


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "mechanism, label",
    [(mechanism, label) for mechanism, table in TABLES.items() for label in table.fast],
)
def test_a_change_is_noticed(mechanism, label):
    noticed(mechanism, label)


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism, label", EVERY)
def test_a_change_of_any_label_is_noticed(mechanism, label):
    noticed(mechanism, label)


@pytest.mark.parametrize("mechanism", TABLES)
def test_every_label_has_its_change(mechanism):
    of, _, _, changes = TABLES[mechanism]
    labels = set(filter(LABEL.fullmatch, dir(isolated.load(ROOT, f"model.{mechanism}").Model)))
    added = {label for decision in of.mechanism.decisions.values() for label in decision.labels}
    assert labels == set(of.mechanism.labels) and labels | added == set(changes)
    for label, (old, new, *place) in changes.items():
        text = text_of(of, *place[1:])
        assert changed(text, label, old, new) != text
