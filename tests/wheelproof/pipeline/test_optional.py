"""What an emitter may leave out is not held against it: no rule rejects a sound trace for a column
that a kind of event can do without."""

from collections.abc import Iterable
from dataclasses import replace

import checked
import pytest
from inputs import WITH_ALL
from optional import TELLING, Columns, columns_of, runs, without
from test_simulate import judged

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.nights import only
from traces.bulk import FAMILIES, program
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import law, validate
from wheelproof.pipeline.rule import Family
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES


@pytest.fixture(scope="module")
def run() -> list[dict]:
    return Simulator(3, 12).run()


@pytest.fixture(scope="module")
def columns(run) -> list[Columns]:
    found = columns_of(run)
    assert len(found) > 60 and frozenset([("list_remove", "task")]) in found
    return found


def test_replay_rejects_nothing_for_what_may_be_left_out(run, columns):
    runs_without = [without(run, names) for names in columns]
    verdicts = law.verdicts_on(
        [(header("run"), left, checked.footer_of(header("run"), left)) for left in runs_without]
    )
    assert {
        names: verdict.findings
        for names, verdict in zip(columns, verdicts, strict=True)
        if verdict.verdict != CONFORMS
    } == {}


@pytest.mark.parametrize(
    ("left", "property"),
    [
        ("list_remove cause", "SetAfterNew"),
        ("dq_poll list", "PollBeforeFlush"),
        ("wheel_place level", "LevelBound"),
    ],
)
def test_what_says_something_by_its_absence_is_missed(run, left, property):
    """The control: these are left out of the columns above because without them the run says
    another thing."""
    kind, name = left.split()
    verdict = judged(header("run"), without(run, frozenset([(kind, name)])))
    assert (kind, name) in TELLING and (verdict.verdict, verdict.first.property) == (
        VIOLATES,
        property,
    )


def test_what_says_something_to_the_rules_in_bulk_is_missed(run):
    """A reset of a key without the monitor's number is one without the monitor."""
    left = ("bucket_expiry_set", "lseq")
    events = without(run, frozenset([left]))
    found = checked.rules(header("run"), checked.footer_of(header("run"), events), events)
    assert left in TELLING and set(found) == {"ResetUnderMonitor"}


STRICT = replace(
    program.FAMILY,
    rows=program.FAMILY.rows.withColumn("after_task", F.coalesce("after_task", F.lit(0))),
)
"""The family of the program's text as it would be if an unlink had to name its task."""


def broken_without(run: list[dict], families: Iterable[Family], turns: int) -> dict[str, set[str]]:
    """The rules that are broken in each of the runs without some columns."""
    traces = {
        name: (header(name), left, checked.footer_of(header(name), left))
        for name, left in runs(run, turns).items()
    }
    return {name: {*broken} for name, broken in checked.broken(traces, families).items()}


@pytest.mark.parametrize("turns", only([1, 3], 1))
def test_no_rule_is_broken_where_a_column_is_left_out_that_may_be(run, turns):
    found = broken_without(run, FAMILIES, turns)
    assert len(found) > 8 * turns and not any(found.values())


def test_a_rule_that_needs_a_column_is_broken_without_it(run):
    """The control of the test above: an unlink that does not name its task is rejected."""
    found = {name: rules for name, rules in broken_without(run, [STRICT], 3).items() if rules}
    assert {name.partition("-")[0] for name in found} == {"task"}
    assert set().union(*found.values()) == {"SetAfterNew"}


@WITH_ALL
def test_spark_breaks_no_rule_there_either(report, inputs):
    verdicts = {run["run"]: run["verdict"] for run in report.runs}
    assert len(inputs.optional) > 8
    assert {verdicts[name] for name in inputs.optional} == {validate.CONFORMS}
