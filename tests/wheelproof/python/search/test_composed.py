"""A composed run: with all steps of the lists, the timer does only what its model does."""

import pytest

from tests.model.system_timer import ARTEFACTS, MECHANISM
from tests.wheelproof.python.search.composed_timer import HARNESS, LISTS, ONE, changed, composed
from wheelproof.checks import composition as layer
from wheelproof.graph import reduced
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    bisimulate,
)
from wheelproof.python.search import composition as composed_module
from wheelproof.python.search.composition import compose


@pytest.mark.nightly
def test_every_run_is_one_of_the_atomic_models_and_every_step_of_that_is_met():
    """Cancel finds the entry in no list, the adder links it, cancel clears the task.

    The cancel takes effect at the adder's step.
    """
    found = composed()
    assert found.outcome == "included" and found.difference is None
    assert found.figures["matched_edges"] == found.figures["model_edges"] > 150
    assert found.figures["impl_states"] > 5 * found.figures["model_states"]


def test_a_lost_entry_is_noticed_in_full_and_only_there():
    scenario = MECHANISM.scenarios["one_bucket"]
    found = composed(scenario, "Unguarded")
    assert (
        found.outcome == "different"
        and found.difference.kind == "deadlock"
        and "reaper at R1" in str(found.difference)
    )
    assert {"a", "b"} <= set(found.difference.threads)
    graph = reduced.reduce(MECHANISM.model("one_bucket"), MECHANISM.silent)
    atomic = bisimulate(
        ARTEFACTS.mutant("Unguarded"), scenario, reduced.rows(graph), reduced.shared_of(graph)
    )
    assert atomic.outcome == "equal"


def test_an_exception_in_a_lower_step_is_noticed():
    found = composed(MECHANISM.scenarios["cancel_one"], "Unowned")
    assert (
        found.outcome == "different"
        and found.difference.kind == "exception"
        and "AttributeError" in str(found.difference)
    )


def test_an_operation_that_does_something_else_is_noticed_when_it_is_over():
    """A cancel that leaves the entry: at rest the implementation has one that the model lacks."""
    text = changed(
        LISTS,
        "            if entry is not None:\n"
        "                entry.remove()\n"
        "            self.timer_task_entry = None",
        "            self.timer_task_entry = None",
    )
    found = composed(texts={"impl.timer_task_list": text})
    assert found.outcome == "different" and found.difference.kind == "shared"
    assert found.difference.schedule[-1] == (
        "canceller",
        "C4",
    ) and "with no thread inside an operation" in str(found.difference)


# -- inside an operation

ALONE = ONE | {
    "threads": {name: program for name, program in ONE["threads"].items() if name != "canceller"}
}
HELD = (
    "                with entry.monitor:  # lock A2, unlock A10\n                    if entry.list"
    " is None:  # read A3\n"
)
FORGETS = HELD + (
    "                        entry.timer_task.timer_task_entry = None  # write Z1\n"
    "                        entry.timer_task.timer_task_entry = entry  # write Z2\n"
)


def test_a_variable_that_an_operation_does_not_write_is_compared_while_it_is_under_way():
    """An add into a bucket that lets the task forget its entry for a moment."""
    found = composed(ALONE, texts={"impl.timer_task_list": changed(LISTS, HELD, FORGETS)})
    assert found.outcome == "different" and found.difference.kind == "shared"
    assert found.difference.schedule[-1] == ("adder", "Z1")
    assert "while adder is inside W2 timerTaskEntry is (None,), ('e',) in the model" in str(
        found.difference
    )


def test_no_other_comparison_notices_that():
    halfway = changed(
        HARNESS,
        "HALFWAY = {\n",
        'HALFWAY = {\n    "timerTaskEntry": "the control of the comparison",\n',
    )
    found = composed(
        ALONE,
        texts={
            "impl.timer_task_list": changed(LISTS, HELD, FORGETS),
            "harness.system_timer": halfway,
        },
    )
    assert found.outcome == "included" and found.figures["inside"]


def test_a_variable_that_shows_the_locks_of_an_operation_has_to_be_named():
    none = changed(
        HARNESS,
        '    "flushing": (\n'
        '        "the bucket whose monitor is held: every operation on a list holds one, in the'
        ' model a "\n        "flush alone"\n    ),\n',
        "",
    )
    found = composed(ALONE, texts={"harness.system_timer": none})
    assert found.outcome == "different" and "inside W2 flushing is (" in str(found.difference)


