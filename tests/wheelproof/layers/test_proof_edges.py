"""Layer proof, row `edges`: green where every edge is a step and every action an edge, and each other word where it must be."""
from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from wheelproof import floors, subject
from wheelproof.layers import jobs, proof_edges
from wheelproof.layers.bench import Bench
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
STEM = "delayed_operation"


@pytest.fixture(scope="module")
def mechanism():
    return subject.find(ROOT)[STEM]


def only(mechanism, *configs, **changes):
    return replace(mechanism, configs={name: mechanism.configs[name] for name in configs}, **changes)


def row(mechanism, tmp_path):
    return proof_edges.check(Bench(mechanism, tmp_path)).rows[0]


def test_a_mechanism_with_a_view_gets_one_job(mechanism):
    assert proof_edges.declared(mechanism)
    planned = [job for job in jobs.plan(mechanism, "fast", lambda *names: "proof" in names) if job.kind == "edges"]
    assert [(job.name, job.layers) for job in planned] == [("edges", ("proof",))]
    assert not [job for job in jobs.plan(mechanism, "fast", lambda *names: "proof" not in names) if job.kind == "edges"]


def test_a_subject_without_proofs_gets_none():
    for other in subject.find(ROOT / "tests" / "subjects" / "one_shot").values():
        assert not proof_edges.declared(other)
        assert not [job for job in jobs.plan(other, "fast", lambda *names: True) if job.kind == "edges"]


def test_the_row_counts_what_was_compared(mechanism, tmp_path):
    found = row(only(mechanism, *(name for name, config in mechanism.configs.items() if (config.distinct or 99_999) < 35_000)), tmp_path)
    assert found.ok and found.verdict is Verdict.EXHAUSTIVE and (found.layer, found.name) == ("proof", "edges")
    assert found.figures["systems"] == 5 and found.figures["actions"] > 40
    assert found.figures["edges"] > found.figures["states"] > 5_000


def test_an_action_that_no_edge_is_makes_it_vacuous(mechanism, tmp_path):
    found = row(only(mechanism, "two_completers"), tmp_path)
    assert not found.ok and found.verdict is Verdict.VACUOUS and "Blocking.locks" in found.why


def test_a_label_without_its_actions_is_a_violation(mechanism, tmp_path):
    labels = {**mechanism.labels, "P5": replace(mechanism.labels["P5"], proof="stutter")}
    found = row(only(mechanism, "two_completers", labels=labels), tmp_path)
    assert found.verdict is Verdict.VIOLATED and found.property == "EveryEdgeIsAStep" and not found.ok
    assert "P5 is no step" in found.why and "no label names the action leaves_note" in found.why


def test_a_formula_that_fails_in_a_state_is_named(mechanism, tmp_path, monkeypatch):
    load = floors.load

    def broken(root, name, **options):
        module = load(root, name, **options)
        if not name.endswith("_view"):
            return module

        def views(model):
            for view in module.views(model):
                view.instance.formulas["nothing_is_pending"] = lambda state: not state[view.instance.compiled.variables.index("pending")]
                yield view

        return SimpleNamespace(SYSTEMS=module.SYSTEMS, views=views)

    monkeypatch.setattr(floors, "load", broken)
    found = row(only(mechanism, "two_completers"), tmp_path)
    assert found.verdict is Verdict.VIOLATED and found.property == "nothing_is_pending" and "two_completers" in found.why


def test_no_config_of_the_lane_makes_it_vacuous(mechanism, tmp_path):
    found = row(only(mechanism, "three_completers_expirer"), tmp_path)
    assert found.verdict is Verdict.VACUOUS and "no config" in found.why
