"""The explorer: counts as counted by hand, shortest paths, budget, digest."""

import os
import subprocess
import sys
from copy import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.timer import MECHANISM, ROOT
from wheelproof.graph.explorer import (
    BudgetSpent,
    StateGraph,
    Texts,
    explore,
    first_violation,
    hash_of,
    multiset,
    text_of,
)

edges = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 1), st.sampled_from("AB"), st.integers(0, 7)),
    max_size=20,
    unique=True,
)


@pytest.mark.parametrize("n, m", [(0, 0), (0, 3), (1, 1), (2, 3), (7, 5)])
def test_counts_of_a_grid(grid, n, m):
    graph = explore(grid(n, m))
    assert graph.distinct == (n + 1) * (m + 1)
    assert graph.edge_count == n * (m + 1) + m * (n + 1)
    assert graph.depth == n + m + 1
    assert graph.generated == 1 + graph.edge_count + 1, (
        "the initial state, every edge, Terminating once"
    )
    assert [graph.states[i] for i in graph.final] == [(n, m)] and graph.deadlocks == []
    assert graph.labels == {label for label, bound in (("N0", n), ("N1", m)) if bound}


def test_counts_of_two_processes_that_exclude_each_other():
    """Counted by hand: see the comments."""
    graph = explore(MECHANISM.model("cancel_cancel"))
    # Alone, the first canceller takes T0 C1 C2 R1 U1..U11 R1 C3 C4 T0, 19 steps; the second, once
    # the first has left the monitor, T0 C1 C2 C3 C4 T0. Until then the second can only take its T0,
    # at any time.
    first = ["T0", "C1", "C2", "R1", *(f"U{i}" for i in range(1, 12)), "R1", "C3", "C4", "T0"]
    second = ["T0", "C1", "C2", "C3", "C4", "T0"]
    for winner in 0, 1:
        state, taken = 0, []
        for thread, labels in (winner, first), (1 - winner, second):
            for label in labels:
                ((_, _, state),) = [
                    edge for edge in graph.edges[state] if edge[:2] == (thread, label)
                ]
                taken.append(label)
        assert state in graph.final and graph.depth == len(taken) + 1 == 26
    assert len(graph.final) == 1 and not graph.deadlocks


def test_every_edge_counts_once_and_as_often_as_it_is_there(toy):
    graph = explore(toy([(0, 0, "A", 1), (0, 0, "A", 1), (0, 1, "A", 1), (1, 0, "B", 1)]))
    assert (graph.distinct, graph.edge_count, graph.generated, graph.depth) == (2, 4, 5, 2)
    assert sorted(multiset(graph)) == [
        (0, 0, "A", 1),
        (0, 0, "A", 1),
        (0, 1, "A", 1),
        (1, 0, "B", 1),
    ]


def test_the_end_of_all_threads_is_no_deadlock(toy):
    steps = [(0, 0, "A", 1), (0, 1, "B", 2)]
    graph = explore(toy(steps, ends=[1]))
    assert ([graph.states[i] for i in graph.final], [graph.states[i] for i in graph.deadlocks]) == (
        [1],
        [2],
    )
    assert first_violation(graph, "NoDeadlock") == graph.deadlocks[0]
    assert first_violation(explore(toy(steps, ends=[1, 2])), "NoDeadlock") is None
    assert [edge for edge in multiset(graph) if edge[1] is None] == [(1, None, "Terminating", 1)]


@given(edges)
def test_paths_are_the_shortest(toy, steps):
    graph = explore(toy(steps))
    distance = {0: 0}
    for _ in range(8):  # Bellman and Ford: no search of the kind that is under test
        for state, _, _, after in steps:
            if state in distance:
                distance[after] = min(distance.get(after, 99), distance[state] + 1)
    assert {graph.states[i]: graph.levels[i] - 1 for i in range(graph.distinct)} == distance
    assert graph.depth == max(distance.values()) + 1
    for i, state in enumerate(graph.states):
        path, here = graph.path(i), 0
        assert len(path) == distance[state]
        for thread, label, after in path:
            assert (thread, label, after) in graph.edges[here]
            here = after
        assert here == i


