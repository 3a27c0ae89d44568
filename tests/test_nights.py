"""Cases that are left to the night stay cases: none is lost, and the chosen ones run by day."""

import pytest

from tests.nights import by_night, first, of_each_mechanism, only

pytest_plugins = "pytester"

CASES = [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("b", 5)]


def values(case):
    return case.values if hasattr(case, "marks") else case


def by_day(cases):
    return [case for case in cases if not hasattr(case, "marks")]


@pytest.mark.parametrize(
    ("chosen", "day"),
    [
        (first(CASES), CASES[:1]),
        (first(CASES, 2), CASES[:2]),
        (only(CASES, 4, "b"), CASES[2:]),
        (only(iter(CASES), ("a", 2)), CASES[1:2]),
        (of_each_mechanism(CASES), [("a", 1), ("b", 3)]),
        (of_each_mechanism(iter(CASES), 2), [CASES[place] for place in (0, 1, 2, 4)]),
    ],
)
def test_no_case_is_lost(chosen, day):
    assert [values(case) for case in chosen] == CASES
    assert by_day(chosen) == day
    assert all(
        [mark.name for mark in case.marks] == ["nightly"]
        for case in chosen
        if hasattr(case, "marks")
    )


def test_a_parameter_keeps_its_marks_and_its_name():
    case = by_night(pytest.param(1, 2, marks=pytest.mark.slow, id="x"))
    assert (case.values, case.id) == ((1, 2), "x")
    assert [mark.name for mark in case.marks] == ["slow", "nightly"]


def test_a_single_value_is_a_case():
    assert by_night("a").values == ("a",)
    assert by_day(only(["a", "ab"], "a")) == ["a"]


def test_a_parameter_is_named_by_its_id():
    chosen, other = only([pytest.param(1, id="x"), pytest.param(2, id="y")], "x")
    assert (chosen.marks, other.id) == ((), "y") and other.marks


def test_a_name_without_a_case_is_refused():
    with pytest.raises(ValueError, match="There is no case 'c'"):
        only(CASES, "a", "c")


FAMILIES = """
import pytest

@pytest.mark.daily(3)
@pytest.mark.parametrize("case", range(7))
def test_a(case): pass

@pytest.mark.daily(2)
@pytest.mark.parametrize("case", range(3))
def test_b(case): pass

def test_c(): pass
"""


@pytest.mark.parametrize(
    ("choice", "tests"),
    [
        ("not nightly", "a[0] a[3] a[6] b[0] b[2] c"),
        ("nightly", "a[1] a[2] a[4] a[5] b[1]"),
    ],
)
def test_of_a_function_every_so_many_th_case_runs_by_day(pytester, choice, tests):
    pytester.makeconftest("from tests.conftest import pytest_collection_modifyitems")
    pytester.makeini("[pytest]\nmarkers =\n    daily(n)\n    nightly")
    pytester.makepyfile(FAMILIES)
    listed = pytester.runpytest_inprocess("--collect-only", "-q", "-m", choice).outlines
    assert [line.partition("::test_")[2] for line in listed if "::" in line] == tests.split()
