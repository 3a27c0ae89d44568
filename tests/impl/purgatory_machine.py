"""A Hypothesis state machine: the purgatory with the real timer beside a table of what waits where.

The operations' own callbacks report to the table what completes, and the table judges whether it
may. Properties have the names of the specification. Five more are the table's own: ``Timeout``
(neither early nor late), ``CompletedByRight``, ``Results``, ``Refusal`` and ``LocksAreFree``.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from impl import delayed_operation_purgatory
from tests.impl.purgatories import Held

KEYS, OPERATIONS = "klm", 6
NEVER = 10**9


class OfTheOperation(Exception):
    """What an onComplete raises."""


class Purgatories(RuleBasedStateMachine):
    """``lists``: key -> operations that were added to its list and have not been dropped from it.

    ``due``: operation -> the time of its timeout, until that ran or was cancelled. ``handed``: what
    the executor has or had. ``behind``: it runs nothing now. ``closed``: shut down. ``inside``: the
    operations whose onComplete runs, the outermost first; ``broken_at``: the same when the last
    exception was raised. ``early``: completed by their owner before they were entered, which does
    not look at that. ``completions``: (number of
    the operations inside which, operation), in their order.
    """

    classes = delayed_operation_purgatory
    only: str | None = None
    """The one property to judge by; None: all of them."""

    def judge(self, name, holds, says):
        """Fail by the name of a property that does not hold."""
        if not holds and self.only in (None, name):
            # in the timer's thread an exception is logged: the first one is raised after the rule
            self.broken = self.broken or f"{name}: {says}"
            raise AssertionError(self.broken)

    @initialize(interval=st.sampled_from([0, 1, 3]), tick=st.sampled_from([1, 3]))
    def begin(self, interval, tick):
        self.held = Held(self.classes, interval, tick)
        self.interval, self.estimated = interval, 0
        self.lists: dict[str, list[int]] = defaultdict(list)
        self.due: dict[int, int] = {}
        self.handed: set[int] = set()
        self.broken, self.calls = "", 0
        self.behind = self.closed = False
        self.ready: set[int] = set()
        self.entered: set[int] = set()
        self.completed: set[int] = set()
        self.early: set[int] = set()
        self.expired: set[int] = set()
        self.forced: int | None = None
        self.by_timeout: set[int] = set()
        self.completions: list[tuple[int, int]] = []
        self.keys_of: dict[int, str] = {}
        self.script: dict[int, list[tuple]] = defaultdict(list)
        self.inside: list[int] = []
        self.broken_at: tuple[int, ...] = ()
        self.operations = [self.made(number) for number in range(OPERATIONS)]

    def made(self, number):
        return self.held.operation(
            0,
            try_complete=lambda: self.tries(number),
            on_complete=lambda: self.completes(number),
            on_expiration=lambda: self.expires(number),
        )

    # -- what the operations do when they are called

    def tries(self, number):
        self.judge(
            "TryExcludesComplete",
            number not in self.completed or number in self.early,
            f"{number} is completed, and tried",
        )
        return number in self.ready and self.operations[number].force_complete()

    def completes(self, number):
        self.judge("CompletedOnce", number not in self.completed, f"{number} completes again")
        if self.calls:
            self.judge(
                "CompletedByRight",
                number in self.ready or number == self.forced,
                f"{number} completes, and its condition is false",
            )
        else:
            self.judge(
                "Timeout",
                number in self.handed
                or (not self.closed and self.reached(self.due.get(number, NEVER))),
                f"{number} completes, and is not due at {self.held.now}, or shutdown came before",
            )
            self.by_timeout.add(number)
        self.completions.append((len(self.inside), number))
        self.completed.add(number)
        self.due.pop(number, None)
        self.inside.append(number)
        try:
            for action, *arguments in self.script.pop(number, ()):
                if action == "raise":
                    self.broken_at = tuple(self.inside)
                    raise OfTheOperation
                {"enter": self.entering, "check": self.checking}[action](*arguments)
        finally:
            self.inside.pop()

    def expires(self, number):
        self.judge(
            "ExpiredByTimeoutOnly",
            number in self.by_timeout and number not in self.expired,
            f"{number} expires, and did not complete by its timeout, or did it before",
        )
        self.expired.add(number)

    @contextmanager
    def calling(self):
        """A call on the purgatory: what completes within it does so by an event, not by time."""
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1

    def reached(self, deadline):
        """Whether a deadline's tick has come."""
        return deadline - deadline % self.held.tick_ms <= self.held.now

    # -- operations on the purgatory, from outside and from onComplete

    def entering(self, number, keys, delay):
        if number in self.entered:
            return
        self.entered.add(number)
        self.early |= {number} & self.completed
        operation, may_wait = self.operations[number], number not in self.completed
        ready = number in self.ready
        operation.delay_ms = delay
        if may_wait and not ready:
            self.keys_of[number] = keys
            for key in keys:
                self.lists[key].append(number)
            self.due[number] = self.held.now + delay
        if not (may_wait and ready):
            self.estimated += 1
        refused, at_once = None, self.held.at_once(delay)
        try:
            with self.calling():
                done = self.held.purgatory.try_complete_else_watch(operation, tuple(keys))
        except RuntimeError as error:
            done, refused = False, error
        self.judge(
            "Refusal",
            (refused is not None) == (self.closed and at_once and number in self.due),
            f"entering {number} raises {refused!r}",
        )
        if refused:
            del self.due[number]
        self.judge("Results", done == (may_wait and ready), f"entering {number} returns {done}")
        self.judge(
            "NoLostCompletion",
            number not in self.ready or number in self.completed,
            f"{number} is entered with its condition true, and waits",
        )

    def checking(self, key):
        depth, before = len(self.inside), len(self.completions)
        try:
            with self.calling():
                count = self.held.purgatory.check_and_complete(key)
        except OfTheOperation:
            # the traversal ends at the operation whose onComplete raised, which stays
            mine = self.lists[key]
            at = mine.index(self.broken_at[depth]) if self.broken_at[depth] in mine else 0
            self.lists[key] = [each for each in mine[:at] if each not in self.completed] + mine[at:]
            raise
        left = [each for each in self.lists[key] if each in self.ready - self.completed]
        self.judge("NoLostCompletion", not left, f"{left} wait for {key}, whose event came")
        mine = [number for deep, number in self.completions[before:] if deep == depth]
        self.judge(
            "Results", count == len(mine), f"checking {key} returns {count}, and completed {mine}"
        )
        self.lists[key] = [each for each in self.lists[key] if each not in self.completed]

    # -- after every rule

    @invariant()
    def holds_what_waits(self):
        if not hasattr(self, "held"):
            return
        self.held.hand_over()
        for each in [each for each in self.delayed if self.reached(self.due[each])]:
            if self.closed:
                # the executor refuses it: it waits for its events alone
                del self.due[each]
            else:
                self.handed.add(each)
        if self.behind:
            self.compare()
            return
        self.held.run_due()
        assert not self.broken, self.broken
        late = {each: at for each, at in self.due.items() if self.reached(at)}
        self.judge("Timeout", not late, f"{late} were due, and wait at {self.held.now}")
        self.compare()

    @property
    def delayed(self):
        """The operations that the timer has."""
        return sorted(self.due.keys() - self.handed)

    def compare(self):
        """The purgatory's lists and counts are the table's."""
        number = {id(operation): i for i, operation in enumerate(self.operations)}
        lists = {
            key: [number[id(each)] for each in mine] for key, mine in self.held.lists().items()
        }
        lost = [
            (each, key)
            for key, mine in self.lists.items()
            for each in mine
            if each not in self.completed and each not in lists.get(key, ())
        ]
        self.judge("WatcherReachable", not lost, f"{lost} wait, and the lists are {lists}")
        places = {key: mine for key, mine in self.lists.items() if mine}
        self.judge("WatchedExact", lists == places, f"the lists are {lists}, not {places}")
        watched, wait = self.held.purgatory.watched(), sum(map(len, places.values()))
        self.judge("WatchedExact", watched == wait, f"watched is {watched}, not {wait}")
        delayed, due = self.held.purgatory.num_delayed(), self.delayed
        self.judge(
            "NumDelayedExact", delayed == len(due), f"num_delayed is {delayed}, {due} are delayed"
        )
        free = not any(operation.lock._is_owned() for operation in self.operations)
        self.judge("LocksAreFree", free, "an operation's lock was not given back")
        free = not any(shard.lock.locked() for shard in self.held.purgatory.shards)
        self.judge("LocksAreFree", free, "a shard's lock was not given back")

    # -- rules

    number = st.integers(0, OPERATIONS - 1)
    key = st.sampled_from(KEYS)
    keys = st.lists(key, min_size=1, max_size=3, unique=True).map("".join)
    delay = st.one_of(st.integers(0, 6), st.integers(0, 100))
    action = st.one_of(
        st.just(("raise",)),
        st.tuples(st.just("check"), key),
        st.tuples(st.just("enter"), number, keys, delay),
    )

    def outside(self, call, *arguments):
        """What an onComplete raises goes up to the thread that called."""
        try:
            call(*arguments)
        except OfTheOperation:
            assert not self.inside

    @rule(number=number, keys=keys, delay=delay)
    def enter(self, number, keys, delay):
        self.outside(self.entering, number, keys, delay)

    @rule(number=number)
    def becomes_true(self, number):
        """A condition becomes true, and no event says so yet."""
        if number not in self.completed:
            self.ready.add(number)

    @rule(key=key)
    def check(self, key):
        self.outside(self.checking, key)

    @rule(number=number)
    def event(self, number):
        """A condition becomes true, and the event comes to one of the operation's keys."""
        if number in self.keys_of:
            self.becomes_true(number)
            self.check(self.keys_of[number][0])

    @rule(number=number, action=action)
    def when_it_completes(self, number, action):
        if number not in self.completed:
            self.script[number].append(action)

    @rule(number=number)
    def force(self, number):
        """The operation's owner completes it, whatever its condition is."""
        self.forced, waits = number, number not in self.completed

        def forcing():
            with self.calling():
                done = self.operations[number].force_complete()
            self.judge("Results", done == waits, f"forcing {number} returns {done}")

        self.outside(forcing)
        self.forced = None

    @rule(ms=delay)
    def advance(self, ms):
        self.held.leap(ms)

    @rule(behind=st.booleans())
    def executor_is_behind(self, behind):
        """What is handed over waits for the executor, until it is no longer behind."""
        self.behind = behind

    @rule(key=key)
    def cancel_key(self, key):
        mine = self.lists.pop(key, [])
        given = self.held.purgatory.cancel_for_key(key)
        wanted = [self.operations[each] for each in mine]
        self.judge("Results", given == wanted, f"cancelling {key} returns {len(given)} of {mine}")
        for each in mine:
            self.due.pop(each, None)

    @rule()
    def purge(self):
        self.held.purgatory.purge()
        if self.estimated - len(self.delayed) > self.interval:
            self.estimated = len(self.delayed)
            for key, mine in self.lists.items():
                self.lists[key] = [each for each in mine if each not in self.completed]

    @rule(block=st.booleans())
    def shutdown(self, block):
        """What the executor has runs to its end. What waits goes on waiting, and never expires."""
        self.closed, purgatory = True, self.held.purgatory
        try:
            if block:
                with purgatory as given:
                    self.judge("Results", given is purgatory, f"with gives {given}")
            else:
                purgatory.shutdown()
        except RuntimeError as error:
            self.judge("Results", False, f"shutting down raises {error!r}")
        assert not self.broken, self.broken
        left = self.handed & self.due.keys()
        self.judge("Timeout", not left, f"{left} were handed over, and shutdown let them wait")
