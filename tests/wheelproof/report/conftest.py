"""A small run: two mechanisms, every verdict, one counterexample."""

from dataclasses import replace

import pytest

from wheelproof.verdict import Results, judge


@pytest.fixture
def good():
    """A run in which everything is in order."""
    return replace(
        Results.begin({"tlc": "2.18"}),
        run="r1",
        started="2026-01-02T03:04:05+00:00",
        complete=True,
        rows=(
            judge(
                "thing",
                "graph",
                "two",
                expected="exhaustive",
                verdict="exhaustive",
                bound="2 threads",
                seconds=1.25,
                figures={"states": 1200, "edges": 3400},
            ),
            judge(
                "thing",
                "tlc",
                "two",
                expected="exhaustive",
                verdict="exhaustive",
                bound="2 threads",
                seconds=2,
                figures={"distinct": 1200},
            ),
            judge(
                "thing",
                "mutant",
                "M1",
                expected="violated",
                verdict="violated",
                expected_property="Safe",
                property="Safe",
                trace="counterexamples/M1.json",
                figures={"depth_spec": 2, "depth_model": 2, "depth_impl": 2},
            ),
        ),
    )


@pytest.fixture
def bad(good):
    """The same with one row of each kind that is not in order."""
    return replace(
        good,
        rows=(
            *good.rows,
            judge(
                "other",
                "tlc",
                "broken",
                expected="exhaustive",
                verdict="error",
                why="TLC was killed",
            ),
            judge(
                "other",
                "bisimulation",
                "empty",
                expected="exhaustive",
                verdict="vacuous",
                why="no label ran",
            ),
            judge(
                "other",
                "random",
                "slow",
                expected="exhaustive",
                verdict="inconclusive",
                why="60 s are over",
            ),
            judge(
                "other",
                "mutant",
                "M2",
                expected="violated",
                verdict="exhaustive",
                expected_property="Safe",
            ),
            judge(
                "other",
                "tlc",
                "wrong",
                expected="violated",
                verdict="violated",
                expected_property="Safe",
                property="Other",
                trace="counterexamples/it's.json",
            ),
        ),
    )
