"""What a variable is in the Python that is generated: in a property, in Init and in a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from wheelproof.tla.layout import Layout, is_mover
from wheelproof.tla.syntax import Expression, Formal, OutsideSubset, Place, Text


class Scope(Protocol):
    """The code of variables. ``index``: a thread, as ``code`` has it.

    ``in_state``: whether the code has a whole state at hand, as ``s`` and ``ps``.
    """

    in_state: bool

    def variable(self, name: str, place: Place) -> str:
        """A variable's value."""

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        """A variable of one thread; None where it is no variable of the threads."""

    def primed(self, name: str, place: Place) -> str:
        """A variable's next value."""

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        """The next value of one thread's variable."""


class InState:
    """A definition that is called with a state: ``s`` shared values, ``ps`` those of threads."""

    in_state = True

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def variable(self, name: str, place: Place) -> str:
        if name in self.layout.process:
            at = self.layout.process.index(name)
            return f"THREADS.map(tuple([ps[_i][{at}] for _i in ORDER]))"
        return f"s[{self.layout.shared.index(name)}]"

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        if name not in self.layout.process:
            return None
        return f"ps[AT[{code}]][{self.layout.process.index(name)}]"

    def primed(self, name: str, place: Place) -> str:
        raise OutsideSubset("a primed variable outside of a step", place)

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        raise OutsideSubset("a primed variable outside of a step", place)


class InInit:
    """Init: the variables that have a value so far."""

    in_state = False

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known

    def variable(self, name: str, place: Place) -> str:
        if name not in self.known:
            raise OutsideSubset(f"{name} in Init before its value", place)
        return self.known[name]

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        return None

    def primed(self, name: str, place: Place) -> str:
        raise OutsideSubset("a primed variable in Init", place)

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        raise OutsideSubset("a primed variable in Init", place)


class InStep:
    """A step of one thread: its own values are locals ``p0``, ``p1``, shared ones ``s0``, ``s1``.

    ``known``: the variables that have their next value, with its code.
    """

    in_state = True

    def __init__(self, layout: Layout, me: Formal | Text, known: Mapping[str, str]) -> None:
        self.layout, self.me, self.known = layout, me, known

    def own(self, name: str) -> str:
        """The value of a variable before the step: the own one, for a variable of threads."""
        if name in self.layout.process:
            return f"p{self.layout.process.index(name)}"
        return f"s{self.layout.shared.index(name)}"

    def variable(self, name: str, place: Place) -> str:
        if name in self.layout.process:
            return InState(self.layout).variable(name, place)
        return self.own(name)

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        if name in self.layout.process and is_mover(index, self.me):
            return self.own(name)
        return InState(self.layout).of_thread(name, index, code)

    def primed(self, name: str, place: Place) -> str:
        if name in self.layout.process:
            raise OutsideSubset(f"{name}' of all threads", place)
        return self._next(name, place)

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        if name not in self.layout.process:
            return None
        if not is_mover(index, self.me):
            raise OutsideSubset(f"{name}' of another thread", place)
        return self._next(name, place)

    def _next(self, name: str, place: Place) -> str:
        if name not in self.known:
            raise OutsideSubset(f"{name}' before the step gives it a value", place)
        return self.known[name]
