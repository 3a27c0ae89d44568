"""Pauses at random bytecodes, so that threads meet where the interpreter hardly ever switches.

CPython looks for a thread switch at calls and at backward jumps only. So a read and a write of one
attribute on one line are never parted, and short operations mostly run one after the other. A trace
function on every bytecode of the chosen files parts them: in each round a thread sleeps at some
bytecodes that are drawn at random.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any

PAUSES = 3
"""How often a thread is paused in one round, at most."""

SECONDS = (0.0, 0.000_02, 0.000_1, 0.000_3)
"""How long a pause may be; the longest outlasts a whole operation of another thread."""


Trace = Callable[[FrameType, str, object], Any]
"""A trace function, as sys.settrace takes it."""


class Stopped(BaseException):
    """Ends a thread that spins; not an ``Exception``, so that no handler of the code catches it."""


class Shaker:
    """Pauses one thread.

    ``files``: the source files whose bytecodes count; ``count``: bytecodes run so far in this
    round.

    ``stopped``: set it to end the thread at its next bytecode by :class:`Stopped`.
    """

    def __init__(self, files: frozenset[str], seed: int) -> None:
        self.count = 0
        self.stopped = False
        self._files, self._random = files, Random(seed)
        self._usual = 100  # bytecodes in the longest of the recent rounds
        self._pauses: list[int] = []

    def begin(self) -> None:
        """Draw the pauses of the next round, at bytecodes that the rounds before had."""
        self._usual = max(self.count, self._usual * 7 // 8, 20)
        settings = {
            self._random.randrange(1, self._usual + 1)
            for _ in range(self._random.randint(1, PAUSES))
        }
        self._pauses = sorted(settings, reverse=True)
        self.count = 0

    def install(self) -> None:
        """Trace the running thread from its next call on."""
        sys.settrace(self._tracer())

    def _tracer(self) -> Trace:
        files, random, sleep = self._files, self._random, time.sleep

        def step(frame: FrameType, event: str, _: object) -> Trace:
            if event == "opcode":
                self.count += 1
                if self.stopped:
                    raise Stopped
                if self._pauses and self.count >= self._pauses[-1]:
                    self._pauses.pop()
                    sleep(random.choice(SECONDS))
            return step

        def call(frame: FrameType, event: str, _: object) -> Trace | None:
            if frame.f_code.co_filename not in files:
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return step

        return call
