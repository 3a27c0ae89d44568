"""The files of a project that the checks of a mechanism read, by purpose.

Python files are found by imports from the first modules, and by each dotted name of a module in
their texts: a harness names modules in its tables. So there may be more files than are read.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property, lru_cache
from importlib.util import resolve_name
from pathlib import Path

from wheelproof import reading
from wheelproof.isolated import ARTEFACTS
from wheelproof.project.mechanism import Mechanism, model_of
from wheelproof.tlc import mc

FOLDERS = ("spec", "model", "impl", "harness", "mutants", "proofs", "jvm")
"""The folders of a project that hold the inputs of its checks."""

MADE = frozenset({"__pycache__", "build"})
"""Folders inside these whose files the tool or Python makes: they are no inputs."""

TAKES_PART = re.compile(r"^THEORY\b", re.MULTILINE)
"""The mark of a module of proofs that declares theorems."""

_NAMES = re.compile(rf"\b(?:{'|'.join(sorted(ARTEFACTS))})(?:\.\w+)+")


class Inputs:
    """The files of one mechanism's checks, each group sorted.

    The machine has declaration, counts, specifications and model. The implementation has its
    harness. The decisions have their own files and those that they change. The proofs have the
    theories about the mechanism, all their imports, and every specification. Java has harnesses and
    changes of compiled classes.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.root = mechanism, mechanism.root

    @cached_property
    def machine(self) -> tuple[Path, ...]:
        item = self.mechanism
        modules = {item.spec, item.checked} | {
            item.spec.with_name(f"{config.module}.tla")
            for config in item.configs.values()
            if config.module
        }
        files = {item.toml, item.toml.with_name("counts.json")}
        for module in modules:
            files.update(mc.closure(module))
        if model_of(self.root, item.name).is_file():
            files.update(import_closure(self.root, [f"model.{item.name}"]))
        return _there(files)

    @cached_property
    def implementation(self) -> tuple[Path, ...]:
        return _there(import_closure(self.root, [f"harness.{self.mechanism.name}"]))

    @cached_property
    def decisions(self) -> tuple[Path, ...]:
        decisions = self.mechanism.decisions.values()
        changes = {self.root / file for decision in decisions for file in decision.files}
        return _there({decision.file for decision in decisions} | changes)

    @cached_property
    def proofs(self) -> tuple[Path, ...]:
        modules, files = [f"proofs.{self.mechanism.name}.view"], set()
        for file in below(self.root / "proofs"):
            if file.suffix != ".py":
                files.add(file)
            elif self._about(reading.text(file)):
                modules.append(".".join(file.relative_to(self.root).with_suffix("").parts))
        return _there(
            files | import_closure(self.root, modules) | set((self.root / "spec").glob("*.tla"))
        )

    def _about(self, text: str) -> bool:
        """Whether a module declares theorems of this mechanism, or does not name its mechanism.

        Their lemmas are in modules that it imports.
        """
        takes_part, mechanisms = declarations(text)
        return takes_part and (not mechanisms or self.mechanism.name in mechanisms)

    @cached_property
    def java(self) -> tuple[Path, ...]:
        return _there(below(self.root / "jvm"))


@lru_cache(maxsize=1024)
def declarations(text: str) -> tuple[bool, frozenset[str]]:
    """Whether a module has theorems at its top, and the mechanisms that its text names."""
    names = re.findall(r"""\bmechanism=["'](\w+)["']""", text)
    return bool(TAKES_PART.search(text)), frozenset(names)


def import_closure(root: Path, modules: Iterable[str]) -> set[Path]:
    """The project's Python files that these modules and all that they import may load."""
    files: set[Path] = set()
    waiting = list(modules)
    loads = set(waiting)
    while waiting:
        for file in _files(root, waiting.pop()):
            if file in files:
                continue
            files.add(file)
            text = reading.text(file)
            imports = set(names(text, package_of(root, file))) - loads
            loads |= imports
            waiting += imports
    return files


@lru_cache(maxsize=1024)
def names(text: str, package: str) -> tuple[str, ...]:
    """The dotted names in a Python text that may be modules of the project.

    ``package``: the dotted name of the module's package.
    """
    matches = _NAMES.findall(text)
    with suppress(reading.Unreadable, ImportError):  # the job that loads the file reports it
        matches += imported_names(reading.tree(text, package), package)
    return tuple(name for name in matches if name.partition(".")[0] in ARTEFACTS)


def imported_names(tree: ast.AST, package: str) -> Iterator[str]:
    """The dotted names that the imports of a module of ``package`` may load, in order."""
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements within a module, without the expressions that they have."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from _statements(inner)


def package_of(root: Path, file: Path) -> str:
    """The dotted name of the package that has a Python file of the project."""
    return ".".join(file.relative_to(root).parent.parts)


def below(folder: Path) -> list[Path]:
    """The files in a folder and in its subfolders, without those that are made."""
    paths: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in MADE]
        paths += [file for file in map(Path(place).joinpath, files) if file.is_file()]
    return paths


def _files(root: Path, name: str) -> list[Path]:
    """The files that loading a module runs: its own, and those of the packages around it.

    The last parts of a name may be those of a class or a function.
    """
    files = []
    place = str(root)
    for part in name.split("."):
        place = f"{place}{os.sep}{part}"
        for file in (f"{place}{os.sep}__init__.py", f"{place}.py"):
            if os.path.isfile(file):
                files.append(Path(file))
    return files


def _there(files: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(sorted(file for file in set(files) if file.is_file()))
