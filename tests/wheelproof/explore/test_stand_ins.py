"""Stand-ins: under control a marked import brings the module that the harness has declared."""

import pytest

from wheelproof.explore import ExploreError, RuleBroken, Subject
from wheelproof.explore.production import substituted

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
MAPPING = """from impl import box

SUBJECT = ("impl.box",)
STAND_INS = {"queue": "mapping.library", "random": "mapping.library"}


class World:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box()
        self.names = {"box": self.box}

    def put(self, value):
        return self.box.put(value)


def shared(world):
    return {"items": world.box.queue.items}
"""
SCENARIO = {"threads": {"a": [["put", 1]], "b": [["put", 2]]}}


def load(folder, *changes):
    texts = {"impl.box": IMPL, "mapping.library": STAND_IN, "mapping.box": MAPPING}
    for name, old, new in changes:
        assert texts[name].count(old) == 1, old
        texts[name] = texts[name].replace(old, new)
    for name in "impl", "mapping":
        (folder / name).mkdir()
    return Subject.load(folder, "box", texts=texts)


SPARED = (
    "impl.box",
    ", string as letters  # production only",
    "  # production only\nimport string as letters",
)


def test_what_stands_in_has_steps_of_its_own(tmp_path):
    run = load(tmp_path, SPARED).begin(SCENARIO)
    assert run.labels == ["Q1", "Q1"]
    run.step(0)
    assert run.enabled() == {0: "Q2"}  # the lock of the stand-in excludes the other thread
    for _ in range(2):
        run.step(0)
    assert run.results(0) == ("0",) and run.shared() == {"items": (1,)}
    run.end()


@pytest.mark.parametrize("left", ["", ', "string": "mapping.library"'])
def test_what_has_no_stand_in_stops_the_thread_all_the_same(tmp_path, left):
    table = ("mapping.box", ', "random": "mapping.library"', left)
    run = load(tmp_path, SPARED, table).begin(SCENARIO)
    run.step(0)
    run.step(0)
    with pytest.raises(RuleBroken, match="CHOSEN is imported for production only"):
        run.step(0)
    run.end()


def test_an_import_without_the_mark_brings_the_library():
    text = "import queue\nfrom queue import Queue  # production only\n"
    assert (
        substituted(text, {"queue": "mapping.library"})
        == "import queue\nfrom mapping.library import Queue\n"
    )


def test_lines_and_other_names_stay_where_they_are():
    found = substituted(IMPL, {"random": "mapping.library"}).splitlines()
    assert found[1] == "import mapping.library as random, string as letters"
    assert [line for i, line in enumerate(found) if i != 1] == [
        line for i, line in enumerate(IMPL.splitlines()) if i != 1
    ]


@pytest.mark.parametrize(
    "table", ["dict(queue='mapping.library')", '{"queue": "library"}', '("queue",)']
)
def test_a_wrong_table_is_refused(tmp_path, table):
    with pytest.raises(
        ExploreError, match="STAND_INS is not a literal table of modules of the subject"
    ):
        load(
            tmp_path,
            ("mapping.box", '{"queue": "mapping.library", "random": "mapping.library"}', table),
        )
