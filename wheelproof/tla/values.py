"""TLA+ values in a running model.

| TLA+                           | Python          |
|--------------------------------|-----------------|
| TRUE, 3, "text"                | bool, int, str  |
| {1, 2}                         | frozenset       |
| functions, records, sequences  | Map             |

Equal maps are one object: equality is identity, and a state's hash costs no look into its values.
TLA+ keeps TRUE and 1 apart, Python does not. Maps to truth values have a table of their own, by
their first value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.tlc.values import Value, function


class Undefined(UsageError, LookupError):
    """A formula has no value in this state. TLC ends with an error there, too."""


class Domain:
    """The arguments of maps, in their canonical order, and all maps over them."""

    values: Values
    """The maps of the model."""
    sequence: bool
    """Whether the arguments are 1..n."""
    shown: tuple[Any, ...]
    """The arguments in the order of a page."""

    __slots__ = ("at", "keys", "members", "sequence", "shown", "values", "_plain", "_truths")

    def __init__(self, keys: tuple[Any, ...], values: Values) -> None:
        self.values = values
        self.keys, self.shown, self.members = keys, keys, frozenset(keys)
        self.at = {key: place for place, key in enumerate(keys)}
        self.sequence = keys == tuple(range(1, len(keys) + 1))
        self._plain: dict[tuple[Any, ...], Map] = {}
        self._truths: dict[tuple[Any, ...], Map] = {}

    def map(self, results: tuple[Any, ...]) -> Map:
        """The map to these results, in the order of ``keys``."""
        table = self._truths if results and results[0].__class__ is bool else self._plain
        entry = table.get(results)
        if entry is None:
            entry = table[results] = Map(zip(self.keys, results, strict=True))
            entry.domain, entry.results = self, results
        return entry


class Map(dict[Any, Any]):
    """A function, record or sequence: one object for equal ones. It is never changed."""

    __slots__ = ("domain", "results")
    domain: Domain
    results: tuple[Any, ...]

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __missing__(self, key: Any) -> Any:
        raise Undefined(f"A function is applied to {text(key)}, which is not in its domain.")

    def __repr__(self) -> str:
        return text(self)

    def __reduce__(self) -> Any:
        raise TypeError("a map belongs to the values of one model")


def text(value: Any) -> str:
    """A value as TLA+ has it; equal values have equal texts."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return f'"{value}"'
        case frozenset():
            return "{" + ", ".join(sorted(map(text, value))) + "}"
        case Map() if value.domain.sequence:
            return "<<" + ", ".join(map(text, value.results)) + ">>"
        case Map():
            return "(" + " @@ ".join(f"{text(k)} :> {text(v)}" for k, v in value.items()) + ")"
    return str(value)


def order(value: Any) -> tuple[int, Any]:
    """The canonical order: truth values, numbers, strings, then the rest by their texts."""
    match value:
        case bool():
            return 0, value
        case int():
            return 1, value
        case str():
            return 2, value
    return 3, text(value)


