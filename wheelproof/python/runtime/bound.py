"""Classes whose objects belong to one scheduler, or to one recorder.

Such a class is written once, and each scheduler has a subclass of it. The scheduler is an attribute
of the subclass: no object has a slot for it, so that it is no state.
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def bound(cls: type[T], /, **attributes: object) -> type[T]:
    """A subclass of the same name, module and meaning, with these attributes and no slot more."""
    like = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return type(cls.__name__, (cls,), {"__slots__": (), **like, **attributes})
