"""The unit tests that check a file of a project, found by name and by import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path

from wheelproof import reading
from wheelproof.mutate.change import ARTEFACTS, TESTED
from wheelproof.mutate.group import LATE, Check
from wheelproof.mutate.reach import Reach
from wheelproof.project.inputs import imported_names, package_of
from wheelproof.project.mechanism import name_of

ALL_THEORIES = re.compile(r"\bprove\.(declared|loaded)\(")
"""The calls of a test that sees each file of the proofs."""

MANY = 1_000
"""More steps than lead from a test to a file."""

FOLDERS = ("model", "impl", "harness", "mutants", "proofs")


@cache
def imported(root: Path, file: Path, folders: tuple[str, ...] = FOLDERS) -> tuple[str, ...]:
    """The names of the modules of these folders that a file of the project imports."""
    tree = reading.tree(reading.text(file), file)
    names = imported_names(tree, package_of(root, file))
    return tuple(name for name in dict.fromkeys(names) if name.partition(".")[0] in folders)


class UnitTests:
    """The tests of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[str, tuple[str, ...]] = {}

    def checks_of(self, artefact: str, file: str) -> Iterable[Check]:
        """The unit tests of a file: those with its name, then those that name its module.

        The former are ``test_<name>*.py`` in the artefact's folder of tests, of a file of the
        proofs in the folder of its tests. The latter name it in modules of the tests too. Where no
        test does either, the tests that name a module that imports the file take part, or a module
        that imports that one, and so on. Of a file of the proofs, those that load all theories take
        part as well, which need not call its functions, and late those of the night in that
        folder.
        """
        if artefact in TESTED:
            yield from self._alone(file)
            return
        path = Path(file)
        name = name_of(path.stem) if artefact == "spec" else path.stem
        folder = (Path("tests") / path.parent).as_posix()
        alike = [
            test
            for test in self._files(artefact)
            if Path(test).stem.startswith(f"test_{name}")
            and (artefact != "proofs" or Path(test).parent.as_posix() == folder)
        ]
        yield from self._checks(alike, 2 if artefact in ("impl", "harness") else 5)
        if artefact == "spec":
            return
        modules, visits = {file}, {file}
        naming = self._naming(artefact, modules)
        while not alike and not naming and modules:
            modules = self._importers(ARTEFACTS[artefact], modules) - visits
            visits |= modules
            naming = self._naming(artefact, modules)
        if artefact == "proofs":
            near = [test for test in alike or naming if Path(test).parent.as_posix() == folder]
            yield from self._checks(near, LATE, nightly=True)
            naming += self._with(artefact, [("prove.", ALL_THEORIES)])
        yield from self._checks([test for test in dict.fromkeys(naming) if test not in alike], 7)

    def _alone(self, file: str) -> Iterator[Check]:
        """The unit tests of a file that no other check sees.

        First those with its name in the folder of tests of its package, then those that reach it,
        those of that folder first, and the folder of the nearest before the others. Of a file of
        the tool, on which most tests depend, only those of that folder and the nearest take part.
        The night's tests of the first are late.
        """
        near = f"tests/{Path(file).parent.as_posix()}/"
        steps = self._reach.tests(file)
        alike = [
            test
            for test in self._all
            if test.startswith(near) and Path(test).stem.startswith(f"test_{Path(file).stem}")
        ]
        sure = self._reach.importing(file)
        if not file.startswith(f"{ARTEFACTS['traces']}/"):
            enough = 1 if alike else min(sure.values(), default=MANY)
            steps = {
                test: number
                for test, number in steps.items()
                if number <= enough or test.startswith(near)
            }
        nearest: dict[Path, int] = {}
        for test in steps:
            folder = Path(test).parent
            nearest[folder] = min(sure.get(test, MANY), nearest.get(folder, MANY))

        def order(test: str) -> tuple[int, Path, int, int]:
            folder, size = Path(test).parent, (self.root / test).stat().st_size
            return nearest[folder], folder, sure.get(test, MANY), size

        rest = sorted((test for test in steps if test not in alike), key=order)
        first = [test for test in rest if test.startswith(near)]
        yield from self._checks(alike, 2)
        yield from self._rank(first, 5)
        yield from self._rank([test for test in rest if test not in first], 7)
        yield from self._checks(alike, LATE, nightly=True)

    def _rank(self, tests: list[str], stage: int) -> Iterator[Check]:
        for rank, test in enumerate(tests):
            yield Check("tests", "", stage, tests=test, size=rank)

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self.root)

    @cached_property
    def _all(self) -> list[str]:
        tests = sorted((self.root / "tests").rglob("test_*.py"))
        return [test.relative_to(self.root).as_posix() for test in tests]

    def _files(self, artefact: str) -> list[str]:
        folder = self.root / "tests" / ARTEFACTS[artefact]
        return [
            test.relative_to(self.root).as_posix() for test in sorted(folder.rglob("test_*.py"))
        ]

    def _checks(self, tests: Iterable[str], stage: int, nightly: bool = False) -> Iterator[Check]:
        for test in tests:
            size = (self.root / test).stat().st_size
            yield Check("tests", "", stage, tests=test, nightly=nightly, size=size)

    def _naming(self, artefact: str, files: set[str]) -> list[str]:
        """The tests of an artefact that name the module of one of the files."""
        return self._with(
            artefact,
            [(Path(file).stem, re.compile(_names(file), re.MULTILINE)) for file in sorted(files)],
        )

    def _with(self, artefact: str, patterns: list[tuple[str, re.Pattern[str]]]) -> list[str]:
        """The tests of an artefact with one of the patterns, each behind a text that it has."""
        return [
            test
            for test in self._files(artefact)
            if any(
                part in text and pattern.search(text)
                for part, pattern in patterns
                for text in self._texts(test)
            )
        ]

    def _importers(self, folder: str, files: set[str]) -> set[str]:
        """The files of a folder that import one of the files."""
        modules = {_module(file) for file in files}
        return {
            path.relative_to(self.root).as_posix()
            for path in (self.root / folder).rglob("*.py")
            if modules & set(imported(self.root, path, (folder,)))
        }

    def _texts(self, test: str) -> tuple[str, ...]:
        if test not in self._read:
            self._read[test] = self._texts_of(test)
        return self._read[test]

    def _texts_of(self, test: str) -> tuple[str, ...]:
        """The texts of a file of tests and of the modules below ``tests`` that it imports."""
        texts: dict[str, str] = {}
        waiting = [self.root / test]
        while waiting:
            file = waiting.pop()
            if file.as_posix() in texts or not file.is_file():
                continue
            texts[file.as_posix()] = reading.text(file)
            waiting += [
                self.root.joinpath(*name.split(".")).with_suffix(".py")
                for name in imported(self.root, file, ("tests",))
            ]
        return tuple(texts.values())


def _module(file: str) -> str:
    return ".".join(Path(file).with_suffix("").parts).removesuffix(".__init__")


def _names(file: str) -> str:
    """The pattern of a text that names the module of a file."""
    parent, _, last = _module(file).rpartition(".")
    several = rf"^\s*from {re.escape(parent)} import (?:\([^)]*|.*)\b{last}\b"
    return rf"\b{parent}[./]{last}\b|{several}"
