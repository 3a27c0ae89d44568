"""A run of `wheelproof mutate`: enumerate changes, draw some, run the controls, judge, report."""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof import project
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.mutate import declared as declarations
from wheelproof.mutate import pluscal_changes, python_changes, workers
from wheelproof.mutate.change import Change
from wheelproof.mutate.judge import CHECKED, Finding, Judge, Judged, copied, translated
from wheelproof.mutate.plan import Check, Group, Plan
from wheelproof.mutate.workers import Task
from wheelproof.tlc import archive, jar, java
from wheelproof.verdict import Row, Verdict, judge

LAYER = "mutate"
MEMORY = 6 << 30
"""Bytes of address space for a process that starts no Java."""

QUICK = 12
"""The number of checks that no check may reject in the control: the first reject nearly all."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """Options. ``count``: changes drawn for each mechanism and artefact.

    ``total``: instead, changes of each artefact, over all groups. ``minutes``: of wall time after
    which no further change is begun, 0 for none.

    ``limit``: seconds of wall time for one change. ``profile``, ``bound``: as in ``Plan``.
    ``tests``: whether unit tests take part. ``stage``: the last stage of checks that takes part.
    ``keys``: judge exactly these changes; nothing is drawn.
    """

    mechanisms: tuple[str, ...]
    artefacts: tuple[str, ...]
    count: int
    seed: int
    subject: Path
    output: Path
    jobs: int = 2
    profile: str = "fast"
    bound: int = 100_000
    minutes: float = 0.0
    limit: float = 900.0
    tests: bool = True
    stage: int = 9
    keys: tuple[str, ...] = ()
    total: int = 0


@dataclass
class Drawn:
    """One group's changes: all of them, those drawn, and what became of each that was judged."""

    group: Group
    every: list[Change]
    chosen: list[Change]
    ended: dict[str, Judged] = field(default_factory=dict)
    controls: dict[str, Judged] = field(default_factory=dict)

    def of(self, *words: str) -> list[Change]:
        return [
            change
            for change in self.chosen
            if change.key in self.ended and self.ended[change.key].finding.word in words
        ]


def changes_of(root: Path, group: Group) -> list[Change]:
    """Every change of a group's files."""
    out: list[Change] = []
    for file in group.files:
        make = pluscal_changes.changes if group.artefact == "spec" else python_changes.changes
        out += make((root / file).read_text(encoding="utf-8"), file, group.artefact)
    return out


def draw(options: Options, root: Path, plan: Plan) -> list[Drawn]:
    """The groups with their changes, some of each drawn by the seed.

    Raises NothingChecked where there is none.
    """
    out = []
    groups = plan.groups(options.mechanisms, options.artefacts)
    found = {group: changes_of(root, group) for group in groups}
    wanted = dict.fromkeys(groups, options.count)
    if options.total:
        for artefact in options.artefacts:
            of_artefact = {
                group: len(every)
                for group, every in found.items()
                if group.artefact == artefact and every
            }
            wanted |= dict(zip(of_artefact, shares(options.total, list(of_artefact.values()))))
    for group, every in found.items():
        order = random.Random(f"{options.seed} {group.stem} {group.artefact}").sample(
            every, len(every)
        )
        if options.keys:
            out.append(
                Drawn(group, every, [change for change in every if change.key in options.keys])
            )
            continue
        chosen: list[Change] = []
        for change in order:
            if len(chosen) == wanted[group]:
                break
            if group.artefact == "spec" or python_changes.parses(change):
                chosen.append(change)
        out.append(Drawn(group, every, chosen))
    if unknown := set(options.keys) - {change.key for each in out for change in each.chosen}:
        raise UsageError(
            f"No file has the change {', '.join(sorted(unknown))}.",
            "The text around it was edited; --list shows what there is.",
        )
    if not any(each.chosen for each in out):
        raise NothingChecked(
            "No change was drawn.", "Choose other mechanisms or artefacts, or a larger --count."
        )
    return [each for each in out if each.chosen]


def shares(total: int, sizes: list[int]) -> list[int]:
    """``total`` split in proportion to ``sizes``, by the largest remainder.

    Each gets one at least, and none more than it has.
    """
    if total < len(sizes):
        raise UsageError(
            f"{total} changes are fewer than the {len(sizes)} groups of files.",
            "Give a larger --total, or choose mechanisms.",
        )
    rest, more = total - len(sizes), [size - 1 for size in sizes]
    exact = [min(each, rest * each / max(1, sum(more))) for each in more]
    given = [int(each) for each in exact]
    for number in sorted(range(len(sizes)), key=lambda number: given[number] - exact[number])[
        : max(0, min(rest, sum(more)) - sum(given))
    ]:
        given[number] += 1
    return [1 + each for each in given]


