"""Modules whose invariants are proved of themselves: conditions, faults, terms on finite graphs.

Each mechanism of `MODULES` is tested alike.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
import z3

from tests.proofs.own_modules import MODULES, Module, of_executor
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import explore
from wheelproof.prove.invariant.conditions import Conditions, Waits
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.invariant.runs import DEADLOCK, broken_goal, violated
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import states
from wheelproof.tla.syntax import Builtin, Call, Level, Text
from wheelproof.tla.values import as_plain

each_module = pytest.mark.parametrize("of", MODULES, ids=lambda of: of.name)
each_module_of_the_day = pytest.mark.parametrize(
    "of",
    [
        pytest.param(of, marks=() if of.name == "system_timer_reaper" else pytest.mark.nightly)
        for of in MODULES
    ],
    ids=lambda of: of.name,
)
"""Of the smallest one by day, of all by night."""
each_fault = pytest.mark.parametrize(
    ("of", "fault"),
    [
        pytest.param(of, fault, id=f"{of.name}-{fault.name}")
        for of in MODULES
        for fault in of.faults
    ],
)


# -- the conditions


@pytest.mark.daily(4)
@each_module
def test_a_theorem_has_a_condition_for_each_label_and_each_property(of):
    """One without a label is refused, with the label's name."""
    subject, new = of.subject, []
    for system, name in subject.theorems.items():
        vcs = [vc.name for vc in of.module.THEORY.theorems[name].vcs]
        follow = subject.properties if system is subject.last else ()
        assert sorted(vcs) == sorted(["start", *subject.mechanism.labels, *follow])
        conditions = Conditions(subject, system)
        conditions.covered(subject.mechanism.labels)
        for label in subject.mechanism.labels:
            fewer = [each for each in subject.mechanism.labels if each != label]
            with pytest.raises(ProofError, match=f"no condition is about {label}$"):
                conditions.begin(fewer)
        new += conditions.new
    assert sorted(new) == sorted(subject.last.conjuncts())
    assert {*of.properties, *of.left_out} == set(subject.mechanism.invariants)
    assert not set(of.properties) & of.left_out
    assert set.union(*of.properties.values()) <= set(new)


@pytest.mark.nightly
@each_module
def test_a_ghost_without_its_update_is_refused(of, monkeypatch):
    """And one that has no ghost has nothing to leave out."""
    subject, first = of.subject, next(iter(of.subject.theorems))
    system, ways = subject.system(first)(), []
    for name in system.actions():
        _, made = system.step(name, system.symbols())
        if set(made.updates) & set(subject.ghosts):
            ways.append(name)
    assert bool(ways) == bool(subject.ghosts)
    for name in ways:
        conditions = Conditions(subject, first)
        whole = conditions.module.step

        def without(action, s, whole=whole):
            values, made = whole(action, s)
            updates = {n: e for n, e in made.updates.items() if n not in subject.ghosts}
            return values, made._replace(updates=updates)

        monkeypatch.setattr(conditions.module, "step", without)
        with pytest.raises(ProofError, match=f"{name}: .* does not follow"):
            conditions.way(name)


@pytest.mark.nightly
@each_module
def test_each_conjunct_made_false_is_refused_by_its_name(of):
    for system in of.subject.theorems:
        for name in Conditions(of.subject, system).new:
            conditions = Conditions(of.subject, system)
            conditions.module.__dict__[name] = lambda _: z3.BoolVal(False)
            conditions.__dict__["new"] = [name]
            with pytest.raises(ProofError, match=f"start: {name} does not follow"):
                conditions.start()


@pytest.mark.nightly
@each_module
def test_a_property_does_not_follow_without_its_conjuncts(of):
    for name in of.subject.properties:
        conditions = Conditions(of.subject, of.subject.last, without=tuple(of.properties[name]))
        with pytest.raises(ProofError, match=f"{name}: {name} does not follow"):
            conditions.follows(name)


