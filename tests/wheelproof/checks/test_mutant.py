"""A mutant's row is in order only if all artefacts agree on the kill; each disagrees once."""

from dataclasses import replace

import pytest

from tests.model.timer import MECHANISM
from wheelproof.checks import mutant as layer
from wheelproof.checks.mutant import check
from wheelproof.project.mechanism import Mutant

UNDERFLOW = MECHANISM.mutants["M19_underflow"]
EQUIVALENT = replace(MECHANISM.mutants["M5"], scenario="remove_cancel")


@pytest.fixture
def context(context):
    """In the nightly profile TLC judges the mutated specification."""
    return replace(context, profile="nightly")


def row_of(context, mutant):
    (row,) = check(context, [mutant]).rows
    return row


def test_a_kill_at_one_depth_on_every_artefact(context):
    here, elsewhere = (replace(UNDERFLOW, name=name, dies_at=(name,)) for name in ("U9", "A1"))
    row, wrong = check(context, [here, elsewhere]).rows
    assert row.ok, row.why
    assert not wrong.ok and "the words of race are about another run" in wrong.why
    assert (row.verdict, row.property) == ("violated", "TypeOK")
    assert row.figures["depth_spec"] == row.figures["depth_model"] == row.figures["depth_impl"] > 0
    assert (
        row.figures["compared_edges"] == row.figures["model_edges"]
        and row.figures["rejected_at"] > 0
    )
    assert (context.output / row.trace).is_file()


@pytest.mark.nightly
def test_a_deadlock_is_a_kill_like_any_other(context):
    """M4 in the smallest scenario in which it deadlocks: two adders hold each other's list."""
    scenario = {
        "lists": ["l1", "l2"],
        "task_of": {"e1": "t1", "e2": "t2"},
        "ring": {"l1": ["e1"], "l2": ["e2"]},
        "current": ["e1", "e2"],
        "threads": {"a": [["add", "l1", "e2"]], "b": [["add", "l2", "e1"]]},
    }
    mechanism = replace(MECHANISM, scenarios={**MECHANISM.scenarios, "crossed": scenario})
    row = row_of(
        replace(context, mechanism=mechanism), replace(MECHANISM.mutants["M4"], scenario="crossed")
    )
    assert row.ok, row.why
    assert row.property == "NoDeadlock" and row.figures["depth_spec"] == row.figures["depth_impl"]


def test_an_equivalent_mutant_keeps_every_property_and_is_rejected_all_the_same(context):
    row = row_of(context, EQUIVALENT)
    assert row.ok, row.why
    assert (
        row.verdict == "exhaustive"
        and row.figures["rejected_at"] > 0
        and row.why.startswith("equivalent: ")
    )


@pytest.mark.nightly
def test_another_property_survives(context):
    row = row_of(context, replace(UNDERFLOW, property="AtMostOneList"))
    assert not row.ok and row.verdict == "exhaustive"
    assert "expected violated by AtMostOneList, got exhaustive" in row.why


def test_an_equivalent_mutant_that_breaks_something_is_not_equivalent(context):
    row = row_of(context, Mutant("M19", "M19", "remove_cancel", equivalent="so it is argued"))
    assert (
        not row.ok and row.verdict == "violated" and "expected exhaustive, got violated" in row.why
    )


def load(monkeypatch, context, decision):
    """Let every check load the implementation without this decision."""
    plain = type(context).implementation
    monkeypatch.setattr(
        type(context),
        "implementation",
        lambda self: plain(replace(self, mechanism=MECHANISM.without(decision))),
    )


def test_an_unmutated_implementation_survives(context, monkeypatch):
    load(monkeypatch, context, "")
    row = row_of(context, UNDERFLOW)
    assert not row.ok
    assert "mutated model and mutated implementation differ" in row.why
    assert (
        "the bisimulation with the unmutated model does not reject the mutated implementation "
        "(equal)" in row.why
    )


def test_another_mutant_is_not_this_one(context, monkeypatch):
    load(monkeypatch, context, "M1")
    row = row_of(context, UNDERFLOW)
    assert not row.ok and "mutated model and mutated implementation differ" in row.why


def test_a_model_that_has_the_decision_is_another_graph(context, monkeypatch):
    plain = context.explored(layer.Config("plain", "remove_cancel"))
    monkeypatch.setattr(type(context), "explored", lambda self, config, name="": plain)
    row = row_of(context, UNDERFLOW)
    assert (
        not row.ok
        and "mutated spec and mutated model differ" in row.why
        and "in TLC's graph alone" in row.why
    )
    assert "TLC's trace cannot be followed on the mutated model" in row.why