@pytest.mark.parametrize("entry", ['"flush": "a reason"', '"key": " "'])
def test_halfway_names_a_variable_and_a_reason(entry):
    with pytest.raises(ExploreError, match="HALFWAY of the harness names"):
        composed(
            ALONE,
            texts={
                "harness.system_timer": changed(
                    HARNESS, "HALFWAY = {\n", f"HALFWAY = {{\n    {entry},\n"
                )
            },
        )


def test_a_value_that_a_flush_does_not_write_is_compared_between_its_steps():
    """A flush that resets the key of its bucket at the first entry, not at its end."""
    unlinks = "                self.remove(head)\n"
    early = changed(
        LISTS, unlinks, "                self.expiration.set(-1)  # write Z1\n" + unlinks
    )
    found = composed(ALONE, texts={"impl.timer_task_list": early})
    assert found.outcome == "different" and found.difference.schedule[-1] == ("reaper", "Z1")
    assert "while reaper is inside F2/V1 key is (-1, -1), (-1, 1) in the model" in str(
        found.difference
    )


# -- at rest


@pytest.mark.nightly
def test_a_step_that_the_model_does_not_have_is_noticed():
    """The model queues a bucket whenever it links, the implementation when the key is new."""
    found = composed(MECHANISM.scenarios["one_bucket"], without="M10")
    assert (
        found.outcome == "different"
        and found.difference.kind in ("label", "shared")
        and found.difference.schedule
    )


def test_too_little_time_is_inconclusive():
    found = composed(budget=-1.0)
    assert found.outcome == "inconclusive" and "were not enough" in found.why


def test_a_harness_without_the_finer_table_is_refused():
    with pytest.raises(ExploreError, match="has no COMPOSED"):
        composed(
            texts={
                "harness.system_timer": changed(
                    HARNESS, "COMPOSED = {", "ELSEWHERE = frozenset({}) or {"
                )
            }
        )


def test_a_wrong_result_is_noticed_with_every_step_on():
    text = (MECHANISM.root / "impl" / "system_timer.py").read_text(encoding="utf-8")
    linked = "                self.add_timer_task_entry(entry)\n"
    assert text.count(linked) == 1
    planted = text.replace(linked, linked + "                return True\n")
    implementation = ControlledImplementation.load(
        MECHANISM.root, MECHANISM.name, atomicity="COMPOSED", texts={"impl.system_timer": planted}
    )
    graph = reduced.reduce(MECHANISM.model("one_bucket"), MECHANISM.silent)
    found = compose(
        implementation,
        MECHANISM.scenarios["one_bucket"],
        reduced.rows(graph),
        reduced.shared_of(graph),
        layer.labels_of(graph),
    )
    assert (
        found.outcome == "different"
        and found.difference.kind == "label"
        and "takes A4" in found.difference.message
    ), found.difference


@pytest.mark.parametrize(
    ("changed", "matched"),
    [
        (None, True),
        ({1: ("other", 3)}, False),  # behind the operation the thread takes another step
        ({1: ("C1", 2)}, False),  # the two do not commute
    ],
)
def test_an_edge_beside_an_operation_that_does_nothing_is_that_behind_it(changed, matched):
    """Thread 0 does nothing in R7, from state 0 to 1 and from 2 to 3; thread 1 takes C1."""
    search = object.__new__(composed_module.Inclusion)
    search.rows = [{0: ("R7", 1), 1: ("C1", 2)}, changed or {1: ("C1", 3)}, {0: ("R7", 3)}, {}]
    search.operations, search.matched = {"R7"}, {(0, 0), (1, 1), (2, 0)}
    now = [0, 0, 1, 1]
    search._model_shared = lambda state: {"now": (now[state],)}
    search._match_beside_idle()
    assert ((0, 1) in search.matched) == matched


@pytest.mark.parametrize("kept", [{(0, 0), (2, 0)}, {(0, 0), (1, 1), (2, 0)}])
def test_an_edge_counts_only_if_that_behind_is_taken_and_the_operation_does_nothing(kept):
    search = object.__new__(composed_module.Inclusion)
    search.rows = [{0: ("R7", 1), 1: ("C1", 2)}, {1: ("C1", 3)}, {0: ("R7", 3)}, {}]
    search.operations, search.matched = {"R7"}, set(kept)
    search._model_shared = lambda state: {"now": (state if (1, 1) in kept else 0,)}
    search._match_beside_idle()
    assert (0, 1) not in search.matched