@pytest.mark.nightly
@each_module
def test_what_the_terms_oblige_to_is_a_goal(of):
    """Without the conjuncts that they follow from, obligations of some way do not follow."""
    subject, first = of.subject, next(iter(of.subject.theorems))
    system = subject.system(first)()
    obliged = [name for name in system.actions() if system.obligations(name)]
    conditions = Conditions(subject, first, without=tuple(system.conjuncts()))
    for name in obliged:
        try:
            conditions.way(name)
        except ProofError as error:
            if f"{name}: obligation 1" in str(error):
                return
    assert not obliged


# -- faults


def refused_by(of: Module, fault: Fault) -> str:
    """What Z3 finds no proof of, in the module with the fault; "" where it finds one."""
    way = fault.goal.partition(": ")[0]
    try:
        if fault.stops:
            Waits(of.subject, fault.of, fault.changes).moves(way)
        else:
            Conditions(of.subject, fault.of, fault.changes).way(way)
    except ProofError as error:
        return str(error)
    return ""


@each_module_of_the_day
def test_a_way_is_proved_of_the_module_and_not_without_a_decision(of):
    name, way = of.example
    (fault,) = [each for each in of.faults if each.name == name]
    assert re.search(f"{fault.goal}.* does not follow", refused_by(of, fault))
    assert Conditions(of.subject, fault.of).way(way)


@pytest.mark.nightly
@each_fault
def test_a_fault_is_no_proof_and_breaks_the_goal_in_a_run(of, fault):
    """The run of the module itself in the same scenario keeps every goal."""
    way, _, goal = fault.goal.partition(": ")
    refused = refused_by(of, fault)
    assert (
        refused == f"moves: {way} does not follow"
        if fault.stops
        else re.search(rf"{way}: .*{goal}.* does not follow", refused)
    )
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")
    assert replace(fault, changes=()).find().verdict == "unsat"


@each_module
def test_every_mutant_of_the_mechanism_is_a_control(of):
    """But for those about properties that are not proved."""
    decisions = {fault.changes for fault in of.faults if isinstance(fault.changes, str)}
    assert decisions == set(of.subject.mechanism.decisions) - of.mutants_left_out
    assert of.mutants_left_out <= set(of.subject.mechanism.decisions)
    assert bool(of.mutants_left_out) == bool(of.left_out)


@pytest.mark.nightly
@each_module
def test_a_fault_beyond_the_bounds_changes_no_scenario(of):
    """Three or more of the faults change no edge of any scenario's graph."""
    beyond = [fault for fault in of.faults if not isinstance(fault.changes, str)]
    assert len(beyond) >= 3
    for program in of.subject.mechanism.scenarios.values():
        constants = of.subject.mechanism.constants_of(program)
        whole, *faulty = [
            explore(of.subject.specification(changes).model(constants, tuple(program["threads"])))
            for changes in ((), *[fault.changes for fault in beyond])
        ]
        for fault, graph in zip(beyond, faulty, strict=True):
            assert len(whole.edges) == len(whole.states) and graph.edges == whole.edges, fault.name


@pytest.mark.nightly
@each_module
def test_a_state_that_breaks_a_property_breaks_its_conjunct(of):
    """In the states of the modules with faults, each property is judged by both."""
    broken = set()
    for fault in of.faults:
        if fault.property not in of.properties:
            continue
        reached = of.subject.reached(fault.program, of.subject.last, fault.changes, bound=1_500)
        for edge in reached.edges():
            for name, conjuncts in of.properties.items():
                if not reached.model.holds(name, edge.frozen):
                    broken.add(name)
                    assert set(reached.instance.broken(edge.move.after)) & conjuncts, fault.name
    assert broken == set(of.properties)


# -- what is assumed, and the terms on finite graphs


class Steps(Invariant):
    """The generated system alone."""

    def initially(self, s: Any) -> list[z3.BoolRef]:
        return []


