"""A small part of TLA+'s expressions, evaluated on a model's states: the condition of a step is
written once, in its table, and TLC reads the same text.

Known are names, primes, application ``f[x]``, fields ``r.x``, numbers, strings, TRUE and FALSE,
``{a, b}``, ``=``, ``#``, ``\\in``, ``+``, ``-``, ``~``, ``/\\``, ``<<a, b>>``, ``\\/``, DOMAIN and
IF THEN ELSE. Values are the model's: None for NULL, a mapping for a function or record, a tuple or
list for a sequence (from 1 on).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wheelproof.errors import UsageError

Look = Callable[[str, bool], object]
"""Gives the value of a name, in the state before (False) or after (True) the step; raises KeyError
where there is none."""

Evaluate = Callable[[Look], Any]
"""Of the value that an operator demands, or a TypeError."""

_TOKEN = re.compile(
    r"\s*(?:([A-Za-z_]\w*)|(\d+)|\"([^\"\\]*)\"|(<<|>>|/\\|\\/|\\in\b|[][{}().,=#~+'-]))"
)
_CLOSED_BY = {"{": "}", "<<": ">>"}
_WORDS = frozenset({"DOMAIN", "IF", "THEN", "ELSE", "TRUE", "FALSE", "NULL"})


class Expression:
    """One expression: ``text`` as it is written, ``names`` that it reads, ``primed``: whether it
    reads the state after the step.

    Raises UsageError, which names the text and the place in it, where it is none.
    """

    def __init__(self, text: str) -> None:
        names: set[str] = set()
        self.text, self.names, self.primed = text, names, False
        self._tokens, self._at = self._read(), 0
        self._evaluate = self._disjunction()
        if self._peek():
            raise self._wrong(f"{self._peek()!r} is one too many")

    def value(self, look: Look) -> object:
        """Its value. Raises KeyError for a name that ``look`` does not know, LookupError and
        TypeError where it has none."""
        return self._evaluate(look)

    def _wrong(self, fault: str) -> UsageError:
        return UsageError(
            f"The expression {self.text!r} cannot be read: {fault}.",
            "wheelproof/trace/model/expressions.py says what it may be made of.",
        )

    def _read(self) -> list[str]:
        tokens, at, text = [], 0, self.text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._wrong(f"at {text[at:].strip()[:20]!r}")
            tokens.append(f'"{match[3]}' if match[3] is not None else match[0].strip())
            at = match.end()
        return tokens

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _take(self, token: str) -> None:
        if self._next() != token:
            raise self._wrong(f"{token!r} is missing")

    def _disjunction(self) -> Evaluate:
        parts = [self._conjunction()]
        while self._peek() == "\\/":
            self._next()
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else lambda look: any(part(look) for part in parts)

    def _conjunction(self) -> Evaluate:
        parts = [self._not()]
        while self._peek() == "/\\":
            self._next()
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else lambda look: all(part(look) for part in parts)

    def _not(self) -> Evaluate:
        if self._peek() != "~":
            return self._comparison()
        self._next()
        inner = self._not()
        return lambda look: not inner(look)

    def _comparison(self) -> Evaluate:
        first, sign = self._sum(), self._peek()
        if sign not in ("=", "#", "\\in"):
            return first
        self._next()
        second = self._sum()
        if sign == "=":
            return lambda look: _plain(first(look)) == _plain(second(look))
        if sign == "#":
            return lambda look: _plain(first(look)) != _plain(second(look))
        return lambda look: first(look) in second(look)

    def _sum(self) -> Evaluate:
        total = self._application()
        while self._peek() in ("+", "-"):
            total = self._sum_of(total, 1 if self._next() == "+" else -1, self._application())
        return total

    @staticmethod
    def _sum_of(augend: Evaluate, sign: int, addend: Evaluate) -> Evaluate:
        return lambda look: augend(look) + sign * addend(look)

    @staticmethod
    def _constant(value: object) -> Evaluate:
        return lambda look: value

    def _application(self) -> Evaluate:
        term = self._atom()
        while self._peek() in ("[", "."):
            if self._next() == "[":
                argument = self._disjunction()
                self._take("]")
            else:
                name = self._next()
                argument = self._constant(name)
            term = self._at_argument(term, argument)
        return term

    @staticmethod
    def _at_argument(function: Evaluate, argument: Evaluate) -> Evaluate:
        def value(look: Look) -> object:
            holder, at = function(look), argument(look)
            if isinstance(holder, Mapping):
                return holder[at]
            if isinstance(holder, (tuple, list)) and isinstance(at, int) and 1 <= at <= len(holder):
                return holder[at - 1]
            raise LookupError(f"{holder!r} is not applied to {at!r}")

        return value

    def _atom(self) -> Evaluate:
        token = self._next()
        if token == "(":
            inner = self._disjunction()
            self._take(")")
            return inner
        if token in _CLOSED_BY:
            members, end = [], _CLOSED_BY[token]
            while self._peek() != end:
                members.append(self._disjunction())
                if self._peek() != end:
                    self._take(",")
            self._next()
            return (
                (lambda look: [member(look) for member in members])
                if token == "{"
                else (lambda look: tuple([member(look) for member in members]))
            )
        if token == "IF":
            condition = self._disjunction()
            self._take("THEN")
            consequent = self._disjunction()
            self._take("ELSE")
            else_branch = self._disjunction()
            return lambda look: consequent(look) if condition(look) else else_branch(look)
        if token == "DOMAIN":
            function = self._application()
            return lambda look: _domain(function(look))
        if token in ("TRUE", "FALSE", "NULL"):
            constant = {"TRUE": True, "FALSE": False, "NULL": None}[token]
            return lambda look: constant
        if token[:1] == '"':
            return lambda look: token[1:]
        if token.isdigit():
            return lambda look: int(token)
        if not token[:1].isalpha() or token in _WORDS:
            raise self._wrong(
                f"{token!r} stands where a value should" if token else "it ends too early"
            )
        is_primed = self._peek() == "'"
        if is_primed:
            self._next()
            self.primed = True
        self.names.add(token)
        return lambda look: look(token, is_primed)


def _domain(value: object) -> Iterable[object]:
    """The arguments of a function or of a sequence. Raises TypeError for another value."""
    if isinstance(value, Mapping):
        return value.keys()
    if isinstance(value, (tuple, list)):
        return range(1, len(value) + 1)
    raise TypeError(f"{value!r} has no domain")


def _plain(value: object) -> object:
    """A sequence as a tuple, whichever form the model gives it in."""
    return tuple(value) if isinstance(value, list) else value
