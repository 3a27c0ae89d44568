"""A passing config's rows: the three artefacts agree, and each disagreement is detected."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.model.delayed_operation import MECHANISM as OPERATION
from tests.model.system_timer import MECHANISM as TIMER
from tests.model.timer import MECHANISM
from wheelproof.checks import comparisons, machine, safety
from wheelproof.checks.context import Context, drift
from wheelproof.checks.safety import check
from wheelproof.graph.explorer import explore
from wheelproof.project.mechanism import Config, value_of
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.verdict import exit_code

CONFIG = replace(MECHANISM.configs["remove_cancel"], generated=290, distinct=166, depth=24)
DEADLOCK = MECHANISM.configs["opposite_flushes"]


@pytest.fixture
def dumps(monkeypatch):
    """The names of the runs of TLC that write a graph."""
    names, dumped = [], safety.dump_and_compare

    def noted(context, name, *arguments, **options):
        names.append(name)
        return dumped(context, name, *arguments, **options)

    monkeypatch.setattr(safety, "dump_and_compare", noted)
    return names


def rows_of(context, config, *layers):
    context = replace(context, layers=frozenset(layers)) if layers else context
    report = check(context, config)
    return {row.layer: row for row in report.rows}, report


def test_a_passing_config(context):
    rows, report = rows_of(context, CONFIG)
    assert set(rows) == {"tlc", "graph", "bisimulation"} and all(
        row.ok and row.verdict == "exhaustive" for row in rows.values()
    )
    assert rows["tlc"].figures == {"generated": 290, "distinct": 166, "depth": 24, "controls": 3}
    assert rows["graph"].figures["states"] == 166 and rows["graph"].figures["edges"] == 289
    assert (
        rows["bisimulation"].figures["compared_edges"]
        == rows["bisimulation"].figures["model_edges"]
        > 0
    )
    assert {"U1", "R1", "C3", "T0"} <= report.labels and "A1" not in report.labels
    assert report.witnesses["RemoveComesTooLate"] == "remove_cancel"


def test_only_the_chosen_layers_have_rows(context):
    rows, report = rows_of(context, CONFIG, "bisimulation")
    assert set(rows) == {"bisimulation"} and {"T0", "U1"} <= report.labels


def test_an_invariant_that_holds_is_not_declared_to_fail(context):
    rows, _ = rows_of(context, replace(CONFIG, fails=("CounterExact",)), "tlc", "graph")
    assert (
        rows["tlc"].ok
        and not rows["graph"].ok
        and "CounterExact holds, and is declared to fail" in rows["graph"].why
    )


@pytest.mark.nightly
def test_an_invariant_that_is_declared_to_fail_leaves_the_others_to_be_kept(context):
    """By day `make verify` has such rows, and the test above is the control."""
    context = replace(context, mechanism=TIMER)
    config = TIMER.configs["kafka_stalled_adder"]
    rows, _ = rows_of(context, config, "tlc", "graph")
    assert (
        rows["tlc"].ok
        and rows["graph"].ok
        and rows["graph"].figures["fails"] == ", ".join(config.fails)
    )
    rows, _ = rows_of(context, replace(config, fails=config.fails[1:]), "tlc", "graph")
    assert (rows["tlc"].verdict, rows["tlc"].property) == (
        "violated",
        config.fails[0],
    ) and not rows["graph"].ok


@pytest.mark.parametrize("field", ["generated", "distinct", "depth"])
def test_counts_that_drifted_are_not_in_order(context, field):
    rows, _ = rows_of(
        context, replace(CONFIG, **{field: getattr(CONFIG, field) + 1}), "tlc", "graph"
    )
    for row in rows.values():
        assert (
            not row.ok
            and f"{field} is {getattr(CONFIG, field)}, declared {getattr(CONFIG, field) + 1}"
            in row.why
        )


def test_counts_that_were_never_recorded_are_not_in_order(context):
    rows, _ = rows_of(context, replace(CONFIG, generated=None), "tlc", "graph")
    for row in rows.values():
        assert not row.ok and "its counts are not recorded" in row.why


def test_drift_names_what_differs():
    assert drift(CONFIG, {"generated": 290, "distinct": 166, "depth": 24}) == ""
    assert (
        drift(CONFIG, {"generated": 290, "distinct": 167, "depth": 23})
        == "distinct is 167, declared 166; depth is 23, declared 24"
    )


def test_a_model_that_is_another_machine(context, monkeypatch):
    other = explore(MECHANISM.without("M19").model("remove_cancel"))
    monkeypatch.setattr(type(context), "explored", lambda self, config, layer="graph": other)
    rows, _ = rows_of(context, CONFIG, "graph")
    row = rows["graph"]
    assert not row.ok and (row.verdict, row.property) == ("violated", "SameGraph")
    assert "the model violates TypeOK" in row.why and "the model violates CounterExact" in row.why


def test_an_implementation_that_is_another_machine(context, monkeypatch):
    plain = Context.implementation
    monkeypatch.setattr(type(context), "implementation", lambda self: plain(self.without("M19")))
    monkeypatch.setattr(type(context), "sources", lambda self, scenario=None: {})
    rows, _ = rows_of(context, CONFIG, "bisimulation")
    assert not rows["bisimulation"].ok and (
        rows["bisimulation"].verdict,
        rows["bisimulation"].property,
    ) == ("violated", "Bisimulation")
    assert (context.output / rows["bisimulation"].trace).is_file()


def test_a_silent_label_that_does_not_commute(context):
    labels = {**MECHANISM.labels, "R1": replace(MECHANISM.labels["R1"], kind="silent")}
    rows, _ = rows_of(
        replace(context, mechanism=replace(MECHANISM, labels=labels)), CONFIG, "graph"
    )
    assert not rows["graph"].ok and "the silent step R1 does not commute with" in rows["graph"].why


def test_a_bisimulation_that_ran_out_of_time(context, monkeypatch):
    bisimulated = machine.bisimulated
    monkeypatch.setattr(
        machine,
        "bisimulated",
        lambda *arguments, **options: bisimulated(*arguments, budget=-1.0, **options),
    )
    rows, _ = rows_of(context, CONFIG, "bisimulation")
    assert not rows["bisimulation"].ok and rows["bisimulation"].verdict == "inconclusive"


def test_edges_that_were_not_compared(context, monkeypatch):
    bisimulated = machine.bisimulated
    monkeypatch.setattr(
        machine,
        "bisimulated",
        lambda *arguments, **options: replace(
            bisimulated(*arguments, **options), uncovered=((0, 0), (1, 1))
        ),
    )
    rows, _ = rows_of(context, CONFIG, "bisimulation")
    assert (
        not rows["bisimulation"].ok
        and "2 edges of the model were not in the bisimulation" in rows["bisimulation"].why
    )


# -- a config that adds a property to the mechanism's

FAILING = replace(MECHANISM.configs["schedule_cancel"], property="CancelledUnlinked")
"""A small machine in which the property does not hold."""


def test_a_config_checks_the_property_that_it_adds(context):
    rows, _ = rows_of(context, replace(CONFIG, property="CancelledUnlinked"))
    assert all(row.ok for row in rows.values()), [row.why for row in rows.values()]
    assert (
        rows["bisimulation"].figures["depth_model"] is None
        and rows["bisimulation"].figures["depth_impl"] is None
    )


def test_a_config_is_rejected_by_the_property_that_it_adds(context):
    """The graph's row is that of every config that must pass and does not."""
    rows, _ = rows_of(context, FAILING, "tlc", "bisimulation")
    assert not rows["tlc"].ok and rows["tlc"].property == "CancelledUnlinked"
    assert not any(row.ok for row in rows.values())
    assert "CancelledUnlinked fails after" in rows["bisimulation"].why


