"""All states without a model: as many as in a bisimulation, with each kind of finding."""

from tests.model.artefacts import ROOT
from tests.model.timer import ARTEFACTS, MECHANISM, NAME
from wheelproof.python import ControlledImplementation, bisimulate
from wheelproof.python.search.states import explore_states

SCENARIOS = MECHANISM.scenarios


def explored(scenario, properties=None, *, changes=(), **options):
    text = ARTEFACTS.source("impl")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    implementation = ControlledImplementation.load(
        ROOT, NAME, texts={f"impl.{NAME}": text}, lint=not changes
    )
    return explore_states(implementation, SCENARIOS[scenario], properties or {}, **options)


def test_as_many_states_as_a_bisimulation_has():
    found = explored("two_adders")
    bisimulation = bisimulate(
        ControlledImplementation.load(ROOT, NAME),
        SCENARIOS["two_adders"],
        *ARTEFACTS.rows("two_adders"),
    )
    assert found.outcome == "kept" and found.ends > 0
    assert [
        found.figures[name] == bisimulation.figures[name] > 0
        for name in ("impl_states", "impl_edges")
    ] == [True, True]


def test_a_deadlock():
    found = explored("opposite_flushes")
    assert (found.outcome, found.property) == ("violated", "NoDeadlock")
    assert found.why.startswith("no thread can move: ") and found.schedule


def test_a_broken_property_and_the_way_to_it():
    found = explored("two_adders", {"empty": lambda harness, run: harness.counter.value == 0})
    assert (found.outcome, found.property) == ("violated", "empty")
    assert found.schedule[-1][1] == "A9"


def test_a_property_of_the_end_alone():
    found = explored(
        "two_adders", {"linked": lambda harness, run: not run.done or harness.counter.value == 1}
    )
    assert found.outcome == "kept"
    found = explored(
        "two_adders", {"linked": lambda harness, run: not run.done or harness.counter.value == 2}
    )
    assert (found.outcome, found.property) == ("violated", "linked")


def test_an_exception():
    found = explored(
        "two_adders",
        changes=[
            (
                "self.task_counter.add_and_get(1)  # update A9",
                "self.task_counter.add_and_get(None)  # update A9",
            )
        ],
    )
    assert (found.outcome, found.property) == ("violated", "exception") and "TypeError" in found.why


def test_threads_that_go_on_for_ever():
    found = explored(
        "remove_cancel", changes=[("            current.remove(self)\n", "            pass\n")]
    )
    assert (found.outcome, found.property) == ("violated", "CanEnd")


def test_a_budget_that_is_used_up_is_no_verdict():
    found = explored("two_adders", budget=0)
    assert found.outcome == "inconclusive" and "not enough" in found.why
