"""The table of controlled primitives: each scheduler has a subclass of every one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar

from wheelproof.python.runtime.bound import bound
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.threads import Site, Thread


class Rules:
    """What the operations of primitives have in common. ``name``: the primitive's, for messages."""

    def __init__(self, scheduler: Scheduler, name: str) -> None:
        self._scheduler, self._name = scheduler, name

    def whole(self, site: Site | None) -> None:
        """Refuse an operation within an atomic one, where nothing could end its wait."""
        if site is None and self._scheduler.running is not None:
            self._scheduler.fail(
                f"{self._name}: an operation within an atomic one; let the operation that uses it "
                "have its steps"
            )

    def unplanned(self, thread: Thread) -> NoReturn:
        self._scheduler.fail(
            f"{self._name}: {thread.name} was let in although it has to wait: the run is not the "
            "one that was planned"
        )

    def acquired(self, source: object) -> None:
        if self._scheduler.race is not None and self._scheduler.running is not None:
            self._scheduler.race.acquire(self._scheduler.running, source)

    def released(self, target: object) -> None:
        if self._scheduler.race is not None and self._scheduler.running is not None:
            self._scheduler.race.release(self._scheduler.running, target)


class Primitive:
    """The base of all controlled primitives.

    A method that the implementation calls must itself call ``scheduler.point``, since the point
    reads the caller of its caller. A point that returns None is within an atomic operation: a lock
    then has no state, and excludes no thread. State that decides the future belongs in
    ``__slots__``: the fingerprint reads all of them.
    A lock calls ``scheduler.order``: ``made``, ``entered`` or ``inside``, and ``left``.

    ``scheduler``: that of the subclass; ``rules``: with it. ``siblings``: the primitives of the
    same scheduler, by name.
    """

    __slots__ = ()
    scheduler: ClassVar[Scheduler]
    rules: ClassVar[Rules]
    siblings: ClassVar[Mapping[str, type[Any]]]


T = TypeVar("T", bound=type[Primitive])

_REGISTRY: dict[str, type[Primitive]] = {}
_SPURIOUS: dict[str, type[Primitive]] = {}


def primitive(cls: T) -> T:
    """Register a class as the controlled primitive of its name."""
    _REGISTRY[cls.__name__] = cls
    return cls


def spurious(name: str) -> Callable[[T], T]:
    """Register the class that replaces a primitive where a harness's ``SPURIOUS`` names it."""

    def register(cls: T) -> T:
        _SPURIOUS[name] = cls
        return cls

    return register


def with_spurious() -> tuple[str, ...]:
    """Names of the primitives that have such a class."""
    return tuple(_SPURIOUS)


def registered() -> tuple[str, ...]:
    """Names of the controlled primitives."""
    return tuple(_REGISTRY)


def classes(scheduler: Scheduler, wakes_spuriously: Collection[str] = ()) -> dict[str, type]:
    """Every registered primitive of a scheduler, by name.

    ``wakes_spuriously``: the primitives whose waits may end without a reason.
    """
    chosen = {
        name: _SPURIOUS[name] if name in wakes_spuriously else cls
        for name, cls in _REGISTRY.items()
    }
    return _of(scheduler, chosen)


def some(names: Collection[str], scheduler: Any) -> dict[str, Any]:
    """These primitives alone, by name.

    ``scheduler``: of any kind that has what these primitives ask of it.
    """
    return _of(scheduler, {name: _REGISTRY[name] for name in names})


def of_one_scheduler(classes: Iterable[type]) -> list[type]:
    """Those of some classes that are of one scheduler: all but the classes that are written once.

    A class of a project belongs to the scheduler of the run that it was loaded for.
    """
    return [cls for cls in classes if not issubclass(cls, Primitive) or hasattr(cls, "scheduler")]


def _of(scheduler: Any, chosen: Mapping[str, type[Primitive]]) -> dict[str, Any]:
    siblings: dict[str, type[Any]] = {}
    for name, cls in chosen.items():
        rules = Rules(scheduler, name)
        siblings[name] = bound(cls, scheduler=scheduler, rules=rules, siblings=siblings)
    return siblings
