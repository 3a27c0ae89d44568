"""S-expressions: nested lists of tokens, each list at the top with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Expression: TypeAlias = "str | list[Expression]"
"""A token as it is written, or a list."""

_TOKEN = re.compile(r"""\n|[()]|\|[^|]*\||"(?:[^"]|"")*"|;[^\n]*|[^\s()";|]+""")


LONG = 300
"""Characters of a reason that are shown: a formula in it may have thousands."""


class Refused(Exception):
    """A certificate, or an obligation, that is not accepted. ``line``: of its text, from 1."""

    def __init__(self, line: int, where: str, why: str) -> None:
        why = why if len(why) <= LONG else f"{why[:LONG]} ..."
        super().__init__(f"line {line}, {where}: {why}" if where else f"line {line}: {why}")
        self.line, self.where, self.why = line, where, why


class Wrong(Exception):
    """The reason against one step or term, without its place."""


def need(holds: object, why: str) -> None:
    """Raises Wrong with this reason where it does not hold."""
    if not holds:
        raise Wrong(why)


def read(text: str) -> Iterator[tuple[int, Expression]]:
    """The expressions of a text, each with the line that it begins in.

    Raises Refused where parentheses do not match.
    """
    line, began = 1, 1
    opened: list[list[Expression]] = []
    for token in _TOKEN.findall(text):
        if token == "(":
            began = began if opened else line
            opened.append([])
        elif token == ")":
            if not opened:
                raise Refused(line, "", "a parenthesis closes that none opened")
            done = opened.pop()
            if not opened:
                yield began, done
            else:
                opened[-1].append(done)
        elif token[0] not in "\n;":
            named = token[1:-1] if token[0] == "|" else token
            if not opened:
                yield line, named
            else:
                opened[-1].append(named)
        line += token.count("\n")
    if opened:
        raise Refused(began, "", "a parenthesis is open at the end of the text")


def commands(text: str) -> Iterator[tuple[int, str, list[Expression]]]:
    """The lists of a text: line, first token, the rest. Raises Refused for anything else."""
    for line, found in read(text):
        if not isinstance(found, list) or not found or not isinstance(found[0], str):
            raise Refused(line, "", "here is no command")
        yield line, found[0], found[1:]


def token(found: Expression) -> str:
    """The token; Wrong where it is a list."""
    if isinstance(found, list):
        raise Wrong(f"{shown(found)} is a list where a name is expected")
    return found


def items(found: Expression) -> list[Expression]:
    """The list's items; Wrong where it is a token."""
    if isinstance(found, str):
        raise Wrong(f"{found} is a name where a list is expected")
    return found


def shown(found: Expression) -> str:
    """It as text, on one line."""
    return found if isinstance(found, str) else f"({' '.join(map(shown, found))})"
