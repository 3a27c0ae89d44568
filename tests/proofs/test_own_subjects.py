"""Theorems about modules alone: their conditions, their faults, and what they are read from."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import z3

from proofs.atomic import planted as atomic_faults
from proofs.atomic import theory as atomic
from proofs.atomic.subject import SUBJECT as ATOMIC
from proofs.coordinator_load import planted as load_faults
from proofs.coordinator_load import theory as load
from proofs.coordinator_load.subject import SUBJECT as LOAD
from proofs.coordinator_load.subject import scenario as of_load
from proofs.event_queue import planted as queue_faults
from proofs.event_queue import theory as queue
from proofs.event_queue.subject import SUBJECT as QUEUE
from proofs.event_queue.subject import scenario as of_queue
from proofs.read_write_lock import planted as lock_faults
from proofs.read_write_lock import theory as lock
from proofs.read_write_lock.subject import SUBJECT as LOCK
from proofs.read_write_lock.subject import scenario as of_lock
from proofs.share_fetch import planted as share_faults
from proofs.share_fetch import theory as share
from proofs.share_fetch.subject import SUBJECT as SHARE
from proofs.share_fetch.subject import scenario as of_share
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.invariant import conditions
from wheelproof.prove.invariant.conditions import Conditions, NotEntailed
from wheelproof.prove.invariant.runs import broken_goal
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import sizes, states, systems
from wheelproof.prove.module.properties import stated
from wheelproof.prove.module.shapes import BOOL
from wheelproof.prove.ts.concrete import Compiled, Compiler, place
from wheelproof.tla.syntax import OutsideSubset

SUBJECTS = {
    LOCK.name: (LOCK, lock.THEORY, lock_faults.FAULTS),
    ATOMIC.name: (ATOMIC, atomic.THEORY, atomic_faults.FAULTS),
    QUEUE.name: (QUEUE, queue.THEORY, queue_faults.FAULTS),
    LOAD.name: (LOAD, load.THEORY, load_faults.FAULTS),
    SHARE.name: (SHARE, share.THEORY, share_faults.FAULTS),
}
NOT_PROVED: dict[str, set[str]] = {
    LOCK.name: set(),
    ATOMIC.name: {"TypeOK"},
    QUEUE.name: {"EveryEventHandled", "InOneHand", "QueueOrder", "NoZombieRequest"},
    LOAD.name: set(),
    SHARE.name: set(),
}
"""Properties of each mechanism that no theorem is about: docs/limits.md has the reasons."""
EQUIVALENT: dict[str, set[str]] = {
    LOCK.name: set(),
    ATOMIC.name: set(),
    QUEUE.name: {
        *("CallbackUnderLock", "DiesOfIt", "DoesNotWait", "ForgetsWhatWaits", "LastInFirstOut"),
        *("LooksAndClears", "LooksOutside", "OneTryForAll", "OpensAtOnce", "PreemptKeepsWaiting"),
        *("PutsWhenClosed", "StartsLate"),
    },
    LOAD.name: {"KeepsWrites"},
    SHARE.name: {"ChecksUnderLock", "LooksOutside"},
}
"""Decisions without which every property that is proved still holds."""
FAULTS = [
    pytest.param(subject, fault, id=f"{name}-{fault.name}")
    for name, (subject, _, faults) in SUBJECTS.items()
    for fault in faults
]
BEYOND = [each for each in FAULTS if not isinstance(each.values[1].changes, str)]
every_subject = pytest.mark.parametrize("name", SUBJECTS)


# -- what a theorem is made of


@pytest.mark.daily(3)
@every_subject
def test_every_goal_of_every_label_and_every_property_is_in_a_condition(name, monkeypatch):
    subject, theory, _ = SUBJECTS[name]
    mechanism = variants.mechanisms()[name]
    (theorem,) = theory.theorems.values()
    vcs = [vc.name for vc in theorem.vcs]
    assert sorted(vcs) == sorted(["start", *mechanism.labels, *subject.properties])
    assert {*subject.properties, *NOT_PROVED[name]} == set(mechanism.invariants)
    of, taken = Conditions(subject), []
    assert set(of.new) == set(subject.last.conjuncts())
    monkeypatch.setattr(of, "way", lambda way: (taken.append(way), ({}, None))[1])
    monkeypatch.setattr(of, "condition", lambda *_: None)
    monkeypatch.setattr(conditions, "all_of", lambda _: None)
    for label in mechanism.labels:
        of.step(label)
    assert sorted(taken) == sorted(of.module.actions())


@every_subject
def test_a_label_that_is_left_out_is_refused(name, monkeypatch):
    """The start's condition counts the labels of the module that SANY has read."""
    of = Conditions(SUBJECTS[name][0])
    for label in of.module.LABELS:
        fewer = {each: ways for each, ways in of.module.LABELS.items() if each != label}
        monkeypatch.setattr(of.module, "LABELS", fewer)
        with pytest.raises(ProofError, match=f"the module has no label {label}$"):
            of.begin(of.subject.labels)
        monkeypatch.undo()


