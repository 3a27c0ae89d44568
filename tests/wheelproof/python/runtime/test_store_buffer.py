"""Delayed stores, by the litmus tests of memory models: the values that threads can read."""

from __future__ import annotations

from itertools import combinations

import pytest

from impl import runtime as production
from tests.wheelproof.python.runtime.buffered_cells import HARNESS, IMPL
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    RaceDetector,
    RuleBroken,
)
from wheelproof.python.runtime.store_buffer import Ordering


@pytest.fixture
def root(tmp_path):
    for artefact, text in ("impl", IMPL), ("harness", HARNESS):
        (tmp_path / artefact).mkdir()
        (tmp_path / artefact / "__init__.py").touch()
        (tmp_path / artefact / "cells.py").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def implementation(root):
    return ControlledImplementation.load(root, "cells")


def changed(root, artefact, old, new):
    file = root / artefact / "cells.py"
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def scenario(fields=("x", "y"), **threads):
    """Programs by thread, and for each thread the ways of its stores into these fields."""
    ways = {f"{name}.{field}": [["memory", name, field]] for name in threads for field in fields}
    return {"threads": threads | ways}


def outcomes(implementation, of, *readers):
    """The values that the readers can have seen at the end, over all schedules."""
    intern, known, found, todo = {}, set(), set(), [()]
    while todo:
        schedule = todo.pop()
        run = implementation.begin(of, intern=intern)
        run.replay(schedule)
        state = run.fingerprint()
        if state not in known:
            known.add(state)
            todo += [(*schedule, thread) for thread in run.enabled()]
            if not run.enabled():
                assert run.done and run.harness.buffers.stores == (), "all has arrived"
                found.add(tuple(run.harness.seen[name].values for name in readers))
        run.end()
    return found


def pairs(found):
    """The outcomes of a single reader."""
    return {values for (values,) in found}


X, Y = ["put_x", 1], ["put_y", 1]
BOTH = {(None, None), (None, 1), (1, None), (1, 1)}
ORDERED = BOTH - {(1, None)}


def test_stores_into_two_fields_come_in_any_order(implementation):
    assert (
        pairs(outcomes(implementation, scenario(a=[X, Y], b=[["get_y", "b"], ["get_x", "b"]]), "b"))
        == BOTH
    )


def test_without_delays_they_come_in_order(root):
    changed(root, "harness", 'MEMORY = ("x", "y", "content", "flag")', "")
    changed(
        root, "impl", "        self.flag = None\n", "        self.flag = self.x = self.y = None\n"
    )
    of = {"threads": {"a": [X, Y], "b": [["get_y", "b"], ["get_x", "b"]]}}
    implementation = ControlledImplementation.load(root, "cells")
    runs = set()
    for places in combinations(range(6), 2):
        run = implementation.begin(of)
        turns = [0 if i in places else 1 for i in range(6)]
        for turn in turns:
            run.step(turn)
        runs.add(run.harness.seen["b"].values)
        run.end()
    assert runs == ORDERED


def test_stores_into_one_field_come_in_order(implementation):
    seen = pairs(
        outcomes(
            implementation,
            scenario(("x",), a=[X, ["put_x", 2]], b=[["get_x", "b"], ["get_x", "b"]]),
            "b",
        )
    )
    assert {(1, 2), (None, 2), (None, None), (1, 1)} < seen
    assert not seen & {(2, 1), (1, None), (2, None)}


def test_a_thread_sees_its_own_stores_at_once(implementation):
    of = scenario(
        a=[X, ["get_x", "a"], ["put_x", 2], ["get_x", "a"], ["get_y", "a"]], b=[["get_x", "b"]]
    )
    assert {one for one, _ in outcomes(implementation, of, "a", "b")} == {(1, 2, None)}


def test_both_may_look_past_each_others_store(implementation):
    """Dekker: impossible where stores are performed at once."""
    seen = outcomes(
        implementation, scenario(a=[X, ["get_y", "a"]], b=[Y, ["get_x", "b"]]), "a", "b"
    )
    assert seen == {((1,), (1,)), ((None,), (1,)), ((1,), (None,)), ((None,), (None,))}


FLAG = (X, ["put_flag", 1]), (["get_flag", "b"], ["get_x", "b"])
GUARDED = (X, ["put_guarded", 1]), (["get_guarded", "b"], ["get_x", "b"])
COUNT = (X, ["count"]), (["counted", "b"], ["get_x", "b"])


