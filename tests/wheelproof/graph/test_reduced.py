"""Silent labels: what may be run eagerly, and that nothing visible is lost by it."""

import pytest

from model.pluscal import BLOCKED, DONE, Machine, Scalar
from tests.model.timer import MECHANISM, model_graph
from tests.nights import only
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import explore
from wheelproof.graph.reduced import open_diamond, reduce, rows, settle

SCENARIOS = (
    "two_adders",
    "expire_readd",
    "flush_then_expire",
    "opposite_flushes",
    "flush_into_itself",
)
BY_DAY = "two_adders", "flush_into_itself"


class Toy(Machine):
    """Q1 is private, then Q2 writes x; P1 is what the test makes of it."""

    x = Scalar("x")

    def __init__(self):
        super().__init__(("p", "q"), {"seen": None}, start="X0")
        self.scalar("x", 0)
        self.begin()

    def X0(self, t):
        t.pc = "P1" if self.me == "p" else "Q1"

    def Q1(self, t):
        t.pc = "Q2"

    def Q2(self, t):
        self.x = 1
        t.pc = DONE

    def P1(self, t):
        t.pc = "P2"

    def P2(self, t):
        t.pc = DONE


class Reading(Toy):
    """P1 reads what Q2 writes: who comes first shows."""

    def P1(self, t):
        t.seen = self.x
        t.pc = "P2"


class Writing(Toy):
    def P1(self, t):
        self.x = 2
        t.pc = "P2"


class Awaiting(Toy):
    """Another thread's step enables P1; where both can move they commute."""

    def P1(self, t):
        if not self.x:
            return BLOCKED
        t.pc = "P2"
        return None


class Disabling(Toy):
    """Q2 takes P1's guard away: where both can move, P1 cannot move after Q2."""

    def P1(self, t):
        if self.x:
            return BLOCKED
        t.pc = "P2"
        return None


def test_private_steps_commute():
    assert open_diamond(explore(Toy()), frozenset({"X0", "P1", "Q1"})) is None


@pytest.mark.parametrize("machine", [Reading, Writing, Disabling])
def test_a_silent_step_that_touches_shared_variables_is_caught(machine):
    found = open_diamond(explore(machine()), frozenset({"X0", "P1", "Q1"}))
    assert found is not None and {found.silent, found.other} == {"P1", "Q2"}


def test_a_step_that_is_enabled_by_another_still_commutes_where_both_can_move():
    graph = explore(Awaiting())
    assert open_diamond(graph, frozenset({"P1"})) is None
    assert not graph.deadlocks and "P1" in graph.labels


@pytest.mark.parametrize("scenario", only(SCENARIOS, *BY_DAY))
def test_the_silent_labels_of_the_mechanism_commute(scenario):
    assert open_diamond(model_graph(scenario), MECHANISM.silent) is None


@pytest.mark.parametrize("label", ["R1", "K1"])
def test_a_read_without_a_lock_is_not_silent(label):
    """Each changes its own thread's variables alone; the other thread's steps show all the same."""
    assert open_diamond(model_graph("expire_readd"), MECHANISM.silent | {label}).silent == label


@pytest.mark.parametrize("label", ["A3", "U3", "C2", "S2", "F2"])
def test_a_read_under_the_lock_that_guards_it_would_commute(label):
    assert open_diamond(model_graph("expire_readd"), MECHANISM.silent | {label}) is None


@pytest.mark.parametrize("scenario", only(SCENARIOS, *BY_DAY))
def test_the_reduced_graph_is_the_full_one_seen_through_settling(scenario):
    model, silent = MECHANISM.model(scenario), MECHANISM.silent
    full, small, settled = (
        model_graph(scenario),
        reduce(MECHANISM.model(scenario), silent),
        settle(model, silent),
    )
    of = [settled(state) for state in full.states]
    assert set(of) == set(small.states)
    assert not small.labels & silent and small.labels == full.labels - silent
    steps = {
        (of[n], thread, label, of[after])
        for n, row in enumerate(full.edges)
        for thread, label, after in row
        if label not in silent
    }
    assert steps == {
        (small.states[n], thread, label, small.states[after])
        for n, row in enumerate(small.edges)
        for thread, label, after in row
    }
    for n, row in enumerate(full.edges):  # a silent step stays within what settles to the same
        assert all(of[after] == of[n] for _, label, after in row if label in silent)
    assert {small.states[n] for n in small.final} == {of[n] for n in full.final}
    assert {small.states[n] for n in small.deadlocks} == {of[n] for n in full.deadlocks}


def test_settling_runs_silent_steps_until_none_is_left():
    model, silent = MECHANISM.model("two_adders"), MECHANISM.silent
    start = settle(model, silent)(model.initial())
    assert [process[0] for process in start[1]] == ["R1", "R1"], "T0 and A0 of both"
    assert settle(model, silent)(start) == start
    assert settle(model, frozenset())(model.initial()) == model.initial()


def test_settling_stops_at_a_silent_step_that_is_blocked():
    machine = Awaiting()
    state = settle(machine, frozenset({"X0", "P1"}))(machine.initial())
    assert [process[0] for process in state[1]] == ["P1", "Q1"]


def test_eager_steps_that_do_not_commute_lose_states():
    """The reason for the diamond: a read of shared variables, run eagerly, misses late writes."""
    full, small = explore(Reading()), reduce(Reading(), frozenset({"X0", "P1"}))
    seen = {vars_of[-1] for state in full.states for vars_of in state[1]}
    assert seen == {None, 0, 1}
    assert {vars_of[-1] for state in small.states for vars_of in state[1]} == {None, 0}


class Choosing(Toy):
    """P1 sets x to 2 or to 3: one step with two successors."""

    def successors(self, state):
        for thread, label, after in super().successors(state):
            yield thread, label, after
            if label == "P1":
                _, processes = after
                yield thread, label, ((3,), processes)

    def P1(self, t):
        self.x = 2
        t.pc = "P2"


def test_a_step_with_several_successors_is_refused_by_thread_and_label():
    """No code could be compared with both, and one of them would be kept in silence."""
    with pytest.raises(
        UsageError, match=r"p has several steps: P1 to state \d+ and P1 to state \d+"
    ):
        rows(explore(Choosing()))
    assert rows(explore(Writing()))


def test_a_thread_with_two_labels_in_one_state_is_refused():
    graph = explore(Toy())
    row = graph.edges[0]
    thread, _, after = row[0]
    graph.edges[0] = [*row, (thread, "P9", after)]
    with pytest.raises(UsageError, match=r"has several steps: .* and P9 to state"):
        rows(graph)


def test_rows_are_the_edges_by_thread():
    graph = reduce(MECHANISM.model("expire_cancel"), MECHANISM.silent)
    assert [sorted((thread, *entry) for thread, entry in row.items()) for row in rows(graph)] == [
        sorted(row) for row in graph.edges
    ]
