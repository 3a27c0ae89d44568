"""Rules of operations: one planted fault for each, a crowd of threads, and damaged recordings."""

from __future__ import annotations

import random

import pytest

from tests.wheelproof.trace.followed import accepted, by_rules
from tests.wheelproof.trace.recorded import mechanisms
from tests.wheelproof.trace.test_operation_traces import NAME, judged, of_mutant, random_schedule
from wheelproof.pipeline import law
from wheelproof.trace.format.renumbering import renumbered
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, VIOLATES
from wheelproof.trace.recording.record import record

# -- one planted fault for each rule of operations


def planted(scenario: str, kind: str, change, seed: int = 1):
    """The first event of a kind that ``change`` takes, changed or (for []) gone, in runs of the
    scenario."""
    for number in range(seed, seed + 30):
        recorded = record(
            mechanisms(), NAME, scenario, "planted", schedule=random_schedule(scenario, number)[0]
        )
        for place, event in enumerate(recorded.events):
            if event["k"] == kind and (changed := change(dict(event))) is not None:
                return recorded, [
                    *recorded.events[:place],
                    *([changed] if changed else []),
                    *recorded.events[place + 1 :],
                ]
    pytest.fail(f"no {kind} to change")


@pytest.mark.daily(12)
@pytest.mark.parametrize(
    ("scenario", "kind", "change", "property"),
    [
        (
            "two_expirers",
            "force_cas",
            lambda event: {**event, "res": "true", "pre": {}} if event["res"] == "false" else None,
            "CompletedOnce",
        ),
        (
            "two_expirers",
            "force_cas",
            lambda event: {**event, "res": "false", "pre": {}} if event["res"] == "true" else None,
            "FirstAttemptWins",
        ),
        (
            "two_expirers",
            "force_cas",
            lambda event: {**event, "pre": {"completed": True}} if event["res"] == "true" else None,
            "CompletionObserved",
        ),
        ("two_completers", "on_complete_begin", lambda event: [], "CompletesOnce"),
        (
            "two_completers",
            "force_cas",
            lambda event: [] if event["res"] == "true" else None,
            "CompleteByWinner",
        ),
        ("two_completers_expirer", "on_expire", lambda event: [], "TimeoutExpires"),
        ("two_completers", "pending_getset", lambda event: [], "NoteAfterRefusal"),
        (
            "two_completers",
            "pending_getset",
            lambda event: {**event, "pre": {"pending": not event["pre"]["pending"]}},
            "NoteObserved",
        ),
        (
            "blocking",
            "force_cas",
            lambda event: {name: value for name, value in event.items() if name != "oseq"},
            "ForcedUnderLock",
        ),
        (
            "blocking",
            "try_begin",
            lambda event: {**event, "res": "true", "pre": {}} if event["res"] == "false" else None,
            "TryExcludesComplete",
        ),
        (
            "two_completers",
            "try_begin",
            lambda event: {**event, "res": "true", "pre": {}} if event["res"] == "false" else None,
            "OneTries",
        ),
        (
            "two_completers_expirer",
            "force_cas",
            lambda event: (
                {**event, "cause": "event"}
                if (event["cause"], event["res"]) == ("expiry", "true")
                else None
            ),
            "ExpiredByTimeoutOnly",
        ),
        (
            "two_completers_expirer",
            "on_complete_end",
            lambda event: [] if "parent" not in event else None,
            "CompletesOnce",
        ),
        (
            "two_completers",
            "try_end",
            lambda event: {**event, "res": "true"} if event["res"] == "false" else None,
            "ResultOfTry",
        ),
    ],
)
def test_one_changed_event_is_refused_by_its_rule(scenario, kind, change, property):
    recorded, events = planted(scenario, kind, change)
    verdict = by_rules(recorded.header, renumbered(events))
    names = {finding.property for finding in verdict.findings}
    assert verdict.verdict == VIOLATES and property in names, names
    assert judged(recorded).verdict == CONFORMS


def test_a_note_that_is_left_at_the_end_is_a_lost_completion():
    """A trace that does not say where threads stop: what it leaves behind says it."""
    kinds = {"try_begin", "pending_set", "pending_getset", "force_cas", "try_end"}
    mutant = of_mutant("NoRetry")
    events = renumbered([event for event in mutant.events if event["k"] in kinds])
    header = mutant.header | {"capture": {"mode": "full", "kinds": sorted(kinds)}}
    tally = Tally(header)
    for event in events:
        tally.count(event)
    verdict = law.verdict_on(header, events, tally.footer())
    names = {finding.property for finding in verdict.findings}
    assert verdict.verdict == VIOLATES
    assert names & {"NoLostCompletion", "NoteAfterRefusal"}, names
    assert (
        law.verdict_on(header, events, None).verdict == INCOMPLETE
    )  # whether it is the end is not known


