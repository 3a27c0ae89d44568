"""Choices: the differences of the successors of one step.

Most steps have one successor, and their thread is their key. A step that chooses has several. Its
label is then a text with an attribute ``choice``: the values that it has chosen, without those in
which no two of the successors differ. The label is equal to the same label without a choice, so
that only code that has to keep successors apart looks at the choice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote, unquote

Choice = tuple[str, ...]
"""The texts of the values that a step has chosen; () for a step with one successor."""

Move = int | tuple[int, Choice]
"""The key of a step: the index of its thread, with the choice where there is one."""

V = TypeVar("V")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_RESERVED = frozenset({"None", "True", "False"})


class Chosen(str):
    """A label with the choice of its step; equal to the label alone."""

    __slots__ = ("choice",)
    choice: Choice

    def __new__(cls, label: str, choice: Choice) -> Chosen:
        text = super().__new__(cls, label)
        text.choice = choice
        return text

    def __reduce__(self) -> tuple[type[Chosen], tuple[str, Choice]]:
        return Chosen, (str(self), self.choice)


def labelled(label: str, choice: Choice) -> str:
    """A label with a choice, if there is one."""
    return Chosen(label, choice) if choice else str(label)


def choice_of(label: str) -> Choice:
    """The choice of a step, by its label. A model's labels have the values themselves."""
    if isinstance(label, Chosen):
        return label.choice
    return tuple([text_of(value) for value in getattr(label, "choice", ())])


def move_of(thread: int, label: str) -> Move:
    """The key of a step."""
    choice = choice_of(label)
    return (thread, choice) if choice else thread


def thread_of(move: Move) -> int:
    """The thread of a step."""
    return move if isinstance(move, int) else move[0]


def choice_in(move: Move) -> Choice:
    """The choice of a step, by its key."""
    return () if isinstance(move, int) else move[1]


def moves_in(moves: Iterable[Move], thread: int) -> set[Move]:
    """Those of one thread."""
    return {move for move in moves if thread_of(move) == thread}


def texts(moves: Iterable[Move]) -> tuple[str, ...]:
    """The choices in the keys of steps, each in one text."""
    return tuple(sorted(", ".join(choice_in(move)) for move in moves if choice_in(move)))


def shown(label: str) -> str:
    """A step in words: its label, and its choice."""
    choice = choice_of(label)
    return f"{label} = {', '.join(choice)}" if choice else str(label)


def text_of(value: object) -> str:
    """The text of a value that may be chosen. Equal values have equal texts, others have others."""
    if isinstance(value, str):
        return value if _NAME.fullmatch(value) and value not in _RESERVED else repr(value)
    if isinstance(value, tuple):
        return "(" + "".join(f"{text_of(part)}, " for part in value).rstrip() + ")"
    if isinstance(value, (frozenset, set)):
        return "{" + ", ".join(sorted(map(text_of, value))) + "}"
    return repr(value)


def distinguished(choices: Sequence[tuple[V, ...]]) -> list[tuple[V, ...]]:
    """The choices of one step's successors, without values in which no two of them differ.

    Two of them differ in a value where they have chosen the same before it.
    """
    return [
        tuple(
            value
            for place, value in enumerate(choice)
            if any(
                peer[:place] == choice[:place] and peer[place : place + 1] != (value,)
                for peer in choices
            )
        )
        for choice in choices
    ]


# -- a schedule as words: "a" is a step of a, "a=left,2" the one that chooses left and then 2


def word(thread: str, label: str) -> str:
    """A step of a schedule: the name of its thread, and its choice if it has one."""
    choice = choice_of(label)
    return thread + ("=" + ",".join(quote(text, safe="") for text in choice) if choice else "")


def of_word(text: str, threads: Collection[str]) -> tuple[str, Choice]:
    """The thread's name and the choice. ``threads``: the names that there are."""
    name, equals, choice = text.rpartition("=")
    if text in threads or not equals:
        return text, ()
    return name, tuple(map(unquote, choice.split(",")))


def only_threads(rows: Iterable[Mapping[Move, V]]) -> list[dict[int, V]] | None:
    """Mappings by thread; None where a step chooses."""
    out: list[dict[int, V]] = []
    for row in rows:
        plain = {move: entry for move, entry in row.items() if isinstance(move, int)}
        if len(plain) != len(row):
            return None
        out.append(plain)
    return out
