"""Cases that are left to the night stay cases: none is lost, and the chosen ones run by day."""

import pytest

from tests.nights import by_night, every, first, of_each_mechanism, only

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
        (every(CASES, 2), CASES[::2]),
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
