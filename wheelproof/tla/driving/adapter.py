"""The adapter of a program: a class with a method for each action, and ``state``.

``start(values)`` puts the program into an initial state, where the class has it; without it a new
object is in the only one. ``state()`` gives variables of the specification by their names, some or
all. Values are plain data: a tuple is a sequence, a mapping a function or record, a string stands
for a model value, too.
"""

from __future__ import annotations

import importlib.util
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path

from wheelproof.errors import UsageError
from wheelproof.tla.logs.mapping import plain
from wheelproof.tlc.values import Function, Value, freeze


class Raised(Exception):
    """The program raised an exception; the text says which."""


class Program(ABC):
    """One run of a program behind its adapter. Raises Raised where the program does."""

    @abstractmethod
    def act(self, name: str, arguments: Iterable[Value]) -> None:
        """Take a step."""

    @abstractmethod
    def state(self, variables: Iterable[str]) -> dict[str, Value]:
        """The variables that the adapter gives, as canonical values."""


class Adapter(ABC):
    """A class that stands for a program."""

    name: str

    @abstractmethod
    def check(self, actions: Iterable[str]) -> None:
        """Refuse a class without a method for an action, or without ``state``."""

    @abstractmethod
    def begin(self, start: Mapping[str, Value]) -> Program:
        """A new run, in an initial state."""


def load(place: str) -> Adapter:
    """The class of ``FILE:CLASS`` in Python; UsageError where there is none."""
    file, _, name = place.rpartition(":")
    if not file or not Path(file).is_file():
        raise UsageError(f"{place} names no class of a file.", "Give it as FILE:CLASS.")
    loader = SourceFileLoader(Path(file).stem, file)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(Path(file).parent.absolute()))
    try:
        # The source itself: an edit of the same second and length would run the old bytecode.
        exec(loader.source_to_code(loader.get_data(file), file), vars(module))
    except Exception as error:
        raise UsageError(
            f"{file} cannot be imported ({type(error).__name__}: {error}).", "Correct it."
        ) from error
    finally:
        sys.path.pop(0)
    kind = getattr(module, name, None)
    if not isinstance(kind, type):
        raise UsageError(f"{file} has no class {name}.", "Give it as FILE:CLASS.")
    return InPython(kind)


class InPython(Adapter):
    """A class of Python, in this process."""

    def __init__(self, kind: type[object]) -> None:
        self.kind, self.name = kind, kind.__name__

    def check(self, actions: Iterable[str]) -> None:
        methods = {name for name in dir(self.kind) if callable(getattr(self.kind, name))}
        refuse_lacking(self.name, methods, actions)

    def begin(self, start: Mapping[str, Value]) -> Program:
        return _Run(self.kind, start)


class _Run(Program):
    """An object of the class."""

    def __init__(self, kind: type[object], start: Mapping[str, Value]) -> None:
        self._object = self._call(kind)
        begin = getattr(self._object, "start", None)
        if begin is not None:
            self._call(begin, {name: as_python(value) for name, value in start.items()})

    def act(self, name: str, arguments: Iterable[Value]) -> None:
        self._call(getattr(self._object, name), *map(as_python, arguments))

    def state(self, variables: Iterable[str]) -> dict[str, Value]:
        values = self._call(self._object.state)  # type: ignore[attr-defined]
        if isinstance(values, Mapping):
            values = {name: freeze(value) for name, value in values.items()}
        return shown(values, variables)

    def _call(self, function: Callable[..., object], *arguments: object) -> object:
        try:
            return function(*arguments)
        except Exception as error:
            raise Raised(f"{type(error).__name__}: {error}") from error


def shown(values: object, variables: Iterable[str]) -> dict[str, Value]:
    """The variables that ``state`` gives, refused where it gives others."""
    if not isinstance(values, Mapping) or (unknown := set(values) - set(variables)):
        wrong = f"the variable {min(unknown)}" if isinstance(values, Mapping) else "no mapping"
        raise UsageError(f"state() gives {wrong}.", "Give variables of the specification.")
    return {name: plain(value) for name, value in values.items()}


def refuse_lacking(adapter: str, methods: Collection[str], actions: Iterable[str]) -> None:
    """Refuse an adapter without a method for an action, or without ``state``."""
    for name in ("state", *actions):
        if name not in methods:
            raise UsageError(f"The class {adapter} has no method {name}.", "Add it to the adapter.")


def as_python(value: Value) -> object:
    """A canonical value as plain data."""
    match value:
        case tuple():
            return tuple(map(as_python, value))
        case frozenset():
            return frozenset(map(as_python, value))
        case Function():
            return {as_python(key): as_python(value[key]) for key in value}
    return value
