"""TLA+ values as Python values: read as TLC prints them, written as a module accepts them.

| TLA+                                | Python                               |
|-------------------------------------|--------------------------------------|
| TRUE, 3, "text"                     | bool, int, str                       |
| {1, 2}, 1..2                        | frozenset                            |
| <<1, 2>>, also (1 :> 1 @@ 2 :> 2)   | tuple                                |
| [a |-> 1], (0 :> 1 @@ 1 :> 2)       | Function                             |
| a model value                       | ModelValue                           |

Equal TLA+ values become one Python value, however they were printed: an interval is its set, a
record is a function over strings, a function over exactly 1..n is a tuple, and the function without
arguments is `()`.

Python holds True == 1, TLA+ does not. Where the difference matters, compare `format_tla(value)`: it
is canonical, so two values are the same exactly when their texts are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from wheelproof.errors import ToolError, UsageError

Value = Any
"""bool | int | str | frozenset | tuple | Function | ModelValue; no other value is canonical."""

_LARGEST_INTERVAL = 1_000_000
_INTEGERS = range(-(2**31) + 1, 2**31)  # the integers of TLC

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*")
          |(?P<name>[A-Za-z0-9_]*[A-Za-z][A-Za-z0-9_]*)
          |(?P<integer>-?[0-9]+)
          |(?P<sign><<|>>|\|->|:>|@@|\.\.|[{}\[\](),])
          |(?P<end>\Z))""",
    re.VERBOSE,
)
_ESCAPES = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_ESCAPED = {character: "\\" + letter for letter, character in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_RESERVED_WORDS = """
ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN
ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS
OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES TAKE
TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())


class ValueSyntaxError(ToolError):
    """A text is not a TLA+ value as TLC prints it."""


@dataclass(frozen=True, slots=True, order=True)
class ModelValue:
    """A TLC model value: equal to itself only, never to the string of the same letters."""

    name: str

    def __str__(self) -> str:
        return self.name


class Function(Mapping[Value, Value]):
    """An immutable, hashable TLA+ function or record; its arguments have one canonical order.

    It holds values in canonical form and refuses one that would be a tuple; `function` makes the
    right one of the two.
    """

    __slots__ = ("_hash", "_results")

    def __init__(self, results: Mapping[Value, Value] | Iterable[tuple[Value, Value]]) -> None:
        table = dict(results)
        if _is_domain_of_sequence(table):
            raise ValueError(
                f"A function over 1..{len(table)} is a sequence and has to be written as a tuple."
            )
        self._results = {argument: table[argument] for argument in sorted(table, key=order)}
        self._hash: int | None = None

    def __getitem__(self, argument: Value) -> Value:
        return self._results[argument]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Function):
            return self._results == other._results
        return isinstance(other, Mapping) and self._results == dict(other)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._results.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"Function({self._results!r})"


def function(
    results: Mapping[Value, Value] | Iterable[tuple[Value, Value]],
) -> Function | tuple[Value, ...]:
    """The canonical form of a TLA+ function: a tuple if the domain is 1..n, also for n = 0."""
    table = dict(results)
    if _is_domain_of_sequence(table):
        return tuple(table[index] for index in range(1, len(table) + 1))
    return Function(table)


def freeze(value: object, null: str | None = None) -> Value:
    """The canonical value of Python data: functions for mappings, tuples for lists, frozensets.

    `null` is the TLA+ string that None stands for; without it None is refused, as is everything
    else without a TLA+ form.
    """
    match value:
        case None if null is not None:
            return null
        case bool() | int() | str() | ModelValue():
            return value
        case Mapping():
            return function(
                (freeze(argument, null), freeze(result, null)) for argument, result in value.items()
            )
        case list() | tuple():
            return tuple(freeze(element, null) for element in value)
        case set() | frozenset():
            return frozenset(freeze(element, null) for element in value)
    raise UsageError(f"{value!r} of type {type(value).__name__} has no TLA+ value.")


def order_of_atom(value: object) -> tuple[int, Any] | None:
    """A sort key of a truth value, a number, a string or a model value; None for a larger one."""
    match value:
        case bool():
            return 0, value
        case int():
            return 1, value
        case str():
            return 2, value
        case ModelValue():
            return 3, value.name
    return None


def order(value: Value) -> tuple[Any, ...]:
    """A sort key under which all values compare: by kind, then as usual within a kind."""
    if (key := order_of_atom(value)) is not None:
        return key
    match value:
        case tuple():
            return 4, len(value), tuple(map(order, value))
        case frozenset():
            return 5, len(value), tuple(sorted(map(order, value)))
        case Function():
            return (
                6,
                len(value),
                tuple((order(argument), order(value[argument])) for argument in value),
            )
    raise TypeError(
        f"{value!r} of type {type(value).__name__} is not a canonical TLA+ value; see freeze()."
    )


def format_tla(value: Value) -> str:
    """The TLA+ text of a canonical value, on one line; the same text for the same value always.

    A module that contains it must extend Integers (negative numbers) and TLC (`:>` and `@@`).
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() if value in _INTEGERS:
            return str(value)
        case str():
            return _format_string(value)
        case ModelValue():
            return value.name
        case tuple():
            return "<<" + ", ".join(map(format_tla, value)) + ">>"
        case frozenset():
            return "{" + ", ".join(map(format_tla, sorted(value, key=order))) + "}"
        case Function() if all(map(_is_field, value)):
            return (
                "[" + ", ".join(f"{field} |-> {format_tla(value[field])}" for field in value) + "]"
            )
        case Function():
            return (
                "(" + " @@ ".join(f"{format_tla(a)} :> {format_tla(value[a])}" for a in value) + ")"
            )
        case int():
            raise UsageError(f"The integer {value} is outside of TLC's range of 32 bits.")
    raise TypeError(
        f"{value!r} of type {type(value).__name__} is not a canonical TLA+ value; see freeze()."
    )


def parse_value(text: str) -> Value:
    """The canonical value of a printed TLA+ value of one or several lines; ValueSyntaxError."""
    parser = _Parser(text)
    value = parser.value()
    parser.expect("")
    return value


def split_state(text: str) -> dict[str, str]:
    """The text of each variable's value in a printed state, in the order in which TLC prints them.

    Every variable starts a line with `/\\ name = `, but a sole variable has no `/\\`; the lines
    between belong to a long value that TLC wrapped.
    """
    variables = {}
    for piece in ("\n" + text.strip().removeprefix("/\\ ")).split("\n/\\ "):
        name, equals, value = piece.strip().partition(" = ")
        if not equals or name in variables:
            raise ValueSyntaxError(
                f"TLC printed a state that cannot be read: {piece.strip()[:120]!r} is no "
                "assignment."
            )
        variables[name] = value
    return variables


class _Parser:
    """Recursive descent over the tokens of a value. `kind`, `token`, `start`: the next token's."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.advance()

    def advance(self) -> str:
        """Steps over the next token and returns it."""
        token = getattr(self, "token", "")
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            rest = self.text[self.position :]
            self.start = self.position + len(rest) - len(rest.lstrip())
            self.fail("a value")
        kind = match.lastgroup
        assert kind is not None
        self.kind, self.token = kind, match[kind]
        self.start, self.position = match.start(kind), match.end()
        return token

    def expect(self, sign: str) -> None:
        """Steps over this sign; the empty one is the end of the text."""
        if self.token != sign or self.kind not in ("sign", "end"):
            self.fail(repr(sign) if sign else "the end")
        self.advance()

    def fail(self, expectation: str) -> NoReturn:
        token = (
            repr(self.text[self.start : self.start + 20])
            if self.start < len(self.text)
            else "the end"
        )
        excerpt = self.text if len(self.text) <= 120 else self.text[:117] + "..."
        raise ValueSyntaxError(
            f"TLC printed a value that cannot be read: expected {expectation} but found {token} at "
            f"position {self.start} "
            f"of {excerpt!r}."
        )

    def value(self) -> Value:
        match self.kind, self.token:
            case "string", _:
                return self.string()
            case "integer", _:
                return self.integer_or_interval()
            case "name", "TRUE" | "FALSE":
                return self.advance() == "TRUE"
            case "name", _:
                return ModelValue(self.advance())
            case "sign", "<<":
                return tuple(self.items("<<", self.value, ">>"))
            case "sign", "{":
                elements = list(self.items("{", self.value, "}"))
                return self.all_distinct(frozenset(elements), len(elements))
            case "sign", "[":
                return self.function_of(list(self.items("[", self.field, "]")))
            case "sign", "(":
                return self.function_of(list(self.items("(", self.argument, ")", between="@@")))
        self.fail("a value")
        return None

    def items(self, opening: str, item: Any, closing: str, between: str = ",") -> Iterator[Any]:
        """The items between the brackets, each read by `item`."""
        self.expect(opening)
        if self.token != closing:
            yield item()
            while self.token == between:
                self.expect(between)
                yield item()
        self.expect(closing)

    def field(self) -> tuple[str, Value]:
        if self.kind != "name":
            self.fail("the name of a field")
        name = self.advance()
        self.expect("|->")
        return name, self.value()

    def argument(self) -> tuple[Value, Value]:
        argument = self.value()
        self.expect(":>")
        return argument, self.value()

    def function_of(self, pairs: list[tuple[Value, Value]]) -> Value:
        return self.all_distinct(function(pairs), len(pairs))

    def all_distinct(self, value: Any, count: int) -> Any:
        """Refuse to merge values that TLC keeps apart: reading stays injective."""
        if len(value) != count:
            self.fail(f"{count} different elements before this place")
        return value

    def string(self) -> str:
        return _ESCAPE.sub(self.character, self.advance()[1:-1])

    def character(self, escape: re.Match[str]) -> str:
        if escape[1] not in _ESCAPES:
            self.fail("only known escapes in the string before this place")
        return _ESCAPES[escape[1]]

    def integer_or_interval(self) -> int | frozenset[int]:
        first = int(self.advance())
        if self.token != "..":
            return first
        self.expect("..")
        if self.kind != "integer":
            self.fail("the upper end of an interval")
        last = int(self.token)
        if last - first >= _LARGEST_INTERVAL:
            self.fail(f"an interval of at most {_LARGEST_INTERVAL} integers")
        self.advance()
        return frozenset(range(first, last + 1))


def _is_domain_of_sequence(results: Mapping[Value, Value]) -> bool:
    return all(type(argument) is int and 1 <= argument <= len(results) for argument in results)


def _is_field(argument: Value) -> bool:
    """Whether SANY reads `[argument |-> ...]`."""
    return (
        isinstance(argument, str)
        and _FIELD.fullmatch(argument) is not None
        and argument not in _RESERVED
        and not argument.startswith(("WF_", "SF_"))
    )


def _format_string(text: str) -> str:
    # Other characters depend on the machine's encoding once they have passed through Java.
    if bad := next((c for c in text if c not in _ESCAPED and not " " <= c <= "~"), None):
        raise UsageError(
            f"The string {text!r} has the character {bad!r}, which a TLA+ string cannot hold."
        )
    return '"' + "".join(_ESCAPED.get(c, c) for c in text) + '"'
