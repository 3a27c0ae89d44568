"""Five conditions for a timer, from one point per operation to as many as Kafka's has.

Each is linearizability, relaxed by exactly the points that it gives to an operation: between its
call and its return the operation takes them one by one. A condition explains a history if some
order of all points has the history's results.

Deadlines are in milliseconds, on a tick of 1. Every delay is at least 1, so no add is due at once.
Two operations end a history, when nothing else runs. ``linked`` gives the tasks that wait and the
tasks of cancelled entries that were left in a bucket. In ``leap`` all deadlines pass; it gives the
tasks that were handed over since the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from wheelproof.linearizability.conditions import Linearizable
from wheelproof.linearizability.histories import CALLED, LATER, Done, Operation, explain

LEAP_MS = 1_000_000


class Entry(NamedTuple):
    """``number``: of the add that made it."""

    number: int
    task: str
    deadline: int


class State(NamedTuple):
    """``current``: the live entry of each task that has one.

    ``linked``: the entries that ``size`` counts.

    ``unqueued``: linked entries whose add has not yet made sure that the bucket is queued.
    ``handed``: those handed over so far.
    """

    now: int = 0
    current: frozenset[Entry] = frozenset()
    linked: frozenset[Entry] = frozenset()
    unqueued: frozenset[Entry] = frozenset()
    handed: frozenset[Entry] = frozenset()

    def without(self, task: str) -> State:
        """The task's entry leaves: no task has it, and no bucket."""
        gone = {entry for entry in self.current if entry.task == task}
        return self._replace(current=self.current - gone, linked=self.linked - gone)

    def with_link(self, entry: Entry) -> State:
        return self._replace(linked=self.linked | {entry})

    def due(self, now: int) -> frozenset[Entry]:
        return frozenset(entry for entry in self.linked if entry.deadline <= now)

    def at(self, now: int) -> State:
        """What is due by then has left, and was handed over unless cancelled."""
        due = self.due(now)
        return self._replace(
            now=now,
            current=self.current - due,
            linked=self.linked - due,
            handed=self.handed | due & self.current,
        )


def names(entries: frozenset[Entry]) -> tuple[str, ...]:
    return tuple(sorted(entry.task for entry in entries))


class Action(NamedTuple):
    """What is called: ``task``, ``ms``: None where it takes none."""

    name: str
    task: str | None = None
    ms: int | None = None

    def __str__(self) -> str:
        arguments = (self.task, self.ms)
        return f"{self.name}({', '.join(str(part) for part in arguments if part is not None)})"


