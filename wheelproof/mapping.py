"""The refinement mapping of a harness that writes none: the marked fields and the locks by name.

A field is the variable of its name without leading underscores. A lock has the variable ``owner``,
a condition ``asleep`` and ``tickets``. Where objects have several locks, or several conditions, the
attribute's name goes first: ``door_owner``.
"""

from __future__ import annotations

import inspect
import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from wheelproof.errors import UsageError
from wheelproof.protocols import Harness, HarnessModule, RefinementMapping, Values

MARKS = {"Volatile": True, "Plain": False}
"""Head of the annotation -> whether every access must be a labelled step."""

_WORDS = """
    pc self turn result leaves stack Program Threads NULL Operation Init Next Spec vars ProcSet
    Append Head Tail Len SubSeq Nat Int DOMAIN IF THEN ELSE LET IN CASE OTHER CHOOSE EXCEPT UNION
    SUBSET TRUE FALSE if then else while do end begin await skip goto call return with either or
    procedure process variable variables macro define print assert
"""

RESERVED = frozenset(_WORDS.split())
"""Names that a specification has already, or that are words of TLA+ or of PlusCal."""

_LOCKS = {"Lock", "Monitor", "NoMonitor", "RLock", "lock"}
"""Names of classes of locks: controlled, observed, and those of Python."""


class Named(Protocol):
    """A thread."""

    @property
    def name(self) -> str:
        """Its name in the scenario."""


_ATOMS = (bool, int, float, str, type(None))


def shared_of(module: HarnessModule) -> RefinementMapping:
    """A harness's own ``shared``, else the one that is read off its objects."""
    mapping: RefinementMapping = getattr(module, "shared", shared)
    return mapping


def shared(harness: Harness) -> Mapping[str, Values]:
    """The specification's variables, of the objects that the harness names.

    Raises UsageError where two objects have a field of one name, and for a value that is no plain
    data.
    """
    objects = [item for item in harness.names.values() if _slots(type(item))]
    guards = [
        (name, value, _kind(value))
        for item in objects
        for name in _slots(type(item))
        if _kind(value := getattr(item, name, None))
    ]
    locks: dict[int, tuple[str, object]] = {}
    for name, value, kind in sorted(guards, key=lambda guard: guard[2] == "condition"):
        lock = _lock_of(value) if kind == "condition" else value
        locks.setdefault(id(lock), (name, lock))
    conditions = [(name, value) for name, value, kind in guards if kind == "condition"]
    variables: dict[str, Values] = {}
    for name, lock in locks.values():
        owner = getattr(lock, "owner", None)  # none in production
        _add(variables, guarded(name, "owner", len(locks)), (owner and owner.name,))
    for name, condition in conditions:
        asleep, tickets = (getattr(condition, part, ()) for part in ("asleep", "tickets"))
        _add(variables, guarded(name, "asleep", len(conditions)), (_names(asleep),))
        _add(variables, guarded(name, "tickets", len(conditions)), tuple(map(_names, tickets)))
    names = {*RESERVED, *variables}
    for item in objects:
        for name in _marks(type(item)):
            variable = fresh(word(name), RESERVED | names)
            _add(variables, variable, _piece(getattr(item, name), f"{type(item).__name__}.{name}"))
    return variables


def guarded(attribute: str, part: str, number: int) -> str:
    """The variable of a part of a primitive, of which there are so many."""
    return part if number == 1 else f"{word(attribute)}_{part}"


def word(attribute: str) -> str:
    """An attribute as the name of a variable."""
    return re.sub(r"_+", "_", attribute.strip("_")) or "field"


def fresh(name: str, names: Collection[str]) -> str:
    """A name that is not occupied."""
    while name in names:
        name += "_"
    return name


def marks_of(cls: type) -> dict[str, bool]:
    """The marked fields of a class body: name -> volatile. Annotations must be text."""
    marks = {}
    for name, annotation in inspect.get_annotations(cls).items():
        if not isinstance(annotation, str):
            continue
        head = annotation.split("[")[0].rpartition(".")[2].strip()
        if head in MARKS:
            marks[name] = MARKS[head]
    return marks


def _marks(cls: type) -> tuple[str, ...]:
    """The marked fields of a class and of its bases, in their order."""
    return tuple(dict.fromkeys(name for base in cls.__mro__[::-1] for name in marks_of(base)))


def _slots(cls: type) -> tuple[str, ...]:
    """The slots of a class and of its bases, in their order."""
    return tuple(dict.fromkeys(name for base in cls.__mro__[::-1] for name in _own_slots(base)))


def _own_slots(cls: type) -> Iterator[str]:
    slots = vars(cls).get("__slots__", ())
    for name in (slots,) if isinstance(slots, str) else slots:
        private = name.startswith("__") and not name.endswith("__")
        yield f"_{cls.__name__.lstrip('_')}{name}" if private else name


def _kind(value: object) -> str:
    """``condition``, ``lock``, or "" for a value that is no primitive of those."""
    classes = {cls.__name__ for cls in type(value).__mro__}
    if "Condition" in classes:
        return "condition"
    return "lock" if classes & _LOCKS else ""


def _lock_of(condition: object) -> object:
    """The lock of a condition: the name is the controlled class's, or that of Python's."""
    return getattr(condition, "lock", None) or vars(condition)["_lock"]


def _names(threads: Collection[Named]) -> frozenset[str]:
    return frozenset(thread.name for thread in threads)


def _add(variables: dict[str, Values], name: str, value: Values) -> None:
    if name in variables:
        raise UsageError(
            f"Two fields of the harness's objects are the variable {name}.",
            "Define shared(harness) -> {variable: value} in the harness.",
        )
    variables[name] = value


def _piece(value: object, place: str) -> Values:
    """The value of a field as the values of its variable."""
    plain = _plain(value, place)
    return plain if isinstance(plain, tuple) else (plain,)


def _plain(value: object, place: str) -> object:
    match value:
        case list() | tuple() | deque():
            return tuple([_plain(item, place) for item in value])
        case dict():
            return tuple([(_plain(k, place), _plain(v, place)) for k, v in value.items()])
        case set() | frozenset():
            return frozenset(_plain(item, place) for item in value)
        case _ if isinstance(value, _ATOMS):
            return value
    raise UsageError(
        f"{place} holds an object of class {type(value).__name__}, which no variable is.",
        "Define shared(harness) -> {variable: value} in the harness.",
    )
