"""`wheelproof tla`: what it prints and writes, and its exit codes."""

import json

import pytest

from tests.docs.reading import ROOT
from tests.examples.pages import wheelproof
from tests.wheelproof.tla.plain.modules import MODULES, subject


def test_the_page_shows_what_the_command_prints():
    code, text = wheelproof(ROOT, "tla", "spec/models/MCTimerTaskList.tla", "--library", "spec")
    assert code == 0, text
    assert f"```\n{text}\n" in (ROOT / "docs/tla.md").read_text(encoding="utf-8")


def test_a_violation_is_shown_written_and_followed(tmp_path):
    subject(tmp_path, "Broken", *MODULES["Broken"])
    code, text = wheelproof(
        tmp_path, "tla", "Broken.tla", "--itf", "run.itf.json", "--graph", "graph.json"
    )
    assert code == 1
    assert "wheelproof            4            5  Alone violated" in text
    assert "pc[right]: " in text and "Broken.tla:6" in text
    assert len(json.loads((tmp_path / "run.itf.json").read_text())["states"]) == 3
    assert json.loads((tmp_path / "graph.json").read_text())["schema"] == "wheelproof.graph/1"
    code, text = wheelproof(tmp_path, "tla", "Broken.tla", "--follow", "run.itf.json")
    assert (code, text) == (0, "run.itf.json: a behaviour of Broken, 2 steps")
    changed = (tmp_path / "run.itf.json").read_text().replace('"out"', '"away"')
    (tmp_path / "run.itf.json").write_text(changed)
    code, text = wheelproof(tmp_path, "tla", "Broken.tla", "--follow", "run.itf.json")
    assert code == 1 and "run.itf.json, state 0: no behaviour of Broken" in text


def test_a_violation_is_on_the_page_of_the_review(tmp_path):
    subject(tmp_path, "Broken", *MODULES["Broken"])
    code, text = wheelproof(tmp_path, "tla", "Broken.tla", "--output", "build")
    assert code == 1 and "written: build/review.html" in text
    (row,) = json.loads((tmp_path / "build/results.json").read_text())["rows"]
    assert (row["layer"], row["verdict"], row["property"]) == ("tla", "violated", "Alone")
    page = (tmp_path / "build/review.html").read_text()
    assert "Enter" in page and "pc[right]" in page and "Broken.tla" in page


ENDS = {
    "refused": (("Refused.tla",), 2, "module Refused, line 4: CHOOSE without a set"),
    "no cfg": (("Counter.tla",), 2, "There is no file Counter.cfg"),
    "nothing named": ((), 5, "No specification is named"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_run_that_shows_nothing_has_its_exit_code(end, tmp_path):
    subject(
        tmp_path,
        "Refused",
        "VARIABLE x\nInit == x = 0\nNext == x' = CHOOSE y : y # x",
        "INIT Init NEXT Next",
    )
    arguments, code, words = ENDS[end]
    ended, text = wheelproof(tmp_path, "tla", *arguments)
    assert ended == code and words in text, text


def test_more_states_than_the_limit_are_inconclusive(tmp_path):
    subject(tmp_path, "Bag", *MODULES["Bag"])
    code, text = wheelproof(tmp_path, "tla", "Bag.tla", "--states", "3")
    assert code == 3 and "has more than 3 states" in text
