"""Isolated imports of a project's artefacts (model, impl, harness, proofs) from its own folder.

During an import, a finder at the head of ``sys.meta_path`` finds the artefacts' modules in the
given folder only, so neither the working directory nor another project can supply one. Afterwards
``sys.modules`` is as it was.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.abc import InspectLoader, MetaPathFinder
from pathlib import Path
from types import CodeType, ModuleType

from wheelproof import guest, reading
from wheelproof.errors import UsageError

ARTEFACTS = guest.PACKAGES - {"traces"}
"""The packages of a project that are imported apart, each a folder of it."""

DISTRIBUTION = "wheelproof_runtime"
"""The installed package whose primitives a project may import. Each import loads it anew."""

BUNDLED = Path(__file__).resolve().parents[1] / "wheelproof_bundled"
"""The folder of the wheel that has the package, too."""

_APART = ARTEFACTS | {DISTRIBUTION}

RUNTIMES = (f"{DISTRIBUTION}.threads", DISTRIBUTION, "impl.threads", "impl.runtime")
"""The modules that have the primitives; those that others import from come first."""

Compiled = Callable[[str, str, str], CodeType]
"""(module name, source text, file) -> code"""


class Source(InspectLoader):
    """Compiles one module from its text, and uses no byte code."""

    def __init__(
        self, text: str, file: str, package: bool, compiler: Compiled | None = None
    ) -> None:
        self._text, self._file, self._package, self._compiled = text, file, package, compiler

    def get_source(self, fullname: str) -> str:
        return self._text

    def get_code(self, fullname: str) -> CodeType:
        try:
            if self._compiled is not None:
                return self._compiled(fullname, self._text, self._file)
            return _code(self._text, self._file)
        except (MemoryError, RecursionError, ValueError):
            reading.tree(self._text, self._file)  # raises where the text is the reason
            raise

    def is_package(self, fullname: str) -> bool:
        return self._package


@lru_cache(maxsize=1024)
def _code(text: str, file: str) -> CodeType:
    """A module is loaded again for each machine and each decision that is taken away."""
    return compile(text, file, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds the modules of the artefacts in ``texts`` or under ``root``, and nowhere else.

    ``texts``: module name -> source. ``compiled``: replaces Python's own ``compile``.
    """

    def __init__(
        self, root: Path, texts: Mapping[str, str] = {}, compiler: Compiled | None = None
    ) -> None:
        self.root, self.texts, self.compiled = root, texts, compiler

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not _apart(fullname):
            return None
        source = self.locate(fullname)
        if source is None:
            place = (
                f"in the folder {str(self.root)!r}"
                if fullname.partition(".")[0] in ARTEFACTS
                else "in the installed packages"
            )
            raise ModuleNotFoundError(f"No module named {fullname!r} {place}", name=fullname)
        text, file, package = source
        spec = importlib.machinery.ModuleSpec(
            fullname,
            Source(text, str(file), package, self.compiled),
            origin=str(file),
            is_package=package,
        )
        spec.has_location = True
        return spec

    def locate(self, fullname: str) -> tuple[str, Path, bool] | None:
        """(source text, file, whether it is a package); None where there is no such module."""
        root = distribution() if fullname.partition(".")[0] == DISTRIBUTION else self.root
        if root is None:
            return None
        place = root.joinpath(*fullname.split("."))
        file, init = place.with_suffix(".py"), place / "__init__.py"
        if fullname in self.texts:
            return self.texts[fullname], init if place.is_dir() else file, place.is_dir()
        if reading.there(file):
            return reading.text(file), file, False
        if place.is_dir():
            return reading.text(init) if init.is_file() else "", init, True
        return None


@cache
def distribution() -> Path | None:
    """The folder that has the package DISTRIBUTION; None where it is not installed.

    Its own distribution goes before the copy in the wheel, which is on no path where the wheel was
    unpacked outside of an environment.
    """
    for finder in sys.meta_path:
        spec = None if isinstance(finder, Finder) else finder.find_spec(DISTRIBUTION, None)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent.parent
    return BUNDLED if (BUNDLED / DISTRIBUTION).is_dir() else None


def _apart(fullname: str) -> bool:
    return fullname.partition(".")[0] in _APART


def present() -> dict[str, ModuleType]:
    """The modules that Python has loaded of the artefacts and of DISTRIBUTION."""
    return {name: module for name, module in sys.modules.items() if _apart(name)}


def replace_runtimes(module: ModuleType, finder: Finder) -> None:
    """Put a module in the place of all RUNTIMES, during an import apart."""
    sys.modules.update(dict.fromkeys(RUNTIMES, module))
    if finder.locate("impl") is not None:
        vars(importlib.import_module("impl")).update(runtime=module, threads=module)


@contextmanager
def apart(finder: Finder) -> Iterator[None]:
    """Import artefacts by ``finder`` alone; afterwards ``sys.modules`` is as it was.

    An exception of the project's code is raised as its ProjectFault; so is a fault that
    ``guest.in_place`` raises.
    """
    modules = present()
    for name in modules:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        with guest.in_place():
            yield
    except (Exception, SystemExit) as error:
        if (fault := guest.fault_of(error)) is not None:
            raise fault from error
        if isinstance(error, ImportError):
            raise guest.ProjectFault(error, str(finder.root), True) from error
        raise
    finally:
        sys.meta_path.remove(finder)
        for name in present():
            del sys.modules[name]
        sys.modules.update(modules)


def runtime_of(root: Path) -> str | None:
    """The module of RUNTIMES with the most names that a project has or may import, or None."""
    finder = Finder(root)
    names = ("impl.runtime", "impl.threads", DISTRIBUTION)
    return next((name for name in names if finder.locate(name) is not None), None)


def load(root: Path, name: str, texts: Mapping[str, str] = {}) -> ModuleType:
    """Import one module of the project as production code has it.

    ``texts``: module name -> source, in place of files. Raises UsageError if there is no such
    module or it cannot be imported.
    """
    finder = Finder(root, texts)
    if finder.locate(name) is None:
        raise UsageError(
            f"{root}: there is no {name.replace('.', '/')}.py.",
            "Add the file, or name another subject with --subject.",
        )
    with apart(finder):
        return importlib.import_module(name)
