"""The table of controlled primitives: each is built anew for every scheduler."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from wheelproof.explore.controlled import Scheduler

Build = Callable[[Scheduler, dict[str, Any]], type]
"""Builds the class of a primitive for a scheduler; the dictionary has the classes built before."""

_REGISTRY: dict[str, Build] = {}
_SPURIOUS: dict[str, Build] = {}


def primitive(name: str) -> Callable[[Build], Build]:
    """Register ``build(scheduler, earlier) -> class`` as the controlled primitive of this name.

    ``earlier``: the classes registered before it. In the class every method that the implementation
    calls must itself call ``scheduler.point``, since the point reads the caller of its caller. A
    point that returns None is within an atomic operation: a lock then has no state, and excludes no
    thread. State that decides the future belongs in
    ``__slots__``: the fingerprint reads all of them.
    A lock calls ``scheduler.order``: ``made``, ``entered`` or ``inside``, and ``left``.
    """

    def register(build: Build) -> Build:
        _REGISTRY[name] = build
        return build

    return register


def spurious(name: str) -> Callable[[Build], Build]:
    """Register the class that replaces a primitive where a harness's ``SPURIOUS`` names it.

    ``build`` finds the primitive itself in ``earlier``.
    """

    def register(build: Build) -> Build:
        _SPURIOUS[name] = build
        return build

    return register


def with_spurious() -> tuple[str, ...]:
    """Names of the primitives that have such a class."""
    return tuple(_SPURIOUS)


def registered() -> tuple[str, ...]:
    """Names of the controlled primitives."""
    return tuple(_REGISTRY)


def classes(scheduler: Scheduler, wakes_spuriously: Collection[str] = ()) -> dict[str, type]:
    """Every registered primitive, built for ``scheduler``, by name.

    ``wakes_spuriously``: the primitives whose waits may end without a reason.
    """
    built: dict[str, Any] = {}
    for name, build in _REGISTRY.items():
        built[name] = build(scheduler, built)
        if name in wakes_spuriously:
            built[name] = _SPURIOUS[name](scheduler, built)
    return built


def some(names: Collection[str], scheduler: Any) -> dict[str, Any]:
    """These primitives alone, which need no others, built for ``scheduler``, by name.

    ``scheduler``: of any kind that has what these primitives ask of it.
    """
    built: dict[str, Any] = {}
    for name in names:
        built[name] = _REGISTRY[name](scheduler, built)
    return built
