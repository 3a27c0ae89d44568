"""docs/claims.md: made from the data, each row complete, and each check that a row names there,
run, and shown able to fail.
"""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.claims import page
from tests.claims.collecting import profile
from tests.claims.evidence import control, flaws, nightly, opposite, reference_flaws
from tests.claims.rows import ROOT, VERDICTS, Row, check, controls, row, rows, sections
from tools import prose

LONGEST_QUOTE = 100
"""Characters: a few words of an article, enough to find the sentence."""

JDK_SOURCE = re.compile(r"JDK \d+ src/")
"""How a row names a file of the JDK that its fact was read in."""

JARGON = re.compile(r"\b(note|notes|stranger)\b")
"""Words of the project's own, beside those that no page may use."""


def own_words(text: str) -> list[str]:
    return [*JARGON.findall(text), *prose.measure(text).unused]


FRAGMENT = re.compile(
    r"(After the|Because|Before|By|Not|Once|Or|Periodically|Public|To|Unless|Whenever)\b"
    r"|And (nowhere|then)\b|(As (long|often)|If|When)\b[^,]*\.$"
    r"|(At|Counted|From|In|Of|On|Since|Under|Up)( \S+){,4}\.$"
)
"""Openings of a sentence that lacks its subject: "To at most one.", "In Scala." """


def fragments(text: str) -> list[str]:
    """The sentences without a subject of their own, by how they begin."""
    return [sentence for sentence in prose.sentences(text) if FRAGMENT.match(sentence)]


def incomplete(one: Row) -> list[str]:
    """What a row lacks."""
    found = []
    if one.verdict not in VERDICTS:
        found.append(f"{one.verdict!r} is no verdict")
    if not one.claim:
        found.append("no claim in English")
    if not one.quotes:
        found.append("no quotation")
    found += [
        f"a quotation of {len(quote.text)} characters"
        for quote in one.quotes
        if not 4 <= len(quote.text) <= LONGEST_QUOTE
    ]
    if one.verdict != "holds" and not one.exactly:
        found.append("no word on what is exactly true")
    found += [f"no subject in {sentence!r}" for sentence in fragments(one.exactly)]
    if one.verdict == "open" and one.by:
        found.append("a check decides it, so it is not open")
    if one.verdict != "open" and not (one.by or one.read):
        found.append("nothing decides it")
    found += [
        f"the project's own word {word!r}" for word in own_words(f"{one.claim}\n\n{one.exactly}")
    ]
    return found


def test_every_row_is_complete():
    assert {one.number: incomplete(one) for one in rows() if incomplete(one)} == {}
    assert len(rows()) > 120
    assert {one.verdict for one in rows()} == set(VERDICTS)


COMPLETE = {
    "quotes": [["B", "Task slot", "some words"]],
    "claim": "A claim.",
    "verdict": "imprecise",
    "exactly": "This.",
    "by": ["wheel:123_becomes_120"],
}


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        ({"verdict": "true"}, "'true' is no verdict"),
        ({"claim": ""}, "no claim in English"),
        ({"quotes": []}, "no quotation"),
        ({"quotes": [["B", "Task slot", "word " * 30]]}, "a quotation of 150 characters"),
        ({"exactly": ""}, "no word on what is exactly true"),
        ({"verdict": "open"}, "a check decides it, so it is not open"),
        ({"by": []}, "nothing decides it"),
        ({"exactly": "It is so. To at most one."}, "no subject in 'To at most one.'"),
        ({"exactly": "In Scala."}, "no subject in 'In Scala.'"),
        ({"exactly": "When it expires."}, "no subject in 'When it expires.'"),
        ({"exactly": "And nowhere else."}, "no subject in 'And nowhere else.'"),
        ({"exactly": "The first to leave a note tries again."}, "the project's own word 'note'"),
    ],
)
def test_an_incomplete_row_is_noticed(change, noticed):
    assert incomplete(row("1.1", COMPLETE)) == []
    assert incomplete(row("1.1", COMPLETE | change)) == [noticed]


def test_rows_of_another_form_are_refused():
    with pytest.raises(ValueError, match="row 1.1 has unknown keys: verdikt"):
        row("1.1", COMPLETE | {"verdikt": "holds"})
    with pytest.raises(ValueError, match="'TimerTaskList:M2' names no check"):
        check("TimerTaskList:M2")


# -- the evidence


def test_every_check_is_there_and_can_fail():
    named = {one for each in rows() for one in each.by}
    assert [flaw for one in sorted(named, key=lambda one: one.node) for flaw in flaws(one)] == []


def test_every_judged_row_but_those_read_in_a_source_names_a_check_of_the_fast_profile():
    assert [
        one.number
        for one in rows()
        if one.verdict != "open" and one.by and all(map(nightly, one.by))
    ] == []
    unchecked = [one for one in rows() if one.verdict != "open" and not one.by]
    of_the_jdk = {one.number for one in unchecked if all(map(JDK_SOURCE.match, one.read))}
    assert len(of_the_jdk) == 1
    # Chapter 9 is about sources, and so are the name of a class and the version in a node.
    read = {one.number for one in unchecked} - of_the_jdk
    assert {number for number in read if not number.startswith("9.")} == {"10.5", "11.25"}


