"""The methods of ``impl/delay_queue.py`` as functions of lists, as they are or changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proofs.heap.planted import Operator

NOTHING = 0
"""The stand-in at a loop's index while the element moves. Elements are numbers from 1."""


@dataclass
class Keyed:
    """An element of a delay queue that is due."""

    number: int
    keys: Mapping[int, int]

    def get_delay(self) -> int:
        return 0

    def compare_to(self, peer: Keyed) -> int:
        return self.keys[self.number] - self.keys[peer.number]


@dataclass(frozen=True)
class Text:
    """A module's text, which ``load`` gives."""

    load: Callable[[], str]

    def changed(self, old: str, new: str) -> Callable[[], str]:
        return lambda: self.with_change(old, new)

    def with_change(self, old: str, new: str) -> str:
        """ValueError: the text to change is not there exactly once."""
        text = self.load()
        if old and text.count(old) != 1:
            raise ValueError(f"impl/delay_queue.py has {text.count(old)} times: {old}")
        return text.replace(old, new) if old else text

    def operator(self, name: str, old: str = "", new: str = "") -> Operator:
        names: dict[str, Any] = {"__name__": "impl.delay_queue"}
        exec(compile(self.with_change(old, new), "impl/delay_queue.py", "exec"), names)

        def compute(elements: list[int], *more: Any) -> list[int]:
            *arguments, keys = more
            queue = names["DelayQueue"]()
            table = {**keys, NOTHING: 0}
            queue.heap = [Keyed(element, table) for element in elements]
            match name:
                case "Up" | "Down":
                    (place,) = arguments
                    moving, queue.heap[place - 1] = queue.heap[place - 1], Keyed(NOTHING, table)
                    loop = queue._up if name == "Up" else queue._down
                    loop(place - 1, moving)
                case "offer":
                    queue.offer(Keyed(arguments[0], table))
                case "_take":
                    queue._take()
            return [element.number for element in queue.heap]

        return compute
