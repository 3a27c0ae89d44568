"""The explorer on the first mechanism: planted defects are found where a scenario shows them."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import MemberDescriptorType

import pytest

from tests.nights import only
from wheelproof import project as specs
from wheelproof.graph import reduced
from wheelproof.mapping import marks_of
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    StyleError,
    bisimulate,
    check_style,
    random_schedules,
)
from wheelproof.python.runtime.fields import classes_of

ROOT = Path(__file__).parents[4]
NAME = "timer_task_list"
MODULE = f"impl.{NAME}"
SOURCE = (ROOT / "impl" / f"{NAME}.py").read_text(encoding="utf-8")
SMALL = ("two_adders", "two_adders_cancel", "flush_add_cancel", "readd", "expire_cancel")

LOOP = (
    "        while (current := self.list) is not None:  # read R1\n"
    "            current.remove(self)\n"
)


def edited(*changes):
    text = SOURCE
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return {MODULE: text}


@pytest.fixture(scope="module")
def graphs():
    mechanism, known = specs.find(ROOT)[NAME], {}

    def graph(name):
        if name not in known:
            states = reduced.reduce(mechanism.model(name), mechanism.silent)
            known[name] = (
                mechanism.scenarios[name],
                reduced.rows(states),
                reduced.shared_of(states),
            )
        return known[name]

    return graph


def test_the_style_is_kept():
    assert check_style(ROOT, NAME) == []


def test_production_fields_are_plain_slots_before_and_after_a_second_loading():
    module = importlib.import_module(MODULE)

    def plain():
        return all(
            isinstance(cls.__dict__[name], MemberDescriptorType)
            for cls in classes_of(module)
            for name in cls.__slots__
        )

    assert plain() and any(marks_of(cls) for cls in classes_of(module))
    controlled = ControlledImplementation.load(ROOT, NAME)
    assert plain() and sys.modules[MODULE] is module
    assert controlled._loaded.modules[MODULE] is not module


def test_the_implementation_imports_the_standard_library_only():
    program = (
        f"import sys; sys.path.insert(0, '.'); import {MODULE}; "
        "assert not {'greenlet', 'wheelproof', 'model'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-I", "-c", program], cwd=ROOT, check=True)


@pytest.mark.parametrize("name", only(SMALL, "expire_cancel"))
def test_the_implementation_is_its_model(graphs, name):
    scenario, rows, shared_of = graphs(name)
    result = bisimulate(ControlledImplementation.load(ROOT, NAME), scenario, rows, shared_of)
    assert result.outcome == "equal", str(result.difference)
    assert result.figures["compared_edges"] == result.figures["model_edges"]


DEFECTS = {
    "remove gives up after 3 (local)": (
        (
            LOOP,
            "        tries = 0\n"
            "        while tries < 3:\n"
            "            tries += 1\n"
            "            current = self.list  # read R1\n"
            "            if current is None:\n"
            "                return\n"
            "            current.remove(self)\n",
        ),
        "two_adders_cancel",
    ),
    "remove gives up after 3 (range)": (
        (
            LOOP,
            "        for i in range(3):\n"
            "            current = self.list  # read R1\n"
            "            if current is None:\n"
            "                return\n            current.remove(self)\n",
        ),
        "two_adders_cancel",
    ),
    "a stale local over the retry": (
        (
            LOOP,
            "        first = None\n"
            "        while (current := self.list) is not None:  # read R1\n"
            "            first = first or current\n"
            "            first.remove(self)\n",
        ),
        "two_adders_cancel",
    ),
    "the counter outside the lock": (
        (
            "                    entry.list = None  # write U8\n"
            "                    self.task_counter.add_and_get(-1)  # update U9\n",
            "                    entry.list = None  # write U8\n"
            "                else:\n"
            "                    return\n"
            "        self.task_counter.add_and_get(-1)  # update U9\n",
        ),
        "flush_add_cancel",
    ),
    "plain writes swapped": (
        (
            "entry.next = None  # write U6\n                    entry.prev = None  # write U7",
            "entry.prev = None  # write U6\n                    entry.next = None  # write U7",
        ),
        "flush_add_cancel",
    ),
    "a volatile write without a label": (
        ("entry.list = None  # write U8", "entry.list = None"),
        "flush_add_cancel",
    ),
    "a plain write without a label": (
        ("entry.prev = None  # write U7", "entry.prev = None"),
        "flush_add_cancel",
    ),
    "a read without a label": (
        ("is not self.root:  # read F2", "is not self.root:"),
        "flush_add_cancel",
    ),
    "an unlock without a label": (("# lock U2, unlock U10", "# lock U2"), "flush_add_cancel"),
    "a wrong kind": (("# write U8", "# read U8"), "flush_add_cancel"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_planted_defect_is_rejected(graphs, defect):
    change, name = DEFECTS[defect]
    scenario, rows, shared_of = graphs(name)
    result = bisimulate(
        ControlledImplementation.load(ROOT, NAME, texts=edited(change)), scenario, rows, shared_of
    )
    assert result.outcome == "different" and result.difference.schedule


def test_a_count_in_an_iterator_is_refused_by_style():
    change = (
        LOOP,
        "        for _ in 'abc':\n"
        "            current = self.list  # read R1\n"
        "            if current is None:\n"
        "                return\n"
        "            current.remove(self)\n",
    )
    with pytest.raises(StyleError, match="iterator"):
        ControlledImplementation.load(ROOT, NAME, texts=edited(change))


UNLOCKED = {
    "list monitor, in remove": (
        ("with self.monitor:  # lock U1, unlock U11", "if True:"),
        "flush_add_cancel_two_entries",
    ),
    "list monitor, in add": (
        ("with self.monitor:  # lock A1, unlock A11", "if True:"),
        "flush_add_cancel_two_entries",
    ),
    "entry monitor": (("with entry.monitor:  # lock A2, unlock A10", "if True:"), "two_adders"),
    "flush": (
        ("with self.monitor:  # lock F1, unlock F4", "if True:"),
        "flush_add_cancel_two_entries",
    ),
}


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("lock", UNLOCKED)
def test_a_lost_lock_shows_as_a_race_at_both_atomicities(graphs, lock, coarse):
    change, name = UNLOCKED[lock]
    detector = RaceDetector()
    implementation = ControlledImplementation.load(ROOT, NAME, texts=edited(change))
    for seed in range(40):
        random_schedules(
            implementation,
            graphs(name)[0],
            schedules=10,
            seed=seed,
            max_steps=500,
            race=detector,
            coarse=coarse,
        )
        if detector.found:
            break
    assert detector.found and all(
        race.field.startswith("TimerTaskEntry.") for race in detector.found
    )


@pytest.mark.parametrize("name", SMALL)
def test_there_is_no_race(graphs, name):
    assert (
        random_schedules(
            ControlledImplementation.load(ROOT, NAME),
            graphs(name)[0],
            schedules=200,
            race=RaceDetector(),
        ).races
        == ()
    )
