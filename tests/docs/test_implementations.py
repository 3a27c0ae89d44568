"""The page docs/implementations.md names every rule, kind of label and primitive that there is."""

import ast
import re

import pytest

from impl import runtime
from tests.docs.reading import ROOT
from wheelproof.python import labels
from wheelproof.python.style import lint

PAGE = (ROOT / "docs" / "implementations.md").read_text(encoding="utf-8")
RULES = (
    "lint",
    "hidden",
    "reflection",
    "set_order",
    "standard",
    "suspension",
    "stack",
    "dropped",
    "finalizers",
)
"""Modules whose findings are (line, rule, message, remedy)."""

REFUSED = {
    "one-operation": "self.count += 1  # update A1",
    "no-branch": "self.count = (lambda: 1)()  # write A1",
    "one-line": "self.count = (  # write A1\n            1\n        )",
    "one-statement": "if self.count: return  # read A1",
    "no-for-header": "for i in range(self.count): pass  # read A1",
    "module-state": "global x",
    "hidden-state": "self.other = 1",
    "late-import": "import math",
    "set-order": "return list({1, 2})",
    "finalizer": "yield_to = GeneratorExit",
}
"""Rule -> a line of a method that breaks it."""


def names(heading):
    """The code words in the first column of the table below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def rules():
    found = set()
    for module in RULES:
        (file,) = (ROOT / "wheelproof" / "python").rglob(f"{module}.py")
        source = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Tuple) and len(node.elts) == 4:
                rule = node.elts[1]
                if isinstance(rule, ast.Constant) and isinstance(rule.value, str):
                    found.add(rule.value)
    return found


def test_every_rule_is_on_the_page_once():
    listed = names("Rules about labelled lines") + names("Rules about state")
    assert sorted(listed) == sorted(rules()) and len(listed) > 15


def test_every_kind_of_label_is_on_the_page_once():
    assert sorted(names("Labels")) == sorted(labels.KINDS)


def test_every_primitive_is_on_the_page_once():
    assert sorted(names("What `wheelproof_runtime` has")) == sorted(runtime.__all__)


@pytest.mark.parametrize("rule", REFUSED)
def test_a_line_of_the_page_breaks_its_rule(rule):
    source = (
        "class Box:\n"
        '    __slots__ = ("count",)\n'
        "    count: Volatile[int]\n\n"
        f"    def run(self):\n        {REFUSED[rule]}\n"
    )
    assert rule in {finding.rule for finding in lint.check({"impl/box.py": source})}
    sound = source.replace(REFUSED[rule], "self.count = 1  # write A1")
    assert not lint.check({"impl/box.py": sound})
