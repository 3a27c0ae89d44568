"""Drawn programs of a class's operations: each unit is a check with a seed of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS

from wheelproof.campaign import addresses
from wheelproof.campaign.kind import Campaign, Failure, Request, Result, seed_of, seeds_of
from wheelproof.errors import UsageError
from wheelproof.linearizability import campaign as checks
from wheelproof.linearizability.options import Declaration, Options, declaration_of, options
from wheelproof.plain import calling, columns
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.verdict import Row, Verdict, judge

PROGRAMS, EXECUTIONS = 25, 1_000
"""Programs of a unit, and the most executions of each, unless the request says otherwise."""

AVAILABLE_PROVIDERS["wheelproof"] = "wheelproof.linearizability.machines.running.SteadyProvider"
"""Hypothesis' own draws from the constants of the modules that a process happens to have loaded."""

CONTROLS = {"an update is lost": "Counter", "a wake-up is lost": "Signal"}
"""Planted fault -> the class of this module that has it."""


class Counter:
    """Reads and writes without a lock."""

    def __init__(self) -> None:
        self.value = 0

    def add(self) -> int:
        value = self.value
        self.value = value + 1
        return value


class Signal:
    """Looks, and waits without looking once more under the lock."""

    def __init__(self) -> None:
        self.is_set, self.changed = False, threading.Condition()

    def set(self) -> None:
        with self.changed:
            self.is_set = True
            self.changed.notify_all()

    def wait(self) -> bool:
        if not self.is_set:
            with self.changed:
                self.changed.wait()
        return True


class Seeded(checks.Campaign):
    """A check whose programs are drawn by a seed alone."""

    def __init__(self, declaration: Declaration, seed: int) -> None:
        super().__init__(declaration, None)
        self.seed = seed

    def seeded(self, test: Any) -> Any:
        return hypothesis.seed(self.seed)(test)


class OfClass(Campaign):
    name = "linearizable"
    takes = frozenset({"names", "seeds", "programs", "executions", "bound"})

    def __init__(self, request: Request, root: Path) -> None:
        super().__init__(request, root)
        self.address = addresses.single(request.names, self.name)
        subject = addresses.load(self.address, root)
        if not callable(subject):
            raise UsageError(f"{self.address} is no class and no factory.")
        self.subject = subject

    def units(self) -> Sequence[str]:
        return seeds_of(self.request)

    def controls(self) -> Sequence[str]:
        return list(CONTROLS)

    def run(self, unit: str) -> Result:
        exploration = self._explored(self.subject, seed_of(unit))
        if exploration.answer is Answer.BUG:
            return Result((self._row(unit, exploration),), self._failure(exploration))
        return Result((self._row(unit, exploration),))

    def control(self, fault: str) -> str:
        exploration = self._explored(globals()[CONTROLS[fault]], seed_of(self.units()[0]))
        return exploration.reason if exploration.answer is Answer.BUG else ""

    def _explored(self, subject: Callable[[], Any], seed: int) -> Exploration:
        declaration = declaration_of(subject) or Declaration(subject, options())
        chosen = self._options(declaration.options)
        return Seeded(Declaration(declaration.factory, chosen), seed).answer(None)

    def _options(self, declared: Options) -> Options:
        """The options of a declaration with those of the request."""
        request = self.request
        drawing = hypothesis.settings(
            max_examples=request.programs or PROGRAMS,
            database=None,
            backend="wheelproof",
            derandomize=False,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        )
        bound = declared.bound if request.bound is None else request.bound
        limit = request.executions or min(EXECUTIONS, declared.executions)
        return replace(declared, settings=drawing, executions=limit, bound=bound, examples=())

    def _row(self, unit: str, exploration: Exploration) -> Row:
        verdict, kind = exploration.verdict, None
        if exploration.failure is not None:
            kind = str(exploration.failure.kind)
        if verdict is Verdict.EXHAUSTIVE and not calling.passes(exploration):
            verdict = Verdict.INCONCLUSIVE
        return judge(
            self.address,
            "campaign",
            unit,
            expected="exhaustive",
            verdict=verdict,
            property=kind,
            why=exploration.reason,
            figures={"executions": exploration.executions},
        )

    def _failure(self, exploration: Exploration) -> Failure:
        """The shrunk program as a test of pytest."""
        module, _, name = self.address.partition(":")
        lines = [f"# {line}".rstrip() for line in columns.text(exploration, 78).splitlines()]
        outer = name.partition(".")[0]
        head = ["", "import wheelproof", f"from {module} import {outer}", "", ""]
        text = "\n".join([*lines, *head, exploration.test, ""])
        return Failure(text, ".py", "python -m pytest {}")


KIND = OfClass