@every_subject
def test_each_decision_is_a_fault_of_the_theorem(name):
    _, _, faults = SUBJECTS[name]
    decisions = {fault.changes for fault in faults if isinstance(fault.changes, str)}
    assert decisions | EQUIVALENT[name] == set(variants.mechanisms()[name].decisions)


def broken_without(name, decision) -> set[str]:
    """The invariants that are broken without a decision, in its first scenario."""
    mechanism = variants.mechanisms()[name]
    mutant = next(iter(mechanism.decisions[decision].mutants.values()))
    program = mechanism.scenarios[mutant["scenario"]]
    model = variants.specification(name, decision=decision).model(
        mechanism.constants_of(program), tuple(program["threads"])
    )
    states = explore(model, bound=20_000).states
    return {
        each
        for each in mechanism.invariants
        if not all(model.holds(each, state) for state in states)
    }


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in SUBJECTS if EQUIVALENT[name]])
def test_without_the_other_decisions_what_is_proved_holds(name):
    subject, _, faults = SUBJECTS[name]
    broken = {decision: broken_without(name, decision) for decision in EQUIVALENT[name]}
    assert set().union(*broken.values()) == NOT_PROVED[name]
    assert broken_without(name, faults[0].changes) & set(subject.properties)


def saying(of: Conditions, conjunct: str, value: bool) -> Conditions:
    """Conditions in which a conjunct is only this truth value."""
    setattr(of.module, conjunct, lambda _: z3.BoolVal(value))
    return of


@pytest.mark.daily(3)
@every_subject
def test_a_conjunct_that_is_made_false_is_refused_by_name(name):
    """By day the first and the last one."""
    names = [*SUBJECTS[name][0].last.conjuncts()]
    for each in names[:: len(names) - 1]:
        assert refused_at_start(name, each)


def refused_at_start(name, conjunct) -> bool:
    with pytest.raises(NotEntailed) as refused:
        saying(Conditions(SUBJECTS[name][0]), conjunct, False).start()
    return conjunct in refused.value.goals


@pytest.mark.nightly
@every_subject
def test_each_conjunct_that_is_made_false_is_refused_by_name(name):
    assert all(refused_at_start(name, each) for each in SUBJECTS[name][0].last.conjuncts())


@pytest.mark.nightly
@every_subject
def test_a_conjunct_that_is_made_true_is_missed(name):
    """What says nothing carries nothing: a way, or a property, is not proved without it."""
    for each in SUBJECTS[name][0].last.conjuncts():
        of = saying(Conditions(SUBJECTS[name][0]), each, True)
        assert any(map(refused(of.follows), of.subject.properties)) or any(
            map(refused(of.way), of.module.actions())
        ), each


def refused(make):
    def judged(name) -> bool:
        try:
            make(name)
        except NotEntailed:
            return True
        return False

    return judged


