"""The search for fair cycles against the definition, on small random graphs."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.timer import MECHANISM
from wheelproof.graph import liveness
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.graph.liveness import Lasso, components, violation

STATES = 6
graphs = st.lists(
    st.tuples(
        st.integers(0, STATES - 1),
        st.integers(0, 1),
        st.sampled_from("AB"),
        st.integers(0, STATES - 1),
    ),
    max_size=12,
    unique=True,
)
goals = st.sets(st.integers(0, STATES - 1), max_size=3)
fairness = st.sampled_from([None, (0,), (1,), ()])


def violable(edges, goal, fair, recurs=False) -> bool:
    """By definition: a run from state 0 that never meets the goal and is weakly fair at its end.

    ``recurs``: it may meet the goal on the way to that part.

    That part is any set of states, all of them met for ever: one at which the run stops, or one
    that is strongly connected.
    """
    allowed = set(range(STATES)) - goal
    inside = [(s, t, a) for s, t, _, a in edges if s in allowed and a in allowed]
    reached = (
        closure({0}, [(s, t, a) for s, t, _, a in edges])
        if recurs
        else closure({0}, inside)
        if 0 in allowed
        else set()
    )
    for size in range(1, len(allowed) + 1):
        for part in map(set, combinations(allowed, size)):
            if not part & reached:
                continue
            steps = [(s, t, a) for s, t, a in inside if s in part and a in part]
            stops = size == 1
            circles = steps and all(closure({s}, steps) == part for s in part)
            for moved in [set()] * stops + [{t for _, t, _ in steps}] * bool(circles):
                disabled = {
                    t
                    for t in fair
                    if any(t not in {m for s, m, _, _ in edges if s == state} for state in part)
                }
                if set(fair) <= moved | disabled:
                    return True
    return False


def closure(start, steps):
    found = set(start)
    for _ in range(STATES):
        found |= {a for s, _, a in steps if s in found}
    return found


def is_counterexample(graph: StateGraph, lasso: Lasso, goal, fair, recurs=False) -> None:
    here, path = 0, [0]
    for thread, label, after in lasso.steps:
        assert (thread, label, after) in graph.edges[here]
        here = after
        path.append(after)
    assert not any(graph.states[n] in goal for n in (path[lasso.loop :] if recurs else path)), (
        "the goal is met"
    )
    loop = path[lasso.loop :]
    assert loop[0] == loop[-1], "it does not return"
    moved = {thread for thread, _, _ in lasso.steps[lasso.loop :]}
    for thread in fair:
        assert thread in moved or any(
            all(mover != thread for mover, _, _ in graph.edges[n]) for n in loop
        ), f"unfair to {thread}"


@given(graphs, goals, fairness)
def test_a_violation_is_found_if_and_only_if_there_is_one(toy, edges, goal, fair):
    graph = explore(toy(edges, goal=goal))
    threads = (0, 1) if fair is None else fair
    lasso = violation(graph, "Goal", fair)
    assert (lasso is not None) == violable(edges, goal, threads)
    if lasso is not None:
        is_counterexample(graph, lasso, goal, threads)


@given(graphs, goals, fairness)
def test_a_goal_that_must_recur_is_missed_if_and_only_if_some_fair_run_leaves_it_behind(
    toy, edges, goal, fair
):
    graph = explore(toy(edges, goal=goal))
    threads = (0, 1) if fair is None else fair
    lasso = violation(graph, "Goal", fair, recurs=True)
    assert (lasso is not None) == violable(edges, goal, threads, recurs=True)
    if lasso is not None:
        is_counterexample(graph, lasso, goal, threads, recurs=True)


def test_steps_after_the_goal_matter_where_it_must_recur(toy):
    graph = explore(toy([(0, 0, "A", 1), (1, 0, "A", 2), (2, 0, "A", 2)], goal=[1]))
    assert violation(graph, "Goal") is None
    assert violation(graph, "Goal", recurs=True) == Lasso(
        [(0, "A", 1), (0, "A", 2), (0, "A", 2)], 2
    )


def test_the_definition_convicts_a_search_that_takes_every_cycle_for_fair(toy, monkeypatch):
    edges, goal = [*LOOP, (1, 1, "B", 2)], {2}
    monkeypatch.setattr(liveness, "fair", lambda graph, part, threads: len(part) > 1)
    lasso = violation(explore(toy(edges, goal=goal)), "Goal")
    assert lasso is not None and not violable(edges, goal, (0, 1))
    with pytest.raises(AssertionError, match="unfair to 1"):
        is_counterexample(explore(toy(edges, goal=goal)), lasso, goal, (0, 1))


LOOP = [(0, 0, "A", 1), (1, 0, "A", 0), (0, 1, "B", 2)]


def test_a_loop_is_fair_only_to_threads_that_move_or_cannot(toy):
    assert violation(explore(toy(LOOP, goal=[2])), "Goal") is not None, (
        "b is disabled in state 1 again and again"
    )
    always = [*LOOP, (1, 1, "B", 2)]
    assert violation(explore(toy(always, goal=[2])), "Goal") is None, (
        "b can move for ever and never does"
    )
    assert violation(explore(toy(always, goal=[2])), "Goal", [0]) is not None, (
        "no fairness makes b move"
    )


def test_a_run_may_stop_where_only_the_unfair_can_move(toy):
    graph = explore(toy([(0, 0, "A", 1), (1, 1, "B", 2)], goal=[2]))
    assert violation(graph, "Goal") is None
    assert violation(graph, "Goal", [0]) == Lasso([(0, "A", 1)], 1)
    assert violation(graph, "Goal", [1]) == Lasso([], 0)


def test_steps_after_the_goal_do_not_matter(toy):
    graph = explore(toy([(0, 0, "A", 1), (1, 0, "A", 2), (2, 0, "A", 2)], goal=[1]))
    assert violation(graph, "Goal") is None
    assert violation(explore(toy([(0, 0, "A", 1)], goal=[0])), "Goal") is None


def test_the_way_to_the_loop_avoids_the_goal_even_if_it_is_longer(toy):
    edges = [(0, 0, "A", 1), (1, 0, "A", 4), (0, 0, "B", 2), (2, 0, "A", 3), (3, 0, "A", 4)]
    lasso = violation(explore(toy(edges, goal=[1])), "Goal")
    assert [label for _, label, _ in lasso.steps] == ["B", "A", "A"]


@given(graphs)
def test_components_are_the_classes_of_mutual_reachability(toy, edges):
    graph = explore(toy(edges))
    steps = [(n, t, a) for n, row in enumerate(graph.edges) for t, _, a in row]
    parts = components(graph, [True] * graph.distinct)
    assert sorted(n for part in parts for n in part) == list(range(graph.distinct))
    of = {n: i for i, part in enumerate(parts) for n in part}
    reach = [closure({n}, steps) for n in range(graph.distinct)]
    for n in range(graph.distinct):
        for m in range(graph.distinct):
            assert (of[n] == of[m]) == (m in reach[n] and n in reach[m])


@pytest.mark.parametrize(
    "scenario, fair",
    [("flush_into_itself", None), ("expire_cancel", ("f",)), ("opposite_flushes", None)],
)
def test_lassos_of_the_mechanism(scenario, fair):
    graph = explore(MECHANISM.model(scenario))
    names = list(graph.model.threads)
    threads = range(len(names)) if fair is None else [names.index(name) for name in fair]
    lasso = violation(graph, "Termination", None if fair is None else threads)
    ended = {state for state in graph.states if graph.model.holds("Termination", state)}
    is_counterexample(graph, lasso, ended, threads)


def test_a_lasso_cut_short_is_no_counterexample():
    graph = explore(MECHANISM.model("flush_into_itself"))
    lasso = violation(graph, "Termination")
    assert lasso.loop < len(lasso.steps)
    for wrong in Lasso(lasso.steps[:-1], lasso.loop), Lasso(lasso.steps, lasso.loop + 1):
        with pytest.raises(AssertionError):
            is_counterexample(graph, wrong, set(), (0, 1))
    with pytest.raises(AssertionError, match="goal"):
        is_counterexample(graph, lasso, {graph.states[lasso.steps[-1][2]]}, (0, 1))


@pytest.mark.parametrize("scenario", ["two_adders", "expire_cancel", "expire_readd"])
def test_each_fair_run_ends(scenario):
    assert violation(explore(MECHANISM.model(scenario)), "Termination") is None


def test_a_cycle_goes_to_the_state_in_which_a_thread_moves_within_it(toy):
    """Thread 1 can always move, and stays in the part in state 1 alone."""
    edges = [(0, 0, "A", 2), (0, 1, "B", 3), (2, 0, "A", 1), (2, 1, "B", 3), (1, 1, "B", 0)]
    graph = explore(toy(edges, goal={3}))
    lasso = violation(graph, "Goal", (0, 1))
    is_counterexample(graph, lasso, {3}, (0, 1))
    assert [(thread, label) for thread, label, _ in lasso.steps] == [(0, "A"), (0, "A"), (1, "B")]
