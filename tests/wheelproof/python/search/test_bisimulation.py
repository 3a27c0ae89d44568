"""The bisimulation accepts the implementation and rejects each planted defect."""

import pytest

from wheelproof.python import (
    ExploreError,
    StyleError,
    bisimulate,
    replay,
)

DRAIN = "        while self.full:  # read D1\n            self.take()\n"


def search(implementation, cell, scenario, **options):
    graph = cell.graph(scenario)
    return bisimulate(
        implementation, cell.scenarios[scenario], graph.rows, graph.shared_of, **options
    )


@pytest.mark.parametrize(
    ("scenario", "states", "edges"),
    [
        ("refilled", 206, 254),
        ("mixed", 368, 782),
        ("two_puts", 17, 16),
        ("put_and_take", 64, 66),
        ("alone", 9, 8),
    ],
)
@pytest.mark.parametrize("audit", [False, True])
def test_the_implementation_is_its_model(cell, scenario, states, edges, audit):
    result = search(cell.load(), cell, scenario, audit=audit)
    graph = cell.graph(scenario)
    figures = result.figures
    assert result.outcome == "equal" and result.difference is None and result.uncovered == ()
    assert (figures["model_states"], figures["model_edges"]) == (len(graph.rows), graph.edges)
    assert figures["compared_edges"] == graph.edges
    assert (figures["impl_states"], figures["impl_edges"]) == (states, edges)
    assert figures["pairs"] == len(result.graph) and figures["pair_edges"] == result.graph.edges


def test_every_implementation_state_is_paired_with_a_model_state(cell):
    graph = search(cell.load(), cell, "mixed").graph
    assert all(graph.of_node) and sum(map(len, graph.of_node)) == len(graph)
    rows = cell.graph("mixed").rows
    for pair, successors in enumerate(graph.successors):
        assert set(successors) == set(rows[graph.model_states[pair]])


