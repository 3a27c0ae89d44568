"""``wheelproof init --from FILE:CLASS``: a first specification of a class that is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wheelproof import documents, draft, project, reading, starter, temporary
from wheelproof.checks.context import count_of
from wheelproof.commands import listing, planning
from wheelproof.draft import Draft, decisions, scenarios
from wheelproof.draft.scenarios import STATES, Scenario
from wheelproof.errors import UsageError, WheelproofError
from wheelproof.graph.explorer import BudgetSpent, explore
from wheelproof.project.mechanism import Mechanism
from wheelproof.tlc import translation

UNSEEN = 'equivalent = "no property of the draft sees it: declare one, and name it here"'
"""The field of a mutant that breaks no property."""

TRIED = 12
"""The changes of one kind that are tried."""


def write(root: Path, source: str, name: str) -> Mechanism:
    """Write the draft of a class into a project, and print its figures and holes.

    ``source``: ``FILE:CLASS``. ``name``: of the mechanism, or "" for the class's name.

    UsageError where the class cannot be read, or a file is there already: nothing is written then.
    """
    file, _, class_name = source.rpartition(":")
    if not file or not class_name.isidentifier():
        raise UsageError(f"--from {source} names no class.", "Write --from pkg/module.py:Class.")
    name = name or project.name_of(class_name)
    sketch = draft.draft(Path(file), class_name, name, starter.module_of(name))
    if Path(file).resolve().is_relative_to(root.resolve()):
        origin = Path(file).resolve().relative_to(root.resolve()).as_posix()
        sketch = replace(sketch, origin=f"{origin}:{class_name}")
    first = next(scenarios.candidates(sketch.operations, list(sketch.subject.constants)))
    starter.refuse_present(root, sketch.files({"smallest": first}))
    with temporary.folder("draft") as scratch:
        texts, idle = _finish(sketch, scratch, first)
    paths: list[Path] = []
    try:
        for place, text in texts.items():
            documents.write_text(root / place, text)
            paths.append(root / place)
    except WheelproofError:
        for path in paths:
            with suppress(OSError):
                path.unlink()
        raise
    for path in paths:
        print(path)
    mechanism = project.read(root / "spec" / f"{sketch.module}.toml")
    _tell(sketch, mechanism)
    if idle:
        print(f"no scenario runs {', '.join(idle)}: declare one in spec/{sketch.module}.toml\n")
    listing.update_all({name: mechanism}, ())
    mechanism = project.read(mechanism.toml)
    planning.add(root, mechanism)
    return mechanism


def _finish(sketch: Draft, scratch: Path, first: Scenario) -> tuple[dict[str, str], list[str]]:
    """All files of the draft: with scenarios that end, and with its two decisions.

    Then the labels that no scenario runs.
    """
    for place, text in sketch.files({"smallest": first}).items():
        documents.write_text(scratch / place, text)
    toml = scratch / "spec" / f"{sketch.module}.toml"
    translation.retranslate(toml.with_suffix(".tla"))
    mechanism = project.read(toml)
    choice, labels_reached = scenarios.choose(
        sketch.operations, list(sketch.subject.constants), mechanism.model_of
    )
    texts = sketch.files(choice)
    texts[f"spec/{sketch.module}.tla"] = reading.text(toml.with_suffix(".tla"))
    documents.write_text(toml, texts[f"spec/{sketch.module}.toml"])
    variables = {item.variable for item in sketch.subject.fields.values()}
    for changes, accepts in (
        (decisions.keeps_lock(sketch.operations), lambda ends: ends != UNSEEN),
        (decisions.outside(sketch.operations, variables), lambda ends: bool(ends)),
    ):
        texts |= _decision(sketch, scratch, toml, choice, changes, accepts)
    names = (name for of_kind in sketch.labels.values() for name in of_kind)
    return texts, [name for name in names if name not in labels_reached]


def _decision(
    sketch: Draft,
    scratch: Path,
    toml: Path,
    choice: Mapping[str, Scenario],
    changes: Iterator[decisions.Change],
    accepts: Callable[[str], bool],
) -> dict[str, str]:
    """The file of the first change that some scenario shows; none without one."""
    for number, change in enumerate(changes):
        if number == TRIED:
            break
        place = f"mutants/{sketch.name}/{change.name}.md"
        diff = decisions.hunk(change, sketch.texts[1], sketch.code_of)
        for scenario in choice:
            if not change.fits(choice[scenario].threads.values()):
                continue
            documents.write_text(
                scratch / place, decisions.document(change, diff, scenario, UNSEEN)
            )
            ends = _outcome(project.read(toml), change.name, scenario)
            if ends and accepts(ends):
                return {place: decisions.document(change, diff, scenario, ends)}
        (scratch / place).unlink(missing_ok=True)
    return {}


def _outcome(mechanism: Mechanism, decision: str, scenario: str) -> str:
    """The field with the property that the mutant breaks; "" where it has no value."""
    try:
        graph = explore(mechanism.without(decision).model(scenario), bound=STATES)
    except (BudgetSpent, WheelproofError):
        return ""
    return 'property = "NoDeadlock"' if graph.deadlocks else UNSEEN


def _tell(sketch: Draft, mechanism: Mechanism) -> None:
    """Print the figures of the draft, and its holes."""
    labels = count_of(sum(map(len, sketch.labels.values())), "label")
    scenarios_text = count_of(len(mechanism.scenarios), "scenario")
    print(f"\n{labels}, {count_of(len(sketch.holes), 'hole')}, {scenarios_text}")
    if sketch.subject.bases:
        print(f"left out: methods of {', '.join(sketch.subject.bases)}")
    if sketch.subject.left_out:
        print(f"left out: {', '.join(sketch.subject.left_out)}, which no scenario can call")
    construction = {"__init__": sketch.subject.defaults}
    for name, values in (
        construction | {item.name: item.defaults for item in sketch.operations}
    ).items():
        if values:
            print(f"{name}: as it is with {', '.join(map('='.join, values.items()))}")
    for label, hole in sketch.holes.items():
        print(f"hole {label}, {sketch.subject.file}:{hole.line}: {hole.text}\n  {hole.reason}")
    print()
