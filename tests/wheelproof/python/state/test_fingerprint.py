"""Fingerprints: equal for equal futures in all runs; a value without a name is refused."""

import pytest

from wheelproof.python import ExploreError, Unnamed
from wheelproof.python.state.fingerprint import Names
from wheelproof.python.state.slots import variables_of

DRAIN = "        while self.full:  # read D1\n            self.take()\n"


def ended(implementation, scenario, steps):
    run = implementation.begin(scenario)
    try:
        for index in steps:
            run.step(index)
            run.fingerprint()
    finally:
        run.end()


def test_the_same_schedule_gives_the_same_fingerprint_in_another_run(cell):
    implementation, intern = cell.load(), {}
    prints = []
    for _ in range(3):
        run = implementation.begin(cell.scenarios["mixed"], intern=intern)
        prints.append([run.fingerprint()])
        for index in (0, 2, 1, 0, 1, 2, 0):
            if index in run.enabled():
                run.step(index)
            prints[-1].append(run.fingerprint())
        run.end()
    assert prints[0] == prints[1] == prints[2]
    assert len(set(prints[0])) > 4


def test_replayed_steps_end_where_single_steps_do(cell):
    implementation, intern = cell.load(), {}
    schedule = [0, 0, 1, 2, 0, 0, 0, 2]
    one = implementation.begin(cell.scenarios["mixed"], intern=intern)
    for index in schedule:
        one.step(index)
    single, labels = one.fingerprint(), one.labels
    two = implementation.begin(cell.scenarios["mixed"], intern=intern)
    two.replay(schedule)
    assert two.fingerprint() == single and two.labels == labels
    two.end()


def test_a_local_distinguishes_states_that_look_alike(cell):
    counted = (
        "        rounds = 0\n"
        "        while self.full:  # read D1\n"
        "            rounds += 1\n"
        "            self.take()\n"
    )
    scenario = cell.scenarios["refilled"]
    take, put = [0] * 7, [1] * 5
    for implementation, distinct in ((cell.load(), False), (cell.planted((DRAIN, counted)), True)):
        intern = {}
        run = implementation.begin(scenario, intern=intern)
        run.replay([*take, *put, *take])
        run.threads[1].position = 0  # leave the other thread out of it
        after_two = run.fingerprint()[1]
        run.end()
        run = implementation.begin(scenario, intern=intern)
        run.replay(take)
        after_one = run.fingerprint()[1]
        run.end()
        assert (after_one != after_two) == distinct


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            DRAIN,
            "        rounds = iter((1, 2, 3))\n"
            "        while self.full and next(rounds, None):  # read D1\n"
            "            self.take()\n",
            r"The local 'rounds' of Cell.drain \(.*cell.py:\d+\), suspended in thread a, holds a "
            r"value of type tuple_iterator",
        ),
        (
            DRAIN,
            "        rounds = (x for x in (1, 2))\n"
            "        while self.full and next(rounds, None):  # read D1\n"
            "            self.take()\n",
            "'rounds' of Cell.drain .* type tuple_iterator",
        ),
        (
            DRAIN,
            "        fresh = object()\n"
            "        while self.full:  # read D1\n"
            "            self.take()\n",
            "'fresh' of Cell.drain .* type object",
        ),
        (
            "self.item = None  # write T3",
            "fresh = object()\n                self.item = fresh  # write T3",
            "'fresh' of Cell.take .* type object",
        ),
        (
            "self.item = None  # write T3",
            "self.item = iter(())  # write T3",
            r"The value of `iter\(\(\)\)` is on the evaluation stack of Cell.take",
        ),
    ],
)
def test_a_value_without_a_name_is_refused_with_its_place(cell, old, new, message):
    with pytest.raises(Unnamed, match=message):
        ended(cell.planted((old, new)), cell.scenarios["alone"], [0] * 5)


def test_an_object_with_a_dict_is_refused(cell):
    loose = cell.source + "\n\nTight = Cell\n\n\nclass Cell(Tight):\n    pass\n"
    with pytest.raises(Unnamed, match="cell of class Cell has a __dict__"):
        cell.load(texts={"impl.cell": loose}, lint=False).begin(cell.scenarios["alone"])


def test_a_harness_without_names_is_refused(cell):
    text = (
        (cell.root / "harness" / "cell.py").read_text().replace("self.names = ", "self.nothing = ")
    )
    with pytest.raises(ExploreError, match="Harness has no names"):
        cell.load(texts={"harness.cell": text}).begin(cell.scenarios["alone"])


class Node:
    __slots__ = ("extra", "next")

    def __init__(self, following=None):
        self.next = following


def names(**roots):
    return Names(object(), roots, (), ())


def test_objects_are_named_by_role_first_then_by_path():
    tail = Node()
    known = names(head=Node(tail), tail=tail)
    assert known.value(tail) == "@tail" and known.paths == [
        "head.extra",
        "head.next",
        "tail.extra",
        "tail.next",
    ]
    assert known.shared() == ("@unset", "@tail", "@unset", "@None")
    inner = Node()
    assert names(head=Node(inner)).value(inner) == "@head.next"
    assert names(head=Node([inner])).value(inner) == "@head.next[0]"
    assert names(head=Node({"k": inner})).value(inner) == "@head.next['k']"


def test_no_two_values_share_a_name():
    root = Node()
    known = names(root=root)

    def closed(x):
        return lambda: x

    values = [
        None,
        True,
        False,
        0,
        1,
        "None",
        "@None",
        "@root",
        "root",
        1.0,
        b"x",
        (),
        [],
        (1,),
        [1],
        {1: 2},
        {1},
        frozenset({1}),
        range(3),
        range(4),
        closed(1),
        closed(2),
        root,
        ValueError(1),
        ValueError(2),
        int,
        len,
        ...,
    ]
    found = [known.value(v) for v in values]
    assert len({repr(f) for f in found}) == len(values)
    assert all(a != b or i == j for i, a in enumerate(found) for j, b in enumerate(found))


def test_locals_come_in_the_order_of_the_code():
    def outer(b, a):
        c = 1

        def inner():
            return c

        return inner

    assert variables_of(outer.__code__)[:2] == ("b", "a") and set(variables_of(outer.__code__)) == {
        "a",
        "b",
        "c",
        "inner",
    }
