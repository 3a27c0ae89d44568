"""The theorems on the end of Kafka's timer: proofs, faults, and goals on small runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from proofs.system_timer import kafka_dues as dues
from proofs.system_timer import kafka_ended as ended
from proofs.system_timer import kafka_module as module
from proofs.system_timer import kafka_planted as planted
from proofs.system_timer import kafka_reaper as reaper
from proofs.system_timer import kafka_stopped as stopped
from proofs.system_timer import ranking, runs, waits
from proofs.system_timer.ended_planted import LAST, OfEnd, OfRank, goes_round, graph
from proofs.system_timer.kafka import OF_CORRECTED, KafkaEnds
from proofs.system_timer.view import ACTIONS
from proofs.system_timer.whole import OF_DUES, OF_ENTRIES
from proofs.timer_task_list.planted import broken_goal, violated
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError
from wheelproof.tla import values

TIMER = variants.mechanisms()["system_timer"]
OF_LABELS = {
    "Inv.KafkaEnds": "start",
    "Inv.KafkaReaper": "start",
    "Inv.KafkaDues": "start",
    "Timer.KafkaRank": "above",
    "Timer.KafkaMoves": "",
}
"""Theorems with a condition for each label, and the one before them."""
AT_THE_END = {
    "Stopped.KafkasLocks": ["free", "unread"],
    "Stopped.KafkasPlaces": ["places"],
    "Stopped.KafkasAdds": ["added"],
    "Timer.KafkaTries": ["all tried"],
    "Timer.KafkaFires": ["all fired"],
    "Timer.KafkaTerminates": ["all done"],
}
FOLLOWS = {
    "Timer.KafkaCounterExact": planted.COUNTS,
    "Timer.KafkaNotEarly": planted.DUES,
    "Timer.KafkaCloses": planted.CLOSES,
}
"""Theorems of one condition, with their controls."""
TWO_REAPERS = planted.with_kafkas(
    runs.scenario({"one": 1, "two": 1}, a="add one; add two", c="tick", r="reap", q="reap")
)
LATE = TIMER.scenarios["kafka_stalled_adder"]
"""D1's cast."""
CAST = [*runs.small(KafkaEnds.TIMERS), TWO_REAPERS, LATE]


def test_every_label_has_a_condition_and_every_theorem_a_control():
    theorems = module.THEORY.theorems
    assert set(theorems) == {*OF_LABELS, *AT_THE_END, *FOLLOWS}
    for name, first in OF_LABELS.items():
        assert [vc.name for vc in theorems[name].vcs] == [*([first] if first else []), *ACTIONS]
    for name, conditions in AT_THE_END.items():
        assert [vc.name for vc in theorems[name].vcs] == conditions
    for name, claim in module.CLAIMS.items():
        controls = [each.name for each in planted.ENDS if each.claim == claim]
        assert len(controls) == 2
        assert [each.name for each in theorems[name].controls] == controls
    for name, faults in FOLLOWS.items():
        assert [each.name for each in theorems[name].controls] == [each.name for each in faults]
    assert [each.is_lemma for each in theorems.values()].count(True) == 6


def test_one_reaper_and_an_order_of_the_heap_are_assumed_where_they_must_be_alone():
    early = {"Inv.KafkaDues", "Timer.KafkaNotEarly"}
    one = {*early, "Inv.KafkaReaper", "Timer.KafkaCloses"}
    ends = {*module.CLAIMS, "Stopped.KafkasAdds", "Timer.KafkaCloses"}
    theorems = module.THEORY.theorems
    for assumption, those in {"A-REAPER": one, "A-ROOT": early, "A-LAST": ends}.items():
        assert {name for name, each in theorems.items() if assumption in each.assumes} == those
    assert not any("Spec.SystemTimer" in each.rests_on for each in theorems.values())


def test_the_conjuncts_are_new_and_what_is_false_with_kafkas_order_is_none():
    assert not set(ended.OF_KAFKA_ENDS) & {*OF_ENTRIES, *OF_CORRECTED}
    assert set(OF_CORRECTED) < {*OF_DUES, "puts_back_what_is_due"}
    assert set(reaper.KeptKafkaReaper.NEEDS) == set(reaper.OF_KAFKA_REAPER)
    assert not {*dues.OF_KAFKA_DUES, *reaper.OF_KAFKA_REAPER} & {*ended.OF_KAFKA_ENDS, *OF_ENTRIES}
    assert {*dues.KeptKafkaDues.NEEDS, "seen_by_now"} == set(dues.OF_KAFKA_DUES)
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
    names = ["falls", "handed_once", "queued_or_held", "trimmed #1", "A-LAST", "one_reaps"]
    cited = reaper.cited_of_reaper(dict.fromkeys(names), ())
    assert [cited.get(each) for each in names] == [
        *("Inv.KafkaEnds", "Inv.Entries", "Inv.KafkaEnds", "trimmed", None, "Inv.KafkaReaper"),
    ]
    assert "one_reaps" not in reaper.cited_of_reaper(dict.fromkeys(names), reaper.OF_KAFKA_REAPER)
    assert "falls" not in ended.cited_ends(dict.fromkeys(names), ended.OF_KAFKA_ENDS)


