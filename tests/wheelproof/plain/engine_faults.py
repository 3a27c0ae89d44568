"""Faults of the engine, each planted by a patch, with the statements in whose programs it shows."""

import itertools

from tests.wheelproof.plain.drawn import KINDS, POLLING, Writer
from wheelproof.plain import polling
from wheelproof.plain.accesses import Accesses
from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument.calls import Calls
from wheelproof.plain.operations import ACQUIRE, Ending
from wheelproof.plain.polling import Polling
from wheelproof.plain.primitives import Waited
from wheelproof.plain.schedulers.optimal_dpor import OptimalDPOR
from wheelproof.plain.schedulers.source_dpor import SourceDPOR
from wheelproof.plain.state import State


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


def _no_iterator_takes_a_step(monkeypatch):
    monkeypatch.setattr(Polling, "steps", lambda *_: None)


def _code_in_c_has_no_loop(monkeypatch):
    monkeypatch.setattr(polling, "beneath_other_code", lambda frame: False)


def _a_thread_that_polls_is_never_parked(monkeypatch):
    monkeypatch.setattr(Polling, "_is_same", lambda *_: False)


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
    "no iterator takes a step": (_no_iterator_takes_a_step, (Writer.tries, Writer.write)),
    "code in C has no loop": (_code_in_c_has_no_loop, (Writer.rests, Writer.write, Writer.read)),
    "a thread that polls is never parked": (_a_thread_that_polls_is_never_parked, POLLING),
}
