"""The purgatory's properties, judged along a controlled run of the implementation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wheelproof.python.runtime.threads import Thread
from wheelproof.python.search.run import Run

Values = Mapping[str, tuple[Any, ...]]


class Broken(NamedTuple):
    """A property of the specification that a run breaks. ``NoDeadlock`` and ``Crash``: no end."""

    property: str
    says: str

    def __str__(self) -> str:
        return f"{self.property}: {self.says}"


class Judge:
    """Follows a run, step by step.

    ``places``: operation -> (key, number of the list) of the lists that it came into. ``dropped``:
    lists that cancelForKey took away; ``revoked``: operations that were in them. ``winner``:
    operation -> the thread that completed it.

    The properties are those of ``spec/Purgatory.tla``. Where a caller completes an operation
    before it is entered, it is tried all the same: ``TryExcludesComplete`` is not judged there. It
    is one of ``Blocking`` alone. An onComplete that raises ends a traversal: what is to be so
    afterwards is not judged then.
    """

    def __init__(self, run: Run, scenario: Mapping[str, Any], only: str | None = None) -> None:
        self.run, self.scenario, self.only = run, scenario, only
        self.operations, self.keys = tuple(scenario["need"]), tuple(scenario["keys"])
        self.conditions = tuple(dict.fromkeys(scenario["need"].values()))
        self.places: dict[str, set[tuple[str, int]]] = {each: set() for each in self.operations}
        self.dropped: set[tuple[str, int]] = set()
        self.revoked: set[str] = set()
        self.winner: dict[str, str] = {}
        self.now: Values = dict(run.shared())
        self.then = self.now
        self.forced = {
            arguments[0]
            for program in scenario["threads"].values()
            for operation, *arguments in program
            if operation == "force"
        }

    def broken(self, name: str, says: str) -> Broken | None:
        return Broken(name, says) if self.only in (None, name) else None

    # -- reading a state

    def of(self, variable: str, operation: str) -> Any:
        return self.now[variable][self.operations.index(operation)]

    def content(self, key: str, number: int, values: Values | None = None) -> tuple[str, ...]:
        """The operations in a list of a key."""
        content = (values or self.now)["content"][self.keys.index(key)]
        return tuple(each for each in content[number - 1] if each is not None)

    def number(self, key: str, values: Values | None = None) -> int:
        """The number of the list that a key has now, 0 for none."""
        return int((values or self.now)["list"][self.keys.index(key)])

    def current(self, key: str) -> tuple[str, ...]:
        number = self.number(key)
        return self.content(key, number) if number else ()

    # -- along the run

    def after(self, thread: Thread, label: str) -> Broken | None:
        """A thread has taken the step of a label. Returns the first property that is broken."""
        self.then, self.now = self.now, dict(self.run.shared())
        self._note(thread.name, label)
        return self._always(thread.name) or self._tries() or self._events()

    def _note(self, thread: str, label: str) -> None:
        for at, key in enumerate(self.keys):
            before, after = self.then["content"][at], self.now["content"][at]
            for number, content in enumerate(after, 1):
                known = len(before[number - 1]) if number <= len(before) else 0
                for each in content[known:]:
                    self.places[each].add((key, number))
            if label == "F2" and self.then["list"][at] and not self.now["list"][at]:
                number = self.then["list"][at]
                self.dropped.add((key, number))
                self.revoked.update(self.content(key, number, self.then))
        for at, each in enumerate(self.operations):
            if self.now["completed"][at] and not self.then["completed"][at]:
                self.winner[each] = thread

    def _always(self, thread: str) -> Broken | None:
        (estimated,) = self.now["estimated"]
        if estimated not in range(len(self.operations) + 1):
            says = f"estimated is {estimated}, of {len(self.operations)} operations"
            if found := self.broken("TypeOK", says):
                return found
        for at, each in enumerate(self.operations):
            times = self.now["completions"][at]
            if times > 1 and (found := self.broken("CompletedOnce", f"{each} completed {times}")):
                return found
            new = self.now["expirations"][at] > self.then["expirations"][at]
            if new and self.winner.get(each) != thread:
                says = f"{thread} runs onExpiration of {each}, and did not complete it"
                if found := self.broken("ExpiredByTimeoutOnly", says):
                    return found
            if self.now["completed"][at] or each in self.revoked:
                continue
            for key, number in self.places[each] - self.dropped:
                if self.number(key) != number or each not in self.current(key):
                    says = f"{each} waits in list {number} of {key}, which no event finds"
                    if found := self.broken("WatcherReachable", says):
                        return found
        return None

    def _tries(self) -> Broken | None:
        """No thread is in front of the condition of an operation that has run onComplete."""
        if self.scenario["protocol"] != "Blocking":
            return None
        for thread in self.run.threads:
            if thread.label != "Y1":
                continue
            frame = thread.frame
            while frame is not None and frame.f_code.co_name != "try_complete":
                frame = frame.f_back
            assert frame is not None, "a step Y1 is in try_complete"
            tried = frame.f_locals["self"]
            for each, operation in self.run.harness.operations.items():
                late = operation is tried and self.of("completions", each) > 0
                if late and each not in self.forced:
                    says = f"{thread.name} tries {each}, which is completed"
                    if found := self.broken("TryExcludesComplete", says):
                        return found
        return None

    @property
    def raised(self) -> bool:
        """Whether an onComplete has raised."""
        return any(self.of("completions", each) for each in self.scenario["raises"])

    def waiting(self) -> list[str]:
        """Operations that were entered and not completed, and that no cancelled list had."""
        return [
            each
            for each in self.operations
            if not self.of("completed", each)
            and not self.of("entering", each)
            and each not in self.revoked
        ]

    def _events(self) -> Broken | None:
        """Once all who bring events are through, no operation waits whose condition is true."""
        programs = self.scenario["threads"]
        through = all(
            thread.label == "Done" or all(each[0] == "expire" for each in programs[thread.name])
            for thread in self.run.threads
        )
        if not through or self.raised:
            return None
        for each in self.waiting():
            if self.now["ready"][self.conditions.index(self.scenario["need"][each])]:
                says = f"{each} waits, its condition is true, and all events came"
                if found := self.broken("NoLostCompletion", says):
                    return found
        return None

    # -- at the end

    def at_rest(self) -> Broken | None:
        """No thread can move. Returns the first property that is broken."""
        if stuck := [f"{each.name} at {each.label}" for each in self.run.threads if not done(each)]:
            return self.broken("NoDeadlock", f"no thread can move: {', '.join(stuck)}")
        armed = [each for each in self.operations if self.of("armed", each)]
        leaked = [each for each in armed if self.of("completed", each)]
        wrong = [each for each in self.waiting() if each not in armed]
        delayed = self.run.harness.num_delayed()
        watched = self.run.harness.watched()
        lists = {key: self.current(key) for key in self.keys}
        places = sum(map(len, lists.values()))
        found = [
            leaked and self.broken("NoLeakedTimer", f"{leaked} are completed, and in the timer"),
            wrong and self.broken("NumDelayedExact", f"{wrong} wait, and are not in the timer"),
            delayed != len(armed)
            and self.broken("NumDelayedExact", f"num_delayed is {delayed}, and {armed} are armed"),
            watched != places
            and self.broken("WatchedExact", f"watched is {watched}, and the lists are {lists}"),
            None if self.raised else self._watched(lists),
        ]
        return next((each for each in found if each), None)

    def _watched(self, lists: Mapping[str, tuple[str, ...]]) -> Broken | None:
        empty = [key for key in self.keys if self.number(key) and not lists[key]]
        if empty:
            return self.broken("WatchedExact", f"{empty} have empty lists")
        for each in self.waiting():
            for key in self.scenario["keys_of"][each]:
                if lists[key].count(each) != 1:
                    says = f"{each} waits, and {key} has {lists[key]}"
                    return self.broken("WatchedExact", says)
        return None


def done(thread: Thread) -> bool:
    """Whether a thread has ended."""
    return thread.label == "Done"
