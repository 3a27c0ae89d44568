"""A cfg file of TLC: its statements as plain data, refused by name where one is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from wheelproof import reading
from wheelproof.errors import UsageError
from wheelproof.tla.reader import constant_name
from wheelproof.tlc import mc
from wheelproof.tlc.values import ModelValue, Value, format_tla

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<number>-?\d+\b)
          |(?P<name>[\w!]*[A-Za-z_][\w!]*(?:-CONSTRAINTS?\b)?)
          |(?P<sign><-|[=\[\]{},()])|(?P<end>\Z))""",
    re.VERBOSE,
)

_LISTS = {
    "INVARIANT": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION-CONSTRAINT": "action_constraints",
}
"""The statements with several names, without a final S."""

_SINGLE = {
    "SPECIFICATION": "specification",
    "INIT": "init",
    "NEXT": "next",
    "VIEW": "view",
    "SYMMETRY": "symmetry",
    "ALIAS": "alias",
    "POSTCONDITION": "postcondition",
}

_REFUSED = {"TYPE", "TYPE_CONSTRAINT", "_PERIODIC", "_RL_REWARD"}


@dataclass
class Configuration:
    """The statements of one cfg file. ``alias`` and ``postcondition`` are TLC's alone."""

    file: Path
    specification: str = ""
    init: str = ""
    next: str = ""
    view: str = ""
    symmetry: str = ""
    alias: str = ""
    postcondition: str = ""
    invariants: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    action_constraints: list[str] = field(default_factory=list)
    deadlock: bool = True
    """Whether a state without a successor is an error."""
    values: dict[str, Value] = field(default_factory=dict)
    """``name = value``."""
    replaced: dict[str, str] = field(default_factory=dict)
    """``name <- operator``."""
    replaced_in: dict[tuple[str, str], str] = field(default_factory=dict)
    """``name <- [Module] operator``: (module, name) -> operator.

    It is "" for ``name = [Module] value``.
    """

    def constants(self) -> list[str]:
        """The statements about constants, for another cfg file."""
        inside = {
            constant_name(*key): key for key, new_name in self.replaced_in.items() if not new_name
        }
        lines = []
        for name, value in self.values.items():
            module, title = inside.get(name, ("", name))
            lines.append(f"CONSTANT {title} = {module and f'[{module}]'}{format_tla(value)}")
        lines += [f"CONSTANT {name} <- {new_name}" for name, new_name in self.replaced.items()]
        return lines + [
            f"CONSTANT {name} <- [{module}] {new_name}"
            for (module, name), new_name in self.replaced_in.items()
            if new_name
        ]

    def without_properties(self) -> str:
        """The cfg file but for temporal properties and output, on which no count depends."""
        single = {
            word: getattr(self, name)
            for word, name in _SINGLE.items()
            if word not in ("ALIAS", "POSTCONDITION")
        }
        several = {
            "INVARIANT": self.invariants,
            "CONSTRAINT": self.constraints,
            "ACTION_CONSTRAINT": self.action_constraints,
        }
        return "\n".join(
            [
                *self.constants(),
                *(f"{word} {name}" for word, name in single.items() if name),
                *(f"{word} {name}" for word, names in several.items() for name in names),
                f"CHECK_DEADLOCK {format_tla(self.deadlock)}",
                "",
            ]
        )


def read(file: Path) -> Configuration:
    """The configuration of a file; UsageError where it has a statement that is not read."""
    return _Parser(file, mc.without_comments(reading.text(file))).configuration()


class _Parser:
    """Statement by statement, over the tokens of the file."""

    def __init__(self, file: Path, text: str) -> None:
        self.file, self.text, self.position = file, text, 0
        self.result = Configuration(file)
        self.tokens = self._tokens()
        self.kind, self.token = next(self.tokens)

    def _tokens(self) -> Iterator[tuple[str, str]]:
        while True:
            match = _TOKEN.match(self.text, self.position)
            if match is None or match.lastgroup is None:
                self.fail(f"{self.text[self.position :].split()[0][:20]!r} cannot be read")
            self.position = match.end()
            yield match.lastgroup, match[match.lastgroup]

    def fail(self, fault: str) -> NoReturn:
        line = self.text.count("\n", 0, self.position) + 1
        raise UsageError(f"{self.file}, line {line}: {fault}.", "Correct the cfg file.")

    def advance(self) -> str:
        token = self.token
        self.kind, self.token = next(self.tokens)
        return token

    def name(self) -> str:
        if self.kind != "name":
            self.fail(f"{self.token or 'the end'!r} stands where a name is needed")
        return self.advance()

    def configuration(self) -> Configuration:
        while self.kind != "end":
            self.statement(self.name())
        return self.result

    def statement(self, word: str) -> None:
        single = word.removesuffix("S")
        if word in ("CONSTANT", "CONSTANTS"):
            while self.kind == "name" and not self.is_statement():
                self.constant(self.advance())
        elif word == "CHECK_DEADLOCK":
            self.result.deadlock = self.name() == "TRUE"
        elif (name := _LISTS.get(word) or _LISTS.get(single)) is not None:
            while self.kind == "name" and not self.is_statement():
                getattr(self.result, name).append(self.advance())
        elif word in _SINGLE:
            setattr(self.result, _SINGLE[word], self.name())
        else:
            self.fail(f"the statement {word} is not read")

    def is_statement(self) -> bool:
        return self.token in {*_LISTS, *_SINGLE, *_REFUSED, "CONSTANT", "CHECK_DEADLOCK"} or (
            self.token.endswith("S") and self.token[:-1] in {*_LISTS, "CONSTANT"}
        )

    def constant(self, name: str) -> None:
        sign = self.advance()
        if sign in ("<-", "=") and self.token == "[":
            self.advance()
            module = self.name()
            self.advance()
            if sign == "<-":
                self.result.replaced_in[module, name] = self.name()
            else:
                self.result.replaced_in[module, name] = ""
                self.result.values[constant_name(module, name)] = self.value()
        elif sign == "<-":
            self.result.replaced[name] = self.name()
        elif sign == "=":
            self.result.values[name] = self.value()
        else:
            self.fail(f"the constant {name} has arguments or no value")

    def value(self) -> Value:
        kind, token = self.kind, self.advance()
        match kind, token:
            case "string", _:
                return token[1:-1]
            case "number", _:
                return int(token)
            case "name", "TRUE" | "FALSE":
                return token == "TRUE"
            case "name", _:
                return ModelValue(token)
            case "sign", "{":
                elements = []
                while self.token != "}":
                    elements.append(self.value())
                    if self.token == ",":
                        self.advance()
                self.advance()
                return frozenset(elements)
        self.fail(f"{token!r} is no value")