def test_no_control_stands_for_nothing():
    named = {one.node for each in rows() for one in each.by}
    assert controls().keys() <= named
    assert all(node != planted for node, planted in controls().items())


@pytest.mark.parametrize(
    ("reference", "flaw"),
    [
        (
            "wheel:124_becomes_120",
            "tests/impl/test_timing_wheel.py::test_wheel[124_becomes_120]: there is no such check",
        ),
        (
            "impl/test_timing_wheel.py::test_whee",
            "tests/impl/test_timing_wheel.py::test_whee: there is no such check",
        ),
        (
            "impl/test_of_nothing.py::test_it",
            "tests/impl/test_of_nothing.py::test_it: there is no such check",
        ),
        (
            "TimerTaskList:mutants.M2000",
            "spec/TimerTaskList.toml: mutants.M2000: there is no such check",
        ),
        ("TimerTaskList:configs.M2", "spec/TimerTaskList.toml: configs.M2: there is no such check"),
        ("Nothing:mutants.M2", "spec/Nothing.toml: mutants.M2: there is no such check"),
        (
            "impl/test_timer_task_list.py::test_monitors_are_the_standard_librarys",
            "tests/impl/test_timer_task_list.py::test_monitors_are_the_standard_librarys: "
            "nothing shows that this check can fail",
        ),
    ],
)
def test_a_check_that_is_missing_or_cannot_fail_is_noticed(reference, flaw):
    assert reference_flaws([reference]) == [flaw]


class Marked:
    """A collected test with these marks."""

    def __init__(self, *marks: str) -> None:
        self.marks = marks

    def get_closest_marker(self, name: str) -> bool:
        return name in self.marks


@pytest.mark.parametrize(
    ("marks", "when"),
    [([], "fast"), (["nightly"], "nightly"), (["skip"], "never"), (["nightly", "xfail"], "never")],
)
def test_a_test_that_is_skipped_or_expected_to_fail_is_never_run(marks, when):
    assert profile(Marked(*marks)) == when


def test_a_check_that_is_never_run_is_noticed(monkeypatch):
    node = "tests/claims/test_cost.py::test_that_is_skipped"
    monkeypatch.setattr("tests.claims.evidence.tests", lambda: {node: "never"})
    assert reference_flaws([node.removeprefix("tests/")]) == [f"{node}: this check is never run"]


def test_a_check_of_the_nightly_profile_is_marked():
    assert nightly(check("TimerTaskList:configs.refines_plainly_readd"))
    assert not nightly(check("TimerTaskList:mutants.M2"))
    assert "(nightly)" in page.link(check("TimerTaskList:configs.refines_plainly_readd"))
    assert "(nightly)" not in page.link(check("TimerTaskList:mutants.M2"))


@pytest.mark.parametrize(
    ("reference", "shown_by"),
    [
        ("TimerTaskList:properties.AtMostOneList", "mutants.M2"),
        ("TimerTaskList:mutants.M2_masked", "mutants.M2"),
        ("DelayedOperation:configs.expirer_completes", "configs.try_once_never_completes"),
        ("SystemTimer:properties.CancelledUnlinked", "configs.cancelled_stays_linked"),
    ],
)
def test_an_entry_of_a_specification_is_shown_able_to_fail_by_another_one(reference, shown_by):
    assert opposite(check(reference)) == shown_by


def test_an_example_on_a_wheel_is_shown_able_to_fail_by_a_wheel_that_it_rejects():
    node = control(check("wheel:slots_and_keys_of_the_six"))
    assert node.startswith(
        "tests/impl/test_timing_wheel.py::test_a_mutant_is_rejected[slots_and_keys_of_the_six-"
    )


# -- the page


def test_the_page_is_made_from_the_data():
    assert page.PAGE.read_text() == page.page(), "run `python -m tests.claims.page`"


def test_a_page_that_was_edited_is_noticed():
    assert page.PAGE.read_text().replace("| refuted |", "| holds |", 1) != page.page()


def test_the_page_has_every_row_and_every_link_leads_somewhere():
    text = page.page()
    assert [one.number for one in rows() if f"\n| {one.number} | " not in text] == []
    targets = set(re.findall(r"\]\(\.\./([^)#]+)\)", text))
    assert (
        len(targets) > 10 and [target for target in targets if not (ROOT / target).exists()] == []
    )


def test_a_cell_does_not_break_its_table():
    part = sections()[0]
    lines = page.table(part, 1).splitlines()
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("|")} == {6}
    assert page.cell("a|b\nc") == "a\\|b c"


def test_the_data_is_read_as_it_stands():
    """No row is lost between file and page."""
    files = sorted((ROOT / "docs" / "claims").glob("[0-9]*.toml"))
    assert sum(len(tomllib.loads(file.read_text())["claim"]) for file in files) == len(rows())
