"""Each fault that is planted in a program is found, programs without one are exhausted, and those
whose accesses are not seen are answered so."""

import pytest

from tests.wheelproof.jvm.explore.driving import classes, drive
from wheelproof.jvm.explore import process

KINDS = {
    "LockOrder": "deadlock",
    "StaticLocks": "deadlock",
    "NotifyOne": "lost wake-up",
    "EarlySignal": "lost wake-up",
    "SpinsForEver": "endless loop",
    "Raises": "exception",
    "IteratesUnlocked": "exception",
}
"""Program -> how it fails, where it is not by its assertion."""


FAULTY = [*classes("Faulty.java"), *classes("FaultyWaits.java"), *classes("FaultyData.java")]


@pytest.fixture(scope="module")
def answers():
    answered = drive("programs", *FAULTY, *classes("Sound.java"), *classes("Opaque.java"))
    return {answer["name"]: answer for answer in answered}


@pytest.mark.daily(7)
@pytest.mark.parametrize("name", FAULTY)
def test_a_planted_fault_is_found_by_its_kind(answers, name):
    expected = ("bug", KINDS.get(name, "assertion"))
    assert (answers[name]["answer"], answers[name]["kind"]) == expected


@pytest.mark.parametrize("name", classes("Sound.java"))
def test_a_program_without_a_fault_is_exhausted(answers, name):
    assert answers[name]["answer"] == "exhausted", answers[name]["reason"]


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", classes("Opaque.java"))
def test_an_access_by_code_without_steps_is_unseen(answers, name):
    assert answers[name]["answer"] == "unseen", answers[name]["reason"]
    assert "is not looked into" in answers[name]["reason"]


def test_copies_have_access_to_all_packages_that_they_use():
    (packages,) = drive("packages")
    assert "jdk.internal.misc" in packages["names"]
    names, exported = set(packages["names"]), set(process.PACKAGES)
    assert names <= exported
    assert not names <= exported - {"sun.security.action"}, "what a sort of objects uses"


def test_a_call_is_taken_for_one_of_an_opaque_object_by_each_of_its_types():
    (types,) = drive("types")
    assert types["names"] == []
    assert {"java/text/DecimalFormat", "javax/crypto/NullCipher"} <= set(types["by_package"])


def test_a_substitute_answers_as_the_class_of_the_jdk():
    locks = ["EarlySignal", "TriesOnce", "CountsByLock"]
    substituted, copied = drive("programs", *locks), drive("copies", *locks)
    for one, other in zip(substituted, copied, strict=True):
        assert (one["answer"], one["kind"]) == (other["answer"], other["kind"])
        assert one["compared"] < other["compared"]


def test_a_loop_is_endless_only_where_one_thread_alone_has_moved_for_long():
    polls, never = drive("late", "Polls", "PollsForEver")
    assert (polls["ending"], polls["kind"]) == ("CUT", "")
    assert (never["ending"], never["kind"]) == ("FAILED", "endless loop")


def test_a_thread_that_sleeps_may_come_first():
    first = drive("programs", "SleepsFirst", "YieldsFirst", "LooksFiveTimes")
    assert [answer["answer"] for answer in first] == ["bug"] * 3


def test_a_search_in_which_a_thread_has_rested_says_so(answers):
    (rested,) = drive("programs", "LooksForEver")
    assert rested["answer"] == "exhausted"
    assert "where it has 8 times before" in rested["reason"]
    rests = {answer["name"] for answer in answers.values() if "but for" in answer["reason"]}
    assert "SleepsUntilSet" in rests and "Counts" not in rests


def test_code_without_its_hooks_is_the_original(answers):
    assert answers["Merges"]["compared"] > 1_000
    changed = drive("tampered")
    assert len(changed) >= 8
    for change in changed:
        assert "is not the original" in change["answer"], change
