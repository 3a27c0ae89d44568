"""The standard library's synchronizers that no recorder sees: where one is made, the run ends.

In a recording they would wait and wake without an event, so that no step tells of their operations.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from wheelproof.trace.steps.recorder import Recorder, frame_of

HOMES = (threading, queue)
NAMES = (
    "Barrier",
    "BoundedSemaphore",
    "Condition",
    "Event",
    "LifoQueue",
    "Lock",
    "PriorityQueue",
    "Queue",
    "RLock",
    "Semaphore",
    "SimpleQueue",
)
REAL = {
    id(vars(home)[name]): f"{home.__name__}.{name}"
    for home in HOMES
    for name in NAMES
    if name in vars(home)
}
"""The maker of a synchronizer of the standard library -> its name there."""


def refuse_in(names: dict[str, Any], recorder: Recorder) -> None:
    """Put a refusal in the place of each such synchronizer that a module has, under any name, and
    of each class that is derived from one."""
    for name, value in list(names.items()):
        bases = value.__mro__ if isinstance(value, type) else (value,)
        if real := next((REAL[id(base)] for base in bases if id(base) in REAL), ""):
            names[name] = refusal(recorder, real)
        elif any(value is home for home in HOMES):
            copy = ModuleType(value.__name__, value.__doc__)
            vars(copy).update(vars(value))
            refuse_in(vars(copy), recorder)
            names[name] = copy


def refusal(recorder: Recorder, name: str) -> Callable[..., NoReturn]:
    """A class that can be named and derived from. To make an object of it ends the run."""

    class Unrecorded:
        def __new__(cls, *arguments: object, **keywords: object) -> NoReturn:
            recorder.refuse(
                frame_of(1),
                f"{name} cannot be recorded.",
                "Use a primitive of the project's runtime that the recorder knows.",
            )

    Unrecorded.__name__ = name.rpartition(".")[2]
    return Unrecorded
