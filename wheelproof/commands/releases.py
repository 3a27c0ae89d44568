"""The table of releases and properties, each cell checked on that release's own classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, first_violation
from wheelproof.jvm.tasks import PROPERTY, SCENARIO, Task, tasks
from wheelproof.project.mechanism import Mechanism
from wheelproof.verdict import Row


def names(mechanisms: Iterable[Mechanism]) -> frozenset[str]:
    """The checks that the table is made from: on each release the same ones."""
    return frozenset(
        task.name
        for mechanism in mechanisms
        for task in tasks(mechanism).values()
        if task.kind == PROPERTY or task.kind == SCENARIO and task.subject in task.binding.fast
    )


def render(rows: Sequence[Row], mechanisms: Mapping[str, Mechanism]) -> str:
    """A Markdown table for each mechanism: a line per release, a column per violated property."""
    return "\n".join(
        table(mechanism, [row for row in rows if row.mechanism == stem])
        for stem, mechanism in mechanisms.items()
        if tasks(mechanism)
    )


def table(mechanism: Mechanism, rows: Sequence[Row]) -> str:
    """One mechanism's table. A property holds where each scenario is equal to a model that has it.

    A violated one has the names of the configs that were followed on the release's classes.
    """
    known, models = tasks(mechanism), Models(mechanism)
    wanted = names([mechanism])
    checked = [(known[row.name], row) for row in rows if row.name in wanted]
    broken = [config.property or "" for config in mechanism.configs.values()]
    found = {
        mechanism.configs[task.subject].property for task, _ in checked if task.kind == PROPERTY
    }
    properties = [name for name in dict.fromkeys(broken) if name in found]
    head = ["release", f"`{mechanism.stem}`", *(f"`{name}`" for name in properties)]
    lines = [head, ["---"] * len(head)]
    for release in sorted({task.release for task, _ in checked}, key=version):
        mine = [(task, row) for task, row in checked if task.release == release]
        equal = [row.ok for task, row in mine if task.kind == SCENARIO]
        first = f"{sum(equal)} of {len(equal)} scenarios equal"
        lines.append([release, first, *(cell(models, name, mine) for name in properties)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(models: Models, name: str, checked: Sequence[tuple[Task, Row]]) -> str:
    """What the checks of one release show of a property."""
    mechanism = models.mechanism
    replays = [
        (mechanism.configs[task.subject].name, row.ok)
        for task, row in checked
        if task.kind == PROPERTY and mechanism.configs[task.subject].property == name
    ]
    if replays:
        wrong = [f"`{config}`" for config, ok in replays if not ok]
        right = ", ".join(f"`{config}`" for config, ok in replays if ok)
        return f"not shown: {', '.join(wrong)}" if wrong else f"violated: {right}"
    compared = [(task.scenario, row.ok) for task, row in checked if task.kind == SCENARIO]
    if not compared or not all(ok for _, ok in compared):
        return "not shown"
    bad = [scenario for scenario, _ in compared if not models.has(name, scenario)]
    return f"violated in `{bad[0]}`" if bad else "holds"


class Models:
    """The models of a mechanism's scenarios; each graph is made once."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.graphs: dict[str, StateGraph] = {}

    def has(self, name: str, scenario: str) -> bool:
        """Whether a property holds in every state of a scenario."""
        if scenario not in self.graphs:
            model = self.mechanism.model(scenario)
            self.graphs[scenario] = reduced.reduce(model, self.mechanism.silent)
        return first_violation(self.graphs[scenario], name) is None


def version(release: str) -> tuple[int, ...]:
    """A release's numbers, for sorting."""
    return tuple(int(part) for part in release.split("."))
