"""The theorems on the end of Kafka's timer: proofs, faults, and goals on small runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from proofs.kernel import ProofError
from proofs.protocols import mutated
from proofs.protocols import system_timer_kafka_ended as ended
from proofs.protocols import system_timer_kafka_module as module
from proofs.protocols import system_timer_kafka_planted as planted
from proofs.protocols import system_timer_kafka_stopped as stopped
from proofs.protocols import system_timer_ranking as ranking
from proofs.protocols import system_timer_runs as runs
from proofs.protocols import system_timer_waits as waits
from proofs.protocols.system_timer_ended_planted import LAST, OfEnd, OfRank, goes_round
from proofs.protocols.system_timer_kafka import OF_CORRECTED, KafkaEnds
from proofs.protocols.system_timer_view import ACTIONS
from proofs.protocols.system_timer_whole import OF_DUES, OF_ENTRIES
from proofs.protocols.timer_task_list_planted import broken_goal

TIMER = mutated.mechanisms()["system_timer"]
OF_LABELS = {"Inv.KafkaEnds": "start", "Timer.KafkaRank": "above", "Timer.KafkaMoves": ""}
"""Theorems with a condition for each label, and the one before them."""
AT_THE_END = {
    "Stopped.KafkasLocks": ["free", "unread"],
    "Stopped.KafkasPlaces": ["places"],
    "Stopped.KafkasAdds": ["added"],
    "Timer.KafkaTries": ["all tried"],
    "Timer.KafkaFires": ["all fired"],
    "Timer.KafkaTerminates": ["all done"],
}
TWO_REAPERS = planted.with_kafkas(
    runs.scenario({"one": 1, "two": 1}, a="add one; add two", c="tick", r="reap", q="reap")
)
LATE = TIMER.scenarios["kafka_stalled_adder"]
"""D1's cast."""
CAST = [*runs.small(KafkaEnds.TIMERS), TWO_REAPERS, LATE]


def test_every_label_has_a_condition_and_every_theorem_a_control():
    theorems = module.THEORY.theorems
    assert set(theorems) == {*OF_LABELS, *AT_THE_END, "Timer.KafkaCounterExact"}
    for name, first in OF_LABELS.items():
        assert [vc.name for vc in theorems[name].vcs] == [*([first] if first else []), *ACTIONS]
    for name, conditions in AT_THE_END.items():
        assert [vc.name for vc in theorems[name].vcs] == conditions
    for name, claim in module.CLAIMS.items():
        controls = [each.name for each in planted.ENDS if each.claim == claim]
        assert len(controls) == 2
        assert [each.name for each in theorems[name].controls] == controls
    assert [each.is_lemma for each in theorems.values()].count(True) == 4


def test_no_theorem_of_kafkas_assumes_one_reaper():
    for name, theorem in module.THEORY.theorems.items():
        assert "A-REAPER" not in theorem.assumes and "Spec.SystemTimer" not in theorem.rests_on
        assert ("A-LAST" in theorem.assumes) == (name in module.CLAIMS or "Adds" in name)


def test_the_conjuncts_are_new_and_what_is_false_with_kafkas_order_is_none():
    assert not set(ended.OF_KAFKA_ENDS) & {*OF_ENTRIES, *OF_CORRECTED}
    assert set(OF_CORRECTED) < {*OF_DUES, "puts_back_what_is_due"}
    assert set(OF_ENTRIES) < set(KafkaEnds.conjuncts())
    known = {*ended.OF_KAFKA_ENDS, *OF_ENTRIES}
    assert set(ended.KeptKafkaEnds.NEEDS) < known
    assert {each for needs in ended.KeptKafkaEnds.NEEDS.values() for each in needs} <= known
    assert set(stopped.END_NEEDS) == {each for of in AT_THE_END.values() for each in of}


def test_each_way_of_kafkas_lowers_one_part():
    ways = ("T0_to_Q1", "Q1_to_Q2", "R4_to_R5", "Q2_to_R5", "Q6_to_Q1", "Q6_to_back")
    of = ranking.KafkaRank.LOWERS
    assert [ranking.lowers(each, of) for each in ways] == [
        *("steps", "queue", "queue", "stage", "stage", "stage"),
    ]
    assert ranking.lowers("Q1_to_Q2") == "stage"


def test_what_is_cited_is_named():
    names = ["falls", "handed_once", "queued_or_held", "trimmed #1", "A-LAST"]
    cited = ended.cited_ends(dict.fromkeys(names), ())
    assert [cited.get(each) for each in names] == [
        *("Inv.KafkaEnds", "Inv.Entries", "Inv.KafkaEnds", "trimmed", None),
    ]
    assert "falls" not in ended.cited_ends(dict.fromkeys(names), ended.OF_KAFKA_ENDS)


@pytest.mark.parametrize("fault", planted.ENDS, ids=lambda fault: fault.name)
def test_a_run_with_the_fault_ends_where_the_claim_is_false(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.claim, "")


@pytest.mark.parametrize("claim", module.CLAIMS.values())
@pytest.mark.parametrize("program", [planted.with_kafkas(LAST), TWO_REAPERS], ids=["one", "two"])
def test_without_a_fault_no_run_ends_there(claim, program):
    assert OfEnd("none", "", claim, program).find().verdict == "unsat"


