"""How a scenario of DelayedOperation runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from harness.result import raised
from impl import delayed_operation
from impl.runtime import Atomic, Monitor

SUBJECT = ("impl.delayed_operation",)
"""The modules whose steps are the mechanism's."""

OUTER = "outer"
"""The callers' lock of scenarios with one."""

ATOMIC = {"impl.watched_operation": (), "impl.timer_task_list": ()}
"""Modules whose operations are part of their caller's step, and the labels that stay steps."""

NOT_RUN = {
    **{
        f"impl.delayed_operation: {name}": (
            "what the purgatory and its users call; no scenario of this mechanism does"
        )
        for name in (
            "DelayedOperation.is_completed",
            "UnlockedEntry.safe_try_complete_or_else",
        )
    },
}
"""Branches that no scenario runs, and why."""


class Failed(Exception):
    """The exception of an onComplete."""


class Work:
    """The work of an operation, mixed into the protocol's class.

    ``conditions`` are read in order, one a step. ``outer`` is the callers' lock that onComplete
    takes, or None. ``following`` are the operations that onComplete completes. ``fails``: it
    raises. ``armed``: the timer has the operation; its cancel is one step here.
    """

    __slots__ = ()

    conditions: tuple[Atomic[bool], ...]
    outer: Any
    following: tuple[Any, ...]
    fails: bool
    armed: Atomic[bool]
    completions: Atomic[int]
    expirations: Atomic[int]
    force_complete: Callable[[], bool]

    def __init__(self, delay_ms: int, lock: Any = None) -> None:
        super().__init__(delay_ms, lock)  # type: ignore[call-arg]  # of the protocol's class
        self.armed = Atomic(True)  # type: ignore[misc]  # a slot of the worked class

    def cancel(self) -> None:
        self.armed.set(False)  # write X3

    def try_complete(self) -> bool:
        for index in range(len(self.conditions)):
            if not self.conditions[index].get():  # read Y1
                return False
        return self.force_complete()

    def on_complete(self) -> None:
        self.completions.add_and_get(1)  # update D1
        if self.outer is not None:
            with self.outer:  # lock D2, unlock D3
                pass
        if self.fails:
            raise Failed
        if self.following:
            # the result is seen where the followed operation is attempted
            _ = self.following[0].force_complete()

    def on_expiration(self) -> None:
        self.expirations.add_and_get(1)  # update V1


class LockedWork(Work):
    """The same, for the protocol that cancels under the lock: a step of its own name."""

    __slots__ = ()

    def cancel(self) -> None:
        self.armed.set(False)  # write L5


def worked(protocol: type, work: type) -> type:
    """The protocol's class with the work mixed in."""
    return type(
        f"Worked{protocol.__name__}",
        (work, protocol),
        {
            "__slots__": (
                "conditions",
                "outer",
                "fails",
                "following",
                "armed",
                "completions",
                "expirations",
            )
        },
    )


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = delayed_operation) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        self.outer = {name: Monitor() for name in scenario["locks"]}
        needs = scenario["needs"]
        self.conditions = {name: Atomic(False) for names in needs.values() for name in names}
        self.operations = {}
        for name, protocol in scenario["protocol"].items():
            work = LockedWork if protocol == "Blocking" else Work
            guard = self.outer.get(scenario["guard"].get(name, ""))
            new = worked(getattr(impl, protocol), work)
            operation = self.operations[name] = new(0) if guard is None else new(0, guard)
            operation.conditions = [self.conditions[condition] for condition in needs[name]]
            outer = self.outer.get(scenario["outer_of"].get(name, OUTER))
            operation.outer = outer if name in scenario["locking"] else None
            operation.fails = name in scenario["raises"]
            operation.completions, operation.expirations = Atomic(0), Atomic(0)
        for name, operation in self.operations.items():
            operation.following = [
                self.operations[follower] for follower in scenario["completes"][name]
            ]
        self.names = {**self.conditions, **self.operations}

    def deliver(self, condition: str, operation: str) -> object:
        """An event: a condition becomes true, and the operation is tried."""
        self.conditions[condition].set(True)  # write E1
        return self.attempt(operation)

    def deliver_holding(self, condition: str, *lock_and_operation: str) -> object:
        """The same by a caller that holds a lock of its own."""
        *locks, operation = lock_and_operation
        outer = self.outer[locks[0] if locks else OUTER]
        with outer:  # lock G1, unlock G2
            self.conditions[condition].set(True)  # write E2
            result = self.attempt(operation)
        return result

    def deliver_after(self, condition: str, lock: str, operation: str) -> object:
        """The same by a caller that tries the operation when it has given its lock back."""
        outer = self.outer[lock]
        with outer:  # lock G3, unlock G4
            self.conditions[condition].set(True)  # write E3
        return self.attempt(operation)

    def attempt(self, operation: str) -> object:
        """Try a watched operation as checkAndComplete does; whether this attempt completed it."""
        try:
            return self.operations[operation].safe_try_complete()
        except Failed as failure:
            return raised(failure)

    def hold(self, operation: str) -> None:
        """Hold the operation's lock, and do not try the operation."""
        with self.operations[operation].lock:  # lock H1, unlock H2
            pass

    def expire(self, operation: str) -> object:
        """The timer's executor runs the operation."""
        try:
            return self.operations[operation].run()
        except Failed as failure:
            return raised(failure)


def held(monitor: Any) -> tuple[str | None, int]:
    """Owner and depth of a controlled monitor. A production monitor is read at rest only."""
    owner = getattr(monitor, "owner", None)
    return (owner and owner.name, getattr(monitor, "depth", 0))


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, in the model's own form."""
    operations = harness.operations.values()

    def pending(operation: Any) -> bool:
        note = getattr(operation, "try_complete_pending", None)
        return note is not None and note.get()

    def owner_of(lock: Any) -> tuple[str | None, int]:
        """A lock of an operation's own. One of the callers' is shown as such."""
        callers = any(lock is outer for outer in harness.outer.values())
        return (None, 0) if callers else held(lock)

    return {
        "ready": tuple(condition.get() for condition in harness.conditions.values()),
        "completed": tuple(operation.completed.get() for operation in operations),
        "pending": tuple(pending(operation) for operation in operations),
        "lock": tuple(owner_of(operation.lock) for operation in operations),
        "outer": tuple(held(outer) for outer in harness.outer.values()),
        "armed": tuple(operation.armed.get() for operation in operations),
        "completions": tuple(operation.completions.get() for operation in operations),
        "expirations": tuple(operation.expirations.get() for operation in operations),
    }
