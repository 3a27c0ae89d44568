"""Rules for names: files, modules, programs and commands are made with names.

Other texts become literals of the language in which they are written.
"""

from __future__ import annotations

import re

WORD = "letters, digits and the signs _ . @ -, and no sign but _ first"
"""The rule of :func:`is_word`, for a message."""

TITLE = f"words with one space between them, each of {WORD}"
"""The rule of :func:`is_title`, for a message."""

IDENTIFIER = "letters, digits and _, and no digit first"
"""The rule of :func:`is_identifier`, for a message."""

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_word(text: object) -> bool:
    """Whether a text may be a part of a file's name, and a word of a command as it is."""
    return isinstance(text, str) and _WORD.fullmatch(text) is not None


def is_title(text: object) -> bool:
    """Whether a text may name a check: a part of a file's name, and quoted, of a command."""
    return isinstance(text, str) and all(map(is_word, text.split(" ")))


def is_identifier(text: object) -> bool:
    """Whether a text may be a name of TLA+ and of Python, but for their own words."""
    return isinstance(text, str) and _IDENTIFIER.fullmatch(text) is not None
