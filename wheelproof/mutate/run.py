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
from wheelproof.mutate.rows import LAYER, row_of
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
        kept = temporary.make("mutate")
        finalize(self, temporary.remove, kept)
        self.root = kept / "subject"
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
        """What one process does: copy the tree, change it, check it."""

        def run(scratch: Path, send: Callable[[Judged], None]) -> Judged:
            spec = change is not None and change.artefact == "spec"
            tested = change is not None and change.artefact in TESTED
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
                memory = WITH_JAVA if tested else MEMORY
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            copied(self.root, scratch, None if tested else CHECKED)
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
            for each in self.drawn
            for check in self.plan.checks(each.group.artefact, each.chosen[0].file)[:2]
        ]
        if self.unchanged("first", first):
            self.judge()
            self.unchanged("rejecting", self.rejecting())
        for each in self.drawn:
            self.rows += self.rows_of(each)
        self.rows += self.stale()
        return self.rows

    def rejecting(self) -> list[Check]:
        """The checks that rejected a change; the unchanged project must pass them."""
        used: dict[tuple[str, str], set[str]] = {}
        for each in self.drawn:
            ends = [
                (change.file, each.ended[change.key])
                for change in each.of("rejected", "unloadable")
            ]
            ends += [
                (self.controls_of(each)[0].file, judged)
                for name, judged in each.controls.items()
                if name == "control.rejected"
            ]
            for file, judged in ends:
                used.setdefault((each.group.artefact, file), set()).update(
                    list(judged.seconds)[-1:]
                )
        return [
            check
            for (artefact, file), titles in used.items()
            for check in self.plan.checks(artefact, file)
            if check.title in titles
        ]

    def unchanged(self, name: str, checks: list[Check]) -> bool:
        """Run checks on the unchanged project; whether all are in order.

        Rejections of a check that is not in order do not count.
        """
        wanted = {check.title: check for check in checks}
        bundles: dict[tuple[str, str], list[Check]] = {}
        for check in wanted.values():
            kind = (
                check.tests if check.kind == "tests" else check.job.kind if check.job else "labels"
            )
            bundles.setdefault((check.mechanism, kind), []).append(check)
        self.notify(f"unchanged project: {len(wanted)} checks")
        good, started, mechanism = True, time.monotonic(), self.drawn[0].group.mechanism
        for task, judged in workers.perform(
            (Task(each, self.body(None, each, True), 3600.0) for each in bundles.values()),
            self.options.jobs,
        ):
            found = judged.finding
            if found.word != "passed":
                good = False
                self.unsound |= {check.title: found.why for check in task.name}
                broken = found.word in ("error", "inconclusive")
                self.rows.append(
                    judge(
                        mechanism,
                        LAYER,
                        f"unchanged, {found.check}",
                        expected="exhaustive",
                        verdict=found.word if broken else "violated",
                        property=None if broken else found.by or "figures",
                        why=f"the unchanged project is not in order: {found.why}",
                    )
                )
        if good:
            self.rows.append(
                judge(
                    mechanism,
                    LAYER,
                    f"unchanged, {name}",
                    expected="exhaustive",
                    verdict="exhaustive" if wanted else "vacuous",
                    figures={"checks": len(wanted)},
                    seconds=time.monotonic() - started,
                    why="the unchanged project passes" if wanted else "no check rejected anything",
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
        for done, (task, judged) in enumerate(tasks, 1):
            each, change = task.name
            if change.operator.startswith("control."):
                each.controls[change.operator] = judged
            else:
                each.ended[change.key] = judged
            found = judged.finding
            mark = {"passed": "SURVIVED"}.get(found.word, found.word)
            if mark == "SURVIVED" and change.key in self.declared:
                mark = "equivalent (declared)"
            self.notify(
                f"{done}/{len(every)} {mark}: {change.title}"
                + (
                    f" by {found.by} ({found.check})"
                    if found.word == "rejected"
                    else f" {found.why}"
                    if found.why
                    else ""
                )
            )

    def ordered(self) -> Iterator[tuple[Drawn, Change]]:
        for each in self.drawn:
            for control in self.controls_of(each):
                yield each, control
        every = [
            ((number + 0.5) / len(each.chosen), each, change)
            for each in self.drawn
            for number, change in enumerate(each.chosen)
        ]
        for _, each, change in sorted(every, key=lambda item: item[0]):
            yield each, change

    def controls_of(self, each: Drawn) -> list[Change]:
        """A fault that must be rejected and a change that must not, of the first file that has one.

        The files of drawn changes come first.
        """
        drawn = {change.file for change in each.chosen}
        for file in sorted(
            each.group.files,
            key=lambda name: (name not in drawn, Path(name).stem != each.group.mechanism, name),
        ):
            make = makers(each.group.artefact).planted
            fault, harmless = make(reading.text(self.root / file), file, each.group.artefact)
            if fault is not None:
                return [fault, harmless]
        return []

    def until(self, every: list[tuple[Drawn, Change]], end: float | None) -> Iterator[Task]:
        for each, change in every:
            if end is not None and time.monotonic() > end:
                return
            checks = self.plan.checks(change.artefact, change.file)
            if change.operator == "control.equivalent":
                checks = checks[:QUICK]
            yield Task((each, change), self.body(change, checks), patience(self.options.limit))

    # -- rows

    def rows_of(self, each: Drawn) -> list[Row]:
        mechanism, artefact = each.group.mechanism, each.group.artefact
        if not each.ended:
            return [
                judge(
                    mechanism,
                    LAYER,
                    f"{artefact}, draw",
                    expected="sampled",
                    verdict="vacuous",
                    why="no change was judged",
                )
            ]
        rows = [self.control_row(each)]
        rows += [
            row_of(
                each.group.mechanism,
                change,
                each.ended[change.key],
                self.declared.get(change.key),
                self.unsound,
            )
            for change in each.chosen
            if change.key in each.ended
        ]
        unloadable = each.of("unloadable")
        figures = {
            "enumerated": len(each.every),
            "drawn": len(each.chosen),
            "judged": len(each.ended),
            "seed": self.options.seed,
            "rejected": len(each.of("rejected")),
            "equivalent": len(self.equivalent(each)),
            "unloadable": len(unloadable),
            "survived": len(self.survivors(each)),
            "inconclusive": len(each.of("inconclusive")),
            "errors": len(each.of("error")),
        }
        empty = len(unloadable) == len(each.ended)
        rows.append(
            judge(
                mechanism,
                LAYER,
                f"{artefact}, draw",
                expected="sampled",
                verdict="vacuous" if empty else "sampled",
                figures=figures,
                bound=f"{len(each.ended)} of {len(each.every):,} changes, seed {self.options.seed}",
                why="no changed project could be loaded, so no check was put to the test"
                if empty
                else "",
            )
        )
        return rows

    def equivalent(self, each: Drawn) -> list[Change]:
        return each.of("equivalent") + [
            change for change in each.of("passed") if change.key in self.declared
        ]

    def survivors(self, each: Drawn) -> list[Change]:
        return [change for change in each.of("passed") if change.key not in self.declared]

    def control_row(self, each: Drawn) -> Row:
        """The planted fault is rejected, the harmless change is not: else there is no verdict."""
        mechanism, name = each.group.mechanism, f"{each.group.artefact}, controls"
        fault, harmless = (
            each.controls.get(f"control.{which}") for which in ("rejected", "equivalent")
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
        found = fault.finding
        if "error" in (found.word, harmless.finding.word):
            broken = found if found.word == "error" else harmless.finding
            return judge(
                mechanism,
                LAYER,
                name,
                expected="violated",
                verdict="error",
                why=f"{broken.check}: {broken.why}",
            )
        wrong = ""
        if found.word != "rejected":
            wrong = f"the planted fault was not rejected: {found.word}"
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
            expected_property=found.by,
            property=found.by,
            fault=wrong,
            verdict="violated" if found.word == "rejected" else "sampled",
            why=f"{found.check}: {found.why}",
        )

    def stale(self) -> list[Row]:
        """A row for each declaration that no change has any more."""
        every = [change for each in self.drawn for change in each.every]
        files = {file for each in self.drawn for file in each.group.files}
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
