"""The theorems of the whole timer: invariants, controls, and the properties as formulas."""

from __future__ import annotations

import pytest

from proofs.system_timer import module as of_module
from proofs.system_timer import runs, whole
from proofs.system_timer import whole_module as module
from proofs.system_timer import whole_planted as planted
from proofs.system_timer.dues import Dues
from proofs.system_timer.entries import Entries
from proofs.system_timer.links import Linked
from proofs.system_timer.view import ACTIONS
from proofs.timer_task_list.planted import broken_goal
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError

TIMER = variants.mechanisms()["system_timer"]
THEOREMS = {
    "Timer.FiredOnce",
    "Timer.RunsOncePerAdd",
    "Timer.CancelWins",
    "Timer.NotEarly",
    "Timer.KeyBeforeDeadline",
    "Timer.QueuedOnceWithItsKey",
    "Timer.LatenessBound",
}
IN_TEXT = [each for each in planted.FAULTS if isinstance(each, planted.OfEntries)]
SAME = {
    "not_early": "NotEarly",
    "fired_once": "FiredOnce",
    "runs_once_per_add": "RunsOncePerAdd",
    "cancel_wins": "CancelWins",
    "key_before_deadline": "KeyBeforeDeadline",
    "queued_once_with_its_key": "QueuedOnceWithItsKey",
    "lateness_bound": "LatenessBound",
}
"""Formula -> the property of the specification that it is."""


def test_every_label_has_a_condition_and_every_theorem_a_control():
    theorems = module.THEORY.theorems
    assert set(theorems) == {"Inv.Entries", "Inv.Dues", *THEOREMS}
    for name in ("Inv.Entries", "Inv.Dues"):
        assert [vc.name for vc in theorems[name].vcs] == ["start", *ACTIONS]
    assert {f"Timer.{each.property}" for each in planted.FAULTS} == THEOREMS
    assert set(SAME) | {"each_add_runs_once", "withdrawn_never_runs"} == set(Dues.safety())


def test_the_invariants_share_no_conjunct_and_theirs_are_named():
    assert not set(whole.OF_ENTRIES) & set(whole.OF_DUES)
    assert set(Linked.conjuncts()) - set(whole.OF_ENTRIES) == {"thrown_is_caught"}
    names = ["proof P10 x", "proof y", "trimmed #1", "handed_once", "none_is_early", "given 1"]
    cited = whole.cited(dict.fromkeys(names), whole.OF_DUES)
    assert [cited.get(each) for each in names] == [
        "P10",
        "Spec.SystemTimer",
        "trimmed",
        "Inv.Entries",
        None,
        None,
    ]


def test_kafkas_order_breaks_what_is_proved_of_the_corrected_one_alone():
    """A state of the unchanged module; and none where the property holds of both timers."""
    for name in ("KeyBeforeDeadline", "QueuedOnceWithItsKey"):
        assert planted.OfKafka(name).find().verdict == "sat"
    assert planted.OfKafka("FiredOnce", "kafka_closed").find().verdict == "unsat"


def system_of(fault):
    conditions = module.ConditionsOfDues if fault.base is Dues else module.Conditions
    return conditions(fault.old, fault.new)


(AT_THE_QUEUE,) = [fault for fault in IN_TEXT if fault.name == "polls_undue"]
"""The fault of a step that these invariants take from Spec.SystemTimer."""


@pytest.mark.nightly
@pytest.mark.parametrize(
    "fault", [each for each in IN_TEXT if each is not AT_THE_QUEUE], ids=lambda fault: fault.name
)
def test_a_fault_is_no_proof(fault):
    """Z3 finds no proof of the label, and the goal that is not proved is named."""
    way, _, goal = fault.goal.partition(": ")
    label = way.partition("_to_")[0]
    with pytest.raises(ProofError, match=rf"{label}_to_\w+: .*{goal}.* does not follow"):
        system_of(fault).step(label)


