"""Transition systems, on a small one: a lock, and a counter that only its holder changes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import z3
from z3 import And, ForAll, Implies, Store

from wheelproof.prove.ts.concrete import Compiled, Compiler, Instance, NotFinite
from wheelproof.prove.ts.ground import terms_of
from wheelproof.prove.ts.search import BudgetSpent, Roles, induction_gap, search
from wheelproof.prove.ts.system import (
    Enumeration,
    System,
    action,
    array,
    conditions,
    conjunct,
    enabled,
    kept,
    nullable,
    safety,
    sort,
    when,
)

PEER = sort("Peer", null="no_peer")
NO_PEER = PEER.null
PLACE = Enumeration("LockPlace", "Out In Left")
T, U = PEER.consts("one two")


class Lock(System):
    """Threads take a lock, count, and leave."""

    SORTS = (PEER,)
    VARIABLES = {
        "at": array(PEER, PLACE),
        "owner": PEER.z3,
        "count": z3.IntSort(),
        "last": array(PEER, PEER),
    }
    RIGID = {"chief": PEER.z3}

    def initially(self, s):
        return [
            ForAll([T], And(s.at[T] == PLACE.Out, s.last[T] == NO_PEER)),
            s.owner == NO_PEER,
            s.count == 0,
        ]

    def given(self, s):
        return [s.chief != NO_PEER]

    @action(t=PEER, begins=True)
    def enters(self, s, t):
        return when(s.at[t] == PLACE.Out, s.owner == NO_PEER, at=Store(s.at, t, PLACE.In), owner=t)

    @action(t=PEER, u=nullable(PEER))
    def leaves(self, s, t, u):
        return when(
            s.at[t] == PLACE.In,
            at=Store(s.at, t, PLACE.Left),
            owner=NO_PEER,
            count=s.count + 1,
            last=Store(s.last, t, u),
        )

    @conjunct
    def owner_is_in(self, s):
        """Who is in is the owner."""
        return ForAll(
            [T],
            And(
                Implies(T != NO_PEER, (s.at[T] == PLACE.In) == (s.owner == T)),
                s.at[NO_PEER] == PLACE.Out,
            ),
        )

    @kept("a bound that the safety property does not need")
    def count_grows(self, s):
        """The count is no less than at the start."""
        return s.count >= 0

    @safety("Q1")
    def one_is_in(self, s):
        """At most one thread is in."""
        return ForAll([T, U], Implies(And(s.at[T] == PLACE.In, s.at[U] == PLACE.In), T == U))


class Unlocked(Lock):
    """The mutant: no thread looks whether the lock is free."""

    @action(t=PEER, begins=True)
    def enters(self, s, t):
        return when(s.at[t] == PLACE.Out, at=Store(s.at, t, PLACE.In), owner=t)


class FalseAtStart(Lock):
    """A claim that the start breaks."""

    @safety("Q2")
    def a_thread_is_in(self, s):
        """A thread has the lock."""
        return s.owner != NO_PEER


def refuted(condition) -> bool:
    solver = z3.Solver()
    solver.add(*condition.premises.values(), z3.Not(condition.goal))
    answer = solver.check()
    assert answer != z3.unknown, condition.name
    return answer == z3.unsat


def instance(system: System, peers: str = "a b") -> Instance:
    return Instance(Compiled(system), {"Peer": peers.split()}, {"chief": "a"})


def start(of: Instance) -> tuple:
    return of.state({"at": {}, "owner": None, "count": 0, "last": {}})


# -- conditions


def test_the_invariant_is_inductive_and_gives_safety():
    names = {condition.name: refuted(condition) for condition in conditions(Lock())}
    assert all(names.values()), [name for name, holds in names.items() if not holds]
    assert {
        "init/owner_is_in",
        "step/enters/owner_is_in",
        "step/leaves/count_grows",
        "safety/one_is_in",
    } <= set(names)
    assert (
        "step/enters/count_grows" not in names
    )  # entering does not touch the count: the conjunct is its own premise


def test_a_mutant_has_a_condition_that_fails():
    failing = {condition.name for condition in conditions(Unlocked()) if not refuted(condition)}
    assert failing == {"step/enters/owner_is_in"}


def test_without_a_conjunct_safety_does_not_follow():
    failing = {
        condition.name
        for condition in conditions(Lock(), without="owner_is_in")
        if not refuted(condition)
    }
    assert failing == {"safety/one_is_in"}
    assert not [
        condition
        for condition in conditions(Lock(), without="count_grows")
        if not refuted(condition)
    ]
    assert Lock.conjuncts()["count_grows"].kept


def test_every_action_can_be_taken_where_the_invariant_holds():
    for name in Lock.actions():
        solver = z3.Solver()
        solver.add(*enabled(Lock(), name).values())
        assert solver.check() == z3.sat, name


def test_an_action_that_sets_no_variable_of_the_system_is_refused():
    class Wrong(Lock):
        @action(t=PEER)
        def leaves(self, s, t):
            return when(s.at[t] == PLACE.In, counted=s.count + 1)

    with pytest.raises(TypeError, match="leaves sets counted"):
        list(conditions(Wrong()))


def test_an_override_that_is_no_action_takes_the_action_away():
    class Fewer(Lock):
        leaves = None

    assert list(Fewer.actions()) == ["enters"]


def test_an_enumeration_names_what_it_lacks():
    with pytest.raises(AttributeError, match="there is no Upstairs among Out, In, Left"):
        _ = PLACE.Upstairs


# -- finite states


def test_steps_of_finite_states_are_those_of_the_terms():
    of = instance(Lock())
    first = start(of)
    assert of.initial(first) and not of.broken(first)
    (one, two) = of.moves(first)
    assert [(move.action, of.argument_names(move)) for move in (one, two)] == [
        ("enters", ("a",)),
        ("enters", ("b",)),
    ]
    assert of.named(one.after) == {
        "at": {"a": "In", "b": "Out"},
        "owner": "a",
        "count": 0,
        "last": {"a": None, "b": None},
    }
    assert {of.argument_names(move) for move in of.moves(one.after)} == {
        ("a", "a"),
        ("a", "b"),
        ("a", None),
    }
    assert of.take("enters", one.after, (1,)) is None
    assert [move.arguments for move in of.moves(first, ["enters"], thread=1)] == [(1,)]


def test_finite_states_and_solver_agree_on_every_step():
    """The compiled terms against z3's simplifier, in every reachable state, for all arguments."""
    of = instance(Lock())
    system, peers = of.system, [z3.Const(f"peer {name}", PEER.z3) for name in of.elements["Peer"]]

    def element(number):
        return NO_PEER if number == -1 else peers[number]

    place = [getattr(PLACE, name) for name in PLACE.values]
    apart = z3.Distinct(NO_PEER, *peers)

    def as_terms(state):
        at, owner, count, last = state
        arrays = {"at": z3.K(PEER.z3, place[at[-1]]), "last": z3.K(PEER.z3, element(last[-1]))}
        for index, peer in enumerate(peers):
            arrays["at"], arrays["last"] = (
                Store(arrays["at"], peer, place[at[index]]),
                Store(arrays["last"], peer, element(last[index])),
            )
        return SimpleNamespace(
            chief=peers[0], owner=element(owner), count=z3.IntVal(count), **arrays
        )

    seen, waiting, compared = {start(of)}, [start(of)], 0
    while waiting:
        state = waiting.pop()
        s = as_terms(state)
        for name in system.actions():
            values, made = system.step(name, s)
            kinds = system.actions()[name].parameters.values()
            for arguments in (
                (i, *rest)
                for i in range(len(peers))
                for rest in ([()] if len(kinds) == 1 else [(-1,), (0,), (1,)])
            ):
                bind = [
                    (value, element(number)) for value, number in zip(values.values(), arguments)
                ]
                after = of.take(name, state, arguments)
                guard = z3.substitute(And(list(made.guards)), *bind)
                solver = z3.Solver()
                solver.add(apart, guard != (after is not None))
                assert solver.check() == z3.unsat, (name, arguments, state)
                if after is not None:
                    then, mine = system.after(s, made), as_terms(after)
                    for variable in system.VARIABLES:
                        one, other = (
                            z3.substitute(getattr(then, variable), *bind),
                            getattr(mine, variable),
                        )
                        solver = z3.Solver()
                        differ = (
                            one != other
                            if not isinstance(one, z3.ArrayRef)
                            else z3.Or([one[e] != other[e] for e in [NO_PEER, *peers]])
                        )
                        solver.add(apart, differ)
                        assert solver.check() == z3.unsat, (name, arguments, variable)
                    compared += 1
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
    assert compared > 20