GIVES_UP = {
    "a count in a local": (
        "        rounds = 0\n"
        "        while rounds < 3:\n"
        "            rounds += 1\n"
        "            if not self.full:  # read D1\n"
        "                return\n"
        "            self.take()\n"
    ),
    "a count in a for over range": (
        "        for i in range(3):\n"
        "            if not self.full:  # read D1\n"
        "                return\n"
        "            self.take()\n"
    ),
    "a count in a closure": (
        "        rounds = 0\n\n"
        "        def more():\n"
        "            nonlocal rounds\n"
        "            rounds += 1\n"
        "            return rounds < 4\n\n"
        "        while more():\n"
        "            if not self.full:  # read D1\n"
        "                return\n"
        "            self.take()\n"
    ),
}
DEFECTS = {
    **{
        f"drain gives up after 3: {name}": ([(DRAIN, text)], "refilled", {"enabled", "label"})
        for name, text in GIVES_UP.items()
    },
    "drain makes one attempt": (
        [(DRAIN, "        if self.full:  # read D1\n            self.take()\n")],
        "refilled",
        {"enabled"},
    ),
    "a stale local over the retry": (
        [
            (
                DRAIN,
                "        seen = False\n"
                "        while seen or self.full:  # read D1\n"
                "            seen = True\n"
                "            self.take()\n",
            )
        ],
        "alone",
        {"rule", "enabled", "label"},
    ),
    "a counter in a slot": (
        [
            ('"taken", "claimed")', '"taken", "claimed", "rounds")'),
            (
                "        self.item = None\n        self.full = False\n",
                "        self.item = None\n        self.full = False\n        self.rounds = 0\n",
            ),
            (
                DRAIN,
                "        while self.rounds < 3:\n"
                "            self.rounds += 1\n"
                "            if not self.full:  # read D1\n"
                "                return\n"
                "            self.take()\n",
            ),
        ],
        "refilled",
        {"enabled", "label"},
    ),
    "labels swapped": (
        [
            ("self.item = item  # write P3", "self.item = item  # write P9"),
            ("self.full = True  # write P4", "self.full = True  # write P3"),
            ("P9", "P4"),
        ],
        "two_puts",
        {"label"},
    ),
    "statements swapped, labels kept": (
        [
            ("self.item = item  # write P3", "self.full = True  # write P3"),
            (
                "                self.full = True  # write P4",
                "                self.item = item  # write P4",
            ),
        ],
        "two_puts",
        {"shared"},
    ),
    "label missing on a volatile write": ([("  # write P4", "")], "two_puts", {"rule"}),
    "label missing on a plain write": ([("  # write P3", "")], "two_puts", {"rule"}),
    "label missing on an unlock": ([(", unlock T6", "")], "alone", {"rule"}),
    "wrong kind": ([("# write P4", "# read P4")], "two_puts", {"rule"}),
    "two volatile operations on a line": (
        [("if self.full:  # read T2", "if self.full and self.full:  # read T2")],
        "alone",
        {"label"},
    ),
    "a label that the model does not have": ([("# read D1", "# read D9")], "alone", {"label"}),
    "a counter outside the lock": (
        [
            (
                "                self.taken.add_and_get(1)  # update T5\n",
                "                done = True\n"
                "            else:\n"
                "                done = False\n"
                "        if done:\n"
                "            self.taken.add_and_get(1)  # update T5\n",
            )
        ],
        "alone",
        {"label"},
    ),
    "a wrong value": (
        [("self.item = item  # write P3", "self.item = 'other'  # write P3")],
        "two_puts",
        {"shared"},
    ),
    "a test left out": (
        [
            (
                "            if not self.full:  # read P2\n"
                "                self.item = item  # write P3\n"
                "                self.full = True  # write P4",
                "            self.full  # read P2\n"
                "            self.item = item  # write P3\n"
                "            self.full = True  # write P4",
            )
        ],
        "put_and_take",
        {"label"},
    ),
    "a deadlock": (
        [
            (
                "    def claim(self) -> bool:\n",
                "    def claim(self) -> bool:\n"
                "        with self.gate:  # lock X1, unlock X2\n"
                "            with self.gate:  # lock X3, unlock X4\n"
                "                pass\n",
            )
        ],
        "mixed",
        {"label"},
    ),
    "an unnamed value in a local": (
        [
            (
                DRAIN,
                "        values = iter((1, 2, 3))\n"
                "        while self.full and next(values):  # read D1\n"
                "            self.take()\n",
            )
        ],
        "alone",
        {"unnamed"},
    ),
    "an exception outside any lock": (
        [(DRAIN, "        while self.full:  # read D1\n            raise ValueError('planted')\n")],
        "alone",
        {"exception"},
    ),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_each_defect_is_rejected_with_a_schedule_that_replays(cell, name):
    changes, scenario, kinds = DEFECTS[name]
    implementation = cell.planted(*changes)
    graph = cell.graph(scenario)
    result = search(implementation, cell, scenario)
    assert result.outcome == "different"
    difference = result.difference
    assert difference.kind in kinds, str(difference)
    assert difference.message and result.figures["impl_edges"] < 2000
    again = replay(
        implementation,
        cell.scenarios[scenario],
        difference.threads,
        rows=graph.rows,
        shared_of=graph.shared_of,
    )
    if difference.kind == "unnamed":
        return  # seen by the fingerprint alone
    assert again.difference is not None and again.difference.kind == difference.kind
    assert again.difference.schedule == difference.schedule
    assert (again.difference.implementation, again.difference.model) == (
        difference.implementation,
        difference.model,
    )


def test_where_the_initial_states_are_no_pair_nothing_is_violated(cell):
    changes, scenario, _ = DEFECTS["an unnamed value in a local"]
    graph = search(cell.planted(*changes), cell, scenario).graph
    assert len(graph) == 0
    assert graph.first_deadlock() is None and graph.first_violation(lambda state: False) is None


def test_a_defect_survives_where_the_scenario_does_not_reach_it(cell):
    # No thread puts: one attempt is enough. So every control names its scenario.
    implementation = cell.planted((DRAIN, GIVES_UP["a count in a local"]))
    assert search(implementation, cell, "alone").outcome == "equal"


def test_a_hidden_iterator_evades_the_fingerprint_and_not_the_linter(cell):
    text = cell.edited(
        (
            DRAIN,
            "        for _ in 'abc':\n"
            "            if not self.full:  # read D1\n"
            "                return\n"
            "            self.take()\n",
        )
    )
    with pytest.raises(StyleError, match="iterator hides"):
        cell.load(texts={"impl.cell": text})


def test_hidden_state_is_noticed_by_a_replay_that_ends_elsewhere(cell, monkeypatch):
    monkeypatch.setenv("CALLS", "0")
    changes = (
        ("class Cell:", "import os\n\n\nclass Cell:"),
        (
            "        with self.monitor:  # lock P1",
            "        os.environ['CALLS'] = str((int(os.environ['CALLS']) + 1) % 40)\n"
            "        if os.environ['CALLS'] == '0':\n"
            "            return\n"
            "        with self.monitor:  # lock P1",
        ),
    )
    difference = search(cell.planted(*changes), cell, "mixed").difference
    assert difference.kind in {"hidden", "enabled", "label"}
    with pytest.raises(StyleError, match="os is out of the scheduler's control"):
        cell.planted(*changes, lint=True)


def test_messages_name_thread_label_and_both_values(cell):
    difference = search(
        cell.planted(("self.item = item  # write P3", "self.item = 'other'  # write P3")),
        cell,
        "two_puts",
    ).difference
    assert difference.schedule[-1][1] == "P3" and difference.source.startswith("impl/cell.py:")
    assert difference.implementation == {"item": "other"} and difference.model["item"] in {"x", "y"}
    assert (
        "item is 'other'" in str(difference)
        and "in the model" in str(difference)
        and ".P3 (impl/cell.py:" in str(difference)
    )
    label = search(cell.planted(("# read D1", "# read D9")), cell, "alone").difference
    assert str(label) == "at the start: a takes D9 next, D1 in the model"


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ('"colour": 1, "item": cell.item,', "has besides colour"),
        ("", "leaves out item"),
        ('"colour": 1,', "leaves out item and has besides colour"),
    ],
)
def test_a_harness_gives_exactly_the_variables_of_the_model(cell, given, fault):
    harness = (cell.root / "harness" / "cell.py").read_text()
    assert harness.count('"item": cell.item,') == 1
    implementation = cell.load(texts={"harness.cell": harness.replace('"item": cell.item,', given)})
    with pytest.raises(ExploreError, match=rf"shared\(\) {fault}\."):
        search(implementation, cell, "alone")


