"""Steps of a model that choose: a successor for each choice."""

import pytest

from model.pluscal import BLOCKED, DONE, Machine, Scalar
from wheelproof.choices import choice_of
from wheelproof.errors import UsageError
from wheelproof.graph import reduced
from wheelproof.graph.explorer import explore


class Dice(Machine):
    """Two throws in one step; the second one has as many values as the first one shows."""

    first, second = Scalar("first"), Scalar("second")
    values: tuple = (1, 2, 3)
    odd = False

    def __init__(self):
        super().__init__(("a", "b"), {}, start="A1")
        self.scalar("first", 0)
        self.scalar("second", 0)
        self.begin()

    def A1(self, t):
        self.first = self.choose(self.values)
        self.second = self.choose(range(self.first))
        if self.odd and self.second % 2 == 0:
            return BLOCKED
        t.pc = DONE if self.me == "a" else "A2"

    def A2(self, t):
        self.second = self.choose((7, 8))
        t.pc = DONE

    def returned(self, t):
        return self.second


def taken(model, thread=0, state=None):
    steps = model.successors(model.initial() if state is None else state)
    return [(label, choice_of(label), after[0]) for index, label, after in steps if index == thread]


def test_a_step_that_chooses_has_a_successor_for_each_choice():
    assert taken(Dice()) == [
        ("A1", ("1",), (1, 0)),
        ("A1", ("2", "0"), (2, 0)),
        ("A1", ("2", "1"), (2, 1)),
        ("A1", ("3", "0"), (3, 0)),
        ("A1", ("3", "1"), (3, 1)),
        ("A1", ("3", "2"), (3, 2)),
    ]


def test_each_thread_keeps_its_own_variables_in_each_successor():
    model = Dice()
    after = [after for index, _, after in model.successors(model.initial()) if index == 1]
    assert len(after) == 6 and {each[1] for each in after} == {(("A1",), ("A2",))}
    assert taken(model, 1, after[0]) == [("A2", ("7",), (1, 7)), ("A2", ("8",), (1, 8))]


def test_a_blocked_choice_is_no_successor_and_a_value_of_all_is_left_out():
    model = Dice()
    model.odd = True
    assert taken(model) == [("A1", ("2",), (2, 1)), ("A1", ("3",), (3, 1))]
    model.values = (2,)
    (only,) = taken(model)
    assert only == ("A1", (), (2, 1)) and type(only[0]) is str
    model.values = (1,)
    assert taken(model) == []


def test_a_choice_among_nothing_is_an_error_and_leaves_nothing_behind():
    model = Dice()
    model.values = ()
    with pytest.raises(ValueError, match="no value to choose; return BLOCKED"):
        taken(model)
    model.values = (1,)
    assert taken(model) == [("A1", (), (1, 0))]


def test_a_state_in_place_takes_no_step_that_chooses():
    model = Dice()
    with pytest.raises(ValueError, match="A1 chooses, and a state in place has one successor"):
        model.step(0)
    model = Dice()
    model.values = (1,)
    model.load(model.initial())
    assert model.step(0) == "A1" and model.freeze()[0] == (1, 0)


def test_the_rows_of_a_graph_have_a_key_for_each_choice():
    graph = reduced.reduce(Dice(), frozenset())
    row = reduced.rows(graph)[0]
    assert {move for move in row if not isinstance(move, int)} == set(row) and len(row) == 12
    assert row[0, ("3", "1")][0] == "A1"
    assert graph.generated == explore(Dice()).generated
    (place,) = {after for move, (_, after) in row.items() if move == (1, ("1",))}
    assert graph.results is not None
    assert graph.results[place] == {(1, ("7",)): (7,), (1, ("8",)): (8,)}


class Unsaid(Dice):
    def successors(self, state):
        return [(index, str(label), after) for index, label, after in super().successors(state)]


def test_several_successors_without_a_choice_are_refused():
    with pytest.raises(UsageError, match="In state 0 of the model a has several steps: A1 to"):
        reduced.rows(reduced.reduce(Unsaid(), frozenset()))


def test_a_silent_step_must_not_choose():
    with pytest.raises(UsageError, match="The silent step A1 chooses, and no line of the code can"):
        reduced.reduce(Dice(), frozenset({"A1"}))
