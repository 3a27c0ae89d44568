"""Layer proof, row `edges`: each edge is a step, each action an edge; every fault is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import nights
from tests.proofs import declared
from tests.proofs.declared import proved
from wheelproof import isolated, project
from wheelproof.checks import jobs, proof_edges, prove
from wheelproof.checks.context import Context
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
NAME = "delayed_operation"
EACH_ACTION = (
    *("schedule_cancel", "expire_cancel", "lengths_of_a_ring", "flush_into_itself"),
    *("opposite_flushes", "two_adders", "expire_readd"),
)
"""Configs of timer_task_list whose edges are all actions but those of the night's system."""


@pytest.fixture(scope="module")
def mechanism():
    return project.find(ROOT)[NAME]


def only(mechanism, *configs, **changes):
    return replace(
        mechanism, configs={name: mechanism.configs[name] for name in configs}, **changes
    )


def row(mechanism, tmp_path):
    return proof_edges.check(Context(mechanism, tmp_path)).rows[0]


def with_actions(monkeypatch, **changed):
    """Give the view modules other actions for these labels."""
    load = isolated.load

    def changed_view(root, name, *texts):
        module = load(root, name, *texts)
        if not name.endswith(".view"):
            return module
        return SimpleNamespace(**{**vars(module), "ACTIONS": {**module.ACTIONS, **changed}})

    monkeypatch.setattr(isolated, "load", changed_view)


def test_a_mechanism_with_a_view_gets_one_job(mechanism):
    assert proof_edges.declared(mechanism)
    planned = [
        job
        for job in jobs.plan(mechanism, "fast", lambda *names: "proof" in names)
        if job.kind == "edges"
    ]
    assert [(job.name, job.layers) for job in planned] == [("edges", ("proof",))]
    assert not [
        job
        for job in jobs.plan(mechanism, "fast", lambda *names: "proof" not in names)
        if job.kind == "edges"
    ]


def test_a_subject_without_proofs_gets_none():
    for other in project.find(ROOT / "examples" / "one_shot").values():
        assert not proof_edges.declared(other)
        assert not [
            job for job in jobs.plan(other, "fast", lambda *names: True) if job.kind == "edges"
        ]


@pytest.mark.nightly
def test_the_row_counts_what_was_compared(mechanism, tmp_path):
    """By day `make verify` has this row."""
    found = row(
        only(
            mechanism,
            *(
                name
                for name, config in mechanism.configs.items()
                if (config.distinct or 99_999) < 35_000
            ),
        ),
        tmp_path,
    )
    assert (
        found.ok
        and found.verdict is Verdict.EXHAUSTIVE
        and (found.layer, found.name) == ("proof", "edges")
    )
    assert found.figures["systems"] == 7 and found.figures["actions"] > 40
    assert found.figures["edges"] > found.figures["states"] > 5_000


def test_an_action_that_no_edge_is_makes_it_vacuous(mechanism, tmp_path):
    found = row(only(mechanism, "two_completers"), tmp_path)
    assert not found.ok and found.verdict is Verdict.VACUOUS and "Blocking.locks" in found.why


def test_a_label_without_its_actions_is_a_violation(mechanism, tmp_path, monkeypatch):
    with_actions(monkeypatch, P5="stutter")
    found = row(only(mechanism, "two_completers"), tmp_path)
    assert (
        found.verdict is Verdict.VIOLATED and found.property == "EveryEdgeIsAStep" and not found.ok
    )
    assert "P5 is no step" in found.why and "no label names the action leaves_note" in found.why


def test_a_formula_that_fails_in_a_state_is_named(mechanism, tmp_path, monkeypatch):
    load = isolated.load

    def broken(root, name, *texts):
        module = load(root, name, *texts)
        if not name.endswith(".view"):
            return module

        def views(model):
            for view in module.views(model):
                view.instance.formulas["nothing_is_pending"] = lambda state: (
                    not state[view.instance.compiled.variables.index("pending")]
                )
                yield view

        return SimpleNamespace(SYSTEMS=module.SYSTEMS, ACTIONS=module.ACTIONS, views=views)

    monkeypatch.setattr(isolated, "load", broken)
    found = row(only(mechanism, "two_completers"), tmp_path)
    assert (
        found.verdict is Verdict.VIOLATED
        and found.property == "nothing_is_pending"
        and "two_completers" in found.why
    )


