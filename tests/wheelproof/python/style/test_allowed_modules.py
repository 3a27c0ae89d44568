"""What a file may take from modules: names that hide no state, and no module.

The channels in ``hidden_channels`` have one file. Here are those that need two, and what is
allowed.
"""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from wheelproof.python import check
from wheelproof.python.style.standard import ALLOWED, refusal


def found(text: str, **files: str) -> list[tuple[str, str]]:
    """(file, rule) of each finding; ``files``: further modules of impl."""
    sources = {"impl/c.py": text} | {f"impl/{name}.py": files[name] for name in files}
    return [(finding.file, finding.rule) for finding in check(sources)]


@pytest.mark.parametrize(
    ("helper", "text"),
    [
        ("import enum\n", "from impl.helper import enum\n"),
        ("import enum\n", "from impl.helper import enum as e\nX = e.Enum\n"),
        ("import enum\n", "from .helper import enum\n"),
        ("import enum\n", "from impl import helper\n\ndef f():\n    helper.enum.sys\n"),
        ("import enum\n", "import impl.helper\n\ndef f():\n    impl.helper.enum.sys\n"),
        ("import enum\n", "import impl.helper as h\n\ndef f():\n    h.enum.sys\n"),
        ("import enum\n", "def f(impl):\n    impl.enum.sys\n"),
        ("import enum\n", "def f(impl):\n    getattr(impl, 'enum').sys\n"),
        ("from collections import abc\n", "from impl.helper import abc\n"),
        ("import sys  # production only\n", "from impl.helper import sys\n"),
        ("from time import sleep  # production only\n", "from impl.helper import sleep\n"),
        ("x = 1\n", "from impl import helper\n\ndef f():\n    held = helper\n"),
        ("x = 1\n", "from impl.helper import *\n"),
        ("x = 1\n", "from model.c import x\n"),
    ],
)
def test_a_module_comes_through_no_other_file(helper, text):
    assert ("impl/c.py", "uncontrolled") in found(text, helper=helper)
    assert not any(file == "impl/helper.py" for file, _ in found(text, helper=helper))


@pytest.mark.parametrize(
    "body",
    [
        "__builtins__['open']",
        "__loader__.load_module('sys')",
        "more = getattr",
        "getattr(error, name)",
        "getattr(error, '__traceback__')",
        "generator.gi_frame.f_globals",
        "eval('1') or [eval for eval in ()]",
        "(lambda open: open) and open('x')",
        "error.__traceback__.tb_frame",
    ],
)
def test_reflection_is_refused(body):
    text = f"def f(error, name, generator):\n    {body}\n"
    assert {rule for _, rule in found(text)} == {"hidden-state"}


@pytest.mark.parametrize(
    "line",
    [
        "held = sys",
        "def f(of=sys):\n    return of",
        "class C:\n    __slots__ = ()\n    held = sys.platform",
        "@sys.call\ndef f():\n    return 1",
    ],
)
def test_what_is_for_production_is_not_kept_at_loading(line):
    head = "import sys  # production only\n"
    assert ("impl/c.py", "uncontrolled") in found(head + line + "\n")
    assert found(head + "held = sys  # production only\n") == []
    assert found(head + "def f(x: sys):\n    return sys.platform\n") == []
    assert found(head + "class C(sys.Base):\n    __slots__ = ()\n") == []


def test_a_pattern_reaches_no_attribute_of_python():
    text = "def f(x):\n    match x:\n        case object(__dict__=held):\n            return held\n"
    assert found(text) == [("impl/c.py", "hidden-state")]
    text = "class C:\n    __slots__ = ()\n    __match_args__ = ('__dict__',)\n"
    assert found(text) == [("impl/c.py", "hidden-state")]


def test_a_cache_under_another_name_is_refused():
    text = "from functools import lru_cache as kept\n\n@kept\ndef f(x):\n    return x\n"
    assert ("impl/c.py", "module-state") in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "import enum\n\nclass Colour(enum.Enum):\n    RED = 1\n",
        "import collections\n\ndef f(x: collections.abc.Set):\n    collections.deque()\n",
        "import collections.abc as c\n\ndef f(x: c.Set):\n    return x\n",
        "from collections import abc\n\ndef f(x: abc.Set):\n    return x\n",
        "from math import ceil, inf\nfrom itertools import pairwise\nfrom heapq import heappush\n",
        "import math\n\ndef f(math):\n    return math\n",
        "import string\n\ndef f(xs):\n    string = 'x'\n    return [string for _ in xs]\n",
        "import math\n\ndef f(xs):\n    return [math for math in xs]\n",
        "import math\n\ndef f():\n    return lambda math: math\n",
        "def f(error):\n    return getattr(error, 'where', None), error.__class__.__name__\n",
        "def f(xs, id):\n    return id, [open for open in xs]\n",
        "from impl import helper\n\ndef f():\n    return helper.of(1)\n",
        "from impl.helper import of\n",
        "import enum  # production only\nimport sys  # production only\n",
    ],
)
def test_what_hides_nothing_is_allowed(text):
    assert found(text, helper="from math import ceil\n\ndef of(x):\n    return ceil(x)\n") == []


def test_a_harness_may_hold_the_modules_of_the_project():
    harness = (
        "from impl import c\n\n"
        "class Harness:\n"
        "    def __init__(self, scenario, impl=c):\n"
        "        self.c = getattr(impl, scenario['class'])()\n"
    )
    assert check({"harness/c.py": harness, "impl/c.py": "class C:\n    __slots__ = ()\n"}) == []
    operation = "    def f(self, impl):\n        getattr(impl, self.c)\n"
    (finding,) = check({"harness/c.py": harness + operation, "impl/c.py": "\n"})
    assert (finding.line, finding.rule) == (7, "hidden-state")


def test_no_module_of_the_list_lets_a_module_a_lock_or_a_private_name_through():
    for module in sorted(ALLOWED - {"string.templatelib"}):
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, ModuleType) or name.startswith("_"):
                assert refusal(module, name), (module, name)
    assert "lock" in refusal("functools", "RLock")
    assert "is a module" in refusal("enum", "sys")
    assert "__all__" in refusal("enum", "MappingProxyType")
    assert refusal("enum", "Enum") == ""


def test_a_harness_is_given_no_module_of_the_standard_library(cell):
    text = cell.edited(("class Cell:", "import enum\n\n\nclass Cell:"))
    given = cell.load(texts={"impl.cell": text}, lint=False)._loaded.implementation
    assert hasattr(given, "Cell") and not hasattr(given, "enum")
