"""Patterns of ``match``: each takes its subject apart in the steps of the interpreter's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wheelproof.plain.sites import Site

_IS_SEQUENCE, _IS_MAPPING, _MATCHES_ITSELF = 1 << 5, 1 << 6, 1 << 22
"""Flags of a class, by which its objects match patterns."""

_MISSING = object()


class Mismatch(Exception):
    """A pattern does not match."""


@dataclass
class Case:
    """A case that is compared with a subject. ``values``: those of its patterns, by number."""

    hooks: Mapping[str, Callable[..., Any]]
    values: Sequence[Callable[[], Any]]
    sites: Sequence[Site]
    captured: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pattern:
    """A pattern. ``site`` and ``value``: the numbers of its site, and of its value or class."""

    site: int
    value: int = 0

    def match(self, case: Case, subject: Any) -> None:
        """Match a subject. Raises Mismatch."""
        raise NotImplementedError


class Equal(Pattern):
    def match(self, case: Case, subject: Any) -> None:
        value, site = case.values[self.value](), case.sites[self.site]
        if not case.hooks["binary"]("eq", subject, value, site):
            raise Mismatch


class Same(Pattern):
    def match(self, case: Case, subject: Any) -> None:
        if subject is not case.values[self.value]():
            raise Mismatch


@dataclass(frozen=True)
class Named(Pattern):
    """A name for the subject of another pattern, or of any. Without a name: a wildcard."""

    inner: Pattern | None = None
    name: str | None = None

    def match(self, case: Case, subject: Any) -> None:
        if self.inner is not None:
            self.inner.match(case, subject)
        if self.name is not None:
            case.captured[self.name] = subject


@dataclass(frozen=True)
class Either(Pattern):
    parts: tuple[Pattern, ...] = ()

    def match(self, case: Case, subject: Any) -> None:
        before = case.captured
        for part in self.parts:
            case.captured = dict(before)
            try:
                return part.match(case, subject)
            except Mismatch:
                continue
        raise Mismatch


@dataclass(frozen=True)
class InOrder(Pattern):
    """A sequence. ``star``: the number of the part that takes the rest, or -1."""

    parts: tuple[Pattern, ...] = ()
    star: int = -1

    def match(self, case: Case, subject: Any) -> None:
        if not type(subject).__flags__ & _IS_SEQUENCE:
            raise Mismatch
        case.hooks["whole"](subject, case.sites[self.site])
        missing = len(self.parts) - len(subject) - (self.star >= 0)
        if missing > 0 or (missing and self.star < 0):
            raise Mismatch
        case.hooks["at_once"](case.sites[self.site])
        case.hooks["whole"](subject, case.sites[self.site])
        items: list[Any] = list(subject)
        if self.star >= 0:
            end = len(items) - (len(self.parts) - self.star - 1)
            items[self.star : end] = [items[self.star : end]]
        if len(items) != len(self.parts):
            raise ValueError(f"{len(items)} values to unpack (expected {len(self.parts)})")
        for part, item in zip(self.parts, items, strict=True):
            part.match(case, item)


@dataclass(frozen=True)
class ByKeys(Pattern):
    """A mapping. ``keys``: the numbers of its keys. ``rest``: the name of the other items."""

    keys: tuple[int, ...] = ()
    parts: tuple[Pattern, ...] = ()
    rest: str | None = None

    def match(self, case: Case, subject: Any) -> None:
        if not type(subject).__flags__ & _IS_MAPPING:
            raise Mismatch
        keys = [case.values[key]() for key in self.keys]
        values = []
        for number, key in enumerate(keys):
            if number:
                case.hooks["at_once"](case.sites[self.site])
            get = case.hooks["method"](subject, "get", case.sites[self.site])
            values.append(get(key, _MISSING))
            if values[-1] is _MISSING:
                raise Mismatch
        for part, value in zip(self.parts, values, strict=True):
            part.match(case, value)
        if self.rest is not None:
            case.hooks["at_once"](case.sites[self.site])
            case.hooks["whole"](subject, case.sites[self.site])
            rest = dict(subject)
            for key in keys:
                del rest[key]
            case.captured[self.rest] = rest


@dataclass(frozen=True)
class OfClass(Pattern):
    """An object of a class. ``names``: the attributes of its last parts."""

    parts: tuple[Pattern, ...] = ()
    names: tuple[str, ...] = ()

    def match(self, case: Case, subject: Any) -> None:
        kind = case.values[self.value]()
        if not isinstance(subject, kind):
            raise Mismatch
        parts, count = self.parts, len(self.parts) - len(self.names)
        first: tuple[str, ...] = getattr(kind, "__match_args__", ())
        if count == 1 and not first and kind.__flags__ & _MATCHES_ITSELF:
            parts[0].match(case, subject)
            parts, count = parts[1:], 0
        if count > len(first):
            raise TypeError(
                f"{kind.__name__}() accepts {len(first)} positional sub-patterns ({count} given)"
            )
        for part, name in zip(parts, (*first[:count], *self.names), strict=True):
            part.match(case, _attribute(case, subject, name, case.sites[self.site]))


def _attribute(case: Case, subject: Any, name: str, site: Site) -> Any:
    site.type = None
    try:
        return case.hooks["load"](subject, name, site)
    except AttributeError:
        raise Mismatch from None


def matching(hooks: Mapping[str, Callable[..., Any]]) -> Callable[..., dict[str, Any] | None]:
    """The helper that matches a subject: the names of a case with their values, or None."""

    def matched(subject: Any, pattern: Pattern, count: int, *parts: Any) -> dict[str, Any] | None:
        case = Case(hooks, parts[:count], parts[count:])
        try:
            pattern.match(case, subject)
        except Mismatch:
            return None
        return case.captured

    return matched