def test_no_config_of_the_profile_makes_it_vacuous(mechanism, tmp_path):
    found = row(only(mechanism, "three_completers_expirer"), tmp_path)
    assert found.verdict is Verdict.VACUOUS and "no config" in found.why


def test_a_system_of_the_night_needs_no_edges_by_day(tmp_path, monkeypatch):
    """All other systems need each action by day: without the table the row is vacuous."""
    of_lists, compared = only(project.find(ROOT)["timer_task_list"], *EACH_ACTION), []
    make, load = proof_edges.Compared, isolated.load
    monkeypatch.setattr(proof_edges.Planted, "plant", lambda *_: None)
    monkeypatch.setattr(proof_edges, "Compared", lambda: compared.append(make()) or compared[-1])
    found = row(of_lists, tmp_path)
    assert found.ok, found.why
    monkeypatch.setattr(proof_edges, "Compared", compared.pop)
    monkeypatch.setattr(proof_edges, "compare", lambda *_: None)

    def without(root, name, *texts):
        module = load(root, name, *texts)
        if not name.endswith(".view"):
            return module
        return SimpleNamespace(**{**vars(module), "BY_NIGHT": ()})

    monkeypatch.setattr(isolated, "load", without)
    bare = row(of_lists, tmp_path)
    assert bare.verdict is Verdict.VACUOUS and bare.why.endswith("no edge is Elsewhere.flushes")


# -- what the proof's system enables, the model must enable


def never(label: str, when=lambda model, thread: True):
    """A change of a model's class: the label's step waits for ever, where ``when`` holds."""

    def change(module):
        right = getattr(module.Model, label)

        def step(self, thread):
            return module.BLOCKED if when(self, thread) else right(self, thread)

        return type("Blocked", (module.Model,), {label: step})

    return change


def planted(mechanism: str, change, *configs: str):
    """A mechanism with some of its configs and a changed model."""
    right = project.find(ROOT)[mechanism]
    changed = only(right, *configs)
    vars(changed)["model_module"] = SimpleNamespace(Model=change(right.model_module))
    return changed


@pytest.fixture(scope="module")
def theorems():
    return declared.theorems()


@pytest.mark.parametrize(
    ("label", "when", "config"),
    nights.only(
        [
            pytest.param(
                "K2", lambda model, thread: True, "two_expire", id="a step that waits for nothing"
            ),
            pytest.param("U2", lambda model, thread: True, "remove_cancel", id="another monitor"),
            pytest.param("C1", lambda model, thread: True, "cancel_cancel", id="a task's monitor"),
            pytest.param(
                "C2",
                lambda model, thread: model.timer_task_entry[thread.ct] is None,
                "cancel_cancel",
                id="an action that is never enabled",
            ),
            pytest.param(
                "T0",
                lambda model, thread: thread.turn > 1,
                "cancel_cancel",
                id="a stutter that waits",
            ),
        ],
        "a stutter that waits",
    ),
)
def test_a_model_that_waits_where_the_system_goes_on_unproves_p12(
    label, when, config, tmp_path, theorems
):
    found = row(planted("timer_task_list", never(label, when), config), tmp_path)
    assert (found.verdict, found.property, found.ok) == (
        Verdict.VIOLATED,
        "EnabledInTheModel",
        False,
    ), found.why
    assert f"waits at {label}" in found.why
    own = [item for item in theorems if item.mechanism == "timer_task_list"]
    judged = {each.name: each for each in prove.carried_over([found, *map(proved, own)], theorems)}
    unproved = [name for name, each in judged.items() if not each.ok]
    assert unproved == ["edges", "P12.OneReaper", "P16"]
    assert (
        judged["P12.OneReaper"].verdict is Verdict.INCONCLUSIVE
        and f"waits at {label}" in judged["P12.OneReaper"].why
    )


