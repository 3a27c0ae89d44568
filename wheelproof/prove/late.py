"""Conditions that are made when they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import z3

from wheelproof.prove.arithmetic import meaning
from wheelproof.prove.kernel import VC

ATOMIC = ("A-SC", "A-GRAIN")
"""Every protocol assumes that memory is sequentially consistent, and that a label is one step."""


class LateVC:
    """A `VC` that is made at its first use, since conditions and states take time.

    ``search``: makes it again, of instances that are searched for.
    """

    def __init__(
        self, name: str, make: Callable[[], VC], search: Callable[[], VC] | None = None
    ) -> None:
        self.name, self._make, self._search = name, cache(make), search

    @property
    def premises(self) -> Mapping[str, z3.BoolRef]:
        return self._make().premises

    @property
    def goal(self) -> z3.BoolRef:
        return self._make().goal

    @property
    def cites(self) -> Mapping[str, str]:
        return self._make().cites

    @property
    def vivid(self) -> Sequence[z3.BoolRef]:
        return self._make().vivid

    def interpreted(self, formula: z3.BoolRef) -> z3.BoolRef:
        return meaning(self._make().interpreted(formula))

    def search(self) -> bool:
        if self._search is None:
            return False
        self._make, self._search = cache(self._search), None
        return True
