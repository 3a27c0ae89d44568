"""Bisimulation of mutants, and properties on the graph of pairs."""

import pytest

from wheelproof.python import (
    ExploreError,
    bisimulate,
    replay,
)


def search(implementation, cell, scenario, **options):
    graph = cell.graph(scenario)
    return bisimulate(
        implementation, cell.scenarios[scenario], graph.rows, graph.shared_of, **options
    )


def consistent(graph):
    """Where no thread is in the monitor, there is an item if and only if the cell is full."""

    def holds(index):
        item, full, *_ = graph.states[index][0]
        inside = any(
            thread[1] not in ("P1", "T1", "D1", "Done", "C1", "G1", "G2")
            for thread in graph.states[index][1]
        )
        return inside or (item is not None) == full

    return holds


def depth_in_model(graph, holds):
    layer, seen, depth = {0}, {0}, 0
    while layer:
        if any(not holds(i) for i in layer):
            return depth
        layer = {target for i in layer for _, target in graph.rows[i].values()} - seen
        seen |= layer
        depth += 1
    return None


@pytest.mark.parametrize(
    ("decision", "scenario"), [("Unlocked", "put_and_take"), ("OneAttempt", "refilled")]
)
def test_a_mutant_is_its_mutated_model_and_not_the_unmutated_one(cell, decision, scenario):
    implementation = cell.load(without=decision)
    mutated = cell.graph(scenario, decision)
    result = bisimulate(implementation, cell.scenarios[scenario], mutated.rows, mutated.shared_of)
    assert result.outcome == "equal" and result.figures["compared_edges"] == mutated.edges
    assert search(implementation, cell, scenario).outcome == "different"


def test_a_property_fails_in_the_implementation_at_the_depth_at_which_it_fails_in_the_model(cell):
    mutated = cell.graph("put_and_take", "Unlocked")
    pairs = bisimulate(
        cell.load(without="Unlocked"),
        cell.scenarios["put_and_take"],
        mutated.rows,
        mutated.shared_of,
    ).graph
    violation = pairs.first_violation(consistent(mutated))
    assert violation is not None and violation.depth == depth_in_model(
        mutated, consistent(mutated)
    ) == len(violation.schedule)
    run = replay(cell.load(without="Unlocked"), cell.scenarios["put_and_take"], violation.schedule)
    last = run.steps[-1].shared
    assert (last["item"] is not None) != last["full"]
    sound = cell.graph("put_and_take")
    assert (
        search(cell.load(), cell, "put_and_take").graph.first_violation(consistent(sound)) is None
    )


def test_the_first_deadlock_is_found(cell):
    rows = [
        {0: ("L1", 1), 1: ("L1", 2)},
        {0: ("L2", 3), 1: ("L1", 4)},
        {0: ("L1", 4), 1: ("L2", 3)},
        {},
        {},
    ]
    from wheelproof.python import PairGraph

    graph = PairGraph(["a", "b"], rows)
    for state, done in ((0, False), (1, False), (2, False), (3, True), (4, False)):
        graph.of_node.append([])
        graph.add(state, state, None if not state else (0, 0), done)
    for state, row in enumerate(rows):
        graph.successors[state] = {thread: target for thread, (_, target) in row.items()}
    violation = graph.first_deadlock()
    assert (violation.model_state, violation.depth, violation.schedule) == (
        4,
        2,
        (("a", "L1"), ("b", "L1")),
    )


def test_no_deadlock_where_all_threads_end(cell):
    assert search(cell.load(), cell, "mixed").graph.first_deadlock() is None


def test_a_deadlock_of_the_implementation_alone_is_a_difference(cell):
    text = cell.edited(
        ("self.monitor = Monitor()", "self.monitor = Lock()"),
        (
            "            if self.full:  # read T2\n",
            "            self.drain()\n            if self.full:  # read T2\n",
        ),
    )
    result = search(cell.load(texts={"impl.cell": text}), cell, "alone")
    assert result.difference.kind == "label"
    with pytest.raises(ExploreError, match="cannot move, it waits at T1"):
        replay(cell.load(texts={"impl.cell": text}), cell.scenarios["alone"], ["a"] * 4)
    assert (
        replay(cell.load(texts={"impl.cell": text}), cell.scenarios["alone"], ["a"] * 3).end
        == "deadlock"
    )