@pytest.mark.parametrize(
    ("mechanism", "label", "config"),
    [("system_timer", "W4", "one_adder"), ("delayed_operation", "P4", "two_completers")],
)
def test_a_wait_more_is_noticed_in_every_mechanism(mechanism, label, config, tmp_path):
    found = row(planted(mechanism, never(label), config), tmp_path)
    assert (found.verdict, found.property) == (
        Verdict.VIOLATED,
        "EnabledInTheModel",
    ) and f"waits at {label}" in found.why


def test_a_declared_wait_is_no_violation_but_carries_no_such_theorem(
    tmp_path, theorems, monkeypatch
):
    changed = planted("timer_task_list", never("K2"), "two_expire")
    with_actions(monkeypatch, K2="hands_over waits")
    found = row(changed, tmp_path)
    assert found.property is None and "waits at K2" in found.figures["waiting"]["OneReaper"]
    p12 = next(item for item in theorems if item.name == "P12.OneReaper")
    assert prove.not_carried(p12, replace(found, verdict=Verdict.EXHAUSTIVE)).startswith(
        "it is proved of OneReaper, which goes on where the model waits"
    )


def test_the_models_deadlock_with_a_view_that_sees_an_end_there_is_noticed(tmp_path, monkeypatch):
    load = isolated.load

    def blind(root, name, *texts):
        module = load(root, name, *texts)
        if name.endswith(".view"):
            monkeypatch.setattr(
                module.View,
                "pending",
                lambda view, index, frozen: (
                    None if frozen[1][index][0] in ("T0", "Done") else frozen[1][index][0]
                ),
            )
        return module

    monkeypatch.setattr(isolated, "load", blind)
    found = row(planted("timer_task_list", never("T0"), "cancel_cancel"), tmp_path)
    assert (
        found.property == "EnabledInTheModel"
        and "is stuck where 2 of 2 programs are over" in found.why
    )
    found = row(planted("timer_task_list", lambda module: module.Model, "cancel_cancel"), tmp_path)
    assert (
        found.property == "EveryEdgeIsAStep"
        and "the view shows the end of its program" in found.why
    )


SKIPPED = {
    "the first": lambda names: names[1:],
    "the last": lambda names: names[:-1],
    "all but one": lambda names: names[:1],
    "none is looked at": lambda names: [],
}


@pytest.mark.daily(2)
@pytest.mark.parametrize("skipped", SKIPPED)
def test_a_formula_that_is_never_evaluated_is_named(skipped, mechanism, tmp_path, monkeypatch):
    def refuted(instance, states):
        names = SKIPPED[skipped]([*instance.formulas])
        return {name: state for state in states for name in instance.broken(state, names)}

    found = row(only(mechanism, "two_completers"), tmp_path / "sound")
    assert "are not refused" not in found.why
    monkeypatch.setattr(proof_edges, "refuted", refuted)
    found = row(only(mechanism, "two_completers"), tmp_path)
    assert (found.ok, found.verdict) == (False, Verdict.VACUOUS)
    assert "made false, these formulas are not refused" in found.why


class Two:
    """An instance whose system has two formulas. ``evaluated``: those that it looks at."""

    def __init__(self, *evaluated):
        self.system = SimpleNamespace(conjuncts=lambda: {"I1": 1}, safety=lambda: {"S1": 1})
        self.formulas, self.evaluated = ("I1", "S1"), evaluated

    def broken(self, _state, names):
        return [name for name in names if name not in self.evaluated]


@pytest.mark.parametrize("evaluated", [("I1",), ("S1",), ("I1", "S1"), ()])
def test_a_formula_that_is_made_false_and_not_refused_is_unheard(evaluated, monkeypatch):
    instance = Two("I1", "S1")
    assert proof_edges.unheard(instance, "s") == []
    instance.formulas = evaluated
    assert proof_edges.unheard(instance, "s") == [
        name for name in ("I1", "S1") if name not in evaluated
    ]
