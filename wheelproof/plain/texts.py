"""Texts of values and of lines, alike in each run and for each width."""

from __future__ import annotations

import re
import reprlib
import textwrap
from typing import Any

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")

_PART = re.compile(r"[^\W_]+_*|_+|\W")
"""The parts of a name: one ends behind its underscores."""

_NAME = re.compile(r"\w+\W*|\W+")
"""The parts of a word without spaces: one ends where a name may begin."""


def without_addresses(text: str) -> str:
    """A text without the addresses of objects: each run has other ones."""
    return _ADDRESS.sub("", text)


class _Values(reprlib.Repr):
    """Short texts, from which addresses are gone before they are shortened."""

    def repr_instance(self, x: Any, level: int) -> str:
        try:
            text = without_addresses(repr(x))
        except Exception:
            return f"<{type(x).__name__} instance>"
        if len(text) <= self.maxother:
            return text
        head = max(0, (self.maxother - 3) // 2)
        tail = max(0, self.maxother - 3 - head)
        return f"{text[:head]}...{text[len(text) - tail :]}"


value = _Values().repr
"""The short text of a value."""


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines at spaces; a word that is longer than a line, between its names."""

    def _split(self, text: str) -> list[str]:
        room = self.width - len(self.subsequent_indent)
        chunks: list[str] = []
        for word in re.findall(r"\s+|\S+", text):
            chunks += [word] if len(word) <= room else _parts(word, room)
        return chunks


def _parts(word: str, room: int) -> list[str]:
    """A long word in parts; a name is divided only if it does not fit into a line."""
    parts: list[str] = []
    for name in _NAME.findall(word):
        parts += [name] if len(name) <= room else _PART.findall(name)
    return parts


def lines(line: str, width: int, first: str = "", after: str = "  ") -> list[str]:
    """The lines of a text, each with its indent."""
    wrapper = _Wrapper(width, initial_indent=first, subsequent_indent=after)
    return wrapper.wrap(line)