@given(edges, st.sets(st.integers(0, 7)))
def test_the_first_violation_is_a_nearest_one(toy, steps, goal):
    graph = explore(toy(steps, goal=goal))
    found = first_violation(graph, "Goal")
    bad = [i for i, state in enumerate(graph.states) if state not in goal]
    assert (found is None) == (not bad)
    if bad:
        assert found in bad and graph.levels[found] == min(graph.levels[i] for i in bad)


def test_a_property_of_the_shared_variables_is_evaluated_on_each_value_of_theirs():
    """A memory per value must not lose a violation: the depth is that of a run without it."""
    model = MECHANISM.without("M19").model("remove_cancel")
    graph = explore(model)
    found = first_violation(graph, "CounterExact")
    slow = [i for i, state in enumerate(graph.states) if not model.holds("CounterExact", state)]
    assert slow and found == slow[0] and graph.levels[found] == min(graph.levels[i] for i in slow)


@pytest.mark.parametrize("bound, n", [(10, 4), (10, 200), (5_000, 100)])
def test_a_spent_budget_is_no_graph(grid, bound, n):
    with pytest.raises(BudgetSpent, match=f"{bound:,} states"):
        explore(grid(n, n), bound=bound)
    explore(grid(n, n), bound=(n + 1) ** 2)


def changed(graph: StateGraph, **parts) -> StateGraph:
    other = copy(graph)
    vars(other).update(parts)
    return other


def test_the_digest_does_not_depend_on_the_order(grid):
    one, two = explore(grid(4, 5)), explore(grid(4, 5, backwards=True))
    assert one.states != two.states
    assert one.digest() == two.digest()


@pytest.mark.parametrize(
    "name",
    [
        "an edge less",
        "an edge twice",
        "another label",
        "another thread",
        "another target",
        "another state",
        "another initial state",
    ],
)
def test_the_digest_shows_any_change(grid, name):
    graph = explore(grid(2, 2))
    row = graph.edges[3]
    (thread, label, target), *rest = row
    if name == "another state":
        other = changed(graph, states=[*graph.states[:-1], (9, 9)])
    elif name == "another initial state":
        graph = StateGraph(None)
        graph.states, graph.edges = [0, 1], [[(0, "A", 1)], [(0, "A", 0)]]
        other = changed(graph, states=[1, 0])
    else:
        new = {
            "an edge less": rest,
            "an edge twice": [*row, row[0]],
            "another label": [(thread, "N9", target), *rest],
            "another thread": [(1 - thread, label, target), *rest],
            "another target": [(thread, label, 0), *rest],
        }[name]
        other = changed(graph, edges=[*graph.edges[:3], new, *graph.edges[4:]])
    assert other.digest() != graph.digest()
    assert changed(graph).digest() == graph.digest()


def test_the_hash_of_a_state_does_not_depend_on_the_order_of_its_sets():
    """Python's own order of a set of strings is another in every run."""
    code = (
        "from wheelproof.graph.explorer import hash_of; print(hash_of((frozenset('abcdefgh'), 1)))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(3)
    }
    assert len(seen) == 1
    assert hash_of((frozenset("ab"), 1)) != hash_of((frozenset("ac"), 1)) and hash_of(
        (("a",), 1)
    ) != hash_of((frozenset("a"), 1))


def test_one_state_alone_has_a_digest_of_its_own(grid):
    assert explore(grid(0, 0)).digest() != explore(grid(0, 0, 0)).digest()


def test_the_hash_of_a_state_is_the_same_beside_others():
    """The texts of its parts are kept for the next state."""
    states = [
        ((shared, frozenset("ab")), (("A1", one), ("A2", two)))
        for shared in range(2)
        for one in range(2)
        for two in range(2)
    ]
    texts = Texts()
    assert [hash_of(state, texts) for state in states] == [hash_of(state) for state in states]
    assert [texts.whole(state) for state in states] == [text_of(state) for state in states]


def test_equal_values_of_variables_and_threads_have_texts_of_their_own():
    texts = Texts()
    assert texts.whole(((1,), ((True,),))) == text_of(((1,), ((True,),)))
