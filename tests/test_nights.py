"""Cases that are left to the night stay cases: none is lost, and the chosen ones run by day."""

import pytest

from tests.nights import by_night, first, of_each_mechanism, only, parsed

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
def test_of_a_function_every_so_many_th_case_runs_by_day(families, choice, tests):
    assert families("-m", choice) == tests.split()


@pytest.fixture
def families(pytester):
    """Lists the chosen tests of ``FAMILIES``."""
    pytester.makeconftest(
        "from tests.conftest import pytest_addoption, pytest_collection_modifyitems"
    )
    pytester.makeini("[pytest]\nmarkers =\n    daily(n)\n    nightly")
    pytester.makepyfile(FAMILIES)

    def listed(*options):
        lines = pytester.runpytest_inprocess("--collect-only", "-q", *options).outlines
        return [line.partition("::test_")[2] for line in lines if "::" in line]

    return listed


def test_each_case_of_the_night_runs_in_one_of_the_nights(families):
    every = families("-m", "nightly")
    shares = [families("-m", "nightly", "--night", f"{night}/2") for night in (1, 2)]
    assert sorted(case for share in shares for case in share) == every
    assert all(sum(case[0] == "a" for case in share) == 2 for share in shares)
    assert families("-m", "not nightly", "--night", "2/2") == families("-m", "not nightly")
    assert families("-m", "nightly", "--night", "1/1") == every


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/"])
def test_a_night_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="is no night of several: write 1/3, 2/3 or 3/3"):
        parsed(text)
