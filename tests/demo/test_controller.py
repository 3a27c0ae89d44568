"""The timeline of `make demo-controller`, and the numbers of the herd."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from demo import controller, herd
from demo.controller import ControllerStory
from demo.timeline import WIDTH
from impl.cluster.settings import Settings
from tests.docs.reading import blocks
from tests.model.artefacts import ROOT

PAGE = ROOT / "docs/mechanisms/controller.md"


@pytest.fixture(scope="module")
def text():
    return ControllerStory().recount()


@pytest.fixture(scope="module")
def table():
    return herd.table()


def printed(seed, *arguments):
    """What the command prints, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "demo.controller", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_command_prints_the_same_story_each_time(text):
    assert printed("1") == printed("2") == text


def test_every_line_fits_into_a_terminal(text, table):
    assert max(map(len, (text + table).splitlines())) <= WIDTH == 80


def test_the_makefile_runs_it():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\ndemo-controller: setup\n\t@$(RUN) demo.controller $(ARGS)\n" in makefile
    assert "make demo-controller " in makefile


SAYS = (
    "0 ms  broker 1  has created /controller",
    "10000 ms  ZooKeeper orders-0 is led by broker 1, epoch 0; in sync: 1, 2, 3",
    "38000 ms  broker 2  has created /controller",
    "38000 ms  ZooKeeper the controller's epoch is 2",
    "38000 ms  ZooKeeper orders-0 is led by broker 2, epoch 2; in sync: 2, 3",
    "98000 ms  broker 1  is registered, by transaction",
    "128000 ms  ZooKeeper orders-0 keeps its leader, epoch 2; in sync: 2, 3, 1",
    "343000 ms  broker 2  its timer: broker 1 leads 0 of the 1 that prefer it",
    "343000 ms  ZooKeeper orders-0 is led by broker 1, epoch 3; in sync: 2, 3, 1",
    "a topic                        1          2          3",
    "broker 1 is dead               2          2          3",
    "the timer went off             1          2          3",
)


def missing(text):
    """The first sentence of the story that a text does not have, in their order."""
    at = 0
    for sentence in SAYS:
        at = text.find(sentence, at)
        if at < 0:
            return sentence
    return None


def test_leaders_move_and_return(text):
    assert missing(text) is None


def test_without_the_timer_the_preferred_leader_does_not_return(monkeypatch):
    begin = ControllerStory.__init__

    def without(self):
        begin(self)
        self.settings = Settings(rebalance=False)

    monkeypatch.setattr(ControllerStory, "__init__", without)
    assert missing(ControllerStory().recount()) == SAYS[7]


def test_the_page_quotes_the_story_and_the_herd(text, table):
    quoted = [each.text.strip("\n") for each in blocks(PAGE.read_text("utf-8"))]
    assert [each for each in quoted if " ms  " in each and each in text and each.count("\n") > 4]
    assert [each for each in quoted if each and each in table and each.count("\n") >= 3]


# -- the herd


def test_each_broker_that_watches_is_woken_for_each_partition_that_changes():
    found = herd.measured(10, 100)
    assert found.changed == 30 and found.all == (10 - 1) * (found.changed + 1) == 279
    assert found.controller == 2 < found.own < found.all


def test_the_controllers_events_do_not_grow_with_the_cluster():
    assert [herd.measured(*size).controller for size in ((3, 9), (6, 30))] == [2, 2]


def test_those_checks_see_watches_that_never_fire(monkeypatch):
    monkeypatch.setattr(herd.Tree, "_fire", lambda self, events: None)
    found = herd.measured(3, 9)
    assert (found.all, found.own, found.controller) == (0, 0, 0)


def test_the_command_counts_on_demand(table, monkeypatch, capsys):
    monkeypatch.setattr(herd, "SIZES", herd.SIZES[:1])
    controller.main(["--herd"])
    printed = capsys.readouterr().out
    assert printed == herd.table() and table.startswith(printed)
