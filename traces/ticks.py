"""The program of a clock that is a thread of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, overload

LONGEST = 10_000_000
"""Milliseconds that a run may take: each is a step of the model's clock."""

Part: TypeAlias = "slice[int | None, int | None, int | None]"


class Ticks(Sequence[list[str]]):
    """The clock's program: a tick, so often."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, number: int) -> list[str]: ...
    @overload
    def __getitem__(self, number: Part) -> Ticks: ...
    def __getitem__(self, number: int | Part) -> list[str] | Ticks:
        if isinstance(number, slice):
            return Ticks(len(range(self.length)[number]))
        if not 0 <= number < self.length:
            raise IndexError(number)
        return ["tick"]
