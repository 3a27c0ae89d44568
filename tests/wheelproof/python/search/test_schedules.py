"""Replays and random schedule."""

import pytest

from wheelproof.python import (
    ExploreError,
    RaceDetector,
    bisimulate,
    random_schedules,
    replay,
)


def test_a_replay_gives_every_step_with_label_kind_source_and_variables(cell):
    run = replay(cell.load(), cell.scenarios["alone"], ["a", "a", "a", "a"])
    assert [(s.thread, s.label, s.kind) for s in run.steps] == [
        ("a", "D1", "read"),
        ("a", "T1", "lock"),
        ("a", "T2", "read"),
        ("a", "T3", "write"),
    ]
    assert all(step.source.startswith("impl/cell.py:") for step in run.steps)
    assert (
        run.initial["item"] == "x"
        and run.steps[2].shared["item"] == "x"
        and run.steps[3].shared["item"] is None
    )
    assert run.end == "running" and run.enabled == {"a": "T4"}


def test_a_replay_to_the_end(cell):
    run = replay(cell.load(), cell.scenarios["alone"], ["a"] * 8)
    assert run.end == "done" and run.enabled == {} and len(run.steps) == 8


def test_replays_are_deterministic(cell):
    found = random_schedules(
        cell.load(), cell.scenarios["mixed"], schedules=1, seed=5, max_steps=12
    ).schedule
    assert len(found) == 12
    assert replay(cell.load(), cell.scenarios["mixed"], found) == replay(
        cell.load(), cell.scenarios["mixed"], found
    )


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (["absent"], "Step 1: the scenario has no thread 'absent'"),
        (["a", "b"], "Step 2: b cannot move, it waits at P1"),
        ([("a", "P1"), ("a", "P3")], "Step 2: a would take P2, the schedule has P3"),
        (["a"] * 6, "Step 6: a cannot move, it waits at Done"),
    ],
)
def test_a_schedule_that_does_not_fit_is_refused(cell, schedule, message):
    with pytest.raises(ExploreError, match=message):
        replay(cell.load(), cell.scenarios["two_puts"], schedule)


def test_a_replay_goes_along_with_the_model(cell):
    graph = cell.graph("alone")
    implementation = cell.planted(("self.full = False  # write T4", "self.full = True  # write T4"))
    run = replay(
        implementation,
        cell.scenarios["alone"],
        ["a"] * 8,
        rows=graph.rows,
        shared_of=graph.shared_of,
    )
    assert (
        run.end == "shared" and run.difference.schedule[-1] == ("a", "T4") and len(run.steps) == 4
    )


def test_random_schedules_pass_and_are_repeatable(cell):
    graph = cell.graph("mixed")
    one, two = (
        random_schedules(
            cell.load(),
            cell.scenarios["mixed"],
            schedules=100,
            seed=1,
            rows=graph.rows,
            shared_of=graph.shared_of,
        )
        for _ in range(2)
    )
    assert one.outcome == "passed" and one.figures["schedules"] == 100 and one.difference is None
    assert one.figures["steps"] == two.figures["steps"]
    assert (
        random_schedules(cell.load(), cell.scenarios["mixed"], schedules=100, seed=2).figures[
            "steps"
        ]
        != one.figures["steps"]
    )


def test_the_steps_of_all_schedules_are_counted(cell):
    (one, three) = (
        random_schedules(cell.load(), cell.scenarios["alone"], schedules=many, seed=1)
        for many in (1, 3)
    )
    assert (one.figures["steps"], three.figures["steps"]) == (8, 24)


def test_random_schedules_in_lockstep_find_a_difference_and_its_schedule(cell):
    graph = cell.graph("refilled")
    implementation = cell.load(without="OneAttempt")
    result = random_schedules(
        implementation,
        cell.scenarios["refilled"],
        schedules=200,
        rows=graph.rows,
        shared_of=graph.shared_of,
    )
    assert result.outcome == "different"
    again = replay(
        implementation,
        cell.scenarios["refilled"],
        result.schedule,
        rows=graph.rows,
        shared_of=graph.shared_of,
    )
    assert again.difference == result.difference
    without_model = random_schedules(implementation, cell.scenarios["refilled"], schedules=200)
    assert without_model.outcome == "passed"


def test_a_deadlock_is_counted_with_its_schedule(cell):
    opposite = cell.edited(
        (
            "    def claim(self) -> bool:\n",
            "    def claim(self) -> bool:\n"
            "        with self.gate:  # lock X1, unlock X4\n"
            "            with self.monitor:  # lock X2, unlock X3\n"
            "                pass\n",
        ),
        (
            "        if self.gate.acquire(blocking=False):  # try G1\n",
            "        with self.monitor:  # lock Y1, unlock Y4\n"
            "            with self.gate:  # lock Y2, unlock Y3\n"
            "                pass\n"
            "        if self.gate.acquire(blocking=False):  # try G1\n",
        ),
    )
    implementation = cell.load(texts={"impl.cell": opposite})
    scenario = {"threads": {"a": [["claim"]], "b": [["attempt"]]}}
    result = random_schedules(implementation, scenario, schedules=100)
    assert result.figures["deadlocks"] > 0
    assert replay(implementation, scenario, result.schedule).end == "deadlock"


def test_a_budget_ends_the_schedules_inconclusively(cell):
    result = random_schedules(cell.load(), cell.scenarios["mixed"], schedules=10, budget=0.0)
    assert result.outcome == "inconclusive" and "not enough" in result.why


def test_a_coarse_schedule_has_fewer_steps_and_no_model(cell):
    fine = random_schedules(cell.load(), cell.scenarios["put_and_take"], schedules=50)
    coarse = random_schedules(
        cell.load(), cell.scenarios["put_and_take"], schedules=50, coarse=True, race=RaceDetector()
    )
    assert (
        coarse.outcome == fine.outcome == "passed"
        and coarse.figures["steps"] < fine.figures["steps"]
        and coarse.races == ()
    )
    with pytest.raises(ExploreError, match="coarse"):
        random_schedules(
            cell.load(),
            cell.scenarios["put_and_take"],
            schedules=1,
            coarse=True,
            rows=cell.graph("put_and_take").rows,
        )


def test_random_schedules_reach_nothing_that_the_bisimulation_has_not(cell):
    graph = cell.graph("mixed")
    implementation = cell.load()
    bisimulate(implementation, cell.scenarios["mixed"], graph.rows, graph.shared_of)
    before = implementation.exercised
    random_schedules(implementation, cell.scenarios["mixed"], schedules=50)
    assert implementation.exercised == before
