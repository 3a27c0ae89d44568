"""Steps, and what a run does with an implementation that has no step for what it does."""

import sys

import pytest

from wheelproof.python import (
    Crashed,
    ExploreError,
    RuleBroken,
    Stuck,
    bisimulate,
    random_schedules,
    replay,
)
from wheelproof.python.runtime import controlled
from wheelproof.python.runtime.watchdog import Watchdog


def place(cell, text):
    """The place of a piece of the source."""
    return f"impl/cell.py:{cell.source[: cell.source.index(text)].count(chr(10)) + 1}"


def run_to_the_end(implementation, scenario):
    """Always the first enabled thread; returns the steps as 'thread.label'."""
    run, steps = implementation.begin(scenario), []
    try:
        while able := run.enabled():
            index = next(iter(able))
            steps.append(f"{run.threads[index].name}.{able[index]}")
            run.step(index)
        assert run.done
    finally:
        run.end()
    return steps


def test_a_thread_waits_in_front_of_the_operation_that_it_names(cell):
    run = cell.load().begin(cell.scenarios["two_puts"])
    assert (
        run.labels == ["P1", "P1"]
        and run.source(0) == place(cell, "# lock P1")
        and run.threads[0].kind == "lock"
    )
    run.step(0)
    assert (
        run.labels == ["P2", "P1"]
        and run.enabled() == {0: "P2"}
        and run.shared()["monitor"] == ("a", 1)
    )
    for label in ("P3", "P4", "P5"):
        run.step(0)
        assert run.labels[0] == label
    assert run.shared()["full"] is True and run.shared()["monitor"] == ("a", 1)
    run.step(0)
    assert (
        run.labels == ["Done", "P1"]
        and run.enabled() == {1: "P1"}
        and run.shared()["monitor"] == (None, 0)
    )
    run.end()


def test_every_kind_of_operation_is_a_step(cell):
    steps = run_to_the_end(
        cell.load(),
        {"item": "x", "threads": {"a": [["attempt"], ["put", "y"], ["drain"], ["claim"]]}},
    )
    taken = "G1 T1 T2 T3 T4 T5 T6 G2 P1 P2 P3 P4 P5 D1 T1 T2 T3 T4 T5 T6 D1 C1"
    assert steps == [f"a.{label}" for label in taken.split()]


def test_exercised_labels_are_collected_over_runs(cell):
    implementation = cell.load()
    run_to_the_end(implementation, cell.scenarios["alone"])
    assert {label for _, label, _ in implementation.exercised} == {
        "D1",
        "T1",
        "T2",
        "T3",
        "T4",
        "T5",
        "T6",
    }
    for name in ("refilled", "mixed"):
        graph = cell.graph(name)
        bisimulate(implementation, cell.scenarios[name], graph.rows, graph.shared_of)
    declared = {
        (file, label, kind)
        for file, lines in implementation.labels.items()
        for kinds in lines.values()
        for kind, label in kinds.items()
    }
    assert implementation.exercised == declared


def test_a_labelled_line_is_one_step_from_its_first_access(cell):
    # The operand is read before the write: a stop between the two would leave it on the stack.
    implementation = cell.planted(
        (
            "self.item = item  # write P3",
            "self.item = item if self.item is None else item  # write P3",
        )
    )
    assert run_to_the_end(implementation, {"threads": {"a": [["put", "x"]]}}) == [
        "a.P1",
        "a.P2",
        "a.P3",
        "a.P4",
        "a.P5",
    ]


def test_a_while_test_is_one_step_each_time(cell):
    steps = run_to_the_end(cell.load(), cell.scenarios["refilled"])
    assert steps[:8] == ["d.D1", "d.T1", "d.T2", "d.T3", "d.T4", "d.T5", "d.T6", "d.D1"]


