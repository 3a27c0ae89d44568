"""Stores that reach memory late, on released classes: volatile is what the model says it is for."""

from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.graph import reduced
from wheelproof.jvm import declaration, product, tasks
from wheelproof.jvm.values import Encoder
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["overflow_wheel"]
MECHANISM = mechanisms()["overflow_wheel"]
RELEASE = BINDING.releases[0]


def compared(jvm, change="", without=""):
    jvm.load(BINDING, change)
    program, mechanism = MECHANISM.scenarios["two"], MECHANISM.without(without)
    graph = reduced.reduce(mechanism.model("two"), mechanism.silent)
    jvm.begin(BINDING, program)
    found = jvm.explore(20_000, 300)
    assert found.complete and not found.faults
    encoder = Encoder(graph.model, program, BINDING.names)
    return product.compare(found, graph, reduced.rows(graph), encoder)


@pytest.mark.parametrize(("change", "without"), [("", ""), ("plain-overflow-wheel", "PlainWheel")])
def test_every_edge_is_the_models_with_the_same_memory(jvm, change, without):
    made = compared(jvm, change, without)
    assert made.difference is None and not made.uncovered
    assert made.figures["compared_edges"] == made.figures["model_edges"]


@pytest.mark.parametrize(("change", "without"), [("", "PlainWheel"), ("plain-overflow-wheel", "")])
def test_the_other_machine_is_rejected(jvm, change, without):
    made = compared(jvm, change, without)
    assert made.difference is not None
    assert "overflowWheel is" in made.difference.message or "buffer is" in made.difference.message


@pytest.mark.nightly
def test_a_plain_field_shows_the_wheel_without_its_time_and_is_replayed(
    jvm, output, monkeypatch, capsys
):
    monkeypatch.chdir(output)
    names = [f"plain-overflow-wheel@{RELEASE}"]
    (row,) = layer.check(Context(MECHANISM, output), names).rows
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "SafePublication", True)
    assert document.read(output / row.trace).model_without == "PlainWheel"
    assert replay.run(output / row.trace, "impl", root=ROOT) == replay.REPRODUCED
    assert "SafePublication is violated" in capsys.readouterr().out


def test_a_change_that_is_another_mechanism_than_declared_is_not_in_order(jvm, output, monkeypatch):
    text = BINDING.file.read_text(encoding="utf-8")
    folder = output / "wrong" / "jvm"
    folder.mkdir(parents=True)
    wrong = text.replace('without = "PlainWheel"', 'without = "M16"')
    (folder / BINDING.file.name).write_text(wrong, encoding="utf-8")
    for name in BINDING.folders:
        (folder / name).symlink_to(ROOT / "jvm" / name)
    bindings = declaration.find(folder.parent)
    monkeypatch.setattr(tasks, "find", lambda root: bindings)
    names = [f"plain-overflow-wheel@{RELEASE}"]
    (row,) = layer.check(Context(MECHANISM, output), names).rows
    assert (row.verdict, row.ok) == (Verdict.ERROR, False)
    assert "two without M16" in row.why
