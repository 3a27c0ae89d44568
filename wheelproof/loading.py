"""The loader of mechanisms: a harness and its implementation, imported on an engine's primitives.

An engine says which primitives take the place of the runtime: the controlled ones, those of a
recorder, or production's own under an observer. The import is apart from production
(:mod:`wheelproof.isolated`), and each engine has modules of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import NamedTuple, cast

from wheelproof.errors import UsageError
from wheelproof.guest import ProjectFault
from wheelproof.isolated import DISTRIBUTION, Compiled, Finder, Source, apart, present
from wheelproof.mapping import shared_of
from wheelproof.protocols import Harness, HarnessModule, Scenario, Values

NO_TEXTS: Mapping[str, str] = MappingProxyType({})


class Code(NamedTuple):
    """A module of the project, with the source that it was compiled from."""

    name: str
    module: ModuleType
    file: str
    text: str


def subject_of(harness: HarnessModule) -> Iterable[str]:
    """The modules that a harness declares as its SUBJECT. Raises UsageError for none."""
    names = getattr(harness, "SUBJECT", None)
    if not isinstance(names, (tuple, list)) or not names:
        raise UsageError(
            f"{vars(harness)['__name__'].replace('.', '/')}.py: SUBJECT is missing.",
            "Set it to the names of the modules to load, as in SUBJECT = ('impl.some_module',).",
        )
    return names


class Loaded:
    """The modules of one mechanism on the primitives of one engine."""

    modules: Mapping[str, ModuleType]
    """Name -> module, of the project and of the primitives."""
    harness_module: HarnessModule
    """The module of the harness."""

    def __init__(
        self,
        root: Path,
        mechanism: str,
        prepare: Callable[[Finder], None],
        *,
        texts: Mapping[str, str] = NO_TEXTS,
        compiler: Compiled | None = None,
        names_of: Callable[[HarnessModule], Iterable[str]] = subject_of,
    ) -> None:
        """Import the harness, then the modules of ``names_of(harness)``.

        ``prepare``: puts the primitives into ``sys.modules``, before anything else is imported.
        ``texts``: module name -> source in the place of its file. ``compiler``: replaces Python's
        ``compile``. Raises UsageError where a file or a declaration is missing, or the import
        fails.
        """
        self.root, self.name = root, mechanism
        module = f"harness.{mechanism}"
        finder = Finder(root, texts, compiler)
        if finder.locate(module) is None:
            raise UsageError(
                f"{root}: there is no {module.replace('.', '/')}.py.",
                "Add the file, or point the tool at the folder that has it.",
            )
        try:
            with apart(finder):
                prepare(finder)
                self.harness_module = cast(HarnessModule, importlib.import_module(module))
                for subject in names_of(self.harness_module):
                    importlib.import_module(subject)
                self.modules = present()
        except ProjectFault as fault:
            if not fault.importing:
                raise
            raise UsageError(
                f"{fault.where}: the mechanism {mechanism} cannot be imported: {fault.reason}.",
                "Import it in plain Python first; the runtime that takes its place has the names "
                f"of {DISTRIBUTION} and those in PRIMITIVES of the harness only.",
            ) from fault

    @property
    def codes(self) -> Iterator[Code]:
        """The modules that have a source, but for models."""
        for name, module in self.modules.items():
            spec = module.__spec__
            if spec is not None and spec.origin and not name.startswith("model"):
                assert isinstance(spec.loader, Source)
                yield Code(name, module, spec.origin, spec.loader.get_source(name))

    def path_of(self, file: str) -> str:
        """A file's path below the root."""
        return Path(file).relative_to(self.root).as_posix()

    @cached_property
    def implementation(self) -> SimpleNamespace:
        """The names of the modules of SUBJECT together; of two the later one."""
        return SimpleNamespace(
            **{
                name: value
                for module in subject_of(self.harness_module)
                for name, value in vars(self.modules[module]).items()
                if not name.startswith("__")
                and not (isinstance(value, ModuleType) and value.__name__ not in self.modules)
            }
        )

    def set_up(self, scenario: Scenario) -> Harness:
        """The scenario's objects, made anew."""
        return self.harness_module.Harness(scenario, self.implementation)

    def shared(self, harness: Harness) -> Mapping[str, Values]:
        """The model's view of a scenario's objects."""
        return shared_of(self.harness_module)(harness)


def confirm(harness: HarnessModule, mechanism: str) -> None:
    """Raise UsageError for a harness whose class or whose mapping cannot be called."""
    if not isinstance(getattr(harness, "Harness", None), type):
        raise UsageError(
            f"harness/{mechanism}.py has no class Harness.",
            "Define Harness(scenario, impl).",
        )
    if not callable(shared_of(harness)):
        raise UsageError(
            f"harness/{mechanism}.py: shared is no function.",
            "Define shared(harness) -> {variable: value}, or leave it out.",
        )