def breaks(model: Any, name: str) -> bool:
    """Whether a property is broken in a state of a model."""
    seen, waiting = {model.initial()}, [model.initial()]
    for state in waiting:
        if not model.holds(name, state):
            return True
        new = {after for _, _, after in model.successors(state)} - seen
        seen |= new
        waiting += new
    return False


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("of", "program", "property_"),
    [
        pytest.param(of, program, name, id=f"{of.name}-{name}")
        for of in MODULES
        for program, name in of.refused
    ],
)
def test_what_is_assumed_of_programs_is_needed(of, program, property_):
    """A scenario that is assumed away is refused, and the module breaks the property in it."""
    with pytest.raises((ValueError, UsageError), match="assume"):
        of.subject.placed(program, of.subject.last)
    mechanism = of.subject.mechanism
    assert breaks(mechanism.compiled_model(program), property_)


@pytest.mark.nightly
@each_module
def test_every_edge_is_a_step_of_the_terms_and_every_step_is_an_edge(of):
    """A-TICKETS: of tickets, too."""
    found, subject = states.Differences(), of.subject
    for program in (*subject.small(subject.last), *of.larger):
        placed = subject.placed(program, Steps)
        states.compare(placed, explore(placed.model, bound=10_000), found)
    assert found.wrong == []
    assert set(subject.system(Steps).actions()) - found.taken == of.untaken


def reached_by_one(of: Module, program: Any) -> Any:
    """The states of a scenario, with all conjuncts of the last system that does not refuse it."""
    for system in reversed([*of.subject.theorems]):
        try:
            return of.subject.reached(program, system, bound=500)
        except ValueError as refused:
            last = refused
    raise last


@pytest.mark.nightly
@each_module
def test_every_conjunct_holds_in_the_states_of_every_scenario(of):
    assert set(of.subject.witnesses(of.subject.last)) == {"start", *of.subject.mechanism.labels}
    for program in (*of.subject.mechanism.scenarios.values(), *of.larger):
        reached = reached_by_one(of, program)
        assert reached.instance.initial(reached.start)
        assert reached.instance.broken(reached.start) == []
        assert broken_goal(reached) is None


@pytest.mark.nightly
def test_tickets_are_of_all_that_slept():
    """A-TICKETS: of module Conditions, in drawn sequences of sleeps, notifications and wakes."""
    subject = MODULES[1].subject
    program = subject.mechanism.scenarios["closes"]
    constants = subject.mechanism.constants_of(program)
    env = subject.specification().model(constants, tuple(program["threads"])).env
    of = subject.specification().module
    place = of.definition("Init").place

    def set_of(names: Any) -> Builtin:
        texts = tuple(Text(each, place) for each in sorted(names))
        return Builtin("$SetEnumerate", texts, (), place, Level.CONSTANT)

    def value(name: str, tickets: list[set[str]], other: Any) -> Any:
        definition = of.definition(name)
        first = Builtin("$Tuple", tuple(map(set_of, tickets)), (), place, Level.CONSTANT)
        return as_plain(env.value(Call(definition, (first, other), place, Level.CONSTANT)))

    draw, of_several = random.Random(1), 0
    asleep, tickets, offered = set(), [], set()
    for _ in range(400):
        thread = draw.choice("abcde")
        if thread in offered and draw.random() < 0.6:
            tickets = [*map(set, value("Taken", tickets, Text(thread, place)))]
            asleep, offered = asleep - {thread}, offered - {thread}
        elif draw.random() < 0.3:
            tickets = [*map(set, value("NotifiedAll", tickets, set_of(asleep)))]
            offered = {*asleep}
        else:
            asleep = asleep | {thread}
        of_several += len(offered) > 2
        assert {t for t in "abcde" if value("Offered", tickets, Text(t, place))} == offered
    assert of_several > 20


@pytest.mark.nightly
def test_a_pool_that_no_thread_closes_waits_for_ever():
    """A-CLOSES: its thread sleeps, and no other is left."""
    subject = MODULES[0].subject
    reached = subject.reached(of_executor("a", one="submit a"), subject.last)
    assert violated(reached, DEADLOCK) == ""
    closed = subject.reached(of_executor("a", one="submit a; close"), subject.last)
    assert violated(closed, DEADLOCK) != ""
