"""One module with its cfg file, explored here and by TLC, and both compared."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wheelproof import reading, temporary
from wheelproof.errors import WheelproofError
from wheelproof.tla import export
from wheelproof.tla.plain import configuration
from wheelproof.tla.plain.exploration import DEADLOCK, Exploration, explore
from wheelproof.tla.plain.machine import Machine
from wheelproof.tla.syntax import Place
from wheelproof.tlc import libraries as pinned
from wheelproof.tlc import mc, process
from wheelproof.tlc.result import NO_DEADLOCK, Outcome, TlcResult


@dataclass(frozen=True)
class Subject:
    """A module, its cfg file, and the folders where further modules are looked for."""

    module: Path
    config: Path
    libraries: tuple[Path, ...] = ()

    @classmethod
    def with_libraries(
        cls, module: Path, config: Path, libraries: tuple[Path, ...] = ()
    ) -> Subject:
        """A subject, with pinned libraries where it extends a module that no folder has."""
        return cls(module, config, (*libraries, *pinned.needed(module, libraries)))

    @property
    def source(self) -> export.Source:
        return export.source(self.module, libraries=self.libraries)

    def machine(self) -> Machine:
        """The compiled machine. Its syntax tree is its own."""
        settings = configuration.read(self.config)
        return Machine(export.tree(self.source, settings.replaced_in), settings)

    def by_tlc(self, timeout: float, *, properties: bool = True) -> TlcResult:
        """TLC's run, in a folder of copies; without ``properties``, no temporal ones."""
        with temporary.folder("tla") as folder:
            for file in mc.closure(self.module, self.libraries):
                # An algorithm in a comment is no part of the module: TLC would say it is stale.
                text = mc.without_comments(reading.text(file))
                (folder / file.name).write_text(text, encoding="utf-8")
            config = folder / self.config.name
            settings = configuration.read(self.config)
            temporal = settings.properties if properties else []
            if properties:
                shutil.copyfile(self.config, config)
            else:
                config.write_text(settings.without_properties(), encoding="utf-8")
            return process.run(
                folder / self.module.name,
                config=config,
                timeout=timeout,
                only_property=temporal[0] if len(temporal) == 1 else None,
                shared=True,
            )


class Agreement(StrEnum):
    """How the counts of both relate."""

    EQUAL = "equal"
    DISTINCT = "equal in distinct states"
    DIFFERENT = "different"
    REFUSED = "refused"
    """Nothing was compared: the module is not compiled, or has a formula without a value."""
    NO_TLC = "no verdict of TLC"


@dataclass(frozen=True)
class Comparison:
    """The outcomes of both. One of ``explored`` and ``refusal`` is there."""

    explored: Exploration | None
    refusal: WheelproofError | None
    tlc: TlcResult
    properties: tuple[str, ...] = ()
    """The properties of the cfg file, on which TLC alone gives a verdict."""
    uncounted: tuple[Place, ...] = ()
    """The tests for which TLC may generate a state several times, and this exploration once."""

    @property
    def agreement(self) -> Agreement:
        if self.explored is None:
            return Agreement.REFUSED
        if self.tlc.outcome not in (Outcome.COMPLETED, Outcome.VIOLATED):
            return Agreement.NO_TLC
        if self.tlc.property in self.properties and not self.tlc.whole:
            return Agreement.NO_TLC
        if self.violated or self.explored.violated:
            same = self.explored.violated == self.violated
            if same and len(self.explored.trace()) == len(self.tlc.trace):
                return Agreement.EQUAL
            return Agreement.DIFFERENT
        if self.explored.distinct != self.tlc.distinct:
            return Agreement.DIFFERENT
        if self.explored.generated != self.tlc.generated:
            return Agreement.DISTINCT
        return Agreement.EQUAL

    @property
    def violated(self) -> str:
        """The invariant that TLC has seen broken, or DEADLOCK; "" for one of its properties."""
        if self.tlc.property == NO_DEADLOCK:
            return DEADLOCK
        is_property = self.tlc.property in self.properties
        return "" if is_property or self.tlc.property is None else self.tlc.property


def compare(
    subject: Subject,
    machine: Machine | WheelproofError,
    limit: int,
    timeout: float,
    *,
    temporal: bool = True,
) -> Comparison:
    """Explore a machine, have TLC check the same files, and compare.

    ``machine``: or the error with which it is refused; TLC is not run then. ``limit``: the most
    states. ``temporal``: whether TLC checks temporal properties, too.
    """
    exploration: Exploration | None = None
    refusal = machine if isinstance(machine, WheelproofError) else None
    properties: tuple[str, ...] = ()
    if isinstance(machine, Machine):
        properties = tuple(machine.configuration.properties) if temporal else ()
        try:
            machine.assume()
            exploration = explore(machine, limit)
        except WheelproofError as error:
            refusal = error
    if exploration is None:
        return Comparison(None, refusal, TlcResult(Outcome.ERROR, explanation="not run"))
    result = subject.by_tlc(timeout, properties=temporal)
    places = sorted(machine.programs.inlined.uncounted) if isinstance(machine, Machine) else ()
    return Comparison(exploration, refusal, result, properties, tuple(places))
