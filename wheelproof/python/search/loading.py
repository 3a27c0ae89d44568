"""Loading an implementation a second time, under control, apart from the production modules.

The import is that of ``isolated``, with the modules of primitives there already: all are the
controlled one.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, cast

from wheelproof.guest import ProjectFault
from wheelproof.isolated import (
    DISTRIBUTION,
    Finder,
    Source,
    apart,
    present,
    replace_runtimes,
)
from wheelproof.mapping import marks_of, shared_of
from wheelproof.protocols import Harness, HarnessModule, Implementation, Scenario
from wheelproof.python import labels, parsed
from wheelproof.python.findings import ExploreError, StyleError
from wheelproof.python.runtime import (
    atomic,
    fields,
    own,
    production,
    spurious,
    store_buffer,
)
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.primitives import primitive_names, runtime_module
from wheelproof.python.runtime.registry import of_one_scheduler
from wheelproof.python.search import created
from wheelproof.python.state.positions import Positions
from wheelproof.python.state.stack import Stacks
from wheelproof.python.style import (
    definitions,
    dropped,
    finalizers,
)
from wheelproof.python.style.branches import NAME as BRANCH
from wheelproof.python.style.branches import Branches
from wheelproof.python.style.lint import check

LOOKED_AT = 32
"""Runs from one look at the definitions to the next; a search looks at its end too."""


class Loaded:
    """The modules of one mechanism under one scheduler."""

    texts: dict[str, str]
    """File relative to the root -> source, of the implementation."""
    harness_module: HarnessModule
    """The module of the harness."""
    files: frozenset[str]
    """The files of the code whose frames are state."""
    delayed: Collection[str]
    """The fields whose stores may reach memory late."""

    def __init__(
        self,
        root: Path,
        mechanism: str,
        texts: Mapping[str, str],
        lint: bool,
        atomicity: str = "ATOMIC",
    ) -> None:
        """``atomicity``: the harness's table of atomic modules that counts."""
        self.root, self.mechanism = root, mechanism
        self.scheduler = Scheduler()
        self.branches = Branches()
        self.texts = {}

        def compile_source(name: str, text: str, file: str) -> CodeType:
            if name.startswith("impl."):
                self.texts[Path(file).relative_to(root).as_posix()] = text
                return self.branches.compile_file(
                    name, production.substitute(text, stand_ins) if stand_ins else text, file
                )
            if name in own.modules_of(table):
                return compile(text, file, "exec", dont_inherit=True)
            return dropped.compile_file(name, text, file, self.primitives)

        finder = Finder(root, texts, compile_source)
        source = finder.locate(f"harness.{mechanism}")
        head, where = "" if source is None else source[0], f"harness/{mechanism}.py"
        stand_ins = production.stand_ins(head, where)
        wakes_spuriously = spurious.declarations(head, where)
        table = own.declarations(head, where, mechanism)
        self.runtime = runtime_module(self.scheduler, wakes_spuriously)
        self.primitives = [
            cls for name in primitive_names() for cls in getattr(self.runtime, name).__mro__[:-1]
        ]
        self.modules = self._import(finder, table, where)
        harness = self.modules[f"harness.{mechanism}"]
        self.harness_module = cast(HarnessModule, harness)
        spurious.confirm(harness, wakes_spuriously, where)
        own.confirm(harness, table, where)
        self.labels: dict[str, labels.Labels] = {}
        """File -> labels by line; of an atomic module those that the harness keeps."""
        trees = self._control(stand_ins)
        self.stacks = Stacks(
            trees,
            {
                name
                for module in self.modules.values()
                for cls in fields.classes_of(module)
                for name in marks_of(cls)
            }
            | self.own.slots,
        )
        self.files = frozenset(trees)
        self.positions = Positions()
        self.delayed = getattr(self.harness_module, "MEMORY", ())
        classes = [cls for module in self.modules.values() for cls in fields.classes_of(module)]
        store_buffer.delay(classes, self.delayed, self.scheduler, where)
        if lint:
            self._lint()
        self._declare(atomicity)
        self._combine()
        implementation = [
            module
            for name, module in self.modules.items()
            if getattr(module, "__file__", None) in self.files
        ]
        if lint and (names := list(definitions.mutable_globals(implementation))):
            raise ExploreError(
                f"{'.'.join(names[0])} is neither a definition nor a constant: state could hide in "
                "it.",
                "Keep it in a slot of an object of the scenario; if no scenario uses it, write '# "
                "production only' behind it.",
            )
        tool = [
            primitive
            for primitive in (*vars(self.runtime).values(), *self.primitives)
            if not any(primitive is project_class for project_class in self.own.classes)
        ]
        self.definitions = definitions.Definitions(implementation, tool)
        self._runs = 0

    def count_run(self) -> None:
        """Count a run that has ended; now and then check the definitions. Raises ExploreError."""
        self._runs += 1
        if self._runs % LOOKED_AT == 1:
            self.definitions.check()

    def _import(
        self, finder: Finder, table: Mapping[str, str], where: str
    ) -> dict[str, ModuleType]:
        name = f"harness.{self.mechanism}"
        if finder.locate(name) is None:
            raise ExploreError(
                f"{finder.root}: there is no {name.replace('.', '/')}.py.",
                "Add the file, or point the tool at the folder that has it.",
            )
        try:
            with apart(finder):
                replace_runtimes(self.runtime, finder)
                self.own = own.add(table, self.runtime, self.scheduler, finder, where)
                """The primitives that the project brings."""
                self.primitives += [
                    cls for base_class in self.own.classes for cls in base_class.__mro__[:-1]
                ]
                classes = of_one_scheduler(self.primitives)
                finalizers.confirm(classes, created.watch(classes, self.scheduler))
                importlib.import_module(name)
                subjects = getattr(sys.modules[name], "SUBJECT", None)
                if not isinstance(subjects, (tuple, list)) or not subjects:
                    raise ExploreError(
                        f"{name.replace('.', '/')}.py: SUBJECT is missing.",
                        "Set it to the names of the modules to load, as in SUBJECT = "
                        "('impl.some_module',).",
                    )
                for subject in subjects:
                    importlib.import_module(subject)
                return present()
        except ProjectFault as fault:
            if not fault.importing:
                raise
            raise ExploreError(
                f"{fault.where}: the mechanism {self.mechanism} cannot be imported: "
                f"{fault.reason}.",
                "Import it in plain Python first; the controlled runtime has the names of "
                f"{DISTRIBUTION} and those in PRIMITIVES of the harness only.",
            ) from fault

    def _control(self, stand_ins: Mapping[str, str]) -> dict[str, ast.Module]:
        """Put the modules under the scheduler; the syntax tree of each file."""
        sources: dict[str, str] = {}
        trees: dict[str, ast.Module] = {}
        classes: list[type] = []
        for name, module in self.modules.items():
            spec = module.__spec__
            if spec is None or module is self.runtime or name.startswith("model"):
                continue
            file, loader = spec.origin, spec.loader
            assert file is not None and isinstance(loader, Source)
            display = Path(file).relative_to(self.root).as_posix()
            text = loader.get_source(name)
            trees[file] = parsed.tree(text, display)
            if name in self.own.modules:
                continue
            sources[display] = text
            self.labels[display] = labels.of_source(text, display)
            self.scheduler.files[file] = self.labels[display]
            self.scheduler.shown[file] = display
            fields.control(module, self.scheduler)
            production.guard(module, text, self.scheduler, stand_ins)
            dropped.guard(module, self.scheduler)
            vars(module)[BRANCH] = self.branches.note
            classes += fields.classes_of(module)
        finalizers.confirm(classes, created.watch(classes, self.scheduler))
        self.scheduler.order.texts = sources
        return trees

    def _lint(self) -> None:
        slots = {slot for cls in self.primitives for slot in cls.__slots__}
        if findings := check(self.scheduler.order.texts, slots):
            raise StyleError(findings)

    def _declare(self, atomicity: str) -> None:
        """Read the harness's tables of atomic modules."""
        harness: Any = self.harness_module
        if atomicity != "ATOMIC" and not getattr(harness, atomicity, None):
            raise ExploreError(
                f"harness/{self.mechanism}.py has no {atomicity}.",
                f"Write {atomicity} = {{'impl.some_module': ()}}: the modules that are atomic all "
                "the "
                "same.",
            )
        self.named = {
            file: {line: dict(kinds) for line, kinds in lines.items()}
            for file, lines in self.labels.items()
        }
        """The labels of atomic modules that the harness's ATOMIC leaves, at any ``atomicity``."""
        atomic.declare(
            getattr(harness, "ATOMIC", None),
            self.mechanism,
            harness.SUBJECT,
            self.modules,
            self.named,
            self.scheduler,
        )
        self.scheduler.atomic = atomic.declare(
            getattr(harness, atomicity, None),
            self.mechanism,
            harness.SUBJECT,
            self.modules,
            self.labels,
            self.scheduler,
            (harness.WAITS, harness.waits) if hasattr(harness, "WAITS") else None,
        )

    def _combine(self) -> None:
        modules = [self.modules[name] for name in self.harness_module.SUBJECT]
        names = {
            name: value
            for module in modules
            for name, value in vars(module).items()
            if not name.startswith("__")
            and not (isinstance(value, ModuleType) and value.__name__ not in self.modules)
        }
        harness = getattr(self.harness_module, "Harness", None)
        if not isinstance(harness, type):
            raise ExploreError(
                f"harness/{self.mechanism}.py has no class Harness.",
                "Define Harness(scenario, impl).",
            )
        if not callable(shared_of(self.harness_module)):
            raise ExploreError(
                f"harness/{self.mechanism}.py: shared is no function.",
                "Define shared(harness) -> {variable: value}, or leave it out.",
            )
        self.harness: Callable[[Scenario, Implementation], Harness] = harness
        """The class that sets a scenario up."""
        self.implementation = SimpleNamespace(**names)
        """The namespace of the implementation's classes, the mutant's in place of those that it
        replaces.
        """
