"""Every judge plants faults in what it judges: one that rejects nothing ends its row as vacuous.

A part of a judge is made blind, and its row must say which planted faults it missed. The sources of
the checks tell which rows have such faults; the others have a reason.
"""

from __future__ import annotations

import ast

import pytest

from tests.found import ROOT, mechanisms
from wheelproof import isolated, project
from wheelproof.checks import (
    agreement,
    arithmetic,
    context,
    controls,
    coverage,
    liveness,
    proof_edges,
    safety,
    sensitivity,
)
from wheelproof.checks.context import Context, Report
from wheelproof.checks.edge_controls import Planted, of_table
from wheelproof.graph import compare, same
from wheelproof.graph.explorer import explore
from wheelproof.python.search import bisimulation
from wheelproof.python.search.second_way import SecondWays
from wheelproof.tlc import translation
from wheelproof.verdict import Verdict

CHECKS = ROOT / "wheelproof" / "checks"
ROW = ("context.row", "self.context.row", "self.add")
ONE_SHOT = ROOT / "examples" / "one_shot"

OF_MUTANTS = "the rows of decisions that are taken away, in the same run, are its faults"
ITSELF = "it is a planted fault, and has to end as violated by a named property"
WITHOUT = {
    "agreement.check": "the row of a witness that one side lacks: a finding",
    "composition.check": OF_MUTANTS,
    "composition.race_row": OF_MUTANTS,
    "job.carry_out": "the row of a job that an error ended: never in order",
    "jvm.same_classes": "the changes of classes, in the same run, are its faults",
    "jvm._Checks.carry_out": "the changes of classes, in the same run, are its faults",
    "lock_order.lock_order": "it plants edges, and says itself which it does not reject",
    "mutant._Kill.report": ITSELF,
    "prove.check": "`complete.unnoticed` leaves out each part; a theorem declares its controls",
    "random.check": OF_MUTANTS,
    "random.check_mutant": ITSELF,
    "refinement.check": OF_MUTANTS,
    "refinement.check_mutants": ITSELF,
    "safety._Config.add": "it passes on what the check of a layer gives it",
    "safety._Config.expected_to_fail": ITSELF,
    "safety._Config.graph_row": "the row without a whole graph: never in order",
    "stress.check": "it plants faults in primitives, and is vacuous where none is seen",
    "stress.check_fault": ITSELF,
}
"""Function -> why a row of it has no planted faults of its own."""


def of_layers(*layers):
    """The rows of one config of the example in some layers."""

    def rows(folder):
        mechanism = project.find(ONE_SHOT)["one_shot"]
        chosen = Context(mechanism, folder, layers=frozenset(layers))
        return safety.check(chosen, mechanism.configs["two"]).rows

    return rows


def of_run(name):
    def rows(folder):
        mechanism = project.find(ONE_SHOT)["one_shot"]
        return liveness.check(Context(mechanism, folder), mechanism.configs[name]).rows

    return rows


def over_all(make):
    """The row over all scenarios of a mechanism, of which all is exercised."""

    def rows(folder):
        mechanism = mechanisms()["task_executor"]
        chosen = Context(mechanism, folder)
        implementation = chosen.implementation()
        report = Report(
            labels=set(mechanism.labels),
            branches=coverage_of(implementation),
            witnesses=dict.fromkeys(mechanism.witnesses, "adds"),
            changed={"OneThread.queue", *implementation.unread},
            unread=dict.fromkeys(implementation.unread, ("adds", "the place")),
        )
        return [make(chosen, [report])]

    return rows


def coverage_of(implementation):
    declared, _ = implementation.branches()
    return {name for name in declared if not any(map(name.startswith, implementation.not_run))}


def sampled(make):
    return lambda folder: make(Context(mechanisms()["system_timer_reaper"], folder)).rows


def nothing(*_, **__):
    return []


def no_text(*_, **__):
    return ""


