"""Every rule of style has a source that breaks it, and the implementation itself breaks none."""

import textwrap

import pytest

from wheelproof.python import (
    StyleError,
    check,
    check_style,
)
from wheelproof.reading import Unreadable

HEAD = """
from __future__ import annotations
from impl.runtime import Plain, Volatile

class C:
    __slots__ = ("m", "a", "b", "cs")
    a: Volatile[int]
    b: Plain[int]
"""


def found(body: str, head: str = HEAD) -> set[str]:
    text = head + textwrap.indent(textwrap.dedent(body), "    ")
    return {finding.rule for finding in check({"impl/c.py": text})}


def module(text: str) -> set[str]:
    return {finding.rule for finding in check({"impl/c.py": textwrap.dedent(text)})}


def test_the_implementation_is_clean(cell):
    assert check_style(cell.root, "cell") == []


def test_a_finding_has_place_rule_and_remedy():
    (finding,) = check({"impl/c.py": "def f(a):\n    for x in a:\n        x.y()  # write W1\n"})
    assert (finding.file, finding.line, finding.rule) == ("impl/c.py", 2, "loop-position")
    assert str(finding).startswith("impl/c.py:2: ") and "range" in finding.remedy


@pytest.mark.parametrize(
    ("rule", "body"),
    [
        ("unique", "def f(self):\n    self.a = 1  # write W1\n    self.a = 2  # write W1\n"),
        ("unique", "def f(self):\n    with self.m:  # lock L1, unlock L1\n        pass\n"),
        ("one-operation", "def f(self):\n    self.a = self.b  # write W1, read W2\n"),
        ("one-operation", "def f(self):\n    self.a = self.b = 1  # write W1\n"),
        ("one-operation", "def f(self):\n    self.a += 1  # write W1\n"),
        ("one-line", "def f(self):\n    self.a = (\n        1)  # write W1\n"),
        ("one-line", "def f(self):\n    self.a = g(  # write W1\n        1)\n"),
        ("no-branch", "def f(self):\n    if self.a and self.b:  # read R1\n        pass\n"),
        ("no-branch", "def f(self):\n    x = self.a if self.b else 1  # read R1\n"),
        ("no-branch", "def f(self):\n    x = [c.a for c in self.cs]  # read R1\n"),
        ("no-branch", "def f(self):\n    x = lambda: self.a  # read R1\n"),
        ("no-branch", "def f(self):\n    x = 0 < self.a < self.b  # read R1\n"),
        (
            "one-manager",
            "def f(self):\n    with self.m, self.cs:  # lock L1, unlock L2\n        pass\n",
        ),
        ("no-for-header", "def f(self):\n    for i in range(self.a):  # read R1\n        pass\n"),
        ("one-statement", "def f(self):\n    if self.a: pass  # read R1\n"),
        ("special-method", "def __eq__(self, other):\n    return self.a == 1  # read R1\n"),
        ("decorated", "@property\ndef f(self):\n    return self.a  # read R1\n"),
        ("misplaced", "def f(self):  # read R1\n    return self.a\n"),
        ("loop-position", "def f(self):\n    for c in self.cs:\n        c.a = 1  # write W1\n"),
        (
            "loop-position",
            "def f(self):\n    for _ in repeat(None, 3):\n        x = self.a  # read R1\n",
        ),
        ("loop-position", "def f(self):\n    for i in range(3):\n        i = self.a  # read R1\n"),
        (
            "loop-position",
            "def f(self):\n    for (i, j) in range(3):\n        x = self.a  # read R1\n",
        ),
        ("loop-position", "def f(self):\n    for c in self.cs:\n        yield c\n"),
        ("loop-position", "def f(self, call):\n    for c in self.cs:\n        call(c)\n"),
        (
            "loop-position",
            "def f(self):\n"
            "    self.a = 1  # write W1\n"
            "def g(self):\n"
            "    for c in self.cs:\n"
            "        c.f()\n",
        ),
        (
            "loop-position",
            "def f(self):\n"
            "    self.a = 1  # write W1\n"
            "def g(self):\n"
            "    return [c.f() for c in self.cs]\n",
        ),
        (
            "loop-position",
            "def f(self):\n"
            "    self.a = 1  # write W1\n"
            "def g(self):\n"
            "    return list(map(self.f, self.cs))\n",
        ),
        ("generator", "def f(self):\n    yield self.a  # read R1\n"),
        ("generator", "def f(self):\n    x = self.a  # read R1\n    yield x\n"),
        ("module-state", "def f(self):\n    global n\n    n = 1\n"),
        ("module-state", "def f(self, seen=[]):\n    pass\n"),
        ("module-state", "seen = {}\n"),
        ("module-state", "def f(self):\n    C.count = 1\n"),
        ("module-state", "def f(self):\n    type(self).count = 1\n"),
        ("module-state", "def f(self):\n    self.__class__.count = 1\n"),
        ("module-state", "@lru_cache\ndef f(self):\n    pass\n"),
        ("catches-all", "def f(self):\n    try:\n        pass\n    except:\n        pass\n"),
        (
            "catches-all",
            "def f(self):\n    try:\n        pass\n    except BaseException:\n        pass\n",
        ),
        ("late-import", "def f(self):\n    import os\n"),
    ],
)
def test_each_rule_finds_its_case(rule, body):
    assert rule in found(body)


