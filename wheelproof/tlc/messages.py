"""TLC's output under `-tool`: a stream of coded messages, with unframed lines between them.

A message is framed as

    @!@!@STARTMSG 2110:1 @!@!@
    Invariant BelowTop is violated.
    @!@!@ENDMSG 2110 @!@!@

and an exception inside TLC puts a second frame within the first, sometimes from the middle of a
line on. A line outside of frames comes from the parser SANY, from Print in the spec, or from Java
itself.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum


class Code(IntEnum):
    """The message codes that decide something; TLC has many more."""

    GENERAL = 1000  # an unexpected exception
    OUT_OF_MEMORY = 1001
    TOO_MANY_INITIAL = 1002  # out of memory while making the initial states
    STACK_OVERFLOW = 1005
    NESTED_EXPRESSION = 2103  # where an evaluation failed
    ASSUMPTION_FALSE = 2104
    INVARIANT_INITIAL = 2107  # violated by an initial state, which follows in the text
    PROPERTY_INITIAL = 2108  # the same for a property: the Init of a refinement
    INVARIANT = 2110
    INVARIANT_EVALUATION = 2111
    ACTION_PROPERTY = 2112
    DEADLOCK = 2114
    TEMPORAL = 2116  # 2.18 does not report which property
    TRACE = 2121  # the error trace of a safety violation begins
    BACK_TO_STATE = 2122  # the lasso of a liveness violation closes
    ASSERTION = 2132
    EVALUATION = 2184
    STARTED = 2185
    FINISHED = 2186
    MODE = 2187
    INITIAL_COMPUTED = 2190
    SUCCESS = 2193  # "No error has been found": also printed by -continue after violations
    DEPTH = 2194
    STATS = 2199  # the final counts
    PROGRESS = 2200
    STATE = 2217  # one state of an error trace
    STUTTERING = 2218
    SANY_END = 2219
    SANY_START = 2220
    VERSION = 2262
    LASSO = 2264  # the error trace of a liveness violation begins
    PARSING_FAILED = 3002


ERROR = 1  # the severity of everything that is wrong; 0 none, 2 TLC's bug, 3 warning, 4 a state
TLC_BUG = 2


@dataclass(frozen=True)
class Message:
    """One framed message. `code`: TLC's, comparable to `Code`; `text`: with inner frames."""

    code: int
    severity: int
    text: str


@dataclass(frozen=True)
class Line:
    """One line outside of every frame, without its line end."""

    text: str


@dataclass(frozen=True)
class Truncated:
    """The output ended within a message: TLC was killed or its log was cut off."""

    code: int


_MARK = re.compile(r"@!@!@(?:STARTMSG (\d+):(\d+)|ENDMSG (\d+)) @!@!@")


def read_messages(lines: Iterable[str]) -> Iterator[Message | Line | Truncated]:
    """Messages and unframed lines in their order, each as soon as its last line was read.

    A Truncated, if any, is the last item. Only the message under way is held in memory.
    """
    # code and severity of the frames that are open, outermost first
    frames: list[tuple[int, int]] = []
    text: list[str] = []
    for line in lines:
        line = line.rstrip("\r\n")
        mark = _MARK.search(line)
        if mark is None:
            if frames:
                text.append(line)
            else:
                yield Line(line)
            continue
        before = line[: mark.start()]
        if before and frames:
            text.append(before)
        elif before:
            yield Line(before)
        if mark[1]:
            frames.append((int(mark[1]), int(mark[2])))
        elif frames:
            code, severity = frames.pop()
            if not frames:
                yield Message(code, severity, "\n".join(text))
                text.clear()
    if frames:
        yield Truncated(frames[0][0])
