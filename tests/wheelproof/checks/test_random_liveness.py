"""The rows of random schedule and of liveness: in order only for the expected reason."""

import re
from dataclasses import replace

import pytest

from tests.model.timer import MECHANISM
from wheelproof.checks import liveness, random, safety
from wheelproof.checks.context import Context
from wheelproof.counterexample.document import read
from wheelproof.counterexample.replay import NotReproduced, OnImplementation, OnModel
from wheelproof.graph.explorer import explore
from wheelproof.python import ControlledImplementation, random_schedules
from wheelproof.python.runtime.race import Access, Race
from wheelproof.python.search.difference import Difference
from wheelproof.python.search.refined import refine
from wheelproof.python.search.runner import Racing

RACY = next(mutant for mutant in MECHANISM.mutants.values() if mutant.data_race)


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
    shows_its_race(context, row)


def shows_its_race(context, row):
    """The file ends at the race that the row names, and marks the steps of its two accesses."""
    found = read(context.output / row.trace)
    marked = [step for step in found.steps if step.access]
    assert row.why.endswith(found.explanation) and len(marked) == 2
    assert found.steps[-1] is marked[1]
    field, both = re.fullmatch("race on ([^:]+): (.*)", found.explanation).groups()
    for step, access, which in zip(marked, both.split(", then "), ("first", "second"), strict=True):
        assert step.access == f"race on {field}, {which} access: {access}"
        assert access.endswith(f" by {step.thread}")
        label = re.search(r"[(](\w+)[)]", access)
        assert label is None or label[1] == step.label


def test_a_file_that_marks_other_steps_is_refused(context):
    (row,) = random.check_mutant(context, RACY).rows
    found = read(context.output / row.trace)
    shows_its_race(context, row)
    first, second = (step.access for step in found.steps if step.access)
    for marks in ((1, 2), (0, -1)):
        steps = [replace(step, access="") for step in found.steps]
        for place, access in zip(marks, (first, second), strict=True):
            steps[place] = replace(steps[place], access=access)
        replace(found, steps=tuple(steps)).write(context.output / row.trace)
        with pytest.raises(AssertionError):
            shows_its_race(context, row)


def test_a_race_in_a_scenario_that_passes_has_its_schedule(context, monkeypatch):
    """The planted read changes nothing: the implementation is the model, and races."""
    lock = "        with self.monitor:  # lock U1, unlock U11\n"
    source = (MECHANISM.root / "impl" / "timer_task_list.py").read_text(encoding="utf-8")
    assert source.count(lock) == 1
    read_before = source.replace(lock, f"        self.root.next\n{lock}")
    texts = {"impl.timer_task_list": read_before}
    monkeypatch.setattr(
        type(context),
        "implementation",
        lambda self: ControlledImplementation.load(
            MECHANISM.root, MECHANISM.name, texts=texts, lint=False
        ),
    )
    (row,) = random.check(context, MECHANISM.configs["remove_cancel"]).rows
    assert (row.ok, row.verdict, row.property) == (False, "violated", "NoDataRace")
    assert "race on TimerTaskEntry.next: " in row.why
    shows_its_race(context, row)


def test_a_race_of_coarse_schedules_alone_has_its_schedule_too(context, monkeypatch):
    """The lost lock's schedules, of which the fine ones are reported without a race."""
    mutated = context.without(RACY.decision)
    fine, coarse = random._schedules(mutated, RACY.scenario, 50)
    blind = replace(fine, racing=None, races=())
    monkeypatch.setattr(random, "_schedules", lambda *_: (blind, coarse))
    config = replace(MECHANISM.configs[RACY.scenario], name=RACY.scenario)
    (row,) = random.check(mutated, config).rows
    assert not row.ok and row.property == "NoDataRace" and "race on " in row.why
    shows_its_race(context, row)
    found = read(context.output / row.trace)
    again = OnImplementation(MECHANISM.without(found.model_without), found)
    again.go(len(found.steps))
    again.judge()
    # The coarse schedule itself is no run of the model, and one without a race has no file.
    assert len([step for step in found.steps if step.kind != "silent"]) > len(
        coarse.racing.schedule
    )
    monkeypatch.setattr(random, "refine", lambda *_: None)
    (row,) = random.check(mutated, config).rows
    assert row.property == "NoDataRace" and row.trace is None


def test_a_schedule_that_comes_to_other_stops_has_no_race_to_show(context):
    implementation = context.without(RACY.decision).implementation()
    program = MECHANISM.scenarios[RACY.scenario]
    (thread, *_) = program["threads"]
    assert refine(implementation, program, [thread]) is None, "one thread alone does not race"


def test_a_mutant_that_does_not_race_is_not_in_order(context):
    (row,) = random.check_mutant(
        context, replace(MECHANISM.mutants["M19_underflow"], data_race=True)
    ).rows
    assert not row.ok and row.verdict == "sampled" and "no race was reported" in row.why


def test_a_deadlock_in_a_random_schedule_is_a_finding(context):
    """Opposite flushes deadlock in some schedules; so many schedules meet one."""
    (row,) = random.check(context, MECHANISM.configs["opposite_flushes"]).rows
    assert not row.ok and (row.verdict, row.property) == ("violated", "NoDeadlock")
    found = read(context.output / row.trace)
    assert found.property == "NoDeadlock" and {wait.thread for wait in found.waits} == {"f", "g"}
    labelled = [step for step in found.steps if step.label not in MECHANISM.silent]
    assert row.why.endswith(f"; after {' '.join(step.thread for step in labelled)}")
    for on in (OnModel, OnImplementation):
        again = on(MECHANISM, found)
        again.go(len(found.steps))
        again.judge()
    early = OnModel(MECHANISM, found)
    early.go(len(found.steps) - 1)
    with pytest.raises(NotReproduced):
        early.judge()


def test_a_deadlock_hides_neither_a_race_nor_a_difference(context, monkeypatch):
    fine = random_schedules(
        context.implementation(), MECHANISM.scenarios["opposite_flushes"], schedules=20, seed=7
    )
    access = Access("f", "write", "impl/x.py:1", None)
    more = replace(
        fine,
        difference=Difference("shared", "taskCounter is 2", (("f", "F1"),)),
        racing=Racing(Race("X.y", access, access), ("f", "g"), 1),
    )
    assert fine.deadlock
    monkeypatch.setattr(random, "_schedules", lambda *_: (more, more))
    (row,) = random.check(context, MECHANISM.configs["opposite_flushes"]).rows
    assert row.property == "NoDeadlock" and read(context.output / row.trace).waits
    assert "taskCounter is 2" in row.why and "race on X.y" in row.why


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
