"""Marked fields under control: a data descriptor in front of the slot's own.

Replacing the descriptor in place, rather than the class, keeps module globals, ``super()`` and
constructor calls right: the class is the same object.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MemberDescriptorType, ModuleType

from wheelproof.mapping import marks_of
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.controlled import Scheduler


class Field:
    """Wraps a slot's member descriptor, which keeps the value; ``member`` reads without a step."""

    __slots__ = ("_get", "_set", "member", "name", "scheduler", "volatile")

    def __init__(self, member: MemberDescriptorType, volatile: bool, scheduler: Scheduler) -> None:
        self.member, self.volatile, self.scheduler = member, volatile, scheduler
        self.name = member.__name__
        self._get, self._set = member.__get__, member.__set__

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if instance is None:
            return self
        scheduler = self.scheduler
        if scheduler.running is not None:
            site = scheduler.point("read", self.volatile)
            changes = site is not None and site.kind == "change"
            if changes:  # the line changes the object that the field holds: only the read is seen
                scheduler.running.performed = True
            # None: within an atomic operation, which still orders by its volatile fields, but whose
            # plain accesses are not looked at
            if scheduler.race is not None and (site is not None or self.volatile):
                note = scheduler.race.write if changes else scheduler.race.read
                note(scheduler.running, self, instance, site)
        return self._get(instance)

    def __set__(self, instance: object, value: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            site = scheduler.point("write", self.volatile)
            if scheduler.race is not None and (site is not None or self.volatile):
                scheduler.race.write(scheduler.running, self, instance, site)
        self._set(instance, value)


def classes_of(module: ModuleType) -> Iterator[type]:
    """The classes that a module defines, those nested in classes included."""

    def within(namespace: Mapping[str, object]) -> Iterator[type]:
        for value in list(namespace.values()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield value
                yield from within(vars(value))

    yield from dict.fromkeys(within(vars(module)))


def volatile_marks(modules: Iterable[ModuleType]) -> dict[str, bool]:
    """ "Class.field" -> whether it is volatile, fields of base classes included."""
    return {
        f"{cls.__name__}.{name}": volatile
        for module in modules
        for cls in classes_of(module)
        for base in reversed(cls.__mro__)
        for name, volatile in marks_of(base).items()
    }


def put_in_front(
    module: ModuleType, make: Callable[[MemberDescriptorType, bool], object | None]
) -> None:
    """Put a descriptor in front of the slot of each marked field of a freshly loaded module.

    ``make(member, volatile)``: that descriptor, or None where the slot stays as it is. Raises
    :class:`ExploreError` for a mark on a name that is no slot, since its accesses could not be
    seen.
    """
    if "annotations" not in vars(module):
        unread = [
            cls.__name__
            for cls in classes_of(module)
            if inspect.get_annotations(cls) and not marks_of(cls)
        ]
        if unread:
            raise ExploreError(
                f"{module.__name__}: the marks of {', '.join(unread)} cannot be read.",
                "Put 'from __future__ import annotations' at the head of the module.",
            )
    for cls in classes_of(module):
        for name, volatile in marks_of(cls).items():
            member = cls.__dict__.get(name)
            if not isinstance(member, MemberDescriptorType):
                raise ExploreError(
                    f"{module.__name__}: {cls.__qualname__}.{name} is marked "
                    f"{'Volatile' if volatile else 'Plain'} but is no slot.",
                    f"Add {name!r} to __slots__ of {cls.__qualname__}.",
                )
            if (field := make(member, volatile)) is not None:
                setattr(cls, name, field)


def control(module: ModuleType, scheduler: Scheduler) -> None:
    """Put the marked fields of all classes of a freshly loaded module under control."""
    put_in_front(module, lambda member, volatile: Field(member, volatile, scheduler))