def test_a_model_with_more_behaviour_is_not_covered_or_differs(cell):
    graph = cell.graph("two_puts")
    rows = [dict(row) for row in graph.rows] + [{}]
    rows[3] = {**rows[3], 1: ("Q1", len(rows) - 1)}
    assert (
        bisimulate(cell.load(), cell.scenarios["two_puts"], rows, graph.shared_of).outcome
        == "different"
    )
    unreached = [*graph.rows, {0: ("P1", 0)}]
    result = bisimulate(cell.load(), cell.scenarios["two_puts"], unreached, graph.shared_of)
    assert result.outcome == "equal" and result.uncovered == ((len(graph.rows), 0),)
    assert result.figures["compared_edges"] == result.figures["model_edges"] - 1


def test_a_budget_that_is_used_up_is_inconclusive(cell):
    result = search(cell.load(), cell, "mixed", budget=0.0)
    assert (
        result.outcome == "inconclusive"
        and "CPU seconds were not enough" in result.why
        and result.uncovered == ()
    )


def test_progress_is_reported(cell, monkeypatch):
    monkeypatch.setattr("wheelproof.python.search.search.PROGRESS_EVERY", 0.0)
    seen = []
    search(cell.load(), cell, "mixed", progress=lambda figures: seen.append(figures["impl_edges"]))
    assert len(seen) > 3 and seen == sorted(seen)
