"""A context of checks that keeps runs of TLC on disk: many changes have equal ones."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
from pathlib import Path
from typing import Unpack

from wheelproof.checks.context import Context, Limits
from wheelproof.explore import ControlledImplementation
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.project.mechanism import Config
from wheelproof.tlc import process
from wheelproof.tlc.result import Outcome, TlcResult

LIMITS = Limits(60, 60, 2500, 60, 300)

UNDECLARED = 300_000
"""States that a graph may have for which no count is declared."""


class KeptRuns(Context):
    """A context that takes a run of TLC from the folder ``runs``, where an equal one was made.

    ``loaded``: the controlled implementation, by mechanism, decision and table of atomic modules.
    A process checks one tree, so that it loads each once.
    """

    runs: Path | None = None
    seen: list[TlcResult] = []
    loaded: dict[tuple[str, str, str], ControlledImplementation] = {}

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
        return explore(self.mechanism.model(config.scenario), bound=most(config.distinct))

    def run_tlc(self, module: Path, **options: Unpack[process.RunOptions]) -> TlcResult:
        assert self.runs is not None, "a KeptRuns is made for one folder of runs"
        dump = options.get("dump")
        inputs = sorted(
            (name, str(value))
            for name, value in options.items()
            if name not in ("on_progress", "dump", "config")
        )
        texts = [
            file.name + "\0" + file.read_text(encoding="utf-8")
            for file in sorted(module.parent.iterdir())
            if file.suffix in (".tla", ".cfg")
        ]
        kept = (
            self.runs
            / hashlib.sha256(
                "\0".join([*texts, repr(inputs), str(dump is not None)]).encode()
            ).hexdigest()[:24]
        )
        if (made := kept.with_suffix(".run")).is_file():
            result: TlcResult = pickle.loads(made.read_bytes())
            if dump is not None and kept.with_suffix(".dot").is_file():
                shutil.copyfile(kept.with_suffix(".dot"), dump)
        else:
            # A change has few runs in its process, too few for a JVM that serves several.
            options["shared"] = False
            result = super().run_tlc(module, **options)
            if result.outcome in (Outcome.COMPLETED, Outcome.VIOLATED):
                self.runs.mkdir(parents=True, exist_ok=True)
                if dump is not None and dump.is_file():
                    _put(kept.with_suffix(".dot"), dump.read_bytes())
                _put(made, pickle.dumps(result))
        type(self).seen.append(result)
        return result


def _put(file: Path, data: bytes) -> None:
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_bytes(data)
    draft.replace(file)


def most(declared: int | None) -> int:
    """The states above which a graph counts as endless: several times the declared ones."""
    return 3 * declared + 1_000 if declared else UNDECLARED