@pytest.mark.nightly
@every_subject
def test_a_ghost_that_no_step_sets_is_refused(name):
    subject = SUBJECTS[name][0]
    for ghost in subject.ghosts:
        of = Conditions(subject)

        def taken(way, s, t, chosen, of=of.module, ghost=ghost):
            made = type(of).taken(of, way, s, t, chosen)
            left = {each: value for each, value in made.updates.items() if each != ghost}
            return made._replace(updates=left)

        of.module.taken = taken
        assert any(map(refused(of.way), of.module.actions())), ghost


@pytest.mark.nightly
@every_subject
def test_ghosts_are_read_by_no_step(name):
    subject = SUBJECTS[name][0]
    system = subject.system(subject.last)()
    for each in system.actions():
        way = system.way(each)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        assert not any(f"{ghost}[" in read or f"{ghost} " in read for ghost in subject.ghosts)


# -- what a subject shares with others


def test_a_label_that_a_call_returns_to_and_is_left_out_is_refused(monkeypatch):
    of = Conditions(LOAD)
    monkeypatch.setattr(of.module, "RETURNS", {**of.module.RETURNS, "put": ("T0",)})
    with pytest.raises(NotEntailed, match="calls_return"):
        of.way("W0_to_Q1")


@every_subject
def test_a_thread_may_be_at_each_label_also_of_a_module_without_a_decision(name):
    places, mechanism = SUBJECTS[name][0].words.variables["pc"], variants.mechanisms()[name]
    added = [label for of in mechanism.decisions.values() for label in of.labels]
    assert [*places.called] == ["Nowhere", *mechanism.labels, *added, "Done"]


# -- faults


