"""The counterparts of real functions in a world of modules that are loaded a second time."""

from __future__ import annotations

import collections
import contextlib
import importlib.util
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.plain.instrument.fields import ADDED, Call
from wheelproof.plain.operations import NotRunning
from wheelproof.plain.settings import GUARD
from wheelproof.plain.world import World

_PLAIN = (bool, bytes, complex, float, int, str, type(None), type(Ellipsis))
MAIN = "__mp_main__"
"""The name of a script that is loaded again, as with multiprocessing."""

_CONTAINERS = (list, dict, set, frozenset, tuple, collections.deque, bytearray)


class Counterparts:
    """Finds functions, classes and modules of the world for real ones.

    A function within another is made anew from the instrumented code of the outer one.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._cells: dict[int, tuple[types.CellType, types.CellType]] = {}
        self._calls: dict[tuple[str, str], types.CellType] = {}

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The counterpart of a function. Raises UsageError where there is none."""
        name = getattr(function, "__qualname__", repr(function))
        if isinstance(function, types.MethodType):
            raise UsageError(
                f"{name} is a method of an object that exists already.",
                "Give a function that makes the object.",
            )
        if not isinstance(function, types.FunctionType):
            raise UsageError(f"{name} is no function in Python.", "Give a function of a module.")
        module = self._module(function, function.__code__.co_filename)
        if "<locals>" not in function.__qualname__ and function.__name__ != "<lambda>":
            value = self._at(module, function.__qualname__)
            if isinstance(value, types.FunctionType):
                return value
            inner = self.unwrap(value)
            if isinstance(inner, types.FunctionType):
                return inner
        return self._inner(module, function)

    def of_class(self, kind: type) -> type:
        """The counterpart of a class of a module. Raises UsageError."""
        module = self._world.modules.get(kind.__module__)
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if module is None and file is not None:
            module = self._module(kind, file)
        value = None if module is None else self._at(module, kind.__qualname__)
        if not isinstance(value, type):
            raise UsageError(f"{kind.__qualname__} is no class of a module.")
        return value

    @staticmethod
    def unwrap(value: Any) -> Any:
        """The function inside a fixture or a decorator with ``functools.wraps``."""
        while not isinstance(value, types.FunctionType):
            inner = getattr(value, "__wrapped__", None) or getattr(value, "__func__", None)
            if inner is None:
                return value
            value = inner
        return value

    def value(self, value: Any) -> Any:
        """The counterpart of a function, a class or a module; anything else is itself."""
        if isinstance(value, types.ModuleType):
            return self._world.modules.get(value.__name__, value)
        if isinstance(value, (type, types.FunctionType)) and self._is_instrumented(
            value.__module__
        ):
            counterpart = self._at(self._world.modules[value.__module__], value.__qualname__)
            return value if counterpart is None else counterpart
        return value

    def _is_instrumented(self, name: str) -> bool:
        module = self._world.modules.get(name)
        return module is not None and module is not sys.modules.get(name)

    @staticmethod
    def _at(module: types.ModuleType, qualname: str) -> Any:
        value: Any = module
        for part in qualname.split("."):
            value = getattr(value, part, None)
        return value

    def _module(self, part: types.FunctionType | type, file: str) -> types.ModuleType:
        """The world's module of a function or a class, loaded if it is not yet."""
        world, name = self._world, part.__module__
        module = world.modules.get(name)
        if module is None:
            if not Path(file).is_file():
                raise UsageError(
                    f"{part.__qualname__} has no source: {file}.",
                    "Put it into a file: its module is loaded again from there.",
                )
            real = sys.modules.get(name)
            parent = name.rpartition(".")[0]
            if parent and parent in sys.modules:
                world.load(parent)
            module = world.modules.get(name)
            if module is None:
                source = importlib.util.decode_source(Path(file).read_bytes())
                spec, path = getattr(real, "__spec__", None), getattr(real, "__path__", None)
                # A script is loaded by another name, so that its last part is not run again.
                load_name = MAIN if name == "__main__" else name
                module = self._load(load_name, source, file, path, spec)
                world.modules[name] = module
        if getattr(module, "__file__", None) != file:
            raise UsageError(
                f"Two modules are named {name}: {getattr(module, '__file__', None)} and {file}.",
                "Rename one, or put each into a package.",
            )
        return module

    def _load(self, name: str, source: str, file: str, path: Any, spec: Any) -> types.ModuleType:
        """The module of a program. Raises UsageError if it starts threads while it is loaded."""
        try:
            return self._world.make(name, source, file, path, spec=spec)
        except NotRunning as error:
            lines = [at.lineno for at in traceback.extract_tb(error.__traceback__)
                     if at.filename == file]  # fmt: skip
            raise UsageError(
                f"{file}:{lines[0] if lines else 1}: a thread is started while the module is "
                "loaded: only what the program starts is explored.",
                GUARD,
            ) from None

    # -- functions within functions

    def _inner(self, module: types.ModuleType, function: types.FunctionType) -> Callable[..., Any]:
        code = function.__code__
        candidates = [
            inner
            for inner in _codes(self._outermost(module, function))
            if inner.co_name == code.co_name and inner.co_firstlineno == code.co_firstlineno
        ]
        if len(candidates) != 1:
            raise UsageError(
                f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno}) cannot be "
                "distinguished from others in its source.",
                "Give a function of a module.",
            )
        inner_code = candidates[0]
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        closure = []
        for name in inner_code.co_freevars:
            if name.startswith(ADDED):  # which call of its function has made it is not known
                key = code.co_filename, name
                closure.append(self._calls.setdefault(key, types.CellType(Call())))
                continue
            if name not in cells:
                raise UsageError(f"{function.__qualname__} has no variable {name}.")
            closure.append(self._cell(function, name, cells[name]))
        new = types.FunctionType(
            inner_code, vars(module), function.__name__, function.__defaults__, tuple(closure)
        )
        new.__kwdefaults__ = function.__kwdefaults__
        self._world.state.record([new])
        return new

    def _cell(self, function: Any, name: str, cell: types.CellType) -> types.CellType:
        """The counterpart of a variable, the same for all functions that share it."""
        if id(cell) not in self._cells:
            new = types.CellType()
            self._cells[id(cell)] = cell, new
            with contextlib.suppress(ValueError):  # it has no value yet
                new.cell_contents = self._cell_value(function, name, cell.cell_contents, set())
        return self._cells[id(cell)][1]

    def _outermost(self, module: types.ModuleType, function: types.FunctionType) -> Any:
        """The holder of a function's code: the function or class of a module around it."""
        name = function.__qualname__.partition(".<locals>")[0]
        outer = self.unwrap(self._at(module, name))
        if name == "<lambda>" or outer is None:
            return list(vars(module).values())
        return outer

    def _cell_value(self, function: Any, name: str, value: Any, above: set[int]) -> Any:
        """A variable of an outer function. Raises UsageError if it is an object of a class."""
        if isinstance(value, _PLAIN) or id(value) in above:
            return value
        if isinstance(value, (type, types.ModuleType)):
            return self.value(value)
        if isinstance(value, types.FunctionType):
            if "<locals>" in value.__qualname__ and self._is_instrumented(value.__module__):
                return self._inner(self._world.modules[value.__module__], value)
            return self.value(value)
        if type(value) in _CONTAINERS:
            parts = [*value.keys(), *value.values()] if type(value) is dict else value
            for part in parts:
                self._cell_value(function, name, part, above | {id(value)})
            return value
        raise UsageError(
            f"{function.__qualname__} uses {name}, an object of {type(value).__qualname__} that "
            "was made before.",
            "Make it inside the function.",
        )


def _codes(value: Any) -> Iterator[types.CodeType]:
    """The code objects in a function, in a class, or in a list of them."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from _codes(part)
    elif isinstance(value, types.FunctionType):
        yield from _codes(value.__code__)
    elif isinstance(value, types.CodeType):
        yield value
        for constant in value.co_consts:
            if isinstance(constant, types.CodeType):
                yield from _codes(constant)
    elif isinstance(value, type):
        yield from _codes(list(vars(value).values()))
