"""A small run: two mechanisms, every verdict, one counterexample."""

from dataclasses import replace

import pytest

from wheelproof.verdict import Results, judge

<<<<<<< HEAD
=======
TOML = """
[mechanism]
module = "Thing"
title = "A thing"

[properties.invariant]
Safe = "nothing | bad"
NotSo = { holds = false, says = "false in fact" }

[labels]
A1 = { kind = "lock" }
A2 = { kind = "unlock" }

[scenarios.two]
about = "two threads"
threads = { a = [["go"]], b = [["go"]] }

[configs.two]
[configs.two_more]
scenario = "two"
"""

DECISION = """# {name}: {title}

```diff
@@ impl go
-    pass
+    return
```
"""

MUTANT = """
```toml
[M1]
race = "both are inside"
scenario = "two"
property = "Safe"
```
"""


@pytest.fixture
def subject_folder(tmp_path):
    (tmp_path / "subject" / "spec").mkdir(parents=True)
    (tmp_path / "subject" / "spec" / "Thing.toml").write_text(TOML)
    decisions = tmp_path / "subject" / "mutants" / "thing"
    decisions.mkdir(parents=True)
    (decisions / "M1.md").write_text(
        DECISION.format(name="M1", title="the thing is not locked") + MUTANT
    )
    (decisions / "M2.md").write_text(DECISION.format(name="M2", title="no check takes this away"))
    (tmp_path / "subject" / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    (tmp_path / "subject" / "impl").mkdir()
    (tmp_path / "subject" / "impl" / "thing.py").write_text(
        "def go(lock):\n    with lock:  # lock A1, unlock A2\n        pass\n"
    )
    return tmp_path / "subject"


@pytest.fixture
def trace():
    return Counterexample(
        "thing",
        "mutant",
        "M1",
        "two",
        "Safe",
        "both are inside",
        ("a", "b", "idle"),
        {"inside": "{}", "other": "0"},
        (
            Step("a", "A1", "lock", "impl/thing.py:2", {"inside": ("{}", "{a}")}),
            Step("b", "A1", "lock", "impl/thing.py:2", {"inside": ("{a}", "{a, b}")}),
        ),
        model_without="M1",
        impl_without="M1",
    )

>>>>>>> 80761a0 (Write the TOML files in short forms, by groups and kinds)

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