# -- configs that must fail


def test_a_config_that_must_fail(context):
    rows, _ = rows_of(context, DEADLOCK, "tlc", "graph")
    assert rows["tlc"].ok and rows["tlc"].property == "NoDeadlock" and rows["graph"].ok, [
        row.why for row in rows.values()
    ]
    assert rows["tlc"].figures["transitions"] == rows["tlc"].figures["transitions_model"]
    assert (context.output / rows["tlc"].trace).is_file()


def test_a_config_that_must_fail_and_does_not(context):
    rows, _ = rows_of(
        context,
        Config("made_up", "remove_cancel", expect="violated", property="AtMostOneList"),
        "tlc",
    )
    assert (
        not rows["tlc"].ok
        and "expected violated by AtMostOneList, got exhaustive" in rows["tlc"].why
    )


REAL = replace(DEADLOCK, expect="exhaustive", property=None)
"""A deadlock that is in specification and model alike, where none is expected."""


def test_a_config_that_must_pass_and_does_not(context):
    rows, report = rows_of(context, REAL, "tlc", "graph")
    assert not rows["tlc"].ok and rows["tlc"].property == "NoDeadlock"
    assert (context.output / rows["tlc"].trace).is_file()
    graph = rows["graph"]
    assert not graph.ok and graph.verdict == "exhaustive", "the graphs are equal all the same"
    assert "the model violates NoDeadlock" in graph.why and graph.figures["compared"] == (
        "every edge"
    )
    assert exit_code(report.rows) == 1


