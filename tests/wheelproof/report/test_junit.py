"""JUnit XML: the structure that CI reads, counts that add up, and no false green."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from wheelproof.report import junit
from wheelproof.verdict import judge

BUILD = Path("build")
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"classname", "name", "time"},
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


def parsed(results):
    root = ElementTree.fromstring(junit.render(results, BUILD).encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.keys()) == ATTRIBUTES.get(element.tag, set()), element.tag
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
    assert junit.render(bad, BUILD) == junit.render(replace(bad), BUILD)
