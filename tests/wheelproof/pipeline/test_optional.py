"""What an emitter may leave out is not held against it: no rule blames a sound trace for a column that a kind of event can do without."""

from dataclasses import replace

import pytest
from test_simulate import judged

from benchmarks.simulate import Simulator, header
from traces.bulk import program
from wheelproof.pipeline import validate
from wheelproof.pipeline.rule import Family
from wheelproof.trace import parquet, replay, schema
from wheelproof.trace.jsonl import Tally

TELLING = {
    ("list_remove", "cause"): "by nothing that has a name of its own",
    ("dq_poll", "list"): "none was due",
    ("wheel_place", "level"): "the first level",
}
"""Columns whose absence says something, so that leaving one out says another thing."""

PAIRS = [{"on_complete_begin", "on_complete_end"}, {"try_watch_begin", "try_watch_end"}]
"""Kinds that open and close one thing: who names it, and by what, in one does so in the other."""


ALWAYS = {field.name for field in schema.COLUMNS if field.required} | {"lc", "phase", "ord"}

Columns = frozenset[tuple[str, str]]
"""(kind, column)"""


@pytest.fixture(scope="module")
def run() -> list[dict]:
    return Simulator(3, 25).run()


@pytest.fixture(scope="module")
def optional(run) -> list[Columns]:
    """What can be left out, by itself or in both halves of a pair."""
    found = set()
    for kind, name in {(event["k"], name) for event in run for name in event}:
        kinds = next((pair for pair in PAIRS if kind in pair), {kind})
        if (
            name not in ALWAYS
            and not any(name in schema.REQUIRED_IDS.get(each, ()) for each in kinds)
            and (kind, name) not in TELLING
        ):
            found.add(frozenset((each, name) for each in kinds))
    assert len(found) > 60 and frozenset([("list_remove", "task")]) in found
    return sorted(found, key=sorted)


def without(events: list[dict], columns: Columns) -> list[dict]:
    return [
        {name: value for name, value in event.items() if (event["k"], name) not in columns}
        for event in events
    ]


def test_replay_blames_nobody_for_what_may_be_left_out(run, optional):
    verdicts = {columns: judged(header("run"), without(run, columns)) for columns in optional}
    assert {
        columns: verdict.findings
        for columns, verdict in verdicts.items()
        if verdict.verdict != replay.CONFORMS
    } == {}


@pytest.mark.parametrize(
    ("left", "property"),
    [
        ("list_remove cause", "RunsOncePerAdd"),
        ("dq_poll list", "QueuedOnceWithItsKey"),
        ("wheel_place level", "SlotInRange"),
    ],
)
def test_what_says_something_by_its_absence_is_missed(run, left, property):
    """The control: these are left out of the columns above because without them the run says another thing."""
    kind, name = left.split()
    verdict = judged(header("run"), without(run, frozenset([(kind, name)])))
    assert (kind, name) in TELLING and (verdict.verdict, verdict.first.property) == (
        replay.VIOLATES,
        property,
    )


def strict() -> Family:
    """The family of the program's text as it would be if an unlink had to name its task."""

    def prepare(inputs):
        from pyspark.sql import functions as F

        return program.FAMILY.prepare(inputs).withColumn(
            "after_task", F.coalesce("after_task", F.lit(0))
        )

    return replace(program.FAMILY, prepare=prepare)


def test_spark_blames_nobody_for_what_may_be_left_out(spark, run, optional, tmp_path):
    """Column by column, of the kinds that do without it one after the other: every third in one run. The control blames who does not name a task."""
    by_name: dict[str, list[Columns]] = {}
    for columns in optional:
        by_name.setdefault(next(name for _, name in columns), []).append(columns)
    runs = {
        f"{name}-{turn}": without(run, frozenset().union(*many[turn::3]))
        for name, many in by_name.items()
        for turn in range(min(3, len(many)))
    }
    for name, events in runs.items():
        tally = Tally(header(name))
        for event in events:
            tally.count(event)
        parquet.write(tmp_path / "runs" / f"{name}.parquet", header(name), events, tally.footer())

    def blamed(*families: Family) -> dict[str, set[str]]:
        report = validate.check(
            spark,
            [tmp_path / "runs"],
            tmp_path / "_scratch",
            *([list(families)] if families else []),
        )
        assert report.runs and {each["run"] for each in report.runs} == runs.keys()
        return {each["run"]: set(each["broken"]) for each in report.runs if each["broken"]}

    assert blamed() == {}
    found = blamed(strict())
    assert (
        found
        and {name.partition("-")[0] for name in found} == {"task"}
        and set().union(*found.values()) == {"SetAfterNew"}
    )
