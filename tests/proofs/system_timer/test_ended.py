"""The theorems on the end of the timer: ranks, waits, and states in which no thread can step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs.system_timer import ended, ranking, runs, stopped, waits
from proofs.system_timer import ended_module as module
from proofs.system_timer import ended_planted as planted
from proofs.system_timer.ends import Ends
from proofs.system_timer.view import ACTIONS
from proofs.system_timer.whole import OF_DUES, OF_ENTRIES
from proofs.timer_task_list.planted import broken_goal
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError

TIMER = variants.mechanisms()["system_timer"]
OF_LABELS = {"Inv.Ends": "start", "Timer.Rank": "above", "Timer.Moves": ""}
"""Theorems with a condition for each label, and the one before them."""
AT_THE_END = {
    "Stopped.Locks": ["free", "unread"],
    "Stopped.Places": ["places", "due"],
    "Stopped.Entries": ["added", "linked"],
    "Timer.EveryTimerIsTried": ["in time", "all tried"],
    "Timer.EveryTimerFires": ["all fired"],
    "Timer.Termination": ["all done"],
}
CLAIMS = {
    "Timer.EveryTimerIsTried": "AllTried",
    "Timer.EveryTimerFires": "AllFired",
    "Timer.Termination": "Done",
}
FIRES = ("stalled_adder", "two_adders")
"""Scenarios whose configs of EveryTimerFires must pass."""


def test_every_label_has_a_condition_and_every_theorem_a_control():
    theorems = module.THEORY.theorems
    assert set(theorems) == {*OF_LABELS, *AT_THE_END, "Timer.CounterExact"}
    for name, first in OF_LABELS.items():
        assert [vc.name for vc in theorems[name].vcs] == [*([first] if first else []), *ACTIONS]
    for name, conditions in AT_THE_END.items():
        assert [vc.name for vc in theorems[name].vcs] == conditions
    for name, claim in CLAIMS.items():
        controls = [each.name for each in planted.ENDS if each.claim == claim]
        assert len(controls) == 2
        assert [each.name for each in theorems[name].controls] == controls
    assert [each.is_lemma for each in theorems.values()].count(True) == 4


def test_the_conjuncts_are_new_and_each_proof_says_what_it_needs():
    assert not set(ended.OF_ENDS) & {*OF_ENTRIES, *OF_DUES}
    assert set(ended.OF_ENDS) - set(ended.KeptEnds.NEEDS) == {"refused_by_the_shut", "is_somewhere"}
    assert set(ended.OF_RANK) | {"steps", "offers"} == set(ranking.PARTS)
    assert set(stopped.END_NEEDS) == {each for of in AT_THE_END.values() for each in of}


def test_each_way_lowers_one_part():
    ways = ("T0_to_A1", "T0_to_Done", "W2_to_W3", "F2_to_W1", "W4_to_back", "R4_to_R5", "V2_to_V3")
    assert [ranking.lowers(each) for each in ways] == [
        *("steps", "stage", "reach", "linked", "offers", "queue", "stage"),
    ]


def test_what_is_cited_is_named():
    names = ["falls", "link calls_return", "handed_once", "none_is_early", "trimmed #1", "A-LAST"]
    cited = ended.cited_ends(dict.fromkeys(names), ())
    assert [cited.get(each) for each in names] == [
        *("Inv.Ends", "Spec.SystemTimer", "Inv.Entries", "Inv.Dues", "trimmed", None),
    ]
    assert "falls" not in ended.cited_ends(dict.fromkeys(names), ended.OF_ENDS)


@pytest.mark.daily(3)
@pytest.mark.parametrize("fault", planted.ENDS, ids=lambda fault: fault.name)
def test_a_run_with_the_fault_ends_where_the_claim_is_false(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.claim, "")


@pytest.mark.parametrize("claim", CLAIMS.values())
def test_without_a_fault_no_run_ends_there(claim):
    assert planted.OfEnd("none", "", claim).find().verdict == "unsat"


def test_a_run_goes_round_with_the_fault_alone():
    def model(old: str = "", new: str = ""):
        constants = TIMER.constants_of(planted.LAST)
        return runs.specification(old, new).model(constants, tuple(planted.LAST["threads"]))

    faults = [each for each in planted.RANKS if isinstance(each, planted.OfRank)]
    assert [planted.goes_round(model(each.old, each.new)) for each in faults] == [True, True]
    assert not planted.goes_round(model())


def keeps_to(program) -> tuple[bool, bool]:
    """Whether a scenario's programs are as A-LAST says, and whether one reaps (A-REAPS)."""
    words = [[step[0] for step in steps] for steps in program["threads"].values()]
    behind = [
        word
        for steps in words
        for place, step in enumerate(steps)
        if step in ("reap", "execute")
        for word in steps[place + 1 :]
    ]
    return set(behind) <= {"execute"}, any("reap" in steps for steps in words)


