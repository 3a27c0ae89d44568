"""An implementation loaded under control: a mechanism on the primitives of one scheduler.

Its sources are checked and rewritten on the way: branches are noted, dropped objects refused, and
marked imports bring their stand-ins.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

from wheelproof.isolated import Finder, replace_runtimes
from wheelproof.loading import Loaded, confirm
from wheelproof.mapping import marks_of
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


class Controlled(Loaded):
    """The modules of one mechanism under one scheduler."""

    texts: dict[str, str]
    """File relative to the root -> source, of the implementation."""
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
        self.scheduler = Scheduler()
        self.branches = Branches()
        self.texts = {}
        self._where = f"harness/{mechanism}.py"
        super().__init__(root, mechanism, self._prepare, texts=texts, compiler=self._compile)
        harness = self.modules[f"harness.{mechanism}"]
        spurious.confirm(harness, self._wakes_spuriously, self._where)
        own.confirm(harness, self._table, self._where)
        self.labels: dict[str, labels.Labels] = {}
        """File -> labels by line; of an atomic module those that the harness keeps."""
        trees = self._control()
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
        store_buffer.delay(classes, self.delayed, self.scheduler, self._where)
        if lint:
            self._lint()
        self._declare(atomicity)
        confirm(self.harness_module, mechanism)
        implementation = [
            module
            for module in self.modules.values()
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

    def _compile(self, name: str, text: str, file: str) -> CodeType:
        if name.startswith("impl."):
            self.texts[self.path_of(file)] = text
            text = production.substitute(text, self._stand_ins) if self._stand_ins else text
            return self.branches.compile_file(name, text, file)
        if name in own.modules_of(self._table):
            return compile(text, file, "exec", dont_inherit=True)
        return dropped.compile_file(name, text, file, self.primitives)

    def _prepare(self, finder: Finder) -> None:
        """Make the primitives of the scheduler, by the declarations of the harness."""
        source = finder.locate(f"harness.{self.name}")
        assert source is not None
        text, where = source[0], self._where
        self._stand_ins = production.stand_ins(text, where)
        self._wakes_spuriously = spurious.declarations(text, where)
        self._table = own.declarations(text, where, self.name)
        self.runtime = runtime_module(self.scheduler, self._wakes_spuriously)
        self.primitives = [
            cls for name in primitive_names() for cls in getattr(self.runtime, name).__mro__[:-1]
        ]
        replace_runtimes(self.runtime, finder)
        self.own = own.add(self._table, self.runtime, self.scheduler, finder, where)
        """The primitives that the project brings."""
        self.primitives += [
            cls for base_class in self.own.classes for cls in base_class.__mro__[:-1]
        ]
        classes = of_one_scheduler(self.primitives)
        finalizers.confirm(classes, created.watch(classes, self.scheduler))

    def _control(self) -> dict[str, ast.Module]:
        """Put the modules under the scheduler; the syntax tree of each file."""
        sources: dict[str, str] = {}
        trees: dict[str, ast.Module] = {}
        classes: list[type] = []
        for code in self.codes:
            if code.module is self.runtime:
                continue
            display = self.path_of(code.file)
            trees[code.file] = parsed.tree(code.text, display)
            if code.name in self.own.modules:
                continue
            sources[display] = code.text
            self.labels[display] = labels.of_source(code.text, display)
            self.scheduler.files[code.file] = self.labels[display]
            self.scheduler.shown[code.file] = display
            fields.control(code.module, self.scheduler)
            production.guard(code.module, code.text, self.scheduler, self._stand_ins)
            dropped.guard(code.module, self.scheduler)
            vars(code.module)[BRANCH] = self.branches.note
            classes += fields.classes_of(code.module)
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
                f"harness/{self.name}.py has no {atomicity}.",
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
            self.name,
            harness.SUBJECT,
            self.modules,
            self.named,
            self.scheduler,
        )
        self.scheduler.atomic = atomic.declare(
            getattr(harness, atomicity, None),
            self.name,
            harness.SUBJECT,
            self.modules,
            self.labels,
            self.scheduler,
            (harness.WAITS, harness.waits) if hasattr(harness, "WAITS") else None,
        )