@pytest.mark.daily(2)
@pytest.mark.parametrize("seed", range(2))
def test_a_crowd_of_real_threads_conforms_and_every_rule_has_something_to_look_at(seed):
    for protocol, rules in (
        ("TryPending", ("CompletedOnce", "NoLostCompletion", "NoteAfterTry")),
        ("Blocking", ("CompletedOnce", "TryExcludesComplete")),
    ):
        chance, operations = random.Random(seed), [f"o{number}" for number in range(60)]
        threads = {
            f"t{thread}": [
                chance.choice((["deliver", f"c{name}", name], ["attempt", name], ["expire", name]))
                for _ in range(2)
                for name in operations
            ]
            for thread in range(6)
        }
        scenario = {
            "protocol": dict.fromkeys(operations, protocol),
            "needs": {name: [f"c{name}"] for name in operations},
            "completes": {name: [] for name in operations},
            "raises": [],
            "locking": [],
            "locks": [],
            "outer_of": {},
            "guard": {},
            "threads": threads,
        }
        recorded = record(mechanisms(), NAME, scenario, f"crowd-{seed}")
        verdict = judged(recorded)
        assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
        assert min(verdict.applied[name] for name in rules) > 0, verdict.applied


# -- damage: each event of runs dropped, doubled, swapped with its thread's next, given to another
# operation or another result

HARMLESS = ("lock_acquire", "lock_release", "lock_wait", "thread_start")
"""Of these the numbers tell, which this test repairs, and the events under the lock that are no
longer under it."""


def damages(events):
    """(what was done, kind of the event, its result, what it was swapped with, the events after
    it)."""
    known = sorted({event["op"] for event in events if "op" in event})
    for number, event in enumerate(events):
        kind, result = event["k"], event.get("res")
        if kind in HARMLESS:
            continue
        yield "drop", kind, result, "", events[:number] + events[number + 1 :]
        yield "duplicate", kind, result, "", events[: number + 1] + events[number:]
        later = next(
            (
                place
                for place in range(number + 1, len(events))
                if events[place]["tid"] == event["tid"]
            ),
            None,
        )
        if later is not None:
            swapped = list(events)
            swapped[number], swapped[later] = swapped[later], swapped[number]
            yield "swap", kind, result, events[later]["k"], swapped
        for other in known:
            if event.get("op", other) != other:
                yield (
                    "retarget",
                    kind,
                    result,
                    "",
                    [*events[:number], {**event, "op": other}, *events[number + 1 :]],
                )
        if result in ("true", "false"):
            yield (
                "flip",
                kind,
                result,
                "",
                [
                    *events[:number],
                    {**event, "res": "false" if result == "true" else "true"},
                    *events[number + 1 :],
                ],
            )


def explained(what: str, kind: str, result: str | None, second: str) -> bool:
    """Why a damage that survives is another run of the model, or changes nothing that anybody can
    see."""
    return (
        # an attempt to complete what is completed changes nothing: it may be left out, come twice,
        # or be of another operation that is completed
        "force_cas" in (kind, second)
        and result != "true"
        # who finds an operation completed under its lock has done what a stranger in the lock does
        or kind == "try_begin"
        and result == "false"
        and (what in ("drop", "duplicate") or second == "lock_release")
        # a thread need not say that it ends
        or what == "drop"
        and kind == "thread_stop"
        # what an onComplete does to another operation is inside it or not, as the code has it
        or what == "swap"
        and {kind, second} & {"on_complete_begin", "on_complete_end"}
        and {kind, second} & {"force_cas", "lock_release"}
    )


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    "scenario",
    [
        "two_completers_expirer",
        "two_expirers",
        "completes_another",
        "raising",
        "try_once_alone",
        "blocking",
        "blocking_completes_another",
    ],
)
def test_damage_that_is_hidden_by_new_numbers_is_seen_by_a_judge(scenario):
    recorded = record(mechanisms(), NAME, scenario, "x", schedule=random_schedule(scenario, 1)[0])
    tally = Tally(recorded.header)
    for event in recorded.events:
        tally.count(event)
    assert (
        law.verdict_on(recorded.header, renumbered(recorded.events), tally.footer()).verdict
        == CONFORMS
    )
    changed = [(tuple(what), renumbered(events)) for *what, events in damages(recorded.events)]
    sound = accepted(recorded.header, [events for _, events in changed])
    survived = [what for (what, _), is_sound in zip(changed, sound, strict=True) if is_sound]
    unexplained = [what for what in survived if not explained(*what)]
    assert len(changed) > 30 and not unexplained, unexplained
    assert len(survived) < len(changed) / 4
