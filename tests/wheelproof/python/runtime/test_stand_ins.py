"""Stand-ins: under control a marked import brings the module that the harness has declared."""

import pytest

from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    RuleBroken,
)
from wheelproof.python.runtime.production import substitute

IMPL = """from __future__ import annotations
import random, string as letters  # production only
from queue import SimpleQueue  # production only

CHOSEN = random.choice  # production only


class Box:
    __slots__ = ("queue",)

    def __init__(self) -> None:
        self.queue = SimpleQueue()

    def put(self, value):
        self.queue.put(value)
        return CHOSEN(letters.digits)
"""
STAND_IN = """from __future__ import annotations
from impl.threads import Lock, Plain


class SimpleQueue:
    __slots__ = ("lock", "items")
    items: Plain[tuple]

    def __init__(self) -> None:
        self.lock, self.items = Lock(), ()

    def put(self, value):
        with self.lock:  # lock Q1, unlock Q3
            self.items = (*self.items, value)  # write Q2


def choice(values):
    return values[0]
"""
HARNESS = """from impl import box

SUBJECT = ("impl.box",)
STAND_INS = {"queue": "harness.library", "random": "harness.library"}


class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box()
        self.names = {"box": self.box}

    def put(self, value):
        return self.box.put(value)


def shared(harness):
    return {"items": harness.box.queue.items}
"""
SCENARIO = {"threads": {"a": [["put", 1]], "b": [["put", 2]]}}


def load(folder, *changes):
    texts = {"impl.box": IMPL, "harness.library": STAND_IN, "harness.box": HARNESS}
    for name, old, new in changes:
        assert texts[name].count(old) == 1, old
        texts[name] = texts[name].replace(old, new)
    for name in "impl", "harness":
        (folder / name).mkdir()
    return ControlledImplementation.load(folder, "box", texts=texts)


SPARED = (
    "impl.box",
    ", string as letters  # production only",
    "  # production only\nimport string as letters",
)


def test_a_stand_in_has_steps_of_its_own(tmp_path):
    run = load(tmp_path, SPARED).begin(SCENARIO)
    assert run.labels == ["Q1", "Q1"]
    run.step(0)
    assert run.enabled() == {0: "Q2"}  # the lock of the stand-in excludes the other thread
    for _ in range(2):
        run.step(0)
    assert run.results(0) == ("0",) and run.shared() == {"items": (1,)}
    run.end()


@pytest.mark.parametrize("left", ["", ', "string": "harness.library"'])
def test_an_import_without_a_stand_in_stops_the_thread(tmp_path, left):
    table = ("harness.box", ', "random": "harness.library"', left)
    run = load(tmp_path, SPARED, table).begin(SCENARIO)
    run.step(0)
    run.step(0)
    with pytest.raises(RuleBroken, match="CHOSEN is imported for production only"):
        run.step(0)
    run.end()


def test_an_import_without_the_mark_brings_the_library():
    text = "import queue\nfrom queue import Queue  # production only\n"
    assert (
        substitute(text, {"queue": "harness.library"})
        == "import queue\nfrom harness.library import Queue\n"
    )


def test_lines_and_other_names_stay_where_they_are():
    found = substitute(IMPL, {"random": "harness.library"}).splitlines()
    assert found[1] == "import harness.library as random, string as letters"
    assert [line for i, line in enumerate(found) if i != 1] == [
        line for i, line in enumerate(IMPL.splitlines()) if i != 1
    ]


@pytest.mark.parametrize(
    "table", ["dict(queue='harness.library')", '{"queue": "library"}', '("queue",)']
)
def test_a_wrong_table_is_refused(tmp_path, table):
    with pytest.raises(
        ExploreError, match="STAND_INS is not a literal table of modules of the project"
    ):
        load(
            tmp_path,
            ("harness.box", '{"queue": "harness.library", "random": "harness.library"}', table),
        )