def test_the_scenarios_that_fire_keep_to_what_is_assumed_of_programs():
    """`closed` has no reaper, and keeps what comes due later."""
    for name in FIRES:
        config = TIMER.configs[f"{name}_fire{'s' if name.endswith('r') else ''}"]
        assert (config.property, config.expect) == ("EveryTimerFires", "exhaustive")
    for name, program in TIMER.scenarios.items():
        assert keeps_to(program) == (True, "closed" not in name), name
    assert keeps_to(planted.TOO_EARLY) == (False, True)


# -- by night


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*OF_LABELS, *AT_THE_END, "Timer.CounterExact"])
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
    "clocks stand still": (stopped.Conditions, "R7", "R7_to_V1: flushed_is_due does not follow"),
    "polls no more": (stopped.ConditionsOfRank, "R8", "R8_to_R6: .*stage.* does not follow"),
    "loses bucket": (stopped.Conditions, "R3", "R3_to_R8: puts_back_what_is_due does not follow"),
    "removes without counting": (
        stopped.Conditions,
        "F2",
        "F2_to_W1: links_are_listed does not follow",
    ),
    "counts twice": (stopped.Conditions, "W2", "W2_to_W3: links_are_listed does not follow"),
}
"""Fault -> the conditions, the label and the goal without a proof."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", REFUSED)
def test_a_fault_is_no_proof(name):
    conditions, label, refused = REFUSED[name]
    (fault,) = [
        each for each in (*planted.RANKS, *planted.COUNTS, *planted.ENDS) if each.name == name
    ]
    with pytest.raises(ProofError, match=refused):
        conditions(fault.old, fault.new).step(label)


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.WAITS, ids=lambda fault: fault.name)
def test_a_wait_that_is_none_is_no_proof(fault):
    with pytest.raises(ProofError, match=f"{fault.label}: it does not follow"):
        stopped.ConditionsOfSteps(fault.old, fault.new).moves(fault.label)


@pytest.mark.nightly
@pytest.mark.parametrize("program", runs.SMALL)
@pytest.mark.parametrize("keeps", [ended.KeptEnds, ended.Ranked])
def test_every_goal_holds_on_the_states_of_small_scenarios(keeps, program):
    assert broken_goal(runs.ReachedTimer(program, bound=300, base=Ends), keeps) is None


@pytest.mark.nightly
@pytest.mark.parametrize("program", runs.SMALL)
def test_the_start_is_one_and_no_number_of_a_rank_is_below_zero(program):
    """A-ADDS holds at the start of each scenario."""
    reached = runs.ReachedTimer(program, bound=300, base=Ends)
    assert reached.instance.initial(reached.start)
    rank, s = ranking.Rank(reached.system), reached.system.symbols()
    above = [
        reached.instance.function(reached.instance.compiled.code(formula, ()))
        for _, formula in rank.above(s)
    ]
    assert all(holds(move.after) for _, move in reached.edges() for holds in above)


@pytest.mark.nightly
def test_a_wait_is_the_specifications():
    """In every state of a small scenario a thread that waits is one that cannot step."""
    reached = runs.ReachedTimer(runs.SMALL[0], bound=500, base=Ends)
    of, s = reached.system, reached.system.symbols()
    (state_waits,) = [
        reached.instance.function(
            reached.instance.compiled.code(waits.waits(s, waits.MOVER, *waits.nothing(s)), ("t",))
        )
    ]
    seen = set()
    for state, _ in reached.edges():
        for thread in range(len(reached.model.threads)):
            moves = [*reached.instance.moves(state, thread=thread)]
            done = reached.instance.named(state)["pc"][reached.model.threads[thread]] == "Done"
            assert bool(moves) != (done or state_waits(state, thread))
            seen.add(bool(moves))
    assert seen == {True, False} and of.LABELS
