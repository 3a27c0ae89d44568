"""Rows of `wheelproof verify`: each unit is a job of its plan.

The rows that are about all scenarios of a mechanism together (coverage, controls, lock order) need
the reports of all its jobs, and are `verify`'s alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from wheelproof import project, reading, temporary
from wheelproof.campaign.kind import Campaign, Failure, Request, Result
from wheelproof.checks import jobs, overall
from wheelproof.checks.context import Context
from wheelproof.checks.job import Job, RunsJob, SafetyJob, carry_out
from wheelproof.checks.verify import choose, predicate
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import PROFILES, Mechanism
from wheelproof.verdict import LAYERS_SAY, Row

LAYERS = frozenset(LAYERS_SAY) - {"jvm", "proof", "coverage", "trace", "mutate"}
"""The layers without a choice: theorems are a kind of campaign, and jars are not shipped."""

READ_TRANSLATED = ("tlc", "graph", "liveness", "mutant")
"""The layers that read a specification without its algorithm."""

MUTANTS = 8
"""Decisions that a control takes away, one after the other, until one is noticed."""


class Rows(Campaign):
    name = "verify"
    takes = frozenset({"names", "profile", "layers"})

    def __init__(self, request: Request, root: Path) -> None:
        super().__init__(request, root)
        self.profile = request.profile or "nightly"
        if self.profile not in PROFILES:
            raise UsageError(
                f"There is no profile {self.profile!r}.", f"Known: {', '.join(PROFILES)}."
            )
        self.mechanisms = {item.name: item for item in choose(project.find(root), request.names)}

    @cached_property
    def jobs(self) -> dict[str, tuple[Mechanism, Job]]:
        """Unit -> its mechanism and its job."""
        wants = predicate(frozenset(self.request.layers or LAYERS))
        return {
            f"{name}/{job.kind}/{job.name}/{'+'.join(job.layers)}": (item, job)
            for name, item in self.mechanisms.items()
            for job in jobs.plan(item, self.profile, wants)
        }

    @cached_property
    def output(self) -> Path:
        return temporary.make("campaign")

    @cached_property
    def translations(self) -> dict[str, Mechanism]:
        """Unit -> the mechanism whose translation it compares with the algorithm. TLC would not."""
        if not predicate(frozenset(self.request.layers or LAYERS))(*READ_TRANSLATED):
            return {}
        return {f"{name}/translation": item for name, item in self.mechanisms.items()}

    def units(self) -> Sequence[str]:
        return [*self.translations, *self.jobs]

    def controls(self) -> Sequence[str]:
        return ["a decision is taken away"]

    def run(self, unit: str) -> Result:
        if unit in self.translations:
            context = Context(replace(self.translations[unit]), self.output, self.profile)
            row = overall.TRANSLATION.row(context, [])
            return Result((row,), None if row.ok else self.failure(unit, None, row.why))
        mechanism, job = self.jobs[unit]
        report = carry_out(Context(replace(mechanism), self.output, self.profile), job)
        wrong = [row for row in report.rows if not row.ok]
        return Result(tuple(report.rows), self._failure(unit, wrong) if wrong else None)

    def control(self, fault: str) -> str:
        for mechanism, job, decision in self._mutations():
            context = Context(mechanism, self.output, self.profile).without(decision)
            for row in job.judge(context, mechanism.configs[job.name]).rows:
                if not row.ok and row.verdict == "violated":
                    return f"{decision} of {mechanism.name}: {row.name}: {row.property}"
        return ""

    def _mutations(self) -> Iterator[tuple[Mechanism, SafetyJob | RunsJob, str]]:
        """Jobs with a decision of their mechanism, first those whose scenario fails without it."""
        choices = {
            (mechanism.name, job.kind, job.name, mutant.decision): (
                mutant.scenario != mechanism.configs[job.name].scenario,
                job.weight,
                mechanism,
                job,
            )
            for mechanism, job in self.jobs.values()
            if isinstance(job, (SafetyJob, RunsJob)) and not mechanism.configs[job.name].without
            for mutant in mechanism.mutants.values()
            if mutant.property
        }
        ordered = sorted(choices.items(), key=lambda item: item[1][:2])
        for (*_, decision), (_, _, mechanism, job) in ordered[:MUTANTS]:
            yield mechanism, job, decision

    def compared(self, row: Row) -> list[object]:
        """Figures may have times and numbers of runs."""
        return [row.mechanism, row.layer, row.name, row.expected, row.verdict, row.property, row.ok]

    def _failure(self, unit: str, wrong: Sequence[Row]) -> Failure:
        """The counterexample, which has fewest steps; or the job, to run it again."""
        for row in wrong:
            if row.trace is not None and (self.output / row.trace).is_file():
                return Failure(reading.text(self.output / row.trace))
        return self.failure(unit, None, *(f"{row.title()}: {row.why}" for row in wrong))


KIND = Rows
