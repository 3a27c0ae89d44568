"""The review follows from rows, declarations and traces; no text breaks its Markdown."""

from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from wheelproof import project
from wheelproof.report import review
from wheelproof.verdict import judge

BUILD = Path("build")


@pytest.fixture
def mechanisms(subject_folder):
    return project.find(subject_folder)


def test_it_lists_the_claims_and_the_limits(good, mechanisms, trace, subject_folder):
    text = review.render(
        good, mechanisms, {"counterexamples/M1.json": trace}, subject_folder, BUILD
    )
    for line in (
        "**wheelproof: 3 of 3 checks in order: every verdict as expected**",
        "## A thing (thing)",
        "| tlc | 1 exhaustive | 2 threads |",
        "| mutant | 1 violated as expected |  |",
        "Decisions, each taken away: 1 killed.",
        "- NotSo does not hold: false in fact.",
        "- Declared but not checked in this run: two_more.",
        "- No mutant takes away the decision M2: no check takes this away.",
        "- No check of these layers is among the results: bisimulation, coverage, composition, "
        "liveness, random, stress, jvm, proof, trace, mutate.",
        "| tlc | 2.18 |",
    ):
        assert line in text.splitlines(), line
    assert "Findings" not in text and "partial" not in text
    assert "wheelproof replay" not in text, "an expected counterexample is on the page alone"


def test_findings_come_with_reason_and_columns(bad, mechanisms, trace, subject_folder):
    text = review.render(
        bad, mechanisms, {"counterexamples/it's.json": trace}, subject_folder, BUILD
    )
    finding = text[text.index("#### tlc / wrong: violated by Other") :]
    assert (
        "expected a violation of Safe, got one of Other" in finding
        and "Safe is violated: 2 steps" in finding
    )
    assert "#### bisimulation / empty: vacuous" in text and "| tlc | 2 NOT IN ORDER |" in text
    assert "The project no longer declares this mechanism." in text


def test_a_trace_that_cannot_be_read_is_reported(bad, mechanisms, subject_folder):
    assert "The trace counterexamples/it's.json could not be read." in review.render(
        bad, mechanisms, {}, subject_folder, BUILD
    )


def test_checks_that_did_not_run_are_listed(good, mechanisms, subject_folder):
    nothing = review.render(replace(good, rows=()), mechanisms, {}, subject_folder, BUILD)
    assert (
        "NOTHING SHOWN" in nothing
        and "No check of these mechanisms is among the results: thing." in nothing
    )
    assert "did not come to its end" in review.render(
        replace(good, complete=False), mechanisms, {}, subject_folder, BUILD
    )
    without = review.render(
        replace(good, rows=good.rows[:2]), mechanisms, {}, subject_folder, BUILD
    )
    assert "Decisions, each taken away: 1 not run." in without.splitlines()


def test_a_mutant_that_survives_is_not_called_killed(good, mechanisms, subject_folder):
    survivor = judge(
        "thing", "mutant", "M1", expected="violated", verdict="exhaustive", expected_property="Safe"
    )
    text = review.render(replace(good, rows=(survivor,)), mechanisms, {}, subject_folder, BUILD)
    assert "Decisions, each taken away: 1 NOT IN ORDER." in text.splitlines()


def test_it_is_the_same_bytes_for_the_same_input(bad, mechanisms, trace, subject_folder):
    first, second = (
        review.render(bad, mechanisms, {"counterexamples/M1.json": trace}, subject_folder, BUILD)
        for _ in range(2)
    )
    assert first == second


HOSTILE = "a|b`c`<script>*d* [e](x) _f_ \\ &lt; \n# g ~~h~~ $i$ \x1b ``` ````"


def test_any_text_is_shown_as_it_is(good, mechanisms, trace, subject_folder):
    row = judge(
        HOSTILE,
        HOSTILE,
        HOSTILE,
        expected="proved",
        verdict="error",
        bound=HOSTILE,
        why=HOSTILE,
        trace="t",
        figures={HOSTILE: HOSTILE},
    )
    renamed = replace(
        trace,
        explanation=HOSTILE,
        threads=(HOSTILE,),
        steps=(replace(trace.steps[0], thread=HOSTILE),),
    )
    text = review.render(
        replace(good, rows=(row,), tools={HOSTILE: HOSTILE}),
        mechanisms,
        {"t": renamed},
        subject_folder,
        BUILD,
    )
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    kinds = {child.type for token in tokens for child in token.children or []} | {
        token.type for token in tokens
    }
    assert not kinds & {
        "html_block",
        "html_inline",
        "code_inline",
        "link_open",
        "em_open",
        "s_open",
        "image",
        "hardbreak",
    }
    assert sum(token.type == "fence" for token in tokens) == 1
    shown = HOSTILE.replace("\n", "\\n").replace("\x1b", "\\x1b")
    cells = [
        "".join(child.content for child in token.children)
        for token in tokens
        if token.type == "inline"
    ]
    assert shown in cells and f"{shown} / {shown}: error" in cells
