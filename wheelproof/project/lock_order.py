"""The documented order of a project's locks: ``harness/locks.toml``.

* ``[classes]`` says of each class of locks which state it guards.
* ``[edges."A -> B"]``: a lock of class B is taken while one of class A is held. Each line has a
  place in the code, and the mechanisms whose checks come to it. ``NAME (nightly)`` is a mechanism
  of which only the nightly profile does.
* ``[exceptions.NAME]``: edges that close a cycle on purpose, each with its ``reason``. An edge of a
  class to itself is one: the reason is the order of its objects. ``scenarios``, as
  ``MECHANISM/CONFIG``, are those that take the edges.

* ``[stand_ins]``: a lock of a harness -> the locks in whose place it is. Its edges are theirs.

The halves of a read/write lock are classes ``A(read)`` and ``A(write)`` of one lock ``A``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wheelproof import reading
from wheelproof.project.tables import Tables

FILE = "harness/locks.toml"
ARROW = " -> "
NIGHTLY = " (nightly)"
TABLES = ("classes", "edges", "exceptions", "stand_ins")
NO_STAND_INS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True)
class Exempt:
    """Edges that the graph without cycles leaves out."""

    name: str
    edges: tuple[str, ...]
    reason: str
    scenarios: tuple[str, ...] = ()
    """Scenarios that take the edges, as ``MECHANISM/CONFIG``."""


@dataclass(frozen=True)
class Documented:
    """The declaration."""

    classes: Mapping[str, str]
    edges: Mapping[str, Mapping[str, Mapping[str, str]]]
    """``A -> B`` -> place -> mechanism -> profile."""
    exceptions: Mapping[str, Exempt] = field(default_factory=dict)
    stand_ins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lock -> the locks in whose place it is."""

    @property
    def exempt(self) -> set[str]:
        """The edges of all exceptions."""
        return {edge for exception in self.exceptions.values() for edge in exception.edges}

    def edges_of(self, mechanism: str, profiles: Collection[str]) -> set[tuple[str, str]]:
        """(edge, place) of those that a mechanism's checks come to in these profiles."""
        return {
            (edge, place)
            for edge, places in self.edges.items()
            for place, mechanisms in places.items()
            if mechanisms.get(mechanism) in profiles
        }


def ends(edge: str) -> tuple[str, str]:
    """The locks of an edge ``A -> B``, without their halves."""
    first, _, second = edge.partition(ARROW)
    return lock_of(first), lock_of(second)


def lock_of(name: str) -> str:
    """The lock of which a class is a half, or the class itself."""
    return name.removesuffix("(read)").removesuffix("(write)")


