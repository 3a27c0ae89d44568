"""How a scenario of CoordinatorLoad runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.conditions import owner
from harness.outside import present
from impl import coordinator_load

SUBJECT = ("impl.coordinator_load",)
"""The modules whose steps are the mechanism's."""

UNREAD = {"Write.replied.asleep": "who sleeps there stands at the wake of its wait: W2"}
"""Slots that change and are not compared, and why."""

ABSENT = 0
"""The specification's name of no context."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = coordinator_load) -> None:
        self.log = impl.Log(scenario["end"], scenario["seen"])
        self.loader = impl.Loader(self.log)
        self.runtime = impl.CoordinatorRuntime(self.log, self.loader, self.context)
        steps = [step for program in scenario["threads"].values() for step in program]
        self.contexts = {
            epoch: impl.Context(self.runtime)
            for epoch in sorted({step[1] for step in steps if step[0] == "lead"})
        }
        self.writes = {
            name: impl.Write() for name in sorted({step[1] for step in steps if step[0] == "write"})
        }
        self.names = {
            "log": self.log,
            "loader": self.loader,
            "runtime": self.runtime,
            **{f"context {epoch}": context for epoch, context in self.contexts.items()},
            **{f"write {name}": write for name, write in self.writes.items()},
        }

    def context(self, runtime: Any, epoch: int) -> Any:
        """The context of a leadership. The scenario has them all from the beginning."""
        return self.contexts[epoch]

    def lead(self, epoch: int) -> None:
        self.runtime.lead(epoch)

    def follow(self, epoch: int) -> None:
        self.runtime.follow(epoch)

    def resign(self, epoch: int) -> None:
        """An unload comes alone, as that of an earlier epoch that is late."""
        self.runtime.resign(epoch)

    def fetch(self) -> None:
        self.log.fetched()

    def load(self) -> None:
        self.loader.load()

    def write(self, name: str) -> Any:
        return self.runtime.write(self.writes[name])


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    log, loader, runtime = harness.log, harness.loader, harness.runtime
    contexts, writes = harness.contexts.values(), harness.writes.values()

    def epoch_of(context: Any) -> int:
        return key(harness.contexts, context) or ABSENT

    def described(event: Any) -> tuple[object, ...]:
        match type(event).__name__:
            case "Begin":
                return ("load", event.epoch)
            case "Unload":
                return ("unload", event.epoch)
            case "Complete":
                return ("complete", epoch_of(event.context), event.loaded)
            case "Rise":
                return ("rise", epoch_of(event.context))
            case _:
                return ("write", key(harness.writes, event.write))

    return {
        "gate": (owner(runtime.events.gate),),
        "waiting": (tuple([described(event) for event in runtime.events.waiting]),),
        "busy": (runtime.events.busy,),
        "lock": (owner(loader.lock),),
        "loads": (tuple([epoch_of(context) for context in loader.loads]),),
        "leads": (log.leads,),
        "highWatermark": (present(log.high_watermark),),
        "listener": (epoch_of(log.listener),),
        "current": (epoch_of(runtime.current),),
        "epoch": tuple(context.epoch for context in contexts),
        "state": tuple(context.state for context in contexts),
        "applied": tuple(context.applied for context in contexts),
        "committed": tuple(context.committed for context in contexts),
        "heard": tuple(context.heard for context in contexts),
        "pending": tuple(present(context.pending) for context in contexts),
        "deferred": tuple(
            tuple([key(harness.writes, write) for write in context.deferred])
            for context in contexts
        ),
        "result": tuple(write.result for write in writes),
        "replied": tuple(is_set(write.replied) for write in writes),
    }


def key(objects: Mapping[Any, Any], thing: Any) -> Any:
    """The key of an object; None of None."""
    return next((name for name, candidate in objects.items() if candidate is thing), None)


def is_set(event: Any) -> bool:
    """Whether an event of Python's is set, under control or in production."""
    return bool(event.flag if hasattr(event, "flag") else event.is_set())
