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
    stack: list[list[Expression]] = []
    for token in _TOKEN.findall(text):
        if token == "(":
            began = began if stack else line
            stack.append([])
        elif token == ")":
            if not stack:
                raise Refused(line, "", "a parenthesis closes that none opened")
            expression = stack.pop()
            if not stack:
                yield began, expression
            else:
                stack[-1].append(expression)
        elif token[0] not in "\n;":
            name = token[1:-1] if token[0] == "|" else token
            if not stack:
                yield line, name
            else:
                stack[-1].append(name)
        line += token.count("\n")
    if stack:
        raise Refused(began, "", "a parenthesis is open at the end of the text")


def commands(text: str) -> Iterator[tuple[int, str, list[Expression]]]:
    """The lists of a text: line, first token, the rest. Raises Refused for anything else."""
    for line, expression in read(text):
        if not isinstance(expression, list) or not expression or not isinstance(expression[0], str):
            raise Refused(line, "", "here is no command")
        yield line, expression[0], expression[1:]


def token(expression: Expression) -> str:
    """The token; Wrong where it is a list."""
    if isinstance(expression, list):
        raise Wrong(f"{text_of(expression)} is a list where a name is expected")
    return expression


def items(expression: Expression) -> list[Expression]:
    """The list's items; Wrong where it is a token."""
    if isinstance(expression, str):
        raise Wrong(f"{expression} is a name where a list is expected")
    return expression


def text_of(expression: Expression) -> str:
    """It as text, on one line."""
    return expression if isinstance(expression, str) else f"({' '.join(map(text_of, expression))})"
