"""The mutation score of the purgatory's events: a rule in bulk rejects each damage of a recording,
or the damaged recording is that of another run, or the reason stands here.

What the rules in bulk miss is no run of the model: the model refuses each of these damages.
"""

import tomllib

import checked
import purgatory_score as score
import pytest

from tests.nights import first
from traces.bulk import FAMILIES
from wheelproof.trace.judging.verdict import CONFORMS

TABLE: dict[str, list[str]] = tomllib.loads(score.FILE.read_text(encoding="utf-8"))
SMALL = ("pending_event", "ReadsNote")

SECTION = (
    "the two steps are beside each other in one hold of a lock, or one of them takes or releases "
    "it: which steps must be inside is the model's, and the numbers of the lock fit either way"
)
LOCKS = (
    "the lock's numbers are given anew: which steps a thread must take inside a lock is the model's"
)
LATE = "a timer that does not run a task that it has is late, and the task is cancelled in the end"
ONLY = (
    "the recording has no other event of this kind: a recorder may leave a kind out, and the rules "
    "about it say nothing then"
)
BRACKET = "the end of the bracket comes behind the lock's release: the bracket closes all the same"
MISSED = {
    "behaviour task_run drop": LATE,
    "behaviour cancel duplicate": "who adds a task may cancel it once more: it is out either way",
    "behaviour cancel drop": ONLY,
    "behaviour watch_add drop": ONLY,
    "behaviour watchers_new drop": ONLY,
    "behaviour watchers_remove drop": ONLY,
    **dict.fromkeys(
        (
            "behaviour lock_acquire swap",
            "behaviour lock_release swap",
            "behaviour watch_add swap",
            "behaviour watchers_new swap",
            "behaviour watchers_remove swap",
        ),
        SECTION,
    ),
    **dict.fromkeys(
        (
            "behaviour lock_acquire drop",
            "behaviour lock_acquire duplicate",
            "behaviour lock_acquire retarget",
            "behaviour lock_release drop",
            "behaviour lock_release duplicate",
            "behaviour lock_release retarget",
        ),
        LOCKS,
    ),
    "behaviour on_complete_end swap": BRACKET,
    "behaviour try_end swap": BRACKET,
    "behaviour thread_start duplicate": "a second start is none of the program's steps",
    "behaviour thread_stop duplicate": "a second end is none of the program's steps",
    "log watch_cancel retarget": "a completed operation may leave any list of its key's",
}
"""Row -> why the rules in bulk accept a damage of it that the model refuses."""


def unexpected(damages):
    """Damages with a rule that the table does not name, or that pass without a reason."""
    out, missed, made = [], set(), [*damages]
    for damage, broken in zip(made, score.rules(made), strict=True):
        if broken:
            if more := broken.keys() - set(TABLE.get(damage.row, ())):
                out.append(f"{damage.run} {damage.row}: {sorted(more)}")
        elif score.outcome(damage, broken) == score.PASSED:
            missed.add(damage.row)
            if damage.row not in MISSED:
                out.append(f"{damage.run} {damage.row} passes")
    return out, missed


@pytest.mark.parametrize(("scenario", "witness"), first(score.RUNS, 2))
def test_the_recordings_conform_to_the_rules_and_are_runs_of_the_model(scenario, witness):
    events, head = score.conforming(scenario, witness), score.recording(scenario, witness).header
    footer = checked.footer_of(head, events)
    assert checked.rules(head, footer, events) == {}
    assert score.by_model(head, events, footer)[0].verdict == CONFORMS


@pytest.mark.nightly
def test_the_recordings_have_every_kind_of_the_purgatory():
    kinds = {event["k"] for run in score.RUNS for event in score.conforming(*run)}
    assert len(kinds) == 25 and {"pending_getset", "on_expire", "cancel_key_end"} <= kinds


def test_each_damage_of_a_recording_is_rejected_by_the_rules_that_are_named():
    found, missed = unexpected(score.damages([SMALL]))
    assert found == [] and "behaviour add_request drop" not in missed


@pytest.mark.nightly
def test_each_damage_of_all_recordings_is_rejected_by_the_rules_that_are_named():
    found, missed = unexpected(score.damages(score.RUNS))
    assert found == [] and missed == MISSED.keys()


@pytest.mark.nightly
def test_the_table_is_what_is_found():
    made = score.written(score.named(score.damages(score.RUNS)))
    assert made == score.FILE.read_text(encoding="utf-8"), (
        "python tests/wheelproof/pipeline/purgatory_score.py --write"
    )


@pytest.mark.nightly
def test_the_page_has_the_score():
    assert score.table() in (score.ROOT / "docs" / "traces.md").read_text(encoding="utf-8"), (
        "python tests/wheelproof/pipeline/purgatory_score.py"
    )


def test_without_the_rules_that_are_named_a_note_that_is_left_out_passes():
    """The control: the damage is rejected by the rules that its row names, and by no others."""
    damage = next(
        each
        for each in score.damages([SMALL])
        if (each.style, each.kind, each.operator) == ("behaviour", "pending_getset", "drop")
    )
    (names,) = map(set, score.rules([damage]))
    assert names == {"NoteAfterRefusal", "NoteAfterTry"}
    left = [each for each in FAMILIES if not any(rule.name in names for rule in each.rules)]
    assert len(left) < len(FAMILIES)
    assert score.rules([damage], left) == [{}]


def test_damages_that_no_rule_rejects_are_noticed(monkeypatch):
    """The control: with rules that accept everything."""
    monkeypatch.setattr(score, "rules", lambda damages: [{} for _ in damages])
    few = [each for each in score.damages([SMALL]) if each.kind == "try_begin"]
    found, _ = unexpected(few)
    assert len(found) >= 4 and all(fault.endswith("passes") for fault in found)