def test_a_kill_at_another_depth_is_not_in_order(context, monkeypatch):
    whole = layer.schedule_of
    monkeypatch.setattr(layer, "schedule_of", lambda result, pc: whole(result, pc)[:-1])
    row = row_of(context, UNDERFLOW)
    assert not row.ok and "the property does not fail at one depth: depth_spec" in row.why


def test_a_longer_trace_of_tlc_is_not_in_order(context, monkeypatch):
    judged = layer._Kill.judge
    monkeypatch.setattr(
        layer._Kill,
        "judge",
        lambda self: replace(judged(self), trace=[*judged(self).trace, judged(self).trace[-1]]),
    )
    row = row_of(context, UNDERFLOW)
    assert not row.ok and "TLC's trace has" in row.why


def test_edges_that_were_not_compared_are_not_in_order(context, monkeypatch):
    bisimulated = layer.bisimulated
    monkeypatch.setattr(
        layer,
        "bisimulated",
        lambda *arguments, **options: replace(
            bisimulated(*arguments, **options), uncovered=((0, 0),)
        ),
    )
    row = row_of(context, UNDERFLOW)
    assert not row.ok and "1 edges of the mutated model were not in the bisimulation" in row.why


def test_a_bisimulation_that_ran_out_of_time_is_inconclusive(context, monkeypatch):
    bisimulated = layer.bisimulated
    monkeypatch.setattr(
        layer,
        "bisimulated",
        lambda *arguments, **options: bisimulated(*arguments, **options | {"budget": -1.0}),
    )
    row = row_of(context, UNDERFLOW)
    assert not row.ok and row.verdict == "inconclusive"


# -- mutants of one decision and scenario share what does not depend on the property

OTHERS = [
    UNDERFLOW,
    replace(UNDERFLOW, name="Again", property="AtMostOneList"),
    replace(UNDERFLOW, name="Same", property=None, equivalent="so it is argued"),
]


@pytest.fixture
def made(monkeypatch, context):
    """How often graphs are explored, dumped and bisimulated."""
    calls = {"explored": 0, "dump_and_compare": 0, "bisimulated": 0}

    def counted(owner, name):
        whole = getattr(owner, name)

        def count(*arguments, **options):
            calls[name] += 1
            return whole(*arguments, **options)

        monkeypatch.setattr(owner, name, count)

    counted(layer, "dump_and_compare")
    counted(layer, "bisimulated")
    counted(type(context), "explored")
    return calls


def test_a_mutant_takes_one_run_of_tlc(context, monkeypatch):
    runs, whole = [], type(context).tlc
    monkeypatch.setattr(
        type(context),
        "tlc",
        lambda self, name, *a, **k: runs.append(name) or whole(self, name, *a, **k),
    )
    assert row_of(context, EQUIVALENT).ok and row_of(context, UNDERFLOW).ok
    assert runs == ["M5", "M19_underflow"]


def plain(row):
    """A row without its time and its log, which belong to the test that ran TLC first."""
    return replace(row, seconds=0.0, why=row.why.partition("; the log is")[0])


@pytest.mark.nightly
def test_together_they_have_the_rows_that_each_has_alone(context, made):
    together = check(context, OTHERS).rows
    once = dict(made)
    alone = [row_of(context, mutant) for mutant in OTHERS]
    assert [plain(row) for row in together] == [plain(row) for row in alone]
    assert [row.ok for row in together] == [True, False, False], (
        "each is judged by its own property"
    )
    assert [row.verdict for row in together] == ["violated", "exhaustive", "violated"]
    # a bisimulation with the mutated model, and one of the unmutated that must reject
    assert once == {"explored": 1, "dump_and_compare": 1, "bisimulated": 2}
    assert {name: count - once[name] for name, count in made.items()} == {
        name: 3 * count for name, count in once.items()
    }, "alone nothing is shared"


def test_a_fault_of_the_shared_graphs_is_in_the_row_of_each(context, monkeypatch):
    load(monkeypatch, context, "")
    rows = check(context, OTHERS[:2]).rows
    assert not any(row.ok for row in rows)
    assert all("mutated model and mutated implementation differ" in row.why for row in rows)


@pytest.mark.nightly
def test_the_order_of_a_group_does_not_matter(context):
    forth, back = check(context, OTHERS[:2]).rows, check(context, OTHERS[1::-1]).rows
    assert [plain(row) for row in forth] == [plain(row) for row in reversed(back)]