@pytest.mark.daily(2)
@pytest.mark.parametrize("fault", (*planted.ENDS, *planted.CLOSES), ids=lambda fault: fault.name)
def test_a_run_with_the_fault_ends_where_the_claim_is_false(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.claim, "")


@pytest.mark.parametrize("claim", module.CLAIMS.values())
@pytest.mark.parametrize("program", [planted.with_kafkas(LAST), TWO_REAPERS], ids=["one", "two"])
def test_without_a_fault_no_run_ends_there(claim, program):
    assert OfEnd("none", "", claim, program).find().verdict == "unsat"


def test_with_one_reaper_every_thread_ends_after_a_close():
    threads = {name: of for name, of in planted.CLOSED["threads"].items() if name != "q"}
    program = planted.with_kafkas(planted.CLOSED | {"threads": threads})
    assert OfEnd("none", "", "Done", program).find().verdict == "unsat"
    assert OfEnd("none", "", "AllTried", program).find().verdict == "sat"


def test_a_run_goes_round_with_the_fault_alone():
    def model(program, old: str = "", new: str = ""):
        constants = TIMER.constants_of(program)
        return runs.specification(old, new).model(constants, tuple(program["threads"]))

    faults = [each for each in planted.RANKS if isinstance(each, OfRank)]
    found = [goes_round(model(each.program, each.old, each.new)) for each in faults]
    assert found == [True, True]
    assert not any(goes_round(model(each.program)) for each in faults)


def test_two_reapers_hand_an_entry_over_early_and_one_does_not():
    assert planted.TwoReapers().find().verdict == "sat"
    threads = {name: of for name, of in planted.PASSED["threads"].items() if name != "q"}
    assert violated(planted.model_of(planted.PASSED | {"threads": threads}), "NotEarly")


def changes(name: str, bound: int) -> set[tuple[int, bool]]:
    """How a step changes the length of the queue, and whether its first bucket stays the first."""
    model = TIMER.compiled_model(TIMER.scenarios[name])
    place = model.variables.index("queue")
    found = set()
    for (shared, _), following in graph(model, bound):
        before = values.as_plain(shared[place])
        for after in (values.as_plain(other[place]) for other, _ in following):
            if before and after:
                more = len(after) - len(before)
                stays = after[0] == before[0]
                found.add((more, stays))
                assert more < 0 or stays or sorted(after) == sorted([*before, after[0]])
    return found


def test_the_first_of_the_queue_stays_until_a_poll_or_an_offer_before_it():
    """A-ROOT, of Offer and Poll of the module, where buckets are given other keys too."""
    found = changes("kafka_stalled_adder", 20_000)
    assert (0, False) not in found and {(0, True), (1, True), (1, False), (-1, False)} <= found


# -- by night


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*OF_LABELS, *AT_THE_END, *FOLLOWS])
def test_the_theorem_is_proved_with_its_controls(name):
    evidence = module.THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and not evidence.unused
    assert set(evidence.witnesses) == {each.name for each in evidence.theorem.controls}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "fault", (*planted.RANKS, *planted.COUNTS, *planted.DUES), ids=lambda fault: fault.name
)
def test_a_step_breaks_the_goal_of_the_rank_of_the_counter_or_of_a_deadline(fault):
    found = fault.find()
    goal = "NotEarly" if isinstance(fault, planted.TwoReapers) else fault.goal
    assert (found.verdict, found.witness, found.contradiction) == ("sat", goal, "")


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
    "keeps the lock": (stopped.ConditionsOfKafka, "Q6", "Q6_to_back: one_at_a_time"),
    "counts twice": (stopped.ConditionsOfKafka, "W2", "W2_to_W3: links_are_listed"),
    "polls undue": (dues.ConditionsOfKafkasDues, "Q1", "Q1_to_Q2: polled_is_due"),
    "passes on early": (dues.ConditionsOfKafkasDues, "W1", "W1_to_W0: due_at_the_bottom"),
}
"""Fault -> the conditions, the label and the goal without a proof."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", REFUSED)
def test_a_fault_is_no_proof(name):
    conditions, label, refused = REFUSED[name]
    (fault,) = [
        each
        for of in (planted.RANKS, planted.COUNTS, planted.ENDS, planted.DUES, planted.CLOSES)
        for each in of
        if each.name == name
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
@pytest.mark.parametrize("program", [each for each in CAST if each is not TWO_REAPERS])
@pytest.mark.parametrize("keeps", [dues.KeptKafkaDues, reaper.KeptKafkaReaper])
def test_every_goal_of_the_one_reaper_holds_on_the_states_of_small_scenarios(keeps, program):
    reached = runs.ReachedTimer(program, bound=2_000, base=dues.KafkaDues)
    assert reached.instance.initial(reached.start)
    assert broken_goal(reached, keeps) is None


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
