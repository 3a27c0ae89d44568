"""The code of a variable in generated Python: in a property, in Init and in a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from wheelproof.tla.layout import Layout, is_mover
from wheelproof.tla.syntax import Expression, Formal, OutsideSubset, Place, Text


class Scope(Protocol):
    """The code of variables."""

    in_step: bool
    """Whether a definition of a step may stand in the code, with its next values."""

    def state(self, names: frozenset[str]) -> str | None:
        """The code of a state, as ``s`` and ``ps``, that has these variables; None for none."""

    def primed(self, place: Place) -> Scope:
        """The scope of a formula with a prime: its variables have their next values."""

    def variable(self, name: str, place: Place) -> str:
        """A variable's value."""

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        """The variable of the thread ``index``, whose code is ``code``; None for a shared one."""

    def next_value(self, name: str, place: Place) -> str:
        """A variable's next value."""

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        """The next value of one thread's variable."""


class InState:
    """A definition that is called with a state: ``s`` shared values, ``ps`` those of threads."""

    in_step = False

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def state(self, names: frozenset[str]) -> str | None:
        return "s, ps"

    def primed(self, place: Place) -> Scope:
        raise OutsideSubset("a primed formula", place)

    def variable(self, name: str, place: Place) -> str:
        if name in self.layout.process:
            at = self.layout.process.index(name)
            return f"THREADS.map(tuple([ps[_i][{at}] for _i in ORDER]))"
        return f"s[{self.layout.shared.index(name)}]"

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        if name not in self.layout.process:
            return None
        return f"ps[AT[{code}]][{self.layout.process.index(name)}]"

    def next_value(self, name: str, place: Place) -> str:
        raise OutsideSubset("a primed variable outside of a step", place)

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        raise OutsideSubset("a primed variable outside of a step", place)


class InInit:
    """Init: the variables that have a value so far."""

    in_step = False

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values

    def state(self, names: frozenset[str]) -> str | None:
        return None

    def primed(self, place: Place) -> Scope:
        raise OutsideSubset("a primed formula", place)

    def variable(self, name: str, place: Place) -> str:
        if name not in self.values:
            raise OutsideSubset(f"{name} in Init before its value", place)
        return self.values[name]

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        return None

    def next_value(self, name: str, place: Place) -> str:
        raise OutsideSubset("a primed variable in Init", place)

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        raise OutsideSubset("a primed variable in Init", place)


class InStep:
    """A step of one thread:

    its own values are locals ``p0``, ``p1``, shared ones ``s0``, ``s1``.
    """

    nexts: Mapping[str, str]
    """Variable -> the code of its next value."""

    in_step = False

    def __init__(self, layout: Layout, me: Formal | Text, nexts: Mapping[str, str]) -> None:
        self.layout, self.me, self.nexts = layout, me, nexts

    def state(self, names: frozenset[str]) -> str | None:
        return "s, ps"

    def primed(self, place: Place) -> Scope:
        raise OutsideSubset("a primed formula", place)

    def before(self, name: str) -> str:
        """The value of a variable before the step: the own one, for a variable of threads."""
        if name in self.layout.process:
            return f"p{self.layout.process.index(name)}"
        return f"s{self.layout.shared.index(name)}"

    def variable(self, name: str, place: Place) -> str:
        if name in self.layout.process:
            return InState(self.layout).variable(name, place)
        return self.before(name)

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        if name in self.layout.process and is_mover(index, self.me):
            return self.before(name)
        return InState(self.layout).of_thread(name, index, code)

    def next_value(self, name: str, place: Place) -> str:
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
        if name not in self.nexts:
            raise OutsideSubset(f"{name}' before the step gives it a value", place)
        return self.nexts[name]