def test_a_violation_that_the_model_has_not_needs_no_second_run(context, monkeypatch, dumps):
    monkeypatch.setattr(safety, "first_violation", lambda graph, name: None)
    rows, report = rows_of(context, REAL, "graph")
    graph = rows["graph"]
    assert (graph.ok, graph.verdict, graph.property) == (False, "violated", "NoDeadlock")
    assert "a violation of NoDeadlock, which the model keeps" in graph.why
    assert dumps == [REAL.name] and exit_code(report.rows) == 1


def test_a_second_run_that_fails_is_the_tools_failure_beside_the_finding(context, monkeypatch):
    dumped = safety.dump_and_compare

    def failing(context, name, *arguments, **options):
        if name.endswith("_graph"):
            return TlcResult(Outcome.ERROR, explanation="no room on the disk."), None
        return dumped(context, name, *arguments, **options)

    monkeypatch.setattr(safety, "dump_and_compare", failing)
    monkeypatch.setattr(type(MECHANISM), "witnesses", ("TypeOK",))
    rows, report = rows_of(context, REAL, "tlc", "graph")
    assert report.witnesses == {"TypeOK": REAL.name}, "the model's states are reached all the same"
    assert rows["graph"].verdict == "error" and "no room on the disk" in rows["graph"].why
    assert rows["tlc"].property == "NoDeadlock" and exit_code(report.rows) == 1


def test_another_depth_of_the_violation(context, monkeypatch):
    monkeypatch.setattr(safety, "first_violation", lambda graph, name: 0)
    rows, _ = rows_of(context, DEADLOCK, "tlc")
    assert not rows["tlc"].ok and "the model's 0" in rows["tlc"].why


# -- configs of one machine

SAFE = OPERATION.configs["two_completers"]
BROKEN = replace(
    SAFE, name="made_up", expect="violated", property="TryAlwaysExcludesComplete", about=""
)


@pytest.mark.nightly
def test_one_graph_is_for_all_configs_of_a_machine(context, dumps):
    context = replace(context, mechanism=OPERATION)
    together = check(context, SAFE, fails=[BROKEN]).rows
    assert all(row.ok for row in together), [row.why for row in together]
    assert dumps == [SAFE.name]
    apart = [*check(context, SAFE).rows, *check(context, BROKEN).rows]
    assert dumps[1:] == [SAFE.name, BROKEN.name]
    assert [replace(row, seconds=0, trace=None) for row in together] == [
        replace(row, seconds=0, trace=None) for row in apart
    ]


def test_a_graph_that_differs_rejects_every_config_of_its_machine(context, monkeypatch):
    dumped = safety.dump_and_compare

    def differing(*arguments, **options):
        result, equality = dumped(*arguments, **options)
        return result, replace(equality, fault="an edge in TLC's graph alone")

    monkeypatch.setattr(safety, "dump_and_compare", differing)
    context = replace(context, mechanism=OPERATION, layers=frozenset({"tlc", "graph"}))
    rows = [row for row in check(context, SAFE, fails=[BROKEN]).rows if row.layer == "graph"]
    assert [(row.name, row.ok, row.property) for row in rows] == [
        (SAFE.name, False, "SameGraph"),
        (BROKEN.name, False, "SameGraph"),
    ]


def test_a_property_that_holds_is_not_violated_beside_another_config(context):
    context = replace(context, mechanism=OPERATION, layers=frozenset({"tlc", "graph"}))
    rows = check(context, SAFE, fails=[replace(BROKEN, property="CompletedOnce")]).rows
    refused = [row for row in rows if not row.ok]
    assert [(row.layer, row.name) for row in refused] == [("tlc", BROKEN.name)]
    assert "expected violated by CompletedOnce, got exhaustive" in refused[0].why


# -- the pieces


def test_constants_are_made_from_a_scenarios_fields():
    scenario = {"lists": ["l1", "l2"], "ring": {"l1": []}}
    assert value_of({"field": "lists", "as": "set"}, scenario) == frozenset({"l1", "l2"})
    assert value_of({"field": "ring", "as": "function"}, scenario) == {"l1": []}


def test_counts_of_the_two_sides_are_compared():
    graph = explore(MECHANISM.model("remove_cancel"))
    result = SimpleNamespace(generated=290, distinct=166, depth=24)
    assert comparisons.count_drift(result, graph) == ""
    result.depth = 25
    assert comparisons.count_drift(result, graph) == "depth: TLC 25, model 24"
