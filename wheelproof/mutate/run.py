"""A run of `wheelproof mutate`: enumerate changes, draw some, run the controls, judge, report."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from weakref import finalize

from wheelproof import project, reading, temporary
from wheelproof.mutate import declared as declarations
from wheelproof.mutate import python_changes, workers
from wheelproof.mutate.change import TESTED, Change
from wheelproof.mutate.draw import Drawn, Options, draw, makers
from wheelproof.mutate.finding import Finding, Judged
from wheelproof.mutate.group import Check
from wheelproof.mutate.hang import patience
from wheelproof.mutate.judge import Judge
from wheelproof.mutate.plan import Plan
from wheelproof.mutate.rows import LAYER, SAMPLE, row_of
from wheelproof.mutate.tree import CHECKED, copied, translated
from wheelproof.mutate.workers import Task
from wheelproof.tlc import archive, jar, java
from wheelproof.verdict import Row, judge

MEMORY, WITH_JAVA = 6 << 30, 24 << 30
"""Bytes of address space for a process that starts no Java, and for one whose tests may."""

QUICK = 12
"""The number of checks that no check may reject in the control: the first reject nearly all."""

Notify = Callable[[str], None]


class Mutation:
    """One run."""

    def __init__(self, options: Options, notify: Notify) -> None:
        self.options, self.notify = options, notify
        # The user may edit the tree while this runs: everything is read from a copy.
        folder = temporary.make("mutate")
        finalize(self, temporary.remove, folder)
        self.root = folder / "subject"
        copied(options.root.resolve(), self.root, tool=not TESTED.isdisjoint(options.artefacts))
        self.plan = Plan(
            self.root,
            project.find(self.root),
            options.profile,
            options.bound,
            options.tests,
            options.stage,
        )
        self.drawn = draw(options, self.root, self.plan)
        self.declared = declarations.read(self.root)
        self.unsound: dict[str, str] = {}
        self.runs = options.output / "runs"
        self.rows: list[Row] = []

    # -- tasks

    def body(
        self, change: Change | None, checks: list[Check], whole_of: bool = False
    ) -> Callable[[Path, Callable[[Judged], None]], Judged]:
        """The work of one process: copy the tree, change it, check it."""

        def run(scratch: Path, send: Callable[[Judged], None]) -> Judged:
            spec = change is not None and change.artefact == "spec"
            is_tested = change is not None and change.artefact in TESTED
            if change is not None and change.file.endswith(".py"):
                if python_changes.same_code(change.before, change.after, change.file):
                    return Judged(
                        Finding(
                            "equivalent",
                            "compile",
                            "same bytecode",
                            "both texts compile to the same code",
                        )
                    )
                memory = WITH_JAVA if is_tested else MEMORY
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            copied(self.root, scratch, None if is_tested else CHECKED)
            if change is not None:
                (scratch / change.file).write_text(change.after, encoding="utf-8")
                if spec and (finding := translated(scratch, change.file, change.before)):
                    return Judged(finding)
            judge_ = Judge(
                scratch,
                self.root,
                self.runs.resolve(),
                send,
                change is not None and change.artefact in ("impl", "model", "harness"),
            )
            return judge_.run(checks, whole_of)

        return run

    # -- the run

    def run(self) -> list[Row]:
        archive.make(java.locate(), jar.locate())
        first = [
            check
            for share in self.drawn
            for check in self.plan.checks(share.group.artefact, share.sample[0].file)[:2]
        ]
        if self.unchanged("first", first):
            self.judge()
            self.unchanged("rejecting", self.rejecting())
        for share in self.drawn:
            self.rows += self.rows_of(share)
        self.rows += self.stale()
        return self.rows

    def rejecting(self) -> list[Check]:
        """The checks that rejected a change; the unchanged project must pass them."""
        checks_by_key: dict[tuple[str, str], set[str]] = {}
        for share in self.drawn:
            ends = [
                (change.file, share.ended[change.key])
                for change in share.changes_of_words("rejected", "unloadable")
            ]
            ends += [
                (self.controls_of(share)[0].file, judgement)
                for name, judgement in share.controls.items()
                if name == "control.rejected"
            ]
            for file, judgement in ends:
                checks_by_key.setdefault((share.group.artefact, file), set()).update(
                    list(judgement.seconds)[-1:]
                )
        return [
            check
            for (artefact, file), titles in checks_by_key.items()
            for check in self.plan.checks(artefact, file)
            if check.title in titles
        ]

    def unchanged(self, name: str, checks: list[Check]) -> bool:
        """Run checks on the unchanged project; whether all are in order.

        Rejections of a check that is not in order do not count.
        """
        by_title = {check.title: check for check in checks}
        bundles: dict[tuple[str, str], list[Check]] = {}
        for check in by_title.values():
            kind = (
                check.tests if check.kind == "tests" else check.job.kind if check.job else "labels"
            )
            bundles.setdefault((check.mechanism, kind), []).append(check)
        self.notify(f"unchanged project: {len(by_title)} checks")
        good, start, mechanism = True, time.monotonic(), self.drawn[0].group.mechanism
        for task, judgement in workers.perform(
            (Task(bundle, self.body(None, bundle, True), 3600.0) for bundle in bundles.values()),
            self.options.jobs,
        ):
            finding = judgement.finding
            if finding.word != "passed":
                good = False
                self.unsound |= {check.title: finding.why for check in task.name}
                is_broken = finding.word in ("error", "inconclusive")
                self.rows.append(
                    judge(
                        mechanism,
                        LAYER,
                        f"unchanged, {finding.check}",
                        expected="exhaustive",
                        verdict=finding.word if is_broken else "violated",
                        property=None if is_broken else finding.by or "figures",
                        why=f"the unchanged project is not in order: {finding.why}",
                    )
                )
        if good:
            self.rows.append(
                judge(
                    mechanism,
                    LAYER,
                    f"unchanged, {name}",
                    expected="exhaustive",
                    verdict="exhaustive" if by_title else "vacuous",
                    figures={"checks": len(by_title)},
                    seconds=time.monotonic() - start,
                    why="the unchanged project passes"
                    if by_title
                    else "no check rejected anything",
                )
            )
        return good

    def judge(self) -> None:
        """The controls of each group, then the drawn changes, of all groups in turn.

        So a run that is cut short has judged an equal part of each group.
        """
        end = time.monotonic() + 60 * self.options.minutes if self.options.minutes else None
        every = list(self.ordered())
        tasks = workers.perform(self.until(every, end), self.options.jobs)
        for count, (task, judgement) in enumerate(tasks, 1):
            share, change = task.name
            if change.operator.startswith("control."):
                share.controls[change.operator] = judgement
            else:
                share.ended[change.key] = judgement
            finding = judgement.finding
            mark = {"passed": "SURVIVED"}.get(finding.word, finding.word)
            if mark == "SURVIVED" and change.key in self.declared:
                mark = "equivalent (declared)"
            self.notify(
                f"{count}/{len(every)} {mark}: {change.title}"
                + (
                    f" by {finding.by} ({finding.check})"
                    if finding.word == "rejected"
                    else f" {finding.why}"
                    if finding.why
                    else ""
                )
            )

    def ordered(self) -> Iterator[tuple[Drawn, Change]]:
        for share in self.drawn:
            for control in self.controls_of(share):
                yield share, control
        every = [
            ((number + 0.5) / len(share.sample), share, change)
            for share in self.drawn
            for number, change in enumerate(share.sample)
        ]
        for _, share, change in sorted(every, key=lambda item: item[0]):
            yield share, change

    def controls_of(self, share: Drawn) -> list[Change]:
        """A fault that must be rejected and a change that must not, of the first file that has one.

        The files of drawn changes come first.
        """
        files = {change.file for change in share.sample}
        for file in sorted(
            share.group.files,
            key=lambda name: (name not in files, Path(name).stem != share.group.mechanism, name),
        ):
            make = makers(share.group.artefact).plant
            fault, harmless = make(reading.text(self.root / file), file, share.group.artefact)
            if fault is not None:
                return [fault, harmless]
        return []

    def until(self, every: list[tuple[Drawn, Change]], end: float | None) -> Iterator[Task]:
        for share, change in every:
            if end is not None and time.monotonic() > end:
                return
            checks = self.plan.checks(change.artefact, change.file)
            if change.operator == "control.equivalent":
                checks = checks[:QUICK]
            yield Task((share, change), self.body(change, checks), patience(self.options.limit))

    # -- rows

    def rows_of(self, share: Drawn) -> list[Row]:
        mechanism, artefact = share.group.mechanism, share.group.artefact
        if not share.ended:
            return [
                judge(
                    mechanism,
                    LAYER,
                    f"{artefact}{SAMPLE}",
                    expected="sampled",
                    verdict="vacuous",
                    why="no change was judged",
                )
            ]
        rows = [self.control_row(share)]
        rows += [
            row_of(
                share.group.mechanism,
                change,
                share.ended[change.key],
                self.declared.get(change.key),
                self.unsound,
            )
            for change in share.sample
            if change.key in share.ended
        ]
        unloadable = share.changes_of_words("unloadable")
        figures = {
            "enumerated": len(share.every),
            "drawn": len(share.sample),
            "judged": len(share.ended),
            "seed": self.options.seed,
            "rejected": len(share.changes_of_words("rejected")),
            "equivalent": len(self.equivalent(share)),
            "unloadable": len(unloadable),
            "survived": len(self.survivors(share)),
            "inconclusive": len(share.changes_of_words("inconclusive")),
            "errors": len(share.changes_of_words("error")),
        }
        empty = len(unloadable) == len(share.ended)
        rows.append(
            judge(
                mechanism,
                LAYER,
                f"{artefact}{SAMPLE}",
                expected="sampled",
                verdict="vacuous" if empty else "sampled",
                figures=figures,
                bound=f"{len(share.ended)} of {len(share.every):,} changes, "
                f"seed {self.options.seed}",
                why="no changed project could be loaded, so no check was put to the test"
                if empty
                else "",
            )
        )
        return rows

    def equivalent(self, share: Drawn) -> list[Change]:
        return share.changes_of_words("equivalent") + [
            change for change in share.changes_of_words("passed") if change.key in self.declared
        ]

    def survivors(self, share: Drawn) -> list[Change]:
        return [
            change for change in share.changes_of_words("passed") if change.key not in self.declared
        ]

    def control_row(self, share: Drawn) -> Row:
        """The planted fault is rejected, the harmless change is not: else there is no verdict."""
        mechanism, name = share.group.mechanism, f"{share.group.artefact}, controls"
        fault, harmless = (
            share.controls.get(f"control.{kind}") for kind in ("rejected", "equivalent")
        )
        if fault is None or harmless is None:
            return judge(
                mechanism,
                LAYER,
                name,
                expected="violated",
                verdict="vacuous",
                why="no control could be planted",
            )
        finding = fault.finding
        if "error" in (finding.word, harmless.finding.word):
            failure = finding if finding.word == "error" else harmless.finding
            return judge(
                mechanism,
                LAYER,
                name,
                expected="violated",
                verdict="error",
                why=f"{failure.check}: {failure.why}",
            )
        wrong = ""
        if finding.word != "rejected":
            wrong = f"the planted fault was not rejected: {finding.word}"
        elif harmless.finding.word not in ("passed", "equivalent"):
            wrong = (
                f"the harmless change was {harmless.finding.word} by {harmless.finding.by} "
                f"({harmless.finding.check}): {harmless.finding.why}"
            )
        return judge(
            mechanism,
            LAYER,
            name,
            expected="violated",
            expected_property=finding.by,
            property=finding.by,
            fault=wrong,
            verdict="violated" if finding.word == "rejected" else "sampled",
            why=f"{finding.check}: {finding.why}",
        )

    def stale(self) -> list[Row]:
        """A row for each declaration that no change has any more."""
        every = [change for share in self.drawn for change in share.every]
        files = {file for share in self.drawn for file in share.group.files}
        return [
            judge(
                self.drawn[0].group.mechanism,
                LAYER,
                f"declaration {entry.change}",
                expected="exhaustive",
                verdict="violated",
                property="stale",
                why=f"{declarations.FILE} declares a change of {entry.file} that is no longer "
                "among its changes",
            )
            for entry in declarations.stale(self.declared, every, files)
        ]