@pytest.mark.parametrize(("subject", "fault"), BEYOND[:1])
def test_a_fault_beyond_every_scenario_is_refused(subject, fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize(("subject", "fault"), FAULTS)
def test_a_fault_is_refused_by_a_condition_and_breaks_it_in_a_run(subject, fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize(("subject", "fault"), BEYOND)
def test_no_fault_is_found_where_none_is_planted(subject, fault):
    assert replace(fault, changes=(), schedule="").find().verdict == "unsat"


# -- the terms against the compiled module


def small(subject):
    return [
        program
        for name, program in variants.mechanisms()[subject.name].scenarios.items()
        if 0 < variants.mechanisms()[subject.name].sizes.get(name, 0) < 3_000
    ]


@pytest.mark.nightly
@every_subject
def test_every_edge_is_a_step_of_the_terms_and_every_step_is_an_edge(name):
    subject, found = SUBJECTS[name][0], states.Differences()
    for program in (*subject.small(subject.last), *small(subject)):
        placed = subject.placed(program, Invariant)
        states.compare(placed, explore(placed.model, bound=3_000), found)
    assert found.wrong == []
    assert set(subject.system(Invariant).actions()) - found.taken == set()


@pytest.mark.nightly
@every_subject
def test_a_property_is_judged_by_its_terms_as_by_the_compiled_module(name):
    """On every state of small runs, and of those of the modules with faults."""
    subject, _, faults = SUBJECTS[name]
    system, broken = subject.system(subject.last)(), set()
    s, known = system.symbols(), {}
    for each in subject.properties:
        read = stated(system, each, s)
        if not read.sets:
            known[each] = Compiled(system).code(read.formula)
    for fault in faults:
        reached = subject.reached(fault.program, fault.of, fault.changes, 2_000, fault.steps())
        functions = {each: reached.instance.function(code) for each, code in known.items()}
        for edge in reached.edges():
            for each, holds in functions.items():
                right = reached.model.holds(each, edge.frozen)
                assert holds(edge.move.after) == right, (fault.name, each)
                broken |= set() if right else {each}
    assert broken


@pytest.mark.nightly
@every_subject
def test_every_conjunct_holds_in_the_states_of_every_scenario(name):
    subject = SUBJECTS[name][0]
    for program in variants.mechanisms()[name].scenarios.values():
        reached = subject.reached(program, bound=2_000)
        assert reached.instance.initial(reached.start)
        assert reached.instance.broken(reached.start) == []
        assert broken_goal(reached) is None


# -- assumptions


def test_facts_on_sizes_hold_of_every_set_of_four_elements():
    """A-SIZES: with an element that the fact asks for, where there is one."""
    of, none = LOCK.words.threads, (False,) * 4
    one, other = (z3.Const(name, z3.ArraySort(of.z3, z3.BoolSort())) for name in ("one", "other"))
    element, new = of.consts("element new")
    names = {each: each for each in ("one", "other", "element", "new")}
    scope = {"place": place, f"PLACES_{of.name}": range(4)}

    def judged(*facts):
        text = Compiler(names, [of.null]).text(z3.And(facts))
        return eval(f"lambda one, other, element, new: {text}", dict(scope))

    right = [
        judged(*sizes.changed(of, one, element), *sizes.counted(of, one, new)),
        judged(*sizes.within(of, one, other, new)),
    ]
    every = [*product((False, True), repeat=4)]
    for first, second, at in product(every, every, range(4)):
        for fact in right:
            assert any(fact(first, second, at, new) for new in range(4))
    wrong = judged(sizes.size(of)(z3.Store(one, element, True)) == sizes.size(of)(one) + 1)
    assert wrong(none, none, 0, 0)
    assert not wrong((True, *none[1:]), none, 0, 0)


def test_an_interrupted_thread_that_reads_on_is_refused_and_breaks_the_theorem():
    """A-ENDLESS: its next read ends as an interrupted one, and stays registered."""
    program = of_lock(r="read_on", w="write", i="interrupt r")
    with pytest.raises(ValueError, match="assumes of its constants"):
        LOCK.reached(program)
    model = LOCK.specification().model(
        variants.mechanisms()[LOCK.name].constants_of(program), tuple(program["threads"])
    )
    graph = explore(model, bound=20_000)
    assert not all(model.holds("Registered", state) for state in graph.states)


@pytest.mark.parametrize(
    "program",
    [
        of_queue(does={"a": "", "x": ""}, p="put a; put x", q="expire x"),
        of_queue("a x", does={"a": "", "x": ""}, q="expire x"),
        of_queue("a b", does={"a": "put x", "b": "", "x": ""}, q="expire x"),
    ],
    ids=["put", "waits", "put_by_a_handler"],
)
def test_the_event_of_an_expiry_that_is_put_is_refused_and_breaks_the_theorem(program):
    """A-EXPIRY: it comes to the queue behind others."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        QUEUE.reached(program)
    model = QUEUE.specification().model(
        variants.mechanisms()[QUEUE.name].constants_of(program), tuple(program["threads"])
    )
    graph = explore(model, bound=20_000)
    assert not all(model.holds("ExpireFirst", state) for state in graph.states)


@pytest.mark.parametrize(
    ("program", "schedule", "broken"),
    [
        (
            of_load(a="lead 1; load; follow 2; lead 1; lead 3"),
            [("a", 200)],
            "NewestLoadWins",
        ),
        (of_load(0, a="lead 1"), [("a", 200)], "NewestLoadWins"),
        (
            of_load(a="lead 1; load", f="fetch", g="fetch"),
            [("a", 200), ("f", 2), ("g", 3), ("f", 1), ("g", 200), ("f", 200)],
            "HighWatermarkSeen",
        ),
    ],
    ids=["leads_twice", "no_record", "two_fetch"],
)
def test_what_is_assumed_of_loads_is_refused_and_breaks_the_theorem(program, schedule, broken):
    """A-ONCE and A-LOG."""
    breaks_where_it_is_assumed_away(LOAD, program, schedule, broken)


def breaks_where_it_is_assumed_away(subject, program, schedule, broken):
    """``schedule``: a thread, and how many steps it takes at most."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        subject.reached(program)
    constants = variants.mechanisms()[subject.name].constants_of(program)
    model = subject.specification().model(constants, tuple(program["threads"]))
    state = model.initial()
    for name, count in schedule:
        for _ in range(count):
            after = [to for t, _, to in model.successors(state) if model.threads[t] == name]
            state = after[0] if after else state
    assert not model.holds(broken, state)
    assert model.holds(broken, model.initial())


@pytest.mark.parametrize(
    ("program", "schedule", "broken"),
    [
        (
            of_share((1, 1), (2, 2), a="fetch a", b="fetch a"),
            [("a", 200), ("b", 200)],
            "AnsweredOnce",
        ),
        (
            of_share((1, 1), (2, 2), a="fetch a", b="expire a"),
            [("b", 200), ("a", 200)],
            "AnsweredOnce",
        ),
        (
            of_share((1, 1), a="fetch a; release a", b="release a", w="fail"),
            [("a", 200), ("w", 6), ("b", 6), ("w", 200)],
            "MembersHold",
        ),
        (of_share((1, 2), (2, 3), a="fetch a; fetch b"), [("a", 200)], "OneMember"),
        (
            of_share(a="append 1 1; fetch a", b="append 1 1; fetch b"),
            [("a", 200), ("b", 200)],
            "OneMember",
        ),
    ],
    ids=["comes_twice", "ends_early", "released_twice", "two_of_one_offset", "two_append"],
)
def test_what_is_assumed_of_shares_is_refused_and_breaks_the_theorem(program, schedule, broken):
    """A-ONCE and A-OFFSETS."""
    breaks_where_it_is_assumed_away(SHARE, program, schedule, broken)


# -- how a goal is tried


def test_a_goal_is_tried_from_all_premises_where_the_near_ones_are_not_enough(monkeypatch):
    near, tried = Conditions(LOAD), []
    late = near.late(["loads_once"])
    assert set(near.premises) - set(late) == {*LOAD.near[""], "loads_once"}
    original = near.late
    monkeypatch.setattr(near, "late", lambda goals: (tried.append([*goals]), original(goals))[1])
    near.way("M5_to_M6")
    assert all(len(goals) == 1 for goals in tried)
    # No premise is near: the goals follow from all of them.
    monkeypatch.setattr(near, "late", lambda _: set(near.premises))
    near.way("M5_to_M6")
    without = Conditions(LOAD, without=["loads_once"])
    with pytest.raises(NotEntailed, match="loads_once"):
        without.way("M5_to_M6")


def test_a_definition_that_is_a_constant_is_not_looked_into():
    system = LOAD.system(LOAD.last)()
    s = system.symbols()
    assert "Newest" in str(stated(system, "NewestLoadWins", s).formula)
    constants = {name: of for name, of in LOAD.words.constants.items() if name != "Newest"}
    system.WORDS = replace(LOAD.words, constants=constants)
    with pytest.raises(OutsideSubset, match="CHOOSE is outside of the subset"):
        stated(system, "NewestLoadWins", s)


def test_a_definition_that_reads_a_variable_is_no_constant():
    words = replace(LOAD.words, constants={**LOAD.words.constants, "AllDone": BOOL})
    with pytest.raises(OutsideSubset, match="AllDone, a constant that is none, is outside"):
        systems.made("Wrong", LOAD.specification().module, words, Invariant)


def test_a_vocabulary_without_labels_is_refused():
    variables = {name: of for name, of in LOAD.words.variables.items() if name != "pc"}
    words = replace(LOAD.words, variables=variables)
    with pytest.raises(OutsideSubset, match="the variable pc, which the vocabulary gives no shape"):
        systems.made("Wrong", LOAD.specification().module, words, Invariant)


@pytest.mark.parametrize("change", [("one",), ("one", 2), "one"])
def test_a_fault_that_changes_no_text_into_another_is_refused(change):
    with pytest.raises(ValueError, match="a change is a pair of texts, not "):
        replace(load_faults.BEYOND[0], changes=(change,))
