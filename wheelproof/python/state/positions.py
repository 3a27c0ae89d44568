"""Where a suspended frame is in its code, as one number for one place.

CPython 3.11 calls in two instructions, PRECALL and CALL, and replaces those that run often by
specialised ones. Some of these perform the call in the first of the two, others leave the position
in the cache behind an instruction. The number here is that of the instruction which calls, also
where another has replaced it.
"""

from __future__ import annotations

import dis
from collections.abc import Container
from pathlib import Path
from types import CodeType, FrameType

from wheelproof.python.findings import Unnamed
from wheelproof.python.state.slots import split_variables

_TOOL = str(Path(__file__).parents[1])
FramePlaces = tuple[int, tuple[int, ...], tuple[str, ...], tuple[str, ...]]
"""The number of a code, its table of ``places``, the variables that a frame alone has, and those
that it may share."""


def places(code: CodeType) -> tuple[int, ...]:
    """Half of ``f_lasti`` -> the offset of the instruction; last, -1 of a frame not yet begun."""
    offsets = [-1] * (len(code.co_code) // 2 + 1)
    begins = list(dis.get_instructions(code))
    for here, then in zip(begins, [*begins[1:], None], strict=True):
        is_pair = here.opname == "PRECALL" and then is not None
        end = len(code.co_code) if then is None else then.offset
        for offset in range(here.offset, end, 2):
            offsets[offset // 2] = then.offset if is_pair and then is not None else here.offset
    return tuple(offsets)


class Positions:
    """The positions of one implementation's frames, and those that were judged already."""

    def __init__(self) -> None:
        # By the code's id, since the hash of a code goes through all of it; each code is kept.
        self._places: dict[int, tuple[CodeType, tuple[int, ...]]] = {}
        self._codes: dict[int, CodeType] = {}
        self.frames: dict[int, FramePlaces | None] = {}
        """id of a code -> the result of :meth:`frame` for it."""
        self._judged: set[tuple[int, int, int | None]] = set()

    def offsets_of(self, code: CodeType) -> tuple[int, ...]:
        """The table of ``places``, made once."""
        entry = self._places.get(id(code))
        if entry is None:
            entry = self._places[id(code)] = code, places(code)
        return entry[1]

    def frame(self, code: CodeType, files: Container[str]) -> FramePlaces | None:
        """The table of a frame's code with its variables; None for code of the tool.

        ``files``: those of the implementation. Raises :class:`Unnamed` for code of others.
        """
        result: FramePlaces | None = None
        if code.co_filename in files:
            result = (self.number(code), self.offsets_of(code), *split_variables(code))
        elif not code.co_filename.startswith(_TOOL):
            raise Unnamed(
                f"a call from {code.co_qualname} ({code.co_filename}): it is no code of the "
                "implementation, and its locals are not seen.",
                "Call a function that has steps from the implementation itself.",
            )
        self.number(code)
        self.frames[id(code)] = result
        return result

    def number(self, code: CodeType) -> int:
        """A number of this code alone, as long as these positions are kept."""
        return id(self._codes.setdefault(id(code), code))

    def is_new(self, frame: FrameType, inner: FrameType | None) -> bool:
        """Whether this position, inside a call of the code of ``inner``, is met for the first time.

        Specialised instructions have positions of their own here: each is judged.
        """
        callee = None
        if inner is not None:
            self.offsets_of(inner.f_code)
            callee = id(inner.f_code)
        key = id(frame.f_code), frame.f_lasti, callee
        if key in self._judged:
            return False
        self._judged.add(key)
        return True
