"""Which files of tests reach a module, and in how many steps.

A step is an import, a part of a project's traces that is loaded by its name, a name in the text of
a test, or a data file of the tests that names a module.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from wheelproof import reading
from wheelproof.project.inputs import imported_names, package_of
from wheelproof.trace.declared import PACKAGE

TESTS, TOOL = "tests", "wheelproof"
COMMANDS = frozenset({f"{TOOL}/cli.py"})
"""The file that imports every command: a test that only starts commands would reach all modules."""

DOOR, LOADS = "declared", frozenset({"part", "find"})
"""The module of the tool that loads a part by its name, and its functions."""

Edges = dict[str, set[str]]

DATA = re.compile(r"[\w./-]+\.(?:toml|json)\b")
NAMES = re.compile(r"\b[A-Za-z_]\w*(?:[./]\w+)+")


class Reach:
    """The tests of the project at ``root``, and the files that they lead to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._inside: dict[Path, frozenset[str]] = {}
        self._files: dict[tuple[str, Path | None], tuple[str, ...]] = {}

    def tests(self, file: str) -> dict[str, int]:
        """The files of tests that reach a file, each with its number of steps."""
        return _back(file, self._graph[1])

    def importing(self, file: str) -> dict[str, int]:
        """Those that reach it by imports alone: a text may name files that the test never loads."""
        return _back(file, self._graph[0])

    @cached_property
    def _graph(self) -> tuple[Edges, Edges]:
        """File -> the files with a step to it: by an import, and by a text that names it."""
        importing: Edges = {}
        naming: Edges = {}
        waiting = [self._relative(path) for path in sorted((self.root / TESTS).rglob("*.py"))]
        visits = set(waiting)
        while waiting:
            here = waiting.pop()
            imports = self._imports_of(here) if here.endswith(".py") else set()
            names = set(self._names_in(here)) if here.startswith(f"{TESTS}/") else set()
            for edges, files in ((importing, imports), (naming, imports | names)):
                for there in files:
                    edges.setdefault(there, set()).add(here)
            waiting += (imports | names) - visits
            visits |= imports | names
        return importing, naming

    def _imports_of(self, here: str) -> set[str]:
        """The files that a module imports, or loads by their names; of a test, its fixtures'."""
        if here in COMMANDS:
            return set()
        path = self.root / here
        text = reading.text(path)
        tree = reading.tree(text, path)
        names = [*imported_names(tree, package_of(self.root, path))]
        if DOOR in text:
            names += _parts_by_name(tree)
        is_test = here.startswith(f"{TESTS}/")
        beside = path.parent if is_test else None
        files = {file for name in names for file in self._modules(name, beside)}
        if _is_test(here):
            files |= {
                (folder / "conftest.py").as_posix()
                for folder in path.relative_to(self.root).parents
                if (self.root / folder / "conftest.py").is_file()
            }
        return files - {here}

    def _names_in(self, here: str) -> Iterator[str]:
        """The modules and the data files that the text of a file of tests names."""
        text = reading.text(self.root / here)
        for name in sorted(set(NAMES.findall(text))):
            module = name.removesuffix(".py").replace("/", ".")
            if not module.startswith(f"{TESTS}."):  # a test that is named is not run
                yield from self._modules(module)
        if here.endswith(".py"):
            yield from self._data(here, text)

    def _modules(self, name: str, beside: Path | None = None) -> tuple[str, ...]:
        if (name, beside) not in self._files:
            self._files[name, beside] = tuple(self._files_of(name, beside))
        return self._files[name, beside]

    def _files_of(self, name: str, beside: Path | None) -> Iterator[str]:
        """The files of a dotted name: a module, and the packages that it is in.

        A test may import a module beside it (``beside``) by its bare name.
        """
        parts = name.split(".")
        for folder in (self.root, beside):
            if folder is None or not self._begins(folder, parts[0]):
                continue
            for end in range(1, len(parts) + 1):
                path = folder.joinpath(*parts[:end])
                for file in (path.with_suffix(".py"), path / "__init__.py"):
                    if file.is_file():
                        yield self._relative(file)

    def _begins(self, folder: Path, name: str) -> bool:
        if folder not in self._inside:
            self._inside[folder] = frozenset(path.name for path in folder.iterdir())
        return bool({name, f"{name}.py"} & self._inside[folder])

    def _data(self, here: str, text: str) -> Iterator[str]:
        """The data files of the tests that a test names."""
        for name in DATA.findall(text):
            for path in ((self.root / here).parent / name, self.root / name):
                if path.is_file() and path.resolve().is_relative_to(self.root / TESTS):
                    yield self._relative(path.resolve())

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def _back(file: str, edges: Edges) -> dict[str, int]:
    """The files of tests from which steps lead to a file, each with the least number of them."""
    steps = {file: 0}
    waiting = deque([file])
    while waiting:
        here = waiting.popleft()
        for before in sorted(edges.get(here, set()) - steps.keys()):
            steps[before] = steps[here] + 1
            waiting.append(before)
    return {name: number for name, number in steps.items() if _is_test(name)}


def _is_test(name: str) -> bool:
    path = Path(name)
    return path.parts[0] == TESTS and path.match("test_*.py")


def _parts_by_name(tree: ast.Module) -> Iterable[str]:
    """The parts of traces that a module loads by their names."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in LOADS
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == DOOR
            and node.args
        ):
            first = node.args[0]
            name = constants.get(first.id) if isinstance(first, ast.Name) else None
            name = first.value if isinstance(first, ast.Constant) else name
            if isinstance(name, str):
                yield f"{PACKAGE}.{name}"