def between(edge: str, stand_ins: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """The pairs of locks that an edge is between, without stand-ins."""
    firsts, seconds = (stand_ins.get(lock, (lock,)) for lock in ends(edge))
    return [(first, second) for first in firsts for second in seconds]


def cycle(
    edges: Iterable[str], stand_ins: Mapping[str, tuple[str, ...]] = NO_STAND_INS
) -> list[str]:
    """The edges of a shortest cycle, in its order; empty where there is none."""
    after: dict[str, dict[str, str]] = {}
    for edge in sorted(edges):
        for first, second in between(edge, stand_ins):
            after.setdefault(first, {}).setdefault(second, edge)
    shortest: list[str] = []
    for start in after:
        came: dict[str, tuple[str, str]] = {}
        todo, is_cycle = [start], False
        for lock in todo:
            for following, edge in after.get(lock, {}).items():
                if following not in came:
                    came[following] = lock, edge
                    todo.append(following)
            if is_cycle := start in came:
                break
        if is_cycle:
            way, lock = [], start
            while True:
                lock, edge = came[lock]
                way.append(edge)
                if lock == start:
                    break
            if not shortest or len(way) < len(shortest):
                shortest = way[::-1]
    return shortest


def read(root: Path, mechanisms: Collection[str] | None = None) -> Documented | None:
    """A project's declaration, or None without one. Raises UsageError where it is wrong.

    ``mechanisms``: the names of the project's own; None where they are not to be checked.
    """
    file = root / FILE
    if not reading.there(file):
        return None
    data = reading.tables(file)
    tables = Tables(file, data)
    if extra := sorted(set(data) - set(TABLES)):
        raise tables.fail(extra[0], "is unknown", f"Known: {', '.join(TABLES)}.")
    classes = {
        name: _text(tables, "classes", name, says) for name, says in tables.table("classes").items()
    }
    edges = {
        edge: _places(tables, edge, places, classes, mechanisms)
        for edge, places in tables.table("edges").items()
    }
    exceptions = {
        name: _exempt(tables, name, values, edges, mechanisms)
        for name, values in tables.table("exceptions").items()
    }
    stand_ins = {
        name: _stand_in(tables, name, locks, classes)
        for name, locks in tables.table("stand_ins").items()
    }
    return Documented(classes, edges, exceptions, stand_ins)


def _text(tables: Tables, place: str, name: str, says: Any) -> str:
    if not isinstance(says, str) or not says.strip():
        raise tables.fail(place, f"{name} has no text", "Say in a sentence what it is.")
    return says


def _places(
    tables: Tables,
    edge: str,
    places: Any,
    classes: Mapping[str, str],
    mechanisms: Collection[str] | None,
) -> dict[str, dict[str, str]]:
    where = f'edges."{edge}"'
    if edge.count(ARROW) != 1 or not isinstance(places, dict) or not places:
        raise tables.fail(where, "is no edge", 'Write [edges."A -> B"], with places in the code.')
    if unknown := sorted(set(ends(edge)) - set(classes)):
        raise tables.fail(
            where, f"{', '.join(unknown)} is not in [classes]", "Say there what it guards."
        )
    profiles: dict[str, dict[str, str]] = {}
    for place, names in places.items():
        if not isinstance(names, list) or not names:
            raise tables.fail(where, f"{place!r} names no mechanism", "List those that come to it.")
        profiles[place] = {
            str(name).removesuffix(NIGHTLY): "nightly" if str(name).endswith(NIGHTLY) else "fast"
            for name in names
        }
        if mechanisms is not None and (unknown := sorted(set(profiles[place]) - set(mechanisms))):
            raise tables.fail(
                where,
                f"{place!r} names {', '.join(unknown)}, which is no mechanism",
                f"Known: {', '.join(mechanisms)}.",
            )
    return profiles


def _stand_in(tables: Tables, name: str, locks: Any, classes: Mapping[str, str]) -> tuple[str, ...]:
    if not isinstance(locks, list) or not locks:
        raise tables.fail("stand_ins", f"{name} names no lock", "List those in whose place it is.")
    if unknown := sorted({name, *map(str, locks)} - set(classes)):
        raise tables.fail("stand_ins", f"{', '.join(unknown)} is not in [classes]")
    return tuple(map(str, locks))


def _exempt(
    tables: Tables,
    name: str,
    values: Any,
    edges: Collection[str],
    mechanisms: Collection[str] | None,
) -> Exempt:
    where = f"exceptions.{name}"
    if not isinstance(values, dict):
        raise tables.fail(where, "must be a table", "Write edges and reason.")
    exception = tables.build(Exempt, where, name, values)
    for part in ("edges", "scenarios"):
        names = getattr(exception, part)
        if not isinstance(names, (list, tuple)) or not all(isinstance(e, str) for e in names):
            raise tables.fail(where, f"{part} must be a list of texts")
    _text(tables, where, "reason", exception.reason)
    unknown = [edge for edge in exception.edges if edge not in edges]
    if unknown or not exception.edges:
        text = ", ".join(unknown) or "no edge"
        raise tables.fail(where, f"names {text}", "Name edges that stand in [edges].")
    for scenario in exception.scenarios:
        mechanism, slash, config = scenario.partition("/")
        if not (slash and config) or (mechanisms is not None and mechanism not in mechanisms):
            raise tables.fail(where, f"scenarios: {scenario} is none", "Write MECHANISM/CONFIG.")
    return Exempt(name, tuple(exception.edges), exception.reason, tuple(exception.scenarios))
