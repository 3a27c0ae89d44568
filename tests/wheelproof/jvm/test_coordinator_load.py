"""Kafka's coordinator runtime beside the model, and what the comparison must refuse."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from tests.nights import only
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.errors import UsageError
from wheelproof.graph import reduced
from wheelproof.jvm import product
from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.joined import Joined
from wheelproof.jvm.table import table_faults
from wheelproof.jvm.tasks import tasks
from wheelproof.jvm.values import Encoder
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["coordinator_load"]
FIXED = bindings()["coordinator_load_fixed"]
MECHANISM = mechanisms()["coordinator_load"]
RELEASE = BINDING.releases[0]


def compared(jvm, scenario, binding=BINDING, change=""):
    jvm.load(binding, change)
    mechanism = MECHANISM.without(binding.without)
    program = MECHANISM.scenarios[scenario]
    whole = reduced.reduce(mechanism.model(scenario), mechanism.silent)
    graph = Joined(whole, binding.pairs).graph
    jvm.begin(binding, program)
    search = jvm.explore(20_000, 300)
    encoder = Encoder(graph.model, program, binding.names)
    return search, product.compare(search, graph, reduced.rows(graph), encoder)


@pytest.mark.parametrize("scenario", only(BINDING.fast, "raises", "writes_at_the_end"))
def test_released_classes_lack_both_decisions(jvm, scenario):
    search, comparison = compared(jvm, scenario)
    assert search.complete and not search.faults
    assert comparison.difference is None and not comparison.uncovered
    assert comparison.figures["compared_edges"] == comparison.figures["model_edges"]


@pytest.mark.parametrize(
    ("without", "scenario", "message"),
    [
        ("", "raises", "broker is at S1, in the model at A4"),
        ("CompletesAnother", "raises", "broker is at S1, in the model at A4"),
        ("ListensLate", "leads_again", "broker is at C3, in the model at R1"),
    ],
)
def test_released_classes_are_no_mechanism_with_one_of_them(jvm, without, scenario, message):
    _, comparison = compared(jvm, scenario, replace(BINDING, without=without))
    assert comparison.difference is not None
    assert comparison.difference.message == message


@pytest.mark.parametrize(
    ("label", "site", "message"),
    [
        ("A2", "CoordinatorRuntime.lambda$*:PUTFIELD nothing#0", "epoch is"),
        ("C1", "CoordinatorRuntime$CoordinatorContext.transitionTo:PUTFIELD state#2", "state is"),
    ],
)
def test_a_label_at_a_wrong_site_is_a_difference(jvm, label, site, message):
    labels = {**BINDING.labels, label: (site,)}
    _, comparison = compared(jvm, "raises", replace(BINDING, labels=labels))
    assert comparison.difference is not None
    assert comparison.difference.message.startswith(message)


def test_a_future_that_is_done_in_two_steps_is_another_machine(jvm):
    _, comparison = compared(jvm, "writes_at_the_end", replace(BINDING, joined={}))
    assert comparison.difference is not None
    assert comparison.difference.schedule[-1][1] == "N1"


def test_a_changed_class_is_rejected(jvm):
    _, comparison = compared(jvm, "comes_late", change="unloads-any")
    assert comparison.difference is not None
    assert comparison.difference.message == "broker is at B1, in the model at R1"


def rows(output, *names):
    context = Context(MECHANISM, output)
    try:
        layer.fetch(context, names)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    return layer.check(context, names).rows


def test_a_defect_is_followed_on_the_classes_and_replayed(output, monkeypatch, capsys):
    (row,) = rows(output, f"ListensLate@{RELEASE}")
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "HighWatermarkSeen", True)
    assert row.trace
    assert document.read(output / row.trace).model_without == BINDING.without
    monkeypatch.chdir(output)
    assert replay.run(output / row.trace, "impl", root=ROOT) == replay.REPRODUCED
    assert "reproduced on the implementation: HighWatermarkSeen" in capsys.readouterr().out


def test_every_decision_that_kafka_lacks_is_followed_where_it_breaks_a_property():
    names = {task.subject for task in tasks(MECHANISM).values() if task.kind == "property"}
    assert names == {"CompletesAnother", "CompletesAnother_failed", "ListensLate"}


@pytest.mark.parametrize("name", only(["leads", "completes-another"], "completes-another"))
def test_the_fixed_classes_are_the_mechanism_as_it_is(output, name):
    """One change takes a fix away: the fixed classes are equal to the model, edge by edge."""
    (row,) = rows(output, f"{name}@4.3.1-fixed")
    wanted = (Verdict.VIOLATED, "ServesWhatIsLoaded") if "-" in name else (Verdict.EXHAUSTIVE, None)
    assert (row.verdict, row.property) == wanted and row.ok


# -- a mechanism without several decisions


def test_a_mechanism_can_lack_several_decisions():
    both = MECHANISM.without("CompletesAnother-and-ListensLate")
    alone = [MECHANISM.without(name).texts for name in ("CompletesAnother", "ListensLate")]
    for file, text in both.texts.items():
        assert text not in [texts.get(file) for texts in alone]
    assert "if ended # current then return" not in both.texts["spec/CoordinatorLoad.tla"]
    assert "A4: listener := ended;" in both.texts["spec/CoordinatorLoad.tla"]


def test_an_unknown_one_of_several_decisions_is_named():
    with pytest.raises(UsageError, match="coordinator_load has no decision Nothing"):
        MECHANISM.without("ListensLate-and-Nothing")


# -- sites of lambdas


def test_a_lambda_has_its_site_under_any_name():
    keys = ["A.lambda$load$1:PUTFIELD epoch#0", "A.lambda$7:PUTFIELD epoch#0", "A.load:LOCK#0"]
    binding = replace(BINDING, labels={"A2": ("A.lambda$*:PUTFIELD epoch#0",), "A1": ("A.x#0",)})
    for key in keys[:2]:
        assert binding.at([key, keys[2]]).labels == {"A2": (key,), "A1": ("A.x#0",)}
    assert binding.at(keys[2:]).labels == binding.labels


def test_a_pattern_that_fits_no_site_is_a_fault():
    labels = {**BINDING.labels, "A2": ("CoordinatorRuntime.lambda$*:PUTFIELD nothing#0",)}
    binding = replace(BINDING, labels=labels, unlabelled={}, within={})
    hits = {site.replace("*", "load$0"): 1 for name in BINDING.labels for site in labels[name]}
    del hits["CoordinatorRuntime.lambda$load$0:PUTFIELD nothing#0"]
    faults = table_faults(binding, MECHANISM, [], hits)
    assert faults == ["there is no site CoordinatorRuntime.lambda$*:PUTFIELD nothing#0"]


def test_all_scenarios_are_compared_or_have_a_reason():
    for binding in (BINDING, FIXED):
        names = set(binding.scenarios(MECHANISM))
        assert names | set(binding.absent) == set(MECHANISM.scenarios)
        assert set(binding.absent) == {"leads_again_rising"}