@pytest.mark.parametrize("writes, reads", [FLAG, GUARDED], ids=["volatile", "lock"])
def test_released_stores_are_seen_by_an_acquirer(implementation, writes, reads):
    assert pairs(outcomes(implementation, scenario(a=list(writes), b=list(reads)), "b")) == ORDERED


def test_an_atomic_variable_orders_too(implementation):
    assert pairs(outcomes(implementation, scenario(a=list(COUNT[0]), b=list(COUNT[1])), "b")) == {
        (0, None),
        (0, 1),
        (1, 1),
    }


def test_a_store_after_the_release_is_not_seen(implementation):
    assert (1, None) in pairs(
        outcomes(implementation, scenario(a=[["put_flag", 1], X], b=list(FLAG[1])), "b")
    )


def test_another_lock_orders_nothing(implementation):
    assert (
        pairs(
            outcomes(
                implementation,
                scenario(a=list(GUARDED[0]), b=[["get_guarded_otherwise", "b"], ["get_x", "b"]]),
                "b",
            )
        )
        == BOTH
    )


def test_order_is_passed_on(implementation):
    """Stores that b sees by acquiring are seen by c, which acquires from b."""
    of = scenario(
        ("x",),
        a=[X, ["put_flag", 1]],
        b=[["get_flag", "b"], ["count"]],
        c=[["counted", "c"], ["get_x", "c"]],
    )
    seen = outcomes(implementation, of, "b", "c")
    assert ((1,), (1, None)) not in seen and {((1,), (1, 1)), ((None,), (1, None))} <= seen


def stepped(implementation, of, *turns, race=None):
    """A run after these steps, each a thread and the label that it must be at."""
    run = implementation.begin(of, race=race)
    names = [thread.name for thread in run.threads]
    for name, label in turns:
        assert run.labels[names.index(name)] == label
        run.step(names.index(name))
    return run


def test_a_release_without_an_acquisition_shows_nothing(implementation):
    """Lazy: a volatile write does not empty the buffer; other threads may read old values."""
    of = scenario(a=[X, ["put_flag", 1]], b=[["get_x", "b"]])
    run = stepped(implementation, of, ("a", "X1"), ("a", "V1"), ("b", "X2"), ("b", "Z1"))
    assert run.harness.seen["b"].values == (None,) and run.harness.cells.flag == 1
    (store,) = run.harness.buffers.stores
    assert (store.thread.name, store.field, store.value) == ("a", "x", 1) and store.marks == {
        (run.harness.cells, "flag")
    }
    run.end()


def test_a_way_waits_for_a_store_and_ends_with_its_thread(implementation):
    of = scenario(("x",), a=[["put_y", 1], X])
    run = stepped(implementation, of)
    assert run.enabled() == {0: "Y1"}
    run = stepped(implementation, of, ("a", "Y1"))
    assert run.enabled() == {0: "X1"}, "a store into another field is not this way's"
    run = stepped(implementation, of, ("a", "Y1"), ("a", "X1"))
    assert run.enabled() == {1: "W1"} and run.harness.cells.x is None
    run = stepped(implementation, of, ("a", "Y1"), ("a", "X1"), ("a.x", "W1"))
    assert run.enabled() == {1: "W1"} and run.harness.cells.x == 1
    run = stepped(implementation, of, ("a", "Y1"), ("a", "X1"), ("a.x", "W1"), ("a.x", "W1"))
    assert run.done and [store.field for store in run.harness.buffers.stores] == ["y"], (
        "no thread is the way of this one"
    )
    run.end()


def test_a_store_on_its_way_is_part_of_the_state(implementation):
    of, intern = scenario(("x",), a=[X, ["put_x", 1]]), {}
    run = implementation.begin(of, intern=intern)
    pieces = [run.fingerprint()[0]]
    for turn in (0, 0, 1, 1):
        run.step(turn)
        pieces.append(run.fingerprint()[0])
    assert len(set(pieces)) == 5
    run.end()


