"""Imports by name, by an entry point or of a file, which no statement makes.

The standard library's import is not looked into, and imports real modules. It imports a module of
the program's world where the program gives the name.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wheelproof.plain.world import World

_HOLDERS = ("importlib", "importlib.metadata")
"""Modules whose functions import by their variable ``import_module``."""

_STATEMENT = "<frozen importlib."
"""The files of the interpreter's own import begin so."""

real_import = importlib.import_module


def _import(name: str, package: str | None = None) -> types.ModuleType:
    """``import_module``: for code of a world, of that world."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(_STATEMENT):
        builtins = frame.f_globals.get("__builtins__")
        if isinstance(builtins, dict):
            world: Any = getattr(builtins.get("__import__"), "__self__", None)
            if hasattr(world, "import_module"):
                module: types.ModuleType = world.import_module(name, package)
                return module
        frame = frame.f_back
    return real_import(name, package)


@contextlib.contextmanager
def by_name() -> Iterator[None]:
    """Imports by name are those of the world whose code asks for them."""
    holders = [vars(sys.modules[name]) for name in _HOLDERS if name in sys.modules]
    before = [fields["import_module"] for fields in holders]
    for fields in holders:
        fields["import_module"] = _import
    try:
        yield
    finally:
        for fields, function in zip(holders, before, strict=True):
            fields["import_module"] = function


class Loader:
    """Loads a module of a world from the file of a real loader."""

    def __init__(self, world: World, real: SourceFileLoader) -> None:
        self._world, self._real = world, real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_module(self, spec: ModuleSpec) -> None:
        """The default one."""

    def exec_module(self, module: types.ModuleType) -> None:
        execution, file = self._world.execution, self._real.path
        running, execution.running = execution.running, None
        try:
            source = importlib.util.decode_source(self._real.get_data(file))
            path = getattr(module, "__path__", None)
            self._world.make(module.__name__, source, file, path, spec=module.__spec__, into=module)
        finally:
            execution.running = running


def module_from_spec(world: World, spec: ModuleSpec) -> types.ModuleType:
    """``importlib.util.module_from_spec``: a module that is looked into, if its name is."""
    if isinstance(spec.loader, SourceFileLoader) and world.loads_again(spec.name):
        spec.loader = Loader(world, spec.loader)  # type: ignore[assignment]
    return importlib.util.module_from_spec(spec)
