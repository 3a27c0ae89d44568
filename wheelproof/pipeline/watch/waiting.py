"""Calls to Java that Ctrl-C does not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

LOOK_SECONDS = 0.5
"""Time between two looks at a call that goes on."""

T = TypeVar("T")


class Waiting(Generic[T]):
    """A call to Java in a thread of its own, so that Ctrl-C finds this thread outside of Java."""

    def __init__(self, act: Callable[[], T]) -> None:
        self.values: list[T] = []
        self.raised: list[Exception] = []
        self.thread = threading.Thread(target=self._run, args=(act,), daemon=True)
        self.thread.start()

    def _run(self, act: Callable[[], T]) -> None:
        try:
            self.values.append(act())
        except Exception as error:
            self.raised.append(error)

    def over(self, seconds: float) -> bool:
        """Whether it has ended within so many seconds. Raises its exception."""
        self.thread.join(seconds)
        if self.raised:
            raise self.raised[0]
        return not self.thread.is_alive()

    def value(self) -> T:
        """Its value, when it has ended. Raises its exception."""
        while not self.over(LOOK_SECONDS):
            pass
        return self.values[0]


def quietly(act: Callable[[], object]) -> None:
    """Wait for a call, and raise nothing."""
    with suppress(Exception):
        Waiting(act).value()