def none(*_, **__):
    return None


def equal(tlc, graph, matched, pc):
    return compare.Comparison(0, 0, 0, 0, "")


def all_false(chosen, sample, check, judged=sensitivity.judged_by_tlc):
    """TLC's answers, of which every one is read as false."""
    whole, result, theirs = judged(chosen, sample, check)
    return whole, result, {n: dict.fromkeys(truth, False) for n, truth in theirs.items()}


GRAPH, TLC, CODE = of_layers("tlc", "graph"), of_layers("tlc"), of_layers("bisimulation")
LABELS, FIELDS = over_all(coverage.labels), over_all(coverage.fields)
PARTS = {
    "a count": ("tlc", TLC, context, "drift", no_text, "one more distinct"),
    "a label": ("graph", GRAPH, compare, "_comparison", equal, "no O4"),
    "an update": ("graph", GRAPH, compare, "_comparison", equal, "without done"),
    "the compiled steps": ("graph", GRAPH, same, "_first_difference", no_text, "no "),
    "a variable": ("bisimulation", CODE, bisimulation, "compare_shared", none, "done with another"),
    "a step": ("bisimulation", CODE, bisimulation, "compare_enabled", none, "no O4"),
    "another step": ("bisimulation", CODE, bisimulation, "compare_enabled", none, "step than O4"),
    "a result": ("bisimulation", CODE, bisimulation, "compare_results", none, "another result"),
    "a second way": (
        "bisimulation",
        CODE,
        SecondWays,
        "_compare_step",
        none,
        "way to another result",
    ),
    "a formula": ("graph", GRAPH, safety, "formulas", nothing, "RunsOnce false"),
    "a translation": (
        "tlc",
        over_all(lambda chosen, _: coverage.translated(chosen)),
        translation,
        "_state",
        lambda *_: translation.State.CURRENT,
        "TaskExecutor.tla without a line",
    ),
    "what no run breaks": (
        "tlc",
        over_all(lambda chosen, _: controls.controls(chosen)),
        controls,
        "lacking",
        nothing,
        "NothingLost not shown",
    ),
    "the labels of an artefact": (
        "coverage",
        LABELS,
        coverage.Labels,
        "faults",
        nothing,
        "not in the implementation",
    ),
    "an idle label": ("coverage", LABELS, coverage.Labels, "idle", no_text, "not exercised"),
    "a branch": (
        "coverage",
        over_all(coverage.branches),
        coverage,
        "not_run",
        lambda *_: ([], "", ""),
        "not run",
    ),
    "a field": ("coverage", FIELDS, coverage, "not_read", nothing, "OneThread.queue not read"),
    "a witness": (
        "graph",
        over_all(coverage.witnesses),
        coverage,
        "unreached",
        nothing,
        "not reached",
    ),
    "arithmetic": (
        "coverage",
        over_all(arithmetic.arithmetic),
        arithmetic,
        "faults",
        nothing,
        "another expression",
    ),
    "a predicate": (
        "graph",
        sampled(agreement.check),
        agreement,
        "difference",
        none,
        "PollsNoMore negated",
    ),
    "a weaker property": (
        "graph",
        sampled(sensitivity.check),
        sensitivity,
        "judgement",
        lambda *_: {"verdict": Verdict.SAMPLED},
        "PollsNoMore always true in the spec",
    ),
    "what TLC says of a state": (
        "graph",
        sampled(sensitivity.check),
        sensitivity,
        "judged_by_tlc",
        all_false,
        "PollsNoMore always false in the spec",
    ),
    "a goal": ("liveness", of_run("two_end"), liveness, "violation", none, "Termination never"),
    "a second verdict": (
        "liveness",
        of_run("two_end"),
        liveness,
        "disagreement",
        no_text,
        "another verdict of the model",
    ),
    "fairness": ("liveness", of_run("unfair"), liveness, "starvation", nothing, "a stopped"),
}
"""A part -> the layer of its row, how that is made, what is made blind and how, and the planted
fault that the row then misses."""


