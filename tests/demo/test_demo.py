"""The timeline of `make demo`: its text, its width, and what it takes from the broker."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from demo.story import Story
from demo.timeline import WIDTH, Timeline
from tests.docs.reading import blocks
from tests.model.artefacts import ROOT


@pytest.fixture(scope="module")
def text():
    return Story().tell()


def printed(seed):
    """What the command prints, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_command_prints_the_same_story_each_time(text):
    assert printed("1") == printed("2") == text


def test_every_line_fits_into_a_terminal(text):
    assert max(map(len, text.splitlines())) <= WIDTH == 80


def test_the_makefile_runs_it():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\ndemo: setup\n\t@$(RUN) demo $(ARGS)\n" in makefile and "make demo " in makefile


SAYS = (
    "0 ms  broker    produce A waits for the followers (1 watched)",
    "70 ms  broker    the high watermark goes from 0 to 2",
    "70 ms  broker    produce A is answered: no error",
    "400 ms  broker    produce B is answered: REQUEST_TIMED_OUT",
    "530 ms  broker    fetch C is answered: 450 bytes",
    "640 ms  broker    fetch E is answered: NOT_LEADER_OR_FOLLOWER",
    "650 ms  broker    elect F is answered: no error",
    "780 ms  broker    a join of shop waits in the purgatory for 100 ms",
    "880 ms  broker    generation 1 of shop: m1, m2",
)


def test_the_page_of_the_purgatory_quotes_it(text):
    page = ROOT / "docs/mechanisms/purgatory.md"
    (quoted,) = [each.text for each in blocks(page.read_text("utf-8")) if " ms  " in each.text]
    assert quoted.strip("\n") in text and quoted.count("\n") > 4


def missing(text):
    """Which sentences of the story a text does not have, in their order."""
    left, at = [], 0
    for sentence in SAYS:
        found = text.find(sentence, at)
        at = at if found < 0 else found
        left += [sentence] if found < 0 else []
    return left


def test_it_tells_of_each_request_in_order(text):
    assert missing(text) == []
    bars = text[text.index("\nrequest ") :].splitlines()[2:]
    assert [" ".join(bar.split()[:2]) for bar in bars] == [
        *(f"produce {each}" for each in "AB"),
        "fetch C",
        "produce D",
        "fetch E",
        "elect F",
        "join shop",
    ]


def test_a_broker_whose_followers_stop_tells_another_story(monkeypatch):
    monkeypatch.setattr(Story, "follow", lambda self, follower, offset: None)
    assert "the high watermark goes from 0 to 2" in missing(Story().tell())[0]


def test_a_bar_stands_at_its_time():
    now = [0]
    line = Timeline(lambda: now[0])
    line.begin("first")
    line.begin("second")
    now[0] = 10
    line.end("second", "an event")
    now[0] = 20
    line.begin("third")
    line.end("third", "an event")
    line.end("first", "the timeout")
    rows = {row.split()[0]: row for row in line.text().splitlines()}
    first, second, third = rows["first"], rows["second"], rows["third"]
    assert first.index("|") == second.index("|") < third.index("|") == first.rindex("|")
    assert first.index("|") < second.rindex("|") < first.rindex("|")


def test_a_long_event_is_wrapped_below_itself():
    line = Timeline(lambda: 5)
    line.note("broker", "word " * 30)
    assert len(line.lines) == 3 and {len(each) - len(each.lstrip()) for each in line.lines[1:]} == {
        22
    }