@pytest.mark.nightly
def test_a_fault_at_the_queue_is_no_proof_of_what_these_rest_on():
    with pytest.raises(ProofError, match=r"R1_to_R2: .*polls_unlocked.* does not follow"):
        of_module.Conditions(AT_THE_QUEUE.old, AT_THE_QUEUE.new).step("R1")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "fault", planted.FAULTS, ids=lambda fault: f"{fault.name}-{fault.property}"
)
def test_a_fault_breaks_the_goal_in_a_run(fault):
    found = fault.find()
    expected = getattr(fault, "goal", None) or f"kafka_stalled_adder: {fault.property}"
    assert (found.verdict, found.witness, found.contradiction) == ("sat", expected, "")


@pytest.mark.nightly
@pytest.mark.parametrize("program", runs.SMALL)
@pytest.mark.parametrize(("base", "keeps"), [(Entries, whole.KeptEntries), (Dues, whole.KeptDues)])
def test_every_goal_holds_on_the_states_of_small_scenarios(base, keeps, program):
    assert broken_goal(runs.ReachedTimer(program, bound=300, base=base), keeps) is None


@pytest.mark.nightly
def test_every_goal_on_entries_holds_with_kafkas_timer():
    reached = runs.ReachedTimer(runs.OF_KAFKA, bound=300, base=Entries)
    assert broken_goal(reached, whole.KeptEntries) is None


@pytest.mark.nightly
def test_every_way_is_taken_in_a_small_scenario():
    system = runs.system(base=Entries)
    assert set(system.actions()) - set(runs.witnesses(Entries)) == {"R8_to_R6"}


@pytest.mark.nightly
def test_the_other_timer_is_refused_where_a_theorem_is_of_one():
    with pytest.raises(ValueError, match="assumes of its constants"):
        runs.placed(runs.OF_KAFKA, base=Dues)
    runs.placed(runs.OF_KAFKA, base=Entries)


# -- the formulas against the specification's properties


class EitherDues(Dues):
    """The formulas, where nothing is assumed of the timer."""

    of_timer = Entries.of_timer


def first(model, bound: int):
    """The states of a graph, breadth first. A fault may make it endless."""
    known, waiting = {model.initial()}, [model.initial()]
    for state in waiting:
        yield state
        for _, _, after in model.successors(state):
            if after not in known and len(known) < bound:
                known.add(after)
                waiting.append(after)


def judged(place: int, old: str = "", new: str = "") -> dict[str, set[tuple[bool, bool]]]:
    """Formula -> what it and the specification's property say of the first states of a graph.

    States in which a queued bucket has got another key are left out: A-HEAP says nothing of them.
    """
    here = runs.placed(PROGRAMS[place], old, new, EitherDues)
    s = here.system.symbols()
    formulas = {
        name: here.instance.function(here.instance.compiled.code(here.system.formula(name, s), ()))
        for name in SAME
    }
    found: dict[str, set[tuple[bool, bool]]] = {name: set() for name in SAME}
    for state in first(here.model, 5_000):
        rekeyed = bool(here.values(state)["rekeyed"])
        seen = runs.blank(here, state)
        for name, holds in formulas.items():
            if not (rekeyed and name == "lateness_bound"):
                found[name].add((bool(holds(seen)), here.model.holds(SAME[name], state)))
    return found


PROGRAMS = (
    *runs.SMALL,
    runs.OF_KAFKA,
    TIMER.scenarios["kafka_stalled_adder"],
    *[fault.program for fault in IN_TEXT],
)


@pytest.mark.nightly
@pytest.mark.parametrize("place", range(len(PROGRAMS)))
def test_each_formula_is_the_specifications_property(place):
    """The bound on lateness is stronger: nothing in a bucket is due, where the reaper is idle."""
    of_text = place - (len(PROGRAMS) - len(IN_TEXT))
    fault = IN_TEXT[of_text] if of_text >= 0 else None
    found = judged(place, fault.old, fault.new) if fault else judged(place)
    for name, pairs in found.items():
        wrong = {(True, False)} if name == "lateness_bound" else {(True, False), (False, True)}
        assert not pairs & wrong, name
    if fault:
        name = next(each for each, of in SAME.items() if of == fault.property)
        assert (False, False) in found[name]