def test_a_constructors_labelled_store_is_delayed_and_others_are_there_with_the_object(
    implementation,
):
    run = stepped(implementation, scenario((), a=[["make", "a"]]), ("a", "B1"))
    (store,) = run.harness.buffers.stores
    assert store.field == "content" and store.value == 1 and store.instance.content is None
    assert run.fingerprint(), "the new object has a name"
    run.end()
    assert pairs(outcomes(implementation, scenario(("content",), a=[["make", "a"]]), "a")) == {(1,)}


def test_the_race_detector_goes_along(implementation):
    def races(of, *turns):
        detector = RaceDetector()
        stepped(implementation, of, *turns, race=detector).end()
        return {race.field for race in detector.found}

    assert races(scenario((), a=[X], b=[["get_x", "b"]]), ("a", "X1"), ("b", "X2")) == {"Cells.x"}
    ordered = scenario((), a=list(FLAG[0]), b=list(FLAG[1]))
    assert races(ordered, ("a", "X1"), ("a", "V1"), ("b", "V2"), ("b", "Z1"), ("b", "X2")) == set()


# -- what would be wrong, and what is refused


@pytest.mark.parametrize(
    "method, test", [("release", GUARDED), ("acquire", GUARDED), ("write", FLAG), ("read", FLAG)]
)
def test_an_order_that_the_memory_does_not_get_is_lost(implementation, monkeypatch, method, test):
    monkeypatch.setattr(Ordering, method, lambda *arguments: None)
    writes, reads = test
    assert (1, None) in pairs(
        outcomes(implementation, scenario(a=list(writes), b=list(reads)), "b")
    )


def test_a_volatile_field_is_not_delayed_unless_a_class_marks_it_plain(root):
    of = scenario(("flag",), a=[["put_flag", 1]], b=[["get_flag", "b"]])
    turns = ("a", "V1"), ("b", "V2"), ("b", "Z1")
    run = stepped(ControlledImplementation.load(root, "cells"), of, *turns)
    assert run.harness.seen["b"].values == (1,)
    run.end()
    changed(root, "impl", "    flag: Volatile", "    flag: Plain")
    run = stepped(ControlledImplementation.load(root, "cells"), of, *turns)
    assert run.harness.seen["b"].values == (None,)
    run.end()


def test_a_class_that_marks_a_field_anew_hides_the_one_of_its_base(root):
    plain = """

class PlainFlag(Cells):
    __slots__ = ("flag",)

    flag: Plain[int | None]
"""
    texts = {
        "impl.cells": (root / "impl" / "cells.py").read_text(encoding="utf-8") + plain,
        "harness.cells": (root / "harness" / "cells.py")
        .read_text(encoding="utf-8")
        .replace("impl.Cells()", "impl.PlainFlag()"),
    }
    of = scenario(a=list(FLAG[0]), b=list(FLAG[1]))
    fields = scenario(("x", "flag"), a=list(FLAG[0]), b=list(FLAG[1]))
    assert (
        pairs(outcomes(ControlledImplementation.load(root, "cells", texts=texts), fields, "b"))
        == BOTH
    )
    assert pairs(outcomes(ControlledImplementation.load(root, "cells"), of, "b")) == ORDERED


@pytest.mark.parametrize(
    "artefact, old, new, message",
    [
        ("harness", '"flag")', '"flags")', "MEMORY names flags"),
        (
            "harness",
            'MEMORY = ("x", "y", "content", "flag")',
            'MEMORY = "x"',
            "no list of field names",
        ),
    ],
)
def test_a_name_that_delays_nothing_is_refused(root, artefact, old, new, message):
    changed(root, artefact, old, new)
    with pytest.raises(ExploreError, match=message):
        ControlledImplementation.load(root, "cells")


def test_a_harness_without_a_memory_is_refused(root):
    changed(root, "harness", "impl.Cells(), Memory()", "impl.Cells(), None")
    with pytest.raises(ExploreError, match="Harness makes no Memory"):
        ControlledImplementation.load(root, "cells").begin(scenario((), a=[X]))


def test_the_memory_of_an_unknown_thread_is_refused(implementation):
    with pytest.raises(RuleBroken, match="memory of c: the scenario has no such thread"):
        implementation.begin({"threads": {"a": [X], "m": [["memory", "c", "x"]]}})


def test_in_production_there_is_nothing_to_bring_back():
    assert production.Memory().write_back("a", "x") is False and not hasattr(
        production.Memory(), "stores"
    )
