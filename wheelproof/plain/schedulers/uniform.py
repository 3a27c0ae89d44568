"""Each thread that can go on is as likely as the others."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from wheelproof.plain.schedulers.base import Scheduler, members

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.operations import Thread


class Uniform(Scheduler):
    """A random choice at every operation."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        if not enabled & (enabled - 1):
            return enabled.bit_length() - 1
        return self._draw.choice(list(members(enabled)))