def test_a_run_goes_round_with_the_fault_alone():
    def model(program, old: str = "", new: str = ""):
        constants = TIMER.constants_of(program)
        return runs.specification(old, new).model(constants, tuple(program["threads"]))

    faults = [each for each in planted.RANKS if isinstance(each, OfRank)]
    found = [goes_round(model(each.program, each.old, each.new)) for each in faults]
    assert found == [True, True]
    assert not any(goes_round(model(each.program)) for each in faults)


# -- by night


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*OF_LABELS, *AT_THE_END, "Timer.KafkaCounterExact"])
def test_the_theorem_is_proved_with_its_controls(name):
    evidence = module.THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and not evidence.unused
    assert set(evidence.witnesses) == {each.name for each in evidence.theorem.controls}


@pytest.mark.nightly
@pytest.mark.parametrize("fault", (*planted.RANKS, *planted.COUNTS), ids=lambda fault: fault.name)
def test_a_step_breaks_the_goal_of_the_rank_or_of_the_counter(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.WAITS, ids=lambda fault: fault.name)
def test_a_thread_stops_at_the_label_with_the_fault_and_nowhere_without(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.label, "")
    assert replace(fault, old="", new="").find().verdict == "unsat"


REFUSED = {
    "clocks stand still": (stopped.ConditionsOfKafka, "R7", "R7_to_V1: flushed_is_due"),
    "polls without taking": (stopped.ConditionsOfKafkasRank, "R4", "R4_to_R5: lowers queue"),
    "removes without counting": (stopped.ConditionsOfKafka, "F2", "F2_to_W1: links_are_listed"),
    "queues nothing": (stopped.ConditionsOfKafka, "W4", "W4_to_back: queued_or_held"),
    "counts twice": (stopped.ConditionsOfKafka, "W2", "W2_to_W3: links_are_listed"),
}
"""Fault -> the conditions, the label and the goal without a proof."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", REFUSED)
def test_a_fault_is_no_proof(name):
    conditions, label, refused = REFUSED[name]
    (fault,) = [
        each for each in (*planted.RANKS, *planted.COUNTS, *planted.ENDS) if each.name == name
    ]
    with pytest.raises(ProofError, match=f"{refused}.* does not follow"):
        conditions(fault.old, fault.new).step(label)


@pytest.mark.nightly
def test_a_key_that_is_reset_without_a_flush_is_no_proof():
    """The reaper passes over the entries: the bucket has none of them in sight any more."""
    old = 'F2(self) == /\\ pc[self] = "F2"\n            /\\ IF content[polled[self]] # <<>>\n'
    faulty = stopped.ConditionsOfKafka(old, old.replace("content[polled[self]] # <<>>", "FALSE"))
    with pytest.raises(ProofError, match="F2_to_V2: flushed_is_empty does not follow"):
        faulty.step("F2")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.WAITS, ids=lambda fault: fault.name)
def test_a_wait_that_is_none_is_no_proof(fault):
    with pytest.raises(ProofError, match=f"{fault.label}: it does not follow"):
        stopped.ConditionsOfKafkasSteps(fault.old, fault.new).moves(fault.label)


@pytest.mark.nightly
@pytest.mark.parametrize("program", CAST)
@pytest.mark.parametrize("keeps", [ended.KeptKafkaEnds, ended.RankedKafka])
def test_every_goal_holds_on_the_states_of_small_scenarios(keeps, program):
    assert broken_goal(runs.ReachedTimer(program, bound=300, base=KafkaEnds), keeps) is None


@pytest.mark.nightly
@pytest.mark.parametrize("program", CAST)
def test_the_start_is_one_and_no_number_of_a_rank_is_below_zero(program):
    reached = runs.ReachedTimer(program, bound=300, base=KafkaEnds)
    assert reached.instance.initial(reached.start)
    rank, s = ranking.KafkaRank(reached.system), reached.system.symbols()
    above = [
        reached.instance.function(reached.instance.compiled.code(formula, ()))
        for _, formula in rank.above(s)
    ]
    assert all(holds(move.after) for _, move in reached.edges() for holds in above)


@pytest.mark.nightly
def test_a_thread_that_cannot_step_waits():
    """In every state of a small scenario: some bucket is the first, or none is in the queue."""
    reached = runs.ReachedTimer(TWO_REAPERS, bound=500, base=KafkaEnds)
    s, instance = reached.system.symbols(), reached.instance
    _, empty = waits.nothing(s)
    formula = waits.waits(s, waits.MOVER, waits.first_is_not_due(s), empty, KafkaEnds.WAITS_AT)
    renamed = z3.substitute(formula, (waits.FIRST, z3.Const("b!", waits.BUCKET.z3)))
    state_waits = instance.function(instance.compiled.code(renamed, ("t", "b")))
    buckets = instance.places["Bucket"]
    seen = set()
    for state, _ in reached.edges():
        for thread in range(len(reached.model.threads)):
            stops = not [*instance.moves(state, thread=thread)]
            done = instance.named(state)["pc"][reached.model.threads[thread]] == "Done"
            assert not stops or done or any(state_waits(state, thread, each) for each in buckets)
            seen.add((stops, done))
    assert {(True, False), (False, False)} <= seen