class OnePoint(Linearizable):
    """The sequential timer: a dict of deadlines. Every operation happens as a whole.

    True of Kafka's timer where each task has one thread that adds and cancels it, never adds it
    while it waits, and no time passes.
    """

    initial = State()

    def __init__(self, delays: Mapping[str, int]) -> None:
        """``delays``: task -> milliseconds."""
        self.delays = delays

    def points(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        yield from getattr(self, operation.call.name)(state, operation, at)

    def entry(self, state: State, operation: Operation) -> Entry:
        task = operation.call.task
        return Entry(operation.number, task, state.now + self.delays[task])

    def add(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        entry, state = self.entry(state, operation), state.without(operation.call.task)
        yield state._replace(current=state.current | {entry}).with_link(entry), Done(None)

    def cancel(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        yield state.without(operation.call.task), Done(None)

    def size(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        yield state, Done(len(state.linked))

    def advance(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        """Everything due is handed over; the result is its tasks."""
        after = state.at(state.now + operation.call.ms)
        yield after, Done(names(after.handed - state.handed))

    def leap(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        after = state.at(state.now + operation.call.ms)
        yield after, Done(names(after.handed))

    def linked(self, state: State, operation: Operation, at: Any) -> Iterator[tuple[State, Any]]:
        yield (
            state,
            Done((names(state.linked & state.current), names(state.linked - state.current))),
        )


class TwoPoints(OnePoint):
    """An add takes the task's old entry out, then puts the new one in unless the task is gone.

    True where each task has one thread that adds and cancels it, and no time passes.
    """

    def add(self, state, operation, at):
        if at is CALLED:
            entry, state = self.entry(state, operation), state.without(operation.call.task)
            yield state._replace(current=state.current | {entry}), entry
        elif at in state.current:
            yield state.with_link(at), Done(None)
        else:
            yield state, Done(None)


class ThreePoints(OnePoint):
    """A gap between the check of the task and the link: D3.

    An entry that is cancelled in the gap stays in its bucket.

    True as long as no time passes.
    """

    def add(self, state, operation, at):
        if at is CALLED:
            entry, state = self.entry(state, operation), state.without(operation.call.task)
            yield state._replace(current=state.current | {entry}), ("checks", entry)
            return
        doing, entry = at
        if doing == "links":
            yield state.with_link(entry), Done(None)
        elif entry in state.current:
            yield state, ("links", entry)
        else:
            yield state, Done(None)


class Sweep(NamedTuple):
    """The state of an advance.

    ``must``: entries that it has to take out. ``held``: the entry between two buckets.
    ``decided``: the decision about that one.
    """

    must: frozenset[Entry]
    handed: frozenset[Entry] = frozenset()
    held: Entry | None = None
    decided: str | None = None


class ManyPoints(ThreePoints):
    """An add reads the clock and queues the bucket at points of their own.

    The reaper takes entry by entry, as often as it likes, checks, and then hands over or puts
    back, so that ``size`` misses the entry that it holds. Entries that are due when the time passes
    are not left behind, unless an add is about to queue a bucket.

    True of all programs with one reaper.
    """

    def must(self, state: State, now: int) -> frozenset[Entry]:
        """What an advance to ``now`` has to take out."""
        return frozenset() if state.unqueued else state.due(now)

    def add(self, state, operation, at):
        if at is CALLED:
            yield state, ("replaces", self.entry(state, operation))
            return
        doing, entry = at
        if doing == "replaces":
            state = state.without(operation.call.task)
            yield state._replace(current=state.current | {entry}), ("checks", entry)
        elif doing == "checks":
            yield state, ("links", entry) if entry in state.current else Done(None)
        elif doing == "links":
            yield (
                state.with_link(entry)._replace(unqueued=state.unqueued | {entry}),
                ("queues", entry),
            )
        else:
            yield state._replace(unqueued=state.unqueued - {entry}), Done(None)

    def advance(self, state, operation, at):
        if at is CALLED:
            now = state.now + operation.call.ms
            yield state._replace(now=now), Sweep(self.must(state, now))
        elif at.held is None:
            if not at.must & state.linked:
                yield state, Done(names(at.handed))
            for entry in state.linked:
                yield state._replace(linked=state.linked - {entry}), at._replace(held=entry)
        elif at.decided is None:
            if at.held in state.current:
                yield (
                    state,
                    at._replace(
                        decided="hands over" if at.held.deadline <= state.now else "puts back"
                    ),
                )
            else:
                yield state, at._replace(held=None)
        elif at.decided == "hands over":
            yield (
                state._replace(current=state.current - {at.held}, handed=state.handed | {at.held}),
                at._replace(handed=at.handed | {at.held}, held=None, decided=None),
            )
        else:
            yield state.with_link(at.held), at._replace(held=None, decided=None)


class EachQueuesItsOwn(ManyPoints):
    """No advance that comes after an add leaves its entry behind, whatever others are doing.

    False: of two adds to one bucket only one changed the key and queues it. The other may return
    before that.
    """

    def must(self, state, now):
        return state.due(now) - state.unqueued


class Refusal(NamedTuple):
    """``operation``: its return is not explained; ``possible``: the results that are."""

    operation: Operation
    possible: tuple[Any, ...]
    condition: str

    def __str__(self) -> str:
        would = " or ".join(map(str, self.possible)) or "no return at all"
        return f"{returned(self.operation)}; {self.condition} explains {would}"

    def events(self, history: Sequence[Operation]) -> list[str]:
        """The calls and returns up to the one that is refused, in their order."""
        events = [(o.called, f"{o.thread} calls {o.call}") for o in history]
        events += [(o.returned, returned(o)) for o in history]
        return [text for moment, text in sorted(events) if moment <= self.operation.returned]


def returned(operation: Operation) -> str:
    """The return of an operation."""
    result = "" if operation.result is None else f": {operation.result}"
    return f"{operation.thread} returns from {operation.call}{result}"


def refusal_of(history: Sequence[Operation], condition: OnePoint) -> Refusal | None:
    """The first return that a condition does not explain; None if it explains all."""
    if explain(history, condition.before(history), condition).fits:
        return None
    for last in sorted(history, key=lambda operation: operation.returned):
        until = [
            operation
            if operation.returned <= last.returned
            else replace(operation, returned=LATER, result=None)
            for operation in history
            if operation.called < last.returned
        ]
        possible = set()

        def agrees(order, operation, result, last=last, possible=possible):
            if operation.number == last.number:
                possible.add(result)
            return operation.result == result

        if not explain(until, condition.before(until), condition, None, agrees).fits:
            return Refusal(last, tuple(sorted(possible, key=repr)), type(condition).__name__)
    raise AssertionError("each return is explained, and all together are not")
