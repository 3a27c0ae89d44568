"""Results kept by content: each belongs to one text, and callers may change what they get."""

import pytest

from wheelproof.python import labels, parsed
from wheelproof.python.style import lint
from wheelproof.python.style.branches import NAME, Branches

TEXT = "def f(x):\n    if x:\n        return 1\n    return 2\n"
LABELLED = "self.list = None  # write U8\n"


def test_one_text_has_one_tree_and_another_text_another():
    assert parsed.tree(TEXT) is parsed.tree(TEXT)
    assert parsed.tree(TEXT) is not parsed.tree(TEXT + "\n")


def test_labels_that_a_caller_changes_stay_its_own():
    read = labels.of_source(LABELLED, "a.py")
    read[1]["write"] = "U9"
    read[2] = {}
    assert labels.of_source(LABELLED, "a.py") == {1: {"write": "U8"}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TABLE = {'a': 1}", {"a": 1}),
        ("TABLE: dict = {'a': 1}", {"a": 1}),
        ("X = TABLE = 2", 2),
        ("TABLE: dict", "absent"),
        ("TABLE = f()", None),
        ("OTHER = 1", "absent"),
        ("def f():\n    TABLE = 1", "absent"),
    ],
)
@pytest.mark.parametrize("head", ["", '"""A docstring."""\nimport os\nclass C:\n    TABLE = 5\n'])
def test_a_constant_is_read_from_the_text_of_a_module(head, text, value):
    assert parsed.literal(head + text, "TABLE", "absent", "a.py") == value


def test_findings_follow_the_text_and_the_slots_beside_it():
    hidden = "def f(x):\n    x.slot = 1\n"
    assert [found.rule for found in lint.check({"a.py": hidden})] == ["hidden-state"]
    assert lint.check({"a.py": hidden}, ["slot"]) == []
    assert [found.rule for found in lint.check({"a.py": hidden})] == ["hidden-state"]


def run(branches: Branches, text: str, argument: object) -> set[str]:
    space: dict = {NAME: branches.note}
    exec(branches.compile_file("impl.m", text, "m.py"), space)
    space["f"](argument)
    return branches.collect()


def test_branches_that_one_load_meets_are_met_there_alone():
    one, other = Branches(), Branches()
    assert run(one, TEXT, True) == {"impl.m: f is called", "impl.m: f: x is true"}
    assert run(other, TEXT, False) == {"impl.m: f is called", "impl.m: f: x is false"}
    assert one.declared == other.declared


def test_branches_of_a_changed_text_are_its_own():
    changed = Branches()
    assert run(changed, TEXT.replace("if x", "if not x"), True) == {
        "impl.m: f is called",
        "impl.m: f: not x is false",
    }
