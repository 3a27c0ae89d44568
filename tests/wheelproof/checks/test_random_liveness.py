"""The rows of random schedule and of liveness: in order only for the expected reason."""

from dataclasses import replace

import pytest

from tests.model.timer import MECHANISM
from wheelproof.checks import liveness, random, safety
from wheelproof.checks.context import Context
from wheelproof.graph.explorer import explore


def test_random_schedules_that_find_nothing(context):
    (row,) = random.check(context, MECHANISM.configs["two_adders"]).rows
    assert row.ok and row.verdict == "sampled" and row.figures["races"] == 0
    assert row.figures["schedules"] == 2 * context.limits.schedules


def test_random_schedules_have_the_time_of_the_profile(context, monkeypatch):
    short = replace(context.limits, bisimulation_seconds=0)
    monkeypatch.setattr(type(context), "limits", short)
    (row,) = random.check(context, MECHANISM.configs["two_adders"]).rows
    assert not row.ok and row.verdict == "inconclusive"
    assert "0 CPU seconds were not enough" in row.why


@pytest.mark.parametrize(
    "mutant, found", [("M2", "Bisimulation"), ("FlushWithoutMonitor", "Bisimulation")]
)
def test_random_schedules_that_find_another_machine(context, monkeypatch, mutant, found):
    plain = Context.implementation
    monkeypatch.setattr(type(context), "implementation", lambda self: plain(self.without(mutant)))
    monkeypatch.setattr(type(context), "sources", lambda self, scenario=None: {})
    config = MECHANISM.configs[MECHANISM.mutants[mutant].scenario]
    (row,) = random.check(context, config).rows
    assert not row.ok and (row.verdict, row.property) == ("violated", found)


@pytest.mark.parametrize(
    "name", [name for name, mutant in MECHANISM.mutants.items() if mutant.data_race]
)
def test_a_lost_lock_is_a_race(context, name):
    (row,) = random.check_mutant(context, MECHANISM.mutants[name]).rows
    assert row.ok and row.property == "NoDataRace" and row.figures["races"] > 0


def test_a_mutant_that_does_not_race_is_not_in_order(context):
    (row,) = random.check_mutant(
        context, replace(MECHANISM.mutants["M19_underflow"], data_race=True)
    ).rows
    assert not row.ok and row.verdict == "sampled" and "no race was reported" in row.why


def test_a_deadlock_in_a_random_schedule_is_a_finding(context):
    """Opposite flushes deadlock in some schedules; so many schedules meet one."""
    (row,) = random.check(context, MECHANISM.configs["opposite_flushes"]).rows
    assert not row.ok and (row.verdict, row.property) == ("violated", "NoDeadlock")


# -- liveness

HOLDS, LOOPS = MECHANISM.configs["two_adders_end"], MECHANISM.configs["flush_into_itself"]


def liveness_row(context, config):
    (row,) = liveness.check(context, config).rows
    return row


def test_runs_that_end(context):
    row = liveness_row(context, HOLDS)
    assert row.ok and row.verdict == "exhaustive", row.why


def test_runs_that_go_round_for_ever(context):
    row = liveness_row(context, LOOPS)
    assert row.ok and (row.verdict, row.property) == ("violated", "Termination")
    assert (
        row.figures["lasso_spec"]
        and row.figures["lasso_model"]
        and (context.output / row.trace).is_file()
    )


def test_an_expectation_that_is_wrong(context):
    assert not liveness_row(context, replace(LOOPS, expect="exhaustive")).ok
    assert not liveness_row(context, replace(HOLDS, expect="violated")).ok


def test_tlc_and_the_model_that_disagree(context, monkeypatch):
    monkeypatch.setattr(liveness, "violation", lambda *_, **__: None)
    row = liveness_row(context, LOOPS)
    assert not row.ok and "TLC's verdict is violated, the model holds" in row.why
    monkeypatch.setattr(liveness, "violation", lambda *_, **__: liveness.Lasso([], 0))
    row = liveness_row(context, HOLDS)
    assert not row.ok and "the model has a fair run that never gets there" in row.why


def test_counts_that_drifted(context):
    row = liveness_row(context, replace(HOLDS, distinct=1))
    assert not row.ok and "declared 1" in row.why
    assert explore(MECHANISM.model("two_adders")).distinct == 411


# -- in the run of a safety config


def test_what_holds_is_decided_in_the_run_of_the_safety_config(context):
    report = safety.check(context, MECHANISM.configs["two_adders"], [HOLDS])
    (found,) = [row for row in report.rows if row.layer == "liveness"]
    alone = liveness_row(context, HOLDS)
    assert all(row.ok for row in report.rows) and {row.layer for row in report.rows} == {
        "tlc",
        "graph",
        "bisimulation",
        "liveness",
    }
    assert (found.name, found.verdict, found.figures, found.bound) == (
        alone.name,
        alone.verdict,
        alone.figures,
        alone.bound,
    )


def test_liveness_that_fails_differs_from_liveness_that_holds(context):
    """A run that fails is made again for each: the run of all cannot say what failed."""
    graph = explore(MECHANISM.model(LOOPS.scenario))
    live = replace(
        LOOPS,
        expect="exhaustive",
        generated=graph.generated,
        distinct=graph.distinct,
        depth=graph.depth,
    )
    report = safety.check(context, replace(live, property=None), [live])
    rows = {row.layer: row for row in report.rows}
    assert not rows["liveness"].ok and (rows["liveness"].verdict, rows["liveness"].property) == (
        "violated",
        "Termination",
    )
    assert rows["tlc"].ok and rows["graph"].ok and rows["bisimulation"].ok