class Values:
    """All maps of one model, and the operators on them."""

    def __init__(self) -> None:
        self._domains: dict[tuple[Any, ...], Domain] = {}
        self._lengths: list[Domain] = []

    def domain(self, keys: Iterable[Any]) -> Domain:
        """The domain of these arguments."""
        canonical = tuple(sorted(keys, key=order))
        # TRUE and 1 are one key in Python
        identity = (*canonical, None, *(key for key in canonical if key.__class__ is bool))
        entry = self._domains.get(identity)
        if entry is None:
            entry = self._domains[identity] = Domain(canonical, self)
        return entry

    def sequence(self, items: tuple[Any, ...]) -> Map:
        while len(self._lengths) <= len(items):
            self._lengths.append(self.domain(range(1, len(self._lengths) + 1)))
        return self._lengths[len(items)].map(items)

    def function(self, pairs: Iterable[tuple[Any, Any]]) -> Map:
        results = dict(pairs)
        domain = self.domain(results)
        return domain.map(tuple([results[key] for key in domain.keys]))

    def changed(self, old: Map, key: Any, value: Any) -> Map:
        """``[old EXCEPT ![key] = value]``; as it was where the key is not in the domain."""
        domain, results = old.domain, old.results
        place = domain.at.get(key)
        if place is None:
            return old
        return domain.map((*results[:place], value, *results[place + 1 :]))

    def joined(self, first: Map, second: Map) -> Map:
        return self.sequence(self.items(first) + self.items(second))

    def tail(self, whole: Map) -> Map:
        if not whole:
            raise Undefined("Tail has no value for the empty sequence.")
        return self.sequence(self.items(whole)[1:])

    def part(self, whole: Map, first: int, last: int) -> Map:
        """``SubSeq(whole, first, last)``."""
        if first <= last and not (first >= 1 and last <= len(whole)):
            raise Undefined(f"SubSeq({text(whole)}, {first}, {last}) goes beyond the sequence.")
        return self.sequence(self.items(whole)[first - 1 : last] if first <= last else ())

    def items(self, whole: Map) -> tuple[Any, ...]:
        """The items of a sequence."""
        if not whole.domain.sequence:
            raise Undefined(f"{text(whole)} is no sequence.")
        return whole.results

    def over(self, first: Map, second: Map) -> Map:
        """``first @@ second``."""
        return self.function({**second, **first}.items())

    def recursive(self, keys: Iterable[Any], body: Callable[[Any, Any], Any]) -> Map:
        """``f[n \\in keys] == body(f, n)``."""
        unfolding = Unfolded(body)
        return self.function([(key, unfolding[key]) for key in keys])

    def intern(self, value: Any) -> Any:
        """A value of another model's as one of these. Without this, equal maps are two objects."""
        match value:
            case Map():
                pairs = [(self.intern(key), self.intern(result)) for key, result in value.items()]
                return self.function(pairs)
            case frozenset():
                return frozenset(map(self.intern, value))
        return value

    def from_plain(self, value: Any) -> Any:
        """A value from plain data: a mapping is a function, a list a sequence."""
        match value:
            case Mapping():
                return self.function(
                    (self.from_plain(key), self.from_plain(result)) for key, result in value.items()
                )
            case list() | tuple():
                return self.sequence(tuple(map(self.from_plain, value)))
            case set() | frozenset():
                return frozenset(map(self.from_plain, value))
        return value


class Unfolded(dict[Any, Any]):
    """The results of a function that is defined by recursion, as they are needed."""

    def __init__(self, body: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.body = body

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self.body(self, key)
        return value


class Once:
    """The value of a LET definition, computed where it is first needed."""

    __slots__ = ("_compute", "_value")

    def __init__(self, compute: Callable[[], Any]) -> None:
        self._compute: Callable[[], Any] | None = compute
        self._value: Any = None

    def __call__(self) -> Any:
        if self._compute is not None:
            self._value, self._compute = self._compute(), None
        return self._value


def tied(make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[..., Any]:
    """An operator that calls itself: ``make`` gives it when it has the operator."""

    def operator(*arguments: Any) -> Any:
        return function(*arguments)

    function = make(operator)
    return operator


def ordered(elements: Iterable[Any]) -> list[Any]:
    """The elements in the canonical order."""
    return sorted(elements, key=order)


def choose(elements: Iterable[Any], test: Callable[[Any], bool]) -> Any:
    """CHOOSE: the only element, or the least one where all that fit are numbers.

    Raises Undefined where none fits, and where the choice between several is TLC's own.
    """
    matches = [element for element in elements if test(element)]
    if not matches:
        raise Undefined("CHOOSE: no element of the set fits.")
    if len(matches) > 1 and not all(type(element) is int for element in matches):
        raise Undefined(
            f"CHOOSE: {text(frozenset(matches))} all fit, and TLA+ leaves open which is meant.",
            "Write a condition that one element meets.",
        )
    return min(matches) if len(matches) > 1 else matches[0]


def no_case() -> Any:
    raise Undefined("CASE: no condition holds.")


def as_plain(value: Any) -> Any:
    """A value as plain data: a sequence is a tuple, another map a dict."""
    match value:
        case Map() if value.domain.sequence:
            return tuple(map(as_plain, value.results))
        case Map():
            return {as_plain(key): as_plain(result) for key, result in value.items()}
        case frozenset():
            return frozenset(map(as_plain, value))
    return value


def canonical(value: Any) -> Value:
    """A value as :mod:`wheelproof.tlc.values` has it."""
    match value:
        case Map():
            return function([(canonical(key), canonical(result)) for key, result in value.items()])
        case frozenset():
            return frozenset(map(canonical, value))
    return value
