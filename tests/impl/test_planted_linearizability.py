"""Classes of the implementation under programs that are drawn: whole, and each with a fault.

All public operations are drawn, with the default condition, and the results of all are compared.
"""

import re
import shutil

import pytest

from tests.examples.pages import change, wheelproof
from tests.found import ROOT
from tests.nights import only

TESTS = """\
from hypothesis import Phase, settings, strategies as st

import wheelproof
from impl.atomic import Atomic
from impl.blocking_queue import BlockingQueue
from impl.read_write_lock import ReadWriteLock
from impl.watcher_map import WatcherMap
from impl.watcher_queue import WatcherQueue

FEW = st.integers(0, 1)
KEY = st.sampled_from("ab")
HOW = settings(
    max_examples=EXAMPLES, derandomize=True, database=None, phases=[Phase.generate]
)


class Pair:
    def __init__(self):
        self.lock, self.first, self.second = ReadWriteLock(), 0, 0

    def write(self, value: int):
        with self.lock.write_lock:
            self.first = value
            self.second = value

    def read(self):
        with self.lock.read_lock:
            return self.first, self.second


@wheelproof.linearizable(
    operations={
        "get": (),
        "set": FEW,
        "get_and_set": FEW,
        "compare_and_set": (FEW, FEW),
        "add_and_get": FEW,
    },
    settings=HOW,
)
def test_atomic():
    return Atomic(0)


@wheelproof.linearizable(
    operations={"put": FEW, "take": (), "drain": (), "look": (), "clear": ()}, settings=HOW
)
def test_blocking_queue():
    return BlockingQueue()


@wheelproof.linearizable(
    operations={"get": KEY, "put": (KEY, FEW), "pop": KEY, "discard": KEY, "was_used": ()},
    settings=HOW,
)
def test_watcher_map():
    return WatcherMap()


@wheelproof.linearizable(
    operations={"add": KEY, "after": FEW, "discard": st.integers(1, 2), "size": ()}, settings=HOW
)
def test_watcher_queue():
    return WatcherQueue()


@wheelproof.linearizable(settings=HOW)
def test_pair():
    return Pair()
"""
FREE = "if True:"


def unlocked(head, lock="with self.lock:"):
    """A method that does not take its lock, as a change of a text."""
    return head + lock, head + FREE


FAULTS = {
    "add_and_get reads and writes apart": (
        "atomic", "with self._lock:  # lock A1, unlock A4", FREE,
    ),
    "compare_and_set compares and sets apart": (
        "atomic", "with self._lock:  # lock C1, unlock C4", FREE,
    ),
    "get_and_set gets and sets apart": ("atomic", "with self._lock:  # lock E1, unlock E4", FREE),
    "put wakes no consumer": ("blocking_queue", "self.changed.notify()  # notify Q3", "pass"),
    "take does not look again": ("blocking_queue", "while not self", "if not self"),
    "drain loses an item": ("blocking_queue", "with self.changed:  # lock D1, unlock D3", FREE),
    "take takes outside of the lock": (
        "blocking_queue", "    item = self.waiting.popleft()", "item = self.waiting.popleft()",
    ),
    "get looks twice": ("watcher_map", *unlocked('"""The key\'s list, or None."""\n        ')),
    "pop looks, then takes": (
        "watcher_map",
        *unlocked('"""Take the key\'s list out, and return it; None if it has none."""\n        '),
    ),
    "put adds without the lock": (
        "watcher_map",
        *unlocked('"""Give a key this list, instead of the one that it may have."""\n        '),
    ),
    "two operations get one place": (
        "watcher_queue", *unlocked('"""Give the operation the next place."""\n        '),
    ),
    "a place is freed twice": (
        "watcher_queue", *unlocked('"""Free a place, if it is not free."""\n        '),
    ),
    "a writer does not wait for readers": (
        "read_write_lock", "of.writer is not None or of.readers:", "of.writer is not None:",
    ),
}  # fmt: skip
"""Fault -> module, text, and what stands in its place."""

TEST_OF = {"read_write_lock": "pair"}
MODULES = sorted({module for module, *_ in FAULTS.values()})


def explored(folder, module, examples, *replaced):
    """Exit code and output for the class of a module, in a folder of its own."""
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "impl", folder / "impl", ignore=unwanted)
    shutil.copytree(
        ROOT / "runtime" / "wheelproof_runtime", folder / "wheelproof_runtime", ignore=unwanted
    )
    if replaced:
        change(folder / "impl" / f"{module}.py", *replaced)
    text = TESTS.replace("EXAMPLES", str(examples))
    (folder / "test_classes.py").write_text(text, encoding="utf-8")
    name = TEST_OF.get(module, module)
    return wheelproof(folder, "explore", f"test_classes.py::test_{name}")


@pytest.mark.parametrize("module", only(MODULES, "watcher_queue"))
def test_a_class_is_linearizable(module, tmp_path):
    code, output = explored(tmp_path, module, 30)
    assert code == 0, output
    assert "exhausted: every order of" in output


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "fault", only(FAULTS, "take does not look again", "a place is freed twice")
)
def test_a_fault_is_found(fault, tmp_path):
    module, old, new = FAULTS[fault]
    code, output = explored(tmp_path, module, 300, old, new)
    assert code == 1, output
    assert re.search("^bug: (not linearizable|deadlock|lost wake-up)", output, re.MULTILINE)
