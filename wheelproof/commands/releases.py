"""The table of releases and properties, each cell checked on that release's own classes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from wheelproof.counterexample import document
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, first_violation
from wheelproof.jvm.tasks import (
    CHANGE,
    CLASSES,
    PROPERTY,
    SCENARIO,
    Task,
    broken_without,
    tasks,
    violation,
)
from wheelproof.project.mechanism import Mechanism
from wheelproof.verdict import Row

WIDTH = 100
"""Columns of the lines with a run's steps."""


def names(mechanisms: Iterable[Mechanism]) -> frozenset[str]:
    """The checks that the tables are made from: on each release the same ones, and the changed
    classes that are the mechanism without a decision."""
    return frozenset(
        task.name
        for mechanism in mechanisms
        for task in tasks(mechanism).values()
        if task.kind in (PROPERTY, CLASSES)
        or task.kind == SCENARIO
        and task.subject in task.binding.fast
        or lacks(task)
    )


def lacks(task: Task) -> str:
    """The decision that the changed classes of a check lack; "" for none."""
    return task.binding.changes[task.subject].without if task.kind == CHANGE else ""


def breaks(mechanism: Mechanism, task: Task) -> str:
    """The property that changed classes break."""
    return broken_without(mechanism, task.binding.changes[task.subject]) or ""


def render(
    rows: Sequence[Row], mechanisms: Mapping[str, Mechanism], output: Path | None = None
) -> str:
    """A Markdown table for each mechanism: a line per release, a column per violated property.

    ``output``: the folder of the counterexamples. Each is a section behind the tables.
    """
    with_classes = {name: item for name, item in mechanisms.items() if tasks(item)}
    parts = [
        table(mechanism, [row for row in rows if row.mechanism == name])
        for name, mechanism in with_classes.items()
    ]
    if output is not None:
        for name, mechanism in with_classes.items():
            own_rows = [row for row in rows if row.mechanism == name]
            parts += replays(mechanism, own_rows, output)
    return "\n".join(parts)


def replays(mechanism: Mechanism, rows: Sequence[Row], output: Path) -> list[str]:
    """A section for each run to a violation that was followed on classes: its steps, a command."""
    by_name = tasks(mechanism)
    pairs_by_subject: dict[str, list[tuple[Task, Row]]] = {}
    for row in rows:
        task = by_name.get(row.name)
        if task and row.ok and row.trace and (task.kind == PROPERTY or lacks(task)):
            pairs_by_subject.setdefault(task.subject, []).append((task, row))
    sections = []
    for name, pairs in pairs_by_subject.items():
        pairs.sort(key=lambda pair: version(pair[0].release))
        task, row = pairs[-1]
        counterexample = document.read(output / str(row.trace))
        steps = [step for step in counterexample.steps if step.kind != "silent"]
        releases = ", ".join(task.release for task, _ in pairs)
        sections.append(
            f"#### `{name}` of `{mechanism.name}`\n\n`{counterexample.property}` is violated after "
            f"{len(steps)} steps of `{counterexample.scenario}`. Followed on {releases}.\n\n"
            f"```\n{by_thread(steps)}\n```\n\n```sh\n"
            f'wheelproof jvm "{task.name}"\n'
            f'wheelproof replay "build/{row.trace}" --on impl\n```\n'
        )
    return sections