class Mutation:
    """One run."""

    def __init__(self, options: Options, tell: Tell) -> None:
        self.options, self.tell = options, tell
        # The user may edit the tree while this runs: everything is read from a copy.
        self.kept = tempfile.TemporaryDirectory(prefix="wheelproof-mutate-")
        self.root = Path(self.kept.name, "subject")
        copied(options.subject.resolve(), self.root)
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

        def run(scratch: Path, tell: Callable[[Judged], None]) -> Judged:
            spec = change is not None and change.artefact == "spec"
            if change is not None and not spec:
                if python_changes.same_code(change.before, change.after, change.file):
                    return Judged(
                        Finding(
                            "equivalent",
                            "compile",
                            "same bytecode",
                            "both texts compile to the same code",
                        )
                    )
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            copied(self.root, scratch, CHECKED)
            if change is not None:
                (scratch / change.file).write_text(change.after, encoding="utf-8")
            if spec and (finding := translated(scratch, change.file, change.before)):
                return Judged(finding)
            judge_ = Judge(
                scratch,
                self.root,
                self.runs.resolve(),
                tell,
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
            bundles.setdefault((check.stem, kind), []).append(check)
        self.tell(f"unchanged subject: {len(wanted)} checks")
        good, started, stem = True, time.monotonic(), self.drawn[0].group.stem
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
                        stem,
                        LAYER,
                        f"unchanged, {found.check}",
                        expected="exhaustive",
                        verdict=found.word if broken else "violated",
                        property=None if broken else found.by or "figures",
                        why=f"the unchanged subject is not in order: {found.why}",
                    )
                )
        if good:
            self.rows.append(
                judge(
                    stem,
                    LAYER,
                    f"unchanged, {name}",
                    expected="exhaustive",
                    verdict="exhaustive" if wanted else "vacuous",
                    figures={"checks": len(wanted)},
                    seconds=time.monotonic() - started,
                    why="the unchanged subject passes" if wanted else "no check rejected anything",
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
            self.tell(
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
            key=lambda name: (name not in drawn, Path(name).stem != each.group.stem, name),
        ):
            make = (
                pluscal_changes.planted if each.group.artefact == "spec" else python_changes.planted
            )
            fault, harmless = make(
                (self.root / file).read_text(encoding="utf-8"), file, each.group.artefact
            )
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
            yield Task((each, change), self.body(change, checks), self.options.limit)

    # -- rows

    def rows_of(self, each: Drawn) -> list[Row]:
        stem, artefact = each.group.stem, each.group.artefact
        if not each.ended:
            return [
                judge(
                    stem,
                    LAYER,
                    f"{artefact}, draw",
                    expected="sampled",
                    verdict="vacuous",
                    why="no change was judged",
                )
            ]
        rows = [self.control_row(each)]
        rows += [self.row(each, change) for change in each.chosen if change.key in each.ended]
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
                stem,
                LAYER,
                f"{artefact}, draw",
                expected="sampled",
                verdict="vacuous" if empty else "sampled",
                figures=figures,
                bound=f"{len(each.ended)} of {len(each.every):,} changes, seed {self.options.seed}",
                why="no changed subject could be loaded, so no check was put to the test"
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
        stem, name = each.group.stem, f"{each.group.artefact}, controls"
        fault, harmless = (
            each.controls.get(f"control.{which}") for which in ("rejected", "equivalent")
        )
        if fault is None or harmless is None:
            return judge(
                stem,
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
                stem,
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
            stem,
            LAYER,
            name,
            expected="violated",
            expected_property=found.by,
            property=found.by,
            fault=wrong,
            verdict="violated" if found.word == "rejected" else "sampled",
            why=f"{found.check}: {found.why}",
        )

    def row(self, each: Drawn, change: Change) -> Row:
        judged = each.ended[change.key]
        found, known = judged.finding, self.declared.get(change.key)
        figures = {
            "artefact": change.artefact,
            "operator": change.operator,
            "place": change.place,
            "check": found.check,
            "diff": change.hunk(1),
            "checks": len(judged.seconds),
        }
        common = {"figures": figures, "seconds": sum(judged.seconds.values())}
        named = (each.group.stem, LAYER, change.title)
        used = list(judged.seconds)[-1] if judged.seconds else ""
        if found.word == "rejected" and used in self.unsound:
            return judge(
                *named,
                expected="violated",
                verdict="error",
                why=f"{used} rejects the unchanged subject too: {self.unsound[used]}",
                **common,
            )
        if found.word == "rejected":
            fault = f"it is declared equivalent, but {found.check} rejects it" if known else ""
            return judge(
                *named,
                expected="violated",
                verdict="violated",
                expected_property=found.by,
                property=found.by,
                fault=fault,
                why=f"{found.check}: {found.why}",
                **common,
            )
        if found.word == "unloadable":
            return judge(
                *named,
                expected="violated",
                verdict="violated",
                expected_property="unloadable",
                property="unloadable",
                why=found.why,
                **common,
            )
        if found.word == "equivalent" or found.word == "passed" and known:
            return judge(
                *named,
                expected="exhaustive",
                verdict="exhaustive",
                why=f"equivalent: {known.reason if known else found.why}",
                **common,
            )
        if found.word == "passed":
            return judge(
                *named,
                expected="violated",
                verdict=Verdict.SAMPLED,
                why=f"survived {len(judged.seconds)} checks",
                **common,
            )
        return judge(
            *named,
            expected="violated",
            verdict="inconclusive" if found.word == "inconclusive" else "error",
            why=f"{found.check}: {found.why}",
            **common,
        )

    def stale(self) -> list[Row]:
        """A row for each declaration that no change has any more."""
        every = [change for each in self.drawn for change in each.every]
        files = {file for each in self.drawn for file in each.group.files}
        return [
            judge(
                self.drawn[0].group.stem,
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
