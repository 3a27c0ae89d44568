"""How a scenario runs on impl/atomic.py, and which model state its objects are in."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.conditions import owner
from impl import atomic
from impl.threads import get_ident

SUBJECT = ("impl.atomic",)
"""The modules whose steps are the mechanism's."""


class Thing:
    """An object that is equal to every other one of its kind."""

    __slots__ = ("name", "kind")

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing) and self.kind == other.kind

    def __hash__(self) -> int:
        return hash(self.kind)


class Returned:
    """The results of the operations of each thread, in the scenario's order."""

    __slots__ = ("values",)

    def __init__(self, threads: int) -> None:
        self.values: tuple[tuple[Any, ...], ...] = ((),) * threads

    def note(self, value: Any) -> None:
        """Add the result of an operation of the running thread."""
        place = get_ident() - 1
        self.values = (
            *self.values[:place],
            (*self.values[place], value),
            *self.values[place + 1 :],
        )


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = atomic) -> None:
        self.things = {name: Thing(name, kind) for name, kind in dict(scenario["kind"]).items()}
        self.atomic = impl.Atomic(self.value(scenario["initial"]))
        self.returned = Returned(len(scenario["threads"]))
        self.names = {"atomic": self.atomic, "returned": self.returned, **self.things}

    def value(self, spelling: int | str) -> Any:
        """The thing of a name, or an int that is equal to the given one and no other's object."""
        return self.things[spelling] if isinstance(spelling, str) else int(str(spelling))

    def get(self) -> None:
        self.returned.note(self.atomic.get())

    def set(self, value: int | str) -> None:
        self.atomic.set(self.value(value))

    def swap(self, value: int | str) -> None:
        self.returned.note(self.atomic.get_and_set(self.value(value)))

    def cas(self, expected: int | str, value: int | str) -> None:
        self.returned.note(self.atomic.compare_and_set(self.value(expected), self.value(value)))

    def add(self, delta: int) -> None:
        self.returned.note(self.atomic.add_and_get(delta))


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    return {
        "held": (named(harness.atomic._value),),
        "lock": (owner(harness.atomic._lock),),
        "got": tuple(tuple(map(named, values)) for values in harness.returned.values),
    }


def named(value: Any) -> Any:
    """A thing by its name, a number as it is."""
    return value.name if isinstance(value, Thing) else value