def by_thread(steps: Sequence[document.Step]) -> str:
    """The labels of a run, those of one thread together until another one moves, in lines."""
    turns: list[tuple[str, list[str]]] = []
    for step in steps:
        if not turns or turns[-1][0] != step.thread:
            turns.append((step.thread, []))
        turns[-1][1].append(step.label)
    text = "; ".join(f"{thread} {' '.join(labels)}" for thread, labels in turns)
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def table(mechanism: Mechanism, rows: Sequence[Row]) -> str:
    """One mechanism's table. A property holds where each scenario is equal to a model that has it.

    A violated one has the names of the configs that were followed on the release's classes. A
    release whose class files are those of another has the results of these.
    """
    by_name, models = tasks(mechanism), Models(mechanism)
    subjects = names([mechanism])
    checks = [(by_name[row.name], row) for row in rows if row.name in subjects]
    violations = [config.property or "" for config in mechanism.configs.values()]
    followed = [violation(mechanism, task.subject) for task, _ in checks if task.kind == PROPERTY]
    followed_properties = {item.property for item in followed}
    violations += [item.property or "" for item in followed]
    changes = [(task, breaks(mechanism, task), row) for task, row in checks if lacks(task)]
    violations += [broken_one for _, broken_one, _ in changes if broken_one]
    followed_properties |= {broken_one for _, broken_one, _ in changes}
    properties = [
        name for name in dict.fromkeys(violations) if name and name in followed_properties
    ]
    head = ["release", f"`{mechanism.name}`", *(f"`{name}`" for name in properties)]
    lines = [head, ["---"] * len(head)]
    for release in sorted({task.release for task, _ in checks}, key=version):
        own_checks = [(task, row) for task, row in shown_by(checks, release) if not lacks(task)]
        equal = [row.ok for task, row in own_checks if task.kind == SCENARIO]
        releases_beside = sorted({task.release for task, _ in own_checks} - {release}, key=version)
        first = f"{sum(equal)} of {len(equal)} scenarios equal"
        first += f": the class files of {', '.join(releases_beside)}" if releases_beside else ""
        lines.append([release, first, *(cell(models, name, own_checks) for name in properties)])
    for task, broken_one, row in changes:
        link = outcome(mechanism, task.subject, row.ok)
        cells = [link if name == broken_one else "-" for name in properties]
        lines.append([f"{task.release}, changed", f"equal without `{lacks(task)}`", *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown_by(checks: Sequence[tuple[Task, Row]], release: str) -> list[tuple[Task, Row]]:
    """The checks that speak of a release: its own, and those of the class files that it has."""
    places = {(task.binding.name, release) for task, _ in checks}
    for task, row in checks:
        if task.kind == CLASSES and task.release == release and row.ok:
            places.add((task.binding.name, task.binding.same[release]))
    return [(task, row) for task, row in checks if (task.binding.name, task.release) in places]


def outcome(mechanism: Mechanism, name: str, ok: bool) -> str:
    """A cell for a run to a violation, with a link to its section."""
    return f"violated: {link_to(mechanism, name)}" if ok else f"not shown: `{name}`"


def link_to(mechanism: Mechanism, name: str) -> str:
    """A link to the section of a run."""
    return f"[`{name}`](#{name.lower()}-of-{mechanism.name})"


def cell(models: Models, name: str, checks: Sequence[tuple[Task, Row]]) -> str:
    """The result of the checks of one release for a property."""
    mechanism = models.mechanism
    replays = [
        (task.subject, row.ok)
        for task, row in checks
        if task.kind == PROPERTY and violation(mechanism, task.subject).property == name
    ]
    if replays:
        wrong = [f"`{config}`" for config, ok in replays if not ok]
        right = ", ".join(link_to(mechanism, config) for config, ok in replays if ok)
        return f"not shown: {', '.join(wrong)}" if wrong else f"violated: {right}"
    comparisons = [(task, row.ok) for task, row in checks if task.kind == SCENARIO]
    if not comparisons or not all(ok for _, ok in comparisons):
        return "not shown"
    bad = [task.scenario for task, _ in comparisons if not models.has(name, task)]
    return f"violated in `{bad[0]}`" if bad else "holds"


class Models:
    """The models of a mechanism's scenarios; each graph is made once."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.graphs: dict[tuple[str, str], StateGraph] = {}

    def has(self, name: str, task: Task) -> bool:
        """Whether a property holds in every state of the scenario that classes were compared in."""
        key = task.binding.without, task.scenario
        if key not in self.graphs:
            mechanism = self.mechanism.without(task.binding.without)
            self.graphs[key] = reduced.reduce(mechanism.model(task.scenario), mechanism.silent)
        return first_violation(self.graphs[key], name) is None


def version(release: str) -> tuple[list[int], str]:
    """A release's numbers, for sorting; one with a diff comes behind it, as 4.3.0-fixed does."""
    numbers, _, diff = release.partition("-")
    return [int(part) for part in numbers.split(".")], diff
