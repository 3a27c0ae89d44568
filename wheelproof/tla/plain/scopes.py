"""The code of a variable in Init and Next of any module: ``s`` is the tuple of all variables."""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.tla.scope import Scope
from wheelproof.tla.syntax import Expression, OutsideSubset, Place


class _Plain:
    """A scope without variables of threads."""

    in_step = True

    def __init__(self, variables: tuple[str, ...], nexts: Mapping[str, str]) -> None:
        self.variables, self.nexts = variables, nexts

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        return None

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        return None


class InValues(_Plain):
    """Variables that have their value from the formula itself: in Init, and behind a prime."""

    def __init__(self, variables: tuple[str, ...], nexts: Mapping[str, str], subject: str) -> None:
        super().__init__(variables, nexts)
        self.subject = subject

    def state(self, names: frozenset[str]) -> str | None:
        if not names <= self.nexts.keys():
            return None
        return f"({''.join(f'{self.nexts.get(name)}, ' for name in self.variables)}), ()"

    def variable(self, name: str, place: Place) -> str:
        if name not in self.nexts:
            raise OutsideSubset(f"{name}{self.subject} before it has a value", place)
        return self.nexts[name]

    def next_value(self, name: str, place: Place) -> str:
        raise OutsideSubset(f"{name}' within a primed formula or Init", place)

    def primed(self, place: Place) -> Scope:
        raise OutsideSubset("a prime within a primed formula or Init", place)


class InMove(_Plain):
    """A step from ``s``. ``nexts``: the variables that have their next value so far."""

    def state(self, names: frozenset[str]) -> str | None:
        return "s, ()"

    def variable(self, name: str, place: Place) -> str:
        if name not in self.variables:
            raise OutsideSubset(f"{name}, a variable of another module,", place)
        return f"s[{self.variables.index(name)}]"

    def next_value(self, name: str, place: Place) -> str:
        return self.primed(place).variable(name, place)

    def primed(self, place: Place) -> Scope:
        return InValues(self.variables, self.nexts, "'")
