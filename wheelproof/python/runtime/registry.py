"""The table of controlled primitives: each scheduler has a subclass of every one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar

from wheelproof.python.runtime.bound import bound
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.threads import Site, Thread


class Rules:
    """The common rules of the operations of primitives."""

    def __init__(self, scheduler: Scheduler, name: str) -> None:
        self._scheduler, self._name = scheduler, name
        """``name`` is the primitive's, for messages."""

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
    A lock calls ``scheduler.order``: ``add``, ``enter`` or ``inside``, and ``leave``.
    """

    __slots__ = ()
    scheduler: ClassVar[Scheduler]
    """The scheduler of the subclass."""
    rules: ClassVar[Rules]
    """The rules of operations under this scheduler."""
    siblings: ClassVar[Mapping[str, type[Any]]]
    """Name -> primitive of the same scheduler."""


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


def primitive_names() -> tuple[str, ...]:
    """Names of the controlled primitives."""
    return tuple(_REGISTRY)


def classes(scheduler: Any, wakes_spuriously: Collection[str] = ()) -> dict[str, Any]:
    """Every registered primitive of a scheduler, by name.

    ``scheduler``: a :class:`Scheduler`, or any object with the members that primitives use.
    ``wakes_spuriously``: the primitives whose waits may end without a reason.
    """
    siblings: dict[str, type[Any]] = {}
    for name, registered in _REGISTRY.items():
        cls = _SPURIOUS[name] if name in wakes_spuriously else registered
        rules = Rules(scheduler, name)
        siblings[name] = bound(cls, scheduler=scheduler, rules=rules, siblings=siblings)
    return siblings


def of_one_scheduler(classes: Iterable[type]) -> list[type]:
    """Those of some classes that are of one scheduler: all but the classes that are written once.

    A class of a project belongs to the scheduler of the run that it was loaded for.
    """
    return [cls for cls in classes if not issubclass(cls, Primitive) or hasattr(cls, "scheduler")]
