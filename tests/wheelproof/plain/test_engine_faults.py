"""Faults of the engine: the oracle of drawn programs names each of them."""

import itertools

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import KINDS, Writer, drawn
from wheelproof.plain.accesses import Accesses
from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument.calls import Calls
from wheelproof.plain.operations import ACQUIRE, Ending
from wheelproof.plain.primitives import Waited
from wheelproof.plain.schedulers.bounded import Bounded
from wheelproof.plain.schedulers.optimal_dpor import OptimalDPOR
from wheelproof.plain.schedulers.source_dpor import SourceDPOR
from wheelproof.plain.state import State

SEEDS = 40
"""Programs in which a fault must show."""


def _locks_exclude_nothing(monkeypatch):
    enabled = Execution.enabled

    def all_enabled(self):
        taken = {}
        for thread in self.threads:
            if not thread.done and thread.kind == ACQUIRE and thread.target.owner is not thread:
                taken[thread], thread.target.owner = thread.target.owner, None
        mask = enabled(self)
        for thread, owner in taken.items():
            thread.target.owner = owner
        return mask

    monkeypatch.setattr(Execution, "enabled", all_enabled)


def _state_outlives_a_run(monkeypatch):
    monkeypatch.setattr(State, "restore", lambda *_: None)
    monkeypatch.setattr(State, "restore_all", lambda self: [])


def _locks_outlive_a_run(monkeypatch):
    monkeypatch.setattr(Waited, "_renew", lambda self: None)


def _backtrack_points_are_dropped(monkeypatch):
    reverse = SourceDPOR._reverse

    def dropped(self, earlier, index, number, clock):
        if earlier % 3:
            reverse(self, earlier, index, number, clock)

    monkeypatch.setattr(SourceDPOR, "_reverse", dropped)


def _waits_are_reversed_in_whole_runs_alone(monkeypatch):
    finish = SourceDPOR.finish

    def whole(self, execution):
        if execution.ending is Ending.REDUNDANT:
            execution.ending = Ending.DIFFERENT
        finish(self, execution)

    monkeypatch.setattr(SourceDPOR, "finish", whole)


def _wakeup_sequences_are_dropped(monkeypatch):
    insert, counted = OptimalDPOR.insert, itertools.count()

    def dropped(self, execution, node, events, plan):
        if next(counted) % 3:
            insert(self, execution, node, events, plan)

    monkeypatch.setattr(OptimalDPOR, "insert", dropped)


def _wakeup_trees_end_too_early(monkeypatch):
    """A plan is taken for one that a branch covers, if the branch begins with its last thread."""
    insert = OptimalDPOR.insert

    def shorter(self, execution, node, events, plan):
        if all(branch.number != plan[-1].number for branch in node.branches):
            insert(self, execution, node, events, plan)

    monkeypatch.setattr(OptimalDPOR, "insert", shorter)


def _writes_depend_on_no_reads(monkeypatch):
    conflicts = Execution.conflicts

    def fewer(self, thread, writes):
        reads, thread.target.reads = thread.target.reads, None
        try:
            return conflicts(self, thread, writes)
        finally:
            thread.target.reads = reads

    monkeypatch.setattr(Execution, "conflicts", fewer)


def _a_racing_write_stays_off(monkeypatch):
    race = Accesses._race

    def half(self, first, second):
        race(self, first, second)
        self.racing = [site for site in self.racing if not site.text.endswith("=")]

    monkeypatch.setattr(Accesses, "_race", half)


def _calls_in_c_are_atomic(monkeypatch):
    called = Calls.called

    def atomic(self, thread, site, function, holder, writes, arguments, keywords):
        def whole(*arguments, **keywords):
            self.execution.running = None
            try:
                return function(*arguments, **keywords)
            finally:
                self.execution.running = thread

        return called(self, thread, site, whole, holder, writes, arguments, keywords)

    monkeypatch.setattr(Calls, "called", atomic)


CALLS = (Writer.called_back, Writer.dictionary, Writer.write)

FAULTS = {
    "a lock excludes no thread": (_locks_exclude_nothing, (Writer.guarded, Writer.reentrant)),
    "state outlives a run": (_state_outlives_a_run, KINDS),
    "the clocks of a lock outlive a run": (_locks_outlive_a_run, KINDS),
    "a backtrack point is dropped": (_backtrack_points_are_dropped, KINDS),
    "a wait is reversed in whole runs alone": (
        _waits_are_reversed_in_whole_runs_alone,
        (Writer.nested, Writer.guarded, Writer.guarded, Writer.reentrant),
    ),
    "a wakeup sequence is dropped": (_wakeup_sequences_are_dropped, KINDS),
    "a wakeup tree ends too early": (_wakeup_trees_end_too_early, KINDS),
    "a write depends on no read": (_writes_depend_on_no_reads, KINDS),
    "half of a race stays off": (_a_racing_write_stays_off, KINDS),
    "a call in C is atomic": (
        _calls_in_c_are_atomic,
        (Writer.called_back, Writer.dictionary, Writer.write),
    ),
}


def _states_forget_what_they_depend_on(monkeypatch):
    performed = Bounded.performed

    def alone(self, execution, thread, index, location, conflicts, writes):
        performed(self, execution, thread, index, None, conflicts, writes)

    monkeypatch.setattr(Bounded, "performed", alone)


def _states_forget_their_preemptions(monkeypatch):
    known = Bounded._is_known

    def first(self, execution, running):
        preemptions, execution.preemptions = execution.preemptions, 0
        try:
            return known(self, execution, running)
        finally:
            execution.preemptions = preemptions

    monkeypatch.setattr(Bounded, "_is_known", first)


STATES = (_states_forget_what_they_depend_on, _states_forget_their_preemptions)


def _found(explorer, kinds, naive=0):
    for seed in range(SEEDS):
        comparison = oracle.compared(explorer, drawn(seed, kinds), naive, most=1_000)
        if comparison.difference:
            return f"seed {seed}: {comparison.difference}"
    return ""


def test_the_oracle_accepts_the_engine_without_a_fault():
    assert _found(oracle.Drawn(), KINDS) == ""


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", FAULTS)
def test_the_oracle_finds_a_fault_of_the_engine(name, monkeypatch):
    plant, kinds = FAULTS[name]
    plant(monkeypatch)
    assert _found(oracle.Drawn(), kinds)


@pytest.mark.daily(2)
@pytest.mark.parametrize("plant", STATES)
def test_the_oracle_finds_a_state_that_is_taken_for_another(plant, monkeypatch):
    plant(monkeypatch)
    assert _found(oracle.Drawn(), KINDS, naive=400).partition(": ")[2].startswith("bound ")


def _repeated_races_are_left_out(monkeypatch):
    performed = OptimalDPOR.performed

    def new(self, execution, thread, index, location, conflicts, writes):
        if index < self._repeated:
            conflicts = []
        performed(self, execution, thread, index, location, conflicts, writes)

    monkeypatch.setattr(OptimalDPOR, "performed", new)


def test_the_oracle_finds_that_the_races_of_a_repeated_part_are_left_out(monkeypatch):
    program = drawn(751)
    assert oracle.compared(oracle.Drawn(), program, naive=0).difference == ""
    _repeated_races_are_left_out(monkeypatch)
    assert oracle.compared(oracle.Drawn(), program, naive=0).difference.startswith("optimal: ")
