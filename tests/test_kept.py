"""tools/kept.py: what a later commit lacks is named."""

import pytest

from tools import kept

BEFORE: kept.Declared = {
    "list": {
        ("property", "invariant A"): None,
        ("decision", "M1"): None,
        ("kill", "M1 by A"): None,
        ("count", "two"): 9,
    }
}


def test_nothing_is_gone_from_the_same_declarations():
    table, differences = kept.lines(BEFORE, BEFORE)
    assert (
        table == ["list: property 1 -> 1, decision 1 -> 1, kill 1 -> 1, count 1 -> 1"]
        and not differences
    )


def test_a_property_a_decision_and_a_count_that_are_gone_or_changed_are_named():
    _, differences = kept.lines(BEFORE, {"list": {("count", "two"): 8, ("decision", "M2"): None}})
    assert differences == [
        "changed: list: count two: 9 -> 8",
        "gone: list: decision M1",
        "gone: list: kill M1 by A",
        "gone: list: property invariant A",
    ]


def test_the_declarations_of_this_tree_are_read():
    files = kept.git("ls-files").splitlines()
    found = kept.declarations(files, lambda file: (kept.ROOT / file).read_text(encoding="utf-8"))
    kinds = {name: {kind for kind, _ in items} for name, items in found.items()}
    assert kinds.pop("theorems") == {"theorem", "control"} and kinds.pop("traces") == {"rule"}
    assert len(kinds) > 9
    for name, own in kinds.items():
        assert own == {"property", "decision", "kill", "count"}, name


PAGE = r"""
| theorem | says | conditions | resources |
|---|---|---:|---:|
| **T1** | a \| b | 2 | 1,000 |
| **T2** | c | 1 | 500 |

Controls:

* **T1** without_guard: as if no guard were there

| family | rule | what must hold | in a watch |
|---|---|---|---|
| rows | `Once` | it comes once | as events come |
"""


def test_theorems_controls_and_rules_are_read_from_their_pages():
    assert kept.stated(PAGE) == {
        ("theorem", "T1"): {"says": r"a \| b", "conditions": "2"},
        ("theorem", "T2"): {"says": "c", "conditions": "1"},
        ("control", "T1 without_guard"): "as if no guard were there",
        ("rule", "Once"): {"what must hold": "it comes once"},
    }


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("| **T2** | c | 1 | 500 |\n", "", "gone: page: theorem T2"),
        ("| **T2** | c | 1 |", "| **T2** | d | 1 |", "changed: page: theorem T2: "),
        ("| 2 | 1,000 |", "| 1 | 1,000 |", "changed: page: theorem T1: "),
        ("* **T1** without_guard: as if no guard were there\n", "", "gone: page: control T1 w"),
        ("`Once`", "`Twice`", "gone: page: rule Once"),
        ("it comes once", "it comes", "changed: page: rule Once: "),
        ("1,000", "2,000", ""),
    ],
)
def test_a_statement_that_is_gone_or_weaker_is_named(old, new, difference):
    assert old in PAGE
    sides = ({"page": kept.stated(page)} for page in (PAGE, PAGE.replace(old, new)))
    _, differences = kept.lines(*sides)
    assert len(differences) == bool(difference)
    assert all(line.startswith(difference) for line in differences)


def test_properties_are_read_by_kind_and_as_they_once_stood():
    now = {"invariant": {"A": "", "B": {"holds": False}}, "deadlock": {"NoDeadlock": ""}}
    once = {"A": {"kind": "invariant"}, "B": {"kind": "invariant", "holds": False}}
    assert kept.properties(now) == ["invariant A", "invariant B", "deadlock NoDeadlock"]
    assert kept.properties(once) == ["invariant A", "invariant B"]


def test_kills_are_the_mutants_that_break_a_property():
    text = """
# M1: something

```toml
[M1]
scenario = "two"
property = "A"

[M1_masked]
scenario = "one"
equivalent = "it breaks none"

[labels.X2]
kind = "read"
```
"""
    assert kept.kills(text) == ["M1 by A"]


def test_counts_and_mutants_are_read_where_they_once_stood():
    once = """
[configs.two]
generated = 9
distinct = 8
depth = 7
[configs.three]
scenario = "two"
[mutants.M1]
property = "A"
"""
    assert kept.declarations(["spec/OneList.toml"], lambda file: once) == {
        "one_list": {
            ("count", "two"): {"generated": 9, "distinct": 8, "depth": 7},
            ("kill", "M1 by A"): None,
        }
    }