def test_constants_must_be_as_the_system_assumes():
    with pytest.raises(ValueError, match="Lock assumes"):
        Instance(Compiled(Lock()), {"Peer": ["a"]}, {"chief": None})


def test_a_written_start_has_values_for_elements_alone():
    """A place that is left out has the default, so a mistaken one would pass for it."""
    made, values = instance(Lock()), {"at": {}, "owner": None, "count": 0, "last": {}}
    assert made.start(values) == start(made)
    with pytest.raises(KeyError, match="at has a value for 'c', which is no Peer"):
        made.start(values | {"at": {"c": "Idle"}})


def test_a_term_that_has_no_finite_meaning_is_refused():
    x = z3.Real("x")
    with pytest.raises(NotFinite, match="is not known"):
        Compiler({"x": "x"}, []).text(z3.Sqrt(x) == x)
    with pytest.raises(NotFinite, match="neither a variable"):
        Compiler({}, []).text(z3.Int("y") == 1)


# -- bounded search


def test_a_mutant_has_a_shortest_trace_from_the_start():
    everybody = Roles({"a": ["enters"], "b": ["enters"]})
    found = search(instance(Unlocked()), start(instance(Unlocked())), "one_is_in", everybody)
    assert [str(step) for step in found.trace] == ["enters(a)", "enters(b)"]
    right = search(instance(Lock()), start(instance(Lock())), "one_is_in", everybody)
    assert right.trace is None and right.taken == {"enters", "leaves"} and right.states > 3


