"""A scenario becomes lines, a model's state numbers; what has no number is refused."""

import pytest

from wheelproof.jvm.values import Encoder, fields, lines, names

SCENARIO = {
    "about": "a text with words",
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1"},
    "ring": {"l1": ["e1"], "l2": []},
    "size": 3,
    "fast": True,
    "threads": {"a": [["add", "l1", "e1"], ["cancel", "t1"]]},
}


class Model:
    AUXILIARY = frozenset({"history"})
    threads = ("a",)
    variables = ("list", "history", "queue")

    def pieces(self, state):
        return (*state[0], ("Done",))


def test_every_name_has_a_number_and_about_has_none():
    found = names(SCENARIO)
    assert sorted(found.values()) == list(range(1, len(found) + 1))
    assert {"l1", "e1", "t1", "a", "cancel"} <= found.keys()
    assert "a text with words" not in found


def test_fields_are_paths_with_values():
    assert list(fields(SCENARIO)) == [
        ["lists", "l1", "l2"],
        ["task_of.e1", "t1"],
        ["ring.l1", "e1"],
        ["ring.l2"],
        ["size", "3"],
        ["fast", "true"],
    ]


def test_a_thread_is_its_operations():
    found = lines(SCENARIO, {"A1": ["T.add:X#0"]}, fine=False)
    assert ["thread", "a", "add l1 e1", "cancel t1"] in found
    assert ["label", "A1", "T.add:X#0"] in found and ["fine", "false"] in found


def test_a_state_is_the_numbers_of_the_variables_that_are_compared():
    encoder = Encoder(Model(), SCENARIO)
    number = names(SCENARIO)
    state = ((("l1", None), (7,), (("e1", "e1"),)), (("Done",),))
    first = (2, number["l1"], 0)
    assert encoder.shared(state) == (*first, 3, 2, number["e1"], number["e1"])
    assert list(encoder.split(encoder.shared(state))) == ["list", "queue"]


def test_a_set_is_its_elements_in_order():
    encoder = Encoder(Model(), SCENARIO)
    assert encoder.encode(frozenset({"l2", "l1"})) == [
        2,
        *sorted(names(SCENARIO)[x] for x in ("l1", "l2")),
    ]


def test_what_is_no_value_is_refused():
    with pytest.raises(TypeError, match="a dict is no value"):
        Encoder(Model(), SCENARIO).encode({})
