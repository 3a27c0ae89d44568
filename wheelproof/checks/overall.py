"""The rows over all scenarios of a mechanism: no job makes them.

A verification makes them after its jobs, of the jobs' reports. Each row names the layers of the
checks that it is made of, so that it can be made alone as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from wheelproof.checks import arithmetic, controls, coverage, failing, lock_order
from wheelproof.checks.context import Context, Report, Wanted
from wheelproof.checks.job import ComposedJob, Job, SafetyJob
from wheelproof.events import Ended
from wheelproof.project.mechanism import Mechanism
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.verdict import Row, judge

SOURCES = (SafetyJob, ComposedJob)
"""Jobs whose reports have parts that these rows are made of."""


@dataclass(frozen=True)
class Reading(Context):
    """A context whose implementation is loaded once: its readers start no run."""

    @cached_property
    def _loaded(self) -> ControlledImplementation:
        return super().implementation()

    def implementation(self, grain: str = "ATOMIC") -> ControlledImplementation:
        return self._loaded if grain == "ATOMIC" else super().implementation(grain)


@dataclass(frozen=True)
class OverAll:
    """One row over all scenarios."""

    layer: str
    name: str
    needs: tuple[str, ...]
    """The layers of the checks that it is made of."""
    make: Callable[[Context, Iterable[Report]], Row]

    def row(self, context: Context, reports: Iterable[Report]) -> Row:
        """The row; where it cannot be made it says why."""
        try:
            return self.make(context, reports)
        except failing.CAUGHT as error:
            verdict, why = failing.judge(error)
            row = judge(
                context.mechanism.name,
                self.layer,
                self.name,
                expected="exhaustive",
                verdict=verdict,
                why=why,
            )
            context.listen(Ended(row))
            return row

    def made_by(self, partial: bool, single: bool) -> bool:
        """Whether a run has the row. ``partial``, ``single``: see ``rows``."""
        if self is TRANSLATION:
            return True
        return not single if self.layer == "graph" else not partial

    def parts(self, jobs: Iterable[Job]) -> list[tuple[str, str]]:
        """Layer and name of each check that it is made of."""
        keys = [key for job in jobs if isinstance(job, SOURCES) for key in job.makes]
        return [key for key in dict.fromkeys(keys) if key[0] in self.needs]


TRANSLATION = OverAll("tlc", "translation", (), lambda context, _: coverage.translated(context))
"""Checked before all jobs: a stale translation ends the mechanism's verification."""

ROWS = (
    TRANSLATION,
    OverAll("tlc", "controls", (), lambda context, _: controls.controls(context)),
    OverAll("coverage", "labels", ("graph", "bisimulation"), coverage.labels),
    OverAll("coverage", "branches", ("bisimulation",), coverage.branches),
    OverAll("coverage", "fields", ("bisimulation",), coverage.fields),
    OverAll("coverage", lock_order.NAME, ("bisimulation", "composition"), lock_order.lock_order),
    OverAll("coverage", arithmetic.NAME, (), arithmetic.arithmetic),
    OverAll("graph", "witnesses", ("graph",), coverage.witnesses),
)


def partial(layers: Collection[str] | None, single: bool) -> bool:
    """Whether a run lacks some of the checks that the rows are made of. ``layers``: None for all.

    ``single``: only named checks run.
    """
    layers_needed = {"coverage"}.union(*(row.needs for row in ROWS))
    return single or (layers is not None and not layers_needed <= set(layers))


def rows(
    mechanism: Mechanism, wants: Wanted, partial: bool = False, single: bool = False
) -> list[OverAll]:
    """A mechanism's rows over all scenarios.

    ``partial``: some layers or checks are left out, so that nothing can be reported on coverage.
    That of compiled classes is in their table of sites. ``single``: only named checks run, so that
    nothing can be reported on the states that some scenario must reach.
    """

    def there(row: OverAll) -> bool:
        in_java = row.layer == "coverage" and mechanism.in_java
        absent = row.name == arithmetic.NAME and arithmetic.read(mechanism.root) is None
        return row.made_by(partial, single) and wants(row.layer) and not in_java and not absent

    return [row for row in ROWS if there(row)]


def combined_rows(
    context: Context, rows: Sequence[OverAll], reports: Sequence[Report]
) -> Iterator[Row]:
    """The chosen rows but the translation's."""
    context = Reading(*[getattr(context, item.name) for item in fields(Context)])
    for row in rows:
        if row is not TRANSLATION:
            yield row.row(context, reports)
