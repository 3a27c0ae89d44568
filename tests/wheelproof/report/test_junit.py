"""JUnit XML: the structure that CI reads, counts that add up, and no false green."""

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from xml.etree import ElementTree

import pytest

from wheelproof import project
from wheelproof.report import junit
from wheelproof.verdict import judge

BUILD = Path("build")
NOTHING = MappingProxyType({})
WRONG = "counterexamples/it's.json"
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"classname", "name", "time", "file", "line"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "testcase": {"properties", "failure", "error"},
    "properties": {"property"},
    "property": set(),
    "failure": set(),
    "error": set(),
}


def parsed(results, mechanisms=NOTHING, found=NOTHING, folder=BUILD):
    text = junit.render(results, mechanisms, found, folder, BUILD)
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        missing = ATTRIBUTES.get(element.tag, set()) ^ set(element.keys())
        assert not missing or (element.tag == "testcase" and missing == {"file", "line"})
        assert {child.tag for child in element} <= CHILDREN[element.tag]
    for suite in root:
        for tag, name in (
            ("testcase", "tests"),
            ("testcase/failure", "failures"),
            ("testcase/error", "errors"),
        ):
            assert int(suite.get(name)) == len(suite.findall(tag))
    for name in ("tests", "failures", "errors"):
        assert int(root.get(name)) == sum(int(suite.get(name)) for suite in root)
    return root


def test_a_good_run_has_a_case_for_each_row_and_no_failure(good):
    root = parsed(good)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "0", "0")
    assert [suite.get("name") for suite in root] == ["thing.tlc", "thing.graph", "thing.mutant"]
    case = root.find("testsuite[@name='thing.graph']/testcase")
    assert (case.get("classname"), case.get("name"), case.get("time")) == (
        "thing.graph",
        "two",
        "1.250",
    )
    properties = {item.get("name"): item.get("value") for item in case.iter("property")}
    assert properties == {
        "verdict": "exhaustive",
        "expected": "exhaustive",
        "bound": "2 threads",
        "states": "1200",
        "edges": "3400",
    }
    assert root[0].get("timestamp") == "2026-01-02T03:04:05"


def test_each_row_that_is_not_in_order_fails(bad):
    root = parsed(bad)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "4", "1")
    assert root.find(".//testcase[@name='broken']/error").get("type") == "error"
    assert {item.get("type") for item in root.iter("failure")} == {
        "vacuous",
        "inconclusive",
        "exhaustive",
        "violated",
    }
    assert root.find(".//testcase[@name='wrong']/failure").text.splitlines() == [
        "expected a violation of Safe, got one of Other",
        """show:   wheelproof show 'build/counterexamples/it'"'"'s.json'""",
        """replay: wheelproof replay 'build/counterexamples/it'"'"'s.json'""",
    ]


def test_nothing_checked_and_a_broken_run_are_errors(good):
    assert parsed(replace(good, rows=(), complete=True)).get("errors") == "1"
    partial = parsed(replace(good, complete=False))
    assert (partial.get("tests"), partial.get("errors")) == ("4", "1")


@pytest.mark.parametrize("hostile", ["\x00\x1b[0m", "<&>\"']]>", "\ud800\uffff", "\n"])
def test_any_text_gives_well_formed_xml(good, hostile):
    row = judge(
        hostile,
        hostile,
        hostile,
        expected="proved",
        verdict="error",
        why=hostile or "why",
        trace=hostile,
    )
    parsed(replace(good, rows=(row,), tools={hostile: hostile}))


def test_it_is_the_same_text_for_the_same_results(bad):
    first, second = (
        junit.render(each, NOTHING, NOTHING, BUILD, BUILD) for each in (bad, replace(bad))
    )
    assert first == second


def places(root):
    return {
        (case.get("classname"), case.get("name")): (case.get("file"), case.get("line"))
        for case in root.iter("testcase")
    }


def test_a_case_is_at_the_last_line_of_its_counterexample(bad, trace):
    last = [step.source for step in trace.steps if step.source][-1]
    found = places(parsed(bad, found={WRONG: trace}))
    assert found.pop(("other.tlc", "wrong")) == tuple(last.split(":"))
    assert set(found.values()) == {(None, None)}, "no other row has a trace or a declaration"
    without = replace(trace, steps=tuple(replace(step, source=None) for step in trace.steps))
    assert set(places(parsed(bad, found={WRONG: without})).values()) == {(None, None)}


def test_a_case_without_a_line_is_where_its_check_is_declared(bad, subject_folder):
    """The mechanism ``other`` is declared nowhere, the mutant M1 not in the TOML."""
    lines = (subject_folder / "spec" / "Thing.toml").read_text().splitlines()
    declared = "spec/Thing.toml", str(lines.index("[scenarios.two]") + 1)
    found = places(parsed(bad, project.find(subject_folder), folder=subject_folder))
    assert found["thing.graph", "two"] == found["thing.tlc", "two"] == declared
    assert found["thing.mutant", "M1"] == ("spec/Thing.toml", "1")
    assert found["other.tlc", "broken"] == (None, None)


def test_a_table_is_no_property(good):
    """The labels by scenario are for the page: a table would be Python in the view of a CI."""
    row = replace(good.rows[0], figures={"declared": 2, "scenarios": {"two": "A1, A2"}})
    names = {item.get("name") for item in parsed(replace(good, rows=(row,))).iter("property")}
    assert "declared" in names and "scenarios" not in names
