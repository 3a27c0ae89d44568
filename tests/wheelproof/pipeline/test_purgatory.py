"""Kafka's purgatory: every kind of event, the ordinary second attempt, and
operations that no event can complete any more."""

import copy
from pathlib import Path

import checked
import key_lists
import planted
import planted_purgatory
import purgatory
import pytest
from inputs import WITH_ALL

from benchmarks import mutations
from benchmarks.simulated_log import header
from tests.nights import first
from wheelproof.pipeline import law
from wheelproof.trace.format.schema import KINDS
from wheelproof.trace.format.tally import Tally

ORPHANS = {"CheckTriesWatcher", "WatchedInList", "GivenUpEmpty"}
"""What rejects an operation that went into a list that its key has no more: the first check of
the key, and the list itself."""


@pytest.fixture(scope="module")
def traces() -> dict:
    return planted_purgatory.of_purgatory()


@pytest.mark.daily(2)
@pytest.mark.parametrize("seed", range(1, 6))
def test_an_operation_that_the_second_attempt_completes_is_watched_and_that_is_ordinary(seed):
    made = purgatory.Purgatory(seed, 40)
    events = made.run()
    tally = Tally(header("x"))
    for event in events:
        tally.count(event)
    assert made.second and {event["op"] for event in events if event["k"] == "watch_add"} > set(
        made.second
    )
    verdict = law.verdict_on(header("x"), events, tally.footer())
    assert (
        verdict.verdict == "conforms"
        and verdict.applied["WatcherReachable"]
        and verdict.applied["WatchedOnce"]
    )


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", first(planted_purgatory.PURGATORY, 2))
def test_a_rule_in_bulk_rejects_each_fault_by_name(traces, name):
    (answer,) = checked.judge([traces[name]])
    assert answer.broken.keys() >= planted_purgatory.PURGATORY[name][1] > set()


@pytest.mark.parametrize("seed", first(range(1, 6)))
def test_an_operation_that_goes_into_a_list_that_is_removed_is_found_by_no_check(seed):
    """KAFKA-2253, and its control: who adds looks the key's list up again."""
    removing, orphaning = key_lists.Removing(seed, 40), key_lists.Orphaning(seed, 40)
    sound, faulty = checked.judge(
        planted.whole("x", purgatory.run()) for purgatory in (removing, orphaning)
    )
    assert orphaning.orphans and not removing.orphans
    assert (sound.broken.keys(), faulty.broken.keys()) == (set(), ORPHANS)


@pytest.mark.parametrize("seed", first(range(1, 4)))
def test_an_empty_list_that_stays_its_key_s_is_found_at_the_end(seed):
    unpurged, keeping = checked.judge(
        planted.whole("x", kind(seed, 40).run()) for kind in (key_lists.Unpurged, key_lists.Keeping)
    )
    assert min(unpurged.applied["EmptyGivenUp"], keeping.applied["EmptyGivenUp"]) > 10
    assert (unpurged.broken.keys(), keeping.broken.keys()) == (set(), {"EmptyGivenUp"})


@WITH_ALL
def test_the_rule_in_bulk_names_the_orphans_alone(report):
    """It says of each when it was put among the watchers."""
    orphaning = key_lists.Orphaning(1, 40)
    orphaning.run()
    rows = [row for row in report.violations if row["run_id"] == "orphaning"]
    assert {row["rule"] for row in rows} == ORPHANS
    assert {row["op"] for row in rows} <= set(orphaning.orphans)
    verdicts = {run["run"]: run["verdict"] for run in report.runs}
    assert (verdicts["removing"], verdicts["orphaning"]) == ("conforms", "violates")
    assert report.rules["CheckTriesWatcher"]["applied"] > 40


def test_a_check_that_took_its_watchers_before_an_operation_came_owes_it_nothing(traces):
    """The control of the rule: without a lock that both have held nothing is known of their order,
    and with one its numbers are the order."""
    head, events, _ = traces["passed_over"]
    bare = copy.deepcopy(events)
    for event in bare:
        if event["k"] == "check_begin":
            del event["ord"]
    mutations.renumbered(bare)
    tally = Tally(head)
    for event in bare:
        tally.count(event)
    assert law.verdict_on(head, bare, tally.footer()).verdict == "conforms"


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("try_watch_begin", "CallCloses"),
        ("try_watch_end", "CallEnds"),
        ("check_begin", "BracketCloses"),
        ("check_end", "BracketCloses"),
        ("cancel_key_begin", "BracketCloses"),
        ("cancel_key_end", "BracketCloses"),
        ("watch_add", "WatchedOnce"),
    ],
)
def test_an_event_of_the_watchers_that_is_left_out_is_named(traces, kind, rule):
    head, events, _ = traces["purgatory"]
    without = [mutations.mutate(events, kind, "drop", "behaviour", seed) for seed in range(3)]
    answers = checked.judge(
        [(head, changed, checked.footer_of(head, changed)) for changed in without],
        checked.families_of(rule),
    )
    assert any(rule in answer.broken for answer in answers)


def test_spark_takes_every_kind_of_the_format(report, inputs):
    verdicts = {run["run"]: run["verdict"] for run in report.runs}
    dropped = "incomplete" if "NothingDropped" in report.rules else "conforms"
    assert (verdicts["purgatory"], verdicts["every_kind"]) == ("conforms", dropped)
    _, events, _ = inputs.known["every_kind"]
    assert {event["k"] for event in events} == KINDS.keys() == report.coverage["kinds"].keys()
    files = {Path(row["file"]).name for row in report.quarantine}
    assert files and "every_kind.jsonl" not in files


def test_a_checkpoint_says_what_is_so_whatever_came_before():
    """Its control is beside it: an unlink from a list that no event has put the entry into."""
    common = {"phase": "atomic", "tid": 1}
    head = {"threads": {"1": "a"}, "capture": {"mode": "full"}}
    unlink = {
        **common,
        "k": "list_remove",
        "entry": 3,
        "list": 7,
        "post": {"list": 0},
        "cause": "cancel",
    }
    checkpoint = {**common, "k": "checkpoint", "entry": 3, "list": 7, "post": {"list": 7}}
    for events, refused in (([unlink], True), ([checkpoint, unlink], False)):
        numbered = [
            {**event, "tseq": number, "lc": number} for number, event in enumerate(events, 1)
        ]
        assert (
            law.verdict_on(head, numbered, checked.footer_of(head, numbered)).verdict == "violates"
        ) == refused