@pytest.mark.daily(3)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_rejects_nothing_ends_the_row_as_vacuous(part, tmp_path, monkeypatch):
    layer, rows, where, name, blind, missed = PARTS[part]
    monkeypatch.setattr(where, name, blind)
    (row,) = [row for row in rows(tmp_path) if row.layer == layer]
    assert (row.ok, row.verdict) == (False, Verdict.VACUOUS)
    assert missed in row.why.partition("does not reject what it planted: ")[2]


@pytest.mark.daily(4)
@pytest.mark.parametrize("rows", {id(rows): rows for _, rows, *_ in PARTS.values()}.values())
def test_each_row_says_how_many_faults_it_has_planted(rows, tmp_path):
    for row in rows(tmp_path):
        assert row.ok and row.figures["controls"] > 0, row.title()


def makers():
    """Function of a check that makes a row -> whether each of its calls passes controls on."""
    found = {}
    for file in sorted(CHECKS.glob("*.py")):
        for top in ast.parse(file.read_text(encoding="utf-8")).body:
            inner = top.body if isinstance(top, ast.ClassDef) else [top]
            for function in inner:
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and ast.unparse(call.func) in ROW:
                        name = ".".join([file.stem, *dict.fromkeys([top.name, function.name])])
                        passed = any(word.arg == "controls" for word in call.keywords)
                        found.setdefault(name, []).append(passed)
    return found


def test_each_row_has_planted_faults_or_a_reason():
    found = makers()
    lacking = {name for name, passed in found.items() if not all(passed)}
    assert lacking == set(WITHOUT)
    assert len(found) > len(lacking)


@pytest.fixture(scope="module")
def proved():
    """The view of one graph of `system_timer`, the graph, and the table of actions."""
    mechanism = mechanisms()["system_timer"]
    module = isolated.load(mechanism.root, "proofs.system_timer.view")
    model = mechanism.model("one_adder")
    (view,) = module.views(model)
    return mechanism, module, view, explore(model)


def planted_in(proved, judge, named=None):
    _, module, view, graph = proved
    found = Planted(judge, module.ACTIONS if named is None else named)
    found.plant(view, graph)
    return found.rejected


def test_each_fault_in_the_steps_of_a_proof_is_rejected(proved):
    rejected = planted_in(proved, proof_edges.star_faults)
    assert all(rejected.values())
    for kind in ("by no action", "a wait at", "not updated"):
        assert any(kind in name for name in rejected)


def test_a_comparison_of_steps_that_rejects_nothing_rejects_no_fault(proved):
    rejected = planted_in(proved, lambda *_: ([], []))
    assert rejected.keys() == planted_in(proved, proof_edges.star_faults).keys()
    assert not any(rejected.values())


def test_each_fault_in_a_table_of_actions_is_rejected(proved):
    mechanism, module, *_ = proved

    def judged(judge):
        return of_table(judge, mechanism.labels, module.ACTIONS, module.SYSTEMS)

    rejected = judged(
        lambda named: proof_edges.table_faults(mechanism.labels, named, module.SYSTEMS)
    )
    assert all(rejected.values()) and len(rejected) > len(mechanism.labels)
    assert not any(judged(nothing).values())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "blind", "missed"),
    [
        ("star_faults", lambda *_: ([], []), "by no action"),
        ("table_faults", nothing, "no actions of"),
    ],
)
def test_edges_that_reject_nothing_end_the_row_as_vacuous(
    name, blind, missed, tmp_path, monkeypatch
):
    monkeypatch.setattr(proof_edges, name, blind)
    (row,) = proof_edges.check(Context(mechanisms()["system_timer"], tmp_path)).rows
    assert (row.ok, row.verdict) == (False, Verdict.VACUOUS)
    assert missed in row.why.partition("does not reject what it planted: ")[2]