RULES = {
    "label missing on a volatile write": (
        [("self.full = True  # write P4", "self.full = True")],
        "write without a label in put",
    ),
    "label missing on a volatile read": (
        [("while self.full:  # read D1", "while self.full:")],
        "read without a label in drain",
    ),
    "label missing on a plain write": (
        [("self.item = item  # write P3", "self.item = item")],
        "a plain write without a label in put",
    ),
    "label missing on an unlock": (
        [("# lock P1, unlock P5", "# lock P1")],
        "unlock without a label in put",
    ),
    "label missing on a lock": (
        [("# lock P1, unlock P5", "# unlock P5")],
        "lock without a label in put",
    ),
    "label missing on a try": ([("  # try G1", "")], "try without a label in attempt"),
    "label missing on a cas": ([("  # cas C1", "")], "cas without a label in claim"),
    "wrong kind for a write": (
        [("# write P4", "# read P4")],
        "a volatile write on the line of 'read P4'",
    ),
    "wrong kind for an update": (
        [("# update T5", "# write T5")],
        "a volatile update on the line of 'write T5'",
    ),
    "wrong kind for a lock": ([("# lock P1, unlock P5", "# write P1")], "lock without a label"),
    "a second volatile operation on the line": (
        [("self.item = item  # write P3", "self.item = self.full  # write P3")],
        "a volatile read on the line of 'write P3'",
    ),
    "a label on a line that does not perform it": (
        [
            ("self.item = item  # write P3", "self.item  # write P3"),
            ("self.full = True  # write P4", "pass"),
        ],
        "the step P3 ended without its operation",
    ),
    "a monitor released twice": (
        [
            ("self.gate = Lock()", "self.gate = Monitor()"),
            (
                "                self.take()\n            finally:",
                "                self.gate.release()  # unlock G3\n"
                "                self.take()\n"
                "            finally:",
            ),
        ],
        "releases a monitor that no thread holds",
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_each_rule_of_the_runtime_stops_its_case(cell, name):
    changes, message = RULES[name]
    scenario = {"threads": {"a": [["put", "x"], ["drain"], ["claim"], ["attempt"]]}}
    with pytest.raises(RuleBroken, match=message) as caught:
        run_to_the_end(cell.planted(*changes), scenario)
    assert caught.value.thread == "a"


def test_a_finding_does_not_unwind_the_implementation(cell):
    implementation = cell.planted(("self.full = True  # write P4", "self.full = True"))
    run = implementation.begin({"threads": {"a": [["put", "x"]]}})
    with pytest.raises(RuleBroken):
        for _ in range(5):
            run.step(0)
    assert run.harness.cell.monitor.owner is run.threads[0]
    run.end()


def test_an_unpublished_object_needs_no_labels(cell):
    implementation = cell.planted(
        ("        return self.claimed", "        Cell()\n        return self.claimed")
    )
    assert run_to_the_end(implementation, {"threads": {"a": [["claim"]]}}) == ["a.C1"]


def test_an_access_from_outside_the_implementation_is_a_finding(cell):
    text = (
        (cell.root / "harness" / "cell.py")
        .read_text()
        .replace("self.cell.claim()", "setattr_of(self.cell)")
        .replace(
            "SUBJECT",
            "from operator import methodcaller\n\nsetattr_of = methodcaller('claim')\nSUBJECT",
        )
    )
    assert run_to_the_end(
        cell.load(texts={"harness.cell": text}, lint=False), {"threads": {"a": [["claim"]]}}
    ) == ["a.C1"]
    implementation = cell.load()
    implementation._loaded.scheduler.files.pop(str(cell.root / "impl" / "cell.py"))
    with pytest.raises(RuleBroken, match="from outside the implementation"):
        run_to_the_end(implementation, {"threads": {"a": [["claim"]]}})


# -- exceptions

BOOM = ("self.item = None  # write T3", "self.item.boom = None  # write T3")


def test_an_exception_in_a_thread_is_a_finding_with_its_line(cell):
    with pytest.raises(Crashed, match=r"AttributeError: .*boom") as caught:
        run_to_the_end(cell.planted(BOOM), cell.scenarios["alone"])
    assert caught.value.thread == "a" and caught.value.where == place(cell, BOOM[0])


def test_an_exception_shows_with_its_schedule_in_every_search(cell):
    graph = cell.graph("put_and_take")
    scenario = cell.scenarios["put_and_take"]
    plain = (
        "with self.monitor:  # lock T1, unlock T6\n            if self.full:  # read T2\n",
        "if True:\n"
        "            if self.full:  # read T2\n"
        "                raise ValueError('planted')\n",
    )
    result = bisimulate(cell.planted(BOOM), scenario, graph.rows, graph.shared_of)
    assert result.outcome == "different" and "unwinding AttributeError" in str(result.difference)
    found = random_schedules(cell.planted(BOOM), scenario, schedules=50)
    assert found.outcome == "different" and found.difference.kind == "exception"
    assert replay(cell.planted(BOOM), scenario, found.schedule).end == "exception"
    assert random_schedules(
        cell.planted(plain), scenario, schedules=50
    ).difference.message.startswith("ValueError: planted (raised at impl/cell.py:")


# -- loops


def test_a_loop_without_any_access_meets_the_watchdog(cell):
    implementation = cell.planted(
        ("return self.claimed", "while True:\n            pass\n        return self.claimed")
    )
    run = None
    with (
        Watchdog(implementation.scheduler, cpu=0.3),
        pytest.raises(Stuck, match=r"a ran for .* last seen at impl/cell.py:\d+"),
    ):
        run = implementation.begin({"threads": {"a": [["claim"]]}})
    assert run is None
    assert (
        run_to_the_end(implementation, cell.scenarios["alone"])[0] == "a.D1"
    )  # the implementation can go on


def test_the_watchdog_stops_a_loop_that_catches_everything(cell):
    implementation = cell.planted(
        (
            "return self.claimed",
            "while True:\n"
            "            try:\n"
            "                sum(range(100))\n"
            "            except BaseException:\n"
            "                pass\n        return self.claimed",
        )
    )
    with Watchdog(implementation.scheduler, cpu=0.3), pytest.raises(Stuck):
        implementation.begin({"threads": {"a": [["claim"]]}})
    assert run_to_the_end(implementation, cell.scenarios["alone"])[0] == "a.D1"


def test_the_watchdog_is_silent_while_steps_are_taken(cell):
    implementation = cell.planted(
        (
            "while self.full:  # read D1\n            self.take()",
            "while self.full:  # read D1\n            sum(range(20_000))",
        )
    )
    with Watchdog(implementation.scheduler, cpu=0.3):
        run = implementation.begin(cell.scenarios["alone"])
        for _ in range(3000):
            run.step(0)
    run.end()


def test_a_stuck_thread_is_a_difference_of_the_bisimulation(cell, monkeypatch):
    monkeypatch.setattr(Watchdog.__init__, "__defaults__", (0.3, 30.0))
    implementation = cell.planted(
        (
            "self.item = None  # write T3",
            "self.item = None  # write T3\n                while True:\n                    pass",
        )
    )
    graph = cell.graph("alone")
    difference = bisimulate(
        implementation, cell.scenarios["alone"], graph.rows, graph.shared_of
    ).difference
    assert difference.kind == "watchdog" and difference.schedule[-1] == ("a", "T3")


def test_a_loop_over_unlabelled_reads_is_counted(cell):
    implementation = cell.planted(
        (
            "return self.claimed",
            "while self.item is None:\n            pass\n        return self.claimed",
        )
    )
    with pytest.raises(
        Stuck, match=f"{controlled.MAX_SILENT_ACCESSES} accesses without a labelled step"
    ):
        implementation.begin({"threads": {"a": [["claim"]]}})


def test_a_livelock_hits_the_cap_and_is_no_pass(cell):
    implementation = cell.planted(("            self.take()\n\n", "            pass\n\n"))
    result = random_schedules(implementation, cell.scenarios["alone"], schedules=2, max_steps=500)
    assert (
        result.outcome == "inconclusive"
        and result.figures["capped"] == 2
        and len(result.schedule) == 500
    )
    assert "livelock" in result.why


# -- scenarios


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ({}, "no threads"),
        ({"threads": {}}, "no threads"),
        ({"threads": {"a": [["fly"]]}}, "no operation 'fly'"),
    ],
)
def test_a_scenario_that_cannot_run_is_refused(cell, scenario, message):
    with pytest.raises(ExploreError, match=message):
        cell.load().begin(scenario)


def test_no_greenlet_survives_a_run(cell):
    run = cell.load().begin(cell.scenarios["mixed"])
    run.step(0)
    run.end()
    assert all(thread.greenlet.dead for thread in run.threads)
    assert "greenlet" in sys.modules
