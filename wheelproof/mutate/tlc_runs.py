"""A context of checks that keeps runs of TLC on disk: many changes have equal ones."""

from __future__ import annotations

import hashlib
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Unpack

from wheelproof.checks.context import Context, Limits
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.kept import Entries
from wheelproof.project.mechanism import Config
from wheelproof.python import ControlledImplementation
from wheelproof.tlc import jar as jars
from wheelproof.tlc import process, stored
from wheelproof.tlc.result import Outcome, TlcResult

LIMITS = Limits(60, 60, 2500, 60, 60, 300)

UNDECLARED = 300_000
"""States that a graph may have for which no count is declared."""


class KeptRuns(Context):
    """A context that takes a run of TLC from the folder ``runs``, where an equal one was made.

    A process checks one tree, so that it loads each implementation once.
    """

    runs: Path | None = None
    results: list[TlcResult] = []
    loaded: dict[tuple[str, str, str], ControlledImplementation] = {}
    """Mechanism, decision and table of atomic modules -> controlled implementation."""

    def implementation(self, grain: str = "ATOMIC") -> ControlledImplementation:
        key = (self.mechanism.name, self.mechanism.lacking, grain)
        if key not in self.loaded:
            self.loaded[key] = super().implementation(grain)
        return self.loaded[key]

    @property
    def limits(self) -> Limits:
        return LIMITS

    def explored(self, config: Config, layer: str = "graph") -> StateGraph:
        """The model's full graph; BudgetSpent where it has several times the declared states."""
        return explore(self.mechanism.model(config.scenario), bound=limit_of(config.distinct))

    def run_tlc(self, module: Path, **options: Unpack[process.RunOptions]) -> TlcResult:
        dump = options.get("dump")
        key = key_of(module, options, jars.locate().sha256)
        if (result := self.stored_result(key, dump)) is None:
            # A change has few runs in its process, too few for a JVM that serves several.
            options["shared"] = False
            result = super().run_tlc(module, **options)
            if result.outcome in (Outcome.COMPLETED, Outcome.VIOLATED):
                if dump is not None and dump.is_file():
                    self.entries(".dot.z").keep(key, zlib.compress(dump.read_bytes(), 1))
                self.entries(".json").keep(key, stored.encode(result))
        type(self).results.append(result)
        return result

    def entries(self, suffix: str) -> Entries:
        assert self.runs is not None, "a KeptRuns is made for one folder of runs"
        return Entries(self.runs, suffix, 2 << 30)

    def stored_result(self, key: str, dump: Path | None) -> TlcResult | None:
        """The run of this key, with its graph in ``dump``; None where a part of it is absent.

        Only a run to the end has a graph.
        """
        content = self.entries(".json").read(key)
        graph = self.entries(".dot.z").read(key) if dump is not None else None
        if content is None:
            return None
        with suppress(UsageError, zlib.error):
            result = stored.decode(self.entries(".json").folder / key, content)
            if dump is not None and graph is not None:
                dump.write_bytes(zlib.decompress(graph))
            return result if dump is None or graph is not None or not result.whole else None
        return None


def key_of(module: Path, options: process.RunOptions, jar: str) -> str:
    """The digest of a run's inputs: TLC's jar, the module, all texts beside it, and the options.

    Of a dump it is an input whether there is one; of the config its name.
    """
    inputs = {name: str(value) for name, value in options.items() if name != "on_progress"}
    inputs |= {
        "module": module.name,
        "config": Path(inputs.get("config", "")).name,
        "dump": str(options.get("dump") is not None),
        "jar": jar,
    }
    texts = [
        file.name + "\0" + file.read_text(encoding="utf-8")
        for file in sorted(module.parent.iterdir())
        if file.suffix in (".tla", ".cfg")
    ]
    return hashlib.sha256("\0".join([*texts, repr(sorted(inputs.items()))]).encode()).hexdigest()


def limit_of(count: int | None) -> int:
    """The states above which a graph counts as endless: several times the declared ones."""
    return 3 * count + 1_000 if count else UNDECLARED
