"""tools/kept.py: what a later commit lacks is named."""

from tools import kept

BEFORE: kept.Declared = {
    "list": {("property", "invariant A"): None, ("decision", "M1"): None, ("count", "two"): 9}
}


def test_nothing_is_gone_from_the_same_declarations():
    table, differences = kept.lines(BEFORE, BEFORE)
    assert table == ["list: property 1 -> 1, decision 1 -> 1, count 1 -> 1"] and not differences


def test_a_property_a_decision_and_a_count_that_are_gone_or_changed_are_named():
    _, differences = kept.lines(BEFORE, {"list": {("count", "two"): 8, ("decision", "M2"): None}})
    assert differences == [
        "changed: list: count two: 9 -> 8",
        "gone: list: decision M1",
        "gone: list: property invariant A",
    ]


def test_the_declarations_of_this_tree_are_read():
    files = kept.git("ls-files").splitlines()
    found = kept.declared(files, lambda file: (kept.ROOT / file).read_text(encoding="utf-8"))
    assert len(found) > 9
    for name, each in found.items():
        assert {kind for kind, _ in each} == {"property", "decision", "count"}, name
