"""Changes of files, drawn as `wheelproof mutate` draws them: each unit is one change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from wheelproof import project, temporary
from wheelproof.campaign.kind import Campaign, Request, Result
from wheelproof.errors import UsageError
from wheelproof.mutate import workers
from wheelproof.mutate.change import ARTEFACTS, Change
from wheelproof.mutate.draw import Drawn, Options
from wheelproof.mutate.finding import Judged
from wheelproof.mutate.group import Check
from wheelproof.mutate.hang import patience
from wheelproof.mutate.rows import row_of
from wheelproof.mutate.run import QUICK, Mutation
from wheelproof.mutate.workers import Task
from wheelproof.verdict import Row

COUNT = 20
"""Changes of each group, unless the request says otherwise."""

SEED = 1


class Changes(Campaign):
    name = "mutate"
    takes = frozenset({"names", "seeds", "artefacts", "count"})

    def __init__(self, request: Request, root: Path) -> None:
        super().__init__(request, root)
        if unknown := set(request.artefacts or ()) - ARTEFACTS.keys():
            raise UsageError(
                f"There is no artefact {min(unknown)!r}.", f"Known: {', '.join(ARTEFACTS)}."
            )
        if request.seeds is not None and request.seeds[1] - request.seeds[0] != 1:
            raise UsageError("Changes are drawn by one seed.", "Give it as --seeds 1:2.")
        project.find(root)

    @cached_property
    def mutation(self) -> Mutation:
        """The drawn changes, with a copy of the tree."""
        request = self.request
        options = Options(
            mechanisms=request.names,
            artefacts=request.artefacts or tuple(ARTEFACTS),
            count=request.count or COUNT,
            seed=request.seeds[0] if request.seeds else SEED,
            root=self.root,
            output=temporary.make("campaign"),
            jobs=1,
        )
        return Mutation(options, lambda _: None)

    @cached_property
    def changes(self) -> dict[str, tuple[Drawn, Change]]:
        """Unit -> its change."""
        return {
            change.title: (share, change)
            for share in self.mutation.drawn
            for change in share.sample
        }

    def units(self) -> Sequence[str]:
        return list(self.changes)

    def controls(self) -> Sequence[str]:
        """A planted fault of each group that has one."""
        return [_name(share) for share in self.mutation.drawn if self.mutation.controls_of(share)]

    def run(self, unit: str) -> Result:
        share, change = self.changes[unit]
        checks = self.mutation.plan.checks(change.artefact, change.file)
        judgement = self._judged(change, checks)
        last = list(judgement.seconds)[-1:]
        if judgement.finding.word == "rejected":  # by a check that passes the unchanged project?
            self.mutation.unchanged(unit, [check for check in checks if check.title in last])
        declaration = self.mutation.declared.get(change.key)
        unsound = self.mutation.unsound
        row = row_of(share.group.mechanism, change, judgement, declaration, unsound)
        if row.ok:
            return Result((row,))
        return Result((row,), self.failure(unit, None, row.why, *change.hunk(1)))

    def control(self, fault: str) -> str:
        share = next(share for share in self.mutation.drawn if _name(share) == fault)
        for change in self.mutation.controls_of(share):
            checks = self.mutation.plan.checks(change.artefact, change.file)
            if change.operator == "control.equivalent":
                checks = checks[:QUICK]
            share.controls[change.operator] = self._judged(change, checks)
        row = self.mutation.control_row(share)
        return row.why if row.ok else ""

    def _judged(self, change: Change, checks: list[Check]) -> Judged:
        limit = patience(self.mutation.options.limit)
        task = Task(change, self.mutation.body(change, checks), limit)
        return next(workers.perform([task], 1))[1]

    def compared(self, row: Row) -> list[object]:
        return [row.name, row.expected, row.verdict, row.property, row.ok]


def _name(share: Drawn) -> str:
    return f"a fault in {share.group.artefact} of {share.group.mechanism}"


KIND = Changes