def test_a_thread_begins_no_more_than_its_role_allows():
    alone = Roles({"a": ["enters"]})
    assert (
        search(instance(Unlocked()), start(instance(Unlocked())), "one_is_in", alone).trace is None
    )


def test_a_start_that_breaks_the_property_is_the_whole_trace():
    of = instance(FalseAtStart())
    found = search(of, start(of), "a_thread_is_in", Roles({}))
    assert (found.property, found.trace, found.states, found.depth, found.final) == (
        "a_thread_is_in",
        [],
        1,
        0,
        start(of),
    )


def test_no_term_with_a_bound_variable_is_taken_for_a_ground_one():
    """A variable that occurs again is met as what is known already."""
    s, chief = Lock().symbols(), z3.Const("chief!", PEER.z3)
    formula = ForAll(
        [T], And(s.at[T] == s.at[s.last[T]], s.last[s.last[T]] == s.last[chief], s.last[T] == T)
    )
    found = terms_of([formula, formula.body(), s.last[chief] == chief], {"Peer": PEER.z3})
    assert {str(term) for term in found["Peer"]} == {"chief!", "last[chief!]"}


def test_a_search_starts_where_the_system_does_and_ends_at_its_bound():
    of = instance(Lock())
    inside = of.take("enters", start(of), (0,))
    with pytest.raises(ValueError, match="does not start"):
        search(of, inside, "one_is_in", Roles({}))
    with pytest.raises(BudgetSpent):
        search(of, start(of), "one_is_in", Roles({"a": ["enters"], "b": ["enters"]}), bound=2)


def test_a_gap_in_the_induction_is_found_among_given_states():
    of = instance(Unlocked())
    inside = of.take("enters", start(of), (0,))
    state, move = induction_gap(of, [inside], "owner_is_in")
    assert state == inside and move.action == "enters"
    assert induction_gap(instance(Lock()), [inside], "owner_is_in") is None