@pytest.mark.parametrize(
    "body",
    [
        "def f(self):\n    with self.m:  # lock L1, unlock L2\n        self.b = 1  # write W1\n",
        "def f(self):\n    while (x := self.a) is not None:  # read R1\n        x.f()\n",
        "def f(self):\n    for i in range(3):\n        self.a = i  # write W1\n",
        "def f(self):\n    for i, c in enumerate(self.cs):\n        c.a = i  # write W1\n",
        "def f(self):\n    total = [c for c in self.cs]\n    self.a = total  # write W1\n",
        "def f(self):\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g()\n",
        "def f(self):\n    try:\n        pass\n    except Exception:\n        pass\n",
        "limits = (1, 2)\n",
    ],
)
def test_the_rules_allow_it(body):
    assert found(body) == set()


def test_labels_may_repeat_in_another_class():
    text = (
        "class A:\n"
        "    __slots__ = ('a',)\n"
        "    def f(self):\n"
        "        self.a = 1  # write W1\n\n"
        "class M:\n"
        "    class A:\n"
        "        def f(self):\n"
        "            self.a = 2  # write W1\n"
    )
    assert module(text) == set()


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("module-state", "seen = []\n"),
        ("module-state", "count = itertools.count()\n"),
        ("module-state", "pair = ([], 1)\n"),
        ("uncontrolled", "import threading\n"),
        ("uncontrolled", "from time import monotonic\n"),
        ("uncontrolled", "import random as chance\n"),
        ("slot", "class C:\n    __slots__ = ('b',)\n    a: Plain[int]\n"),
        ("slot", "class C:\n    a: runtime.Volatile[int]\n"),
    ],
)
def test_module_rules(rule, text):
    assert rule in module(text)


def test_module_constants_are_allowed():
    assert (
        module(
            "__all__ = ['C']\n"
            "N = 3\n"
            "NAMES = ('a', 'b')\n"
            "T = TypeVar('T')\n"
            "KINDS = frozenset({'a'})\n"
        )
        == set()
    )


def test_set_up_code_of_a_harness_may_loop_as_it_likes():
    harness = """
class Harness:
    def __init__(self, scenario, impl):
        self.cells = [impl.Cell(x) for x in scenario["cells"]]
        for cell in self.cells:
            cell.put(1)
        self._more()
    def _more(self):
        for cell in self.cells:
            cell.put(1)
    def fill(self):
{operation}
def shared(harness):
    return [cell.put(1) for cell in harness.cells]
"""
    cell = (
        "class Cell:\n"
        "    __slots__ = ('x',)\n"
        "    def put(self, x):\n"
        "        self.x = x  # write W1\n"
    )

    def rules(operation):
        return {
            f.rule
            for f in check({"impl/c.py": cell, "harness/c.py": harness.format(operation=operation)})
        }

    assert rules("        pass") == set()
    assert rules("        for cell in self.cells:\n            cell.put(1)") == {"loop-position"}
    assert rules("        self._more()") == {"loop-position"}


def test_an_implementation_in_bad_style_is_not_loaded(cell):
    text = cell.edited(
        (
            "    def claim(self)",
            "    def both(self):\n"
            "        for call in (self.put, self.take):\n"
            "            call()\n\n"
            "    def claim(self)",
        )
    )
    with pytest.raises(StyleError, match=r"impl/cell.py:\d+: .*loop") as caught:
        cell.load(texts={"impl.cell": text})
    assert caught.value.findings[0].rule == "loop-position"


def test_a_file_that_does_not_parse_is_named():
    with pytest.raises(Unreadable, match=r"impl/c.py:1"):
        check({"impl/c.py": "def f(:\n"})
