"""Single damages of recordings of Kafka itself: each is rejected by a rule that `damages.toml`
names, or passes for a reason that stands here.

The damages are made anew from the recordings; the table was printed by `damages.py` and is what
must be found again, rule by rule.
"""

import tomllib
from pathlib import Path

import damages
import pytest

from tests.nights import only

TABLE: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "damages.toml").read_text())

COMMUTE = (
    "the two steps of the thread share no word, and no lock but one that both are inside of: "
    "either order is a run"
)
FIRST = (
    "of a thread's first step it is not known what came before, since the start of a thread is "
    "none of this recording's kinds"
)
LATER = (
    "a clock that is read a little later is a clock as well: no other event says the time more "
    "closely"
)
PASSING: dict[str, str] = {
    **dict.fromkeys(
        (
            "bucket_new swap",
            "cancel_check swap",
            "dq_poll swap",
            "entry_new swap",
            "op_new swap",
            "overflow_create swap",
            "rw_release swap",
            "try_end swap",
            "try_watch_end swap",
            "watch_add swap",
        ),
        COMMUTE,
    ),
    **dict.fromkeys(("dq_poll drop", "entry_new drop", "op_new drop"), FIRST),
    **dict.fromkeys(
        (
            "clock_advance now_ms",
            "dq_poll now_ms",
            "expire_submit now_ms",
            "force_cas now_ms",
            "task_run now_ms",
        ),
        LATER,
    ),
    "task_run swap": "in which order the executor runs what it has taken is not checked",
    "add_request duplicate": "a clock that is read twice changes nothing; the entry that is made "
    "is compared with the last request",
    "cancel_check drop": "a check on an upper level repeats the one before it",
    "cancel_check duplicate": "a check that is made twice reads the same: a wheel makes one on "
    "each of its levels",
    "cancel duplicate": "a task is cancelled once more, which does nothing",
    "cancel task": "the other task is never looked at again, and a task may be cancelled that no "
    "timer has",
    "bucket_new bucket": "the bucket is never used, so that nothing else names its slot",
    "bucket_new level": "the bucket is never used, so that nothing else names its level",
    "bucket_new drop": "a bucket is known from its first use on: a recording may begin after it "
    "was made",
    "wheel_new drop": "a level is known from its first use on: a recording may begin after it was "
    "made",
    "wheel_new duplicate": "a level that was made and never published is garbage: only what is "
    "published twice is refused",
    "wheel_reject level": "which level refused is not checked: all levels get the same calls",
    "op_new delay_ms": "an operation's delay is that of its task, and a task may be added with "
    "another one in this format",
    "set_entry pre.entry": "of a task that is seen for the first time no event names the entry "
    "before",
    "watch_add drop": "the operation has another key: how many keys one should have is in no event",
    "watch_add key": "the operation has another key: which keys it should have is in no event",
}


def test_the_table_and_the_reasons_are_of_the_same_damages():
    assert {key for key, rules in TABLE.items() if "" in rules} == PASSING.keys()
    assert len(TABLE) > 200 and sum("" not in rules for rules in TABLE.values()) > 160
    dropped = {
        key.removesuffix(" drop"): rules for key, rules in TABLE.items() if key.endswith(" drop")
    }
    assert (
        dropped["task_run"]
        and "" not in dropped["task_run"]
        and "" not in dropped["cancel"]
        and "" not in dropped["list_remove"]
    )


def unexpected(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """Damages that a rule rejects which the table does not name, or that pass without a reason."""
    return {
        key: rules - set(TABLE.get(key, ()))
        for key, rules in found.items()
        if rules - set(TABLE.get(key, ()))
    }


@pytest.mark.parametrize("step", only([1, 10], 10))
def test_each_damage_of_a_purgatory_of_kafka_is_rejected_by_the_rule_that_is_named(step):
    found = damages.outcomes(damages.FOLDER / "purgatory.jsonl.gz", False, step)
    assert len(found) > 180 // step and unexpected(found) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("name", damages.RECORDINGS)
def test_each_damage_of_more_events_of_each_kind_is_rejected_by_the_rule_that_is_named(name):
    found = damages.outcomes(damages.FOLDER / f"{name}.jsonl.gz", True)
    assert len(found) > 100 and unexpected(found) == {}


def test_a_damage_that_no_rule_rejects_is_noticed(monkeypatch):
    """The control: with a table that accepts everything."""
    monkeypatch.setattr(damages, "rejected", lambda head, changed: [""] * len([*changed]))
    found = damages.outcomes(damages.FOLDER / "purgatory.jsonl.gz", False)
    assert len(unexpected(found)) > 140


@pytest.mark.parametrize("name", damages.RECORDINGS)
def test_the_recordings_conform_with_numbers_that_are_given_anew(name):
    head, events = damages.read(damages.FOLDER / f"{name}.jsonl.gz")
    assert damages.rejected(head, [damages.renumbered(events)]) == [""]
